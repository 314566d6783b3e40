"""A chat model that follows a script: for code that asks a model for structured output or for tool calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import BaseModel, ConfigDict, Field

Line: TypeAlias = Any
"""Text, a message, a pydantic record (answered as a tool call), an exception, or a callable that gets the messages."""


class ScriptedChatModel(BaseChatModel):
    """Answers with the next line of its script and keeps what it was asked.

    Attributes:
        script: Lines to come; an exception is raised in its turn.
        requests: The messages of each call. `tags`: the tags of each call. `metadata`: the metadata of each call.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    script: list[Line]
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    call_tags: list[list[str]] = Field(default_factory=list)
    call_metadata: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Accept any tools, as structured output and agents want."""
        return self.bind(tools=list(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.requests.append(messages)
        if run_manager is not None:
            self.call_tags.append(list(run_manager.tags))
            self.call_metadata.append(dict(run_manager.metadata))
        return ChatResult(generations=[ChatGeneration(message=_message(self.script.pop(0), messages))])


class ChoosyChatModel(ScriptedChatModel):
    """A model that takes the method by which it is to answer with a record, and keeps what it was told."""

    methods: list[str | None] = Field(default_factory=list)

    def with_structured_output(
        self, schema: dict[str, Any] | type, *, include_raw: bool = False, method: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """Note the method, and answer by tool call whatever it is."""
        self.methods.append(method)
        return super().with_structured_output(schema, include_raw=include_raw, **kwargs)


class ToollessChatModel(BaseChatModel):
    """A model without tools, hence without structured output."""

    @property
    def _llm_type(self) -> str:
        return "toolless"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("no tools here"))])


def _message(line: Line, messages: list[BaseMessage]) -> AIMessage:
    if isinstance(line, BaseException):
        raise line
    if isinstance(line, BaseModel) and not isinstance(line, AIMessage):
        call = {"name": type(line).__name__, "args": line.model_dump(), "id": "call-1"}
        return AIMessage("", tool_calls=[call])
    if callable(line):
        return _message(line(messages), messages)
    return line if isinstance(line, AIMessage) else AIMessage(line)
