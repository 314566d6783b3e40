"""Working states on SQLite and PostgreSQL."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple, Unpack

from sqlalchemy import Connection, Row

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.ledger.codec import EPOCH, from_micros, to_micros
from langchain_agentmem.policies.working import stamped
from langchain_agentmem.sessions.base import check_number, check_owner, check_session
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Transaction
from langchain_agentmem.states.base import DEFAULT_PAGE, Apply, States, StoredState
from langchain_agentmem.states.form import Place, Times, listed, seal, unseal
from langchain_agentmem.states.options import WorkingOptions, WorkingSettings, read_settings
from langchain_agentmem.states.sql import rows
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingSession, WorkingState
from langchain_agentmem.vault.base import Cipher, Vault, is_sealing, use_database, vault_of


class SQLStates(States):
    """Working states in one SQL database: a row each, changed in a transaction that locks it.

    Args:
        database: Where the tables are.
        vault: Seals states and their titles; by default nothing is encrypted.
        settings: Fields of `WorkingOptions`.
    """

    def __init__(self, database: Database, *, vault: Vault | None = None, **settings: Unpack[WorkingSettings]) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._vault = vault_of(vault)
        use_database(database, "working", self._vault)
        self._options = read_settings(settings)

    def read(self, scope: Scope, *, prolongs: bool = True) -> Flow[StoredState | None]:
        """Read the row, and where reading prolongs and it is time, write its end."""
        values = self._values(scope)
        cipher = yield from self._vault.cipher(scope)
        found = yield from self.database.read_prepared(lambda connection: rows.SELECT.rows(connection, values))
        stored = [tuple(row[:-1]) for row in found]
        if found and prolongs and self._options.is_due(timedelta(microseconds=found[0][-1] - values["now"])):
            refreshed = {**values, "new_expiry": self._options.expiry(values["now"])}
            with suppress(StorageError):  # another read will
                stored = yield from self.database.write_prepared(lambda it: rows.REFRESH.rows(it, refreshed))
        return next((_stored(row, cipher, values["session"]) for row in stored), None)

    def change(self, scope: Scope, apply: Apply, *, erases: bool = False) -> Flow[StoredState]:
        """Read, apply and write in one transaction; then, where it erases, do as `delete`."""
        values = self._values(scope)
        cipher = yield from self._vault.cipher(scope)
        change = _Change(values, cipher, apply, self._options)
        if not erases:
            return (yield from self.database.write_prepared(change.run))
        stored = yield from self.database.erase(change.run)
        yield from self.database.scrub_erased()
        return stored

    def delete(self, scope: Scope, *, known: WorkingState | None = None) -> Flow[bool]:
        """Delete the row, then empty the write-ahead log of SQLite, so that no file holds the text.

        Where somebody is reading, that fails; it is done by the next call, or the next sweep.
        """
        values = self._values(scope)
        was_live = yield from self.database.erase(partial(_delete, values=values, known=known))
        yield from self.database.scrub_erased()
        return was_live

    def sessions(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[WorkingSession]]:
        """List one page by the index."""
        check_owner(scope)
        values = {**_names(scope), "now": self._now(), "limit": check_number("limit", limit)}
        if before is not None:
            values |= {"at": to_micros(before.at), "last": before.session_id}
        statement = rows.sessions(is_anonymous=scope.is_anonymous, is_continued=before is not None)
        cipher = yield from self._vault.cipher(scope)
        found = yield from self.database.read(lambda connection: connection.execute(statement, values).all())
        return [_listed(row, cipher) for row in found]

    def cipher(self, scope: Scope) -> Flow[Cipher | None]:
        """Ask the vault, where there is one."""
        return (yield from self._vault.cipher(scope)) if is_sealing(self._vault) else None

    def sweep(self) -> Flow[int]:
        """Delete a hundred states per transaction, then empty the write-ahead log of SQLite."""
        sweep = partial(_sweep, values={"now": self._now()})
        swept = batch = yield from self.database.erase(sweep)
        while batch == rows.SWEEP_BATCH:
            batch = yield from self.database.erase(sweep)
            swept += batch
        yield from self.database.scrub_erased()
        return swept

    def _values(self, scope: Scope) -> dict[str, Any]:
        check_session(scope)
        return {**_names(scope), "now": self._now()}

    def _now(self) -> int:
        return to_micros(self._options.clock()) or 0


class _Change(NamedTuple):
    """One transaction that changes a state."""

    values: dict[str, Any]
    cipher: Cipher
    apply: Apply
    options: WorkingOptions

    def run(self, connection: Transaction) -> StoredState:
        now = self.values["now"]
        rows.BEGIN.change(connection, [{**self.values, "nothing": b""}])
        [(ref, version, sealed, accesses, expires_at, used_at, began_at)] = rows.LOCK.rows(connection, self.values)
        is_there = expires_at > now
        before = unseal(sealed, self.cipher, _place(ref, version, self.values["session"])) if is_there else None
        state = stamped(before, self.apply(before), from_micros(now) or EPOCH)
        accesses = accesses + 1 if before else 1
        written = seal(state, self.cipher, _place(ref, state.version, self.values["session"]))
        values = {
            "ref": ref,
            "new_version": state.version,
            "new_accesses": accesses,
            "began_at": began_at if before else now,
            "used_at": max(used_at, now) if before else now,  # clocks of several machines differ: never go back
            "new_expiry": self.options.expiry(now),
            "new_title": written.title,
            "new_sealed": written.state,
        }
        rows.SET.change(connection, [values])
        return StoredState(state, accesses)


def _delete(connection: Transaction, values: dict[str, Any], known: WorkingState | None) -> bool:
    """Delete the row, if its state is the one that is known; return whether there was one that had not expired."""
    for ref, version, _, _, expires_at, _, began_at in rows.LOCK.rows(connection, values):
        if known is None or (version, began_at) == (known.version, to_micros(known.started_at)):
            rows.DELETE.change(connection, [{"ref": ref}])
            return bool(expires_at > values["now"])
    return False


def _sweep(connection: Connection, values: dict[str, Any]) -> int:
    refs = list(connection.execute(rows.FIND_EXPIRED, values).scalars())
    return int(connection.execute(rows.SWEEP, {"refs": refs}).rowcount)


def _stored(row: tuple[Any, ...], cipher: Cipher, session_id: str) -> StoredState:
    ref, version, sealed, accesses = row
    return StoredState(unseal(sealed, cipher, _place(ref, version, session_id)), accesses)


def _listed(row: Row[*tuple[Any, ...]], cipher: Cipher) -> WorkingSession:
    times = Times(row.created_at, row.last_used_at, row.accesses)
    return listed(row.session_id, row.title, cipher, _place(row.state_ref, row.version, row.session_id), times)


def _place(ref: int, version: int, session_id: str) -> Place:
    return Place(str(ref), version, session_id)


def _names(scope: Scope) -> dict[str, Any]:
    return {"tenant": scope.tenant_id, "user": scope.user_id, "session": scope.session_id}
