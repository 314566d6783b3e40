"""The port of requests to forget: kept without their words, for turns that were open when they were made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.policies.forgotten import Asked, Request
from langchain_agentmem.types.asking import Asks

ASKS: Final[Asks] = {"put": "write", **dict.fromkeys(("since", "is_ended_since"), "read")}
"""What each method of `Requests` asks the application about."""


class Requests(ABC):
    """What a write transaction knows of what its user asked to forget.

    A request is known for `KEPT_FOR`, by digests of its stemmed words under a key of its own, which are sealed: under a
    vault nobody can tell a word of it. Without one, who has the file can test a guess.
    """

    @abstractmethod
    def put(self, seq: int, asked: Sequence[Asked]) -> None:
        """Keep what was asked by an event of the log, whose number it has."""

    @abstractmethod
    def since(self, seq: int) -> Sequence[Request]:
        """Return what was asked after an event of the log; an erasure of the user asks for everything."""

    @abstractmethod
    def is_ended_since(self, seq: int) -> bool:
        """Return whether all of the user's was erased after an event of the log, before this transaction began."""
