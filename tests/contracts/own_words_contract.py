"""The contract of the user's own voice: what is told of them is embedded as they would say it, on every path."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, RecallQuery, Scope
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import ByKind
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Provenance
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE

OPAQUE = Scope("user-4711")


class OwnWordsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def options(self) -> MemoryOptions:
        return MemoryOptions(consent="assumed", approval=ApprovalPolicy(rules=[ByKind({"preference": "ask"})]))

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    async def memory(self, database: Database, options: MemoryOptions) -> AsyncIterator[AgentMemory]:
        async with AgentMemory(database, embeddings=WordEmbeddings(), options=options) as memory:
            yield memory

    async def test_what_is_written_in_any_way_is_embedded_so(self, memory: AgentMemory, call: Call) -> None:
        """Remembered, revised and taken back: asked in the user's own words its vector is that of the question."""
        kept = (await memory.long_term.aremember("Alice owns a cat", scope=ALICE)).require()
        assert await near(memory, call, "I own a cat") == pytest.approx(1)
        await call(memory.long_term, "revise", kept.id, scope=ALICE, content="Alice owns a boat")
        assert await near(memory, call, "I own a boat") == pytest.approx(1)
        last = (await call(memory.timeline, "events", scope=ALICE))[-1]
        await call(memory.timeline, "undo", last.seq, scope=ALICE)
        assert await near(memory, call, "I own a cat") == pytest.approx(1)

    async def test_what_is_approved_in_other_words_is_embedded_so(self, memory: AgentMemory, call: Call) -> None:
        """Those words are the reviewer's, and of the user all the same."""
        asked = await call(memory.long_term, "remember", "Alice prefers tea", scope=ALICE, kind="preference")
        [approval] = await call(memory.approvals, "list", scope=ALICE)
        decided = approval.edit("Alice prefers cocoa")
        await call(memory.approvals, "decide", decided, scope=ALICE, decided_by="carol")
        assert asked.memory.id == approval.id
        assert await near(memory, call, "I prefer cocoa") == pytest.approx(1)

    async def test_another_model_embeds_so(
        self, memory: AgentMemory, database: Database, options: MemoryOptions, call: Call
    ) -> None:
        """Where vectors are made anew they are of the same words."""
        await memory.long_term.aremember("Alice owns a cat", scope=ALICE)
        other = AgentMemory(database, embeddings=WordEmbeddings("other"), options=options)
        await call(other.long_term, "reindex")
        assert await near(other, call, "I own a cat") == pytest.approx(1)

    async def test_a_question_that_names_the_user_is_in_their_words(self, memory: AgentMemory, call: Call) -> None:
        """An agent asks "what does the user own", a user what they own: both mean the same."""
        await memory.long_term.aremember("Alice owns a cat", scope=ALICE)
        for question in ("Alice owns a cat", "The user owns a cat"):
            assert await near(memory, call, question) == pytest.approx(1)

    async def test_nothing_but_the_vector_is_in_their_words(self, memory: AgentMemory, call: Call) -> None:
        """What is kept, shown and found by its words is what was told."""
        kept = (await memory.long_term.aremember("Alice owns a cat", scope=ALICE)).require()
        found = await call(memory.long_term, "recall", "Alice", scope=ALICE)
        assert (kept.content, found[0].memory.content) == ("Alice owns a cat", "Alice owns a cat")
        assert found[0].parts["lexical"] > 0

    @pytest.mark.parametrize(
        ("told", "question"),
        [
            (["The user lives in Leeds", "Jan lives in York"], "Where do I live?"),
            (["The user works as a nurse", "Tom works as a pilot"], "What do I work as?"),
            (["The user's wife is Ana", "Nora is married to Tom since June"], "Am I married?"),
            (["The user likes tea", "The user's brother likes tea"], "Do I like tea?"),
        ],
    )
    async def test_what_is_told_of_others_stands_below(
        self, memory: AgentMemory, call: Call, told: Sequence[str], question: str
    ) -> None:
        """Where the user asks about themselves, and something tells of them; in whichever order it was told."""
        for scope, texts in ((OPAQUE, told), (replace(OPAQUE, user_id="user-4712"), told[::-1])):
            for text in texts:
                await memory.long_term.aremember(text, scope=scope)
            found = await call(memory.long_term, "recall", question, scope=scope)
            assert [hit.memory.content for hit in found] == list(told)
            assert [hit.parts.get("others", 1.0) < 1 for hit in found][1:] == [True]

    async def test_who_is_asked_for_keeps_their_place(self, memory: AgentMemory, call: Call) -> None:
        """Somebody named, or somebody of the user's; and where nothing tells of the user all may be of them."""
        for text in ("Jan lives in York", "The user's brother lives in Kiel"):
            await memory.long_term.aremember(text, scope=OPAQUE)
        for question in ("Where does Jan live?", "Where does my brother live?", "Did I ever meet Jan?"):
            assert await parts(memory, call, question, "others") == set()
        await memory.long_term.aremember("Gil lives in Rome", scope=ALICE)
        found = await call(memory.long_term, "recall", "Where do I live?", scope=ALICE)
        assert "others" not in found[0].parts

    async def test_a_name_that_no_id_tells_stays(self, memory: AgentMemory, call: Call) -> None:
        """As that of a speaker does: a question may name them."""
        said = Provenance(evidence="I own a cat")
        told = Candidate(content="Nora owns a cat", subject="Nora", provenance=said)
        await memory.long_term.aremember(told, scope=OPAQUE)
        assert await near(memory, call, "Nora: I own a cat", OPAQUE) == pytest.approx(1)


async def near(memory: AgentMemory, call: Call, question: str, scope: Scope = ALICE) -> float:
    """Return the cosine of the best hit."""
    query = RecallQuery(text=question, kinds=("fact", "preference"))
    found = await call(memory.long_term, "recall", query, scope=scope)
    return float(found[0].parts["vector"])


async def parts(memory: AgentMemory, call: Call, question: str, name: str) -> set[Any]:
    """Return the values that hits have of a part of their scores."""
    found = await call(memory.long_term, "recall", question, scope=OPAQUE)
    return {hit.parts[name] for hit in found if name in hit.parts}
