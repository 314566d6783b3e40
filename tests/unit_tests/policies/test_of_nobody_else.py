"""What is denied of one is denied of nobody else: neither of the user, nor of anybody whom the user knows."""

from __future__ import annotations

from itertools import product

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge
from tests.whole import few

SCOPE = Scope("u1", session_id="s1")

CLAIMS = {
    "{} is allergic to nuts": ("{} is not allergic to nuts", "{} is no longer allergic to nuts"),
    "{} is diabetic": ("{} is not diabetic", "{} is not diabetic after all"),
    "{} has asthma": ("{} no longer has asthma", "{} does not have asthma any more"),
    "{} is pregnant": ("{} is not pregnant", "{} is no longer pregnant"),
    "{} is vegan": ("{} is not vegan", "{} is no longer vegan", "{} stopped being vegan"),
    "{} lives in Leeds": ("{} no longer lives in Leeds", "{} does not live in Leeds"),
    "{} works at Tesco": ("{} no longer works at Tesco", "{} does not work at Tesco any more"),
    "{} plays tennis": ("{} no longer plays tennis", "{} gave up tennis", "{} stopped playing tennis"),
    "{} speaks French": ("{} no longer speaks French", "{} does not speak French"),
    "{} likes tea": ("{} no longer likes tea", "{} does not like tea", "{} went off tea"),
    "{} smokes": ("{} no longer smokes", "{} does not smoke", "{} quit smoking"),
    "{} is a nurse": ("{} is no longer a nurse", "{} is not a nurse"),
    "{} has a car": ("{} no longer has a car", "{} sold the car", "{} does not have a car"),
    "{} is married": ("{} is no longer married", "{} is not married", "{} is divorced"),
    "{} wakes up at 6": ("{} does not wake up at 6", "{} wakes up at 7 now"),
}
"""What is said of somebody, and how it is denied."""

WHO = ("The user", "Emma", "tom", "Dr Rao", "The user's sister", "The user's son Tom", "The dog", "She")
PAIRS = [pair for pair in product(WHO, WHO) if pair[0] != pair[1] and set(pair) != {"tom", "The user's son Tom"}]
OTHERS = few(PAIRS[::3], of=PAIRS)  # every third of 54: each of them is in several


@pytest.mark.parametrize(("claim", "denials"), CLAIMS.items())
@pytest.mark.parametrize("similarity", [None, 0.9])
def test_no_denial_is_a_conflict_with_what_is_told_of_another(
    claim: str, denials: tuple[str, ...], similarity: float | None
) -> None:
    """Whoever two people are, what is denied of the one is no conflict with, and no end of, what holds of the other."""
    for (one, other), denial, is_correction in product(OTHERS, denials, (False, True)):
        new = parse_statement(denial.format(one), is_correction=is_correction)
        old = parse_statement(claim.format(other))
        assert judge(new, old, similarity=similarity).relation not in {"conflict", "duplicate"}, (new.text, old.text)
        assert not ended_by(new.text, [old.text]), (new.text, old.text)


@pytest.mark.parametrize(("claim", "denials"), CLAIMS.items())
def test_no_claim_is_a_conflict_with_what_is_denied_of_another(claim: str, denials: tuple[str, ...]) -> None:
    """It is the same the other way round: what comes to hold of one leaves what is denied of the other."""
    for (one, other), denial in product(OTHERS, denials):
        new = parse_statement(claim.format(one), is_correction=True)
        old = parse_statement(denial.format(other))
        assert judge(new, old, similarity=None).relation not in {"conflict", "duplicate"}, (new.text, old.text)


@pytest.mark.parametrize("who", WHO[:-1])
def test_a_denial_is_a_conflict_with_what_is_told_of_the_same(who: str) -> None:
    """Of one and the same, a denial contradicts what was claimed, as it did."""
    for claim, denials in CLAIMS.items():
        new, old = parse_statement(denials[0].format(who), is_correction=True), parse_statement(claim.format(who))
        assert judge(new, old, similarity=None).relation == "conflict", (new.text, old.text)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The rent is 750 now", "The user's rent is 700"),
        ("Rent is 750 now", "The user's rent is 700"),
        ("Dr Rao no longer works at Acme", "Rao works at Acme"),
        ("actually TypeScript, not JavaScript", "Alice uses JavaScript for the frontend"),
    ],
)
def test_a_thing_and_its_owner_are_no_two_people(new: str, old: str) -> None:
    """A thing may lead one sentence and be the user's in the other, and a name be told with what they are."""
    said = parse_statement(new, is_correction=True)
    assert judge(said, parse_statement(old), similarity=None).relation == "conflict"


KNOWN = (
    "I have asthma.",
    "I'm allergic to nuts.",
    "I play tennis.",
    "I speak French.",
    "I work at Tesco.",
    "I live in Leeds.",
    "I'm diabetic.",
    "My brother is Keith.",
    "My sister Emma is vegan.",
    "My son Tom is allergic to eggs.",
)
OF_OTHERS = (
    "Keith no longer plays tennis.",
    "Keith isn't allergic to nuts, thank god.",
    "Keith's asthma is gone.",
    "Emma doesn't work at Tesco any more.",
    "My mate Dan no longer lives in Leeds.",
    "My friend Sue isn't diabetic.",
    "Keith no longer speaks French.",
    "Emma isn't allergic to eggs.",
    "My colleague Dan isn't vegan.",
    "My wife isn't diabetic.",
    "I'm not allergic to eggs.",
    "I'm not vegan.",
    "Tom quit Tesco.",
    "Keith sold his car.",
)


def said(memory: AgentMemory, *texts: str) -> set[str]:
    """Return what is remembered of what a user says, turn by turn."""
    for text in texts:
        memory.background.ingest([HumanMessage(text)], scope=SCOPE)
        memory.jobs.run()
    return {it.content for it in memory.long_term.list(scope=SCOPE)}


def test_what_a_user_denies_of_one_leaves_all_that_is_known_of_others() -> None:
    """In the memory as it comes, one denial after the other ends nothing that was told of somebody else."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    before = said(memory, *KNOWN)
    assert len(before) >= len(KNOWN)
    for text in OF_OTHERS:
        assert before <= said(memory, text), text


@pytest.mark.parametrize(
    ("told", "denied"),
    [
        ("I'm diabetic.", "I'm not diabetic after all."),
        ("My son Tom is allergic to eggs.", "Tom isn't allergic to eggs any more."),
        ("My sister Emma is vegan.", "Emma isn't vegan any more."),
        ("I play tennis.", "I no longer play tennis."),
    ],
)
def test_what_a_user_denies_of_one_ends_what_is_known_of_them(told: str, denied: str) -> None:
    """The twin: of the same one, the denial ends what was told."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    first = said(memory, told)
    assert first - said(memory, denied)
