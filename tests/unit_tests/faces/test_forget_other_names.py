"""Who is known by several names, as memory was told, is forgotten by each of them."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.requests.other_names import by_other_names
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")


def kept(memory: AgentMemory) -> set[str]:
    """Return what is remembered."""
    return {it.content for it in memory.long_term.list(scope=ALICE)}


@pytest.mark.parametrize(
    ("words", "left", "is_alias_gone"),
    [
        ("Forget everything about Nora.", {"Tom works at Acme"}, True),
        ("Forget Nori.", {"Tom works at Acme"}, True),
        ("Forget that Nora lives in Oslo.", {"Tom works at Acme", "Nori works at Acme"}, False),
        ("Forget Tom.", {"Nori works at Acme", "Norinha lives in Oslo"}, False),
    ],
)
async def test_a_name_reaches_what_is_told_by_another_one(
    memory: AgentMemory, make: Make, words: str, left: set[str], *, is_alias_gone: bool
) -> None:
    """Around a corner, too; where all of somebody goes, the report names the memory that says they are one as well."""
    said = memory.entities.alias("Nora", "Norinha", scope=ALICE).require()
    memory.entities.alias("Nori", "Norinha", scope=ALICE)
    for it in ("Norinha lives in Oslo", "Nori works at Acme", "Tom works at Acme"):
        memory.long_term.remember(it, scope=ALICE)
    report = (await make(["Fine."]).say(words))["memory"]
    assert {it for it in kept(memory) if "another name" not in it} == left
    assert (said.id in {it["id"] for it in report["forgotten"]}) is is_alias_gone


async def test_names_that_were_told_apart_again_are_two(memory: AgentMemory, make: Make) -> None:
    """What was said to be one, and is not said any more, joins nothing."""
    said = memory.entities.alias("Nora", "Norinha", scope=ALICE).require()
    memory.long_term.remember("Norinha lives in Oslo", scope=ALICE)
    memory.long_term.forget(said.id, scope=ALICE)
    await make(["Fine."]).say("Forget Nora.")
    assert kept(memory) == {"Norinha lives in Oslo"}


async def test_the_users_own_name_reaches_nobody_else(memory: AgentMemory, make: Make) -> None:
    """Who is the user is no other name of theirs: that would be everything."""
    memory.entities.alias("Ali", "the user", scope=ALICE)
    memory.long_term.remember("The user lives in Oslo", scope=ALICE)
    await make(["Fine."]).say("Forget Ali.")
    assert "The user lives in Oslo" in kept(memory)


def test_a_request_is_made_by_each_further_name() -> None:
    """As written, whole words alone, and no circle has an end to run into."""
    same = [("Nora", "Norinha"), ("Norinha", "Nori"), ("Nori", "Nora")]
    assert by_other_names("that NORA works at Acme", same) == ("that Norinha works at Acme", "that Nori works at Acme")
    assert by_other_names("Noras and Eleonora", same) == ()
