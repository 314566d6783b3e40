"""Which columns of the ledger's tables are sealed, and as what; and the check that each opens where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import Connection, Table, select

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sql.schema import EPISODES, MEMORIES, PAYLOADS, RECEIPTS, REQUESTS, RUN_STEPS, TOKENS, VECTORS
from langchain_agentmem.vault.base import Cipher, NullCipher


class SealedTable(NamedTuple):
    """A table of the ledger: by which columns a row is named, and behind which word, for each sealed column."""

    table: Table
    keys: tuple[str, ...]
    words: dict[str, str]


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
    ),
    SealedTable(RECEIPTS, ("receipt_id",), {"sealed": "receipt"}),
    SealedTable(REQUESTS, ("seq",), {"sealed": "request"}),
    SealedTable(TOKENS, ("token",), {"sealed": "token"}),
    SealedTable(RUN_STEPS, ("run_id", "no"), {"sealed": "run"}),
)
"""What the walk along the chain does not open."""


def unreadable(connection: Connection, subject: int, cipher: Cipher) -> Iterator[str]:
    """Yield what is wrong with each value of a subject that does not open where it stands."""
    if type(cipher) is NullCipher:
        return
    for table, keys, words in BESIDE_CHAIN:
        columns = (*(table.c[it] for it in keys), *(table.c[it] for it in words))
        for row in connection.execute(select(*columns).where(table.c.subject_id == subject)):
            name = "/".join(str(it) for it in row[: len(keys)])
            for word, value in zip(words.values(), row[len(keys) :], strict=True):
                try:
                    if value != b"":
                        cipher.open(value, f"{word}/{name}")
                except IntegrityError as error:
                    yield f"in {table.name}, {error}"
