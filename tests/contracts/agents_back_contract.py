"""Going back in one agent's scope: what another agent's word stands for stays, and nobody is told of that word."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, GovernanceError, Memory, MemoryOptions, Scope
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.profiles_contract import Clock
from tests.contracts.undo_later_contract import ALICE
from tests.spelled import spelled

CODER: Final = replace(ALICE, agent_id="coder")
WRITER: Final = replace(ALICE, agent_id="writer")
SCOPES: Final = pytest.mark.parametrize("scope", [ALICE, CODER], ids=["shared", "coder"])
ACME: Final = "I work at Acme"
INITECH: Final = "I work at Initech"
HOOLI: Final = "I work at Hooli"


class Agents:
    """A user whose agents share what one of them may correct for itself."""

    def __init__(self, memory: AgentMemory, call: Call) -> None:
        self.memory, self.call = memory, call

    async def say(self, said: str, scope: Scope = ALICE) -> str:
        """Remember a statement, and return its id."""
        told = await self.call(self.memory.long_term, "remember", said, scope=scope)
        return str(told.require().id)

    async def correct(self, memory_id: str, said: str, scope: Scope = WRITER) -> str:
        """Correct what is shared, for an agent alone."""
        told = await self.call(self.memory.long_term, "correct", memory_id, said, scope=scope)
        return str(told.require().id)

    async def head(self) -> int:
        """Return the last event."""
        return int((await self.call(self.memory.timeline, "events", WRITER))[-1].seq)

    async def rows(self) -> list[Memory]:
        """Return all that the writer sees, without the numbers of events."""
        events = await self.call(self.memory.timeline, "events", WRITER)
        ids = sorted({it.memory_id for it in events if it.memory_id})
        found = [await self.call(self.memory.long_term, "get", it, scope=WRITER) for it in ids]
        return [replace(it, revision=0) for it in found if it is not None]

    async def believed(self, scope: Scope = WRITER) -> list[str]:
        """Return what is in force for an agent."""
        assert (await self.call(self.memory.long_term, "verify", scope=scope)).is_intact
        return sorted(it.content for it in await self.call(self.memory.long_term, "list", scope=scope))

    async def roll_back(self, to: int, scope: Scope) -> Any:  # noqa: ANN401  (a reversal)
        """Go back in a scope."""
        return await self.call(self.memory.timeline, "rollback", scope, to=to)

    async def undo(self, event: int, scope: Scope, **options: Any) -> Any:  # noqa: ANN401  (a reversal)
        """Take back an event in a scope."""
        return await self.call(self.memory.timeline, "undo", event, scope=scope, **options)


class AgentsBackContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    async def agents(self, sql_url: str, call: Call) -> AsyncIterator[Agents]:
        options = MemoryOptions(clock=Clock(), consent="assumed")
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            yield Agents(memory, call)

    @SCOPES
    async def test_what_another_agent_replaced_stays_replaced(self, agents: Agents, scope: Scope) -> None:
        """Acme would stand beside the writer's Initech; a note says why it does not, and not what stands there."""
        acme = await agents.say(ACME)
        cut = await agents.head()
        await agents.say("I like tea")
        initech = await agents.correct(acme, INITECH)
        done = await agents.roll_back(cut, scope)
        assert (await agents.believed(), await agents.believed(CODER)) == ([INITECH], [])
        assert acme in str(done.notes)
        assert initech not in spelled(done)

    @SCOPES
    async def test_a_rollback_over_it_is_undone_whole(self, agents: Agents, scope: Scope) -> None:
        """Acme goes as what was over, is restored as that, and the undoing leaves all as it was."""
        acme = await agents.say(ACME)
        await agents.correct(acme, INITECH)
        before = await agents.rows()
        done = await agents.roll_back(0, scope)
        assert await agents.believed() == [INITECH]
        await agents.undo(done[0].event, scope)
        assert await agents.rows() == before
        await agents.roll_back(0, scope)
        await agents.call(agents.memory.long_term, "restore", acme, scope=scope)
        assert (await agents.believed(), await agents.believed(CODER)) == ([INITECH], [])

    @SCOPES
    async def test_the_end_that_another_agent_gave_is_not_undone(self, agents: Agents, scope: Scope) -> None:
        """Who undid it would have the writer believe both; the refusal names what is asked for alone."""
        acme = await agents.say(ACME)
        cut = await agents.head()
        initech = await agents.correct(acme, INITECH)
        with pytest.raises(GovernanceError, match="another agent's word stands for memory") as refused:
            await agents.undo(cut + 1, scope)
        assert (refused.value.rule, initech in str(refused.value)) == ("other_agent", False)
        assert await agents.believed() == [INITECH]
        await agents.undo(cut + 1, WRITER, with_later=True)
        assert (await agents.believed(), await agents.believed(scope)) == ([ACME], [ACME])

    @SCOPES
    async def test_what_another_agent_took_back_stands_for_nothing(self, agents: Agents, scope: Scope) -> None:
        """Initech is forgotten: Acme holds again for whoever goes back to it."""
        acme = await agents.say(ACME)
        cut = await agents.head()
        initech = await agents.correct(acme, INITECH)
        await agents.call(agents.memory.long_term, "forget", initech, scope=WRITER)
        await agents.roll_back(cut, scope)
        assert (await agents.believed(), await agents.believed(CODER)) == ([ACME], [ACME])

    @SCOPES
    async def test_a_chain_that_ends_at_another_agents_word_stays_over(self, agents: Agents, scope: Scope) -> None:
        """The writer's Hooli replaced the Initech that is undone: Acme, which that ended, is over for the writer."""
        acme = await agents.say(ACME)
        cut = await agents.head()
        initech = await agents.correct(acme, INITECH, ALICE)
        await agents.correct(initech, HOOLI)
        before = await agents.rows()
        done = await agents.undo(cut + 2, scope, with_later=True)
        assert (await agents.believed(), acme in str(done.notes)) == ([HOOLI], True)
        await agents.undo(done[0].event, scope)
        assert await agents.rows() == before

    async def test_who_undoes_another_agents_rollback_is_not_told_of_its_memories(self, agents: Agents) -> None:
        """What of it was the writer's own stays as it is, and does not count as erased."""
        await agents.say("I like tea")
        cut = await agents.head()
        own, boat = await agents.say("I like tabs", WRITER), await agents.say("I own a boat")
        done = await agents.roll_back(cut, WRITER)
        assert {it.memory_id for it in done} == {own, boat}
        shared = next(it.event for it in done if it.memory_id == boat)
        back = await agents.undo(shared, CODER)
        assert (await agents.believed(), back.erased) == (["I like tea", "I own a boat"], ())
        assert own not in spelled(back)

    @pytest.mark.parametrize(
        ("own", "shared"), [("I'm 34", "I'm 35"), (ACME, "I quit my job")], ids=["another value", "an end"]
    )
    async def test_what_agents_share_names_nothing_of_the_agent_that_revises_it(
        self, agents: Agents, own: str, shared: str
    ) -> None:
        """The writer changes what all see: nobody else is to learn by it that the writer keeps something else."""
        tea = await agents.say("I like tea")
        await agents.say(own, WRITER)
        await agents.call(agents.memory.long_term, "revise", tea, scope=WRITER, content=shared)
        seen = await agents.call(agents.memory.long_term, "get", tea, scope=ALICE)
        assert (seen.content, seen.contradicts, seen.links) == (shared, (), ())

    async def test_what_agents_share_names_nothing_of_the_agent_that_undoes_it(self, agents: Agents) -> None:
        """Acme goes, and the writer's Initech stands by its own word; once Acme is back, Initech alone names it."""
        acme = await agents.say(ACME)
        initech = await agents.correct(acme, INITECH)
        await agents.undo(1, WRITER, with_later=True)
        assert (await agents.call(agents.memory.long_term, "get", acme, scope=ALICE)).contradicts == ()
        await agents.call(agents.memory.long_term, "restore", acme, scope=WRITER)
        marked = {it.id: it.contradicts for it in await agents.rows()}
        assert marked == {acme: (), initech: (acme,)}
