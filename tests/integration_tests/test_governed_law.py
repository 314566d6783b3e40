"""Whatever users, agents and time do in whichever order, the promises of a governed memory hold on PostgreSQL."""

from __future__ import annotations

from hypothesis.stateful import run_state_machine_as_test

from tests.governed import Governed, drawn
from tests.servers import ReusedDatabase
from tests.whole import few


def test_the_promises_hold_in_whichever_order(prepared_postgres_url: str, reused_postgres: ReusedDatabase) -> None:
    """The law of the unit tests, with every history in a database without a row."""
    begun: list[Governed] = []

    class Emptied(Governed):
        def __init__(self) -> None:
            reused_postgres.empty()
            begun.append(self)
            super().__init__(prepared_postgres_url)

    run_state_machine_as_test(Emptied, settings=drawn(few(2, of=20), soaked=20))
    assert any(it.words for it in begun), "no history said anything"
