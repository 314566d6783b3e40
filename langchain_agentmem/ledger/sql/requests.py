"""Requests to forget in a transaction of the SQL ledger."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from secrets import token_bytes
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select

from langchain_agentmem.english.requests.as_written import AsWritten
from langchain_agentmem.english.requests.attribute_request import AttributeWanted, Spelling
from langchain_agentmem.english.requests.forget_request import Wanted
from langchain_agentmem.ledger.codec import dump_own, load
from langchain_agentmem.ledger.requests import Requests
from langchain_agentmem.ledger.sql.holds import is_unheld
from langchain_agentmem.ledger.sql.rows import micros
from langchain_agentmem.policies.forgotten import KEPT_FOR, Asked, Request
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import EVENTS, REQUESTS
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher

_KEY_BYTES: Final = 32
_DIGEST_BYTES: Final = 16
"""Two of 2^32 words collide with a chance below 10^-19."""

_OF_SUBJECT: Final = REQUESTS.c.subject_id == bindparam("subject")
_INSERT: Final = Prepared(insert(REQUESTS))
_SELECT: Final = Prepared(
    select(REQUESTS.c.seq, REQUESTS.c.sealed).where(
        _OF_SUBJECT, REQUESTS.c.seq > bindparam("after"), REQUESTS.c.expires_at > bindparam("now")
    )
)
_SELECT_END: Final = Prepared(
    select(EVENTS.c.seq)
    .where(
        EVENTS.c.subject_id == bindparam("subject"),
        EVENTS.c.seq > bindparam("after"),
        EVENTS.c.type == "subject_erased",
    )
    .limit(1)
)
EVERYTHING: Final = Request(
    wanted=None, in_turns=None, is_memory=False, session_id=None, of_every_agent=True, agent_id=None
)
"""What an erasure of the user asks of turns that were open; the log says it, and nothing is kept for it."""

_DELETE: Final = Prepared(
    delete(REQUESTS).where(_OF_SUBJECT, REQUESTS.c.expires_at <= bindparam("now"), is_unheld(REQUESTS))
)


class Found(NamedTuple):
    """Whose log a transaction found, and at which event it stood."""

    subject: int
    seq: int


class SQLRequests(Requests):
    """Keeps one subject's requests; what has expired goes with the next one, or by a sweep."""

    def __init__(
        self, connection: Connection, found: Found, scope: Scope, cipher: Cipher, clock: Callable[[], datetime]
    ) -> None:
        """Compose; nothing is read yet."""
        self._at = found.seq
        self._connection = connection
        self._subject = found.subject
        self._agent_id = scope.agent_id
        self._cipher = cipher
        self._clock = clock

    def put(self, seq: int, asked: Sequence[Asked]) -> None:
        """Keep what was asked."""
        if not asked:
            return
        key, now = token_bytes(_KEY_BYTES), self._clock()
        made = [Request.made(it, self._agent_id, _spelling(key)) for it in asked]
        sealed = self._cipher.seal(dump_own({"key": key.hex(), "asked": [*map(_stored, made)]}), _identity(seq))
        _DELETE.change(self._connection, [{"subject": self._subject, "now": micros(now)}])
        row = {"subject_id": self._subject, "seq": seq, "expires_at": micros(now + KEPT_FOR), "sealed": sealed}
        _INSERT.change(self._connection, [row])

    def since(self, seq: int) -> list[Request]:
        """Return what was asked after an event."""
        if self.is_ended_since(seq):
            return [EVERYTHING]
        place = {"subject": self._subject, "after": seq}
        found = _SELECT.rows(self._connection, {**place, "now": micros(self._clock())})
        return [it for at, sealed in found for it in _read(load(self._cipher.open(sealed, _identity(at))))]

    def is_ended_since(self, seq: int) -> bool:
        """Look at the events in between, where there are any."""
        if seq >= self._at:
            return False
        return bool(_SELECT_END.rows(self._connection, {"subject": self._subject, "after": seq}))


def _identity(seq: int) -> str:
    return f"request/{seq}"


def _spelling(key: bytes) -> Spelling:
    def digest(word: str) -> Hashable:
        return blake2b(word.encode("utf-8", "surrogatepass"), key=key, digest_size=_DIGEST_BYTES).hexdigest()

    return digest


def _stored(request: Request) -> dict[str, Any]:
    return {
        "wanted": _digests(request.wanted),
        "in_turns": _digests(request.in_turns),
        "is_memory": request.is_memory,
        "session": request.session_id,
        "of_every_agent": request.of_every_agent,
        "agent": request.agent_id,
    }


def _digests(wanted: Wanted | None) -> dict[str, Any] | None:
    if wanted is None:
        return None
    kept = {"words": wanted.words, "told": wanted.told, "own": wanted.own}
    listed = {name: sorted(map(str, each)) for name, each in kept.items() if each is not None}
    named = {} if wanted.attribute is None else {"attribute": _attribute(wanted.attribute)}
    asked = {"is_denied": wanted.is_denied, "is_claim": wanted.is_claim, "is_topic": wanted.is_topic}
    written = {name: sorted(map(str, each)) for name, each in wanted.written._asdict().items()}
    whose = {"is_anothers": wanted.is_anothers, "is_of_oneself": wanted.is_of_oneself, "is_of_day": wanted.is_of_day}
    return {**listed, **named, **asked, **whose, "kind": wanted.kind, "written": written}


def _attribute(wanted: AttributeWanted) -> dict[str, Any]:
    return {"name": wanted.attribute, "owner": sorted(map(str, wanted.owner)), "period": wanted.period}


def _read(stored: Mapping[str, Any]) -> list[Request]:
    spelling = _spelling(bytes.fromhex(stored["key"]))
    return [
        Request(
            wanted=_wanted(it["wanted"], spelling),
            in_turns=_wanted(it["in_turns"], spelling),
            is_memory=it["is_memory"],
            session_id=it["session"],
            of_every_agent=it["of_every_agent"],
            agent_id=it["agent"],
        )
        for it in stored["asked"]
    ]


def _wanted(digests: Mapping[str, Any] | None, spelling: Spelling) -> Wanted | None:
    if digests is None:
        return None
    words, told = frozenset(digests["words"]), frozenset(digests["told"])
    own = frozenset(digests["own"]) if "own" in digests else None
    is_claim = digests.get("is_claim", False)  # missing in what was stored before there was one
    named = digests.get("attribute")  # so is this, and where a request names none
    return Wanted(
        words=words,
        is_denied=digests["is_denied"],
        told=told,
        own=own,
        is_claim=is_claim,
        attribute=None if named is None else _attribute_wanted(named),
        is_topic=digests.get("is_topic", False),  # and these
        is_anothers=digests.get("is_anothers", False),
        kind=digests.get("kind"),
        is_of_oneself=digests.get("is_of_oneself", False),
        is_of_day=digests.get("is_of_day", False),
        written=AsWritten(**{name: frozenset(each) for name, each in digests.get("written", {}).items()}),
        spelling=spelling,
    )


def _attribute_wanted(named: Mapping[str, Any]) -> AttributeWanted:
    return AttributeWanted(attribute=named["name"], owner=frozenset(named["owner"]), period=named["period"])
