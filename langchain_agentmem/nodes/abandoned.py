"""Calls of tools that nobody answered, because the conversation went on without them.

Whoever types on in place of approving a call, or comes back after a crash, leaves it without an answer. Providers
refuse such a conversation, in that turn and in every later one; so the next turn answers the call before it begins.

What ran beside a call that waited has its answer among the writes of the step that was cut short, which LangGraph drops
when the conversation goes on: it is read from the checkpointer. What nobody can know is told as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.extraction.record.calls import unanswered
from langchain_agentmem.nodes.guarding import answers_in
from langchain_agentmem.nodes.looking import refused_call
from langchain_agentmem.nodes.turn import Failure, Turn, attempt, messages_of

ABANDONED: Final = (
    "Not run to its end: the conversation went on before this call was approved or answered. Do not take it for done."
)
"""A call that waited for a person never began; one whose tool asked something itself may have begun."""

UNKNOWN: Final = (
    "It may have run: the conversation went on before its answer was kept. Check before you repeat it, and take it "
    "neither for done nor for not done."
)
"""Of a call that was cut short with its process, or of which nothing is kept."""

MARK_ABANDONED: Final = "abandoned"

MAX_BACK: Final = 4
"""Checkpoints that are looked at: the run that goes on has made one or two before its first node."""

_CHECKPOINTER: Final = "__pregel_checkpointer"
_SENT: Final = "__pregel_tasks"
_INTERRUPT: Final = "__interrupt__"
_BEFORE_ALL: Final = ("approval_id", "action_requests")
"""What is asked about with one of these is asked before any tool of its step has run."""

Answer: TypeAlias = Callable[[AIMessage, Sequence[ToolCall]], Iterator[ToolMessage]]


@dataclass(frozen=True, slots=True)
class _Left:
    """What is kept of the step that was cut short; `asking_id` is the message whose calls it was to run."""

    asking_id: str | None = None
    answers: Mapping[str, ToolMessage] | None = None
    asked: Sequence[Sequence[Any]] = ()
    is_one_by_one: bool = False

    def answered(self, asking: AIMessage, calls: Sequence[ToolCall]) -> Iterator[ToolMessage]:
        """Yield an answer to each call that has none."""
        is_known = asking.id is not None and asking.id == self.asking_id
        kept = (self.answers or {}) if is_known else {}
        open_ = [call for call in calls if (call["id"] or "") not in kept]
        for call in calls:
            known = kept.get(call["id"] or "")
            has_waited = is_known and self._has_waited(call, len(open_))
            yield known or refused_call(call, MARK_ABANDONED, ABANDONED if has_waited else UNKNOWN)

    def _has_waited(self, call: ToolCall, count: int) -> bool:
        """Whether a call that has no answer waited for one: all of them did, or it is what was asked about."""
        if self.is_one_by_one:
            return len(self.asked) >= count or any(_is_about(value, call) for each in self.asked for value in each)
        is_before_all = any(_names(value, _BEFORE_ALL) for each in self.asked for value in each)
        return is_before_all or max(map(len, self.asked), default=0) >= count


def answered_flow(turn: Turn) -> Flow[dict[str, Any]]:
    """Return the update of the state in which every call that was left behind has its answer; mostly, there is none.

    Answers stand behind their calls, where providers want them, so that all messages are given anew, under their ids.
    """
    messages = messages_of(turn.state)
    if len([*_answered(messages, _Left().answered)]) == len(messages):
        return {}
    left = yield from attempt(_left_flow, turn.config)
    answer = _Left().answered if isinstance(left, Failure) else left.answered
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *_answered(messages, answer)]}


def _answered(messages: Sequence[BaseMessage], answer: Answer) -> Iterator[BaseMessage]:
    """Yield messages, and behind the answers to each message of the model those that are missing.

    The calls of the last message of the model wait for their answers, unless somebody has spoken since.
    """
    missing: list[ToolMessage] = []
    for place, message in enumerate(messages):
        if missing and not isinstance(message, ToolMessage):
            yield from missing
            missing = []
        yield message
        if isinstance(message, AIMessage) and message.tool_calls:
            missing = list(answer(message, unanswered(message, messages[place + 1 :])))


def _left_flow(config: RunnableConfig) -> Flow[_Left]:
    """Return what the checkpointer keeps of the step before this run."""
    configurable = config.get("configurable", {})
    saver = configurable.get(_CHECKPOINTER)
    if not isinstance(saver, BaseCheckpointSaver):
        return _Left()
    place = str(configurable.get("checkpoint_ns", "")).rpartition("|")[0]
    now = (configurable.get("checkpoint_map") or {}).get(place)
    where = {name: value for name, value in configurable.items() if not name.startswith("__pregel")}
    where |= {"checkpoint_ns": place}
    wanted: list[RunnableConfig] = [{"configurable": {**where, "checkpoint_id": id_}} for id_ in (now, None)]
    for _ in range(
        MAX_BACK
    ):  # the checkpoint that this run began with may not be stored yet: then it is the one before
        found: CheckpointTuple | None = None
        while found is None and wanted:
            found = yield from step(saver.get_tuple, saver.aget_tuple, wanted.pop(0))
        if found is None or _is_cut_short(found):
            return _Left() if found is None else _left_in(found)
        before = found.parent_config
        wanted = [] if before is None else [{"configurable": {**where, **before["configurable"]}}]
    return _Left()


def _is_cut_short(found: CheckpointTuple) -> bool:
    """Whether it stands before the step that was to run the calls; one of an input that came since does not."""
    last = next(reversed(found.checkpoint["channel_values"].get("messages") or [None]))
    return found.metadata.get("source") != "input" and isinstance(last, AIMessage) and bool(last.tool_calls)


def _left_in(found: CheckpointTuple) -> _Left:
    values, writes = found.checkpoint["channel_values"], found.pending_writes or []
    answers = {it.tool_call_id: it for _, _, value in writes for it in answers_in(value)}
    asked = [[it.value for it in value] for _, channel, value in writes if channel == _INTERRUPT]
    return _Left(values["messages"][-1].id, answers, asked, bool(values.get(_SENT)))


def _names(value: object, keys: Sequence[str]) -> bool:
    return isinstance(value, Mapping) and any(key in value for key in keys)


def _is_about(value: object, call: ToolCall) -> bool:
    is_named = isinstance(value, Mapping) and "approval_id" in value
    return is_named and (value.get("tool"), value.get("args")) == (call["name"], call["args"])  # type: ignore[attr-defined]  # a mapping
