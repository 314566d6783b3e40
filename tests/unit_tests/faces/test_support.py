"""Whether an answer stands on what the assistant was told, in graphs and in agents."""

from __future__ import annotations

from langchain_agentmem import AgentMemory
from langchain_agentmem.types import Receipt
from tests.unit_tests.faces.conftest import ALICE, remember
from tests.unit_tests.faces.either import Make, make
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

__all__ = ["make"]

ASKED = "What is my favourite colour?"
MADE_UP = "Your favourite colour is purple, and you live on Mars."


def receipt(memory: AgentMemory, ids: list[str]) -> Receipt:
    """Of a turn's recall."""
    return memory.long_term.receipt(ids[0], scope=ALICE)


async def test_what_was_made_up_is_told_in_report_and_receipt(memory: AgentMemory, make: Make) -> None:
    """The memory was not used, is as sure as before whatever the user says of it, and the claims are named."""
    kept = remember(memory, "Alice's favourite colour is teal")
    made = make([MADE_UP, "Sorry."])
    report = (await made.say(ASKED))["memory"]
    assert (report["used"], report["supported"]) == ([], False)
    noted = receipt(memory, report["receipt_ids"])
    assert (noted.supported, noted.unsupported, noted.used[kept.id]) == (False, tuple(report["unsupported"]), False)
    await made.say("That's wrong.")
    after = memory.long_term.get(kept.id, scope=ALICE)
    assert after is not None
    assert after.confidence == kept.confidence


async def test_what_memory_says_is_supported(memory: AgentMemory, make: Make) -> None:
    """And nothing is unsupported of it."""
    remember(memory, "Alice's favourite colour is teal")
    report = (await make(["Your favourite colour is teal."]).say(ASKED))["memory"]
    assert (report["supported"], report["unsupported"]) == (True, [])
    assert receipt(memory, report["receipt_ids"]).supported is True
