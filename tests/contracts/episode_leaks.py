"""Laws of isolation for episodes, over families of ids that are as alike as ids can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, NotFoundError, Scope, ScopeError
from langchain_agentmem.ledger.episodes import EpisodePlace
from langchain_agentmem.long_term.turns.episode_flows import LISTED
from langchain_agentmem.testing import Dimension
from langchain_agentmem.testing.leaks import scopes_of
from langchain_agentmem.types import Episode
from tests.conftest import Call

HALLS: Final = (
    "amber basil cedar delta ember fjord grove hazel iris jade karma lemon maple nylon ocean pearl quartz raven sable "
    "tulip umber velvet willow xenon yarrow zephyr acorn birch coral dune elm fern ginger heron indigo jasmine kelp "
    "lotus mango nectar olive pepper quince rowan sage thyme ultra violet walnut yucca zinnia"
).split()


class Crowd:
    """Scopes that must not see each other, each with one turn in the same words but one."""

    def __init__(self, memory: AgentMemory, call: Call, dimension: Dimension) -> None:
        self.memory = memory
        self._call = call
        self.scopes = [replace(it, session_id="talk") for it in scopes_of(dimension)]
        self.kept: dict[Scope, Episode] = {}

    @property
    def pairs(self) -> list[tuple[Scope, Scope]]:
        """Each scope with the one that comes after it in its family."""
        return list(zip(self.scopes, [*self.scopes[1:], self.scopes[0]], strict=True))

    async def call(self, name: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """Call `part.method` in the test's colour."""
        part, method = name.split(".")
        return await self._call(getattr(self.memory, part), method, *args, **kwargs)

    async def gather(self) -> None:
        """Let every scope say its sentence."""
        for scope in dict.fromkeys(Scope(it.user_id, tenant_id=it.tenant_id) for it in self.scopes):
            await self.call("consent.grant", scope)
        for scope in self.scopes:
            await self.tell(scope, f"We rehearse in the {self.word(scope)} hall")
            [self.kept[scope]] = await self.listed(scope)

    async def tell(self, scope: Scope, text: str, speaker: str = "Nora") -> None:
        """Keep a turn."""
        said = [HumanMessage(text, name=speaker, id=text), AIMessage("Good to know", id=f"a {text}")]
        await self.call("episodes.ingest", said, scope=scope)

    async def listed(self, scope: Scope) -> Sequence[Episode]:
        """List what a scope has."""
        found: Sequence[Episode] = await self.call("episodes.list", scope=scope)
        return found

    def word(self, scope: Scope) -> str:
        """Return the word that only this scope knows."""
        return HALLS[self.scopes.index(scope)]

    async def everything(self) -> dict[Scope, Sequence[Episode]]:
        """List what every scope has."""
        return {scope: await self.listed(scope) for scope in self.scopes}


class EpisodeLeakContract:
    """Subclass it with a fixture `memory`, and say which ids are to be told apart."""

    dimensions: tuple[Dimension, ...] = ("user_id", "agent_id")

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each law for every kind of id."""
        if "dimension" in metafunc.fixturenames:
            metafunc.parametrize("dimension", metafunc.cls.dimensions)

    @pytest.fixture
    async def crowd(self, memory: AgentMemory, call: Call, dimension: Dimension) -> Crowd:
        crowd = Crowd(memory, call, dimension)
        await crowd.gather()
        return crowd

    async def test_reads_stay_inside(self, crowd: Crowd) -> None:
        """Listing, getting and recalling show a scope its own turns, whatever is asked for."""
        for scope, other in crowd.pairs:
            own, foreign = crowd.kept[scope], crowd.kept[other]
            assert await crowd.call("episodes.get", foreign.id, scope=scope) in {None, own}
            assert await crowd.call("long_term.get", foreign.id, scope=scope) in {None, own.as_memory()}
            behind = LISTED.cursor(EpisodePlace.of(foreign))
            assert list(await crowd.call("episodes.list", scope=scope, cursor=behind)) in ([], [own])
            for text in (foreign.text, crowd.word(other), "where do we rehearse?"):
                found = await crowd.call("long_term.recall", text, scope=scope, limit=100)
                assert {hit.memory.content for hit in found} <= {own.as_memory().content}

    async def test_changes_stay_inside(self, crowd: Crowd) -> None:
        """No id of another scope is forgotten, erased or explained, and nothing moves where it was tried."""
        before = await crowd.everything()
        for scope, other in crowd.pairs:
            foreign = crowd.kept[other].id
            if foreign == crowd.kept[scope].id:
                continue  # of two users the same turn may have one id
            assert await crowd.call("episodes.forget", [foreign], scope=scope) == 0
            for method in ("forget", "erase", "why"):
                with pytest.raises(NotFoundError):
                    await crowd.call(f"long_term.{method}", foreign, scope=scope)
        assert await crowd.everything() == before

    async def test_deletes_stay_inside(self, crowd: Crowd) -> None:
        """What one scope forgets or clears, the others keep, byte for byte."""
        gone = crowd.scopes[::2]
        for place, scope in enumerate(gone):
            if place % 2:
                assert await crowd.call("episodes.clear", scope=scope) == 1
            else:
                assert await crowd.call("episodes.forget", [crowd.kept[scope].id], scope=scope) == 1
        for scope in crowd.scopes:
            assert list(await crowd.listed(scope)) == ([] if scope in gone else [crowd.kept[scope]])

    async def test_histories_stay_inside(self, crowd: Crowd, dimension: Dimension) -> None:
        """The end of one conversation is the end of its own turns; conversations have no agents."""
        if dimension == "agent_id":
            return
        for scope in crowd.scopes:
            await crowd.call("episodes.clear", scope=scope)
            await crowd._call(crowd.memory.history(scope), "add_messages", [HumanMessage(crowd.word(scope), id="h")])
        for scope in crowd.scopes[::2]:
            await crowd._call(crowd.memory.history(scope), "clear")
        for place, scope in enumerate(crowd.scopes):
            assert [it.text for it in await crowd.listed(scope)] == [crowd.word(scope)] * (place % 2)

    async def test_others_move_no_score(self, crowd: Crowd) -> None:
        """Ids, order, scores and their parts are the same after hundreds of turns of others, in the same words."""
        alice = crowd.scopes[0]
        for word in HALLS[:8]:
            await crowd.tell(alice, f"We rehearse in the {word} hall", "Mel")
        before = [await self._ranking(crowd, alice, text) for text in ("where did Nora rehearse?", "Mel, amber hall")]
        for scope in crowd.scopes[1:6]:
            for word in HALLS[:20]:
                await crowd.tell(scope, f"Where did we rehearse in the {word} hall? Amber!", "rehearse")
        after = [await self._ranking(crowd, alice, text) for text in ("where did Nora rehearse?", "Mel, amber hall")]
        assert after == before

    async def _ranking(self, crowd: Crowd, scope: Scope, text: str) -> list[Any]:
        found = await crowd.call("long_term.recall", text, scope=scope, limit=20)
        return [(hit.memory.id, hit.score, dict(hit.parts)) for hit in found]

    async def test_a_scope_is_demanded(self, memory: AgentMemory, call: Call) -> None:
        """A bare id, or none, is refused by every method before anything is read."""
        for bad in ("alice", None, {"user_id": "alice"}):
            for method, given in (
                ("get", ["ep-1"]),
                ("list", []),
                ("forget", [["ep-1"]]),
                ("clear", []),
                ("index", []),
            ):
                with pytest.raises(ScopeError):
                    await call(memory.episodes, method, *given, scope=bad)
