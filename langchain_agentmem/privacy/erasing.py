"""Erase all of a user's: a durable job that goes on where it was broken off."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem._marks import Heads, Owner
from langchain_agentmem.errors import IntegrityError, LostKeysError, RetentionError, StorageError
from langchain_agentmem.ledger.base import Draft, LedgerReader
from langchain_agentmem.ledger.sql.ending import EndingWriter, owner_of
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.standing import ERASE_JOB, check_not_held
from langchain_agentmem.privacy.layers import Layer, Layers
from langchain_agentmem.sql.marks import heads
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.vault.base import Keeping, Keyed, Vault

LOGGER: Final = logging.getLogger("langchain_agentmem")

PASSES: Final = 5
"""Looks at all layers: what a turn on its way wrote behind one look is deleted by the next."""

KEY_IS_GONE: Final = "the reason went with the user's key"

LEFT: Final = "left"
"""In the note of an erasure's end: the lineage of the keys that sealed nothing of what was erased, and were left."""


class Begun(NamedTuple):
    """What an erasure was begun with.

    Attributes:
        counts: By layer, without those that could not be asked yet; `None`: they went with the user's key.
        keys: The lineage of the keys that sealed what is erased, which are destroyed; empty: they are gone, and those
            that the user has were begun since; `None`: nobody knows, or all are to be destroyed.
        is_known: Whether the database had anything of the user that keys seal. Where it had not, and no other layer
            has either, they seal what is elsewhere: another copy, made before the user came, destroys none of them.
    """

    reason: str = KEY_IS_GONE
    counts: Mapping[str, int] | None = None
    keys: str | None = None
    is_known: bool = True

    def note(self) -> dict[str, Any]:
        """Return what the log is told of the beginning."""
        keys = {} if self.keys is None else {"keys": self.keys, "known": self.is_known}
        return {"reason": self.reason, "counts": dict(self.counts or {}), **keys}

    @classmethod
    def of(cls, note: Mapping[str, Any]) -> Begun:
        """Return what the log was told; earlier releases told less."""
        return cls(str(note["reason"]), note["counts"], note.get("keys"), note.get("known", True)) if note else cls()

    def in_use(self, layers: Iterable[Layer]) -> Begun:
        """Return the same without keys where nothing is here that they seal, once every layer was asked."""
        counts = self.counts or {}
        is_here = self.is_known or any(counts.get(it.name) for it in layers if not it.is_derived)
        return self if is_here or self.keys is None else self._replace(keys="")


class Erasure:
    """Erases users.

    Args:
        ledger: Where the log is.
        vault: Has the users' keys.
        layers: Makes everything that stores something of users.
        forget: Drops what this process and servers beside the database hold of a user.
        clock: Gives the time, aware UTC.
        kind: Of the job that it begins: one for processes that reach all of the layers.
    """

    def __init__(
        self,
        ledger: SQLLedger,
        vault: Vault,
        layers: Layers,
        forget: Callable[[Scope], Flow[None]],
        clock: Callable[[], datetime],
        *,
        kind: str = ERASE_JOB,
    ) -> None:
        """Nothing is opened yet."""
        self._kind = kind
        self._ledger = ledger
        self._vault = vault
        self._layers = layers
        self._forget = forget
        self._clock = clock

    def give_up_lost_keys(self, scope: Scope) -> Flow[None]:
        """Let other keys seal what the log says of an erasure, where those of the user were lost, or are damaged.

        Raises:
            RetentionError: A legal hold stands: whoever has a backup of them may put them back.
        """
        cipher = yield from self._vault.cipher(owner_of(scope))
        try:
            cipher.seal(b"", "")
        except LostKeysError:
            yield from self._ledger.read(owner_of(scope), lambda reader: check_not_held(reader.head))
            yield from self._vault.destroy(owner_of(scope))

    def begin(self, scope: Scope, reason: str, *, all_keys: bool = False) -> Flow[None]:
        """Refuse all writes of the user from now on, and queue the rest; one that was begun goes on.

        It is begun whichever layer is away: the job counts what cannot be counted now.

        Args:
            scope: Whose.
            reason: For the log.
            all_keys: Whether those of the user's keys are destroyed, too, that sealed nothing of what is here.

        Raises:
            ConfigurationError: No user's keys can be destroyed alone: nothing is begun that could not be ended.
            RetentionError: A legal hold stands.
        """
        self._check_can_end()
        keys, is_known = yield from self._keys(owner_of(scope))
        found = Begun(reason, (yield from self._tried(scope, self._layers())), None if all_keys else keys, is_known)

        def begun(writer: EndingWriter) -> None:
            if not writer.head.is_erasing:
                writer.append(Draft(type="erasure_begun", note=found.note()))
            elif all_keys:
                writer.append(Draft(type="erasure_begun", note=_begun_in(writer)._replace(keys=None).note()))
            writer.queue_ending(self._kind)

        yield from self._ledger.end(owner_of(scope), begun)

    def do(self, job: Job) -> Flow[None]:
        """Erase the job's user.

        Raises:
            ConfigurationError: The user's keys cannot be destroyed; nothing is deleted.
            StorageError: Somebody goes on writing where nothing can refuse it; the job comes again.
        """
        if job.scope is None:
            return
        scope = owner_of(job.scope)
        if not (yield from self._ledger.read(scope, lambda reader: reader.head.is_erasing)):
            return  # done, by a worker that ended before it could say so
        self._check_can_end()
        layers = self._layers(scope)
        begun = (yield from self._counted(scope, layers, (yield from self._begun(scope)))).in_use(layers)
        yield from self._erase_layers(scope, layers)
        yield from self._forget(scope)
        yield from self._vault.destroy(scope, begun.keys)
        yield from self._erase_layers(scope, layers)  # what was sealed on the way with a key that nobody has any more
        yield from self._end(scope, job, begun)
        yield from self._forget(scope)
        yield from self._ledger.rewrite()

    def _check_can_end(self) -> None:
        if isinstance(self._vault, Keeping):
            self._vault.check_can_destroy()

    def _keys(self, scope: Scope) -> Flow[tuple[str | None, bool]]:
        """Return which keys sealed what is to be erased, and whether the database has anything of the user.

        A copy of the database from before an erasure may be erased beside the one in which the user began anew: the
        keys that they have there are not those of the copy.
        """
        cipher = yield from self._vault.cipher(scope)
        if not isinstance(cipher, Keyed):
            return None, True
        try:
            end = yield from self._ledger.read(scope, lambda reader: last_event(reader, "subject_erased"))
        except (IntegrityError, RetentionError):  # whose it is, is seen below
            end = None
        was_left = end is not None and end.note.get(LEFT) == cipher.lineage
        owner = Owner(scope.tenant_id, scope.user_id)
        found = yield from self._ledger.database.read(lambda connection: heads(connection, owner))
        keys = cipher.lineage if _have_sealed(cipher, found, is_empty=was_left) else ""
        return keys, found.log is not None or bool(found.others)

    def _erase_layers(self, scope: Scope, layers: Sequence[Layer]) -> Flow[None]:
        left = set[str]()
        for _ in range(PASSES):
            for layer in layers:
                if layer.name in left or not left:
                    yield from layer.erase(scope)
            left.clear()
            for layer in layers:
                if (yield from layer.count(scope)):
                    left.add(layer.name)
            if not left:
                return
        msg = f"{', '.join(sorted(left))}: something is still written of this user; stop what writes, and erase again"
        raise StorageError(msg, is_retryable=True)

    def _tried(self, scope: Scope, layers: Sequence[Layer]) -> Flow[dict[str, int]]:
        """Ask layers how much there is of a user; those that are away are left out."""
        found: dict[str, int] = {}
        for layer in layers:
            try:
                found[layer.name] = yield from layer.count(scope)
            except Exception as error:  # noqa: BLE001  (whatever a store of the application's raises: it hinders nothing)
                LOGGER.warning("layer %s could not be counted: %s", layer.name, type(error).__name__)
        return found

    def _counted(self, scope: Scope, layers: Sequence[Layer], begun: Begun) -> Flow[Begun]:
        """Count what was away when the erasure was begun, and what no index names, before it is deleted.

        The log says it like the beginning, where it is more than that said.
        """
        if begun.counts is None:
            return begun
        known = begun.counts
        found = yield from self._tried(scope, [it for it in layers if it.families or it.name not in known])
        more = {name: count for name, count in found.items() if count > known.get(name, -1)}
        if not more:
            return begun
        told = begun._replace(counts={**known, **more})

        def counted(writer: EndingWriter) -> None:
            writer.check_erasing()
            writer.append(Draft(type="erasure_begun", note=told.note()))

        yield from self._ledger.end(scope, counted)
        return told

    def _end(self, scope: Scope, job: Job, begun: Begun) -> Flow[None]:
        cipher = yield from self._vault.cipher(scope)
        left = {LEFT: cipher.lineage} if begun.keys == "" and isinstance(cipher, Keyed) else {}
        note = {"reason": begun.reason, "erased": begun.note()["counts"], **left}

        def end(writer: EndingWriter) -> None:
            writer.check_erasing()
            writer.finish_job(job.id, job.lease)
            writer.end(note)

        yield from self._ledger.end(scope, end)

    def _begun(self, scope: Scope) -> Flow[Begun]:
        """Return what the log says of the beginning; the key that opens it may be gone already."""
        return (yield from self._ledger.read(scope, _begun_in))


def _begun_in(reader: LedgerReader) -> Begun:
    """Return what the log says of the beginning; the keys that it was sealed with may be gone already."""
    try:
        event = last_event(reader, "erasure_begun")
    except RetentionError:
        return Begun(keys="")
    except IntegrityError:
        return Begun()
    return Begun.of({} if event is None else event.note)


def last_event(reader: LedgerReader, event_type: str) -> Event | None:
    """Return the last event of the log if it is of a type; an erasure begins with the last one, and is the last.

    Raises:
        RetentionError: All of the user's is being erased, and the key that opens it is gone.
        IntegrityError: It does not open otherwise.
    """
    events = reader.events(after=max(reader.head.seq - 1, 0), limit=1)
    return events[0] if events and events[0].type == event_type else None


def _have_sealed(cipher: Keyed, found: Heads, *, is_empty: bool) -> bool:
    """Whether a user's keys have sealed what there is of them; where nothing is, what there was.

    The log decides, for nothing is let into it that other keys seal. Without one anything may: a value that nobody can
    read may have come late for an erasure.

    Args:
        cipher: With the keys.
        found: How what there is begins.
        is_empty: Whether the log says nothing but that these keys were begun elsewhere.
    """
    if found.log is not None and not is_empty:
        return not cipher.is_of_another_key(found.log)
    others = [not cipher.is_of_another_key(it) for it in found.others]
    return any(others) or not (others or is_empty)
