"""The agent's hands: before a tool runs, memory is asked about the action."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.runnables.config import patch_config
from langgraph.prebuilt import ToolNode

from langchain_agentmem._flow import Flow, step, work
from langchain_agentmem.extraction.conversation import MARK
from langchain_agentmem.extraction.quarantine import plain
from langchain_agentmem.nodes.reason import ToolLike
from langchain_agentmem.nodes.recalled import entries, without, words
from langchain_agentmem.nodes.turn import (
    MAX_QUERY_CHARS,
    Failure,
    MemoryNode,
    MemoryParts,
    NodeSettings,
    Turn,
    attempt,
)
from langchain_agentmem.types import Recall

BeforeAction: TypeAlias = Callable[[str, Recall], str | None]
"""Given an action and what memory knows about it, returns why it must not run, or `None`."""

MAX_ROUNDS: Final = 10
"""Rounds of tools in one turn: an agent that needs more is going in circles more often than not."""

HELD: Final = (
    "Not run yet: memory holds something about this action that you had not seen. It now stands among the memories. "
    "Take it into account, then call the tool again, call another one, or answer."
)
STOPPED: Final = "Not run: this turn has used up its {rounds} rounds of tools."
GAVE_UP: Final = "I stopped after {rounds} rounds of tools without reaching an answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What came of looking at memory before one call."""

    call: ToolCall
    action: str
    verdict: Literal["run", "hold", "block"]
    reason: str = ""
    fresh: Recall = field(default_factory=Recall)
    receipt_id: str | None = None
    status: str | None = None


class Act(MemoryNode):
    """Runs the tools the model called, after a look at memory.

    For each call the past failures of the action and every constraint in force are recalled. What of it the model has
    not been shown in this turn is shown first: the call is *held*, answered by a message that says so, and the model
    decides again, knowing it. A call is held at most once per action and turn, and only for memories not yet shown, so
    that the loop ends; every call has its answer, as providers demand. Where memory fails, tools run and the report
    says `degraded`; a `before_action` that wants to be stricter sees a recall of that status.

    A tool that raises is answered with a message of status `error`, and so is a name that the model made up, from which
    nothing is learned.

    Args:
        tools: What may be called.
        memory: An `AgentMemory`.
        before_action: May forbid a call; its reason goes to the model.
        max_rounds: Rounds of tools in one turn.
        unguarded: Names of tools that run without a look at memory, beside those of this package.
        settings: For whom, and in which mode.
    """

    name = "act"

    def __init__(
        self,
        tools: Sequence[ToolLike],
        memory: MemoryParts,
        *,
        before_action: BeforeAction | None = None,
        max_rounds: int = MAX_ROUNDS,
        unguarded: Collection[str] = (),
        settings: NodeSettings | None = None,
    ) -> None:
        super().__init__(settings)
        self._tools = ToolNode(list(tools), handle_tool_errors=_tool_error)
        self._long_term = memory.long_term
        self._before_action = before_action
        self._max_rounds = max_rounds
        self._unguarded = {*unguarded, *memory_tool_names(self._tools.tools_by_name.values())}

    def _work(self, turn: Turn) -> Flow[Any]:
        calls = pending_calls(turn.messages)
        if turn.report["iteration"] > self._max_rounds:
            return {"messages": self._give_up(calls)}
        looks: list[Look] = []
        for call in calls:
            looks.append((yield from self._look(turn, call)))  # noqa: PERF401  (no comprehension may yield)
        allowed = [look.call for look in looks if look.verdict == "run"]
        ran = (yield from self._run(turn, allowed)) if allowed else {"messages": []}
        return _joined(_update(turn, looks), looks, ran)

    def _look(self, turn: Turn, call: ToolCall) -> Flow[Look]:
        action = describe_action(call)
        if call["name"] not in self._tools.tools_by_name:
            known = ", ".join(self._tools.tools_by_name) or "none"
            return Look(
                call=call, action=action, verdict="block", reason=f"{call['name']} is no tool; there is: {known}"
            )
        found: Recall | Failure = Recall(status="skipped")
        if turn.may_read and call["name"] not in self._unguarded:
            query = replace(self._settings.query, text="", action=action)
            found = yield from attempt(self._long_term.recall_flow, query, turn.scope, turn.mode)
        recall = Recall(status="degraded") if isinstance(found, Failure) else found
        status = found.status if isinstance(found, Failure) else None
        look = partial(Look, call=call, action=action, receipt_id=recall.receipt_id, status=status)
        objection = (yield from work(self._before_action, action, recall)) if self._before_action else None
        if objection is not None:
            return look(verdict="block", reason=objection)
        fresh = without(recall, [entry["id"] for entry in turn.report["recalled"]])
        if (fresh.hits or fresh.constraints) and action not in turn.report["held"]:
            return look(verdict="hold", reason=HELD, fresh=fresh)
        return look(verdict="run")

    def _run(self, turn: Turn, calls: Sequence[ToolCall]) -> Flow[Any]:
        """Run some of the calls of the last message; tools see the turn's own mode."""
        asked = turn.messages[-1].model_copy(update={"tool_calls": list(calls)})
        state = {**turn.state, "messages": [*turn.messages[:-1], asked]}
        mode = {**turn.config.get("configurable", {}), "memory_mode": turn.mode}
        config = patch_config(turn.config, configurable=mode)
        blocking, awaitable = partial(self._tools.invoke, state, config), partial(self._tools.ainvoke, state, config)
        return (yield from step(blocking, awaitable))

    def _give_up(self, calls: Sequence[ToolCall]) -> list[BaseMessage]:
        reason = STOPPED.format(rounds=self._max_rounds)
        answers = [_answer(call, "stopped", reason) for call in calls]
        return [*answers, AIMessage(GAVE_UP.format(rounds=self._max_rounds), response_metadata={MARK: "stopped"})]


def pending_calls(messages: Sequence[BaseMessage]) -> list[ToolCall]:
    """Return the calls of the last message, if it is the model's."""
    last = messages[-1] if messages else None
    return list(last.tool_calls) if isinstance(last, AIMessage) else []


def describe_action(call: ToolCall) -> str:
    """Return a call as the text that memory is asked about."""
    arguments = ", ".join(f"{name}={json.dumps(value, default=str)}" for name, value in call["args"].items())
    return plain(f"{call['name']}({arguments})")[:MAX_QUERY_CHARS]


def memory_tool_names(tools: Iterable[Any]) -> set[str]:
    """Return the names of this package's tools: they read and write memory, and are no actions to learn from."""
    return {tool.name for tool in tools if MARK in (getattr(tool, "metadata", None) or {})}


def _tool_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _answer(call: ToolCall, mark: str, reason: str) -> ToolMessage:
    """Return the answer to a call that did not run; marked, so that nobody learns from it."""
    return ToolMessage(
        reason, tool_call_id=call["id"] or "", name=call["name"], status="error", additional_kwargs={MARK: mark}
    )


def _update(turn: Turn, looks: Sequence[Look]) -> dict[str, Any]:
    text = turn.state.get("memory_text")
    is_lost = not text and bool(turn.report["recalled"])  # after an interrupt: `Reason` reads all of it anew
    recalled = list(turn.report["recalled"])
    for look in looks:
        fresh = without(look.fresh, [entry["id"] for entry in recalled])
        receipts = {hit.memory.id: look.receipt_id for hit in (*fresh.constraints, *fresh.hits)}
        recalled += entries(fresh, receipts, action=look.action)
        text = words(fresh, text) if receipts and not is_lost else text
    status = next((look.status for look in looks if look.status is not None), turn.report["status"])
    receipt_ids = [*turn.report["receipt_ids"], *(look.receipt_id for look in looks if look.receipt_id)]
    held = [*turn.report["held"], *(look.action for look in looks if look.verdict == "hold")]
    update = turn.update(recalled=recalled, receipt_ids=receipt_ids, held=held, status=status)
    return update if text is None else {**update, "memory_text": text}


def _joined(update: dict[str, Any], looks: Sequence[Look], ran: Any) -> Any:  # noqa: ANN401  (what a ToolNode returns)
    """Return one update, the answers in the order of the calls; commands of tools go beside it."""
    kept = [_answer(look.call, look.verdict, look.reason) for look in looks if look.verdict != "run"]
    if not isinstance(ran, dict):
        return [*ran, {**update, "messages": kept}]
    order = {look.call["id"]: place for place, look in enumerate(looks)}
    answers = sorted([*kept, *ran["messages"]], key=lambda answer: order.get(answer.tool_call_id, len(order)))
    return {**update, "messages": answers}
