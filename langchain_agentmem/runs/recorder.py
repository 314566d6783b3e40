"""Records what agents do, as a LangChain callback handler: buffered, written step by step, never in the way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.errors import AgentMemError, ScopeError
from langchain_agentmem.identity import resolve_mode, resolve_scope
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.runs.said import clean, cut, kept_messages, messages_in, plain
from langchain_agentmem.types import Scope
from langchain_agentmem.types.runs import RunStep, StepKind

MAX_HELD: Final = 1_000
"""Steps of a run that wait while they cannot be written; the oldest beyond that are lost, and counted."""

_WAITING: Final[frozenset[StepKind]] = frozenset({"action"})
"""Steps that wait for the next one: the model's answer before them has named the tool already."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(slots=True)
class _Open:
    """A run that goes on."""

    id: str
    no: int = 0
    scope: Scope | None = None
    held: list[RunStep] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    children: set[UUID] = field(default_factory=set)
    lost: int = 0
    lost_no: int = 0
    is_off: bool = False
    writing: Lock = field(default_factory=Lock)

    @property
    def is_silent(self) -> bool:
        """Whether nothing of it was written yet."""
        return bool(self.held) and self.held[0].no == 1


class RunRecorder(BaseCallbackHandler):
    """Records every run that it is given to in `callbacks`: thoughts, actions, observations, errors.

    Made by `memory.runs.recorder()`. Steps are written as each model call, tool and node ends, in a transaction of
    their own; a process that is killed leaves all up to the last of them. What the database does not take is tried
    again with the next step, and counted as lost where too much waits. Nothing here fails a run.

    Nothing is recorded without the user's consent, while memory is frozen or off, or of a run without a user.

    Attributes:
        lost: Steps that were not kept, of all runs so far.
    """

    def __init__(self, parts: Parts, scope: Scope | None = None) -> None:
        """Compose; without a scope, user and agent are those of each run."""
        self.lost = 0
        self._parts = parts
        self._scope = None if scope is None else check_instance("scope", scope, Scope)
        self._clock: Callable[[], datetime] = parts.clock
        self._lock = Lock()
        self._roots: dict[UUID, _Open] = {}
        self._begun: dict[UUID, tuple[datetime, Mapping[str, Any]]] = {}

    def root_of(self, run_id: UUID | None) -> str | None:
        """Return the id of the recorded run that a run within it belongs to."""
        opened = None if run_id is None else self._roots.get(run_id)
        return None if opened is None else opened.id

    # ---------------------------------------------------------------------------------------------------------- chains
    def on_chain_start(self, serialized: Any, inputs: Any, **given: Any) -> None:  # noqa: ANN401  (LangChain's)
        """Note a run that begins, or a node of its graph."""
        del serialized
        opened, is_root = self._enter(given)
        if is_root:
            metadata = given.get("metadata") or {}
            told = {"name": str(given.get("name") or ""), "thread_id": _text(metadata.get("thread_id"))}
            self._add(opened, "began", {**told, "messages": self._messages(opened, messages_in(inputs))})

    def on_chain_end(self, outputs: Any, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Note what a node put into the state, and the end of a run."""
        run_id = given["run_id"]
        opened, place = self._roots.get(run_id), self._begun.get(run_id, (None, {}))[1]
        if opened is None:
            return
        if str(run_id) == opened.id:
            self._close(opened, run_id, "ended", {})
            return
        if _is_node(place):
            messages = self._messages(opened, messages_in(outputs))
            self._add(opened, "moved", {**_place_of(place), "messages": messages})
            self._flush(opened)
        self._leave(opened, run_id)

    def on_chain_error(self, error: BaseException, **given: Any) -> None:
        """Note a node that failed, or waits for a person; and a run that failed."""
        run_id = given["run_id"]
        opened, place = self._roots.get(run_id), self._begun.get(run_id, (None, {}))[1]
        if opened is None:
            return
        if str(run_id) == opened.id:
            self._close(opened, run_id, "failed", _error(error))
            return
        if _is_node(place):
            kind: StepKind = "paused" if _is_pause(error) else "error"
            self._add(
                opened, kind, {"where": "node", **_place_of(place), **({} if kind == "paused" else _error(error))}
            )
            self._flush(opened)
        self._leave(opened, run_id)

    # ---------------------------------------------------------------------------------------------------------- models
    def on_chat_model_start(self, serialized: Any, messages: Any, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Note when a model is asked."""
        self._ask(serialized, len(messages[0]) if messages else 0, given)

    def on_llm_start(self, serialized: Any, prompts: Any, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Note when a model is asked."""
        self._ask(serialized, len(prompts), given)

    def on_llm_end(self, response: LLMResult, **given: Any) -> None:
        """Note what a model answered."""
        run_id = given["run_id"]
        opened = self._roots.get(run_id)
        if opened is None:
            return
        began, place = self._begun.get(run_id, (self._clock(), {}))
        said: dict[str, Any] = {**place, "seconds": (self._clock() - began).total_seconds()}
        generation = response.generations[0][0] if response.generations and response.generations[0] else None
        if isinstance(generation, ChatGeneration):
            said["messages"] = self._messages(opened, [generation.message])
        elif generation is not None:
            said["text"] = cut(clean(generation.text))
        self._told(opened, run_id, "thought", said)

    def on_llm_error(self, error: BaseException, **given: Any) -> None:
        """Note a model that failed."""
        self._failed("model", error, given["run_id"])

    # ----------------------------------------------------------------------------------------------------------- tools
    def on_tool_start(self, serialized: Any, input_str: str, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Note that a tool is called."""
        opened, _ = self._enter(given)
        name = str(given.get("name") or (serialized or {}).get("name") or "")
        told = {"tool": name, "call_id": _text(given.get("tool_call_id")), **_place_of(given.get("metadata") or {})}
        self._begun[given["run_id"]] = (self._clock(), told)
        inputs = given.get("inputs")
        self._add(opened, "action", {**told, "input": plain(input_str if inputs is None else inputs)})
        self._flush_first(opened)

    def on_tool_end(self, output: Any, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Note what a tool returned."""
        run_id = given["run_id"]
        opened = self._roots.get(run_id)
        if opened is None:
            return
        began, told = self._begun.get(run_id, (self._clock(), {}))
        messages = messages_in(output)
        said = {"messages": kept_messages(messages)} if messages else {"output": plain(output)}
        self._told(opened, run_id, "observation", {**told, "seconds": (self._clock() - began).total_seconds(), **said})

    def on_tool_error(self, error: BaseException, **given: Any) -> None:
        """Note a tool that failed."""
        self._failed("tool", error, given["run_id"])

    # ------------------------------------------------------------------------------------------------------ retrievers
    def on_retriever_start(self, serialized: Any, query: str, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Know what is done within a retriever as a part of the run."""
        del serialized, query
        self._enter(given)

    def on_retriever_end(self, documents: Any, **given: Any) -> None:  # noqa: ANN401  (as above)
        """Let go of a retriever; what it found stands in the receipt of a recall."""
        del documents
        self._pass(given["run_id"])

    def on_retriever_error(self, error: BaseException, **given: Any) -> None:
        """Note a retriever that failed."""
        self._failed("retriever", error, given["run_id"])

    def _pass(self, run_id: UUID) -> None:
        opened = self._roots.get(run_id)
        if opened is not None and str(run_id) == opened.id:
            self._close(opened, run_id, "ended", {})
        elif opened is not None:
            self._leave(opened, run_id)

    # --------------------------------------------------------------------------------------------------------- written
    def _ask(self, serialized: Any, count: int, given: Mapping[str, Any]) -> None:  # noqa: ANN401  (as above)
        opened, _ = self._enter(given)
        metadata = given.get("metadata") or {}
        model = metadata.get("ls_model_name") or given.get("name") or (serialized or {}).get("name")
        told = {"model": _text(model), "asked_with": count, **_place_of(metadata)}
        self._begun[given["run_id"]] = (self._clock(), told)
        self._flush_first(opened)

    def _failed(self, where: str, error: BaseException, run_id: UUID) -> None:
        opened = self._roots.get(run_id)
        if opened is not None:
            told = {} if where == "retriever" else self._begun.get(run_id, (None, {}))[1]
            kind: StepKind = "paused" if _is_pause(error) else "error"
            self._told(opened, run_id, kind, {"where": where, **told, **({} if kind == "paused" else _error(error))})

    def _told(self, opened: _Open, run_id: UUID, kind: StepKind, said: Mapping[str, Any]) -> None:
        """Note how something ended; where it was a run by itself, the run has ended."""
        self._add(opened, kind, said)
        if str(run_id) == opened.id:
            self._close(opened, run_id, "failed" if kind == "error" else "ended", {})
        else:
            self._flush(opened)
            self._leave(opened, run_id)

    def _enter(self, given: Mapping[str, Any]) -> tuple[_Open, bool]:
        """Return the run that something belongs to, and whether it is the run itself that begins."""
        run_id, parent = given["run_id"], given.get("parent_run_id")
        with self._lock:
            opened = self._roots.get(parent) if parent is not None else None
            is_root = opened is None
            opened = opened or _Open(str(run_id))
            opened.children.add(run_id)
            self._roots[run_id] = opened
            self._begun[run_id] = (self._clock(), {**(given.get("metadata") or {}), "": given.get("name")})
        return opened, is_root

    def _leave(self, opened: _Open, run_id: UUID) -> None:
        with self._lock:
            opened.children.discard(run_id)
            self._roots.pop(run_id, None)
            self._begun.pop(run_id, None)

    def _messages(self, opened: _Open, messages: Sequence[BaseMessage]) -> list[Any]:
        """Return messages as they are kept: whole the first time, by their id from then on."""
        told: list[Any] = []
        for message, kept in zip(messages, kept_messages(messages), strict=True):
            key = None if message.id is None else f"{message.id}\0{kept}"
            told.append({"ref": message.id} if key in opened.known else kept)
            if key is not None:
                opened.known.add(key)
        return told

    def _add(self, opened: _Open, kind: StepKind, body: Mapping[str, Any]) -> None:
        with self._lock:
            opened.no += 1
            opened.held.append(RunStep(no=opened.no, kind=kind, at=self._clock(), body=body))
            if len(opened.held) > MAX_HELD:
                opened.held.pop(0)
                opened.lost += 1
                self.lost += 1

    def _close(self, opened: _Open, run_id: UUID, kind: StepKind, body: Mapping[str, Any]) -> None:
        self._add(opened, kind, body)
        self._flush(opened)
        if opened.held:
            LOGGER.warning("%d steps of run %s were not recorded", len(opened.held), opened.id)
        with self._lock:
            self.lost += len(opened.held)
            for child in [*opened.children, run_id]:
                self._roots.pop(child, None)
                self._begun.pop(child, None)

    def _flush_first(self, opened: _Open) -> None:
        """Write how a run began, as soon as something in it says whose it is, and that it may be recorded."""
        if opened.is_silent:
            self._flush(opened)

    def _flush(self, opened: _Open) -> None:
        """Write what is held; what cannot be written waits for the next step."""
        with opened.writing:
            scope = opened.scope = opened.scope or self._whose()
            if scope is None:
                return
            opened.is_off = opened.is_off or self._parts.effective_mode(scope, resolve_mode()) != "on"
            held = self._held(opened)
            try:
                is_kept = not opened.is_off and run(self._write(opened.id, scope, held))
            except AgentMemError as error:
                LOGGER.warning("steps of run %s wait to be recorded: %s", opened.id, type(error).__name__)
                return
            self._let_go(opened, held, is_kept=is_kept)

    def _held(self, opened: _Open) -> list[RunStep]:
        """Return what is to be written, and how much was lost before it."""
        with self._lock:
            if not opened.lost:
                return list(opened.held)
            if not opened.lost_no:
                opened.no = opened.lost_no = opened.no + 1
            body = {"steps": opened.lost}
            return [*opened.held, RunStep(no=opened.lost_no, kind="lost", at=self._clock(), body=body)]

    def _let_go(self, opened: _Open, held: Sequence[RunStep], *, is_kept: bool) -> None:
        done = {it.no for it in held}
        with self._lock:
            opened.held = [it for it in opened.held if it.no not in done]
            told = sum(int(it.body["steps"]) for it in held if it.kind == "lost")
            opened.lost, opened.lost_no = opened.lost - told, 0 if told else opened.lost_no
            self.lost += 0 if is_kept else len(done)

    def _write(self, run_id: str, scope: Scope, steps: Sequence[RunStep]) -> Flow[bool]:
        def is_allowed(reader: LedgerReader) -> bool:
            return self._parts.refusal(reader.head.consent) is None

        def write(writer: LedgerWriter) -> bool:
            if is_allowed(writer):
                writer.runs.put(run_id, steps)
                return True
            return False

        def writing() -> Flow[bool]:
            if not (yield from self._parts.ledger.read(scope, is_allowed)):  # nobody becomes known by a refusal
                return False
            return (yield from self._parts.ledger.append(scope, write))

        return (yield from self._parts.access.within("write", scope, writing()))

    def _whose(self) -> Scope | None:
        """Return whose the run is; a user who stands in the run's context is known once a node is at work."""
        try:
            scope = resolve_scope(explicit=self._scope)
        except ScopeError:
            return None
        return None if scope.is_anonymous else scope


def _is_node(place: Mapping[str, Any]) -> bool:
    """Whether a chain is a node of a graph, and no part of one."""
    return place.get("langgraph_node") is not None and place.get("") == place["langgraph_node"]


def _place_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return where in a graph something happened."""
    if "langgraph_node" not in metadata:
        return {}
    path = [it if isinstance(it, bool | int) else str(it) for it in metadata.get("langgraph_path") or ()]
    namespace = str(metadata.get("langgraph_checkpoint_ns") or "")
    return {
        "node": str(metadata["langgraph_node"]),
        "graph_step": metadata.get("langgraph_step"),
        "path": path,
        "within": namespace.rpartition("|")[0],
    }


def _error(error: BaseException) -> dict[str, str]:
    return {"type": type(error).__name__, "text": cut(clean(str(error)))}


def _is_pause(error: BaseException) -> bool:
    return any(it.__name__ == "GraphBubbleUp" for it in type(error).__mro__)


def _text(value: object) -> str | None:
    return None if value is None else clean(str(value))
