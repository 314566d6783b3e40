"""What every summarizer promises: a text of bounded length, and how many model calls failed on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from langchain_core.messages import BaseMessage, HumanMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize.marks import summary_text

MAX_SUMMARY_TOKENS: Final = 512
"""An eighth of the token buffer of 4,000: the rest is for messages."""

CHARS_PER_TOKEN: Final = 4
"""The same estimate as `langchain_core.messages.utils.count_tokens_approximately`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarized:
    """A summary, and how it came about.

    Attributes:
        failures: Model calls that raised, refused, or answered nothing that can be used.
        source: Who wrote it: the rules, or the model.
    """

    text: str
    failures: int = 0
    source: Literal["rules", "model"] = "rules"


class Summarizer(Protocol):
    """Puts what messages say into few words. It changes nothing, and loses no call to an error of a model."""

    @property
    def max_tokens(self) -> int:
        """About how many tokens a summary has at most."""
        ...

    def summarize_flow(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Flow[Summarized]:
        """Return one summary of what `previous` says and `messages` add."""
        ...


class FlowSummarizer(Runnable[Any, str], ABC):
    """Gives a summarizer both colours over its one flow, and makes it a runnable: messages in, text out.

    As a runnable it is what LangChain's `SummarizationMiddleware` takes as `summarizer`; a summary among the messages
    is then taken as the one to continue.

    Args:
        max_tokens: Bound of a summary's length, estimated at four characters each.

    Raises:
        ConfigurationError: `max_tokens` is no int of at least 16.
    """

    def __init__(self, *, max_tokens: int = MAX_SUMMARY_TOKENS) -> None:
        self.max_tokens = check_count(
            "max_tokens", max_tokens, least=_LEAST_TOKENS, hint=f"for example {MAX_SUMMARY_TOKENS}"
        )

    @abstractmethod
    def summarize_flow(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Flow[Summarized]:
        """Summarize as a flow: what a subclass writes."""

    def summarize(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Summarized:
        """Return one summary of what `previous` says and `messages` add."""
        return run(self.summarize_flow(messages, previous=previous))

    async def asummarize(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Summarized:
        """Return one summary of what `previous` says and `messages` add."""
        return await arun(self.summarize_flow(messages, previous=previous))

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> str:  # noqa: ANN401  (as of LangChain)
        """Return the summary of a list of messages or of a prompt value."""
        return self._call_with_config(lambda given: run(self._text(given)), input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> str:  # noqa: ANN401  (as above)
        """Return the summary of a list of messages or of a prompt value."""

        async def text(given: Any) -> str:  # noqa: ANN401  (as above)
            return await arun(self._text(given))

        return await self._acall_with_config(text, input, config)

    def _text(self, input: object) -> Flow[str]:
        messages = as_messages(input)
        earlier = [text for message in messages if (text := summary_text(message)) is not None]
        new = [message for message in messages if summary_text(message) is None]
        done = yield from self.summarize_flow(new, previous="\n".join(earlier))
        return done.text


_LEAST_TOKENS: Final = 16  # fewer hold no sentence


def as_messages(input: object, *, others: str = "") -> list[BaseMessage]:
    """Return the messages that a runnable was given: a list, a prompt value, one message, or a text of the user.

    Args:
        input: What was given.
        others: What else the caller takes, for the error.

    Raises:
        ConfigurationError: It is none of these.
    """
    if isinstance(input, PromptValue):
        return input.to_messages()
    if isinstance(input, str):
        return [HumanMessage(input)]
    if isinstance(input, BaseMessage):
        return [input]
    if not isinstance(input, Sequence):
        msg = f"messages must be a list of messages or a prompt value{others}, got {type(input).__name__}"
        raise ConfigurationError(msg)
    return convert_to_messages(input)
