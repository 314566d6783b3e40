"""When a user was last there, as their conversations tell."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import Final, Protocol

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.types import Scope

QUIET_S: Final = 30.0
"""For so long a server that failed is not asked again: a turn must not wait for it each time."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


class LastUsed(Protocol):
    """What knows of a user's conversations."""

    def last_used(self, scope: Scope) -> Flow[datetime | None]:
        """Return when something was last said in one of them; `None`: there is none."""
        ...


class Interactions:
    """Asks the conversations: chat histories, and threads of agents.

    Args:
        dialogues: Gives them.
        timer: Gives seconds, ascending.
    """

    def __init__(self, dialogues: Callable[[], LastUsed], timer: Callable[[], float] = monotonic) -> None:
        """Nothing is opened yet."""
        self._dialogues = dialogues
        self._timer = timer
        self._quiet_until = 0.0

    def last(self, scope: Scope) -> Flow[datetime | None]:
        """Return when something was last said in one of the user's conversations; `None` where nobody can tell."""
        if self._timer() < self._quiet_until:
            return None
        try:
            return (yield from self._dialogues().last_used(scope))
        except StorageError as error:
            self._quiet_until = self._timer() + QUIET_S
            LOGGER.warning("the last interaction is not known: %s", type(error).__name__)
            return None
