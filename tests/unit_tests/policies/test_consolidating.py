"""What says the same among memories: laws, over statements that are near to each other."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem._terms import tokenize
from langchain_agentmem.consolidation.concluding import of_group, of_signal
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.policies.consolidating import Findings, find_alike, sightings_of
from langchain_agentmem.types import Memory, Provenance, Scope
from tests.ledgers import ALICE, START

SENTENCES: Final = (
    "Alice prefers Python",
    "Alice strongly prefers Python",
    "alice prefers python.",
    "Alice prefers Python for backend services",
    "Alice does not prefer Python",
    "Alice prefers Rust",
    "Alice lives in Rome",
    "Alice lives in Rome, near the station",
    "Alice moved to Rome",
    "Alice lives in Oslo",
    "Bob lives in Rome",
    "Alice deploys on Fridays",
    "Alice deploys on Fridays with approval",
    "Invoice 4711 was paid twice",
    "Invoice 4712 was paid twice",
    "The invoice 4711 was paid twice",
    "The user works on the project",
    "The user has two cats and a dog",
    "The user has two cats",
    "The user has cats, two of them",
)

MEMORIES: Final = st.lists(
    st.builds(
        Memory,
        id=st.uuids().map(str),
        scope=st.sampled_from(["s1", "s2", None]).map(lambda it: Scope("alice", session_id=it)),
        kind=st.sampled_from(["fact", "preference"]),
        content=st.sampled_from(SENTENCES),
        confidence=st.sampled_from([0.7, 0.8, 0.95]),
        importance=st.just(0.5),
        source=st.just("explicit"),
        trust=st.sampled_from([0.5, 0.8, 1.0]),
        status=st.sampled_from(["active", "active", "pending"]),
        purposes=st.sampled_from([(), ("support",)]),
        provenance=st.builds(
            Provenance,
            speaker=st.sampled_from(["user", "assistant"]),
            message_ids=st.lists(st.sampled_from(["m1", "m2", "m3"]), max_size=2).map(tuple),
        ),
        created_at=st.integers(0, 9).map(lambda it: START + timedelta(days=it)),
        pinned=st.sampled_from([False, False, False, True]),
        sightings=st.integers(1, 2),
    ),
    max_size=12,
    unique_by=lambda it: it.id,
)


def cosine(one: str, other: str) -> float:
    """Return how many words two texts share."""
    here, there = set(tokenize(one)), set(tokenize(other))
    return len(here & there) / math.sqrt(len(here) * len(there))


def found_among(memories: list[Memory], *, has_vectors: bool = True) -> Findings:
    said = {it.id: it.content for it in memories}
    statements = {it.id: parse_statement(it.content) for it in memories}
    return find_alike(memories, statements, lambda a, b: cosine(said[a], said[b]) if has_vectors else None)


def says_all(one: str, other: str, *, has_vectors: bool = True) -> bool:
    """Whether the second says all that the first says, as the policy for conflicts judges it."""
    similarity = cosine(one, other) if has_vectors else None
    return judge(parse_statement(one), parse_statement(other), similarity=similarity).relation == "duplicate"


@given(MEMORIES, st.booleans())
@settings(max_examples=50)
def test_what_goes_says_nothing_that_what_stays_does_not_say(memories: list[Memory], has_vectors: bool) -> None:  # noqa: FBT001  (hypothesis gives it by name)
    """Whatever is merged, the words that stay are those of a source, and say all that each other source says."""
    for group in found_among(memories, has_vectors=has_vectors).groups:
        assert of_group(group).candidate.content == group.kept.content
        assert all(says_all(it.content, group.kept.content, has_vectors=has_vectors) for it in group.others)


@given(MEMORIES)
@settings(max_examples=50)
def test_nothing_is_raised_above_its_sources(memories: list[Memory]) -> None:
    """Neither trust nor confidence; nor is what waits, is pinned, or may be used for less merged with what is not."""
    for group in found_among(memories).groups:
        derived = of_group(group).candidate
        assert derived.trust == min(it.trust for it in group.members)
        assert derived.confidence == max(it.confidence for it in group.equals)
        assert all(says_all(group.kept.content, it.content) for it in group.equals)
        assert {(it.status, it.pinned, it.purposes) for it in group.members} == {("active", False, derived.purposes)}


@given(MEMORIES)
@settings(max_examples=50)
def test_nothing_is_promoted_beyond_what_was_seen(memories: list[Memory]) -> None:
    """What waits counts only sightings that say all of it, each message once."""
    for signal in found_among(memories).signals:
        assert all(says_all(signal.memory.content, it.content) for it in signal.support)
        assert signal.sightings <= sum(it.sightings for it in signal.support)
        assert of_signal(signal).candidate.trust == min(it.trust for it in signal.equals)


@given(MEMORIES)
@settings(max_examples=30)
def test_each_memory_has_one_fate(memories: list[Memory]) -> None:
    """None is in two groups, and what its order is makes no difference."""
    groups = found_among(memories).groups
    ids = [it.id for group in groups for it in group.members]
    assert len(ids) == len(set(ids))
    assert {frozenset(it.id for it in group.members) for group in groups} == {
        frozenset(it.id for it in group.members) for group in found_among(memories[::-1]).groups
    }


def test_no_pair_is_left_out_unjudged() -> None:
    """Which pairs are judged at all is decided by their words; every duplicate that there is, is among them."""
    for has_vectors in (True, False):
        for one, other in permutations(SENTENCES, 2):
            if not says_all(one, other, has_vectors=has_vectors):
                continue
            pair = [_memory("1", one), _memory("2", other)]
            is_conflict = "conflict" in {_relation(*it, has_vectors=has_vectors) for it in ((one, other), (other, one))}
            assert is_conflict or found_among(pair, has_vectors=has_vectors).groups, (one, other)


@pytest.mark.parametrize("has_vectors", [True, False])
def test_of_labelled_pairs_none_is_merged_that_differs(has_vectors: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    """Of the pairs that differ, none becomes one; of those that say the same, most do."""
    merged = []
    for row in json.loads((Path(__file__).parent / "statement_pairs.json").read_text("utf-8")):
        pair = [_memory("1", row["new"]), _memory("2", row["old"])]
        statements = {it.id: parse_statement(it.content) for it in pair}
        found = find_alike(pair, statements, lambda _one, _other, row=row: row["cosine"] if has_vectors else None)  # type: ignore[misc]  # mypy cannot infer a lambda with a default
        merged += [(row["expected"], group.kept.content) for group in found.groups]
    assert [it for it in merged if it[0] != "duplicate"] == []
    assert len(merged) > 40


@pytest.mark.parametrize("name", ["valid_at", "invalid_at", "expires_at"])
def test_what_is_yet_to_begin_or_ends_is_left_alone(name: str) -> None:
    """What stands for several memories holds as soon and as long as any of them; what began before it was told does."""
    known = [replace(_memory(it, "Alice prefers Python"), status="active") for it in ("a", "b")]
    for days, rules in ((3, ["ends"]), (-3, [] if name == "valid_at" else ["ends"])):
        told: dict[str, Any] = {name: START + timedelta(days=days)}
        found = found_among([known[0], replace(known[1], **told)])
        assert [it.rule for it in found.left_alone] == rules
        assert len(found.groups) == (not rules)


def test_an_echo_is_no_sighting() -> None:
    """What the assistant says twice in one conversation is heard once; in another one it counts."""
    claim = _memory("1", SENTENCES[0], Provenance(speaker="assistant"))
    echo = replace(claim, id="2")
    elsewhere = replace(claim, id="3", scope=Scope("alice", session_id="s2"))
    assert (sightings_of([claim, echo]), sightings_of([claim, elsewhere])) == (1, 2)


def _relation(one: str, other: str, *, has_vectors: bool) -> str:
    similarity = cosine(one, other) if has_vectors else None
    return judge(parse_statement(one), parse_statement(other), similarity=similarity).relation


def _memory(memory_id: str, content: str, provenance: Provenance | None = None) -> Memory:
    return Memory(
        id=memory_id,
        scope=ALICE,
        kind="fact",
        content=content,
        confidence=0.9,
        importance=0.5,
        source="explicit",
        provenance=provenance or Provenance(),
        created_at=START,
    )
