"""Episodes in a transaction of the SQL ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import Connection, Row

from langchain_agentmem._search import ClaimRow, EpisodeLink, EpisodeRow
from langchain_agentmem.ledger.base import Draft, ModelState
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.episodes import EpisodeDraft, EpisodePlace, EpisodeReader, EpisodeWriter, StoredEpisode
from langchain_agentmem.ledger.sql import episode_rows as rows
from langchain_agentmem.ledger.sql import upserts
from langchain_agentmem.ledger.sql.episode_rows import EpisodeCodec
from langchain_agentmem.ledger.sql.rows import moment
from langchain_agentmem.ledger.sql.sized import fitting, vector_bytes
from langchain_agentmem.policies.consent import common_purposes
from langchain_agentmem.sql.emptied import ENDED, FORGOTTEN
from langchain_agentmem.types import Episode, Event, Scope

_IDS_AT_ONCE: Final = 500
"""Ids named in one statement; SQLite takes at least 999 parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a transaction finds a user's episodes: the connection, whose they are, and their subject's number."""

    connection: Connection
    scope: Scope
    codec: EpisodeCodec
    subject: int


MessageKey: TypeAlias = tuple[str | None, str]
"""Session and id of a message."""


class _Placed(NamedTuple):
    """An episode at its place in its session; where it points, `session_ref` is the conversation in this database."""

    draft: EpisodeDraft
    session_ref: int | None = None


class SQLEpisodeReader(EpisodeReader):
    """Reads one subject's episodes."""

    def __init__(self, place: Place, revision: int) -> None:
        """Compose; nothing is read yet."""
        self._place = place
        self._connection = place.connection
        self._codec = place.codec
        self.revision = revision

    def get(self, episode_ids: Iterable[str]) -> dict[str, StoredEpisode]:
        """Return the visible ones of several episodes."""
        return {it.episode.id: it for it in self._stored(self._of(rows.SELECT_EPISODES, episode_ids))}

    def news(self, drafts: Iterable[EpisodeDraft]) -> list[EpisodeDraft]:
        """Return what is new, and what has grown by a reply."""
        by_id: dict[str, EpisodeDraft] = {}
        for it in drafts:  # given twice: what has grown by a reply, else what was said first
            known_as = by_id.setdefault(it.episode.id, it)
            if _has_grown(it, known_as.episode, is_pointer=known_as.is_pointer):
                by_id[it.episode.id] = it
        shared = {it.shared_id for it in by_id.values() if it.shared_id is not None}
        known = {row.episode_id for row in self._of(rows.SELECT_KNOWN, {*by_id, *shared})}
        here = self.get(known & by_id.keys())
        return [it for id_, it in by_id.items() if _is_news(it, here.get(id_), known)]

    def page(self, session_id: str | None, after: EpisodePlace | None, limit: int) -> list[StoredEpisode]:
        """Return one page of a listing."""
        statement = rows.page_statement(is_of_session=session_id is not None, is_continued=after is not None)
        values = self._values(limit=limit)
        if session_id is not None:
            values["session"] = session_id
        if after is not None:
            last = {"last_session": after.session_id, "last_place": after.place, "last_id": after.id}
            values |= {"last_at": to_micros(after.at), **last}
        return self._stored(self._connection.execute(statement, values))

    def rows(self, since: int, model: str | None) -> list[EpisodeRow]:
        """Return what a view needs of what changed."""
        if since >= self.revision:
            return []
        values = {"subject": self._place.subject, "since": since, "model": model or ""}
        size = vector_bytes(self._connection, model)
        found = [self._codec.search_row(row) for row in rows.SELECT_ROWS.rows(self._connection, values)]
        return list(map(EpisodeRow._make, fitting(found, size)))

    def claims(self, since: int) -> list[ClaimRow]:
        """Return what was stated in what changed."""
        values = {"subject": self._place.subject, "since": since}
        return [self._codec.claim_row(row) for row in rows.SELECT_CLAIMS.rows(self._connection, values)]

    def links(self, episode_ids: Iterable[str]) -> dict[str, tuple[EpisodeLink, ...]]:
        """Return what several episodes update."""
        found = self._of(rows.SELECT_LINKS, episode_ids)
        return {row.episode_id: self._codec.links(row.episode_id, row.updates) for row in found}

    def without_vector(self, model: str, limit: int) -> list[StoredEpisode]:
        """Return episodes that have no vector of a model."""
        values = self._values(model=model, limit=limit)
        return self._stored(self._connection.execute(rows.SELECT_WITHOUT_VECTOR, values))

    def _of(self, statement: Any, episode_ids: Iterable[str]) -> list[Row[*tuple[Any, ...]]]:  # noqa: ANN401  (any select)
        return [
            row
            for ids in _batches(list(episode_ids))
            for row in self._connection.execute(statement, self._values(ids=ids))
        ]

    def _stored(self, found: Iterable[Row[*tuple[Any, ...]]]) -> list[StoredEpisode]:
        return [self._codec.stored(row) for row in found]

    def _values(self, **values: Any) -> dict[str, Any]:
        return {"subject": self._place.subject, "agent": self._place.scope.agent_id, **values}


class SQLEpisodeWriter(SQLEpisodeReader, EpisodeWriter):
    """Writes one subject's episodes, by events of its log.

    Args:
        place: Where.
        revision: Of the user's episodes when the transaction began.
        append: Appends an event to the log.
        keep_model: Makes an embedding model known where it is new.
    """

    def __init__(
        self,
        place: Place,
        revision: int,
        append: Callable[[Draft], Event],
        keep_model: Callable[[ModelState], None],
    ) -> None:
        """Compose; nothing is written yet."""
        super().__init__(place, revision)
        self._append = append
        self._keep_model = keep_model

    def put(self, drafts: Sequence[EpisodeDraft], model: ModelState | None) -> int:
        """Keep episodes that are news."""
        fresh = self.news(drafts)
        here = self.get([it.episode.id for it in fresh])
        placed = self._placed(list(_bound(fresh, here)), here)
        if not placed:
            return 0
        event = self._append(Draft(type="episodes_kept", note={"kept": len(placed)}))
        for ids in _batches([draft.episode.id for draft, _ in placed]):  # what has grown, or was there once
            self._connection.execute(rows.DELETE_VECTORS, self._values(ids=ids))
            self._connection.execute(rows.DELETE_EPISODES, self._values(ids=ids))
        place = {"subject_id": self._place.subject, "revision": self._next_revision()}
        found = [{**place, **self._codec.row(draft, event.seq, ref)} for draft, ref in placed]
        rows.INSERT_EPISODE.change(self._connection, found)
        if model is not None:
            self._insert_vectors([draft for draft, _ in placed], model)
        return len(placed)

    def put_vectors(self, drafts: Sequence[EpisodeDraft], model: ModelState) -> int:
        """Store or replace vectors, and let views know."""
        revisions = {
            row.episode_id: row.revision for row in self._of(rows.SELECT_HERE, [it.episode.id for it in drafts])
        }
        unchanged = [it for it in drafts if revisions.get(it.episode.id) == it.episode.revision]
        if unchanged:
            self._insert_vectors(unchanged, model)
            revision = self._next_revision()
            for ids in _batches([it.episode.id for it in unchanged]):
                self._connection.execute(rows.TOUCH_EPISODES, self._values(ids=ids, new_revision=revision))
        return len(unchanged)

    def supersede(self, links: Mapping[str, Sequence[EpisodeLink]], rule: str) -> None:
        """Note which earlier episodes others update."""
        if not links:
            return
        note = [
            {"old": it.old_id, "new": new_id, "kind": it.kind, "shared": len(it.terms)}
            for new_id, every in links.items()
            for it in every
            if not it.event_seq
        ]
        event = self._append(Draft(type="episodes_superseded", note={"links": note}, rule=rule))
        values = self._values(new_revision=self._next_revision())
        found = [
            {**values, "id": new_id, "links": self._codec.sealed_links(new_id, _dated(every, event.seq))}
            for new_id, every in links.items()
        ]
        rows.SUPERSEDE.change(self._connection, found)

    def drop(self, episode_ids: Iterable[str], reason: str, *, may_return: bool = False) -> int:
        """Take visible episodes out, and what was known of their words."""
        visible = {row.episode_id for row in self._of(rows.SELECT_VISIBLE, episode_ids)}
        return self._empty(sorted(visible), reason, ENDED if may_return else FORGOTTEN)

    def clear(self, session_id: str | None, reason: str, *, of_every_agent: bool = False) -> int:
        """Take out all episodes, of a session or of the user."""
        empty, delete = rows.clear_statements(is_of_session=session_id is not None, of_every_agent=of_every_agent)
        values = self._values(session=session_id, how=ENDED, new_revision=self.revision + 1)
        self._connection.execute(delete, values)
        count = int(self._connection.execute(empty, values).rowcount)
        if count:
            self._note_dropped(count, reason)
            self._next_revision()
        return count

    def clear_copies(self, session_id: str, reason: str, message_ids: Collection[str] | None = None) -> int:
        """Take out what was copied of a session; of every agent."""
        copies = self._stored(self._connection.execute(rows.SELECT_COPIES, self._values(session=session_id)))
        wanted = None if message_ids is None else {*message_ids}
        ids = [it.episode.id for it in copies if wanted is None or wanted.intersection(it.episode.message_ids)]
        return self._empty(ids, reason, ENDED)

    def drop_expired(self, now: int, limit: int) -> int:
        """Take out episodes whose time has come."""
        found = self._connection.execute(rows.SELECT_EXPIRED, self._values(now=now, limit=limit))
        return self._empty([row.episode_id for row in found], "expired", FORGOTTEN)

    def _empty(self, episode_ids: list[str], reason: str, how: int) -> int:
        if not episode_ids:
            return 0
        self._note_dropped(len(episode_ids), reason)
        revision = self._next_revision()
        for ids in _batches(episode_ids):
            self._connection.execute(rows.EMPTY_EPISODES, self._values(ids=ids, how=how, new_revision=revision))
            self._connection.execute(rows.DELETE_VECTORS, self._values(ids=ids))
        return len(episode_ids)

    def _note_dropped(self, count: int, reason: str) -> None:
        self._append(Draft(type="episodes_dropped", note={"dropped": count, "reason": reason}))

    def _placed(self, fresh: Sequence[EpisodeDraft], here: Mapping[str, StoredEpisode]) -> list[_Placed]:
        """Return episodes with their places in their sessions; those that are here keep theirs."""
        messages = self._messages([it for it in fresh if it.is_pointer])
        last: dict[str | None, int] = {}
        placed: list[_Placed | None] = []
        for draft in fresh:
            if draft.is_pointer:
                placed.append(_pointing(draft, messages))
                continue
            session, known = draft.episode.scope.session_id, here.get(draft.episode.id)
            if known is None:
                last[session] = last[session] + 1 if session in last else self._last_place(session) + 1
            episode = replace(draft.episode, place=last[session]) if known is None else _grown(draft, known)
            placed.append(_Placed(replace(draft, episode=episode)))
        return [it for it in placed if it is not None]

    def _next_revision(self) -> int:
        self.revision += 1
        rows.SET_REVISION.change(self._connection, [{"subject": self._place.subject, "new_revision": self.revision}])
        return self.revision

    def _last_place(self, session_id: str | None) -> int:
        last = self._connection.execute(rows.SELECT_LAST_PLACE, self._values(session=session_id)).scalar()
        return -1 if last is None else int(last)

    def _messages(self, drafts: Sequence[EpisodeDraft]) -> dict[MessageKey, Row[*tuple[Any, ...]]]:
        """Return those messages, of conversations in this database, that pointers point at, by session and id."""
        wanted: dict[str | None, list[str]] = {}
        for draft in drafts:
            wanted.setdefault(draft.episode.scope.session_id, []).extend(draft.episode.message_ids)
        identity = {"tenant": self._place.scope.tenant_id, "user": self._place.scope.user_id}
        return {
            (session, row.message_id): row
            for session, every in wanted.items()
            for ids in _batches(every)
            for row in self._connection.execute(rows.SELECT_MESSAGES, {**identity, "session": session, "ids": ids})
        }

    def _insert_vectors(self, drafts: Sequence[EpisodeDraft], model: ModelState) -> None:
        place = {"subject_id": self._place.subject, "model": model.name}
        found = [
            {**place, **self._codec.vector_row(it.episode.id, it.vector)} for it in drafts if it.vector is not None
        ]
        if found:
            self._keep_model(model)
            upserts.PUT_VECTOR.change(self._connection, found)


def _names(draft: EpisodeDraft) -> set[str | None]:
    return {draft.episode.id, draft.shared_id}


def _is_news(draft: EpisodeDraft, here: StoredEpisode | None, known: AbstractSet[str]) -> bool:
    if here is None:
        return not known & _names(draft)
    return _has_grown(draft, here.episode, is_pointer=here.is_pointer) or _is_answered_anew(draft, here)


def _is_answered_anew(draft: EpisodeDraft, known: StoredEpisode) -> bool:
    """Whether a turn has another reply now, by other messages: the answer was made anew, and what it was is no more."""
    now, then = draft.episode, known.episode
    is_copy = not known.is_pointer and not draft.is_pointer
    is_same = now.message_ids[:1] == then.message_ids[:1] and now.text == then.text
    is_another = bool(now.reply) and not {*now.message_ids} <= {*then.message_ids}
    return draft.is_latest and is_copy and is_same and is_another and now.at > then.at


def _has_grown(draft: EpisodeDraft, known: Episode, *, is_pointer: bool) -> bool:
    """Whether a reply came since a turn was kept; where its messages have no ids, its words tell."""
    now, then = draft.episode.message_ids, known.message_ids
    if len(now) > len(then):
        return True
    is_copy = not is_pointer and not draft.is_pointer
    return is_copy and {*then} <= {*now} and _goes_on(draft.episode.reply, known.reply)


def _goes_on(reply: str, known: str) -> bool:
    return bool(reply) and (not known or reply.startswith(f"{known}\n"))


def _grown(draft: EpisodeDraft, known: StoredEpisode) -> Episode:
    """Return what has grown where it stood: said when it was said, to end when it was to end at the latest.

    What was answered anew is told when it was: a reply that came between is older.
    """
    ends = [it for it in (known.episode.expires_at, draft.episode.expires_at) if it is not None]
    at = draft.episode.at if _is_answered_anew(draft, known) else known.episode.at
    return replace(draft.episode, place=known.episode.place, at=at, expires_at=min(ends, default=None))


def _bound(fresh: Iterable[EpisodeDraft], here: Mapping[str, StoredEpisode]) -> Iterator[EpisodeDraft]:
    """Yield drafts, those that have grown with the purposes that they served already, if any is left."""
    for draft in fresh:
        episode = draft.episode
        known = here.get(episode.id)
        purposes = episode.purposes if known is None else common_purposes(known.episode.purposes, episode.purposes)
        if purposes is not None:
            yield replace(draft, episode=replace(episode, purposes=purposes))


def _pointing(draft: EpisodeDraft, messages: Mapping[MessageKey, Row[*tuple[Any, ...]]]) -> _Placed | None:
    """Return a pointer at the place and time of its first message; nothing, where a message is gone."""
    episode = draft.episode
    found = [messages.get((episode.scope.session_id, it)) for it in episode.message_ids]
    standing = [row for row in found if row is not None]
    if not standing or len(standing) < len(found):
        return None
    first = standing[0]
    placed = replace(episode, place=first.seq, at=moment(first.at))
    return _Placed(replace(draft, episode=placed), first.session_ref)


def _dated(links: Iterable[EpisodeLink], event_seq: int) -> list[EpisodeLink]:
    return [it if it.event_seq else it._replace(event_seq=event_seq) for it in links]


def _batches(ids: list[str]) -> Iterator[list[str]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))
