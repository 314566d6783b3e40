"""The user's own voice on PostgreSQL."""

from __future__ import annotations

from tests.contracts.own_words_contract import OwnWordsContract


class TestOwnWords(OwnWordsContract):
    """The whole contract."""
