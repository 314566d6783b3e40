"""What memory does, told to LangChain's callbacks and to OpenTelemetry."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, get_args
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from langchain_agentmem.callbacks import (
    CallbackObserver,
    InjectionSeen,
    OpenTelemetryObserver,
    RecallSeen,
    UseSeen,
    store_id,
)
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import Operation, Ruled, WriteSeen
from tests.conftest import Call

ALICE = Scope("alice@example.org", agent_id="coder", session_id="talk")
SECRETS = ("boat", "Kiel", "alice@example.org")

SPANS: Final[dict[Operation, str]] = {
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
"""Names of the conventions, by operation."""


@dataclass
class Traced:
    """Memory whose work is traced, and the spans of it."""

    memory: AgentMemory
    provider: TracerProvider
    exporter: InMemorySpanExporter

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def told(self, place: int) -> dict[str, Any]:
        return dict(self.spans[place].attributes or {})


@pytest.fixture
def traced() -> Iterator[Traced]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observers = [OpenTelemetryObserver(provider)]
    with AgentMemory.in_memory(embeddings=None, consent="assumed", observers=observers) as memory:
        yield Traced(memory, provider, exporter)
    provider.shutdown()


async def test_a_recall_is_a_span_of_the_conventions(traced: Traced, call: Call) -> None:
    """Its name and attributes are those of a memory search, and those of ours have our prefix."""
    kept = (await call(traced.memory.long_term, "remember", "Alice owns a boat", scope=ALICE)).memory
    found = await call(traced.memory.long_term, "recall", "which boat?", scope=ALICE)
    span, told = traced.spans[1], traced.told(1)
    assert (span.name, span.kind, span.status.status_code) == ("search_memory", SpanKind.INTERNAL, StatusCode.UNSET)
    assert {name: value for name, value in told.items() if name.startswith("gen_ai.")} == {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.memory.store.id": store_id(ALICE),
        "gen_ai.memory.record.count": 1,
        "gen_ai.conversation.id": "talk",
        "gen_ai.agent.id": "coder",
    }
    assert (told["agentmem.recall.memory_ids"], told["agentmem.receipt.id"]) == ((kept.id,), found.receipt_id)


async def test_writes_are_spans_by_what_they_may_do(traced: Traced, call: Call) -> None:
    """What may create is an upsert, what changes an update, what cannot be taken back a deletion."""
    kept = (await call(traced.memory.long_term, "remember", "Alice owns a boat", scope=ALICE)).memory
    await call(traced.memory.long_term, "forget", kept.id, scope=ALICE)
    await call(traced.memory.long_term, "erase", kept.id, scope=ALICE)
    await call(traced.memory.episodes, "ingest", [HumanMessage("hello there", id="h")], scope=ALICE)
    names = ["upsert_memory", "update_memory", "delete_memory", "upsert_memory"]
    assert [span.name for span in traced.spans] == names
    assert [traced.told(place).get("gen_ai.memory.record.id") for place in range(4)] == [kept.id] * 3 + [None]
    assert traced.told(3)["gen_ai.memory.record.count"] == 1


@pytest.mark.parametrize(("operation", "name"), SPANS.items())
def test_every_operation_has_its_span(traced: Traced, operation: Operation, name: str) -> None:
    """Only what cannot be taken back is a deletion, and only what may make a memory an upsert."""
    OpenTelemetryObserver(traced.provider).on_write(WriteSeen(ALICE, operation, 0.1, (Ruled("changed", "it", 3),)))
    (span,) = traced.spans
    assert (span.name, traced.told(0)["gen_ai.operation.name"]) == (name, name)
    assert (traced.told(0)["agentmem.operation"], traced.told(0)["gen_ai.memory.record.count"]) == (operation, 3)


def test_no_operation_is_without_a_span() -> None:
    """What an observer may hear of, a trace shows."""
    assert SPANS.keys() == set(get_args(Operation))


async def test_no_span_has_a_word_of_memory_or_the_user(traced: Traced, call: Call) -> None:
    """Neither what is remembered, nor what is asked, nor who asks."""
    await call(traced.memory.long_term, "remember", "Alice owns a boat in Kiel", scope=ALICE)
    await call(traced.memory.long_term, "recall", "which boat is in Kiel?", scope=ALICE)
    everything = " ".join(span.to_json() for span in traced.spans)
    assert [word for word in SECRETS if word in everything] == []


async def test_a_span_takes_as_long_as_the_caller_waited(traced: Traced, call: Call) -> None:
    """It stands below the span that is current, and lies within it."""
    with traced.provider.get_tracer("app").start_as_current_span("turn") as turn:
        await call(traced.memory.long_term, "recall", "which boat?", scope=ALICE)
    inner, outer = traced.spans
    assert inner.parent is not None
    assert inner.parent.span_id == turn.get_span_context().span_id
    assert (outer.start_time or 0) <= (inner.start_time or 0) <= (inner.end_time or 0) <= (outer.end_time or 0)


def test_a_failure_is_an_error_with_its_class(traced: Traced) -> None:
    """The class says what failed; a message might say more than ids."""
    observer = OpenTelemetryObserver(traced.provider)
    observer.on_recall(RecallSeen(ALICE, "failed", 0.1, error="StorageError"))
    observer.on_write(WriteSeen(ALICE, "revise", 0.1, error="NotFoundError"))
    assert [span.status.status_code for span in traced.spans] == [StatusCode.ERROR] * 2
    assert [traced.told(place)["error.type"] for place in range(2)] == ["StorageError", "NotFoundError"]
    assert [name for place in range(2) for name in traced.told(place) if "count" in name] == []


def test_what_was_shown_is_noted_on_the_current_span(traced: Traced) -> None:
    """Injected memories and their tokens are an event of the turn."""
    observer = OpenTelemetryObserver(traced.provider)
    with traced.provider.get_tracer("app").start_as_current_span("turn"):
        observer.on_injection(InjectionSeen(ALICE, "r", memories=2, tokens=60))
    (event,) = traced.spans[0].events
    shown = {"agentmem.injection.memories": 2, "agentmem.injection.tokens": 60}
    assert (event.name, dict(event.attributes or {})) == ("agentmem.injection", {"agentmem.receipt.id": "r", **shown})


def test_what_was_used_is_noted_on_the_current_span(traced: Traced) -> None:
    """It is an event of the turn; without a turn, of nothing."""
    observer = OpenTelemetryObserver(traced.provider)
    observer.on_use(UseSeen(ALICE, "r", used=1))
    with traced.provider.get_tracer("app").start_as_current_span("turn"):
        observer.on_use(UseSeen(ALICE, "r", used=2, unused=1))
    (event,) = traced.spans[0].events
    assert dict(event.attributes or {}) == {
        "agentmem.receipt.id": "r",
        "agentmem.use.used": 2,
        "agentmem.use.unused": 1,
        "agentmem.use.unknown": 0,
    }


def test_without_opentelemetry_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra of the package."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ConfigurationError, match=r"langchain-agentmem\[otel\]"):
        OpenTelemetryObserver()


def test_without_opentelemetry_memory_works() -> None:
    """Whoever does not trace needs nothing of it."""
    script = """
import sys
sys.modules["opentelemetry"] = None
from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.callbacks import CallbackObserver
with AgentMemory.in_memory(embeddings=None, consent="assumed", observers=[CallbackObserver()]) as memory:
    memory.long_term.remember("Alice owns a boat", scope=Scope("alice"))
    print(memory.long_term.recall("boat", scope=Scope("alice")).status, memory.metrics.snapshot().hit.ratio)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("ok 1.0\n", "")


class Ear(BaseCallbackHandler):
    """Keeps the custom events it hears."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401
        self.events.append((name, data))


@pytest.fixture
def heard() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", observers=[CallbackObserver()]) as memory:
        yield memory


async def test_the_callbacks_of_a_run_hear_what_memory_does(heard: AgentMemory, call: Call) -> None:
    """In both colours, by ids and numbers, without words and without the user."""
    ear = Ear()

    async def turn(text: str) -> str:
        await call(heard.long_term, "remember", "Alice owns a boat in Kiel", scope=ALICE)
        found = await call(heard.long_term, "recall", text, scope=ALICE)
        await call(heard.long_term, "note_injected", found.receipt_id, "run-1", scope=ALICE)
        await call(heard.long_term, "note_used", found.receipt_id, {found[0].memory.id: True}, scope=ALICE)
        return "done"

    await RunnableLambda(turn).ainvoke("which boat?", {"callbacks": [ear]})
    names = [name.removeprefix("agentmem.") for name, _ in ear.events]
    assert names == ["write", "recall", "injection", "use"]
    assert (ear.events[0][1]["outcomes"][0]["verdict"], ear.events[3][1]["used"]) == ("written", 1)
    assert ear.events[2][1]["memories"] == 1
    assert [word for word in SECRETS if word in repr(ear.events)] == []


async def test_the_events_of_a_run_have_those_of_memory(heard: AgentMemory, call: Call) -> None:
    """`astream_events` gives them out."""

    async def turn(text: str) -> str:
        await call(heard.long_term, "recall", text, scope=ALICE)
        return "done"

    stream = RunnableLambda(turn).astream_events("boat", version="v2")
    assert [it["name"] async for it in stream if it["event"] == "on_custom_event"] == ["agentmem.recall"]


async def test_outside_of_a_run_there_is_nobody_to_tell(
    heard: AgentMemory, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    """Memory works as ever, and nothing is logged."""
    await call(heard.long_term, "recall", "boat", scope=ALICE)
    assert caplog.records == []


@pytest.mark.parametrize("observers", [CallbackObserver(), [CallbackObserver], [print], "all", None])
def test_observers_are_a_list_of_observers(observers: Any) -> None:  # noqa: ANN401
    """A class, a function or a single object is refused by name, before anything is opened."""
    with pytest.raises(ConfigurationError, match="observers"):
        AgentMemory.in_memory(embeddings=None, observers=observers)
