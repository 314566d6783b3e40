"""A statement is held against those near it: how many there are makes no difference."""

from __future__ import annotations

from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Candidate
from langchain_agentmem.long_term.write import similar
from langchain_agentmem.long_term.write.neighbours import NEIGHBOURS
from langchain_agentmem.policies import consolidating
from tests.contracts.cycle_contract import fill
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE
from tests.whole import few

SIZES: Final = few((40, 800), of=(40, 5_000))


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each comparison of two statements, by whoever makes it."""
    made: list[str] = []
    for module in (similar, consolidating):
        judge: Any = module.judge

        def noting(*given: Any, judge: Any = judge, name: str = module.__name__, **named: Any) -> Any:  # noqa: ANN401  (as the policy)
            made.append(name)
            return judge(*given, **named)

        monkeypatch.setattr(module, "judge", noting)
    return made


@pytest.mark.parametrize("embeddings", [None, WordEmbeddings()], ids=["words", "vectors"])
def test_a_statement_is_compared_with_few_among_thousands(judged: list[str], embeddings: WordEmbeddings | None) -> None:
    """With its neighbours by words, vectors, subject and relation; as many of thousands as of forty, all alike."""
    counts = []
    for size in SIZES:
        with AgentMemory.in_memory(embeddings=embeddings, consent="assumed") as memory:
            fill(memory, size)
            judged.clear()
            memory.long_term.remember(
                Candidate(content="Box 7 holds a lamp", subject="box 7", relation="holds", object="a lamp"), scope=ALICE
            )
            counts.append(len(judged))
    assert counts[0] == counts[1]
    assert 0 < counts[1] <= NEIGHBOURS


def test_a_consolidation_compares_no_pair_that_shares_too_little(judged: list[str]) -> None:
    """Of hundreds that share most words, and say different things, none is judged against each other one."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        fill(memory, SIZES[1] // 4)
        judged.clear()
        assert memory.consolidation.run(ALICE, dry_run=True).merged == ()
        assert len(judged) <= SIZES[1]
