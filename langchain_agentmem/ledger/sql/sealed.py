"""Which columns of the ledger's tables are sealed, and as what; and the check that each opens where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, Table, select

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sql.schema import (
    EPISODES,
    MEMORIES,
    PAYLOADS,
    RECEIPTS,
    REQUESTS,
    RUN_STEPS,
    SNAPSHOTS,
    TOKENS,
    VECTORS,
)
from langchain_agentmem.vault.base import Cipher, NullCipher, open_as


class SealedTable(NamedTuple):
    """A table of the ledger: by which columns a row is named, and behind which word, for each sealed column.

    `told` are columns that no key has and that are part of the name all the same: they say who may see a row. Where
    `bound` names words, they are part of the names of these alone; earlier releases sealed those without.
    """

    table: Table
    keys: tuple[str, ...]
    words: dict[str, str]
    told: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()

    def names(self, word: str, row: Row[*tuple[Any, ...]]) -> tuple[str, ...]:
        """Return what the value behind a word may be sealed as in a row: first as what it is sealed now."""
        keys = [getattr(row, it) for it in self.keys]
        plain, full = name_of(word, keys), name_of(word, keys, [getattr(row, it) for it in self.told])
        if not self.bound:
            return (full,)
        return (full, plain) if word in self.bound else (plain,)


EPISODE_TOLD: Final = ("agent_id", "session_id", "place", "at", "expires_at")
"""Of a turn: whose agent's it is, where and when it was said, and when it ends."""

PAYLOAD: Final = SealedTable(PAYLOADS, ("seq",), {"sealed": "event"})
BESIDE_CHAIN: Final = (
    SealedTable(MEMORIES, ("memory_id",), {"terms": "terms", "labels": "labels", "body": "memory"}),
    SealedTable(VECTORS, ("memory_id",), {"vector": "vector"}),
    SealedTable(
        EPISODES,
        ("episode_id",),
        {
            "claims": "claims",
            "updates": "updates",
            "terms": "episode_terms",
            "pairs": "pairs",
            "reply_terms": "reply_terms",
            "body": "episode",
        },
        EPISODE_TOLD,
        ("episode_terms", "episode"),  # of which one is opened, whatever is read of a turn
    ),
    SealedTable(SNAPSHOTS, ("model",), {"sealed": "snapshot"}),
    SealedTable(RECEIPTS, ("receipt_id",), {"sealed": "receipt"}),
    SealedTable(REQUESTS, ("seq",), {"sealed": "request"}),
    SealedTable(TOKENS, ("token", "holder"), {"sealed": "token"}),
    SealedTable(RUN_STEPS, ("run_id", "no"), {"sealed": "run"}, ("kind", "at", "agent_id")),
)
"""What the walk along the chain does not open."""


def unreadable(connection: Connection, subject: int, cipher: Cipher) -> Iterator[str]:
    """Yield what is wrong with each value of a subject that does not open where it stands."""
    if type(cipher) is NullCipher:
        return
    for sealed in BESIDE_CHAIN:
        table = sealed.table
        columns = [table.c[it] for it in (*sealed.keys, *sealed.told, *sealed.words)]
        for row in connection.execute(select(*columns).where(table.c.subject_id == subject)):
            for column, word in sealed.words.items():
                try:
                    if (value := getattr(row, column)) != b"":
                        open_as(cipher, value, sealed.names(word, row))
                except IntegrityError as error:
                    yield f"in {table.name}, {error}"


def name_of(word: str, keys: Iterable[object], told: Iterable[object] = ()) -> str:
    """Return what a value is sealed as: a word, what keys its row has, and what else is told of it."""
    return "\0".join(["/".join([word, *map(str, keys)]), *("" if it is None else str(it) for it in told)])
