"""Customer support: a customer returns after weeks, with numbers that differ from others by a digit."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from tests.conftest import Call
from tests.unit_tests.scenarios.conftest import Calendar

DANA = Scope("dana", session_id="ticket-1")
RETURNED = Scope("dana", session_id="ticket-2")
NOTES = {
    "INV-20417": "Dana was charged twice for invoice INV-20417",
    "INV-20471": "Invoice INV-20471 was paid once, as it should be",
    "TX-88213": "Transaction TX-88213 is the rightful charge",
    "TX-88231": "Transaction TX-88231 was the second charge, and is refunded",
}

SAID = (
    ("I have a question about my order.", "Which one?"),
    ("I was charged twice for invoice INV-20417.", "Do you have the transactions?"),
    ("The first one is TX-88213.", "Thank you."),
    ("The second one, please refund that.", "I refund TX-88231; it takes three days."),
    ("My other invoice INV-20471 was fine.", "Good to hear."),
    ("Could you send my invoices to my new address?", "They will go there."),
    ("The parcel that I got last week had a dent.", "I send you a new one."),
)
TICKET = [message for asked, told in SAID for message in (HumanMessage(asked), AIMessage(told))]


async def test_an_invoice_and_two_transactions_are_found_exactly(
    memory: AgentMemory, calendar: Calendar, call: Call
) -> None:
    """Each number finds its own note first, weeks later and in another session."""
    for note in NOTES.values():
        (await call(memory.long_term, "remember", note, scope=DANA)).require()
    calendar.pass_days(20)
    found = {it: await call(memory.long_term, "recall", f"What about {it}?", scope=RETURNED) for it in NOTES}
    assert {number: hits[0].memory.content for number, hits in found.items()} == NOTES


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("INV-20417", "I was charged twice for invoice INV-20417."),
        ("INV-20471", "My other invoice INV-20471 was fine."),
        ("TX-88213", "The first one is TX-88213."),
        ("TX-88231", "The second one, please refund that."),
    ],
)
def test_a_number_finds_the_turn_it_stands_in(memory: AgentMemory, number: str, answer: str) -> None:
    """Also one that differs by a digit from others, in turns that say more of themselves, or that the agent named."""
    memory.history(DANA).add_messages(TICKET)
    found = memory.long_term.recall(RecallQuery(text=f"What about {number}?", kinds=("episode",)), scope=RETURNED)
    assert answer in found[0].memory.content


async def test_a_number_of_another_customer_is_not_found(memory: AgentMemory, call: Call) -> None:
    """The same number says nothing to somebody else."""
    await call(memory.long_term, "remember", NOTES["TX-88213"], scope=DANA)
    assert not await call(memory.long_term, "recall", "TX-88213", scope=Scope("erik"))


async def test_a_returning_customer_has_a_conversation(memory: AgentMemory, calendar: Calendar) -> None:
    """What the last ticket was about can be read, and its state of work went on its own."""
    memory.history(DANA).add_messages([HumanMessage("I was charged twice."), AIMessage("I refund it.")])
    memory.working.update(DANA, goal="Refund the second charge")
    calendar.pass_days(3)
    assert [it.title for it in memory.conversations(RETURNED)] == ["I was charged twice."]
    assert list(memory.working.sessions(RETURNED)) == []
