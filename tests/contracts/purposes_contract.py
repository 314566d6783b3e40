"""How statements that are kept for different purposes meet, whatever database holds them, in both colours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, Decision, RecallQuery
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Hit, Memory, Source
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE

PARIS, BERLIN = "Alice lives in Paris", "Alice moved to Berlin"
LITTLE, MUCH = "Alice's budget is 300 euros", "Alice's budget is 500 euros"
SUPPORT: Final = ("support",)
ADS: Final = ("ads",)
BOTH: Final = ("support", "ads")

CHANGED: Final = [
    (PARIS, BERLIN),
    ("Alice is vegetarian", "Alice is vegan now"),
    ("Alice's favourite colour is blue", "Alice's favourite colour is red now"),
    ("Alice is allergic to nuts", "Alice is not allergic to nuts"),
]
"""What is so, and what is so instead."""


class PurposesContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def options(self) -> MemoryOptions:
        return MemoryOptions(clock=Clock())

    @pytest.fixture
    async def memory(self, sql_url: str, options: MemoryOptions) -> AsyncIterator[AgentMemory]:
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            await memory.consent.agrant(ALICE)
            yield memory

    async def kept(self, memory: AgentMemory, call: Call) -> list[tuple[str, tuple[str, ...]]]:
        """Return what is in force, each with its purposes."""
        found: list[Memory] = await call(memory.long_term, "list", scope=ALICE)
        return sorted((it.content, it.purposes) for it in found)

    async def shown(self, memory: AgentMemory, call: Call, purpose: str | None, text: str = PARIS) -> list[Hit]:
        """Return what a purpose is shown."""
        found = await call(memory.long_term, "recall", RecallQuery(text=text, purpose=purpose, limit=1), scope=ALICE)
        return list(found.hits)

    # ---------------------------------------------------------------------------------------------- limited consent
    @pytest.mark.parametrize(("old", "new"), CHANGED)
    async def test_consent_that_is_limited_hinders_no_update(
        self, memory: AgentMemory, call: Call, old: str, new: str
    ) -> None:
        """What is kept for the purposes of the consent is replaced and confirmed like what is kept for any."""
        await call(memory.consent, "grant", ALICE, purposes=SUPPORT)
        first, second, again = [await call(memory.long_term, "remember", it, scope=ALICE) for it in (old, new, new)]
        assert second.superseded == (first.memory.id,)
        assert (again.rule, again.memory.id) == ("duplicate", second.memory.id)
        assert await self.kept(memory, call) == [(new, SUPPORT)]

    # -------------------------------------------------------------------------------------------------- who meets whom
    @pytest.mark.parametrize(
        ("old", "new"), [(BOTH, SUPPORT), (SUPPORT, BOTH), (BOTH, (*SUPPORT, "tax")), ((), SUPPORT), (SUPPORT, ())]
    )
    async def test_what_is_not_so_is_so_for_no_purpose(
        self, memory: AgentMemory, call: Call, old: tuple[str, ...], new: tuple[str, ...]
    ) -> None:
        """A statement ends what serves one of its purposes for all, and is shown to its own alone."""
        first, second = await tell(memory, call, (PARIS, old), (BERLIN, new))
        assert second.superseded == (_id(first),)
        assert await self.kept(memory, call) == [(BERLIN, new)]
        for purpose in ("support", "ads"):
            told = [it.memory.content for it in await self.shown(memory, call, purpose)]
            assert told == ([BERLIN] if not new or purpose in new else [])

    async def test_statements_that_no_recall_shows_together_do_not_meet(self, memory: AgentMemory, call: Call) -> None:
        """What was said for one purpose alone replaces nothing that serves another one alone."""
        _, second = await tell(memory, call, (PARIS, ADS), (BERLIN, SUPPORT))
        assert (second.superseded, second.linked) == ((), ())
        assert [it.memory.content for it in await self.shown(memory, call, "ads")] == [PARIS]

    async def test_what_only_ends_something_ends_it_for_every_purpose(self, memory: AgentMemory, call: Call) -> None:
        """Who sold the bike has none, whatever that was kept for: nothing is told to a purpose by its end."""
        told = [("Alice has a bike", ADS), ("Alice has a bike", SUPPORT), ("Alice sold her bike", SUPPORT)]
        await tell(memory, call, *told)
        assert await self.kept(memory, call) == [("Alice sold her bike", SUPPORT)]
        assert not await self.shown(memory, call, "ads", "Does Alice have a bike?")

    async def test_neighbours_of_other_purposes_take_no_places(self, memory: AgentMemory, call: Call) -> None:
        """However many statements serve another purpose, that which is to be replaced is found."""
        await tell(memory, call, *((f"Alice's {it} lives in Paris", ADS) for it in _FRIENDS), (PARIS, SUPPORT))
        (moved,) = await tell(memory, call, (BERLIN, SUPPORT))
        assert len(moved.superseded) == 1

    # ------------------------------------------------------------------------------------------------------ said again
    @pytest.mark.parametrize(("old", "new"), [(BOTH, SUPPORT), ((), SUPPORT), (SUPPORT, SUPPORT)])
    async def test_the_same_for_no_more_purposes_is_a_duplicate(
        self, memory: AgentMemory, call: Call, old: tuple[str, ...], new: tuple[str, ...]
    ) -> None:
        """It confirms what is known, which keeps its purposes."""
        _, again = await tell(memory, call, (PARIS, old), (PARIS, new))
        assert again.rule == "duplicate"
        assert await self.kept(memory, call) == [(PARIS, old)]

    @pytest.mark.parametrize(("old", "new"), [(SUPPORT, BOTH), (SUPPORT, ())])
    async def test_the_same_for_more_purposes_takes_its_place(
        self, memory: AgentMemory, call: Call, old: tuple[str, ...], new: tuple[str, ...]
    ) -> None:
        """It is known once, and serves what it was said for last."""
        first, again = await tell(memory, call, (PARIS, old), (PARIS, new))
        assert again.superseded == (_id(first),)
        assert await self.kept(memory, call) == [(PARIS, new)]
        assert [it.memory.content for it in await self.shown(memory, call, "ads")] == [PARIS]

    async def test_a_guess_takes_the_place_of_nothing_that_is_believed_more(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """What the user said for one purpose stays beside what is guessed for two."""
        first, _ = await tell(memory, call, (PARIS, SUPPORT), (PARIS, BOTH), source="inferred")
        assert _id(first) in {it.id for it in await call(memory.long_term, "list", scope=ALICE)}

    async def test_the_same_for_another_purpose_is_kept_beside_it(self, memory: AgentMemory, call: Call) -> None:
        """Each purpose has its own: nobody gains what was said for somebody else."""
        await tell(memory, call, (PARIS, ADS), (PARIS, SUPPORT))
        assert await self.kept(memory, call) == [(PARIS, ADS), (PARIS, SUPPORT)]

    # --------------------------------------------------------------------------------------------------- contradictions
    @pytest.mark.parametrize("options", [MemoryOptions(clock=Clock(), conflicts="keep_both")])
    @pytest.mark.parametrize(("old", "new"), [(SUPPORT, SUPPORT), (SUPPORT, BOTH), (BOTH, SUPPORT), ((), SUPPORT)])
    async def test_a_pair_is_marked_only_where_both_may_be_seen(
        self, memory: AgentMemory, call: Call, old: tuple[str, ...], new: tuple[str, ...]
    ) -> None:
        """Both sides come, each naming the other; a purpose that may see one is told of no other."""
        told = await tell(memory, call, (LITTLE, old), (MUCH, new))
        first, second = map(_id, told)
        both = await self.shown(memory, call, "support", LITTLE)
        assert {it.memory.id: it.contradicts for it in both} == {first: (second,), second: (first,)}
        assert all(not it.contradicts for it in await self.shown(memory, call, "ads", LITTLE))

    @pytest.mark.parametrize("options", [MemoryOptions(clock=Clock(), conflicts="ask")])
    async def test_a_question_replaces_what_serves_the_purpose_once_it_is_approved(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Somebody is asked of a contradiction between statements with purposes, as of any."""
        first, second = await tell(memory, call, (LITTLE, SUPPORT), (MUCH, SUPPORT))
        assert second.rule == "conflict_ask"
        (asked,) = await call(memory.approvals, "list", scope=ALICE)
        await call(memory.approvals, "decide", asked.approve(), scope=ALICE, decided_by="maria")
        assert await self.kept(memory, call) == [(MUCH, SUPPORT)]
        assert _id(first) not in {it.id for it in await call(memory.long_term, "list", scope=ALICE)}

    # -------------------------------------------------------------------------------------------------- conversations
    async def test_turns_of_another_purpose_are_as_if_they_had_not_been_said(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Neither how likely an answer is, nor a score, nor a mark tells an ads caller what support was told."""
        told = [HumanMessage(text, id=text) for text in ("I painted the kitchen wall", "We had pancakes", *_CODES)]
        found = []
        for bound in ([], told[2:]):
            scope = replace(ALICE, user_id=f"alice{len(bound)}")
            for purposes, said in ((SUPPORT, bound), (BOTH, told[:2])):
                await call(memory.consent, "grant", scope, purposes=purposes)
                await call(memory.episodes, "ingest", said, scope=replace(scope, session_id=purposes[-1]))
            asked = RecallQuery(text="What is the submarine code?", purpose="ads")
            found.append(await call(memory.long_term, "recall", asked, scope=scope))
            seen = await call(memory.long_term, "recall", replace(asked, purpose="support"), scope=scope)
        assert found[0].likelihood == found[1].likelihood < seen.likelihood
        assert [it.hits for it in found] == [(), ()]


_CODES: Final = ("The submarine code is 4417 now", "The submarine code is 5528 now")

_FRIENDS: Final = (
    "aunt",
    "uncle",
    "cousin",
    "nephew",
    "niece",
    "brother",
    "sister",
    "boss",
    "doctor",
    "friend",
    "tutor",
)


async def tell(
    memory: AgentMemory, call: Call, *told: tuple[str, tuple[str, ...]], source: Source = "explicit"
) -> list[Decision]:
    """Remember statements, each for its purposes; the last one of the source."""
    found: list[Decision] = []
    for place, (content, purposes) in enumerate(told):
        is_last = place == len(told) - 1
        by: Source = source if is_last else "explicit"
        said = Candidate(content=content, purposes=purposes, source=by, confidence=0.95)
        found.append(await call(memory.long_term, "remember", said, scope=ALICE))
    return found


def _id(decision: Decision) -> str:
    return decision.require().id if decision.verdict == "written" else str(decision.memory and decision.memory.id)
