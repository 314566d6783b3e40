"""Views without a summary: the newest messages, by number or by tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.runnables import RunnableConfig

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow
from langchain_agentmem.context.groups import flat, split
from langchain_agentmem.context.runnable import ContextRunnable, StateKeys, TokenCounter, View
from langchain_agentmem.context.running_summary import RunningSummary
from langchain_agentmem.context.selection import Budget, newest

BUFFER_MESSAGES: Final = 10
BUFFER_TOKENS: Final = 4_000


class _Buffer(ContextRunnable):
    """Keeps what fits into a budget."""

    _budget: Budget

    def _view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        config: RunnableConfig | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> Flow[View]:
        """View as a flow that never waits."""
        yield from ()
        kept = flat(newest(split([*messages, *new]), self._budget, len(new)))
        return View(messages=kept[: len(kept) - len(new)], summary=summary)


class MessageBuffer(_Buffer):
    """The newest messages, at most so many.

    System messages, a summary, the user's last message and the last message of all are among them in any case. A call
    of tools and its results stay together. Where older messages were left out, the view begins with a human message.

    Args:
        max_messages: At most so many, system messages included.
        keys: Where a graph's state holds the record and the view.

    Raises:
        ConfigurationError: `max_messages` is no int of at least 1.

    Example:
        >>> from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
        >>> said = [SystemMessage("Be brief."), HumanMessage("Hi"), AIMessage("Hello"), HumanMessage("Deploy?")]
        >>> [message.text for message in MessageBuffer(max_messages=2).invoke(said)]
        ['Be brief.', 'Deploy?']
    """

    def __init__(self, *, max_messages: int = BUFFER_MESSAGES, keys: StateKeys | None = None) -> None:
        super().__init__(keys=keys)
        limit = check_count("max_messages", max_messages, hint=f"for example {BUFFER_MESSAGES}")
        self._budget = Budget(limit=limit, cost=len, unit="messages", remedy="max_messages")


class TokenBuffer(_Buffer):
    """The newest messages, of at most so many tokens; else as `MessageBuffer`.

    Args:
        max_tokens: Tokens of the whole view.
        token_counter: Any count of the tokens of messages; the default estimates and downloads nothing.
        keys: Where a graph's state holds the record and the view.

    Raises:
        ConfigurationError: `max_tokens` is no int of at least 1.

    Example:
        >>> from langchain_core.messages import AIMessage, HumanMessage
        >>> said = [HumanMessage("word " * 500), AIMessage("Noted."), HumanMessage("Deploy?")]
        >>> [message.text for message in TokenBuffer(max_tokens=50).invoke(said)]
        ['Deploy?']
    """

    def __init__(
        self,
        *,
        max_tokens: int = BUFFER_TOKENS,
        token_counter: TokenCounter = count_tokens_approximately,
        keys: StateKeys | None = None,
    ) -> None:
        super().__init__(token_counter=token_counter, keys=keys)
        limit = check_count("max_tokens", max_tokens, hint=f"for example {BUFFER_TOKENS}")
        self._budget = Budget(limit=limit, cost=self._count, unit="tokens", remedy="max_tokens")
