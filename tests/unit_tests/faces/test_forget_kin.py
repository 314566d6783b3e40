"""Who asks to forget somebody by what they are to the user has all forgotten that is kept of that one person."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Candidate, Scope
from langchain_agentmem.long_term import ListQuery
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")
BEN = ["My brother is Ben.", "Ben is a pilot."]
TOM = ["My brother is Tom.", "Tom is a nurse."]
ANNAS = ["Annabel had her baby.", "I met Anna in York.", "I live in Rome and Anna visited me."]
REX = ["I have a friend called Rex.", "Rex bites."]
TIGER = ["I have a cat called Tiger.", "Tiger bites."]


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        (BEN, "Forget my brother.", []),
        (BEN, "Forget everything about my brother.", []),
        (BEN, "Please forget about my older brother.", ["My brother is Ben.", "Ben is a pilot."]),
        (["My son is Paul.", "Paul lives in Lyon."], "Forget my son.", []),
        ([*BEN, *TOM], "Forget my brother Ben.", TOM),
        ([*BEN, *TOM], "Forget my brother.", [*BEN, *TOM]),
        (
            ["My brother is Ben.", "My brother is Tom."],
            "Forget my brother.",
            ["My brother is Ben.", "My brother is Tom."],
        ),
        (["I have two brothers, Tom and Peter."], "Forget my brother.", ["I have two brothers, Tom and Peter."]),
        ([*BEN, *TOM], "Forget my brothers.", []),
        ([*BEN, *TOM, "I like chess."], "Forget all my brothers.", ["I like chess."]),
        ([*BEN, *TOM, "I like chess."], "Forget both of my brothers.", ["I like chess."]),
        (BEN, "Forget my brothers.", []),
        ([*BEN, "My friend is Ben."], "Forget my brother.", ["Ben is a pilot.", "My friend is Ben."]),
        (["We have two kids.", "My son is Leo.", "Leo lives in Lyon."], "Forget my kids.", []),
        (["We have a daughter.", "My sister has two kids."], "Forget our children.", ["My sister has two kids."]),
        (["We have a dog.", "I have a beagle called Rex.", "I like cats."], "Forget my pets.", ["I like cats."]),
        (["My brother is Ben.", "Benno is a pilot."], "Forget my brother.", ["Benno is a pilot."]),
        ([*BEN, "I like chess."], "Forget my sister.", [*BEN, "I like chess."]),
        (BEN, "Forget that my brother is a pilot.", BEN),
        (["I have a sister called Anna.", "Anna had her baby."], "Forget everything about my sister.", []),
        (["I have a sister called Anna.", "Anna broke her leg.", "Anna lives in Rome."], "Forget my sister.", []),
        (["I have a cat called Minka.", "I have a dog called Bello.", "Minka hates the vet."], "Forget my pets.", []),
        (["I have two brothers, Ben and Max.", "Max works at Acme."], "Forget everything about my brothers.", []),
        (["My wife Priya works at Acme.", "Priya loves hiking."], "Don't remember anything about my wife.", []),
        (["I have a sister called Anna.", *ANNAS], "Forget everything about my sister.", ANNAS),
        (["My dog Rex is old.", *REX], "Forget my dog.", REX),
        (["I have a cat called Minka.", *TIGER], "Forget my cat.", ["I have a cat called Minka.", *TIGER]),
        (["I have a dog called Rex.", "I like chess.", "Rex bites."], "Forget my dog.", ["I like chess."]),
        ([*BEN, "I like chess.", "We have a dog."], "Forget my brother and my dog.", ["I like chess."]),
    ],
)
async def test_what_is_kept_of_somebody_goes_with_who_they_are(
    memory: AgentMemory, make: Make, said: list[str], words: str, left: list[str]
) -> None:
    """Facts and turns. Where one of several is meant, nothing goes: half of each would be worse than a question."""
    agent = make(["Fine."] * (len(said) + 1))
    for it in said:
        await agent.say(it)
    facts = {it.content: it.provenance.evidence for it in memory.long_term.list(scope=ALICE)}
    await agent.say(words)
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == left
    kept = [it.content for it in memory.long_term.list(scope=ALICE)]
    assert sorted(kept) == sorted(it for it, evidence in facts.items() if f"{evidence}." in left)


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        (["I live in York.", "I moved to Leeds."], "Forget where I used to live.", "moved to Leeds"),
        (["I live in York.", "I moved to Leeds."], "Forget my old address.", "moved to Leeds"),
        (["I work as a nurse.", "I now work as a baker."], "Forget my old job.", "works as a baker"),
    ],
)
async def test_what_is_over_goes_alone(memory: AgentMemory, make: Make, said: list[str], words: str, left: str) -> None:
    """With the turn that it was taken from; what holds now stays."""
    agent = make(["Fine."] * 3)
    for it in said:
        await agent.say(it)
    await agent.say(words)
    kept = memory.long_term.select(ListQuery(statuses=("active", "superseded")), scope=ALICE)
    assert [left in it.content for it in kept] == [True]
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == said[1:]


@pytest.mark.parametrize(("subject", "relation", "stays"), [("Nora", "boss", True), ("the user", "brother", False)])
async def test_a_name_that_is_somebody_elses_tells_nothing(
    memory: AgentMemory, make: Make, subject: str, relation: str, *, stays: bool
) -> None:
    """Another Ben may be the pilot; the same one, told twice, is."""
    told = Candidate(content=f"Of {subject}, Ben is the {relation}", subject=subject, relation=relation, object="Ben")
    memory.long_term.remember(told, scope=ALICE)
    agent = make(["Fine."] * 3)
    for it in [*BEN, "Forget my brother."]:
        await agent.say(it)
    assert ("Ben is a pilot" in [it.content for it in memory.long_term.list(scope=ALICE)]) is stays


@pytest.mark.parametrize(
    ("words", "is_asked"), [("Forget my brother.", True), ("Forget my brother Ben.", False), ("Forget my cat.", False)]
)
async def test_the_user_is_asked_whom_they_mean_where_more_than_one_may_be(
    make: Make, words: str, *, is_asked: bool
) -> None:
    """All that is kept of each stays, and the report and the model are told why."""
    agent = make(["Fine."] * 5)
    for it in [*BEN, *TOM]:
        await agent.say(it)
    report = (await agent.say(words))["memory"]
    assert ("several_meant" in {it["rule"] for it in report["refused"]}) is is_asked
    assert ("not clear whom the user means" in agent.told) is is_asked


@pytest.mark.parametrize(
    ("words", "is_asked", "left"),
    [
        ("Forget Tom.", True, 4),
        ("Please forget about Tom.", True, 4),
        ("Forget my friend Tom.", False, 2),
        ("Forget everything about Tom.", False, 0),
        ("Forget that Tom lives in Leeds.", False, 3),
    ],
)
async def test_the_user_is_asked_which_of_two_of_one_name_they_mean(
    memory: AgentMemory, make: Make, words: str, left: int, *, is_asked: bool
) -> None:
    """A name alone may be either's: nothing of one goes for the other."""
    agent = make(["Fine."] * 2)
    await agent.say("My brother Tom lives in Rome. My friend Tom lives in Leeds.")
    report = (await agent.say(words))["memory"]
    assert ("several_meant" in {it["rule"] for it in report["refused"]}) is is_asked
    assert len(memory.long_term.list(scope=ALICE)) == left


async def test_the_user_is_asked_how_many_things_they_mean(memory: AgentMemory, make: Make) -> None:
    """The last few may be two or ten: nothing goes before that is told."""
    agent = make(["Fine."] * 3)
    for it in ["I live in Bonn.", "I like chess."]:
        await agent.say(it)
    report = (await agent.say("Forget the last few things I told you."))["memory"]
    assert [it["rule"] for it in report["refused"]] == ["how_many_meant"]
    assert "how many of the last things, or which" in agent.told
    assert len(memory.long_term.list(scope=ALICE)) == 2


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        ("I have two brothers, Tom and Peter.", "Forget my brother Tom.", ["The user has a brother called Peter"]),
        ("I have two brothers, Tom and Peter.", "Forget my brothers.", []),
        ("I have two brothers, Tom and Peter.", "Forget Paul.", ["The user has two brothers, Tom and Peter"]),
        ("I like gin and tonic.", "Forget that I like gin.", []),
    ],
)
async def test_what_a_memory_says_of_the_other_is_kept(
    memory: AgentMemory, make: Make, said: str, words: str, left: list[str]
) -> None:
    """Where it can be told by itself; the words that tell of both are gone."""
    agent = make(["Fine."] * 2)
    await agent.say(said)
    report = (await agent.say(words))["memory"]
    kept = memory.long_term.list(scope=ALICE)
    assert [it.content for it in kept] == left
    assert len(memory.episodes.list(scope=ALICE)) == (words == "Forget Paul.")
    assert not report["forgotten"] or all(it.provenance.evidence is None for it in kept)
    assert len(report["written"]) == (1 if report["forgotten"] and left else 0)
