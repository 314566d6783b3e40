"""The port of recorded runs: what agents did, step by step, sealed, outside the chain, kept as long as receipts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.types.asking import Asks
from langchain_agentmem.types.runs import RunStep

ASKS: Final[Asks] = {"put": "write", "redact": "erase", **dict.fromkeys(("rows", "steps"), "read")}
"""What each method of `Runs` asks the application about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """Where a run stands: its first and last step, and how many were kept."""

    run_id: str
    agent_id: str | None
    first: RunStep
    last: RunStep
    count: int


class Runs(ABC):
    """What a transaction knows of its user's runs: those of the scope's agent, and of none. Writers change them."""

    @abstractmethod
    def put(self, run_id: str, steps: Sequence[RunStep]) -> None:
        """Keep steps of a run, those of them that are kept already apart; drop runs that were kept long enough."""

    @abstractmethod
    def rows(self, limit: int, after: tuple[str, datetime] | None = None) -> list[RunRow]:
        """Return runs, the one that began last first, behind the one of an id, or of a time where that is gone."""

    @abstractmethod
    def steps(self, run_id: str, after: int = 0, limit: int | None = None) -> list[RunStep]:
        """Return steps of a run, in order."""

    @abstractmethod
    def redact(self, is_gone: Callable[[Any], bool]) -> int:
        """Empty every step of the user, of every agent, whose body is to be gone; return how many there were."""
