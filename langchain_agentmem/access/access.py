"""`Access`: asks the application whether somebody may do something with a user's memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from langchain_agentmem._flow import arun, run
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.types import Scope
from langchain_agentmem.types.asking import Action


class Access:
    """Asks the application's `authorize` before something is done with somebody's memory; without a rule, nobody.

    Whatever the memory itself reads or writes is asked about already: this is for what code of the application's does.
    """

    def __init__(self, flows: AccessFlows) -> None:
        """Compose; made by `AgentMemory`."""
        self._flows = flows

    @property
    def is_asked(self) -> bool:
        """Whether there is a rule at all."""
        return self._flows.is_asked

    def actor(self, scope: Scope) -> str:
        """Return who acts: as `acting_as` says, else as the run does, else the user; of a visitor, no name."""
        return self._flows.actor(scope)

    def other(self, scope: Scope) -> str | None:
        """Return who acts, where that is somebody else than the user."""
        return self._flows.other(scope)

    def check(self, action: Action, *, scope: Scope) -> None:
        """Ask whether who acts may do something with the memory of a scope's user.

        Raises:
            GovernanceError: They may not (`rule` is `authorize`); it stands in the user's log, as `access_refused`.
            ConfigurationError: The rule has to be awaited, or the action is none of `read`, `write`, `export`, `erase`.
        """
        run(self._flows.check(action, scope))

    async def acheck(self, action: Action, *, scope: Scope) -> None:
        """Ask whether who acts may do something; see `check`."""
        await arun(self._flows.check(action, scope))

    @contextmanager
    def within(self, action: Action, *, scope: Scope) -> Iterator[None]:
        """Ask, and then do something as a whole: what it implies of this user is not asked about again.

        An erasure implies writing, and each of them reading; an erasure within what may write is asked about.

        Raises:
            GovernanceError: They may not; see `check`.
        """
        run(self._flows.check_whole(action, scope))
        with self._flows.under_way(action, scope):
            yield

    @asynccontextmanager
    async def awithin(self, action: Action, *, scope: Scope) -> AsyncIterator[None]:
        """Ask, and then do something as a whole; see `within`."""
        await arun(self._flows.check_whole(action, scope))
        with self._flows.under_way(action, scope):
            yield
