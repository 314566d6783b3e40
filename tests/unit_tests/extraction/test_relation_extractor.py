from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction.proposing.relations import ProposedRelation, ProposedRelations
from tests.conftest import Call
from tests.fake_chat_model import ScriptedChatModel

ANA = Scope("ana")
TALK: list[BaseMessage] = [
    SystemMessage("Bob works at Globex."),
    HumanMessage("You know Nora, right? She started at Acme last week.", id="m1"),
    AIMessage("Then Nora must live in Oslo.", id="m2"),
]


def proposal(content: str, evidence: str, about: tuple[str, str, str], **changes: Any) -> ProposedRelation:
    subject, relation, value = about
    return ProposedRelation(
        content=content, evidence=evidence, subject=subject, relation=relation, object=value, **changes
    )


async def test_what_a_model_proposes_passes_the_write_policy(call: Call) -> None:
    """What the user's words bear out is in the graph; what the assistant said waits; what nobody said is dropped."""
    proposed = [
        proposal("Nora works at Acme", "She started at Acme", ("Nora", "works at", "Acme")),
        proposal("Nora lives in Oslo", "Nora must live in Oslo", ("Nora", "lives in", "Oslo")),
        proposal("Bob works at Globex", "Bob works at Globex", ("Bob", "works at", "Globex")),
    ]
    model = ScriptedChatModel(script=[ProposedRelations(memories=proposed)])
    with AgentMemory.in_memory(embeddings=None, consent="assumed", model=model) as memory:
        decisions = await call(memory.entities, "extract", TALK, scope=ANA)
        assert [it.verdict for it in decisions] == ["written", "pending"]
        assert decisions[0].memory.provenance.message_ids == ("m1",)
        graph = memory.entities.graph(scope=ANA)
        assert [(it.subject, it.relation, it.object) for it in graph.relations] == [("nora", "works_at", "acme")]


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("Ma sœur Nora travaille chez Acme depuis avril.", ("Nora", "works_at", "Acme")),
        ("Meine Schwester Nora wohnt in Köln.", ("Nora", "lives_in", "Köln")),
        ("Моя сестра Нора работает в Акме.", ("Нора", "works_at", "Акме")),
        ("ノラはアクメで働いています。", ("ノラ", "works_at", "アクメ")),
        ("نورا تعمل في أكمي", ("نورا", "works_at", "أكمي")),
    ],
)
async def test_a_model_reads_any_language(said: str, about: tuple[str, str, str], call: Call) -> None:
    """What it proposes in the conversation's own words is written, found by name, and stands in the graph."""
    answer = ProposedRelations(memories=[proposal(said.rstrip(".。"), said, about)])
    with AgentMemory.in_memory(embeddings=None, consent="assumed", model=ScriptedChatModel(script=[answer])) as memory:
        [decision] = await call(memory.entities, "extract", [HumanMessage(said, id="m")], scope=ANA)
        assert decision.verdict == "written"
        found = await call(memory.entities, "get", about[0], scope=ANA)
        other = await call(memory.entities, "neighbours", about[0], scope=ANA)
        assert (found.name, [it.entity.name for it in other]) == (about[0], [about[2]])


async def test_without_a_model_rules_read_english_only(call: Call) -> None:
    """Of another language they draw nothing: what is missed can be told by `relate`, what is guessed would mislead."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        talk = [HumanMessage("Ma sœur Nora travaille chez Acme.", id="m")]
        assert list(await call(memory.entities, "extract", talk, scope=ANA)) == []
        await call(memory.entities, "relate", "Nora", "works_at", "Acme", scope=ANA)
        assert [it.object for it in memory.entities.graph(scope=ANA).relations] == ["acme"]


async def test_without_a_model_rules_read_relations(call: Call) -> None:
    """Only what relates something is kept: the rest is another extractor's affair."""
    talk = [HumanMessage("My sister lives with me. My name is Ana. Always answer briefly.", id="m1")]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        decisions = await call(memory.entities, "extract", talk, scope=ANA)
        assert {it.verdict for it in decisions} == {"written"}
        assert memory.entities.graph(scope=ANA).get("Ana") is not None
        assert "constraint" not in {it.memory.kind for it in decisions}
