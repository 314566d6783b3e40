"""Policies around the tools of an agent: what memory lets run is checked against them, and asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langgraph.types import Command

from langchain_agentmem._flow import Face, Flow, flows_of
from langchain_agentmem.extraction.record.conversation import with_executed
from langchain_agentmem.nodes.earlier import earlier_of, turns_of
from langchain_agentmem.nodes.looking import Look
from langchain_agentmem.nodes.state import RAN
from langchain_agentmem.nodes.turn import Turn
from langchain_agentmem.procedural.guard import CallContext, Checks, Guard, Guarded, fingerprint
from langchain_agentmem.procedural.left import LEFT, Left

_NO_WARNINGS: Final = Guarded(verdict="run")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What becomes of calls after memory and policies had their say.

    Attributes:
        looks: One per call.
        guarded: By the ids of the calls that policies let run.
        swapped: By their ids, calls that ran in the place of those that the model made.
    """

    looks: list[Look]
    guarded: Mapping[str | None, Guarded] = field(default_factory=dict)
    swapped: Mapping[str | None, ToolCall] = field(default_factory=dict)

    def in_place_of(self, messages: Sequence[BaseMessage]) -> Settled:
        """Return it as what ran, and what the last message of the model called in its place."""
        asked = next((it.tool_calls for it in reversed(messages) if isinstance(it, AIMessage)), [])
        made = [(call["id"], call["name"], call["args"]) for call in asked]
        ran = [look.call for look in self.looks]
        return replace(self, swapped={it["id"]: it for it in ran if (it["id"], it["name"], it["args"]) not in made})

    def told(self, ran: Any) -> Any:  # noqa: ANN401  (what a ToolNode or a tool returns)
        """Return what tools answered, with the warnings of soft policies in their answers."""
        if isinstance(ran, list):
            return [self.told(item) for item in ran]
        if isinstance(ran, dict) and "messages" in ran:
            kept = {name: value for name, value in ran.items() if name not in {RAN, LEFT}}  # no tool vouches for itself
            kept |= {LEFT: dict(ran[LEFT])} if isinstance(ran.get(LEFT), Left) else {}
            return {**kept, "messages": [self.told(item) for item in ran["messages"]]}
        if isinstance(ran, Command) and isinstance(ran.update, dict) and "messages" in ran.update:
            return replace(ran, update=self.told(ran.update))
        if not isinstance(ran, ToolMessage):
            return ran
        answer = with_executed(ran, self.swapped.get(ran.tool_call_id))
        return self.guarded.get(ran.tool_call_id, _NO_WARNINGS).told(answer)

    def noted(self, told: Any, turn: Turn) -> dict[str, Any]:  # noqa: ANN401  (what `told` returned)
        """Return the update of the state that notes what ran; policies that require it take nothing else for it."""
        calls = {look.call["id"]: look.call for look in self.looks if look.call["id"] in self.guarded}
        found = [fingerprint(calls[it.tool_call_id], it) for it in answers_in(told) if it.tool_call_id in calls]
        return {RAN: [f"{each}{turn.id}" for each in found]} if found else {}


def answers_in(told: Any) -> Iterator[ToolMessage]:  # noqa: ANN401  (as above)
    """Yield the answers to calls in what a `ToolNode` or a tool returns."""
    if isinstance(told, ToolMessage):
        yield told
    elif isinstance(told, list):
        for item in told:
            yield from answers_in(item)
    elif isinstance(told, Command):
        yield from answers_in(told.update)
    elif isinstance(told, Mapping):
        yield from answers_in(told.get("messages"))


def guard_of(memory: object, tools: Mapping[str, Any] | None = None) -> Guard | None:
    """Return the guard of a memory that has policies; `None` for one that has none."""
    procedural: Face[Checks] | None = getattr(memory, "procedural", None)
    return None if procedural is None else Guard(flows_of(procedural), tools)


def settle_flow(guard: Guard | None, turn: Turn, looks: Sequence[Look]) -> Flow[Settled]:
    """Check what memory lets run against the policies, and ask where a person must agree; nothing may run before.

    Only what would run is asked about, so that nobody approves what is then held. Tools of memory itself are actions
    like any other.
    """
    calls = [look.call for look in looks if look.verdict == "run"]
    if guard is None or not calls:
        return Settled(looks=list(looks))
    context = CallContext(
        scope=turn.actor or turn.scope,
        config=turn.config,
        messages=turn.messages,
        turn=turn.id,
        ran=turns_of(turn.state.get(RAN) or ()),
        earlier=earlier_of(turn.config),
        is_logged=turn.may_read,  # what binds and what was done is no memory: it is logged where memory is frozen, too
    )
    judged = yield from guard.judge_flow(calls, context)
    verdicts = iter(judged)  # by their places: an id may come twice
    settled = [_settled(look, next(verdicts)) if look.verdict == "run" else look for look in looks]
    guarded = {call["id"]: it for call, it in zip(calls, judged, strict=True) if it.verdict == "run"}
    return Settled(looks=settled, guarded=guarded)


def _settled(look: Look, guarded: Guarded) -> Look:
    if guarded.verdict == "run":
        return look
    return replace(look, verdict="block", reason=guarded.reason, status=look.status or guarded.failure)
