"""The working suite: laws of isolation that whatever stores the states of tasks has to keep.

Subclass `WorkingSuite` in a test module run by pytest, and give it a fixture `working` with an empty store:

```python
import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import WorkingSuite


class TestLeaks(WorkingSuite):
    @pytest.fixture
    def working(self, tmp_path):
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
            yield memory.working
```

A backend of your own proves itself with `WorkingMemory(YourStates(…))`. A crowd of tenants, users, conversations or
visitors whose ids are prefixes, case variants, wildcards or other spellings of each other shares the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from langchain_agentmem.errors import ScopeError
from langchain_agentmem.testing.laws import COLOURS, Colour, fail, parametrize
from langchain_agentmem.testing.leaks import FAMILIES, scopes_of
from langchain_agentmem.types import Scope
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.working.service import WorkingMemory

WorkingDimension: TypeAlias = Literal["tenant_id", "user_id", "session_id", "joined", "visitor"]

WORKING_DIMENSIONS: Final[tuple[WorkingDimension, ...]] = get_args(WorkingDimension)
_SESSION: Final = "rehearsal"
_ALL: Final = 1_000


class _Crowd:
    """Scopes that must not see each other, each at work on the same task, with a step that is its own.

    Args:
        working: What is tested.
        colour: Whether its methods are called or awaited.
        scopes: Who they are.
    """

    def __init__(self, working: WorkingMemory, colour: Colour, scopes: Sequence[Scope]) -> None:
        """Keep the scopes; `gather` fills them."""
        self._working = working
        self._colour = colour
        self.scopes = scopes

    @property
    def pairs(self) -> Iterable[tuple[Scope, Scope]]:
        """Each scope with the one that comes after it in its family."""
        return zip(self.scopes, [*self.scopes[1:], self.scopes[0]], strict=True)

    async def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (what the method returns)
        """Call a method in this crowd's colour."""
        if self._colour == "sync":
            return getattr(self._working, name)(*args, **kwargs)
        return await getattr(self._working, f"a{name}")(*args, **kwargs)

    async def gather(self) -> None:
        """Let everyone begin."""
        for number, scope in enumerate(self.scopes):
            await self.call("update", scope, goal="Rehearse", add_completed=[f"step {number}"])

    async def states(self) -> dict[Scope, WorkingState | None]:
        """Return what everyone sees."""
        return {scope: await self.call("get", scope) for scope in self.scopes}

    async def listed(self, scope: Scope) -> list[tuple[str, str, int]]:
        """Return what a listing shows a scope, in its order."""
        found = await self.call("sessions", scope, limit=_ALL)
        return [(it.session_id, it.goal, it.version) for it in found]


Law: TypeAlias = Callable[[_Crowd], Awaitable[None]]


class WorkingSuite:
    """Laws of isolation and non-interference of working memory; see the module's text for how to run them.

    Attributes:
        colours: The colours to run. `dimensions`: the kinds of id to run.
        families: Ids that are as alike as ids can be.
    """

    colours: tuple[Colour, ...] = COLOURS
    dimensions: tuple[WorkingDimension, ...] = WORKING_DIMENSIONS
    families: Sequence[Sequence[str]] = FAMILIES

    def pytest_generate_tests(self, metafunc: Any) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
        """Run each law in both colours, and for every kind of id."""
        parametrize(metafunc, "colour", metafunc.cls.colours)
        parametrize(metafunc, "dimension", metafunc.cls.dimensions)

    def test_reads_stay_inside(self, working: WorkingMemory, colour: Colour, dimension: WorkingDimension) -> None:
        """A scope gets its own state, and a listing shows the conversations of its user and no others."""
        self._run(working, colour, dimension, self._reads)

    async def _reads(self, crowd: _Crowd) -> None:
        for number, (scope, state) in enumerate((await crowd.states()).items()):
            steps = None if state is None else state.completed_steps
            assert steps == (f"step {number}",), f"the state of {scope!r}"
            mine = {it.session_id for it in crowd.scopes if _owner(it) == _owner(scope)}
            assert {name for name, _, _ in await crowd.listed(scope)} == mine, f"conversations of {scope!r}"

    def test_changes_stay_inside(self, working: WorkingMemory, colour: Colour, dimension: WorkingDimension) -> None:
        """What one scope changes, puts or may not change, moves no other's state."""
        self._run(working, colour, dimension, self._changes)

    async def _changes(self, crowd: _Crowd) -> None:
        wanted = await crowd.states()
        for scope, other in crowd.pairs:
            changed = await crowd.call("update", scope, note="louder", expected=wanted[scope])
            wanted[scope] = await crowd.call("put", scope, replace(changed, goal="Perform"), expected=changed.version)
            assert await crowd.call("get", other) == wanted[other], (
                f"the state of {other!r} after {scope!r} changed its"
            )
        assert await crowd.states() == wanted, "states after each scope changed its own"

    def test_ends_stay_inside(self, working: WorkingMemory, colour: Colour, dimension: WorkingDimension) -> None:
        """What one scope clears or completes, the others keep."""
        self._run(working, colour, dimension, self._ends)

    async def _ends(self, crowd: _Crowd) -> None:
        before = await crowd.states()
        for place, scope in enumerate(crowd.scopes):
            if place % 2:
                await crowd.call(("clear", "complete")[place // 2 % 2], scope)
                before[scope] = None
        assert await crowd.states() == before, "states after every second one ended"
        for scope in crowd.scopes:
            mine = {it.session_id for it, state in before.items() if state and _owner(it) == _owner(scope)}
            assert {name for name, _, _ in await crowd.listed(scope)} == mine, f"conversations of {scope!r} after that"

    def test_others_move_nothing(self, working: WorkingMemory, colour: Colour, dimension: WorkingDimension) -> None:
        """State, version and listing of one are the same after all the others came, worked and went."""
        asyncio.run(self._interference(_Crowd(working, colour, self._scopes(dimension))))

    async def _interference(self, crowd: _Crowd) -> None:
        alice = crowd.scopes[0]
        own = [it for it in crowd.scopes if _owner(it) == _owner(alice)]
        for scope in own:
            await crowd.call("update", scope, goal="Rehearse")
        before = await crowd.call("get", alice), await crowd.listed(alice)
        for scope in crowd.scopes:
            if scope not in own:
                await crowd.call("update", scope, goal="Disturb")
                await crowd.call("sessions", scope)
        for scope in crowd.scopes[1::2]:
            if scope not in own:
                await crowd.call("clear", scope)
        assert (await crowd.call("get", alice), await crowd.listed(alice)) == before, "what alice has after others came"

    def test_a_conversation_is_demanded(self, working: WorkingMemory, colour: Colour) -> None:
        """A bare id, none, or a user without a conversation is refused before anything is read or written."""
        self._run(working, colour, "user_id", self._no_scope)

    async def _no_scope(self, crowd: _Crowd) -> None:
        before = await crowd.states()
        for bad in ("u1", None, {"user_id": "u1"}, Scope("u1")):
            for name, given in (("get", {}), ("update", {"goal": "x"}), ("clear", {}), ("complete", {})):
                try:
                    found = await crowd.call(name, bad, **given)
                except ScopeError:
                    continue
                fail(f"{name} of {bad!r} returned {found!r}")
        assert await crowd.states() == before, "states after calls without a conversation"

    def _run(self, working: WorkingMemory, colour: Colour, dimension: WorkingDimension, law: Law) -> None:
        """Hold a crowd to a law."""

        async def gathered() -> None:
            crowd = _Crowd(working, colour, self._scopes(dimension))
            await crowd.gather()
            await law(crowd)

        asyncio.run(gathered())

    def _scopes(self, dimension: WorkingDimension) -> list[Scope]:
        names = [name for family in self.families for name in family]
        if dimension == "session_id":
            return [Scope("alice", session_id=name) for name in names]
        if dimension == "visitor":  # and a user of that name, in a conversation of that name
            return [it for name in names for it in (Scope.anonymous(name), Scope(name, session_id=name))]
        return [replace(scope, session_id=_SESSION) for scope in scopes_of(dimension, self.families)]


def _owner(scope: Scope) -> tuple[str, str | None, str | None]:
    """Return whose conversations a listing shows together: a user's; of a visitor the only one."""
    return scope.tenant_id, scope.user_id, scope.session_id if scope.is_anonymous else None
