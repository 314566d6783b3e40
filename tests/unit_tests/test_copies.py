"""What memory gives out can be copied, sent to another process, and kept in a thread by one list of classes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

import langchain_agentmem
from langchain_agentmem import AgentMemory, ConfigurationError, ForgettingPolicy, Scope
from langchain_agentmem.checkpoints.strict import StrictCheck, strict_serde
from langchain_agentmem.context import SummaryBuffer, SummaryLimits
from langchain_agentmem.context.triggers import (
    after_fraction,
    after_messages,
    after_tokens,
    all_of,
    any_of,
    every_steps,
)
from langchain_agentmem.errors import ConsentError, GovernanceError, RetentionError

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


@pytest.mark.parametrize("way", WAYS)
def test_what_is_handed_to_a_worker_arrives(way: str) -> None:
    """Options, policies, and what a chain is made of: whatever is made with its defaults is made in another process."""
    found: list[object] = []
    for name in langchain_agentmem.__all__:
        with suppress(TypeError, ValueError):  # what needs an argument, or is none to be called
            found.append(getattr(langchain_agentmem, name)())
    assert {"MemoryOptions", "SummaryBuffer", "WritePolicy"} <= {type(it).__name__ for it in found}
    for made in found:
        twin = WAYS[way](made)
        assert type(twin) is type(made)
        assert not dataclasses.is_dataclass(made) or twin == made


@pytest.mark.parametrize("way", WAYS)
def test_a_buffer_that_was_copied_goes_on(way: str) -> None:
    """By the same trigger, and with a count of failures of its own."""
    trigger = all_of(any_of(after_messages(2), after_tokens(10**6), after_fraction(1.0)), every_steps(1))
    limits = SummaryLimits(max_messages=2, keep_messages=1)
    made = SummaryBuffer(limits=limits, trigger=trigger)
    said = [HumanMessage("We chose PostgreSQL 16."), AIMessage("Noted."), HumanMessage("Deploy to staging?")]
    twin = WAYS[way](made)
    assert [it.text for it in twin.view(said).messages] == [it.text for it in made.view(said).messages]
    assert (len(twin.view(said).messages), twin.failures) == (2, 0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [GovernanceError, ConsentError, RetentionError])
def test_a_refusal_is_handed_on(kind: type[GovernanceError], way: str) -> None:
    """With its rule: a pool of processes whose worker raises what cannot be read there waits for good."""
    twin = WAYS[way](kind("no", rule="consent"))
    assert (type(twin), str(twin), twin.rule) == (kind, "no", "consent")


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
