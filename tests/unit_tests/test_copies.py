"""What memory gives out can be copied, sent to another process, and kept in a thread by one list of classes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, ForgettingPolicy, Scope
from langchain_agentmem.checkpoints.strict import StrictCheck, strict_serde

ALICE: Final = Scope("alice")
WAYS: Final[dict[str, Callable[[Any], Any]]] = {
    "pickle": lambda it: pickle.loads(pickle.dumps(it)),  # noqa: S301  (of our own making)
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_profile_can_be_copied(way: str) -> None:
    """With where each field of it comes from, which stays read-only."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.profiles.set("name", "Alice", scope=ALICE)
        profile = memory.profiles.get(scope=ALICE)
    twin = WAYS[way](profile)
    assert (twin, twin.name, twin.fields) == (profile, "Alice", profile.fields)
    with pytest.raises(TypeError):
        twin.fields["name"] = None


@pytest.mark.parametrize("way", WAYS)
def test_a_policy_can_be_copied(way: str) -> None:
    """It decides as before."""
    policy = ForgettingPolicy(stability_days={"fact": 365})
    twin = WAYS[way](policy)
    assert (twin, twin.initial_days("fact"), twin.initial_days("goal")) == (policy, 365, policy.initial_days("goal"))


def test_every_class_of_a_value_is_named_at_once() -> None:
    """Who allows those has allowed all: a second try fails no more."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice lives in Oslo", scope=ALICE)
        found = memory.long_term.recall("Where does Alice live?", scope=ALICE)
    serde = strict_serde()
    with pytest.raises(ConfigurationError, match="allow the classes") as refused:
        StrictCheck(serde).check(*serde.dumps_typed(found))
    assert all(f"{name}" in str(refused.value) for name in ("Scope", "Provenance", "Memory", "Hit", "Recall]"))


def test_no_options_of_an_index_are_none() -> None:
    """As no index, no model and no vault are: who passes on what they were given needs no special case."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", index_options=None) as memory:
        assert [*memory.long_term.list(scope=ALICE)] == []
