"""How episodes end: forgotten by the user's wish, with their conversation, or when their time has come."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Draft, Head, Ledger, LedgerReader, LedgerWriter, head_of
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.episodes import EpisodePlace
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.ledger.standing import check_not_held
from langchain_agentmem.long_term.index.searching import SCRUB_JOB, Searching
from langchain_agentmem.long_term.parts import OWNERS, Parts
from langchain_agentmem.long_term.remove.asked import note_request
from langchain_agentmem.long_term.remove.tasks import asked_for, end_in_tasks, has_tasks, quoted_from
from langchain_agentmem.long_term.said.handed import Handed
from langchain_agentmem.long_term.said.words import Words
from langchain_agentmem.long_term.watching import Watch
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.policies.waiting import may_say
from langchain_agentmem.types import ConsentState, Episode, Memory, Provenance, Scope

AT_ONCE: Final = 1_000
"""Episodes taken out in one transaction of a sweep, so that writers need not wait long for it."""

INGEST_JOB: Final = "ingest"
"""Takes in a part of a conversation that was handed over."""

TURN_JOB: Final = "turn"
"""Does what follows from a turn of an agent."""

WAITING: Final = (INGEST_JOB, TURN_JOB)
"""Jobs that hold words of conversations: they end with these."""

_PAGE: Final = 500


class ExpiredEpisodes:
    """What has expired, of every user.

    Args:
        ledger: Where episodes are.
        models: Knows whose have expired.
        clock: Gives the time, aware UTC.
        watch: Told of it, user by user.
    """

    def __init__(
        self, ledger: Ledger, models: SQLModels, clock: Callable[[], datetime], watch: Watch | None = None
    ) -> None:
        """Nothing is opened yet."""
        self._watch = watch or Watch()
        self._ledger = ledger
        self._models = models
        self._clock = clock

    def sweep(self) -> Flow[int]:
        """Take it out, and queue that no file of SQLite's holds it; return how many episodes there were."""
        now, swept = to_micros(self._clock()) or 0, 0
        while owners := (yield from self._models.owners_of_expired(now, OWNERS)):
            for owner in owners:
                begun = self._watch.now()
                dropped = yield from self._ledger.append(owner, self._drop)
                self._watch.tell("drop_episodes", owner, {("dropped", "expired"): dropped}, begun)
                swept += dropped
        return swept

    def _drop(self, writer: LedgerWriter) -> int:
        now = self._clock()
        dropped = writer.episodes.drop_expired(to_micros(now) or 0, AT_ONCE)
        if dropped:
            writer.enqueue_once(SCRUB_JOB, None)
        return dropped


class _Taken(NamedTuple):
    """How many were taken out: episodes, and conversations handed over that had not become any yet."""

    episodes: int = 0
    jobs: int = 0


class Ending:
    """Takes episodes out for good: nothing of their words stays in the database, nor in this process."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._words = Words(parts)

    def forget(self, episode_ids: Sequence[str], scope: Scope, reason: str) -> Flow[int]:
        """Take out those that are visible, and the words of the user's questions in receipts: they may say the same."""

        def forgotten(writer: LedgerWriter) -> _Taken:
            known = writer.episodes.get(episode_ids)
            said = {id for it in known.values() for id in it.episode.message_ids}
            return _Taken(writer.episodes.drop(episode_ids, reason), take_out(writer, said=said))

        return (yield from self._end_quoted(scope, episode_ids, forgotten))

    def forget_one(self, episode_id: str, scope: Scope, reason: str) -> Flow[Memory | None]:
        """Take one out, and return what is left of it to show; `None` where it is unknown here."""
        return next(iter((yield from self.forget_each([episode_id], scope, reason))), None)

    def forget_each(self, episode_ids: Sequence[str], scope: Scope, reason: str) -> Flow[list[Memory]]:
        """Take out those that are visible, in one transaction, and return what is left of them to show."""
        found = yield from self._words.get(scope, episode_ids)
        if not (yield from self.forget(episode_ids, scope, reason)):
            return []
        return [
            replace(it.as_memory(), status="erased", content="", subject=None, provenance=Provenance())
            for it in found.episodes.values()
        ]

    def forget_sources(self, memory_id: str, scope: Scope, reason: str) -> Flow[int]:
        """Take out those that a memory was taken from, as far as they are visible; see `forget`."""

        def sources(reader: LedgerReader) -> tuple[set[str], list[str]]:
            memory = reader.memory(memory_id)
            said = set() if memory is None else set(memory.provenance.message_ids)
            return said, [it.id for it in _visible(reader) if said.intersection(it.message_ids)] if said else []

        def forgotten(writer: LedgerWriter) -> _Taken:
            said, found = sources(writer)
            return _Taken(writer.episodes.drop(found, reason), take_out(writer, said=said))

        _, found = yield from self._parts.ledger.read(scope, sources)
        return (yield from self._end_quoted(scope, found, forgotten))

    def clear(self, scope: Scope, reason: str) -> Flow[int]:
        """Take out all that are visible, of the scope's session or of the user, and what open turns would leave."""

        def cleared(writer: LedgerWriter) -> _Taken:
            before = writer.head.seq
            taken = self._cleared(writer, scope.session_id, reason)
            if self._has_say(writer.head):
                note_request(writer, [Asked(session_id=scope.session_id)], reason, before)
            return taken

        quotable = partial(_ids, session_id=scope.session_id)
        is_quoted = yield from has_tasks(self._parts, scope)
        found = (yield from self._parts.ledger.read(scope, quotable)) if is_quoted else []
        return (yield from self._end_quoted(scope, found, cleared))

    def ask(self, asked: Sequence[Asked], scope: Scope, reason: str) -> Flow[int]:
        """Note what the user asks to forget, where anything may be kept; return where their log stands then.

        The states of their tasks lose what says it at once: they need no consent, and so may be all there is.
        """
        yield from end_in_tasks(self._parts, scope, asked_for(asked, scope))
        head = yield from self._parts.ledger.read(scope, head_of)
        if not self._has_say(head):
            return head.seq
        return (yield from self._parts.ledger.append(scope, lambda writer: note_request(writer, asked, reason)))

    def check_may_end(self, scope: Scope, *, is_any_named: bool) -> Flow[None]:
        """See that turns may be taken out, where some are named, or else where there are any at all.

        Raises:
            RetentionError: A legal hold stands.
        """

        def check(reader: LedgerReader) -> None:
            if is_any_named or has_any(reader):
                check_not_held(reader.head)

        yield from self._parts.ledger.read(scope, check)

    def began(self, scope: Scope) -> Flow[int]:
        """Return where the user's log stands, as a turn begins."""
        head = yield from self._parts.ledger.read(scope, head_of)
        return head.seq

    def end_session(self, scope: Scope, reason: str) -> Flow[int]:
        """Take out what is kept of a conversation, by whichever agent: the conversation is to end."""
        session_id = scope.session_id
        if not (yield from self._parts.ledger.read(scope, may_end)):
            return 0  # there never were any, and nothing is to be noted of a user who has no log
        return (
            yield from self._end(scope, lambda writer: self._cleared(writer, session_id, reason, of_every_agent=True))
        )

    def end_copies(self, scope: Scope, reason: str, message_ids: Collection[str] | None = None) -> Flow[int]:
        """Take out what was copied of a conversation that stands elsewhere, by whichever agent: it ends, or a part.

        Args:
            scope: Names the user and the session.
            reason: For the log.
            message_ids: Of the turns that end; `None`: all of the session.
        """
        session_id = scope.session_id or ""
        if not (yield from self._parts.ledger.read(scope, may_end)):
            return 0

        def ended(writer: LedgerWriter) -> _Taken:
            if message_ids is None:
                cancelled = _cancel(writer, session_id, of_every_agent=True)
            else:
                cancelled = take_out(writer, said=message_ids)
            return _Taken(writer.episodes.clear_copies(session_id, reason, message_ids), cancelled)

        return (yield from self._end(scope, ended))

    def withdraw(
        self, scope: Scope, draft: Draft, then: Callable[[LedgerWriter], object], *, is_whole: bool
    ) -> Flow[ConsentState]:
        """Record that the user allows something no more, and do `then` with it.

        Where it is the whole, what waits to be kept is taken out: it never may be.
        """

        def withdrawn(writer: LedgerWriter) -> tuple[int, ConsentState]:
            writer.append(draft)
            then(writer)
            cancelled = 0
            if is_whole:
                writer.requests.put(writer.head.seq, [Asked(of_every_agent=True)])
                cancelled = _cancel(writer, None, of_every_agent=True)
            self._searching.queue_copies(writer)
            if cancelled:
                writer.enqueue(SCRUB_JOB, {}, None)
            return cancelled, writer.head.consent

        cancelled, consent = yield from self._parts.ledger.append(scope, withdrawn)
        if cancelled:
            yield from self._forget_here(scope)
        else:
            yield from self._searching.drop_copies(scope)
        return consent

    def _has_say(self, head: Head) -> bool:
        """Whether there may be anything to forget: of who is unknown, and has not consented, nothing is noted."""
        return bool(head.digest) or self._parts.refusal(head.consent) is None

    def _cleared(
        self, writer: LedgerWriter, session_id: str | None, reason: str, *, of_every_agent: bool = False
    ) -> _Taken:
        """Take out what is kept, and what waits to be."""
        cancelled = _cancel(writer, session_id, of_every_agent=of_every_agent)
        return _Taken(writer.episodes.clear(session_id, reason, of_every_agent=of_every_agent), cancelled)

    def _end(self, scope: Scope, take_out: Callable[[LedgerWriter], _Taken]) -> Flow[int]:
        taken = yield from self._parts.ledger.append(scope, lambda writer: self._taken_out(writer, take_out))
        if any(taken):
            yield from self._forget_here(scope)
        return taken.episodes

    def _end_quoted(
        self, scope: Scope, episode_ids: Sequence[str], take_out: Callable[[LedgerWriter], _Taken]
    ) -> Flow[int]:
        """End some whose words are known by then, and take out of the states of tasks what quotes them."""
        words = (yield from self._words.get(scope, episode_ids)).episodes.values()
        ended = yield from self._end(scope, take_out)
        yield from end_in_tasks(self._parts, scope, quoted_from([it.content for it in words]))
        return ended

    def _taken_out(self, writer: LedgerWriter, take_out: Callable[[LedgerWriter], _Taken]) -> _Taken:
        taken = take_out(writer)
        if any(taken):
            writer.forget_questions()
            writer.enqueue(SCRUB_JOB, {}, None)
        return taken

    def _forget_here(self, scope: Scope) -> Flow[None]:
        """Drop the words from what this process holds, and from files that only the database writes."""
        self._parts.episodes.forget(scope)
        self._parts.forget_words()
        yield from self._searching.drop(scope, ())


def take_out(writer: LedgerWriter, memories: Iterable[Memory] = (), *, said: Collection[str] = ()) -> int:
    """Take what says something out of what waits to be taken in, and of runs; return from how many jobs and steps.

    A turn goes whole, with what it is about as far as it was done in it; of a job that carries several the others stay.

    Args:
        writer: Of the user.
        memories: Whatever could be evidence of one of these goes, and what they were taken from.
        said: Ids of messages.
    """
    erased = list(memories)
    ids = {*said, *(id for it in erased for id in it.provenance.message_ids)}

    def is_gone(message: BaseMessage) -> bool:
        calls = [call["args"] for call in getattr(message, "tool_calls", ())]
        words = f"{message.text} {json.dumps(calls, default=str) if calls else ''}"
        return message.id in ids or any(may_say(words, it) for it in erased)

    def left_of(words: bytes) -> bytes | None:
        head, _, packed = words.partition(b"\n")
        left = Handed.unpack(packed).without(is_gone)
        note = json.loads(head)
        if note.get("told"):  # sentences of earlier messages, without their ids
            head = json.dumps({**note, "told": ""}).encode()
        done = note["report"].get("outcomes", ())
        says = any(may_say(f"{it['action']} {it['detail']}", each) for it in done for each in erased)
        return None if left is None or says else b"\n".join([head, left.pack()])

    def left_of_conversation(words: bytes) -> bytes | None:
        left = Handed.unpack(words).without(is_gone)
        return None if left is None else left.pack()

    def is_told(body: object) -> bool:
        words, told = said_in(body)
        return not ids.isdisjoint(told) or any(may_say(words, it) for it in erased)

    runs = writer.runs.redact(is_told)
    return runs + writer.redact_jobs(TURN_JOB, left_of) + writer.redact_jobs(INGEST_JOB, left_of_conversation)


def said_in(body: object) -> tuple[str, set[str]]:
    """Return the words of what a step of a run tells, and the ids of messages in it."""
    words: list[str] = []
    ids: set[str] = set()
    waiting: list[tuple[str, object]] = [("", body)]
    while waiting:
        name, it = waiting.pop()
        if isinstance(it, Mapping):
            waiting += it.items()
        elif isinstance(it, list):
            waiting += [(name, each) for each in it]
        elif isinstance(it, str) and name == "id":
            ids.add(it)
        elif isinstance(it, str):
            words.append(it)
    return " ".join(words), ids


def _ids(reader: LedgerReader, session_id: str | None) -> list[str]:
    return [it.id for it in _visible(reader, session_id)]


def _visible(reader: LedgerReader, session_id: str | None = None) -> Iterator[Episode]:
    last: EpisodePlace | None = None
    while page := reader.episodes.page(session_id, last, _PAGE):
        yield from (it.episode for it in page)
        last = EpisodePlace.of(page[-1].episode)


def _cancel(writer: LedgerWriter, session_id: str | None, *, of_every_agent: bool) -> int:
    return sum(writer.cancel_jobs(kind, session_id, of_every_agent=of_every_agent) for kind in WAITING)


def may_end(reader: LedgerReader) -> bool:
    """Whether anything of a user's conversations could end with one of them.

    Raises:
        RetentionError: A legal hold stands: nothing may.
    """
    check_not_held(reader.head)
    return has_any(reader)


def has_any(reader: LedgerReader) -> bool:
    """Whether anything is kept of a user's conversations, or waits to be."""
    return bool(reader.episodes.revision) or any(map(reader.has_jobs, WAITING))
