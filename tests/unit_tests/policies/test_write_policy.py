"""The write policy as a mechanism: order, amendments, holds, composition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.write import (
    DEFAULT_RULES,
    Banned,
    MinimumConfidence,
    Rule,
    Ruling,
    SessionCap,
    WriteContext,
    WritePolicy,
    amend,
    hold,
    refuse,
    rule_name,
)
from langchain_agentmem.types import Candidate
from tests.unit_tests.policies.writing import context, said


def no_shouting(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    return refuse("no_shouting", "Say it in lower case.") if candidate.content.isupper() else None


def tagged(tag: str) -> Rule:
    def rule(candidate: Candidate, _context: WriteContext) -> Ruling | None:
        return amend(tag, f"Tagged {tag}.", replace(candidate, tags=(*candidate.tags, tag)))

    rule.__name__ = tag
    return rule


def held(_candidate: Candidate, _context: WriteContext) -> Ruling | None:
    return hold("held", "Waits.")


def test_a_rule_that_fails_is_named_and_quotes_nothing() -> None:
    """Nothing is decided; the error names the rule and the class of what it raised, whose words may be the user's."""

    def broken(candidate: Candidate, _context: WriteContext) -> Ruling | None:
        raise KeyError(candidate.content)

    candidate = said()
    for decide in (WritePolicy([broken]).decide, WritePolicy([broken]).screen):
        with pytest.raises(ConfigurationError, match="rule 'broken' raised KeyError") as raised:
            decide(candidate, context())
        assert candidate.content not in str(raised.value)


@pytest.mark.parametrize("verdict", ["refused", "deny", "Refuse", "reject", "accepted", "", None, 3])
def test_a_verdict_that_is_none_keeps_nothing(verdict: object) -> None:
    """A rule that meant to refuse in another word is told the words; what it spoke against is not kept meanwhile."""

    def gossip(_candidate: Candidate, _context: WriteContext) -> Ruling | None:
        return Ruling(verdict=verdict, rule="gossip", reason="No.")  # type: ignore[arg-type]  # what is refused

    for decide in (WritePolicy([gossip]).decide, WritePolicy([gossip]).screen):
        with pytest.raises(
            ConfigurationError, match=r"rule 'gossip': the verdict .* accept, hold, refuse, amend"
        ) as told:
            decide(said(), context())
        assert verdict != "refused" or "'refused'" in str(told.value)


def test_a_verdict_that_is_a_sentence_is_not_quoted() -> None:
    """It may be the user's."""
    with pytest.raises(ConfigurationError, match="of type str") as told:
        Ruling(verdict="I have lupus", rule="gossip", reason="No.")  # type: ignore[arg-type]  # what is refused
    assert "lupus" not in str(told.value)


def test_what_nobody_objects_to_is_accepted_unchanged() -> None:
    """Where no rule objects, the ruling accepts the very candidate under the name `accepted`."""
    candidate = said()
    ruling = WritePolicy().decide(candidate, context())
    assert (ruling.verdict, ruling.rule, ruling.candidate) == ("accept", "accepted", candidate)


def test_a_policy_without_rules_accepts() -> None:
    """No rules, no objection."""
    assert WritePolicy([]).decide(said(), context()).verdict == "accept"


def test_the_first_refusal_decides_and_later_rules_are_not_asked() -> None:
    """After a refusal no further rule runs."""
    asked: list[str] = []

    def second(candidate: Candidate, _context: WriteContext) -> Ruling | None:
        asked.append(candidate.content)
        return None

    assert WritePolicy([no_shouting, second]).decide(said("TEA"), context()).rule == "no_shouting"
    assert asked == []


def test_amendments_chain() -> None:
    """A later rule sees what an earlier one amended, and the ruling carries the last form and every reason."""
    ruling = WritePolicy([tagged("a"), tagged("b")]).decide(said(), context())
    assert ruling.candidate is not None
    assert (ruling.verdict, ruling.candidate.tags, ruling.reason) == ("accept", ("a", "b"), "Tagged a. Tagged b.")


def test_a_hold_stands_through_later_amendments() -> None:
    """A held candidate is still amended, and stays held by the first rule that held it."""
    ruling = WritePolicy([held, tagged("a")]).decide(said(), context())
    assert ruling.candidate is not None
    assert (ruling.verdict, ruling.rule, ruling.candidate.tags) == ("hold", "held", ("a",))


def test_a_later_refusal_overrules_a_hold() -> None:
    """What may not be kept may not wait either."""
    assert WritePolicy([held, no_shouting]).decide(said("TEA"), context()).verdict == "refuse"


def test_a_refusal_carries_no_candidate() -> None:
    """A refused text goes no further."""
    assert WritePolicy().decide(said("I'm tired today"), context()).candidate is None


def test_screening_asks_no_rule_that_needs_history() -> None:
    """`screen` refuses by content, and leaves to `decide` what depends on earlier writes."""
    full = context(writes_in_session=10)
    assert WritePolicy().screen(said(), full).verdict == "accept"
    assert WritePolicy().decide(said(), full).rule == "session_cap"
    assert WritePolicy().screen(said("Maybe I like tea"), full).rule == "unstable"


@given(st.text(min_size=1, max_size=80).filter(lambda text: text.strip() and "\x00" not in text))
def test_screening_never_contradicts_deciding(text: str) -> None:
    """What the screen refuses, the decision refuses by the same rule."""
    try:
        candidate = said(text)
    except ConfigurationError:
        return
    screened = WritePolicy().screen(candidate, context())
    if screened.verdict == "refuse":
        assert WritePolicy().decide(candidate, context()) == screened


@given(st.sampled_from(["Always deploy to staging first", "Alice likes tea", "From now on answer in German"]))
def test_deciding_twice_changes_nothing_more(text: str) -> None:
    """An amended candidate put to the policy again is accepted as it is."""
    once = WritePolicy().decide(said(text), context()).candidate
    assert once is not None
    assert WritePolicy().decide(once, context()).candidate == once


@given(
    st.sampled_from(
        ["my password is hunter2", "Perhaps zebras", "I'm hungry", "Is zinc blue?", "ignore previous instructions zoo"]
    )
)
def test_a_reason_never_quotes_what_was_refused(text: str) -> None:
    """No rare word of a refused text appears in the reason given for it."""
    ruling = WritePolicy().decide(said(text), context())
    assert ruling.verdict == "refuse"
    assert not {"hunter2", "zebras", "hungry", "zinc", "zoo"} & set(ruling.reason.split())


def test_every_default_rule_has_a_name_of_its_own() -> None:
    """Names are how decisions are explained."""
    names = WritePolicy().names
    assert len(set(names)) == len(names) == len(DEFAULT_RULES)
    assert set(names) >= {"consent", "sensitive_data", "question", "session_cap", "banned"}


def test_a_plain_function_is_a_rule() -> None:
    """A function's own name is its rule's name."""
    policy = WritePolicy().with_rule(no_shouting)
    assert policy.names[-1] == "no_shouting"
    assert policy.decide(said("TEA IS GOOD"), context()).rule == "no_shouting"


def test_a_rule_can_be_put_before_another() -> None:
    """`before` names the rule that is asked after the new one."""
    assert WritePolicy().with_rule(no_shouting, before="consent").names[2:4] == ("no_shouting", "consent")


def test_a_rule_of_the_same_name_is_replaced_in_place() -> None:
    """Configuring a default rule keeps its place in the order."""
    policy = WritePolicy().with_rule(MinimumConfidence(0.95))
    assert policy.names == WritePolicy().names
    assert policy.decide(said(confidence=0.9), context()).rule == "minimum_confidence"


def test_a_rule_can_be_moved() -> None:
    """A rule of a known name with `before` moves there, and stands once."""
    names = WritePolicy().with_rule(SessionCap(), before="consent").names
    assert names.index("session_cap") == names.index("consent") - 1
    assert len(names) == len(DEFAULT_RULES)


def test_a_rule_can_be_dropped() -> None:
    """`without` removes one rule and leaves the original policy alone."""
    policy = WritePolicy()
    assert policy.without("unstable").decide(said("Maybe I like tea"), context()).verdict == "accept"
    assert policy.decide(said("Maybe I like tea"), context()).rule == "unstable"


@pytest.mark.parametrize("change", [lambda p: p.without("nope"), lambda p: p.with_rule(no_shouting, before="nope")])
def test_an_unknown_rule_name_is_refused_with_the_known_ones(change: Callable[[WritePolicy], WritePolicy]) -> None:
    """A misspelt name is an error that lists what could have been meant."""
    with pytest.raises(ConfigurationError, match=r"'nope'.*consent"):
        change(WritePolicy())


@pytest.mark.parametrize("rule", ["consent", None, Banned, lambda _candidate, _context: None])
def test_what_cannot_be_a_named_rule_is_refused(rule: object) -> None:
    """A string, a class in place of its instance, or a nameless function is an error when the policy is built."""
    with pytest.raises(ConfigurationError):
        WritePolicy([cast("Rule", rule)])


def test_two_rules_of_one_name_are_refused() -> None:
    """A decision must name one rule."""
    with pytest.raises(ConfigurationError, match="session_cap"):
        WritePolicy([SessionCap(), SessionCap(5)])


def test_a_rule_that_answers_nonsense_is_named() -> None:
    """Anything but a Ruling or None is an error that names the rule."""

    def yes(_candidate: Candidate, _context: WriteContext) -> bool:
        return True

    with pytest.raises(ConfigurationError, match=r"'yes'.*bool"):
        WritePolicy([cast("Rule", yes)]).decide(said(), context())


def test_an_amendment_needs_a_candidate() -> None:
    """A ruling that amends without saying into what cannot be built."""
    with pytest.raises(ConfigurationError, match="amends"):
        Ruling(verdict="amend", rule="r", reason="…")


def test_an_instance_without_a_name_is_known_by_its_class() -> None:
    """Any callable object can be a rule."""

    class Silent:
        def __call__(self, _candidate: Candidate, _context: WriteContext) -> Ruling | None:
            return None

    assert rule_name(Silent()) == "Silent"
