from __future__ import annotations

from tests.contracts.jobs_contract import JobsContract, ModelsContract


class TestJobs(JobsContract):
    """The contract on a SQLite file and in memory."""


class TestModels(ModelsContract):
    """The contract on a SQLite file and in memory."""
