"""Sensitive values in a transaction of the SQL ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, or_, select

from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.ledger.presence import must_have
from langchain_agentmem.ledger.sensitive import SensitiveRows
from langchain_agentmem.ledger.sql import rows, upserts
from langchain_agentmem.ledger.sql.sealed import name_of
from langchain_agentmem.sql.schema import MEMORIES, TOKENS
from langchain_agentmem.types import Event
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


class SQLSensitiveRows(SensitiveRows):
    """Keeps one subject's values, a row for each token and holder."""

    def __init__(
        self,
        writer: LedgerWriter,
        connection: Callable[[], Connection],
        subject: int,
        agent: str | None,
        cipher: Cipher,
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

    def clean(self, memory_id: str, changes: Mapping[str, Any], reason: str, masked: Callable[[str], str]) -> Event:
        """Append a whole memory and its life, and delete what was said of it before."""
        whole = {**fields_of(must_have(self._writer, memory_id)), **changes}
        note = {**read_life(self._writer, memory_id).note(masked), "reason": reason}
        event = self._writer.append(Draft(type="cleaned", memory_id=memory_id, changes=whole, note=note, rule=RULE))
        values = {"subject": self._subject, "id": memory_id, "before": event.seq}
        self._connection().execute(rows.DELETE_PAYLOADS_OF_MEMORY, values)
        return event


def token_name(token: str, holder: str) -> str:
    """Return what a value is sealed as: one that is given to another holder, whom others see, does not open."""
    return name_of("token", (token, holder))
