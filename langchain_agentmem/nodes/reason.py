"""The model's part of a turn: what it is told about memory, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow, step
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.nodes.beside import Beside, BesideMemories, was_told
from langchain_agentmem.nodes.recalled import reread
from langchain_agentmem.nodes.state import MemoryText
from langchain_agentmem.nodes.stopping import MAX_REFUSALS, stopped
from langchain_agentmem.nodes.telling import note_injection, remarks
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, NodeSettings, Turn, attempt
from langchain_agentmem.prompts import load_prompt

ToolLike = BaseTool | Callable[..., Any]


class Reason(MemoryNode):
    """Calls the model with what memory has for the turn. Tokens stream as those of any model call.

    Recalled memories stand as delimited data at the end of the system message of this one request, never in
    `messages`: no later turn and no extraction takes them for something that was said.

    A turn in which the same call was refused again and again ends here, without a call of the model.

    Args:
        model: A chat model.
        memory: An `AgentMemory`.
        tools: What the model may call.
        prompt: Replaces the packaged prompt `respond`.
        max_refusals: How often the same call may be refused for the same reason in a turn.
        settings: For whom, and in which mode.

    Raises:
        ConfigurationError: There are tools, and the model takes none.
    """

    name = "reason"

    def __init__(
        self,
        model: BaseChatModel,
        memory: MemoryParts,
        *,
        tools: Sequence[ToolLike] = (),
        prompt: str | None = None,
        max_refusals: int = MAX_REFUSALS,
        settings: NodeSettings | None = None,
    ) -> None:
        super().__init__(settings)
        self._max_refusals = check_count("max_refusals", max_refusals)
        self._beside = BesideMemories(memory, self._settings)
        self._model = _bound(model, tools)
        self._long_term = memory.long_term
        self._prompt = prompt if prompt is not None else load_prompt("respond")

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        end = stopped(turn, self._max_refusals)
        if end is not None:
            return {"messages": [end], **turn.update()}
        text: MemoryText | None = turn.state.get("memory_text")
        found: MemoryText | Failure = text or MemoryText()
        if not text:  # after an interrupt, or where nothing was told
            found = yield from attempt(self._again, turn)
        status = found.status if isinstance(found, Failure) else turn.report["status"]
        told = {} if isinstance(found, Failure) else found
        request = [SystemMessage(self._system(turn, status, told)), *_said(turn.messages)]
        answer = yield from step(
            partial(self._model.invoke, request, turn.config), partial(self._model.ainvoke, request, turn.config)
        )
        status = (yield from note_injection(self._long_term, turn, status, answer.id)) if told else status
        return {"messages": [answer], **turn.update(iteration=turn.report["iteration"] + 1, status=status)}

    def _again(self, turn: Turn) -> Flow[MemoryText]:
        """Return what the turn was told, as it stands now."""
        is_recalled = turn.may_read and bool(turn.report["recalled"])
        told = (yield from reread(self._long_term, turn)) if is_recalled else MemoryText()
        beside = (yield from self._beside.read_flow(turn)) if was_told(turn.report) else Beside()
        return cast("MemoryText", {**beside.text, **told})

    def _system(self, turn: Turn, status: str, told: Mapping[str, Any]) -> str:
        """Return what never changes first, then what changes with the turn: providers cache a prompt's beginning."""
        own = (message.text for message in takewhile(_is_system, turn.messages))
        layers = (told.get(name, "") for name in ("skills", "working", "prompt"))
        parts = [*own, self._prompt, told.get("goal", ""), *remarks(turn, status, told), *layers]
        return "\n\n".join(filter(None, parts))


def _said(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    leading = len(list(takewhile(_is_system, messages)))
    return list(messages[leading:])


def _is_system(message: BaseMessage) -> bool:
    return isinstance(message, SystemMessage)


def _bound(model: BaseChatModel, tools: Sequence[ToolLike]) -> Runnable[LanguageModelInput, Any]:
    if not tools:
        return model
    try:
        return model.bind_tools(list(tools))
    except NotImplementedError as error:
        msg = f"{type(model).__name__} cannot call tools; pass tools=() or a model that implements bind_tools"
        raise ConfigurationError(msg) from error
