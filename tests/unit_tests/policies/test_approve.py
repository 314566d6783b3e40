"""The approval policy: rules put together, the strictest answer, and what cannot work."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import ApprovalDecision, ApprovalPolicy, Candidate, ConfigurationError, Provenance, Scope
from langchain_agentmem import GoalProgress as Progress
from langchain_agentmem.policies.approve import (
    TIERS,
    Assessment,
    ByConfidence,
    ByKind,
    BySensitivity,
    BySource,
    BySpeaker,
    ByTrust,
    awaits,
    is_decidable,
    says_nothing_new,
)
from langchain_agentmem.policies.write import WriteContext, WritePolicy, hold
from langchain_agentmem.types import Memory
from langchain_agentmem.types.approvals import check_decisions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONTEXT = WriteContext(scope=Scope("alice"), now=NOW, consent_mode="assumed")
SAID = Candidate(content="Alice has a diagnosis", provenance=Provenance(speaker="tool"), confidence=0.75)


def raising(_candidate: Candidate, _context: WriteContext) -> Any:  # noqa: ANN401  (it returns nothing)
    raise RuntimeError(SAID.content)


@pytest.mark.parametrize(
    ("rule", "tier"),
    [
        (ByKind({"fact": "ask"}), "ask"),
        (ByKind({"goal": "refuse"}), "auto"),
        (BySource({"explicit": "refuse"}), "refuse"),
        (BySpeaker({"tool": "ask", "user": "auto"}), "ask"),
        (ByConfidence(0.8), "ask"),
        (ByConfidence(0.75), "auto"),
        (ByTrust(0.9, tier="refuse"), "refuse"),
        (BySensitivity(topics=["diagnosis"]), "ask"),
        (BySensitivity(topics=["religion"]), "auto"),
        (lambda _candidate, _context: "ask", "ask"),
        (lambda _candidate, _context: Assessment("refuse", "because"), "refuse"),
    ],
)
def test_a_rule_says_in_which_tier_a_candidate_is(rule: Any, tier: str) -> None:  # noqa: ANN401  (whatever a rule may be)
    """By its kind, source, speaker, certainty, trust, or what it is about."""
    assert ApprovalPolicy(rules=[rule]).assess(SAID, CONTEXT).tier == tier


def test_data_that_a_detector_finds_is_sensitive() -> None:
    """Where the write policy lets it pass at all."""
    card = replace(SAID, content="Alice pays with 4111 1111 1111 1111")
    assert ApprovalPolicy(rules=[BySensitivity()]).assess(card, CONTEXT).tier == "ask"


@given(st.lists(st.sampled_from([*TIERS, None])), st.sampled_from(TIERS))
def test_the_strictest_answer_counts_in_any_order(answers: list[Any], default: Any) -> None:  # noqa: ANN401  (tiers)
    """The default counts only where no rule has an answer."""
    rules = [lambda _candidate, _context, it=it: it for it in answers]
    told = [TIERS.index(it) for it in answers if it is not None]
    for ordered in (rules, rules[::-1]):
        policy = ApprovalPolicy(rules=ordered, default=default)
        assert policy.assess(SAID, CONTEXT).tier == (TIERS[max(told)] if told else default)


def test_a_question_to_a_person_stands_before_other_holds() -> None:
    """What waits for support and for a person waits for the person."""
    unsure = replace(SAID, provenance=Provenance(speaker="assistant"))
    policy = WritePolicy([lambda_named]).with_rule(ApprovalPolicy(default="ask").as_rule())
    assert policy.decide(unsure, CONTEXT).rule == "approval"


def lambda_named(_candidate: Candidate, _context: WriteContext) -> Any:  # noqa: ANN401  (a ruling)
    return hold("unsure", "It waits for support.")


@pytest.mark.parametrize(
    ("made", "match"),
    [
        (lambda: ByKind({"facts": "ask"}), "facts"),  # type: ignore[dict-item]  # what is refused
        (lambda: ByKind({"fact": "maybe"}), "maybe"),  # type: ignore[dict-item]  # what is refused
        (lambda: ByKind("fact"), "takes a dict"),  # type: ignore[arg-type]  # what is refused
        (lambda: ByConfidence(2), "below"),
        (lambda: ByTrust(0.5, tier="no"), "tier"),  # type: ignore[arg-type]  # what is refused
        (lambda: ApprovalPolicy(rules="ask"), "rules must be a list"),  # type: ignore[arg-type]  # what is refused
        (lambda: ApprovalPolicy(rules=[ByKind]), "make one of it first"),  # type: ignore[list-item]  # what is refused
        (lambda: ApprovalPolicy(rules=["ask"]), "rules"),  # type: ignore[list-item]  # what is refused
        (lambda: ApprovalPolicy(default="no"), "default"),  # type: ignore[arg-type]  # what is refused
        (lambda: ApprovalPolicy(expires_after=timedelta(0)), "expires_after"),
        (lambda: Assessment("deny", "it is gossip"), "'deny'; use one of auto, ask"),  # type: ignore[arg-type]  # what is refused
        (lambda: ApprovalDecision(id="a", verdict="edit"), "content goes with"),
        (lambda: ApprovalDecision(id="a", verdict="approve", content="b"), "content goes with"),
        (lambda: check_decisions([]), "one ApprovalDecision or more"),
        (lambda: check_decisions("approve"), "ApprovalDecision"),
        (lambda: check_decisions([ApprovalDecision(id="a", verdict="reject")] * 2), "twice"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_made(made: Any, match: str) -> None:  # noqa: ANN401  (a function)
    """By its name, and with what would work."""
    with pytest.raises(ConfigurationError, match=match):
        made()


@pytest.mark.parametrize("rule", [raising, lambda _candidate, _context: "maybe", lambda _candidate, _context: 3])
def test_a_rule_that_fails_decides_nothing_and_tells_nothing(rule: Any) -> None:  # noqa: ANN401  (as above)
    """The error names the rule, and quotes neither the candidate nor what the rule said of it."""
    with pytest.raises(ConfigurationError) as raised:
        ApprovalPolicy(rules=[rule]).assess(SAID, CONTEXT)
    assert ("diagnosis" in str(raised.value), "approval rule" in str(raised.value)) == (False, True)


def memory(**fields: Any) -> Memory:
    told: dict[str, Any] = {"content": "Alice wants to run", "kind": "goal", "status": "pending", **fields}
    return Memory(
        id="a", scope=Scope("alice"), confidence=0.9, importance=0.5, source="explicit", created_at=NOW, **told
    )


def test_a_memory_awaits_approval_by_its_rule_and_status() -> None:
    """A contradiction can be decided as well, and is known to the user; what is in force waits for nothing."""
    kinds = [("pending", "approval"), ("pending", "contradiction"), ("pending", "evidence"), ("active", "approval")]
    found = [memory(status=status, held_by=rule) for status, rule in kinds]
    assert list(map(awaits, found)) == [True, False, False, False]
    assert list(map(is_decidable, found)) == [True, True, False, False]


def test_only_new_words_or_another_kind_say_something_new() -> None:
    """Tags and weights do not; steps of a goal do, and its status does not."""
    known = memory(goal=Progress(steps=("Buy shoes",)))
    said = Candidate(content="alice wants  to run", kind="goal", goal=Progress(steps=("buy shoes",), status="done"))
    assert says_nothing_new(replace(said, tags=("sport",), importance=1.0), known)
    assert not says_nothing_new(replace(said, goal=Progress(steps=("Buy shoes", "Buy a yacht"))), known)
    assert not says_nothing_new(replace(said, kind="constraint", goal=None), known)
    assert not says_nothing_new(replace(said, subject="Bob"), known)


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (lambda: "maybe", "approval rule 'salaries' returned str; return 'auto', 'ask', 'refuse' or None"),
        (lambda: True, "approval rule 'salaries' returned bool"),
        (lambda: Assessment("deny", "gossip"), "rule 'salaries': the tier .* 'deny'; use one of auto"),  # type: ignore[arg-type]  # what is refused
        (
            lambda: os.environ["NO_SUCH_VARIABLE"],
            "approval rule 'salaries' raised KeyError; mend it, or let it return a tier or None",
        ),
    ],
)
def test_the_write_policy_tells_which_approval_rule_failed_and_how(answer: Any, match: str) -> None:  # noqa: ANN401
    """By its own name, and with what such a rule may answer: not as the rule `approval`, which nobody wrote."""

    def salaries(_candidate: Candidate, _context: WriteContext) -> Any:  # noqa: ANN401  (whatever a rule says)
        return answer()

    policy = WritePolicy([ApprovalPolicy(rules=[salaries]).as_rule()])
    with pytest.raises(ConfigurationError, match=match) as told:
        policy.decide(SAID, CONTEXT)
    assert "a Ruling" not in str(told.value)
