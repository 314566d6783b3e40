"""What every extractor promises: candidates out of messages, and how many model calls failed on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.types import Candidate

EXTRACTION_CONTEXT: Final = 10
"""Messages before new ones that are read to understand them: a turn costs the same however long a conversation is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in a turn.

    Attributes:
        candidates: Proposals, in the order in which they were said; the write policy decides about each.
        failures: Model calls that raised or answered nonsense. They cost nothing but the model's opinion.
        source: Who spoke last: the rules, or the model.
    """

    candidates: tuple[Candidate, ...] = ()
    failures: int = 0
    source: Literal["rules", "model"] = "rules"


class Extractor(Protocol):
    """Finds what is worth remembering in messages; it proposes and never writes.

    Nothing is taken from system messages, from messages that carry recalled memories, or from text that the user
    quotes. `messages[:new_from]` is context: it may explain the new messages and yields no candidate of its own.
    """

    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Extraction]:
        """Extract as a flow, for a caller that waits on more than this."""
        ...

    def extract(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> list[Candidate]:
        """Return candidates from `messages[new_from:]`, worded in the third person about `user_name`."""
        ...

    async def aextract(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> list[Candidate]:
        """Return candidates from `messages[new_from:]`, worded in the third person about `user_name`."""
        ...


class FlowExtractor(ABC):
    """Gives an extractor both colours over its one flow."""

    @abstractmethod
    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Extraction]:
        """Extract as a flow: what a subclass writes."""

    def extract(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> list[Candidate]:
        """Return candidates from `messages[new_from:]`, worded in the third person about `user_name`."""
        return list(run(self.extract_flow(messages, user_name=user_name, new_from=new_from)).candidates)

    async def aextract(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> list[Candidate]:
        """Return candidates from `messages[new_from:]`, worded in the third person about `user_name`."""
        found = await arun(self.extract_flow(messages, user_name=user_name, new_from=new_from))
        return list(found.candidates)
