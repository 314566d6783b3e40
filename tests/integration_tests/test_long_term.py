"""Long-term memory on PostgreSQL."""

from __future__ import annotations

from tests.contracts.long_term_contract import LongTermContract


class TestLongTerm(LongTermContract):
    """The whole contract."""
