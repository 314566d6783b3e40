"""Whom a checkpointer is asked for: whoever the run of a graph names, or nobody."""

from __future__ import annotations

import copy
from typing import Self, TypeVar

from langchain_core.runnables import RunnableConfig

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.actor import run_by_flow
from langchain_agentmem.checkpoint.arguments import actor_of

T = TypeVar("T")


class ForRuns:
    """What of a checkpointer knows the run that it is asked for."""

    _is_user_required = False

    def requiring_user(self) -> Self:
        """Return the same checkpointer for graphs whose every run has to name its user.

        A run that names none reads nothing of a thread, and stores nothing of what it was given: LangGraph asks the
        checkpointer before the first node runs, and before any middleware does.
        """
        saver = copy.copy(self)
        saver._is_user_required = True  # noqa: SLF001  (a copy of this)
        return saver

    def _for(self, config: RunnableConfig | None, flow: Flow[T]) -> Flow[T]:
        """Do something for whom the config's run names.

        Raises:
            ScopeError: A user is required, and the run names none.
        """
        return run_by_flow(actor_of(config, is_user_required=self._is_user_required), flow)
