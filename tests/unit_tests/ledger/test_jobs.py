from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, Select, text
from sqlalchemy.dialects import sqlite

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.sql.due import CLAIM, HASTEN_ROUND
from langchain_agentmem.sql.engine import Database
from tests.contracts.jobs_contract import JobsContract, ModelsContract


class TestJobs(JobsContract):
    """The contract on a SQLite file and in memory."""


class TestModels(ModelsContract):
    """The contract on a SQLite file and in memory."""


@pytest.mark.parametrize("in_order", [False, True])
def test_a_claim_costs_the_same_however_many_jobs_wait(*, in_order: bool) -> None:
    """An index gives what is due in its order: nothing is sorted, and no row is read before the first of them."""
    database = Database("sqlite://")

    def plans(connection: Connection) -> list[str]:
        return [
            row.detail
            for statement in CLAIM[in_order]
            for row in connection.execute(text(f"EXPLAIN QUERY PLAN {_as_text(statement)}"))
        ]

    found = run(database.read(plans))
    database.close()
    assert [it for it in found if "TEMP B-TREE" in it or it.startswith("SCAN")] == []
    assert [it for it in found if "agentmem_jobs_due (status=?" in it]


def test_a_look_at_the_rounds_reads_no_other_job() -> None:
    """A round that a wrong clock put off is found by its id."""
    database = Database("sqlite://")
    asked = HASTEN_ROUND.compile(dialect=sqlite.dialect(paramstyle="named"))
    plan, values = text(f"EXPLAIN QUERY PLAN {asked}"), dict.fromkeys(asked.params, 1)
    found = run(database.read(lambda it: [row.detail for row in it.execute(plan, values)]))
    database.close()
    assert [it for it in found if not it.startswith("SEARCH agentmem_jobs USING INTEGER PRIMARY KEY")] == []


def _as_text(statement: Select[Any]) -> str:
    whole = statement.limit(1).params(now=1, lease_now=1, kinds=["index"])
    return str(whole.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
