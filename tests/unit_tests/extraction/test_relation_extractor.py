from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction.relations import ProposedRelation, ProposedRelations
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


async def test_without_a_model_rules_read_relations(call: Call) -> None:
    """Only what relates something is kept: the rest is another extractor's affair."""
    talk = [HumanMessage("My sister lives with me. My name is Ana. Always answer briefly.", id="m1")]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        decisions = await call(memory.entities, "extract", talk, scope=ANA)
        assert {it.verdict for it in decisions} == {"written"}
        assert memory.entities.graph(scope=ANA).get("Ana") is not None
        assert "constraint" not in {it.memory.kind for it in decisions}
