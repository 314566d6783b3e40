"""Tells observers what memory does: ids and numbers, when it is done."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Final, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.types import Decision, IngestReport, Memory, Recall, Receipt, Scope
from langchain_agentmem.types.fitting import CHARS_PER_TOKEN
from langchain_agentmem.types.watching import InjectionSeen, Observer, Operation, RecallSeen, Ruled, UseSeen, WriteSeen

T = TypeVar("T")

VerdictAndRule: TypeAlias = tuple[str, str]
"""A verdict, and the rule by which it is."""

ELEMENT_CHARS: Final = 120
"""Of a memory in a prompt, what is not its content: the element with an id of 32 characters, and its attributes."""

_ENDED: Final = (Exception, CancelledError)
"""How work fails; whoever stops waiting for a recall cancels it, and that it was slow is to be seen."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


_ERASING: Final[frozenset[Operation]] = frozenset({"erase", "erase_user", "drop_episodes"})


class Watch:
    """The observers of one memory; without any, nothing is measured.

    Args:
        observers: Whom to tell, in this order.
        timer: Gives seconds, ascending.
        access: Asked before each of them, as a whole.
    """

    def __init__(
        self,
        observers: Sequence[Observer] = (),
        timer: Callable[[], float] = perf_counter,
        *,
        access: AccessFlows | None = None,
    ) -> None:
        """Nothing is watched yet."""
        self._access = access or AccessFlows()
        self._observers = tuple(observers)
        self._timer = timer

    def recall(self, flow: Flow[Recall], scope: Scope) -> Flow[Recall]:
        """Return what a recall returns, and tell of it."""
        flow = self._access.within("read", scope, flow)
        if not self._observers:
            return (yield from flow)
        begun = self._timer()
        try:
            found = yield from flow
        except _ENDED as error:
            seen = RecallSeen(scope, "failed", self._timer() - begun, error=type(error).__name__)
            self._tell("on_recall", seen)
            raise
        self._tell("on_recall", _recalled(found, scope, self._timer() - begun))
        return found

    def write(
        self, operation: Operation, flow: Flow[T], scope: Scope, *, rule: str | None = None, about: str | None = None
    ) -> Flow[T]:
        """Return what a write returns, and tell of it.

        Args:
            operation: What is written.
            flow: Writes it.
            scope: Whose.
            rule: By which it is, where it comes without a decision; `None`: the operation.
            about: The memory that it is about, where what it returns does not say so.
        """
        flow = self._access.within("erase" if operation in _ERASING else "write", scope, flow)
        if not self._observers:
            return (yield from flow)
        begun = self._timer()
        try:
            done = yield from flow
        except _ENDED as error:
            seen = WriteSeen(scope, operation, self._timer() - begun, error=type(error).__name__)
            self._tell("on_write", seen)
            raise
        outcomes, memory_id = _outcomes(rule or operation, done)
        self._tell("on_write", WriteSeen(scope, operation, self._timer() - begun, outcomes, about or memory_id))
        return done

    def tell(self, operation: Operation, scope: Scope, counts: Mapping[VerdictAndRule, int], begun: float) -> None:
        """Tell of what was done beside other work, by verdict and rule, since `begun`; of nothing, nothing is told."""
        outcomes = tuple(Ruled(verdict, rule, records) for (verdict, rule), records in counts.items() if records)
        if outcomes:
            self._tell("on_write", WriteSeen(scope, operation, self._timer() - begun, outcomes))

    def now(self) -> float:
        """Return the seconds that work which is told of later is measured from."""
        return self._timer() if self._observers else 0.0

    def inject(self, receipt_id: str, tokens: Sequence[int], scope: Scope) -> None:
        """Tell of what a model call was shown, by the tokens of each memory."""
        if tokens:
            self._tell("on_injection", InjectionSeen(scope, receipt_id, len(tokens), sum(tokens)))

    def use(self, receipt: Receipt, verdicts: Sequence[bool | None], scope: Scope) -> None:
        """Tell of what an answer used, by the verdict on each memory; of nothing, nothing is told."""
        if not verdicts:
            return
        seen = UseSeen(scope, receipt.id, verdicts.count(True), verdicts.count(False), verdicts.count(None))
        self._tell("on_use", seen)

    def _tell(self, method: str, seen: RecallSeen | WriteSeen | InjectionSeen | UseSeen) -> None:
        for observer in self._observers:
            try:
                getattr(observer, method)(seen)
            except Exception as error:  # noqa: BLE001  (whatever an observer raises is its own affair)
                LOGGER.warning("an observer failed: %s in %s", type(error).__name__, type(observer).__name__)


def _recalled(found: Recall, scope: Scope, seconds: float) -> RecallSeen:
    """Return the numbers of a recall; one pass, because every recall pays for it."""
    ids, chars, episodes = [], 0, 0
    for hit in found.hits:
        memory = hit.memory
        ids.append(memory.id)
        chars += len(memory.content) + ELEMENT_CHARS
        episodes += memory.kind == "episode"
    for hit in found.constraints:
        if hit.memory.id not in ids:  # a prompt has it once
            chars += len(hit.memory.content) + ELEMENT_CHARS
    return RecallSeen(
        scope,
        found.status,
        seconds,
        found.receipt_id,
        tuple(ids),
        episodes,
        len(found.constraints),
        round(chars / CHARS_PER_TOKEN),
    )


def _outcomes(operation: str, done: object) -> tuple[tuple[Ruled, ...], str | None]:
    """Return what became of the records that a write was about, and the id of the one that it was about."""
    match done:
        case Decision(verdict=verdict, rule=rule, memory=memory):
            return (Ruled(verdict, rule),), memory.id if memory else None
        case Memory(id=memory_id):
            return (Ruled("changed", operation),), memory_id
        case IngestReport(kept=kept, known=known, refused=refused):
            kinds = [Ruled("written", operation, kept), Ruled("known", operation, known)]
            kinds += [Ruled("refused", rule, count) for rule, count in refused.items()]
            return tuple(it for it in kinds if it.records), None
        case int():
            return ((Ruled("dropped", operation, done),) if done else ()), None
        case [str(), *others]:
            return (Ruled("erased", operation, 1 + len(others)),), None
        case [Decision(memory=memory), *_]:
            ruled = tuple(Ruled(it.verdict, it.rule) for it in done if isinstance(it, Decision))
            return ruled, memory.id if memory else None
        case Sequence() if not isinstance(done, str) and done:  # what each record became is said by the rule
            return (Ruled("changed", operation, len(done)),), None
    return (), None
