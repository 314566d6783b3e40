"""Standing instructions and forms of address change when the user changes them by talking."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, Scope

ANA = Scope("ana")


def told(turns: Sequence[str]) -> AgentMemory:
    """Return a memory that took in each turn in a conversation of its own."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    for number, text in enumerate(turns):
        memory.background.ingest([HumanMessage(text)], scope=Scope("ana", session_id=f"talk {number}"))
        memory.jobs.run()
    return memory


def listed(memory: AgentMemory) -> list[str]:
    return sorted(it.content for it in memory.long_term.list(scope=ANA))


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (["Always answer in French.", "Answer in English from now on."], ["Answer in English from now on"]),
        (["Keep answers short.", "Give me long answers from now on."], ["Give the user long answers from now on"]),
        (["Never call me before nine.", "Never call me before ten."], ["Never call the user before ten"]),
        (["Never call me before nine.", "You can call me before nine now."], []),
        (["Never call me before nine.", "You may call me before nine again."], []),
        (["Always answer in French.", "You don't have to answer in French any more."], []),
        (["Always use metric units.", "No need to use metric units anymore."], []),
        (
            ["Always answer in French.", "Never call me before nine.", "Stop answering in French."],
            ["Never call the user before nine"],
        ),
        (["Stop answering in French."], ["Stop answering in French"]),
        (["You can call me before nine now."], []),
        (["Use metric units.", "Use imperial units."], ["Use imperial units"]),
        (["Use Celsius.", "Use Fahrenheit from now on."], ["Use Fahrenheit from now on"]),
        (["Use Celsius.", "Stop using Celsius."], []),
        (["Speak English with me.", "Switch to French."], ["Switch to French"]),
        (["Switch to French.", "Translate this to Spanish."], ["Switch to French"]),
        (["No emojis.", "Emojis are fine now."], []),
        (["No emojis, please.", "You can use emojis again."], []),
        (["Emojis are fine now."], []),
        (["Always add a summary.", "Stop adding summaries."], []),
        (["No more summaries at the end."], ["No more summaries at the end"]),
        (["Keep it short.", "Keep answers short from now on."], ["Keep answers short from now on"]),
        (["Keep answers short from now on.", "Keep your answers short."], ["Keep answers short from now on"]),
        (
            ["Send me reminders in the morning.", "Send me reminders in the evening, please."],
            ["Send the user reminders in the evening"],
        ),
        (["Please use metric units.", "Use imperial units."], ["Use imperial units"]),
        (["Use metric units.", "Please use metric units."], ["Use metric units"]),
        (
            ["Please always answer in French.", "I want you to speak English with me."],
            ["The user wants the assistant to speak English with them"],
        ),
        (["I'd like you to be brief.", "You don't have to be brief any more."], []),
        (["No emojis.", "Emojis are fine now, but no jargon."], ["No jargon"]),
        (["Use Celsius.", "If I ask, use Fahrenheit."], ["If the user asks, use Fahrenheit", "Use Celsius"]),
        (
            ["Use metric units when you give me recipes.", "Use imperial units when you give me recipes."],
            ["Use imperial units when the assistant gives the user recipes"],
        ),
    ],
)
def test_the_last_word_on_an_instruction_stands(turns: list[str], left: list[str]) -> None:
    """A later instruction replaces the one of its kind, and what lifts one leaves nothing else behind."""
    assert listed(told(turns)) == left


@pytest.mark.parametrize(
    "text",
    [
        "Use Celsius.",
        "Please use Celsius.",
        "Keep your answers short, please.",
        "Speak English with me.",
        "Send me reminders in the evening.",
    ],
)
def test_what_stands_by_its_nature_comes_with_every_turn(text: str) -> None:
    """It is in force whatever is asked, and not only where a question is near to its words."""
    recall = told([text]).long_term.recall("what shall I cook?", scope=ANA)
    assert len(recall.constraints) == 1


def test_what_was_lifted_is_told_by_the_log() -> None:
    """The instruction keeps its history: which words ended it, and that nothing came in its place."""
    memory = told(["Always answer in French.", "Stop answering in French."])
    kinds = [it.type for it in memory.timeline.events(scope=ANA) if it.memory_id is not None]
    assert kinds == ["remembered", "superseded", "remembered"]
    assert memory.long_term.verify(scope=ANA).is_intact
    assert not memory.long_term.recall("language", scope=ANA).constraints


def test_what_lifts_nothing_is_refused_with_a_reason() -> None:
    """A permission that nothing forbade is no fact; who asks for it learns why, and the log keeps none of its words."""
    memory = told(["You can call me before nine now."])
    asked = Candidate(content="The assistant can call the user before nine again", kind="constraint")
    decision = memory.long_term.remember(asked, scope=ANA)
    assert (decision.rule, decision.reason) == ("nothing_lifted", "It lifts no instruction that is in force.")
    assert [it.type for it in memory.timeline.events(scope=ANA)] == ["episodes_kept", "refused", "refused"]


@pytest.mark.parametrize(
    ("turns", "name", "called"),
    [
        (["My name is Dora.", "Call me Dodo."], "Dora", "Dodo"),
        (["My name is Dora.", "Call me Dodo.", "Call me Dee instead."], "Dora", "Dee"),
        (["My name is Dora. Call me Dodo."], "Dora", "Dodo"),
        (["Call me Dodo.", "My name is Dora."], "Dora", "Dodo"),
        (["My name is Dora.", "Call me Dodo.", "You don't have to call me Dodo any more."], "Dora", None),
        (["Call me Dodo."], "Dodo", None),
        (["Call me Dodo.", "Call me Dee instead."], "Dee", None),
    ],
)
def test_a_form_of_address_stands_beside_a_name(turns: list[str], name: str, called: str | None) -> None:
    """The profile has both, whichever was said first; a new form of address replaces the old one alone."""
    profile = told(turns).profiles.get(scope=ANA)
    assert (profile.name, profile.preferences.get("form of address")) == (name, called)
