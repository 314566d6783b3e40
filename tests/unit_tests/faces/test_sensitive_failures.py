"""A call that failed on a sensitive value: the failure is remembered, the value is not."""

from __future__ import annotations

from typing import Literal

import pytest
from langchain_core.tools import BaseTool, tool

from langchain_agentmem import AgentMemory
from tests.ledgers import dump
from tests.unit_tests.faces.conftest import ALICE
from tests.unit_tests.faces.either import Make, make
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call

__all__ = ["make"]

CARD = "4111 1111 1111 1111"
MAIL = "bob@example.org"


@tool
def charge(account: str) -> str:
    """Charge an account."""
    return f"Error: the card {CARD} of {account} was declined"


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_the_failure_is_known_before_the_next_call_and_the_value_nowhere(
    memory: AgentMemory, make: Make, writes: Literal["inline", "background"]
) -> None:
    """In no table of the database once the turn is written, and in nothing the model is shown of it."""
    tools: list[BaseTool] = [charge]
    again = call("charge", "2", account=MAIL)
    made = make([call("charge", "1", account=MAIL), "Declined.", again, "I stop."], *tools, writes=writes)
    await made.say("Charge the account of Bob.")
    memory.jobs.run()
    kept = [it for it in memory.long_term.list(scope=ALICE).items if it.kind == "outcome"]
    assert [it.content for it in kept] == [
        'charge(account="[email]") failed: Error: the card [card] of [email] was declined'
    ]
    rows = str(dump(memory._database))
    assert (CARD in rows, MAIL in rows) == (False, False)
    await made.say("Hello!", thread_id="another")
    assert "[card] of [email] was declined" in made.told
    assert CARD not in made.told.partition("Hello!")[0]
