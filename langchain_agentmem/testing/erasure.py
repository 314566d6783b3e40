"""The erasure suite: what is erased is gone, from every answer and from every byte that is stored, and nothing else is.

Subclass `ErasureSuite` in a test module run by pytest, and give it two fixtures: `memory`, what is tested, and
`stored`, a function that returns every byte there is: of files, of tables, of keys.

```python
import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import ErasureSuite


class TestErasure(ErasureSuite):
    @pytest.fixture
    def memory(self, tmp_path):
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
            yield memory

    @pytest.fixture
    def stored(self, tmp_path):
        return lambda: b"".join(file.read_bytes() for file in tmp_path.iterdir())
```

Each law looks for a word that only the erased memory has, and has made sure before that the word is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import pytest

from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.testing.laws import Call, Laws, law
from langchain_agentmem.testing.leaks import GovernedMemory
from langchain_agentmem.types import Memory, Scope

Stored: TypeAlias = Callable[[], bytes]

ALICE: Final = Scope("alice")
BOB: Final = Scope("bob")
WORD: Final = "quokka"
"""No other text of the suite has it, and no part of a database's own."""


class ErasureSuite(Laws):
    """Laws of erasure; see the module's text for how to run them.

    Attributes:
        is_readable: Whether what is stored can be read as it stands; not where a vault seals it.
    """

    is_readable: bool = True

    @law
    async def test_no_byte_is_left_of_what_was_erased(self, memory: GovernedMemory, stored: Stored, call: Call) -> None:
        """Of a memory that was revised, asked about, confirmed and used, no text is left anywhere."""
        known = await _remember(memory, call, f"Alice likes {WORD} coffee")
        await call(memory.long_term, "revise", known.id, scope=ALICE, content=f"Alice likes {WORD} tea")
        found = await call(memory.long_term, "recall", f"what about {WORD} tea?", scope=ALICE)
        await call(memory.long_term, "note_used", found.receipt_id, {known.id: True}, scope=ALICE)
        self._expect_word(stored)
        await call(memory.long_term, "erase", known.id, scope=ALICE)
        assert WORD.encode() not in stored().lower()

    @law
    async def test_what_is_erased_is_gone_and_the_log_still_verifies(self, memory: GovernedMemory, call: Call) -> None:
        """No read path knows it, its events have no payload, its chain is intact, and it can be erased once."""
        cat = await _remember(memory, call, "Alice owns a cat")
        assert await call(memory.long_term, "erase", cat.id, scope=ALICE) == (cat.id,)
        life = await call(memory.long_term, "why", cat.id, scope=ALICE)
        assert await call(memory.long_term, "get", cat.id, scope=ALICE) is None
        assert len(await call(memory.long_term, "list", scope=ALICE)) == 0
        assert len(await call(memory.long_term, "recall", "cat", scope=ALICE)) == 0
        assert [event.payload is None for event in life.events] == [True, False]
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        with pytest.raises(NotFoundError):
            await call(memory.long_term, "erase", cat.id, scope=ALICE)

    @law
    async def test_an_erasure_takes_the_words_out_of_receipts(
        self, memory: GovernedMemory, stored: Stored, call: Call
    ) -> None:
        """A question may say what was erased, also one asked before it was remembered; scores and rules stay."""
        await call(memory.consent, "grant", ALICE)
        await call(memory.long_term, "recall", f"I like {WORD} coffee", scope=ALICE)
        known = await _remember(memory, call, f"Alice likes {WORD} coffee")
        found = await call(memory.long_term, "recall", f"what about {WORD} coffee?", scope=ALICE)
        self._expect_word(stored)
        await call(memory.long_term, "erase", known.id, scope=ALICE)
        assert WORD.encode() not in stored().lower()
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert receipt.lines[0].memory_id == known.id

    @law
    async def test_what_was_forgotten_can_be_erased(self, memory: GovernedMemory, stored: Stored, call: Call) -> None:
        """A memory that is in no answer any more still has its text, until it is erased; then it does not come back."""
        known = await _remember(memory, call, f"Alice likes {WORD} coffee")
        await call(memory.long_term, "forget", known.id, scope=ALICE)
        self._expect_word(stored)
        await call(memory.long_term, "erase", known.id, scope=ALICE)
        await call(memory.long_term, "replay", scope=ALICE)
        assert WORD.encode() not in stored().lower()
        with pytest.raises(NotFoundError):
            await call(memory.long_term, "restore", known.id, scope=ALICE)

    @law
    async def test_others_keep_theirs(self, memory: GovernedMemory, stored: Stored, call: Call) -> None:
        """Who said the same remembers and finds it as before, and so is what else the user said."""
        said = f"The {WORD} lives on an island"
        known, other = await _remember(memory, call, said), await _remember(memory, call, "Alice owns a cat")
        theirs = await _remember(memory, call, said, BOB)
        await call(memory.long_term, "erase", known.id, scope=ALICE)
        assert list(await call(memory.long_term, "list", scope=ALICE)) == [other]
        assert list(await call(memory.long_term, "list", scope=BOB)) == [theirs]
        found = await call(memory.long_term, "recall", f"where does the {WORD} live?", scope=BOB)
        assert [hit.memory.id for hit in found] == [theirs.id]
        self._expect_word(stored)

    @law
    async def test_erasing_a_merged_memory_erases_its_sources(
        self, memory: GovernedMemory, stored: Stored, call: Call
    ) -> None:
        """What was merged from a text holds the same text: it goes with it."""
        ids = [(await _remember(memory, call, f"Alice owns a {thing}")).id for thing in (WORD, "boat")]
        merged = (await call(memory.long_term, "merge", ids, f"Alice owns a {WORD} and a boat", scope=ALICE)).memory
        self._expect_word(stored)
        erased = await call(memory.long_term, "erase", merged.id, scope=ALICE)
        assert set(erased) == {merged.id, *ids}
        assert WORD.encode() not in stored().lower()

    @law
    async def test_erasing_a_source_erases_the_merge_and_gives_the_others_back(
        self, memory: GovernedMemory, stored: Stored, call: Call
    ) -> None:
        """The merged words hold the erased ones; what else was merged is remembered on its own again."""
        ids = [(await _remember(memory, call, f"Alice owns a {thing}")).id for thing in (WORD, "boat")]
        merged = await call(memory.long_term, "merge", ids, f"Alice owns a {WORD} and a boat", scope=ALICE)
        self._expect_word(stored)
        erased = await call(memory.long_term, "erase", ids[0], scope=ALICE)
        assert set(erased) == {ids[0], merged.require().id}
        assert [kept.content for kept in await call(memory.long_term, "list", scope=ALICE)] == ["Alice owns a boat"]
        assert WORD.encode() not in stored().lower()
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    def _expect_word(self, stored: Stored) -> None:
        """Make sure that whoever looks for the word would find it."""
        assert not self.is_readable or WORD.encode() in stored().lower()


async def _remember(memory: GovernedMemory, call: Call, text: str, scope: Scope = ALICE) -> Memory:
    await call(memory.consent, "grant", scope)
    kept: Memory = (await call(memory.long_term, "remember", text, scope=scope)).require()
    return kept
