"""What is stored of a user, asked anew of every layer; and what stays where, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import IntegrityError, RetentionError
from langchain_agentmem.ledger.base import Head, LedgerReader
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.privacy.erasing import LEFT, last_event
from langchain_agentmem.privacy.layers import Layers
from langchain_agentmem.privacy.records import LayerReport, PrivacyReport
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.vault.base import NullVault, Vault

CHAIN: Final = (
    "the log: ids of tenant and user, and of each event its number, type, time, rule and memory id, with commitments "
    "that say nothing without what they were made of; they prove that nothing was rewritten"
)
SQLITE: Final = (
    "the SQLite files hold nothing of it: the file was written anew since anything was erased, and its log emptied"
)
MARKED: Final = (
    "something was erased since the SQLite file was written anew, which is done within a day: until then free parts of "
    "its pages may hold copies of rows"
)
POSTGRES: Final = (
    "PostgreSQL keeps dead rows in its files until it vacuums them, and older states in its write-ahead log, its "
    "archives and its replicas until these move on"
)
REDIS: Final = (
    "Redis keeps deleted keys in its append-only file until that is rewritten, and in snapshots until the next one; "
    "for a day a key without content keeps late copies of the profile out"
)
STORE: Final = "the vector store frees what it deleted by its own maintenance"
BACKUPS: Final = "backups hold what they held: let them age out, or restore and erase again"
KEYS_LEFT: Final = (
    "the keys that the user has sealed nothing of what was erased here; they were left: another copy of the database, "
    "or a backup, may need them; privacy.erase(scope, all_keys=True) destroys these too, and nobody reads what they "
    "sealed, wherever it is"
)
UNREADABLE: Final = "whatever stays in files and backups cannot be read any more: its key was destroyed"
HELD: Final = (
    "a legal hold stands: memories, turns of conversations, receipts and the log are kept; conversations, threads, "
    "working states and items of the store still end when their time comes, or when the application deletes them"
)


class Reporting:
    """Makes reports.

    Args:
        ledger: Where the log is.
        vault: Whether there is a key to destroy.
        layers: Makes everything that stores something of users.
        clock: Gives the time, aware UTC.
    """

    def __init__(self, ledger: SQLLedger, vault: Vault, layers: Layers, clock: Callable[[], datetime]) -> None:
        """Nothing is opened yet."""
        self._ledger = ledger
        self._vault = vault
        self._layers = layers
        self._clock = clock

    def report(self, scope: Scope, before: Sequence[str] = ()) -> Flow[PrivacyReport]:
        """Ask every layer, and the log whether the user was erased.

        Of whom the log says that they were, or says nothing, it is to tell that nothing is there: what no index leads
        to is looked for as well.

        Args:
            scope: Whose.
            before: What was found without a head before an erasure gave the user one.
        """
        owner = owner_of(scope)
        head = yield from self._ledger.read(owner, lambda reader: reader.head)
        event = yield from self._end_of(owner)
        erased: Mapping[str, int] = {} if event is None else event.note.get("erased", {})
        is_proof = event is not None or not head.seq  # that nothing is there
        found, unclaimed = [], []
        for layer in self._layers(owner if is_proof else None):
            unclaimed.append((yield from layer.unclaimed(owner)))
            count = yield from layer.count(owner)
            was = erased.get(layer.name)
            remains = layer.remains if count or was or (event is not None and was is None) else ""
            found.append(LayerReport(name=layer.name, count=count, before=was, remains=remains))
        left = (KEYS_LEFT,) if event is not None and event.note.get(LEFT) else ()
        is_known = head.seq > 0 or any(it.count for it in found)
        status = _status(head, is_erased=event is not None) if is_known else "unknown"
        return PrivacyReport(
            scope=owner,
            at=self._clock(),
            status=status,
            layers=tuple(found),
            remains=(*(yield from self._remains(status, found)), *left, *filter(None, unclaimed)),
            digest=head.digest.hex(),
            problems=tuple(dict.fromkeys((*before, *(yield from self._ledger.strays(owner))))),
        )

    def strays(self, scope: Scope) -> Flow[tuple[str, ...]]:
        """Return what may be the user's and no head leads to."""
        return self._ledger.strays(scope)

    def _end_of(self, scope: Scope) -> Flow[Event | None]:
        def end(reader: LedgerReader) -> Event | None:
            return last_event(reader, "subject_erased")

        try:
            return (yield from self._ledger.read(scope, end))
        except (IntegrityError, RetentionError):
            return None

    def _remains(self, status: str, layers: Sequence[LayerReport]) -> Flow[tuple[str, ...]]:
        if status == "held":
            return (HELD,)
        if status != "erased":
            return ()
        database = self._ledger.database
        ours = MARKED if (yield from database.unscrubbed()) else SQLITE
        files = ours if database.is_sqlite else POSTGRES
        elsewhere = dict.fromkeys(it.remains for it in layers if it.remains)
        backups = BACKUPS if isinstance(self._vault, NullVault) else UNREADABLE
        return (CHAIN, files, *elsewhere, backups)


def _status(head: Head, *, is_erased: bool) -> str:
    if head.is_erasing:
        return "erasing"
    if head.is_held:
        return "held"
    return "erased" if is_erased else "stored"
