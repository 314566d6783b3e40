"""What others than the user try to write into a memory is stopped, or the documentation says that it is not."""

from __future__ import annotations

import pytest

from langchain_agentmem.memory import AgentMemory
from tests.meta_tests.package import ROOT
from tests.poisoning import ALICE, ATTACKS, TRUST, WROTE, Attack, Face, played, table, what_became
from tests.whole import IS_WHOLE

FACES: tuple[Face, ...] = ("graph", "agent")
PLAYED = [
    (attack, face)
    for place, attack in enumerate(ATTACKS)
    for number, face in enumerate(FACES)
    if IS_WHOLE or (place + number) % 2 == 0
]


@pytest.fixture
def memory() -> AgentMemory:
    return AgentMemory.in_memory(embeddings=None, consent="assumed", trust=TRUST)


@pytest.mark.parametrize(("attack", "face"), PLAYED, ids=[f"{attack.name} ({face})" for attack, face in PLAYED])
def test_an_attack_ends_as_the_documentation_says(memory: AgentMemory, attack: Attack, face: Face) -> None:
    """Stopped by the rule that is named, or not stopped and told so."""
    played(memory, attack, face)
    assert what_became(memory, attack) == (attack.stopped, attack.rule)
    assert [it.content for it in memory.long_term.list(scope=ALICE) if it.content == WROTE] == [WROTE] * attack.knows


def test_the_documentation_tells_what_was_stopped_and_what_was_not() -> None:
    """Its table is this list; the test above holds the list against what happens."""
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    assert table() in page
