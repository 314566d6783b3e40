"""Statements of episodes, and the translation between their rows and records."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    Delete,
    Integer,
    Row,
    Select,
    Update,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    tuple_,
    update,
)

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import ASKS, ENDS_ASKING, FIRST_PERSON, HAS_REPLY, ClaimRow, EpisodeLink, EpisodeRow
from langchain_agentmem._terms import encode_counts, encode_pairs, encode_terms, purpose_hash, speaker_hash, tokenize
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.ledger.codec import dump_own, from_micros, load, to_micros
from langchain_agentmem.ledger.episodes import EpisodeDraft, StoredEpisode
from langchain_agentmem.ledger.sql.rows import moment, with_vectors
from langchain_agentmem.ledger.sql.sealed import EPISODE_TOLD, name_of
from langchain_agentmem.sql.emptied import ENDED, HERE, empty_episodes
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import EPISODES, MESSAGES, SESSIONS, SUBJECTS, VECTORS
from langchain_agentmem.types import Episode, Scope
from langchain_agentmem.vault.base import Cipher, open_as

_SUBJECT: Final[BindParameter[int]] = bindparam("subject")
_ID: Final[BindParameter[str]] = bindparam("id")
_IDS: Final[BindParameter[str]] = bindparam("ids", expanding=True)
_LIMIT: Final[BindParameter[int]] = bindparam("limit", type_=Integer)
_SIGNS: Final = struct.Struct("<QQB")
"""What leads the terms of what was said: hashes of the speaker's name and first name, and bits of `signs_of`."""

_PURPOSED: Final = 0x80
"""Bit beside those of `signs_of`: hashes of the purposes follow, behind how many they are."""

_COUNT: Final = struct.Struct("<H")
_HASH_BYTES: Final = 8

_SPEAKER: Final = struct.Struct("<Q")
"""What leads claims: the hash of the name of who states them."""

_FIRST_PERSON: Final = lazy_pattern(r"\b(?:i|my|we|our)\b", re.IGNORECASE)

_OF_SUBJECT: Final = EPISODES.c.subject_id == _SUBJECT
_IS_HERE: Final = and_(_OF_SUBJECT, EPISODES.c.is_gone == HERE)
_IS_VISIBLE: Final = and_(_IS_HERE, or_(EPISODES.c.agent_id.is_(None), EPISODES.c.agent_id == bindparam("agent")))
_SELECT: Final = select(EPISODES).where(_IS_VISIBLE)
_NEXT: Final = (EPISODES.c.at, EPISODES.c.session_id, EPISODES.c.place, EPISODES.c.episode_id)
_LAST: Final = tuple(
    bindparam(name, type_=column.type)
    for name, column in zip(("last_at", "last_session", "last_place", "last_id"), _NEXT, strict=True)
)

SELECT_COPIES: Final = select(EPISODES).where(
    _IS_HERE, EPISODES.c.session_id == bindparam("session"), EPISODES.c.session_ref.is_(None)
)
SELECT_EPISODES: Final = _SELECT.where(EPISODES.c.episode_id.in_(_IDS))
SELECT_KNOWN: Final = select(EPISODES.c.episode_id, EPISODES.c.is_gone).where(
    _OF_SUBJECT, EPISODES.c.is_gone != ENDED, EPISODES.c.episode_id.in_(_IDS)
)
SELECT_VISIBLE: Final = select(EPISODES.c.episode_id).where(_IS_VISIBLE, EPISODES.c.episode_id.in_(_IDS))
SELECT_HERE: Final = select(EPISODES.c.episode_id, EPISODES.c.revision).where(_IS_HERE, EPISODES.c.episode_id.in_(_IDS))
SELECT_EXPIRED: Final = (
    select(EPISODES.c.episode_id).where(_IS_HERE, EPISODES.c.expires_at <= bindparam("now")).limit(_LIMIT)
)
SELECT_LAST_PLACE: Final = select(func.max(EPISODES.c.place)).where(
    _OF_SUBJECT, EPISODES.c.session_id == bindparam("session")
)
SELECT_MESSAGES: Final = (
    select(MESSAGES.c.session_ref, MESSAGES.c.message_id, MESSAGES.c.seq, MESSAGES.c.at)
    .join(SESSIONS, SESSIONS.c.session_ref == MESSAGES.c.session_ref)
    .where(
        SESSIONS.c.tenant_id == bindparam("tenant"),
        SESSIONS.c.user_id == bindparam("user"),
        SESSIONS.c.session_id == bindparam("session"),
        MESSAGES.c.seq > 0,
        MESSAGES.c.message_id.in_(_IDS),
    )
)
_IN_SESSION: Final = _SELECT.where(EPISODES.c.session_id == bindparam("session"))

_VECTORS_OF: Final = and_(
    VECTORS.c.subject_id == EPISODES.c.subject_id,
    VECTORS.c.memory_id == EPISODES.c.episode_id,
    VECTORS.c.model == bindparam("model"),
)
SELECT_ROWS: Final = Prepared(
    with_vectors(
        select(
            EPISODES.c.episode_id,
            EPISODES.c.revision,
            EPISODES.c.agent_id,
            EPISODES.c.session_id,
            EPISODES.c.place,
            EPISODES.c.at,
            EPISODES.c.expires_at,
            EPISODES.c.is_gone,
            EPISODES.c.updates,
            EPISODES.c.terms,
            EPISODES.c.pairs,
            EPISODES.c.reply_terms,
        ).where(_OF_SUBJECT, EPISODES.c.revision > bindparam("since")),
        EPISODES.c.episode_id,
    )
)
_STATES: Final = or_(EPISODES.c.claims != b"", and_(EPISODES.c.is_gone != HERE, bindparam("since") > 0))
SELECT_CLAIMS: Final = Prepared(
    select(
        EPISODES.c.episode_id,
        EPISODES.c.revision,
        EPISODES.c.agent_id,
        EPISODES.c.session_id,
        EPISODES.c.place,
        EPISODES.c.at,
        EPISODES.c.claims,
    ).where(_OF_SUBJECT, EPISODES.c.revision > bindparam("since"), _STATES)
)
SELECT_LINKS: Final = select(EPISODES.c.episode_id, EPISODES.c.updates).where(
    _IS_VISIBLE, EPISODES.c.updates != b"", EPISODES.c.episode_id.in_(_IDS)
)
SELECT_WITHOUT_VECTOR: Final = (
    select(EPISODES)
    .outerjoin(VECTORS, _VECTORS_OF)
    .where(_IS_HERE, VECTORS.c.memory_id.is_(None))
    .order_by(EPISODES.c.episode_id)
    .limit(_LIMIT)
)

INSERT_EPISODE: Final = Prepared(insert(EPISODES))
DELETE_VECTORS: Final = delete(VECTORS).where(VECTORS.c.subject_id == _SUBJECT, VECTORS.c.memory_id.in_(_IDS))
DELETE_EPISODES: Final = delete(EPISODES).where(_OF_SUBJECT, EPISODES.c.episode_id.in_(_IDS))
EMPTY_EPISODES: Final = empty_episodes(_OF_SUBJECT, EPISODES.c.episode_id.in_(_IDS))
_REVISION: Final[BindParameter[int]] = bindparam("new_revision", type_=EPISODES.c.revision.type)
TOUCH_EPISODES: Final = update(EPISODES).where(_OF_SUBJECT, EPISODES.c.episode_id.in_(_IDS)).values(revision=_REVISION)
SUPERSEDE: Final = Prepared(
    update(EPISODES)
    .where(_IS_VISIBLE, EPISODES.c.episode_id == _ID)
    .values(updates=bindparam("links", type_=EPISODES.c.updates.type), revision=_REVISION)
)
SET_REVISION: Final = Prepared(
    update(SUBJECTS).where(SUBJECTS.c.subject_id == _SUBJECT).values(episode_revision=_REVISION)
)


@cache
def clear_statements(*, is_of_session: bool, of_every_agent: bool) -> tuple[Update, Delete]:
    """Return the statements that empty all episodes, of a session or of the user, and delete their vectors."""
    conditions = [_IS_HERE if of_every_agent else _IS_VISIBLE]
    if is_of_session:
        conditions.append(EPISODES.c.session_id == bindparam("session"))
    leaving = VECTORS.c.memory_id.in_(select(EPISODES.c.episode_id).where(*conditions))
    vectors = delete(VECTORS).where(VECTORS.c.subject_id == _SUBJECT, leaving)
    return empty_episodes(*conditions), vectors


@cache
def page_statement(*, is_of_session: bool, is_continued: bool) -> Select[Any]:
    """Return the statement of one page of a listing."""
    statement = _IN_SESSION if is_of_session else _SELECT
    if is_continued:
        statement = statement.where(tuple_(*_NEXT) > tuple_(*_LAST))
    return statement.order_by(*_NEXT).limit(_LIMIT)


@dataclass(frozen=True, slots=True)
class EpisodeCodec:
    """Turns rows of one subject into episodes and back."""

    owner: Scope
    cipher: Cipher

    def stored(self, row: Row[*tuple[Any, ...]]) -> StoredEpisode:
        """Return the episode that a row holds."""
        told = [getattr(row, it) for it in EPISODE_TOLD]
        body = load(open_as(self.cipher, row.body, _names("episode", row.episode_id, told)))
        try:
            episode = Episode(
                id=row.episode_id,
                scope=replace(self.owner, agent_id=row.agent_id, session_id=row.session_id),
                place=row.place,
                at=moment(row.at),
                speaker=body["speaker"],
                text=body.get("text", ""),
                reply=body.get("reply", ""),
                message_ids=tuple(body["message_ids"]),
                purposes=tuple(body.get("purposes", ())),
                expires_at=from_micros(row.expires_at),
                revision=row.revision,
            )
        except (KeyError, TypeError, OverflowError) as error:
            msg = f"the stored episode {row.episode_id!r} cannot be read; drop it, and ingest its conversation again"
            raise IntegrityError(msg) from error
        is_masked = bool(body.get("is_masked"))
        return StoredEpisode(
            episode=episode, is_pointer="text" not in body, is_masked=is_masked, event_seq=row.event_seq
        )

    def row(self, draft: EpisodeDraft, event_seq: int, session_ref: int | None) -> dict[str, Any]:
        """Return the row that holds an episode; the subject and the revision are not in it."""
        it, seal = draft.episode, self.cipher.seal
        words = {"is_masked": draft.is_masked} if draft.is_pointer else {"text": it.text, "reply": it.reply}
        bound = {"purposes": list(it.purposes)} if it.purposes else {}
        body = dump_own({"speaker": it.speaker, "message_ids": list(it.message_ids), **bound, **words})
        first_name = it.speaker.split()[0] if it.speaker.split() else it.speaker
        bits = signs_of(it) | (_PURPOSED if it.purposes else 0)
        signs = _SIGNS.pack(speaker_hash(it.speaker), speaker_hash(first_name), bits) + _packed(it.purposes)
        terms = tokenize(it.text)
        told = (it.scope.agent_id, it.scope.session_id, it.place, to_micros(it.at), to_micros(it.expires_at))
        return {
            "episode_id": it.id,
            **dict(zip(EPISODE_TOLD, told, strict=True)),
            "event_seq": event_seq,
            "session_ref": session_ref if draft.is_pointer else None,
            "is_gone": HERE,
            "claims": self._sealed_claims(draft),
            "updates": b"",
            "terms": seal(signs + encode_counts(terms), _names("episode_terms", it.id, told)[0]),
            "pairs": seal(encode_pairs(terms), f"pairs/{it.id}"),
            "reply_terms": seal(encode_terms(it.reply), f"reply_terms/{it.id}"),
            "body": seal(body, _names("episode", it.id, told)[0]),
        }

    def _sealed_claims(self, draft: EpisodeDraft) -> bytes:
        if not draft.claims:
            return b""
        speaker = _SPEAKER.pack(speaker_hash(draft.episode.speaker))
        return self.cipher.seal(speaker + draft.claims, f"claims/{draft.episode.id}")

    def claim_row(self, row: Sequence[Any]) -> ClaimRow:
        """Return what a row of `SELECT_CLAIMS` says was stated."""
        *place, sealed = row
        if not sealed:
            return ClaimRow._make((*place, 0, b""))
        stated = self.cipher.open(sealed, f"claims/{row[0]}")
        if len(stated) < _SPEAKER.size:
            raise _malformed(row[0], "claims")
        return ClaimRow._make((*place, *_SPEAKER.unpack_from(stated), stated[_SPEAKER.size :]))

    def sealed_links(self, episode_id: str, links: Sequence[EpisodeLink]) -> bytes:
        """Return what an episode updates as bytes."""
        named = [[it.old_id, it.kind, sorted(it.terms), it.event_seq] for it in links]
        return self.cipher.seal(dump_own({"links": named}), f"updates/{episode_id}")

    def links(self, episode_id: str, sealed: bytes) -> tuple[EpisodeLink, ...]:
        """Return what an episode updates."""
        if not sealed:
            return ()
        try:
            named = load(self.cipher.open(sealed, f"updates/{episode_id}"))["links"]
            return tuple(EpisodeLink(old, kind, frozenset(terms), seq) for old, kind, terms, seq in named)
        except (KeyError, TypeError, ValueError) as error:
            raise _malformed(episode_id, "links") from error

    def vector_row(self, episode_id: str, vector: bytes) -> dict[str, Any]:
        """Return the sealed vector of an episode."""
        return {"memory_id": episode_id, "vector": self.cipher.seal(vector, f"vector/{episode_id}")}

    def search_row(self, row: Sequence[Any]) -> EpisodeRow:
        """Return what a view needs of a row of `SELECT_ROWS`."""
        episode_id, is_gone = row[0], bool(row[7])
        if is_gone:
            return EpisodeRow._make((*row[:7], True, (), 0, 0, 0, b"", b"", b"", (), None))
        open_ = self.cipher.open
        terms = open_as(self.cipher, row[9], _names("episode_terms", episode_id, row[2:7]))
        if len(terms) < _SIGNS.size:
            raise _malformed(episode_id, "terms")
        speaker, first_name, flags = _SIGNS.unpack_from(terms)
        purposes, begin = _purposes_in(terms) if flags & _PURPOSED else ((), _SIGNS.size)
        vector = None if row[12] is None else open_(row[12], f"vector/{episode_id}")
        signs = (False, self.links(episode_id, row[8]), speaker, first_name, flags & ~_PURPOSED)
        pairs, reply = open_(row[10], f"pairs/{episode_id}"), open_(row[11], f"reply_terms/{episode_id}")
        words = (terms[begin:], pairs, reply)
        return EpisodeRow._make((*row[:7], *signs, *words, purposes, vector))


def _packed(purposes: Sequence[str]) -> bytes:
    """Return the hashes of purposes, behind how many they are; nothing where there are none."""
    hashes = [purpose_hash(it) for it in purposes]
    return _COUNT.pack(len(hashes)) + struct.pack(f"<{len(hashes)}Q", *hashes) if hashes else b""


def _purposes_in(terms: bytes) -> tuple[tuple[int, ...], int]:
    """Return the hashes of the purposes that stand before an episode's terms, and where those begin."""
    (count,) = _COUNT.unpack_from(terms, _SIGNS.size)
    first = _SIGNS.size + _COUNT.size
    return struct.unpack_from(f"<{count}Q", terms, first), first + count * _HASH_BYTES


def _names(word: str, episode_id: str, told: Iterable[object]) -> tuple[str, str]:
    """Return what a value of a turn is sealed as, with what is told of the turn, and was by earlier releases."""
    return name_of(word, [episode_id], told), name_of(word, [episode_id])


def _malformed(episode_id: str, what: str) -> IntegrityError:
    return IntegrityError(f"the stored {what} of episode {episode_id!r} are malformed; drop it, and ingest it again")


def signs_of(episode: Episode) -> int:
    """Return what kind of words an episode holds, as bits."""
    text = episode.text.rstrip()
    signs = (
        (ENDS_ASKING, text.endswith("?")),
        (ASKS, "?" in text),
        (FIRST_PERSON, _FIRST_PERSON.search(text) is not None),
        (HAS_REPLY, bool(episode.reply)),
    )
    return sum(bit for bit, is_so in signs if is_so)
