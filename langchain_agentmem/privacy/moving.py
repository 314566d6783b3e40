"""Exports and imports of users: every layer, as lines of JSON."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import AgentMemError, ConfigurationError, IntegrityError, ScopeError
from langchain_agentmem.ledger.base import Draft, Head, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.standing import check_not_erasing
from langchain_agentmem.privacy import lines
from langchain_agentmem.privacy.admitting import answers, told_consent
from langchain_agentmem.privacy.graph_layers import ThreadLayer
from langchain_agentmem.privacy.layers import Layer, Record, Restored
from langchain_agentmem.privacy.records import Export, Import
from langchain_agentmem.transfer.sealed import NewFile
from langchain_agentmem.types import Scope

Target: TypeAlias = str | os.PathLike[str] | IO[Any] | None
CONSENT: Final = "consent"
PROFILE: Final = "profile"
ON_REDIS: Final = "_redis"
"""How a layer ends whose records go, in an import, to wherever the memory keeps such things now."""

BESIDE: Final = frozenset({CONSENT, PROFILE})


class Moving:
    """Exports and imports users.

    Args:
        ledger: Where the log is.
        layers: Everything that stores something of users.
        profile: Returns what the profile of a user says.
        index: Makes episodes of conversations that were imported.
        clock: Gives the time, aware UTC.
    """

    def __init__(
        self,
        ledger: SQLLedger,
        layers: Sequence[Layer],
        profile: Callable[[Scope], Flow[Mapping[str, Any]]],
        index: Callable[[Scope], Flow[Any]],
        clock: Callable[[], datetime],
    ) -> None:
        """Nothing is opened yet."""
        self._ledger = ledger
        self._layers = tuple(layers)
        self._profile = profile
        self._index = index
        self._clock = clock

    # ----------------------------------------------------------------------------------------------------------- export
    def export(self, scope: Scope, target: Target) -> Flow[Export]:
        """Write all layers of a user, and then say so in the log."""
        check_target(target)
        owner, at = owner_of(scope), self._clock()
        check_not_erasing((yield from self._ledger.read(owner, _head)))
        records = {CONSENT: (yield from self._consent(owner))}
        for layer in self._layers:
            records[layer.name] = yield from layer.export(owner)
        records[PROFILE] = [Record("shared", (yield from self._profile(owner)))]
        written, digest = yield from work(lines.write, owner, at, records)
        path = yield from work(_put, target, written)
        counts = {name: len(found) for name, found in records.items()}
        note = {"counts": counts, "sha256": digest}
        yield from self._ledger.append(owner, lambda writer: writer.append(Draft(type="exported", note=note)))
        data = b"".join(written) if target is None else None
        return Export(scope=owner, at=at, counts=counts, sha256=digest, path=path, data=data)

    def verify(self, path: Path) -> Flow[Export]:
        """Read a file from end to end."""
        found = yield from work(lines.read, path)
        return Export(scope=found.scope, at=found.at, counts=found.counts, sha256=found.sha256, path=path)

    def _consent(self, scope: Scope) -> Flow[list[Record]]:
        return [told_consent((yield from self._ledger.read(scope, _head)).consent)]

    # ----------------------------------------------------------------------------------------------------------- import
    def take(self, path: Path, scope: Scope, as_: Scope | None) -> Flow[Import]:
        """Check everything, and then write layer after layer what is not there."""
        found = yield from work(lines.read, path)
        owner = _target(found.scope, scope, as_)
        check_not_erasing((yield from self._ledger.read(owner, _head)))
        plans = self._plans(found, owner)
        consent = _answers(found.records.get(CONSENT, ()))
        done = {CONSENT: (yield from self._restore_consent(owner, consent))}
        for name, plan in plans.items():
            done[name] = yield from plan
        for agent in _pointing(found.records.get("episodes", ())):
            yield from self._index(replace(owner, agent_id=agent))
        note = {"counts": {name: it.added for name, it in done.items()}, "sha256": found.sha256}
        if any(it.added for it in done.values()):
            yield from self._ledger.append(owner, lambda writer: writer.append(Draft(type="imported", note=note)))
        return Import(scope=owner, layers=done)

    def _plans(self, found: lines.Lines, owner: Scope) -> dict[str, Flow[Restored]]:
        """Return what writes each layer, in the layers' order turned round; every record has been looked at."""
        known = {_kind(layer.name): layer for layer in self._layers}  # the last one is where such things are kept now
        unknown = {_kind(name) for name in found.records} - known.keys() - BESIDE
        if unknown:
            msg = f"the export has layers that this memory does not know: {', '.join(sorted(unknown))}; upgrade it"
            raise ConfigurationError(msg)
        plans: dict[str, Flow[Restored]] = {}
        for kind, layer in reversed(known.items()):
            records = [it for name, every in found.records.items() if _kind(name) == kind for it in every]
            plans[kind] = _planned(layer, owner, records)
        return plans

    def _restore_consent(self, scope: Scope, told: Sequence[Draft]) -> Flow[Restored]:
        """Record what was allowed, where nothing is known of that."""

        def record(writer: LedgerWriter) -> int:
            if writer.head.consent.status != "unknown":
                return 0
            for draft in told:
                writer.append(draft)
            return 1

        added = (yield from self._ledger.append(scope, record)) if told else 0
        return Restored(added=added, present=bool(told) - added)


def check_target(target: object) -> None:
    """Raise `ConfigurationError` unless an export can be written there."""
    if target is not None and not isinstance(target, str | os.PathLike) and not hasattr(target, "write"):
        msg = f"path_or_file must be a path, a file or None, got {type(target).__name__}; for example 'alice.jsonl'"
        raise ConfigurationError(msg)


def _head(reader: LedgerReader) -> Head:
    return reader.head


def _kind(name: str) -> str:
    return name.removesuffix(ON_REDIS)


def _target(found: Scope, scope: Scope, as_: Scope | None) -> Scope:
    owner = owner_of(scope)
    if found != owner:
        msg = (
            f"the export is of user {found.user_id!r} of tenant {found.tenant_id!r}, not of {owner.user_id!r} of "
            f"{owner.tenant_id!r}; name that user as scope=, and with as_= who is to have it"
        )
        raise ScopeError(msg)
    return owner if as_ is None else owner_of(as_)


def _planned(layer: Layer, owner: Scope, records: Sequence[Record]) -> Flow[Restored]:
    try:
        return layer.restore(owner, records)
    except (AgentMemError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ConfigurationError) and isinstance(layer, ThreadLayer):
            raise  # it names the class that is not allowed, and the remedy
        msg = f"a record of layer {layer.name!r} cannot be read ({type(error).__name__}); export it again"
        raise IntegrityError(msg) from error


def _answers(records: Sequence[Record]) -> list[Draft]:
    try:
        return answers(records)
    except (AgentMemError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        msg = f"a record of layer {CONSENT!r} cannot be read ({type(error).__name__}); export it again"
        raise IntegrityError(msg) from error


def _pointing(records: Sequence[Record]) -> list[str | None]:
    """Return the agents of turns whose words are in conversations: they are made anew from those."""
    return list({it.data.get("agent_id"): None for it in records if it.data.get("is_in_conversation")})


def _put(target: Target, written: Sequence[bytes]) -> Path | None:
    if target is None:
        return None
    if not isinstance(target, str | os.PathLike):
        for line in written:
            target.write(line.decode() if isinstance(target, io.TextIOBase) else line)
        return None
    path = Path(target)
    file = NewFile(path)
    try:
        for line in written:
            file.write(line)
        file.finish()
    finally:
        file.discard()
    return path
