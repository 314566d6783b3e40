"""The contract of neighbours: what was said beside a hit comes along, marked, from the same conversation."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, ConfigurationError, RecallQuery, Scope, Weights
from langchain_agentmem._flow import arun, flows_of
from langchain_agentmem.long_term.recall.prompt_form import to_prompt, tokens_of
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Provenance, Recall
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB, START
from tests.talks import OTHER_TALK, TALK

SAID = ("It rains", "My sister came", "Nora moved to Lisbon", "By ship", "I miss them")
RENT = "I booked the room in Lisbon, the rent for the room is 700 euros a month."
NEW_RENT = "The rent for the room in Lisbon was raised, it is now 850 euros a month."
NORA = "Where did Nora move to?"
HELPER = replace(TALK, agent_id="helper")


class NeighboursContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def memory(self, sql_url: str, clock: Clock) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(
            consent="assumed", clock=clock, weights=Weights(min_likelihood=0.0), episodes_for=timedelta(days=30)
        )
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            yield memory

    async def test_neighbours_follow_their_hit_in_order(self, memory: AgentMemory, call: Call) -> None:
        """They do not count against the limit; each names its hit and its place, and has no rank of its own."""
        await say(memory, call, *SAID)
        found = await ask(memory, call, neighbours=1)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert texts(found) == [SAID[2], SAID[1], SAID[3]]
        assert [hit.neighbour_of for hit in found] == [None, found[0].memory.id, found[0].memory.id]
        assert [hit.place for hit in found] == [2, 1, 3]
        assert [(line.rank, line.beside) for line in receipt.lines[:3]] == [(1, None), *[(0, found[0].memory.id)] * 2]
        assert receipt.returned[:3] == tuple(hit.memory.id for hit in found)
        told = await call(memory.long_term, "why_not", receipt.id, found[1].memory.id, scope=ALICE)
        assert found[0].memory.id in told

    async def test_the_prompt_shows_a_conversation_in_its_order(self, memory: AgentMemory, call: Call) -> None:
        """Each turn once, also where neighbours of two hits overlap; another conversation stands apart."""
        await say(memory, call, *SAID)
        await say(memory, call, "Before", "Nora moved on to Porto", scope=OTHER_TALK)
        found = await ask(memory, call, neighbours=1, limit=2)
        shown = [it.removeprefix("user: ") for it in re.findall(r">(user: [^<]*)<", to_prompt(found))]
        here, there = [*SAID[1:4]], ["Before", "Nora moved on to Porto"]
        assert shown in (here + there, there + here)
        assert to_prompt(found).count("beside=") == 3

    async def test_what_comes_late_stands_where_its_time_says(self, memory: AgentMemory, call: Call) -> None:
        """A message that was said between others, and kept after them, is their neighbour; also in the prompt."""
        for first, said, minutes in ((0, SAID[1], 1), (1, SAID[2], 2), (2, SAID[4], 4), (3, SAID[3], 3)):
            await say(memory, call, said, first=first, at=START + timedelta(minutes=minutes))
        found = await ask(memory, call, neighbours=1)
        shown = re.findall(r">user: ([^<]*)<", to_prompt(found))
        assert (texts(found), shown) == ([SAID[2], SAID[1], SAID[3]], [*SAID[1:4]])

    async def test_a_turn_comes_once(self, memory: AgentMemory, call: Call) -> None:
        """As the hit that it is, or beside the better of its neighbours."""
        await say(memory, call, *SAID)
        found = await ask(memory, call, text="Nora moved by ship", neighbours=20, limit=2)
        assert sorted(texts(found)) == sorted(SAID)
        assert [hit.neighbour_of is None for hit in found].count(True) == 2

    async def test_facts_have_no_neighbours(self, memory: AgentMemory, call: Call) -> None:
        """They were said nowhere in particular."""
        await call(memory.long_term, "remember", "Nora moved to Lisbon", scope=ALICE)
        found = await ask(memory, call, neighbours=3)
        assert [(hit.memory.kind, hit.place) for hit in found] == [("fact", None)]

    async def test_neighbours_are_paid_last(self, memory: AgentMemory, call: Call) -> None:
        """Out of the same budget: hits first; what does not fit is in the receipt."""
        await say(memory, call, *SAID)
        whole = await ask(memory, call, neighbours=1)
        budget = tokens_of(whole[0]) + tokens_of(whole[1])
        found = await ask(memory, call, neighbours=1, max_tokens=budget)
        none = await ask(memory, call, neighbours=1, max_tokens=tokens_of(whole[0]) - 1)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        dropped = {line.memory_id for line in receipt.lines if line.dropped_by == "budget"}
        assert (texts(found), texts(none)) == ([SAID[2], SAID[1]], [])
        assert dropped == {whole[2].memory.id}

    async def test_another_conversation_agent_or_user_is_no_neighbour(self, memory: AgentMemory, call: Call) -> None:
        """However near in time, and under the same session's name."""
        await say(memory, call, *SAID[:3])
        for scope in (OTHER_TALK, HELPER, replace(BOB, session_id="talk")):
            await say(memory, call, f"of {scope.agent_id} {scope.session_id}", scope=scope)
        await say(memory, call, SAID[3], first=3)
        for scope in (ALICE, replace(HELPER, session_id=None)):
            found = await ask(memory, call, scope=scope, neighbours=2, limit=1)
            assert (found[0].memory.content, set(texts(found)) <= set(SAID)) == (f"user: {SAID[2]}", True)

    async def test_what_was_forgotten_or_expired_is_no_neighbour(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """Nor what the asker has before them, nor what was said outside of the time asked for."""
        await say(memory, call, *SAID[:4])
        listed = {it.text: it.id for it in await call(memory.episodes, "list", scope=ALICE)}
        await call(memory.episodes, "forget", [listed[SAID[1]]], scope=ALICE)
        query = RecallQuery(text=NORA, neighbours=1, limit=1)
        known = await arun(flows_of(memory.long_term).recall(query, ALICE, without=frozenset({listed[SAID[3]]})))
        assert (texts(await ask(memory, call, neighbours=1)), texts(known)) == (
            [SAID[2], SAID[0], SAID[3]],
            [SAID[2], SAID[0]],
        )
        clock.now += timedelta(days=20)
        await say(memory, call, "much later", first=9, at=clock.now)
        assert texts(await ask(memory, call, neighbours=2, until=START + timedelta(days=1)))[-1] == SAID[3]
        clock.now += timedelta(days=15)
        assert texts(await ask(memory, call, text="much later", neighbours=3)) == ["much later"]

    async def test_a_neighbour_is_marked_like_a_hit(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """What was surely updated says so, and names what updated it; as of a day before that, it does not."""
        later = START + timedelta(days=9)
        await say(memory, call, RENT, "Ruth keeps parrots", "Parrots bite")
        await say(memory, call, NEW_RENT, "Bye", scope=OTHER_TALK, at=later)
        clock.now = later + timedelta(days=1)
        found = await ask(memory, call, text="Does Ruth keep parrots?", neighbours=1)
        before = await ask(memory, call, text="Does Ruth keep parrots?", neighbours=1, as_of=later - timedelta(days=1))
        [update] = (it for it in await call(memory.episodes, "list", scope=OTHER_TALK) if it.text == NEW_RENT)
        assert (texts(found), texts(before)) == (["Ruth keeps parrots", RENT, "Parrots bite"],) * 2
        assert [hit.memory.status for hit in found] == ["active", "superseded", "active"]
        assert [hit.memory.links for hit in found] == [(), (update.id,), ()]
        assert {hit.memory.status for hit in before} == {"active"}

    async def test_what_is_dated_ahead_marks_neither_a_hit_nor_its_neighbour(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """A recall without `as_of` is about now: what is said later than now has updated nothing yet."""
        await say(memory, call, RENT, "Ruth keeps parrots")
        await say(memory, call, NEW_RENT, scope=OTHER_TALK, at=START + timedelta(days=9))
        for question in ("Does Ruth keep parrots?", "What is the rent for the room in Lisbon?"):
            found = await ask(memory, call, text=question, neighbours=1)
            assert [(RENT in texts(found), hit.memory.status) for hit in found] == [(True, "active")] * 2

    async def test_a_neighbour_whose_fact_was_replaced_is_marked(self, memory: AgentMemory, call: Call) -> None:
        """By whatever holds now, in whichever conversation it was learned, and though it was not asked for."""
        await say(memory, call, SAID[1], SAID[2], "I live in Rome")
        for content, said_in in (("Alice lives in Rome", "h2"), ("Alice moved to Oslo", "elsewhere")):
            learned = Candidate(content=content, provenance=Provenance(speaker="user", message_ids=(said_in,)))
            decision = await call(memory.long_term, "remember", learned, scope=TALK)
        found = await ask(memory, call, neighbours=1, kinds=("episode",))
        marks = {hit.memory.content.removeprefix("user: "): (hit.memory.status, hit.memory.links) for hit in found}
        assert marks == {
            SAID[1]: ("active", ()),
            SAID[2]: ("active", ()),
            "I live in Rome": ("superseded", (decision.memory.id,)),
        }

    async def test_what_comes_along_was_not_dropped(self, memory: AgentMemory, call: Call) -> None:
        """A turn that had no place among the hits, and stands beside one, has one line in the receipt."""
        await say(memory, call, "Nora moved to Porto", SAID[2], "Nora moved to Rome")
        found = await ask(memory, call, neighbours=2)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert [line.dropped_by for line in receipt.lines] == [None] * 3
        assert receipt.returned == tuple(hit.memory.id for hit in found)

    async def test_neighbours_in_the_chat_history_have_their_words(self, memory: AgentMemory, call: Call) -> None:
        """Also where episodes only point at messages."""
        said = [HumanMessage(text, id=str(number)) for number, text in enumerate(SAID)]
        await call(memory.history(TALK), "add_messages", said)
        assert texts(await ask(memory, call, neighbours=1)) == [SAID[2], SAID[1], SAID[3]]

    @pytest.mark.parametrize("neighbours", [-1, 21, 10**6, 1.5, True, "2"])
    async def test_a_number_of_neighbours_is_small(self, neighbours: Any) -> None:  # noqa: ANN401
        """Anything else is refused before anything is read."""
        with pytest.raises(ConfigurationError):
            RecallQuery(text=NORA, neighbours=neighbours)


async def say(
    memory: AgentMemory, call: Call, *said: str, scope: Scope = TALK, first: int = 0, at: datetime = START
) -> None:
    """Keep a conversation, or go on with it."""
    turns = [HumanMessage(text, id=f"h{number}") for number, text in enumerate(said, first)]
    await call(memory.episodes, "ingest", turns, scope=scope, at=at)


async def ask(memory: AgentMemory, call: Call, scope: Scope = ALICE, **fields: Any) -> Recall:
    """Ask where Nora moved to, for one hit."""
    query = RecallQuery(**{"text": NORA, "limit": 1, **fields})
    found: Recall = await call(memory.long_term, "recall", query, scope=scope)
    return found


def texts(found: Recall) -> list[str]:
    """Return what was said, in the order of the answer."""
    return [hit.memory.content.removeprefix("user: ") for hit in found]
