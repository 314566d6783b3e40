"""When a user was last there, as their conversations tell."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.types import Scope

QUIET_S: Final = 30.0
"""For so long a server that failed is not asked again: a turn must not wait for it each time."""

_LOGGER: Final = logging.getLogger("langchain_agentmem")


class Interactions:
    """Asks the conversations, which are listed by their last use.

    Args:
        sessions: Gives them.
        timer: Gives seconds, ascending.
    """

    def __init__(self, sessions: Callable[[], Sessions], timer: Callable[[], float] = monotonic) -> None:
        """Nothing is opened yet."""
        self._sessions = sessions
        self._timer = timer
        self._quiet_until = 0.0

    def last(self, scope: Scope) -> Flow[datetime | None]:
        """Return when a message was last added to one of the user's conversations; `None` where nobody can tell."""
        if self._timer() < self._quiet_until:
            return None
        try:
            latest = yield from self._sessions().conversations(scope, limit=1)
        except StorageError as error:
            self._quiet_until = self._timer() + QUIET_S
            _LOGGER.warning("the last interaction is not known: %s", type(error).__name__)
            return None
        return latest[0].last_used_at if latest else None
