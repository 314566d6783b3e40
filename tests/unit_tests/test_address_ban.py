"""A form of address that is forbidden is in force no more, and the user's own name is."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope

DEE = Scope("dee")


def named(*turns: str) -> str | None:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for number, text in enumerate(turns):
            memory.background.ingest([HumanMessage(text)], scope=Scope("dee", session_id=str(number)))
            memory.jobs.run()
        name: str | None = memory.profiles.get(scope=DEE).name
        return name


def test_a_ban_on_a_form_of_address_ends_it() -> None:
    """Who is not to be called Dee any more has no such name in their profile."""
    assert named("Call me Dee.") == "Dee"
    assert named("Call me Dee.", "Don't call me Dee.") is None


def test_a_ban_on_another_form_of_address_leaves_it() -> None:
    """What is forbidden is one name, and a call at night is none."""
    assert named("Call me Dee.", "Don't call me Didi.") == "Dee"
    assert named("Call me Dee.", "Don't call me at night.") == "Dee"
