from __future__ import annotations

from tests.contracts.episode_ledger_contract import EpisodeLedgerContract


class TestEpisodes(EpisodeLedgerContract):
    """The contract on SQLite, in a file and in memory."""
