"""Observers that pass on what memory does: to LangChain's callbacks, and to OpenTelemetry. Ids and numbers only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from langchain_core.callbacks import dispatch_custom_event

from langchain_agentmem._checks import install_hint
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import InjectionSeen, Observer, Operation, RecallSeen, Ruled, UseSeen, WriteSeen

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

__all__ = [
    "CallbackObserver",
    "InjectionSeen",
    "Observer",
    "OpenTelemetryObserver",
    "RecallSeen",
    "Ruled",
    "UseSeen",
    "WriteSeen",
    "store_id",
]

_NANOS: Final = 1_000_000_000
_ID_BYTES: Final = 16

_OPERATIONS: Final[Mapping[Operation, str]] = {
    "remember": "upsert_memory",
    "learn": "upsert_memory",
    "merge": "upsert_memory",
    "keep_episodes": "upsert_memory",
    "revise": "update_memory",
    "feedback": "update_memory",
    "forget": "update_memory",
    "restore": "update_memory",
    "withdraw": "update_memory",
    "erase": "delete_memory",
    "erase_user": "delete_memory",
    "drop_episodes": "delete_memory",
}
"""What OpenTelemetry calls our writes; what is forgotten can be restored, and so is no deletion.
Source: semantic conventions for generative AI, "Memory" spans."""


class CallbackObserver(Observer):
    """Sends a custom event to the callbacks of the LangChain run in which memory works.

    The events are `agentmem.recall`, `agentmem.write`, `agentmem.injection` and `agentmem.use`; a handler hears of them
    in `on_custom_event`, and `astream_events` gives them out. Outside of a run there is nobody to tell. A recall by
    `MemoryRetriever` is a retriever's run with callbacks of its own beside this.
    """

    def on_recall(self, seen: RecallSeen) -> None:
        """Send `agentmem.recall`."""
        _dispatch("agentmem.recall", seen)

    def on_write(self, seen: WriteSeen) -> None:
        """Send `agentmem.write`."""
        _dispatch("agentmem.write", seen)

    def on_injection(self, seen: InjectionSeen) -> None:
        """Send `agentmem.injection`."""
        _dispatch("agentmem.injection", seen)

    def on_use(self, seen: UseSeen) -> None:
        """Send `agentmem.use`."""
        _dispatch("agentmem.use", seen)


def store_id(scope: Scope) -> str:
    """Return an id of a user's memory that does not say who it is to one who does not know the user's id."""
    identity = f"{scope.tenant_id}\x00{scope.user_id}"
    return blake2b(identity.encode(), digest_size=_ID_BYTES, person=b"agentmem.store").hexdigest()


class OpenTelemetryObserver(Observer):
    """Records each recall and each write as a span, by the semantic conventions for memory of generative AI.

    Spans are named `search_memory`, `upsert_memory`, `update_memory` and `delete_memory`, and stand below the span that
    is current. Names that the conventions have are theirs (`gen_ai.operation.name`, `gen_ai.memory.store.id`,
    `gen_ai.memory.record.id`, `gen_ai.memory.record.count`, `gen_ai.conversation.id`, `gen_ai.agent.id`, `error.type`);
    all others begin with `agentmem.`. No span holds a word of a question or of a memory.

    Args:
        provider: Of the tracer; `None`: the global one.
        store_id: What a user's memory is called in `gen_ai.memory.store.id`; by default a digest of tenant and user.
        clock: Gives nanoseconds since 1970.

    Raises:
        ConfigurationError: OpenTelemetry's API is not installed.
    """

    def __init__(
        self,
        provider: TracerProvider | None = None,
        *,
        store_id: Callable[[Scope], str] = store_id,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        try:
            from opentelemetry import trace
        except ImportError as error:
            msg = f"OpenTelemetry's API is not installed; {install_hint('otel')}"
            raise ConfigurationError(msg) from error

        self._trace = trace
        self._tracer = trace.get_tracer("langchain_agentmem", tracer_provider=provider)
        self._store_id = store_id
        self._clock = clock

    def on_recall(self, seen: RecallSeen) -> None:
        """Record a `search_memory`; of one that failed it is not known what it would have returned."""
        returned = {
            "gen_ai.memory.record.count": len(seen.memory_ids),
            "agentmem.receipt.id": seen.receipt_id,
            "agentmem.recall.memory_ids": seen.memory_ids,
            "agentmem.recall.episodes": seen.episodes,
            "agentmem.recall.constraints": seen.constraints,
            "agentmem.recall.tokens": seen.tokens,
        }
        status = {"agentmem.recall.status": seen.status}
        self._record("search_memory", seen, status if seen.error is not None else {**status, **returned})

    def on_write(self, seen: WriteSeen) -> None:
        """Record an `upsert_memory`, `update_memory` or `delete_memory`."""
        done = {
            "gen_ai.memory.record.id": seen.memory_id,
            "gen_ai.memory.record.count": sum(it.records for it in seen.outcomes),
            "agentmem.write.verdicts": tuple(it.verdict for it in seen.outcomes),
            "agentmem.write.rules": tuple(it.rule for it in seen.outcomes),
            "agentmem.write.counts": tuple(it.records for it in seen.outcomes),
        }
        operation = {"agentmem.operation": seen.operation}
        self._record(_OPERATIONS[seen.operation], seen, operation if seen.error is not None else {**operation, **done})

    def on_injection(self, seen: InjectionSeen) -> None:
        """Note on the current span what a model call was shown of a recall."""
        self._note("injection", seen.receipt_id, memories=seen.memories, tokens=seen.tokens)

    def on_use(self, seen: UseSeen) -> None:
        """Note on the current span how much of a recall the answer used."""
        self._note("use", seen.receipt_id, used=seen.used, unused=seen.unused, unknown=seen.unknown)

    def _note(self, name: str, receipt_id: str, **counts: int) -> None:
        span = self._trace.get_current_span()
        if span.is_recording():
            named = {f"agentmem.{name}.{part}": count for part, count in counts.items()}
            span.add_event(f"agentmem.{name}", {"agentmem.receipt.id": receipt_id, **named})

    def _record(self, operation: str, seen: RecallSeen | WriteSeen, told: Mapping[str, Any]) -> None:
        scope, end = seen.scope, self._clock()
        named = {
            "gen_ai.operation.name": operation,
            "gen_ai.memory.store.id": self._store_id(scope),
            "gen_ai.conversation.id": scope.session_id,
            "gen_ai.agent.id": scope.agent_id,
            "error.type": seen.error,
            **told,
        }
        span = self._tracer.start_span(
            operation,
            kind=self._trace.SpanKind.INTERNAL,
            attributes={name: value for name, value in named.items() if value is not None},
            start_time=end - round(seen.seconds * _NANOS),
        )
        if seen.error is not None:
            span.set_status(self._trace.StatusCode.ERROR)
        span.end(end_time=end)


def _dispatch(name: str, seen: RecallSeen | WriteSeen | InjectionSeen | UseSeen) -> None:
    """Send an event, without the user, whom a handler of the run knows by the run."""
    told = {field: value for field, value in seen._asdict().items() if field != "scope"}
    if isinstance(seen, WriteSeen):
        told["outcomes"] = [it._asdict() for it in seen.outcomes]
    try:
        dispatch_custom_event(name, told)
    except RuntimeError:  # there is no run around this
        return
