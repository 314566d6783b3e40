from __future__ import annotations

from typing import Any

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.sql import SQLLedger, episode_rows, rows
from langchain_agentmem.sql.prepared import Prepared
from tests.contracts.cold_view_contract import ColdViewContract
from tests.ledgers import MODEL, memory, put


def plan_of(ledger: SQLLedger, statement: Prepared) -> str:
    """How PostgreSQL runs a statement that reads all rows of the first subject there is."""

    def explained(connection: Any) -> str:  # noqa: ANN401
        text = statement._text(connection)
        values = text.bind({"subject": 1, "since": 0, "model": MODEL.name})
        return "\n".join(line for (line,) in connection.exec_driver_sql(f"EXPLAIN {text.sql}", values))

    return run(ledger.database.read(explained))


class TestColdView(ColdViewContract):
    """The contract on PostgreSQL."""

    def test_rows_that_nobody_has_counted_yet_are_not_compared_each_with_each(self, ledger: SQLLedger) -> None:
        """A vector is looked up by its memory, or episode, also before the database has statistics of its tables."""
        for number in range(40):
            run(put(ledger, memory(f"m{number}"), b"\x00" * 1_536))
        for statement in (rows.SELECT_SEARCH_ROWS, episode_rows.SELECT_ROWS):
            plan = plan_of(ledger, statement)
            assert "Join" not in plan
            assert "(memory_id = agentmem_" in plan
