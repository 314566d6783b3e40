"""The port of sensitive data: taken out of what the log says of a memory, and kept apart under tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final

from langchain_agentmem.types import Event
from langchain_agentmem.types.asking import Asks

ASKS: Final[Asks] = {"put": "write", "clean": "write", "drop": "erase", "value": "read"}
"""What each method of `SensitiveRows` asks the application about."""


class SensitiveRows(ABC):
    """What a write transaction can do with one user's sensitive values.

    A value is kept for each thing that names its token, sealed; it ends with the last of them. A holder is the id of a
    memory, which takes its values along when it is erased, or another name that their keeper drops.
    """

    @abstractmethod
    def put(self, holder: str, tokens: Mapping[str, str]) -> None:
        """Keep what tokens stand for, as long as a holder does; what it holds already stays."""

    @abstractmethod
    def value(self, token: str) -> str | None:
        """Return what a token stands for; `None` where it is unknown, or its holders are gone or another agent's.

        Raises:
            IntegrityError: It was changed, moved, or sealed with another key.
        """

    @abstractmethod
    def drop(self, holder: str, *, left: str = "") -> int:
        """Delete what a holder holds, but for the tokens that a text still names; return how many values that were."""

    @abstractmethod
    def clean(self, memory_id: str, changes: Mapping[str, Any], reason: str, masked: Callable[[str], str]) -> Event:
        """Change a memory by `cleaned`, which says all of it, and delete the payloads of every event before.

        So no word of what it was stays in the log, which still verifies and replays; its life (`ledger.lives`) is told
        as before. `masked` makes of an earlier reason what may be kept of it.

        Raises:
            NotFoundError: The memory is unknown here, another agent's, or erased.
        """
