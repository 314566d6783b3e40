"""What users of the four scenarios say: rules take what lasts, end what is over, or stay silent."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.scenarios.conftest import Say

ANA = Scope("ana")

SUPPORT = [
    (["My invoice number is INV-2041."], ["The user's invoice number is INV-2041"]),
    (["The ticket is solved."], ["The ticket is solved"]),
    (["Ticket T-7 is still open.", "Ticket T-7 has been resolved."], ["Ticket T-7 has been resolved"]),
    (["My order A-118 never arrived.", "My order A-118 arrived today."], ["The user's order A-118 arrived"]),
    (["Ticket T-7 is open.", "Ticket T-8 is solved."], ["Ticket T-7 is open", "Ticket T-8 is solved"]),
    (["I can't log in right now.", "Thanks, that works."], []),
]
TUTOR = [
    (["I struggle with recursion.", "I finally understand recursion."], ["The user finally understands recursion"]),
    (["I don't understand pointers.", "I understand pointers now."], ["The user understands pointers now"]),
    (["I find recursion difficult.", "Recursion finally clicked."], ["Recursion finally clicked"]),
    (
        ["I struggle with fractions.", "I finally understand recursion."],
        ["The user finally understands recursion", "The user struggles with fractions"],
    ),
    (["I want to pass the exam in June.", "I passed the exam!"], ["The user passed the exam"]),
    (["I finally get it.", "That makes sense now.", "I see, that makes sense."], []),
]
ASSISTANT = [
    (["I prefer window seats.", "I prefer aisle seats now."], ["The user prefers aisle seats now"]),
    (["I like jazz.", "I don't like jazz anymore."], ["The user does not like jazz anymore"]),
    (["I want to run a marathon.", "I ran the marathon."], ["The user ran the marathon"]),
    (["I live in Oslo.", "I moved to Rome last week."], ["The user moved to Rome last week"]),
    (["Book a table for four tonight.", "Remind me to call Sam."], []),
]
PROJECT = [
    (
        ["We decided to use MongoDB.", "We revised the decision: PostgreSQL instead of MongoDB."],
        ["The user's team revised the decision: PostgreSQL instead of MongoDB"],
    ),
    (
        ["We chose microservices.", "We went back to a monolith instead of microservices."],
        ["The user's team went back to a monolith instead of microservices"],
    ),
    (
        ["We decided on React for the frontend.", "We switched from React to Svelte for the frontend."],
        ["The user's team switched from React to Svelte for the frontend"],
    ),
    (
        ["We chose MongoDB for orders.", "We changed our minds: Postgres rather than MongoDB."],
        ["The user's team changed their minds: Postgres rather than MongoDB"],
    ),
    (["We decided against Kafka."], ["The user's team decided against Kafka"]),
    (["Should we revise the decision?", "Maybe we should use PostgreSQL instead of MongoDB."], []),
]


@pytest.mark.parametrize(("turns", "kept"), [*SUPPORT, *TUTOR, *ASSISTANT, *PROJECT])
async def test_what_is_said_later_ends_what_was_so(
    memory: AgentMemory, say: Say, turns: list[str], kept: list[str]
) -> None:
    """Each turn is of another session; what stands afterwards is what holds."""
    for number, text in enumerate(turns):
        await say(text, thread=f"session-{number}")
    assert sorted(it.content for it in memory.long_term.list(scope=ANA)) == sorted(kept)
