"""What users write. Never run: `mypy --strict` must accept every line, and reject those that expect an error."""

from __future__ import annotations

from typing import assert_type

from langchain.agents import create_agent
from langchain.agents.middleware import PIIMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    Decision,
    Goal,
    Hit,
    Memory,
    MemoryMiddleware,
    MemoryRetriever,
    Policy,
    Recall,
    RecallQuery,
    Scope,
    Skill,
    UserProfile,
    create_memory_graph,
)
from langchain_agentmem.types.procedures import ActionPattern, Requirement


def remembers(memory: AgentMemory, alice: Scope) -> None:
    memory.consent.grant(alice)
    decision = memory.long_term.remember(
        "Alice prefers Python", scope=alice, kind="preference", source="explicit", confidence=0.95
    )
    assert_type(decision, Decision)
    assert_type(decision.memory, Memory | None)
    assert_type(memory.long_term.remember(Candidate(content="Alice prefers Python"), scope=alice), Decision)


class Student(UserProfile):
    level: int = 0


def knows(memory: AgentMemory, alice: Scope) -> None:
    assert_type(memory.profiles.as_(Student).get(scope=alice), Student)
    assert_type(memory.profiles.as_(Student).set("level", 2, scope=alice), Decision)
    assert_type(memory.goals.resume(scope=alice), Goal | None)


def recalls(memory: AgentMemory, alice: Scope) -> None:
    found = memory.long_term.recall("which language?", scope=alice, limit=5)
    assert_type(found, Recall)
    assert_type(found[0], Hit)
    assert_type(found.receipt_id, str | None)
    assert_type(memory.long_term.recall(RecallQuery(text="which language?", limit=3), scope=alice), Recall)


async def awaits(alice: Scope) -> None:
    async with AgentMemory.embedded("agent.db") as memory:
        assert_type(await memory.long_term.aremember("Alice prefers Python", scope=alice), Decision)
        assert_type(await memory.long_term.arecall("which language?", scope=alice), Recall)


def manages(memory: AgentMemory, alice: Scope, id: str) -> None:
    assert_type(memory.long_term.get(id, scope=alice), Memory | None)
    memory.long_term.list(scope=alice, kinds=("preference",))
    memory.long_term.revise(id, scope=alice, content="Alice prefers Rust")
    memory.long_term.forget(id, scope=alice, reason="user asked")
    memory.long_term.why(id, scope=alice)
    memory.long_term.verify(scope=alice)


def builds(
    memory: AgentMemory, model: BaseChatModel, chain: Runnable[dict[str, str], str], tools: list[BaseTool]
) -> None:
    memory.wrap(chain, input_messages_key="input", history_messages_key="history")
    create_memory_graph(model, tools=tools, memory=memory)
    assert_type(memory.retriever(scope=Scope(user_id="alice"), k=5), MemoryRetriever)
    tools.extend(memory.tools())
    assert_type(memory.middleware(writes="inline"), MemoryMiddleware)
    create_agent(model, tools, middleware=[PIIMiddleware("email"), memory.middleware()], store=memory.store)


def mistakes(memory: AgentMemory, alice: Scope) -> None:
    memory.long_term.remember("Alice codes", scope=alice, kind="opinion")  # type: ignore[arg-type]  # no such kind
    memory.long_term.recall("which language?")  # type: ignore[call-arg]  # whose memory?
    memory.long_term.recall("which language?", scope="alice")  # type: ignore[arg-type]  # a user's name is no scope
    Scope("alice").user_id = "bob"  # type: ignore[misc]  # records are frozen


def teaches(memory: AgentMemory) -> None:
    production = {"tool": "deploy", "args": {"target": "production"}}
    policy = Policy(
        name="staging-first",
        description="Production comes after staging",
        rule={"tool": "deploy", "args": {"target": "production"}},
        requires=[{"tool": "deploy", "args": {"target": "staging"}, "same": ["version"]}],
        exceptions=[{"tool": ["deploy"], "reason": "A rollback"}],
        applies_to="*",
    )
    assert_type(policy.rule, ActionPattern)
    memory.procedural.save(policy, author="Ada <ada@example.org>")
    Policy(
        name="a", description="b", rule=ActionPattern(tool="deploy"), requires=[Requirement(tool="x", since=production)]
    )
    skill = Skill(
        name="release",
        description="Release a service",
        when_to_use="The user asks to ship a new version",
        steps=["Look", {"instruction": "Deploy", "tool": "deploy", "args": {"target": "{inputs.target}", "n": 1}}],
        evaluation=[{"name": "europe", "inputs": {"target": "eu"}, "expects": "deployed to eu"}],
        status="draft",
    )
    assert_type(skill.steps[0].instruction, str)
    memory.procedural.save(skill)
    Policy(name="a", description="b", rule=production, enforcement="medium")  # type: ignore[arg-type]  # a mistake
    Skill(name="a", description="b", steps=["c"])  # type: ignore[call-arg]  # a mistake
