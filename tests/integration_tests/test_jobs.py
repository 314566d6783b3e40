from __future__ import annotations

from tests.contracts.jobs_contract import JobsContract, ModelsContract


class TestJobs(JobsContract):
    """The contract on PostgreSQL."""


class TestModels(ModelsContract):
    """The contract on PostgreSQL."""
