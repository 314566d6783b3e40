"""A graph's recalls in LangChain's tracing: ids and numbers, and no word that memory adds."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import Runnable, RunnableConfig
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.callbacks import CallbackObserver, OpenTelemetryObserver
from langchain_agentmem.errors import StorageError
from langchain_agentmem.graph import create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.nodes.tracing import traced
from langchain_agentmem.types import Recall
from tests.conftest import Colour
from tests.unit_tests.faces.conftest import ALICE, remember
from tests.unit_tests.faces.scripted import ScriptedModel

CANARY = "zanzibarquokka"


@dataclass
class Ear(BaseCallbackHandler):
    """Hears of retrievers and of custom events, as a tracer does."""

    started: list[tuple[str, str]] = field(default_factory=list)
    ended: list[Sequence[Document]] = field(default_factory=list)
    failed: list[BaseException] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)

    def on_retriever_start(self, serialized: dict[str, Any], query: str, *, run_id: UUID, **kwargs: Any) -> None:
        self.started.append((kwargs["name"], query))

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **kwargs: Any) -> None:
        self.ended.append(documents)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.failed.append(error)

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401
        self.events.append((name, data))

    __hash__ = object.__hash__


@dataclass
class Watched:
    """A memory with every observer there is, and what they tell."""

    memory: AgentMemory
    exporter: InMemorySpanExporter
    ear: Ear = field(default_factory=Ear)

    async def say(self, text: str, answer: str, colour: Colour) -> dict[str, Any]:
        model = ScriptedModel(script=[answer])
        graph: Runnable[Any, dict[str, Any]] = create_memory_graph(model, memory=self.memory)
        config: RunnableConfig = {"callbacks": [self.ear], "configurable": {"user_id": "alice", "thread_id": "t"}}
        messages = {"messages": [("user", text)]}
        return graph.invoke(messages, config) if colour == "sync" else await graph.ainvoke(messages, config)

    def told(self) -> str:
        """All that left memory on its way to whoever watches it."""
        spans = " ".join(span.to_json() for span in self.exporter.get_finished_spans())
        return f"{spans} {self.ear!r} {self.memory.metrics.snapshot().as_dict()}"


@pytest.fixture
def watched() -> Iterator[Watched]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observers = [OpenTelemetryObserver(provider), CallbackObserver()]
    with AgentMemory.in_memory(embeddings=None, consent="assumed", observers=observers) as memory:
        yield Watched(memory, exporter)
    provider.shutdown()


async def test_the_recalls_of_a_turn_are_a_retrievers_run(watched: Watched, colour: Colour) -> None:
    """The documents name what was recalled, and the receipt that says why."""
    kept = remember(watched.memory, "Alice likes sushi")
    state = await watched.say("What food do I like?", "Sushi.", colour)
    [[document]] = watched.ear.ended
    assert (document.id, document.page_content, document.metadata["kind"]) == (kept.id, "", "preference")
    assert document.metadata["receipt_id"] == state["memory"]["receipt_ids"][0]
    assert watched.ear.started == [("agentmem.recall", "")]


async def test_no_word_of_memory_leaves_through_a_watcher(
    watched: Watched, colour: Colour, caplog: pytest.LogCaptureFixture
) -> None:
    """Spans, events, retriever's runs, counters and every line of the log: a word that was remembered is in none."""
    caplog.set_level(logging.DEBUG)
    remember(watched.memory, f"Alice's cat is called {CANARY}")
    await watched.say("What is my cat called?", f"It is called {CANARY}.", colour)
    await watched.say(f"My sister is called {CANARY} too. My password is {CANARY}!77.", "Noted.", colour)
    kept = watched.memory.long_term.list(scope=ALICE)[0]
    watched.memory.long_term.erase(kept.id, scope=ALICE)
    assert len(watched.exporter.get_finished_spans()) > 4
    assert (CANARY in watched.told(), CANARY in caplog.text) == (False, False)


def _failing(error: Exception) -> Flow[Sequence[Recall]]:
    yield from ()
    raise error


@pytest.mark.parametrize("error", [StorageError("no disk"), ValueError(f"embedding {CANARY}")])
async def test_a_recall_that_failed_ends_its_run(error: Exception, colour: Colour) -> None:
    """It raises as it did; of an error that may quote what it was given, the callbacks hear the class."""
    ear = Ear()
    flow = traced({"callbacks": [ear]}, _failing(error))
    with pytest.raises(type(error)):
        run(flow) if colour == "sync" else await arun(flow)
    assert CANARY not in repr(ear.failed)
    assert type(error).__name__ in repr(ear.failed)


async def test_without_callbacks_there_is_no_run(colour: Colour) -> None:
    """Nobody listens: what is returned is what was recalled."""
    recalls = [Recall()]

    def recalling() -> Flow[Sequence[Recall]]:
        yield from ()
        return recalls

    flow = traced({}, recalling())
    assert (run(flow) if colour == "sync" else await arun(flow)) is recalls
