"""Who wants to know that a thread, or something said in it, goes: what is kept of it elsewhere goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.types.scope import Owner

MESSAGES: Final = "messages"
"""The channel of a conversation: of LangGraph's `MessagesState`, of LangChain's agents, and of our graphs."""


class Follower(Protocol):
    """Keeps something of conversations that stand in threads."""

    def has_any(self, owner: Owner) -> Flow[bool]:
        """Whether anything is kept of a user's conversations at all."""
        ...

    def used(self, thread_id: str, owner: Owner, expires_at: int) -> Flow[None]:
        """Take note that a thread which was used now will expire; it never fails for whoever uses the thread."""
        ...

    def end(self, thread_id: str, owner: Owner) -> Flow[None]:
        """Let go of a thread's conversation, which is about to be deleted.

        Raises:
            StorageError: It cannot; the thread stays.
        """
        ...

    def expect(self, thread_id: str, owner: Owner, message_ids: frozenset[str]) -> Flow[None]:
        """Take note, durably, that some messages of a thread may go now: should nobody come to say so, look.

        Raises:
            StorageError: It cannot.
        """
        ...

    def end_messages(self, thread_id: str, owner: Owner, message_ids: frozenset[str]) -> Flow[None]:
        """Let go of some messages of a thread.

        Raises:
            StorageError: It cannot.
        """
        ...


def said_in(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the words of a state's messages, by their ids."""
    messages = values.get(MESSAGES)
    if not isinstance(messages, list):
        return {}
    return {it.id: it.text for it in messages if isinstance(it, BaseMessage) and it.id is not None}


def gone_from(before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[str]:
    """Return the ids of messages that are not said any more, or say something else."""
    return frozenset(id for id, words in before.items() if after.get(id) != words)


def said_in_any(states: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the ids of messages that at least one state holds."""
    return {id for values in states for id in said_in(values)}
