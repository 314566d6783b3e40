from __future__ import annotations

from datetime import UTC, datetime, timedelta

from langchain_agentmem._checks import utc_now
from langchain_agentmem._flow import run
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.sql.due import time_of
from langchain_agentmem.ledger.sql.jobs import LEASE_S, SQLJobs
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS
from tests.contracts.jobs_contract import KIND, KINDS, JobsContract, ModelsContract
from tests.ledgers import dump, queue_job


class TestJobs(JobsContract):
    """The contract on PostgreSQL."""


class TestModels(ModelsContract):
    """The contract on PostgreSQL."""


def test_a_worker_whose_clock_is_slow_keeps_its_job(sql_url: str) -> None:
    """A lease is timed by the database, so that no host's clock takes it from who works on it."""
    database = Database(sql_url)
    run(queue_job(SQLLedger(database), KIND, {}, None))
    slow = SQLJobs(database, lambda: utc_now() - timedelta(minutes=3), time_of)
    right = SQLJobs(database, utc_now)
    (mine,) = run(slow.claim(1, KINDS))
    assert run(right.claim(1, KINDS)) == []
    assert run(slow.renew(mine.lease))
    assert run(right.claim(1, KINDS)) == []
    until = next(it for it in dump(database, JOBS)[JOBS.name][0] if isinstance(it, int) and it > 10**15)
    assert datetime.fromtimestamp(until / 1e6, UTC) < utc_now() + timedelta(seconds=LEASE_S + 1)
    database.close()
