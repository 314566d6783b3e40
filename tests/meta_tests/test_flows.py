"""What users hold has methods that do something when they are called: flows are the package's own language."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

import pytest

import langchain_agentmem
from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import flows_of

CONTRACTS: Final = {
    "Linker": "written by users, whose base class makes the pair of a flow",
    "ModelLinker": "a Linker",
    "Planner": "written by users, whose base class makes the pair of a flow",
    "ModelPlanner": "a Planner",
    "RulePlanner": "a Planner",
    "ModelRewriter": "a Rewriter: written by users, whose base class makes the pair of a flow",
    "RuleRewriter": "a Rewriter",
    "RuleEvaluator": "an Evaluator: written by users, whose base class makes the pair of a flow",
    "RuleExtractor": "an Extractor: written by users, whose base class makes the pair of a flow",
    "KeyEnvironment": "a port: it wraps keys for the vault, which waits for it",
    "KeyFolder": "a port: it stores keys for the vault, which waits for it",
    "KeyServer": "a port: it wraps keys for the vault, which waits for it",
    "SubjectVault": "a port: it seals for whatever stores, which waits for it",
}


def held_by_users() -> Iterator[type]:
    """Yield what the package exports, and what a memory has."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        parts = [getattr(memory, name) for name in dir(memory) if not name.startswith("_")]
    exported = (getattr(langchain_agentmem, name) for name in langchain_agentmem.__all__)
    kinds = {it for it in exported if inspect.isclass(it)} | {type(it) for it in parts if not inspect.isroutine(it)}
    yield from sorted(
        (it for it in kinds if it.__module__.startswith("langchain_agentmem")), key=lambda it: it.__name__
    )


def flows_in(kind: type) -> list[str]:
    """Return the public members that are flows, by their name or by what they return."""
    members = inspect.getmembers(kind, lambda it: callable(it) or isinstance(it, property))
    return [name for name, it in members if not name.startswith("_") and is_flow(name, it)]


def is_flow(name: str, member: Any) -> bool:  # noqa: ANN401  (a method or a property)
    function: Any = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    returned = str(getattr(inspect.unwrap(function), "__annotations__", {}).get("return", ""))
    return name.endswith("_flow") or returned.startswith(("Flow[", "Generator[Step"))


def test_no_flow_is_among_what_users_hold() -> None:
    """A face has pairs, run and awaited; the flows stand behind it, and whatever goes on with one asks `flows_of`."""
    found = {it.__name__: flows_in(it) for it in held_by_users()}
    assert {name: flows for name, flows in found.items() if flows and name not in CONTRACTS} == {}


def test_every_contract_is_one() -> None:
    """What is listed has flows, and is held by users."""
    assert {it.__name__ for it in held_by_users() if flows_in(it)} == CONTRACTS.keys()


@pytest.mark.parametrize("part", ["long_term", "episodes", "consent", "working", "profiles", "jobs", "checkpointer"])
def test_the_flows_stand_behind_the_face(part: str) -> None:
    """They are ordinary methods there, without a suffix of their own."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        behind = flows_of(getattr(memory, part))
    names = {name for name, _ in inspect.getmembers(type(behind), callable) if not name.startswith("_")}
    assert names
    assert not [name for name in names if name.endswith("_flow")]
