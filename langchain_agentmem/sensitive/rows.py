"""Sensitive data in rows of the ledger that stand beside the log: receipts, recorded runs, and what waits."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, or_, select, tuple_, update

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.codec import dump, load
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.job_states import DONE
from langchain_agentmem.ledger.sql.jobs import readable
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.sql.sealed import BESIDE_CHAIN, SealedTable
from langchain_agentmem.long_term.remove.ending import INGEST_JOB, TURN_JOB
from langchain_agentmem.long_term.said.handed import Handed
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.sensitive.messages import protect_message
from langchain_agentmem.sensitive.report import Found
from langchain_agentmem.sql.schema import JOBS, RECEIPTS, RUN_STEPS
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, Vault

PAGE: Final = 200
"""Rows read, or written, in one transaction."""

_SEALED: Final = {it.table: it for it in BESIDE_CHAIN}
_TABLES: Final[Mapping[Layer, SealedTable]] = {"receipts": _SEALED[RECEIPTS], "runs": _SEALED[RUN_STEPS]}
_NAMES: Final = frozenset("memory_id linked beside receipt_id run_id thread_id checkpoint_id parent_id task_id".split())
"""Keys that name things."""


class _Told(NamedTuple):
    """A row, by its key; what it says, and what it may say."""

    key: tuple[Any, ...]
    sealed: bytes
    made: dict[str, Any]
    types: tuple[str, ...]

    @property
    def name(self) -> str:
        return "/".join(map(str, self.key))


class RowScan:
    """Looks through one table of the ledger, whose rows each say JSON by themselves; an agent's own as in a recall.

    Args:
        layer: Which one.
        ledger: Where it is; it asks nobody.
        vault: Opens and seals it.
    """

    def __init__(self, layer: Layer, ledger: SQLLedger, vault: Vault) -> None:
        """Nothing is opened yet."""
        self.layer = layer
        self._ledger = ledger
        self._vault = vault
        self._sealed = _TABLES[layer]

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return rows that say what they may not."""
        found: list[_Told] = []
        pages = _Pages(self._sealed, scope, self.layer, policy, (yield from self._vault.cipher(owner_of(scope))))
        while not pages.is_last and len(found) < limit:
            found += yield from self._ledger.database.read(pages.read)
        return [Found(it.name, it.types, scope) for it in found[:limit]]

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Write each anew under its key, but those that somebody changed meanwhile."""
        wanted, changed = {it.id for it in found}, 0
        pages = _Pages(self._sealed, scope, self.layer, policy, (yield from self._vault.cipher(owner_of(scope))))
        while not pages.is_last:
            changed += yield from self._ledger.database.write(lambda it: pages.write(it, wanted))
        yield from self._ledger.scrub()
        return changed


@dataclass(slots=True)
class _Pages:
    """The rows of a user, some after the other, in the order of their keys."""

    sealed: SealedTable
    scope: Scope
    layer: Layer
    policy: SensitivePolicy
    cipher: Cipher
    after: tuple[Any, ...] | None = None
    is_last: bool = False

    def read(self, connection: Connection) -> list[_Told]:
        """Return those of the next rows that are to say something else."""
        subject = rows.find_subject(connection, owner_of(self.scope))
        if subject is None:
            self.is_last = True
            return []
        table, keys = self.sealed.table, [self.sealed.table.c[it] for it in self.sealed.keys]
        chosen = select(*keys, table.c.sealed).where(table.c.subject_id == subject.subject_id)
        if "agent_id" in table.c:
            chosen = chosen.where(or_(table.c.agent_id.is_(None), table.c.agent_id == self.scope.agent_id))
        if self.after is not None:
            last = (bindparam(None, it, type_=key.type) for it, key in zip(self.after, keys, strict=True))
            chosen = chosen.where(tuple_(*keys) > tuple_(*last))
        page = connection.execute(chosen.order_by(*keys).limit(PAGE)).all()
        self.is_last = len(page) < PAGE
        self.after = tuple(page[-1][:-1]) if page else self.after
        return list(self._told((tuple(row[:-1]), row.sealed) for row in page))

    def write(self, connection: Connection, wanted: set[str]) -> int:
        """Let those of the next rows say it that are wanted; return how many do."""
        table, changed = self.sealed.table, 0
        for it in self.read(connection):
            if it.name in wanted:
                here = [table.c[name] == value for name, value in zip(self.sealed.keys, it.key, strict=True)]
                subject = rows.find_subject(connection, owner_of(self.scope))
                mine = [] if subject is None else [table.c.subject_id == subject.subject_id]
                anew = self.cipher.seal(dump(it.made), self._identity(it.name))
                statement = update(table).where(*mine, *here, table.c.sealed == it.sealed).values(sealed=anew)
                changed += connection.execute(statement).rowcount
        return changed

    def _told(self, found: Iterator[tuple[tuple[Any, ...], bytes]]) -> Iterator[_Told]:
        for key, sealed in found:
            said = load(self.cipher.open(sealed, self._identity("/".join(map(str, key)))))
            protector = Protector(self.policy, self.layer, None)
            made = protector.mapping(said, _NAMES)
            if protector.found:
                yield _Told(key, sealed, made, tuple(protector.found))

    def _identity(self, name: str) -> str:
        return f"{self.sealed.words['sealed']}/{name}"


class JobScan:
    """Looks through conversations that were handed over, and turns whose consequences wait."""

    layer: Layer = "jobs"

    def __init__(self, ledger: SQLLedger, vault: Vault) -> None:
        """Nothing is opened yet."""
        self._ledger = ledger
        self._vault = vault

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return jobs that carry what they may not."""
        cipher = yield from self._vault.cipher(owner_of(scope))

        def look(connection: Connection) -> list[Found]:
            found: list[Found] = []
            for job_id, kind, payload in _waiting(connection, owner_of(scope)):
                protector = Protector(policy, "jobs", None)
                _reworded(kind, _words(payload, cipher), protector)
                if protector.found:
                    found.append(Found(str(job_id), tuple(protector.found), scope))
            return found[:limit]

        return (yield from self._ledger.database.read(look))

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Let every job that waits carry what it may; one that is being done is begun anew, by whoever comes next."""

        def change(writer: LedgerWriter) -> int:
            def reworder(kind: str) -> Callable[[bytes], bytes]:
                return lambda words: _reworded(kind, words, Protector(policy, "jobs", None))

            return sum(writer.redact_jobs(kind, reworder(kind)) for kind in (INGEST_JOB, TURN_JOB))

        changed = yield from self._ledger.append(scope, change)
        yield from self._ledger.scrub()
        return changed


def _waiting(connection: Connection, owner: Scope) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Give number, kind and payload of every job of a user's that carries words."""
    subject = rows.find_subject(connection, owner)
    if subject is None:
        return
    mine = JOBS.c.subject_id == subject.subject_id, JOBS.c.kind.in_((INGEST_JOB, TURN_JOB)), JOBS.c.status != DONE
    for job_id, kind, kept in connection.execute(select(JOBS.c.job_id, JOBS.c.kind, JOBS.c.payload).where(*mine)):
        payload = readable(kept)
        if payload is not None and "sealed" in payload:
            yield job_id, kind, payload


def _words(payload: Mapping[str, Any], cipher: Cipher) -> bytes:
    return cipher.open(b64decode(payload["sealed"]), f"job/{payload['name']}")


def _reworded(kind: str, words: bytes, protector: Protector) -> bytes:
    """Return what a job carries, as it may; the very same bytes where nothing is to be changed."""
    note, _, packed = words.partition(b"\n") if kind == TURN_JOB else (b"", b"", words)
    handed = Handed.unpack(packed)
    made = replace(handed, messages=[protect_message(it, protector) for it in handed.messages])
    told = protector.value(json.loads(note)) if note else None
    if not protector.found:
        return words
    return made.pack() if told is None else json.dumps(told).encode() + b"\n" + made.pack()
