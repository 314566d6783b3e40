"""The contract of an answer's order: near-duplicates, rerankers, and statements that contradict each other."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.messages import HumanMessage
from pydantic import Field

from langchain_agentmem import AgentMemory, Candidate, RecallQuery, Scope, Weights
from langchain_agentmem.long_term.parts import RERANKED
from langchain_agentmem.long_term.recall.asking import united
from langchain_agentmem.long_term.recall.ordering import MAX_RIVALS
from langchain_agentmem.long_term.recall.prompt_form import to_prompt
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Memory, Provenance, Recall
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB, START
from tests.talks import OTHER_TALK, TALK

TOOL = Provenance(speaker="tool", message_ids=("t1",))
CODER = replace(ALICE, agent_id="coder")
THREE, FIVE = "My budget for the trip is 300 euros", "My budget for the trip is 500 euros"
NEVER, DONE = "I've never attended a workshop on resumes", "I just attended a workshop on resumes in Rome"


class FakeReranker(BaseDocumentCompressor):
    """Answers as it is told; notes what it is asked, and in which colour."""

    answer: Any = list
    asked: list[tuple[str, str, list[Document]]] = Field(default_factory=list)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        self.asked.append(("sync", query, list(documents)))
        return cast("Sequence[Document]", self.answer(documents))

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        self.asked.append(("async", query, list(documents)))
        return cast("Sequence[Document]", self.answer(documents))


class RankingContract:
    """What a contract of answers needs; subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def options(self) -> MemoryOptions:
        return MemoryOptions(consent="assumed", weights=Weights(min_likelihood=0.0))

    @pytest.fixture
    async def memory(self, sql_url: str, options: MemoryOptions) -> AsyncIterator[AgentMemory]:
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            yield memory


class DuplicatesContract(RankingContract):
    """What says the same takes one place."""

    async def test_what_was_said_twice_takes_one_place(self, memory: AgentMemory, call: Call) -> None:
        """In another conversation, too; the receipt names what says the same, and so does `why_not`."""
        await say(memory, call, "Nora moved to Lisbon", "The weather is fine")
        await say(memory, call, "Nora moved to Lisbon", scope=OTHER_TALK)
        found, receipt = await ask(memory, call, "Where did Nora move to?")
        [line] = [it for it in receipt.lines if it.dropped_by == "duplicate"]
        told = await call(memory.long_term, "why_not", receipt.id, line.memory_id, scope=ALICE)
        assert said(found).count("Nora moved to Lisbon") == 1
        assert line.linked[0] == found[0].memory.id
        assert ("'duplicate'" in told, found[0].memory.id in told) == (True, True)

    async def test_a_number_makes_another_statement(self, memory: AgentMemory, call: Call) -> None:
        """However near the vectors are; what resembles a better hit says by how much."""
        await say(memory, call, *(f"I saw the old boat of Nora near pier {number}" for number in (3, 4)))
        found, _ = await ask(memory, call, "What boat did I see near the pier?")
        assert len(found) == 2
        assert "redundancy" not in found[0].parts
        assert 0 < found[1].parts["redundancy"] <= 1

    async def test_others_change_nothing(self, memory: AgentMemory, call: Call) -> None:
        """Rows of other users and agents drop no hit and move no score."""
        await say(memory, call, "Nora moved to Lisbon", "Nora moved to Porto in May")
        before, _ = await ask(memory, call, "Where did Nora move to?")
        for scope in (BOB, replace(CODER, session_id="talk")):
            await say(memory, call, "Nora moved to Lisbon", "Nora moved", scope=replace(scope, session_id="talk"))
        after, _ = await ask(memory, call, "Where did Nora move to?")
        assert [(it.memory.id, it.score, it.parts) for it in after] == [
            (it.memory.id, it.score, it.parts) for it in before
        ]


class NoDiversityContract(RankingContract):
    """Without its weight nothing of it happens."""

    @pytest.fixture
    def options(self) -> MemoryOptions:
        return MemoryOptions(consent="assumed", weights=Weights(min_likelihood=0.0, diversity=0))

    async def test_without_weight_repetitions_come_twice(self, memory: AgentMemory, call: Call) -> None:
        """And no score knows of another."""
        await say(memory, call, "Nora moved to Lisbon")
        await say(memory, call, "Nora moved to Lisbon", scope=OTHER_TALK)
        found, _ = await ask(memory, call, "Where did Nora move to?")
        assert said(found) == ["Nora moved to Lisbon"] * 2
        assert not any("redundancy" in hit.parts for hit in found)


class RerankerContract(RankingContract):
    """A document compressor orders the best candidates anew."""

    @pytest.fixture
    def reranker(self) -> FakeReranker:
        return FakeReranker()

    @pytest.fixture
    def options(self, reranker: FakeReranker) -> MemoryOptions:
        return MemoryOptions(consent="assumed", weights=Weights(min_likelihood=0.0), reranker=reranker)

    @pytest.fixture
    async def kept(self, memory: AgentMemory) -> list[str]:
        """Keep three facts, and return their ids."""
        things = ("cat", "boat", "garden")
        return [(await memory.long_term.aremember(f"Alice owns a {it}", scope=ALICE)).require().id for it in things]

    async def test_its_order_is_the_answers_order(
        self, memory: AgentMemory, reranker: FakeReranker, kept: list[str], call: Call, colour: str
    ) -> None:
        """It is asked once, in the colour of the call; its scores are parts, and the receipt says who it was."""
        reranker.answer = lambda given: [scored(it, 0.5) for it in reversed(given)]
        found, receipt = await ask(memory, call, "What does Alice own?")
        [(used, query, given)] = reranker.asked
        assert (used, query) == (colour, "What does Alice own?")
        assert [hit.memory.id for hit in found] == [it.metadata["id"] for it in reversed(given)]
        assert sorted(it.metadata["id"] for it in given) == sorted(kept)
        assert [line.parts["rerank"] for line in receipt.lines] == [0.5] * 3
        assert receipt.plan["reranker"] == {"name": "FakeReranker", "given": 3, "returned": 3}

    async def test_of_several_questions_its_order_stays(
        self, memory: AgentMemory, reranker: FakeReranker, kept: list[str], call: Call
    ) -> None:
        """The first of each comes before the second of any, whatever their scores; where it fails scores decide."""
        reranker.answer = lambda given: list(reversed(given))
        recalls = [(await ask(memory, call, f"Does Alice own a {it}?"))[0] for it in ("cat", "garden")]
        ids = [[hit.memory.id for hit in it] for it in recalls]
        by_rank = [*dict.fromkeys(id_ for pair in zip(*ids, strict=True) for id_ in pair)]
        assert [hit.memory.id for hit in united(recalls)] == by_rank != [hit.memory.id for hit in by_score(recalls)]
        assert [hit.memory.id for hit in united(recalls, limit=2)] == by_rank[:2]
        assert {hit.memory.id for hit in united(recalls)} == set(kept)
        reranker.answer = FAILURES["raises"]
        failed = [(await ask(memory, call, f"Does Alice own a {it}?"))[0] for it in ("cat", "garden")]
        assert [hit.score for hit in united(failed)] == sorted((hit.score for hit in united(failed)), reverse=True)

    async def test_what_it_leaves_out_is_dropped_by_its_name(
        self, memory: AgentMemory, reranker: FakeReranker, kept: list[str], call: Call
    ) -> None:
        """Documents that it made up, and those it returns twice, are no memories."""
        stranger = Document("Alice owns nothing", metadata={"id": "stranger"})
        reranker.answer = lambda given: [stranger, given[1], given[0], given[1]]
        found, receipt = await ask(memory, call, "What does Alice own?")
        [out] = [line.memory_id for line in receipt.lines if line.dropped_by == "reranker"]
        assert [hit.memory.id for hit in found] == [reranker.asked[0][2][it].metadata["id"] for it in (1, 0)]
        assert {out, *(hit.memory.id for hit in found)} == set(kept)
        assert "reranker" in await call(memory.long_term, "why_not", receipt.id, out, scope=ALICE)

    async def test_it_may_find_nothing_relevant(
        self, memory: AgentMemory, reranker: FakeReranker, kept: list[str], call: Call
    ) -> None:
        """Then nothing is a normal answer."""
        reranker.answer = lambda _: []
        found, receipt = await ask(memory, call, "What does Alice own?")
        assert (len(found), found.status, len(receipt.lines)) == (0, "empty", len(kept))
        assert receipt.reason == "the reranker left out all that was found"

    @pytest.mark.parametrize("answer", ["raises", "no ids", "no documents", "nothing"])
    async def test_a_failure_costs_only_its_opinion(
        self, memory: AgentMemory, reranker: FakeReranker, call: Call, caplog: pytest.LogCaptureFixture, answer: str
    ) -> None:
        """Our order stands, the receipt says so, and the log names the reranker and no word."""
        for thing in ("cat", "boat"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        usual, _ = await ask(memory, call, "What does Alice own?")
        reranker.answer = FAILURES[answer]
        with caplog.at_level(logging.WARNING, "langchain_agentmem"):
            found, receipt = await ask(memory, call, "What does Alice own?")
        assert [hit.memory.id for hit in found] == [hit.memory.id for hit in usual]
        assert receipt.plan["reranker"] == {"name": "FakeReranker", "given": 2, "returned": 0, "degraded": True}
        assert ("FakeReranker" in caplog.text, "Alice" in caplog.text) == (True, False)

    async def test_it_sees_what_may_be_recalled_and_no_more(
        self, memory: AgentMemory, reranker: FakeReranker, kept: list[str], call: Call
    ) -> None:
        """Filters come before it; without consent it is not asked."""
        await call(memory.long_term, "remember", "Bob owns a castle", scope=BOB)
        await ask(memory, call, RecallQuery(text="What does Alice own?", kinds=("preference",)))
        await ask(memory, call, "What does Alice own?")
        await call(memory.consent, "withdraw", ALICE)
        await call(memory.long_term, "recall", "What does Alice own?", scope=ALICE)
        [(_, _, given)] = reranker.asked
        assert sorted(it.metadata["id"] for it in given) == sorted(kept)

    async def test_what_is_withdrawn_while_it_thinks_stays_away(
        self, memory: AgentMemory, reranker: FakeReranker, kept: list[str], call: Call
    ) -> None:
        """The ledger judges once more behind it."""
        reranker.answer = lambda given: forgetting(memory, kept[0], given)
        found, receipt = await ask(memory, call, "What does Alice own?")
        assert {hit.memory.id for hit in found} == {*kept[1:]}
        assert [it.dropped_by for it in receipt.lines if it.memory_id == kept[0]] == ["status_archived"]

    async def test_it_is_given_more_than_is_returned_and_never_all(
        self, memory: AgentMemory, reranker: FakeReranker, call: Call
    ) -> None:
        """What stands far down in our order may be first in its own; what it has not seen is not returned."""
        await say(memory, call, *(f"I saw boat number {number}" for number in range(RERANKED + 5)))
        reranker.answer = lambda given: list(reversed(given))
        found, _ = await ask(memory, call, "Which boat did I see?", limit=2)
        [(_, _, given)] = reranker.asked
        assert (len(given), len(found)) == (RERANKED, 2)
        assert [hit.memory.id for hit in found] == [it.metadata["id"] for it in given[:-3:-1]]


class ContradictionsContract(RankingContract):
    """What nobody decided is returned as a pair."""

    async def test_a_claim_that_waits_is_named(self, memory: AgentMemory, call: Call) -> None:
        """It is not returned unless asked for, but the fact it contradicts says that somebody says otherwise."""
        paris, madrid = await disputed(memory, call)
        found, receipt = await ask(memory, call, "where does Alice live?")
        both, _ = await ask(memory, call, RecallQuery(text="where does Alice live?", include_pending=True))
        assert [(hit.memory.id, hit.contradicts) for hit in found] == [(paris.id, (madrid.id,))]
        assert receipt.lines[0].linked == (madrid.id,)
        assert {hit.memory.id: hit.contradicts for hit in both} == {paris.id: (madrid.id,), madrid.id: (paris.id,)}
        assert f'contradicts="{madrid.id}"' in to_prompt(found)

    async def test_both_lives_tell_of_the_contradiction(self, memory: AgentMemory, call: Call) -> None:
        """By an event each, which names the other; the chain is intact, and replaying it changes nothing."""
        paris, madrid = await disputed(memory, call)
        lives = [await call(memory.long_term, "why", it.id, scope=ALICE) for it in (paris, madrid)]
        assert (lives[0].events[-1].type, madrid.id in lives[0].reasons[-1]) == ("contradicted", True)
        assert paris.id in lives[1].reasons[0]
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_a_decision_ends_it(self, memory: AgentMemory, call: Call) -> None:
        """Whether the claim is confirmed or forgotten."""
        await disputed(memory, call)
        await call(memory.long_term, "remember", "Alice lives in Madrid", scope=ALICE)
        found, _ = await ask(memory, call, RecallQuery(text="where does Alice live?", include_superseded=True))
        assert {hit.contradicts for hit in found} == {()}
        await call(memory.long_term, "remember", "Alice is allergic to peanuts", scope=ALICE)
        claim = Candidate(content="Alice is not allergic to peanuts", provenance=TOOL)
        held = (await call(memory.long_term, "remember", claim, scope=ALICE)).require()
        await call(memory.long_term, "forget", held.id, scope=ALICE)
        found, _ = await ask(memory, call, "is Alice allergic to peanuts?")
        assert {hit.contradicts for hit in found} == {()}

    async def test_what_an_agent_says_stands_beside_what_all_know(self, memory: AgentMemory, call: Call) -> None:
        """For that agent, as a pair beyond the limit; the others learn nothing of it."""
        paris = (await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)).require()
        own = (await call(memory.long_term, "remember", "Alice lives in Berlin", scope=CODER)).require()
        pair, _ = await ask(memory, call, "where does Alice live?", scope=CODER, limit=1)
        alone, _ = await ask(memory, call, "where does Alice live?")
        assert {hit.memory.id: hit.contradicts for hit in pair} == {paris.id: (own.id,), own.id: (paris.id,)}
        assert [(hit.memory.id, hit.memory.contradicts, hit.contradicts) for hit in alone] == [(paris.id, (), ())]

    async def test_a_denial_comes_with_what_it_denies(self, memory: AgentMemory, call: Call) -> None:
        """Right behind the turn that was found, beyond the limit; both are marked, and the prompt says so."""
        await say(memory, call, NEVER, "The weather is fine", DONE, "I like to cook")
        found, _ = await ask(memory, call, "Have I ever attended a workshop on resumes?", limit=1)
        ids = [hit.memory.id for hit in found]
        assert sorted(said(found)) == sorted([NEVER, DONE])
        assert [hit.contradicts for hit in found] == [(ids[1],), (ids[0],)]
        assert to_prompt(found).count('contradicts="') == 2

    async def test_another_value_comes_with_what_it_contradicts(self, memory: AgentMemory, call: Call) -> None:
        """Right behind the turn that was found, beyond the limit; both are marked, in the receipt and the prompt."""
        await say(memory, call, THREE, "The weather is fine")
        await say(memory, call, "I like to cook", FIVE, scope=OTHER_TALK)
        found, receipt = await ask(memory, call, "What is my budget for the trip?", limit=1)
        ids = [hit.memory.id for hit in found]
        assert sorted(said(found)) == [THREE, FIVE]
        assert [hit.contradicts for hit in found] == [(ids[1],), (ids[0],)]
        assert [line.linked for line in receipt.lines if line.rank] == [(ids[1],), (ids[0],)]
        assert to_prompt(found).count('contradicts="') == 2

    async def test_a_value_that_was_updated_contradicts_nothing(self, memory: AgentMemory, call: Call) -> None:
        """Who says that it is another one now has said which of both holds."""
        await say(memory, call, THREE, "The weather is fine")
        await say(memory, call, "I like to cook", FIVE.replace(" is ", " is now "), scope=OTHER_TALK)
        found, _ = await ask(memory, call, "What is my budget for the trip?")
        assert {hit.contradicts for hit in found} == {()}

    async def test_few_come_beyond_the_limit(self, memory: AgentMemory, call: Call) -> None:
        """Whoever contradicts themselves every day gets as many as there is room for; within the limit all count."""
        often = [f"I just attended a workshop on resumes in May 20{year}" for year in range(20, 25)]
        await say(memory, call, NEVER, *often)
        few, _ = await ask(memory, call, NEVER, limit=1)
        many, _ = await ask(memory, call, NEVER, limit=6)
        assert (len(few), len(many)) == (1 + MAX_RIVALS, 6)
        assert len(few[0].contradicts) >= MAX_RIVALS

    async def test_another_person_contradicts_nobody(self, memory: AgentMemory, call: Call) -> None:
        """A denial, or another value, is held against the speaker's own words."""
        said_by = (("Ann", NEVER), ("Bob", DONE), ("Ann", THREE), ("Bob", FIVE))
        turns = [HumanMessage(text, id=str(number), name=name) for number, (name, text) in enumerate(said_by)]
        await call(memory.episodes, "ingest", turns, scope=TALK, at=START)
        for question in ("Have I ever attended a workshop on resumes?", "What is the budget for the trip?"):
            found, _ = await ask(memory, call, question)
            assert [hit.contradicts for hit in found] == [()] * len(found)
            assert len(found) >= 2


async def say(memory: AgentMemory, call: Call, *texts: str, scope: Scope = TALK) -> None:
    """Keep a conversation."""
    turns = [HumanMessage(text, id=f"{scope.session_id}{number}") for number, text in enumerate(texts)]
    await call(memory.episodes, "ingest", turns, scope=scope, at=START)


async def ask(
    memory: AgentMemory, call: Call, query: str | RecallQuery, *, scope: Scope = ALICE, **options: Any
) -> tuple[Recall, Any]:
    """Recall, and return the receipt too."""
    found = await call(memory.long_term, "recall", query, scope=scope, **options)
    return found, await call(memory.long_term, "receipt", found.receipt_id, scope=scope)


async def disputed(memory: AgentMemory, call: Call) -> tuple[Memory, Memory]:
    """Keep what the user says, and what a tool says against it."""
    paris = (await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)).require()
    claim = Candidate(content="Alice lives in Madrid", provenance=TOOL)
    return paris, (await call(memory.long_term, "remember", claim, scope=ALICE)).require()


def by_score(recalls: Sequence[Recall]) -> Recall:
    """Return recalls as one in which only scores count."""
    return united([replace(it, is_reranked=False) for it in recalls])


def said(found: Recall) -> list[str]:
    """Return what was said in each hit."""
    return [hit.memory.content.removeprefix("user: ") for hit in found]


def scored(document: Document, score: float) -> Document:
    """Return a document with a score, as compressors give it."""
    return Document(document.page_content, metadata={**document.metadata, "relevance_score": score})


def forgetting(memory: AgentMemory, memory_id: str, given: Sequence[Document]) -> Sequence[Document]:
    """Forget a memory, and return what was given."""
    memory.long_term.forget(memory_id, scope=ALICE)
    return given


def _raise(_given: Sequence[Document]) -> Sequence[Document]:
    msg = "Alice"
    raise RuntimeError(msg)


FAILURES: dict[str, Any] = {
    "raises": _raise,
    "no ids": lambda given: [Document(it.page_content) for it in given],
    "no documents": lambda given: [it.page_content for it in given],
    "nothing": lambda _: None,
}
