"""A graph that answers also while its checkpointer is away."""

from __future__ import annotations

import copy
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from langchain_agentmem._checks import check_instance
from langchain_agentmem.checkpoint.one_run import OneRunSaver
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.errors import AgentMemError, ScopeError

THREAD_STATUS: Final = "thread_status"
"""Key of the state that says what became of the thread in a turn: `ok`, or `degraded: …`."""

OK: Final = "ok"
_INTERRUPT: Final = "__interrupt__"
_STOPS: Final = ("interrupt_before", "interrupt_after")
LOGGER: Final = logging.getLogger("langchain_agentmem")


class AnsweringGraph(Runnable[Any, Any]):
    """A graph whose turn is answered also where its thread cannot be read, or not be stored.

    LangGraph raises then. Here the turn runs once, on what it has: on its thread, or on its input alone. What it
    returns has `thread_status`: `ok`, or `degraded: …` with the reason, which then is the status of memory's report,
    too, if that was `ok`. A turn that was degraded is in no thread; the next one goes on from what is stored.

    * No turn runs twice, so that no tool does.
    * Where a thread could not be read, nothing is stored, also if the database comes back meanwhile.
    * A turn is stored when it ends, whole or not at all (LangGraph's `durability="exit"`). Pass
      `durability="async"` to be able to go on in the middle of a turn whose process died.
    * A run that resumes, or names a checkpoint, is nothing without its thread: what fails is raised. So it is where a
      turn that cannot be stored stops to ask somebody.
    * A run without a `thread_id` is answered and degraded. So is, under a vault, one that names no user in a thread
      that is nobody's: no key can seal it.
    * What a database that works says is raised as ever: another user's thread, a conflict, damage. So is whatever
      tools and models raise.

    Streams are those of the graph; with one mode, `values` or `updates`, a last chunk has the status of a degraded
    turn. Everything else of a graph, `get_state` for one, is asked of the graph itself.

    Args:
        graph: With a checkpointer of this package.

    Raises:
        ConfigurationError: `graph` is no compiled graph, or its checkpointer is another one.

    Example:
        ```python
        agent = create_agent(model, middleware=[memory.middleware()], checkpointer=memory.checkpointer)
        state = AnsweringGraph(agent).invoke({"messages": [("user", "Hi.")]}, config)
        state["thread_status"]
        ```
    """

    def __init__(self, graph: CompiledStateGraph[Any, Any, Any, Any]) -> None:
        """No I/O."""
        self._graph = check_instance("graph", graph, CompiledStateGraph)
        self._saver = check_instance("graph.checkpointer", graph.checkpointer, StoredSaver)  # type: ignore[type-abstract]  # a check

    @property
    def graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The graph itself, which raises."""
        return self._graph

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: ANN401  (of the graph)
        """Return the state after a turn, with `thread_status`.

        Raises:
            StorageError: The thread is away, and the run resumes, or stops to ask somebody.
        """
        turn = self._begin(input, config, kwargs)
        return turn.ended(turn.graph.invoke(input, config, **turn.kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: ANN401  (as above)
        """Return the state after a turn; see `invoke`."""
        turn = self._begin(input, config, kwargs)
        return turn.ended(await turn.graph.ainvoke(input, config, **turn.kwargs))

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: ANN401  (as above)
        """Yield what the graph streams; see `invoke`."""
        turn = self._begin(input, config, kwargs)
        chunk = None
        for chunk in turn.graph.stream(input, config, **turn.kwargs):
            yield turn.checked(chunk)
        yield from turn.last(chunk)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:  # noqa: ANN401  (as above)
        """Yield what the graph streams; see `invoke`."""
        turn = self._begin(input, config, kwargs)
        chunk = None
        async for chunk in turn.graph.astream(input, config, **turn.kwargs):
            yield turn.checked(chunk)
        for last in turn.last(chunk):
            yield last

    def _begin(self, given: object, config: RunnableConfig | None, kwargs: dict[str, Any]) -> _Turn:
        named = {**(self._graph.config or {}).get("configurable", {}), **ensure_config(config).get("configurable", {})}
        if given is None or isinstance(given, Command) or named.get("checkpoint_id"):
            return _Turn(self._graph, OneRunSaver(self._saver), kwargs)
        graph = copy.copy(self._graph)
        if named.get("thread_id") is None:
            saver = OneRunSaver(self._saver, _no_thread())
            graph.checkpointer = False
            return _Turn(graph, saver, {name: value for name, value in kwargs.items() if name != "durability"})
        saver = OneRunSaver(self._saver)
        graph.checkpointer = saver
        return _Turn(graph, saver, {"durability": "exit", **kwargs})


@dataclass(frozen=True, slots=True)
class _Turn:
    """A graph with a checkpointer for one run."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    saver: OneRunSaver
    kwargs: Mapping[str, Any]

    def ended(self, state: Any) -> Any:  # noqa: ANN401  (what a graph returns)
        """Return a state with what became of its thread."""
        self._check(state)
        if self.saver.failure is not None:
            LOGGER.warning("a turn is in no thread: %s", type(self.saver.failure).__name__)
        return self._told(state) if isinstance(state, Mapping) else state

    def checked(self, chunk: Any) -> Any:  # noqa: ANN401  (what a graph streams)
        """Return a chunk, if it does not ask what cannot be kept."""
        self._check(chunk[-1] if isinstance(chunk, tuple) else chunk)
        return chunk

    def last(self, chunk: Any) -> Iterator[Any]:  # noqa: ANN401  (as above)
        """Yield what became of the thread, where it was not stored and the stream has a place for that."""
        self.checked(chunk)
        mode = self.kwargs.get("stream_mode") or self.graph.stream_mode
        is_plain = isinstance(chunk, Mapping) and self.kwargs.get("version") != "v2"
        state = self.ended(chunk if is_plain and mode == "values" else {})
        if self.saver.failure is not None and is_plain and mode in ("values", "updates"):
            yield state if mode == "values" else {"thread": state}

    def _told(self, state: Mapping[str, Any]) -> dict[str, Any]:
        status = OK if self.saver.failure is None else _status(self.saver.failure)
        told = {**state, THREAD_STATUS: status}
        report = state.get("memory")
        if status != OK and isinstance(report, Mapping) and report.get("status") == OK:
            told["memory"] = {**report, "status": status}
        return told

    def _check(self, state: Any) -> None:  # noqa: ANN401  (as above)
        """Raise the failure where the run stops: nobody could go on from there."""
        failure = self.saver.failure
        if failure is None:
            return
        stops = [self.kwargs.get(name) or getattr(self.graph, f"{name}_nodes") for name in _STOPS]
        asked = state.get(_INTERRUPT) if isinstance(state, Mapping) else getattr(state, "interrupts", None)
        if any(stops) or asked:
            raise failure


def _no_thread() -> ScopeError:
    msg = "the run names no thread_id, so it is in no conversation; pass {'configurable': {'thread_id': …}}"
    return ScopeError(msg)


def _status(failure: AgentMemError) -> str:
    return f"degraded: the thread is missing: {type(failure).__name__}: {failure}"
