"""What one look of `doctor` found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from langchain_agentmem.errors import AgentMemError, ConfigurationError, StorageError

State: TypeAlias = Literal["ok", "note", "failed"]

_REMEDIES: Final = (
    (ConfigurationError, "correct the option that the message names"),
    (StorageError, "see that the server runs, and check address, password and network"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one look found.

    Attributes:
        state: `ok`; `note`: worth knowing, nothing is wrong; `failed`.
        remedy: What to do.
    """

    name: str
    state: State
    found: str
    remedy: str = ""


def attempted(name: str, look: Callable[[], Look]) -> Look:
    """Return a look, or how it failed."""
    try:
        return look()
    except AgentMemError as error:
        remedy = next((it for kind, it in _REMEDIES if isinstance(error, kind)), "see the message")
        return Look(name=name, state="failed", found=str(error), remedy=remedy)
    except Exception as error:  # noqa: BLE001  (whatever a driver or a provider raises; its text may hold a secret)
        return Look(name=name, state="failed", found=type(error).__name__, remedy="check address, key and network")
