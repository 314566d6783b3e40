"""Importance and trust where nobody stated them."""

from __future__ import annotations

import pytest

from langchain_agentmem.policies.write import default_importance, default_trust
from langchain_agentmem.types import STATED_KINDS, Candidate, Source, Speaker, StatedKind
from tests.unit_tests.policies.writing import said


def test_importance_falls_from_instruction_to_fact() -> None:
    """Explicit instruction > constraint > outcome > preference > fact."""
    kinds: list[StatedKind] = ["constraint", "outcome", "preference", "fact"]
    row = [default_importance(said("Never push to main", kind="constraint"))]
    row += [default_importance(said("Deploys go to staging", kind=kind)) for kind in kinds]
    assert row == sorted(row, reverse=True)
    assert len(set(row)) == len(row)


def test_a_stated_importance_or_trust_stands() -> None:
    """What the caller says is not second-guessed."""
    candidate = said(importance=0.11, trust=0.22, kind="constraint")
    assert (default_importance(candidate), default_trust(candidate)) == (0.11, 0.22)


@pytest.mark.parametrize(
    ("speaker", "source", "trust"),
    [
        ("user", "explicit", 1.0),
        ("application", "explicit", 1.0),
        ("tool", "learned", 0.8),
        ("tool", "inferred", 0.7),
        ("assistant", "explicit", 0.5),
        ("assistant", "inferred", 0.5),
        ("user", "inferred", 0.7),
    ],
)
def test_trust_is_the_lower_of_speaker_and_source(speaker: Speaker, source: Source, trust: float) -> None:
    """Neither who said it nor how it was come by lifts the other."""
    assert default_trust(said("Tea is good", speaker, source=source)) == trust


@pytest.mark.parametrize("kind", STATED_KINDS)
def test_every_kind_has_an_importance_in_range(kind: StatedKind) -> None:
    """No kind is without a default."""
    assert 0 <= default_importance(Candidate(content="Tea", kind=kind)) <= 1
