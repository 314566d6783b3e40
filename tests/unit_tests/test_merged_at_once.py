"""What happens to memories while they are merged: the merge writes what it read, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.errors import ConfigurationError, ConflictError
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE: Final = Scope("alice")
BOTH: Final = "Alice rows and Bob sings"


class Merger:
    """Two memories, and what is done to them between the reading and the writing of a merge."""

    def __init__(self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call) -> None:
        self.memory, self._embeddings, self._call = memory, embeddings, call
        told = (memory.long_term.remember(it, scope=ALICE) for it in ("Alice rows", "Bob sings"))
        self.one, self.two = (it.require().id for it in told)

    async def merge(self, content: str = BOTH, meanwhile: Callable[[], object] | None = None) -> Any:  # noqa: ANN401
        """Merge both; the embedding of the merge, which lies in between, has something else done first."""

        def before() -> None:
            self._embeddings.before = None
            if meanwhile is not None:
                meanwhile()

        self._embeddings.before = before
        return await self._call(self.memory.long_term, "merge", [self.one, self.two], content, scope=ALICE)

    def held(self) -> list[str]:
        """Return what is in force."""
        return sorted(it.content for it in self.memory.long_term.list(scope=ALICE))


@pytest.fixture
def merger(call: Call) -> Iterator[Merger]:
    embeddings = WordEmbeddings()
    with AgentMemory.in_memory(embeddings=embeddings, consent="assumed") as memory:
        yield Merger(memory, embeddings, call)


@pytest.mark.parametrize("act", ["revise", "correct", "forget", "merge"])
async def test_a_merge_writes_nothing_of_what_was_changed_since_it_was_read(merger: Merger, act: str) -> None:
    """Revised, corrected, forgotten or merged by another: that stands, and who repeats the merge sees it first."""
    long_term, both = merger.memory.long_term, [merger.one, merger.two]
    acts: dict[str, tuple[Callable[[], object], list[str]]] = {
        "revise": (lambda: long_term.revise(both[0], scope=ALICE, content="Alice swims"), ["Alice swims", "Bob sings"]),
        "correct": (lambda: long_term.correct(both[0], "Alice swims", scope=ALICE), ["Alice swims", "Bob sings"]),
        "forget": (lambda: long_term.forget(both[0], scope=ALICE), ["Bob sings"]),
        "merge": (lambda: long_term.merge(both, "They row and sing", scope=ALICE), ["They row and sing"]),
    }
    meanwhile, left = acts[act]
    with pytest.raises(ConflictError, match="was changed meanwhile") as refused:
        await merger.merge(meanwhile=meanwhile)
    assert (refused.value.is_retryable, merger.held()) == (True, left)
    assert long_term.verify(scope=ALICE).is_intact


async def test_what_was_not_touched_is_merged_whatever_else_is_written(merger: Merger) -> None:
    """Another memory is no reason to wait."""
    told = await merger.merge(meanwhile=lambda: merger.memory.long_term.remember("Carol drums", scope=ALICE))
    assert (told.verdict, merger.held()) == ("written", [BOTH, "Carol drums"])


@pytest.mark.parametrize("act", ["merge", "forget"])
async def test_what_is_over_is_merged_into_nothing(merger: Merger, act: str) -> None:
    """Two merges would both say it, of which forgetting a source finds one; and what was forgotten would be back."""
    if act == "merge":
        await merger.merge()
    else:
        merger.memory.long_term.forget(merger.one, scope=ALICE)
    before = merger.held()
    with pytest.raises(ConfigurationError, match="merge what took its place, or restore it first"):
        await merger.merge("They row and sing")
    assert merger.held() == before
