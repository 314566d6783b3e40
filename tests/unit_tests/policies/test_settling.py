"""Which of two statements that contradict each other stands."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.settling import RESOLUTIONS, STRATEGIES, ConflictPolicy, Strategy, read_conflicts
from langchain_agentmem.types import SPEAKERS, Candidate, Memory, Provenance, Scope, Speaker
from tests.ledgers import START

OLD = Memory(
    id="old", scope=Scope("a"), kind="fact", content="A works at B", confidence=0.9, importance=0.5, source="explicit",
    created_at=START,
)  # fmt: skip


def memory(**changes: Any) -> Memory:
    return Memory(**{**{name: getattr(OLD, name) for name in OLD.__dataclass_fields__}, **changes})


def said(**fields: Any) -> Candidate:
    return Candidate(**{"content": "A works at C", **fields})


@pytest.mark.parametrize(
    ("strategy", "new", "old", "resolution"),
    [
        ("confident", said(confidence=0.9), memory(), "replace"),
        ("confident", said(confidence=0.8), memory(), "wait"),
        ("confident", said(confidence=0.8), memory(trust=0.5), "replace"),
        ("confident", said(confidence=1.0, trust=0.5), memory(), "wait"),
        ("confident", said(confidence=0.9), memory(confidence=1.0, sightings=2), "replace"),
        ("confident", said(confidence=0.89), memory(confidence=1.0, sightings=2), "wait"),
        ("confident", said(confidence=0.9), memory(confidence=1.0, source="inferred", trust=0.7), "replace"),
        ("confident", said(source="inferred", trust=1.0), memory(confidence=1.0), "wait"),
        ("confident", said(trust=1.0, provenance=Provenance(trust_class="web")), memory(confidence=1.0), "wait"),
        ("trusted", said(confidence=0.8), memory(), "replace"),
        ("trusted", said(confidence=1.0, trust=0.5), memory(), "wait"),
        ("newest", said(confidence=0.8, trust=0.5), memory(), "replace"),
        ("newest", said(valid_at=START), memory(valid_at=START + timedelta(days=1)), "wait"),
        ("newest", said(valid_at=START - timedelta(days=1)), memory(), "replace"),  # nobody knows since when that holds
        ("ask", said(confidence=1.0), memory(trust=0.1), "ask"),
        ("keep_both", said(confidence=0.8), memory(), "keep_both"),
    ],
)
def test_each_strategy_decides_by_its_own_measure(
    strategy: Strategy, new: Candidate, old: Memory, resolution: str
) -> None:
    """Trust, confidence and time, in the order that each is documented to ask."""
    assert ConflictPolicy(default=strategy).resolve(new, old) == resolution


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_users_own_correction_replaces_by_every_strategy(strategy: Strategy) -> None:
    """It is their answer; a tool's or an assistant's correction is none."""
    policy = ConflictPolicy(default=strategy)
    mine = said(is_correction=True, confidence=0.7, provenance=Provenance(speaker="user"))
    theirs = said(is_correction=True, confidence=0.7, provenance=Provenance(speaker="user", trust_class="web"))
    assert policy.resolve(mine, memory()) == "replace"
    assert policy.resolve(theirs, memory()) == ConflictPolicy(default=strategy).resolve(
        said(confidence=0.7, provenance=theirs.provenance), memory()
    )


@given(
    st.sampled_from(["confident", "trusted"]),
    st.sampled_from(SPEAKERS),
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
)
def test_a_less_trusted_source_never_replaces_a_more_trusted_one(
    strategy: Strategy,
    speaker: Speaker,
    trust: float,
    other: float,
    is_correction: bool,  # noqa: FBT001
) -> None:
    """Whatever it is sure of, and whatever it calls itself; the user and the application apart, who may correct."""
    new = said(trust=trust, confidence=1.0, is_correction=is_correction, provenance=Provenance(speaker=speaker))
    resolution = ConflictPolicy(default=strategy).resolve(new, memory(trust=other, confidence=0.0))
    if trust < other and not (is_correction and speaker in {"user", "application"}):
        assert resolution == "wait"


def test_a_relation_counts_before_a_kind() -> None:
    """By whatever name the relation is called."""
    resolve = read_conflicts({"default": "newest", "fact": "keep_both", "works at": "ask"})
    assert resolve(said(relation="works_at"), memory()) == "ask"
    assert resolve(said(content="A likes tea"), memory()) == "keep_both"
    assert resolve(said(content="Learn Czech", kind="goal"), memory()) == "replace"


@pytest.mark.parametrize("given", ["oldest", 7, {"fact": "oldest"}, {"": "ask"}, ConflictPolicy], ids=str)
def test_an_impossible_choice_is_refused_by_name(given: Any) -> None:  # noqa: ANN401  (of any type)
    """Before anything is opened."""
    with pytest.raises(ConfigurationError, match="conflicts"):
        read_conflicts(given)


def test_a_policy_of_ones_own_decides() -> None:
    """What it returns is checked, and its error names no statement."""
    assert read_conflicts(lambda _new, _old: "keep_both")(said(), memory()) == "keep_both"
    wrong: Any = lambda _new, _old: "maybe"  # noqa: E731
    with pytest.raises(ConfigurationError, match=", ".join(RESOLUTIONS)):
        read_conflicts(wrong)(said(), memory())

    def broken(new: Candidate, _old: Memory) -> Any:  # noqa: ANN401
        raise KeyError(new.content)

    with pytest.raises(ConfigurationError) as error:
        read_conflicts(broken)(said(), memory())
    assert "A works" not in str(error.value)
