"""The agent's hands: before a tool runs, memory is asked about the action."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langgraph.prebuilt import ToolNode

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction.record.calls import waiting_in
from langchain_agentmem.extraction.record.conversation import MARK
from langchain_agentmem.nodes.beside import was_told
from langchain_agentmem.nodes.calling import Round, ToolRunner
from langchain_agentmem.nodes.guarding import answers_in, guard_of, settle_flow
from langchain_agentmem.nodes.handing import handed_over, is_handoff
from langchain_agentmem.nodes.looking import (
    BeforeAction,
    Look,
    Lookout,
    describe_action,
    looked,
    memory_tool_names,
    refused_call,
)
from langchain_agentmem.nodes.queueing import Queue
from langchain_agentmem.nodes.reason import ToolLike
from langchain_agentmem.nodes.recalled import without, words
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.settling import SettlingParts
from langchain_agentmem.nodes.task_changes import with_possible_changes
from langchain_agentmem.nodes.turn import MemoryNode, Turn

MAX_ROUNDS: Final = 10
"""Rounds of tools in one turn: an agent that needs more is going in circles more often than not."""

STOPPED: Final = "Not run: this turn has used up its {rounds} rounds of tools."
_SEVERAL: Final = (
    "calls of {names} wait for an answer, and a message that calls other tools was put behind them; resume the run "
    "without such a message, or with one that answers those calls (a ToolMessage for each)"
)
GAVE_UP: Final = "I stopped after {rounds} rounds of tools without reaching an answer."


class Act(MemoryNode):
    """Runs the tools the model called, after a look at memory.

    For each call the past failures of the action and every constraint in force are recalled. What of it the model has
    not been shown in this turn is shown first: the call is *held*, answered by a message that says so, and the model
    decides again, knowing it. A call is held at most once per action and turn, and only for memories not yet shown, so
    that the loop ends; every call has its answer, as providers demand. Where memory fails, tools run and the report
    says `degraded`; a `before_action` that wants to be stricter sees a recall of that status.

    What memory lets run is checked against the policies of procedural memory: a hard one blocks the call, a soft one
    warns with the tool's answer, and where a person must agree the graph is interrupted before any tool has run.

    The calls of one message run at once. Where a checkpointer can keep it, each is a step of its own (`tool`, in
    streams of updates too): a tool that interrupts the graph makes no other one run again. Where several interrupt it,
    all are listed: each is resumed by its id, at once or one by one, and the last also without.

    A tool that hands over to another agent, by a command for the graph around this one, ends the turn here: what
    follows from it is done or queued as `Queue` does it.

    A tool that raises is answered with a message of status `error`, and so is a name that the model made up, from which
    nothing is learned.

    Args:
        tools: What may be called.
        memory: An `AgentMemory`.
        before_action: May forbid a call: returns why, which goes to the model, or `None`.
        max_rounds: Rounds of tools in one turn.
        unguarded: Names of tools that run without a look at memory, beside those of this package.
        settings: For whom, and in which mode.

    Raises:
        ConfigurationError: When it runs: calls of several messages wait for an answer.
    """

    name = "act"

    def __init__(
        self,
        tools: Sequence[ToolLike],
        memory: SettlingParts,
        *,
        before_action: BeforeAction | None = None,
        max_rounds: int = MAX_ROUNDS,
        unguarded: Collection[str] = (),
        settings: NodeSettings | None = None,
    ) -> None:
        super().__init__(settings)
        self._tools = ToolNode(list(tools), handle_tool_errors=_tool_error)
        self._runner = ToolRunner(self._tools)
        self._max_rounds = max_rounds
        self._queue = Queue(memory, ignore=memory_tool_names(self._tools.tools_by_name.values()), settings=settings)
        self._guard = guard_of(memory, self._tools.tools_by_name)
        self._lookout = Lookout(
            long_term=flows_of(memory.long_term),
            query=self._settings.asked,
            before_action=before_action,
            unguarded=frozenset({*unguarded, *memory_tool_names(self._tools.tools_by_name.values())}),
        )

    def _work(self, turn: Turn) -> Flow[Any]:
        calls = _calls_of(turn)
        if turn.report["iteration"] > self._max_rounds:
            return {"messages": self._give_up(calls)}
        looks: list[Look] = []
        for call in calls:
            looks.append((yield from self._look(turn, call)))  # noqa: PERF401  (no comprehension may yield)
        settled = yield from settle_flow(self._guard, turn, looks)
        allowed = [look.verdict == "run" for look in settled.looks]
        ran = yield from self._runner.run_flow(Round(turn, calls, allowed))
        looks = [
            replace(look, verdict="run") if is_done else look
            for look, is_done in zip(settled.looks, ran.done, strict=True)
        ]
        told = settled.told(ran.result)
        if self._settings.working:
            told = with_possible_changes(told, [call["id"] for call in calls])
        update = {**_update(turn, looks), **settled.noted(told, turn)}
        if is_handoff(told):
            told = yield from self._handed_over(turn.after(update), calls, told)
        return _joined(update, looks, told)

    def _handed_over(self, turn: Turn, calls: Sequence[ToolCall], told: Any) -> Flow[Any]:  # noqa: ANN401  (what a ToolNode returns)
        """Return what tools returned, with what the turn left: it ends here, and no other node of this graph runs."""
        ids = [call["id"] for call in calls]
        answers = [it for it in answers_in(handed_over(told, ids, {})) if it.tool_call_id in ids]
        ended = replace(turn, messages=[*turn.messages, *answers])
        ended = ended.after((yield from flows_of(self._queue).work(ended)))
        return handed_over(told, ids, {"memory": ended.report})

    def _look(self, turn: Turn, call: ToolCall) -> Flow[Look]:
        if call["name"] not in self._tools.tools_by_name:
            known = ", ".join(self._tools.tools_by_name) or "none"
            reason = f"{call['name']} is no tool; there is: {known}"
            return Look(call=call, action=describe_action(call), verdict="block", reason=reason)
        return (yield from self._lookout.look(turn, call))

    def _give_up(self, calls: Sequence[ToolCall]) -> list[BaseMessage]:
        reason = STOPPED.format(rounds=self._max_rounds)
        answers = [refused_call(call, "stopped", reason) for call in calls]
        return [*answers, AIMessage(GAVE_UP.format(rounds=self._max_rounds), response_metadata={MARK: "stopped"})]


def pending_calls(messages: Sequence[BaseMessage]) -> list[ToolCall]:
    """Return the calls that wait for an answer, of the last message of the model that has such; see `waiting_in`."""
    return next((calls for _, calls in waiting_in(messages[_last_calling(messages) :])), [])


def _last_calling(messages: Sequence[BaseMessage]) -> int:
    """Return the place of the last message of the model that calls tools, or the end."""
    places = (place for place in reversed(range(len(messages))) if getattr(messages[place], "tool_calls", None))
    return next(places, len(messages))


def is_answered(messages: Sequence[BaseMessage], direct: Collection[str]) -> bool:
    """Whether the tools have answered the user: all that the model called are `direct`, and ran."""
    rounds = takewhile(lambda it: not isinstance(it, AIMessage), reversed(messages))
    answers = [it for it in rounds if isinstance(it, ToolMessage)]
    return bool(answers) and all(it.name in direct and MARK not in it.additional_kwargs for it in answers)


def _calls_of(turn: Turn) -> list[ToolCall]:
    """Return the calls that are to run now.

    Raises:
        ConfigurationError: Other calls wait, too: an answer to the one would be taken for an answer to the other.
    """
    waiting = [calls for _, calls in waiting_in(turn.messages[turn.new_from :])]
    if len(waiting) > 1:
        names = ", ".join(call["name"] for call in waiting[-1])
        raise ConfigurationError(_SEVERAL.format(names=names))
    return waiting[0] if waiting else []


def _tool_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _update(turn: Turn, looks: Sequence[Look]) -> dict[str, Any]:
    text = turn.state.get("memory_text")
    is_told = bool(turn.report["recalled"]) or was_told(turn.report)
    is_lost = not text and is_told  # after an interrupt: `Reason` reads all of it anew
    added = looked(turn, looks)
    shown: list[str] = []
    for look in () if is_lost else looks:
        fresh = without(look.fresh, shown)
        text = words(fresh, text) if fresh.hits or fresh.constraints else text
        shown += [hit.memory.id for hit in (*fresh.constraints, *fresh.hits)]
    status = next((look.status for look in looks if look.status is not None), turn.report["status"])
    report = turn.report
    update = turn.update(
        recalled=[*report["recalled"], *added["recalled"]],
        receipt_ids=[*report["receipt_ids"], *added["receipt_ids"]],
        held=[*report["held"], *added["held"]],
        status=status,
    )
    return update if text is None else {**update, "memory_text": text}


def _joined(update: dict[str, Any], looks: Sequence[Look], ran: Any) -> Any:  # noqa: ANN401  (what a ToolNode returns)
    """Return the updates of a round, the answers in the order of the calls; commands of tools are among them."""
    kept = [refused_call(look.call, look.verdict, look.reason) for look in looks if look.verdict != "run"]
    order = {look.call["id"]: place for place, look in enumerate(looks)}

    def place(part: Any) -> int:  # noqa: ANN401  (as above)
        return min((order.get(it.tool_call_id, len(order)) for it in answers_in(part)), default=len(order))

    if isinstance(ran, dict):
        return {**update, "messages": sorted([*kept, *ran["messages"]], key=place)}
    parts = [*({"messages": [it]} for it in kept), *(part for item in ran for part in _apart(item))]
    return [*sorted(parts, key=place), update]


def _apart(item: Any) -> list[Any]:  # noqa: ANN401  (as above)
    """Return one update for each answer; a command, and what says more than answers, is left whole."""
    is_plain = isinstance(item, dict) and [*item] == ["messages"]
    return [{"messages": [it]} for it in item["messages"]] if is_plain else [item]
