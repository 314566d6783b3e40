"""Exports and imports of users: every layer, as lines of JSON, some of them in memory at a time."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError
from langchain_agentmem.ledger.base import Draft, LedgerWriter, head_of
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.standing import check_not_erasing
from langchain_agentmem.privacy.admitting import answers, told_consent
from langchain_agentmem.privacy.graph_layers import ThreadLayer
from langchain_agentmem.privacy.layers import Layer, Layers, LeftOut, Record, Records, Restored
from langchain_agentmem.privacy.leaving import Screened, left_out
from langchain_agentmem.privacy.ledger_layers import known_memories
from langchain_agentmem.privacy.lines import Form, Found, form_of
from langchain_agentmem.privacy.looking import WRONG, Expect, look_through
from langchain_agentmem.privacy.meeting import Standing, standing
from langchain_agentmem.privacy.records import Export, Import
from langchain_agentmem.privacy.writing import About, Target, Writing, check_target, draft_at
from langchain_agentmem.transfer.envelope import Envelope
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Vault, is_sealing

CONSENT: Final = "consent"
PROFILE: Final = "profile"
ON_REDIS: Final = "_redis"
"""How a layer ends whose records go, in an import, to wherever the memory keeps such things now."""

NO_VAULT: Final = "there is no vault to seal an export with; open the memory with vault=, or pass sealed=False"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What exports and imports need beside layers.

    Attributes:
        profile: Returns what the profile of a user says.
        index: Makes episodes of conversations that were imported. `embed`: gives vectors to what has none.
        clock: Gives the time, aware UTC. `new_id`: an id that nothing else has.
        is_silence_consent: Whether who said nothing allows everything: then what a file tells of consent only narrows.
    """

    profile: Callable[[Scope], Flow[Mapping[str, Any]]]
    index: Callable[[Scope], Flow[Any]]
    embed: Callable[[Scope], Flow[None]]
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    is_silence_consent: bool


class Moving:
    """Exports and imports users.

    Args:
        ledger: Where the log is.
        vault: Seals exports, and opens them.
        layers: Makes everything that stores something of users.
        beside: What else is needed.
    """

    def __init__(self, ledger: SQLLedger, vault: Vault, layers: Layers, beside: Beside) -> None:
        """Nothing is opened yet."""
        self._ledger = ledger
        self._vault = vault
        self._layers = layers
        self._known = {_kind(it.name): it for it in layers()}  # of two of a kind: where such things are kept now
        self._beside = beside

    # ----------------------------------------------------------------------------------------------------------- export
    def export(self, scope: Scope, target: Target, *, sealed: bool | None) -> Flow[Export]:
        """Write all layers of a user, and say so in the log: no file is there that no log tells of."""
        check_target(target)
        is_sealed = self._seals(sealed=sealed)
        owner = owner_of(scope)
        about = About(scope=owner, at=self._beside.clock(), export_id=self._beside.new_id())
        check_not_erasing((yield from self._ledger.read(owner, head_of)))
        envelope = (yield from self._envelope(owner, about.export_id)) if is_sealed else None
        held = io.BytesIO()
        draft = yield from work(draft_at, target, held)
        try:
            writing = Writing(draft, envelope)
            yield from self._write(writing, about)
            digest, counts = (yield from work(writing.finish)), dict(writing.counts)
            note = {"counts": counts, "sha256": digest, "export": about.export_id, "sealed": is_sealed}
            noting = self._ledger.append(owner, lambda writer: writer.append(Draft(type="exported", note=note)))
            yield from unasked_flow(owner, noting)
            yield from work(draft.finish)
        finally:
            draft.discard()
        return Export(
            scope=owner,
            at=about.at,
            counts=counts,
            sha256=digest,
            id=about.export_id,
            is_sealed=is_sealed,
            path=Path(target) if isinstance(target, str | os.PathLike) else None,
            data=held.getvalue() if target is None else None,
        )

    def verify(self, path: Path, scope: Scope | None) -> Flow[Export]:
        """Read a file from end to end; one that is sealed is opened where it is said whose it is."""
        form = yield from work(form_of, path)
        envelope = None
        if form.is_sealed and scope is not None:
            envelope = yield from self._envelope(owner_of(scope), form.export_id)
        whose = Expect() if scope is None else Expect(whose=lambda found: _check_whose(found, scope))
        found = yield from work(look_through, form, envelope, whose)
        return Export(
            scope=found.scope,
            at=found.at,
            counts=found.counts,
            sha256=found.sha256,
            id=found.export_id,
            is_sealed=form.is_sealed,
            path=path,
        )

    def _seals(self, *, sealed: bool | None) -> bool:
        has_vault = is_sealing(self._vault)
        if sealed and not has_vault:
            raise ConfigurationError(NO_VAULT)
        return has_vault if sealed is None else sealed

    def _envelope(self, owner: Scope, export_id: str) -> Flow[Envelope]:
        return Envelope((yield from self._vault.cipher(owner)), export_id)

    def _write(self, writing: Writing, about: About) -> Flow[None]:
        yield from work(writing.begin, about)

        def written(layer: str, records: Sequence[Record]) -> Flow[None]:
            yield from work(writing.records, layer, records)

        head = yield from self._ledger.read(about.scope, head_of)
        yield from written(CONSENT, [told_consent(head.consent)])
        for layer in self._layers(about.scope):
            yield from written(layer.name, ())
            yield from layer.export(about.scope, lambda records, name=layer.name: written(name, records))  # type: ignore[misc]  # a default of its own
        yield from written(PROFILE, [Record("shared", (yield from self._beside.profile(about.scope)))])

    # ----------------------------------------------------------------------------------------------------------- import
    def take(self, path: Path, scope: Scope, as_: Scope | None, *, trusts_consent: bool = False) -> Flow[Import]:
        """Check everything, and then write layer after layer what is not there.

        That somebody consented is believed of a file which only the key of the same user could have sealed.
        """
        owner = owner_of(scope if as_ is None else as_)
        check_not_erasing((yield from self._ledger.read(owner, head_of)))
        form = yield from work(form_of, path)
        found = yield from self._looked_through(form, scope, owner)
        known = self._known
        for kind, layer in known.items():
            yield from work(_look_at_all, form, layer, owner, _of(found, kind))
        consent = yield from work(_consent_in, found)
        is_own = form.is_sealed and owner == owner_of(scope)
        is_believed = is_own or trusts_consent or self._beside.is_silence_consent
        done = {CONSENT: (yield from self._restore_consent(owner, consent, is_believed=is_believed))}
        done |= yield from self._restore_layers(owner, found)
        yield from self._follow(owner, found)
        note = {"counts": {name: it.added for name, it in done.items()}, "sha256": found.sha256}
        if any(it.added for it in done.values()):
            told = {**note, "export": found.export_id}
            yield from self._ledger.append(owner, lambda writer: writer.append(Draft(type="imported", note=told)))
        return Import(scope=owner, layers=done, export_id=found.export_id)

    def _looked_through(self, form: Form, scope: Scope, owner: Scope) -> Flow[Found]:
        if form.is_sealed and not is_sealing(self._vault):
            msg = (
                "the export is sealed; open the memory with the vault that its user's key is in, or export sealed=False"
            )
            raise ConfigurationError(msg)
        envelope = (yield from self._envelope(owner_of(scope), form.export_id)) if form.is_sealed else None
        known = self._known

        def look(name: str) -> Callable[[Record], None]:
            if name == CONSENT:
                return lambda record: _ignore(answers([record]))
            if name == PROFILE:
                return lambda _: None
            layer = known.get(_kind(name))
            if layer is None:
                msg = f"the export has a layer {name!r} that this memory does not know; upgrade it"
                raise ConfigurationError(msg)
            return lambda record: layer.check(owner, record)

        def is_grouped(name: str) -> bool:
            layer = known.get(_kind(name))
            return layer is not None and layer.is_grouped

        expect = Expect(whose=lambda found: _check_whose(found, scope), layer=look, grouped=is_grouped)
        return (yield from work(look_through, form, envelope, expect))

    def _restore_layers(self, owner: Scope, found: Found) -> Flow[dict[str, Restored]]:
        """Write what the layers have, memories and turns first; of what is left out of them, nothing else comes."""
        done: dict[str, Restored] = {}
        left: LeftOut | None = None
        standing_here = partial(standing, known_memories(self._ledger, self._vault), owner, Standing(Relations()))
        for kind, layer in reversed(self._known.items()):
            records, screen = _of(found, kind), layer.screen
            if screen is None:
                done[kind] = yield from layer.restore(owner, records)
                continue
            left = left or (yield from left_out(self._ledger, owner, partial(_of, found), standing_here))
            screened = Screened(records, screen, left)
            restored = yield from layer.restore(owner, screened)
            done[kind] = restored.and_(Restored(skipped=screened.dropped))
        return done

    def _restore_consent(self, scope: Scope, told: Sequence[Draft], *, is_believed: bool) -> Flow[Restored]:
        """Record what was allowed, where nothing is known of that, and where the file is believed."""
        if not is_believed:
            return Restored(skipped=int(bool(told)))

        def record(writer: LedgerWriter) -> int:
            if writer.head.consent.status != "unknown":
                return 0
            for draft in told:
                writer.append(draft)
            return 1

        added = (yield from self._ledger.append(scope, record)) if told else 0
        return Restored(added=added, present=bool(told) - added)

    def _follow(self, owner: Scope, found: Found) -> Flow[None]:
        """Make anew what is made of others: turns that point into conversations, and vectors."""
        batches, agents = _of(found, "episodes").batches(), dict[str | None, None]()
        while batch := (yield from work(next, batches, None)):
            agents |= {it.data.get("agent_id"): None for it in batch if it.data.get("is_in_conversation")}
        for agent in agents:
            yield from self._beside.index(replace(owner, agent_id=agent))
        yield from self._beside.embed(owner)


def _kind(name: str) -> str:
    return name.removesuffix(ON_REDIS)


def _of(found: Found, kind: str) -> Records:
    return found.records(lambda name: _kind(name) == kind)


def _consent_in(found: Found) -> list[Draft]:
    return answers([it for batch in _of(found, CONSENT).batches() for it in batch])


def _ignore(_: object) -> None:
    """Nothing is done with what was only looked at."""


def _check_whose(found: Scope, scope: Scope) -> None:
    owner = owner_of(scope)
    if found != owner:
        msg = (
            f"the export is of user {found.user_id!r} of tenant {found.tenant_id!r}, not of {owner.user_id!r} of "
            f"{owner.tenant_id!r}; name that user as scope= (--user), and who is to have it as as_= (--as)"
        )
        raise ScopeError(msg)


def _look_at_all(form: Form, layer: Layer, owner: Scope, records: Records) -> None:
    try:
        layer.look_through(owner, records)
    except IntegrityError:
        raise  # it names the line
    except WRONG as error:
        if isinstance(error, ConfigurationError) and isinstance(layer, ThreadLayer):
            raise  # it names the class that is not allowed, and the remedy
        name = str(form.path)
        msg = f"records of layer {layer.name!r} in {name!r} cannot be read ({type(error).__name__}); export it again"
        raise IntegrityError(msg) from error
