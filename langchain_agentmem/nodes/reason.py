"""The model's part of a turn: what it is told about memory, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow, flows_of, step
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.nodes.completing import Completing
from langchain_agentmem.nodes.placing import parted, placed
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.stopping import MAX_REFUSALS, stopped
from langchain_agentmem.nodes.telling import answered_flow
from langchain_agentmem.nodes.turn import MemoryNode, MemoryParts, Turn
from langchain_agentmem.prompts import load_prompt

ToolLike = BaseTool | Callable[..., Any]


class Reason(MemoryNode):
    """Calls the model with what memory has for the turn. Tokens stream as those of any model call.

    It stands in this one request, as delimited data: what seldom changes in the system message, the rest in a marked
    note right before the user's last message; see `placing`. It is never in `messages`: no later turn and no extraction
    takes it for something that was said.

    A turn in which the same call was refused again and again ends here, without a call of the model.

    Args:
        model: A chat model.
        memory: An `AgentMemory`.
        tools: What the model may call.
        prompt: Replaces the packaged prompt `agent`.
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
        self._completing = Completing(memory, self._settings)
        self._model = _bound(model, tools)
        self._long_term = flows_of(memory.long_term)
        self._own = prompt or ""
        self._prompt = prompt if prompt is not None else load_prompt("agent")

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        end = stopped(turn, self._max_refusals)
        if end is not None:
            return {"messages": [end], **turn.update()}
        turn = yield from self._completing.complete_flow(turn)
        system, said = placed(parted(turn.messages), turn, self._prompt)
        request = said if system is None else [system, *said]
        answer = yield from step(
            partial(self._model.invoke, request, turn.config), partial(self._model.ainvoke, request, turn.config)
        )
        return {"messages": [answer], **(yield from answered_flow(self._long_term, turn, answer.id, self._own))}


def _bound(model: BaseChatModel, tools: Sequence[ToolLike]) -> Runnable[LanguageModelInput, Any]:
    if not tools:
        return model
    try:
        return model.bind_tools(list(tools))
    except NotImplementedError as error:
        msg = f"{type(model).__name__} cannot call tools; pass tools=() or a model that implements bind_tools"
        raise ConfigurationError(msg) from error
