"""Two of one name in one memory: both are kept and told apart, and nothing ends what it may not be about."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")
BOTH = "My brother Tom lives in Rome. My friend Tom lives in Leeds."
BROTHER = "The user's brother Tom lives in Rome"
FRIEND = "The user's friend Tom lives in Leeds"


async def _kept(memory: AgentMemory, make: Make, *said: str, threads: bool = False) -> set[str]:
    """Return what is in force after messages, of one conversation or of one each, but for who people are."""
    agent = make(["Fine."] * len(said))
    for place, text in enumerate(said):
        await agent.say(text, **({"thread_id": f"t{place}"} if threads else {}))
    kept = memory.long_term.list(scope=ALICE)
    return {it.content for it in kept if it.subject != "user"}


async def test_two_of_one_name_are_both_kept_and_told_apart(memory: AgentMemory, make: Make) -> None:
    """By what each is to the user, though both are told of in one message."""
    assert await _kept(memory, make, BOTH) == {BROTHER, FRIEND}


@pytest.mark.parametrize("said", ["Tom moved to York.", "Tom lives in York now.", "Tom died."])
async def test_what_may_be_of_either_ends_what_is_known_of_neither(memory: AgentMemory, make: Make, said: str) -> None:
    """The name alone does not tell which of them moved."""
    assert await _kept(memory, make, BOTH, said) >= {BROTHER, FRIEND}


async def test_who_is_named_with_their_role_is_the_one_who_moved(memory: AgentMemory, make: Make) -> None:
    """And the other one stays where they were."""
    assert await _kept(memory, make, BOTH, "My friend Tom moved to York.") == {
        BROTHER,
        "The user's friend Tom moved to York",
    }


async def test_another_conversation_does_not_make_one_of_two(memory: AgentMemory, make: Make) -> None:
    """What tells them apart is in what was said of each."""
    said = "My brother Tom lives in Rome.", "My friend Tom lives in Leeds.", "Tom moved to York."
    assert await _kept(memory, make, *said, threads=True) == {
        "Tom lives in Rome",
        "Tom lives in Leeds",
        "Tom moved to York",
    }


async def test_the_one_whose_name_became_anothers_too_still_moves(memory: AgentMemory, make: Make) -> None:
    """What was told of the brother before there was a friend of that name is over by what is told of the brother."""
    said = "My brother Tom lives in Rome.", "My friend Tom is a chef.", "My brother Tom moved to York."
    assert await _kept(memory, make, *said) == {
        "The user's friend Tom is a chef",
        "The user's brother Tom moved to York",
    }


@pytest.mark.parametrize(
    "said",
    [
        ("My brother Tom lives in Rome.", "Tom moved to York."),
        ("My colleague Tom lives in Rome.", "Tom is my boss now.", "Tom moved to York."),
        ("My boyfriend Tom lives in Rome.", "My husband Tom moved to York."),
        ("My son Tom lives in Rome.", "My kid Tom moved to York."),
        ("My brother Tom lives in Rome.", "My friend Amy lives in Leeds.", "Tom moved to York."),
    ],
)
async def test_one_who_is_told_of_in_other_words_is_still_one(
    memory: AgentMemory, make: Make, said: tuple[str, ...]
) -> None:
    """Who is alone in having a name moved; so did whom another word means as well, or who is said to be more."""
    kept = await _kept(memory, make, *said, threads=True)
    assert "Tom moved to York" in kept
    assert "Tom lives in Rome" not in kept


async def test_whom_a_request_names_with_their_role_goes_alone(memory: AgentMemory, make: Make) -> None:
    """The other one of that name is not forgotten with them."""
    assert await _kept(memory, make, BOTH, "Forget my friend Tom.") == {BROTHER}
