"""A chat model that says what it is told to, takes tools, streams word by word, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import ConfigDict, Field

from langchain_agentmem.extraction.record.conversation import MARK


def told_in(request: Sequence[BaseMessage]) -> str:
    """Return what a request says beside the conversation."""
    return "\n".join(it.text for it in request if it.type == "system" or it.additional_kwargs.get(MARK) == "memories")


class ScriptedModel(BaseChatModel):
    """Answers with the next line of its script: text, a message, or an exception to raise."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    script: list[Any]
    requests: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def told(self) -> str:
        """What the last request says beside the conversation: its system message, and the note of memory."""
        return told_in(self.requests[-1])

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        self.requests.append(messages)
        line = self.script.pop(0)
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, AIMessage) else AIMessage(line)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._next(messages)
        for word in answer.text.split(" ") if not answer.tool_calls else []:
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        if answer.tool_calls:
            calls = [{"name": it["name"], "args": "{}", "id": it["id"], "index": 0} for it in answer.tool_calls]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))


def call(name: str, call_id: str = "1", /, **args: Any) -> AIMessage:
    """A message of the model that calls one tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id}])
