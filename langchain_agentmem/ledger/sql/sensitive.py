"""Sensitive values in a transaction of the SQL ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from sqlalchemy import Connection, and_, bindparam, delete, or_, select

from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.ledger.base import Draft
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sensitive import SensitiveRows
from langchain_agentmem.ledger.sql import rows, upserts
from langchain_agentmem.ledger.sql.sealed import name_of
from langchain_agentmem.sql.schema import MEMORIES, TOKENS
from langchain_agentmem.types import Event, Memory
from langchain_agentmem.vault.base import Cipher

RULE: Final = "sensitive_data"

_OF_SUBJECT: Final = TOKENS.c.subject_id == bindparam("subject")
_OF_MEMORY: Final = and_(MEMORIES.c.subject_id == TOKENS.c.subject_id, MEMORIES.c.memory_id == TOKENS.c.holder)
_IS_SEEN: Final = or_(MEMORIES.c.agent_id.is_(None), MEMORIES.c.agent_id == bindparam("agent"))
_SELECT: Final = (  # of a memory, where it is seen; conversations and states are all of the user's agents'
    select(TOKENS.c.sealed, TOKENS.c.holder)
    .select_from(TOKENS.outerjoin(MEMORIES, _OF_MEMORY))
    .where(_OF_SUBJECT, TOKENS.c.token == bindparam("wanted"), _IS_SEEN)
    .limit(1)
)
_OF_HOLDER: Final = and_(_OF_SUBJECT, TOKENS.c.holder == bindparam("held_by"))
_HELD: Final = select(TOKENS.c.token).where(_OF_HOLDER)
_DELETE: Final = delete(TOKENS).where(_OF_HOLDER, TOKENS.c.token == bindparam("gone"))


class _Writer(Protocol):
    """What is needed of the transaction."""

    def memory(self, memory_id: str) -> Memory | None: ...

    def append(self, draft: Draft) -> Event: ...


class SQLSensitiveRows(SensitiveRows):
    """Keeps one subject's values, a row for each token and holder."""

    def __init__(
        self, writer: _Writer, connection: Callable[[], Connection], subject: int, agent: str | None, cipher: Cipher
    ) -> None:
        """Compose; nothing is read yet. What the writer holds back is written before, by asking for the connection."""
        self._agent = agent
        self._writer = writer
        self._connection = connection
        self._subject = subject
        self._cipher = cipher

    def put(self, holder: str, tokens: Mapping[str, str]) -> None:
        """Insert what is new."""
        for token, value in tokens.items():
            sealed = self._cipher.seal(value.encode("utf-8", "surrogatepass"), token_name(token, holder))
            row = {"subject_id": self._subject, "token": token, "holder": holder, "sealed": sealed}
            connection = self._connection()
            connection.execute(upserts.insert_or_ignore(connection.dialect.name, TOKENS), row)

    def value(self, token: str) -> str | None:
        """Look it up."""
        values = {"subject": self._subject, "wanted": token, "agent": self._agent}
        found = self._connection().execute(_SELECT, values).one_or_none()
        if found is None:
            return None
        return self._cipher.open(found.sealed, token_name(token, found.holder)).decode("utf-8", "surrogatepass")

    def drop(self, holder: str, *, left: str = "") -> int:
        """Delete by holder."""
        connection, of_holder = self._connection(), {"subject": self._subject, "held_by": holder}
        held = connection.execute(_HELD, of_holder).scalars()
        gone = [{**of_holder, "gone": it} for it in held if it not in left]
        return int(connection.execute(_DELETE, gone).rowcount) if gone else 0

    def clean(self, memory_id: str, changes: Mapping[str, Any], note: Mapping[str, Any]) -> Event:
        """Append a whole memory, and delete what was said of it before."""
        current = self._writer.memory(memory_id)
        if current is None:
            msg = f"memory {memory_id!r} does not exist in this scope, or is erased; `list` shows what does"
            raise NotFoundError(msg)
        whole = {**fields_of(current), **changes}
        event = self._writer.append(Draft(type="cleaned", memory_id=memory_id, changes=whole, note=note, rule=RULE))
        values = {"subject": self._subject, "id": memory_id, "before": event.seq}
        self._connection().execute(rows.DELETE_PAYLOADS_OF_MEMORY, values)
        return event


def token_name(token: str, holder: str) -> str:
    """Return what a value is sealed as: one that is given to another holder, whom others see, does not open."""
    return name_of("token", (token, holder))
