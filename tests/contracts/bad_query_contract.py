"""The contract of odd questions: the right answer or an error of ours, about facts and about conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import product

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, ConfigurationError, MemoryOptions, Recall, RecallQuery, Scope, Weights
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Kind
from tests.conftest import Call
from tests.contracts.long_term_contract import BuildIndex
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice")
BOB = Scope("bob")
LONGEST = 100_000
"""Characters of a question at most."""

FACTS = ("Alice keeps a red boat in Kiel", "Алиса любит чай", "爱丽丝住在柏林")
TURNS = ("I painted the boat blue", "Я купила самовар", "我昨天去了北京")
KINDS: tuple[tuple[Kind, ...] | None, ...] = (None, ("fact",), ("episode",))
WORDLESS = (
    "the of and is it to",
    "?!… --",
    "\"\" '' `` () {} []",
    "* ^ : ~ + - | & \\ / % _",
    "🙂🙃",
    "\u202e\u200b\ufeff\u0301",
)
SCRIPTS = {
    "Кто любит чай?": "Алиса любит чай",
    "Купила ли я самовар?": "Я купила самовар",
    "谁住在柏林?": "爱丽丝住在柏林",
    "北京": "我昨天去了北京",
}
OPERATORS = (
    'boat" OR "1"="1',
    "boat' OR 1=1; DROP TABLE memories; --",
    "boat AND NOT kiel",
    "boat NEAR(kiel, 5)",
    "boat* ^kiel :boat -red +blue",
    "%boat% _boat_ \\boat",
    "{boat} [boat] (boat) <boat> $boat $1 ?1 :name",
    "'''boat'''",
)


class BadQueryContract:
    """Subclass it beside a fixture `sql_url`, and `index` where a vector store proposes."""

    @pytest.fixture
    def index(self) -> BuildIndex | None:
        return None

    @pytest.fixture(params=["vectors", "words"])
    def embeddings(self, request: pytest.FixtureRequest) -> WordEmbeddings | None:
        return WordEmbeddings() if request.param == "vectors" else None

    @pytest.fixture
    async def memory(
        self, sql_url: str, index: BuildIndex | None, embeddings: WordEmbeddings | None
    ) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(consent="assumed", weights=Weights(min_likelihood=0.0), index_above=0)
        async with AgentMemory(Database(sql_url), embeddings=embeddings, index=index, options=options) as memory:
            for user, mark in ((ALICE, ""), (BOB, " of Bob")):
                for text in FACTS:
                    await memory.long_term.aremember(f"{text}{mark}", scope=user)
                said = [HumanMessage(f"{text}{mark}", id=f"{user.user_id}{n}") for n, text in enumerate(TURNS)]
                await memory.episodes.aingest(said, scope=Scope(user.user_id, session_id="talk"))
            yield memory

    async def _ask(self, memory: AgentMemory, call: Call, query: RecallQuery) -> Recall:
        """Recall as Alice; whatever is asked, nothing of Bob comes back."""
        found: Recall = await call(memory.long_term, "recall", query, scope=ALICE)
        assert all(hit.memory.scope.user_id == "alice" for hit in (*found.hits, *found.constraints))
        return found

    # ------------------------------------------------------------------------------------------------------- the text
    async def test_an_empty_question_finds_nothing(self, memory: AgentMemory, call: Call) -> None:
        """There is nothing to look for: no candidate, and a receipt that says so."""
        for text in ("", " ", "\n\t"):
            found = await self._ask(memory, call, RecallQuery(text=text))
            assert (found.hits, found.status) == ((), "empty")

    def test_what_cannot_be_a_question_is_refused(self, memory: AgentMemory) -> None:
        """NUL, half a character and a megabyte are named before any I/O."""
        for text in ("\x00", "a\x00b", "\ud800", "x" * (LONGEST + 1), "boat " * 200_000):
            with pytest.raises(ConfigurationError, match="text"):
                memory.long_term.recall(text, scope=ALICE)

    async def test_the_longest_question_is_answered(self, memory: AgentMemory, call: Call) -> None:
        """What it asks for is found among all its words."""
        text = ("where is the boat " * LONGEST)[:LONGEST].strip()
        found = await self._ask(memory, call, RecallQuery(text=text))
        contents = " ".join(hit.memory.content for hit in found)
        assert FACTS[0] in contents
        assert TURNS[0] in contents

    async def test_a_question_without_words_is_no_error(self, memory: AgentMemory, call: Call) -> None:
        """Stop words, signs and pictures may find nothing; what comes back is Alice's."""
        for text, kinds in product(WORDLESS, KINDS):
            found = await self._ask(memory, call, RecallQuery(text=text, kinds=kinds))
            assert found.status in {"ok", "empty"}

    async def test_quotes_and_operators_are_text(self, memory: AgentMemory, call: Call) -> None:
        """No index and no database reads them as its own: the boat is found, and nothing is lost."""
        for text, kinds in product(OPERATORS, KINDS):
            found = await self._ask(memory, call, RecallQuery(text=text, kinds=kinds))
            assert "boat" in found.hits[0].memory.content
        assert len(await call(memory.long_term, "list", scope=ALICE)) == len(FACTS)

    async def test_another_script_is_searched_like_any(self, memory: AgentMemory, call: Call) -> None:
        """Words of any writing find what was said with them."""
        for text, expected in SCRIPTS.items():
            found = await self._ask(memory, call, RecallQuery(text=text))
            assert any(expected in hit.memory.content for hit in found.hits[:2])

    # ------------------------------------------------------------------------------------------------------ how many
    def test_a_count_that_is_none_is_refused(self, memory: AgentMemory) -> None:
        """At least one hit must be wanted; the error names what was passed."""
        for limit in (0, -1, -(10**30), 2.0, "5", True):
            with pytest.raises(ConfigurationError, match="limit"):
                memory.long_term.recall("boat", scope=ALICE, limit=limit)  # type: ignore[arg-type]  # the point

    async def test_a_million_hits_are_those_there_are(self, memory: AgentMemory, call: Call) -> None:
        """More than there is, or than any machine counts, is no error, and each comes once."""
        for limit, kinds in product((1_000_000, 10**30), KINDS):
            found = await self._ask(memory, call, RecallQuery(text="boat", limit=limit, kinds=kinds))
            ids = [hit.memory.id for hit in found]
            assert 1 <= len(ids) == len(set(ids)) <= len(FACTS) + len(TURNS)
