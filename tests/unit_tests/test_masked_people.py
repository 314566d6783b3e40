"""Two people whose addresses are masked alike: what is told of one says nothing of the other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory, Scope, SensitivePolicy
from langchain_agentmem._stand_ins import is_of_somebody
from tests.conftest import Call

ALICE = Scope("alice")
TOLD = (
    ("anna@example.org lives in Rome", "otto@example.org lives in Oslo"),
    ("anna@example.org works at Acme", "otto@example.org no longer works at Acme"),
    ("anna@example.org is allergic to nuts", "otto@example.org is not allergic to nuts"),
    ("My boss anna@example.org lives in Rome", "My boss otto@example.org lives in Oslo"),
)


@pytest.fixture(params=["redact", "mask"])
def memory(request: pytest.FixtureRequest) -> Iterator[AgentMemory]:
    policy = SensitivePolicy(rules={"email": request.param})
    with AgentMemory.in_memory(embeddings=None, consent="assumed", sensitive=policy) as memory:
        yield memory


@pytest.mark.parametrize("told", TOLD, ids=lambda it: it[1])
async def test_nobody_knows_that_both_are_one(memory: AgentMemory, call: Call, told: tuple[str, str]) -> None:
    """What a mark stands for may be another address: nothing ends, and nothing is taken for the same."""
    for text in told:
        await call(memory.long_term, "remember", text, scope=ALICE)
    known = await call(memory.long_term, "list", scope=ALICE)
    assert len(known) == len(told)
    assert [it.status for it in known].count("active") == len(known)
    assert not [it for it in known if it.supersedes]


async def test_the_same_words_are_one_memory(memory: AgentMemory, call: Call) -> None:
    """They say no more twice than once."""
    for _ in range(2):
        decision = await call(memory.long_term, "remember", "anna@example.org lives in Rome", scope=ALICE)
    assert decision.verdict == "merged"


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("[email] lives in Rome", True),
        ("the user's friend [phone_number] is ill", True),
        ("****@*******.*** lives in Rome", True),
        ("[email:abcdefghijklmnopabcd] lives in Rome", False),
        ("Anna's email is [email]", False),
        ("**Anna** lives in Rome", False),
        ("* item of a list", False),
    ],
)
def test_a_mark_that_leads_names_nobody(text: str, is_so: bool) -> None:  # noqa: FBT001  (a parameter)
    """One with a digest does, and what stands behind a name only says how to reach them."""
    assert is_of_somebody(text) is is_so
