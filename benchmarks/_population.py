"""A population of users with memories of their own, the same in every run, and a model that costs next to nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Final

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_agentmem import Memory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem._search import search_text
from langchain_agentmem._terms import tokenize
from langchain_agentmem._vectors import pack_vector
from langchain_agentmem.ledger.base import Draft, LedgerWriter, ModelState
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database

DIM: Final = 384  # the size of all-MiniLM-L6-v2's vectors
SEED: Final = 20_261_121
NOW: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)  # of the clock that stands still: scores depend on age
YEAR_S: Final = 365 * 86_400
EVENTS_AT_ONCE: Final = 1_000  # in one transaction, while filling

_WHO: Final = "platform design finance legal mobile quality research security support travel growth people".split()
_WHAT: Final = "invoices reports contracts photos metrics orders receipts tickets drafts logs surveys recipes".split()
_WHERE: Final = "Frankfurt Dublin Oslo Madrid Lisbon Vienna Prague Turin Ghent Aarhus Tampere Bilbao".split()
_WITH: Final = "Postgres Kafka Redis Parquet Terraform Grafana Airflow Spark Vault Nomad Consul Envoy".split()
_COLOUR: Final = "amber azure coral crimson indigo ivory jade maroon olive pearl scarlet teal".split()
_FOR: Final = "billing search ledger checkout payroll catalog gateway mailer scheduler warehouse portal archive".split()


class WordDirections(Embeddings):
    """The unit sum of one random direction per word: texts that share words are near each other, and no model runs."""

    model: Final = "directions"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of statements."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        values: list[float] = vector_of(text).tolist()
        return values


MODEL: Final = ModelState(name=WordDirections.model, dimension=DIM, is_current=True)


@dataclass(frozen=True, slots=True)
class User:
    """One user of the population, and how many memories are kept of them."""

    name: str
    size: int


def crowd(users: int, memories: int) -> Iterator[User]:
    """Give users with so many memories altogether, as even as may be."""
    size, more = divmod(memories, users)
    return (User(f"user-{number}", size + (number < more)) for number in range(users))


def fill(url: str, users: Sequence[User]) -> int:
    """Append the log of each user, many events in one transaction; return how many memories that are.

    These are rows as `remember` leaves them: event, payload, chain, projection, terms, vector. Only the policy, which
    would hold each statement against its neighbours, is not asked.
    """
    database = Database(url)
    ledger = SQLLedger(database, clock=lambda: NOW)
    for user in users:
        for start in range(0, user.size, EVENTS_AT_ONCE):
            numbers = range(start, min(start + EVENTS_AT_ONCE, user.size))
            run(ledger.append(Scope(user.name), partial(_append, user.name, numbers)))
    database.close()
    return sum(user.size for user in users)


def _append(name: str, numbers: Sequence[int], writer: LedgerWriter) -> None:
    for number in numbers:
        memory = memory_of(name, number)
        note = {"reason": "generated"}
        writer.append(Draft(type="remembered", memory_id=memory.id, changes=fields_of(memory), note=note))
        writer.put_vector(memory.id, MODEL, pack_vector(vector_of(search_text(memory))))


def memory_of(name: str, number: int) -> Memory:
    """Return a user's memory of a number."""
    rng = random.Random(f"{SEED}/{name}/{number}")  # noqa: S311  (a date and a sentence, not a secret)
    return Memory(
        id=f"{name}-{number}",
        scope=Scope(name),
        kind="fact",
        content=_statement(rng),
        confidence=0.9,
        importance=0.5,
        source="explicit",
        created_at=NOW - timedelta(seconds=rng.randrange(YEAR_S)),
    )


def statement(name: str, number: int) -> str:
    """Return a sentence that a user has not said yet."""
    return _statement(random.Random(f"{SEED}/{name}/{number}/later"))  # noqa: S311  (likewise)


def _statement(rng: random.Random) -> str:
    who, what, where, tool, colour, system = _chosen(rng)
    return f"The {who} team keeps the {colour} {what} of its {system} service in {where} with {tool}"


def question(number: int) -> str:
    """Return a question, which some memories of every user answer somewhat."""
    rng = random.Random(f"{SEED}/asked/{number}")  # noqa: S311  (likewise)
    who, what, where, tool, colour, system = _chosen(rng)
    asked = f"Where does the {who} team keep the {colour} {what} of its {system} service"
    return f"{asked}, {where} or elsewhere?" if number % 2 else f"{asked}, and is it with {tool}?"


def _chosen(rng: random.Random) -> list[str]:
    return [rng.choice(words) for words in (_WHO, _WHAT, _WHERE, _WITH, _COLOUR, _FOR)]


def vector_of(text: str) -> NDArray[np.float32]:
    """Return the unit vector of a text."""
    total: NDArray[np.float32] = np.sum([_direction(word) for word in tokenize(text) or ["nothing"]], axis=0)
    unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


@lru_cache(maxsize=4_096)
def _direction(word: str) -> NDArray[np.float32]:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(DIM, dtype=np.float32)
