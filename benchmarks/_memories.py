"""Synthetic memories and questions with prepared embeddings: as many as asked for, the same in every run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

DIM: Final = 384  # the size of all-MiniLM-L6-v2's vectors
TOPICS: Final = 20  # clusters per user: what one person talks about
SPREAD: Final = 1.0  # noise against a topic's centre: neighbours within a topic have a cosine of about 0.5
QUERY_SPREAD: Final = 0.8
SEED: Final = 20_240_229

_PROBE: Final = np.eye(1, DIM, dtype=np.float32)[0]
_SYSTEMS: Final = (
    "billing search ledger checkout payroll catalog gateway mailer scheduler warehouse portal archive".split()
)
_THINGS: Final = "invoices reports contracts photos metrics orders receipts tickets drafts logs surveys recipes".split()
_PLACES: Final = "Frankfurt Dublin Oslo Madrid Lisbon Vienna Prague Turin Ghent Aarhus Tampere Bilbao".split()
_TOOLS: Final = "Postgres Kafka Redis Parquet Terraform Grafana Airflow Spark Vault Nomad Consul Envoy".split()
_COLOURS: Final = "amber azure coral crimson indigo ivory jade maroon olive pearl scarlet teal".split()
_TEAMS: Final = "platform design finance legal mobile quality research security support travel growth people".split()

Vector: TypeAlias = NDArray[np.float32]
Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The memories of one column of the table, of one user or of many, and questions of the first user.

    Attributes:
        owners: Whose memory each is. `owner`: whose scope is searched. `other`: who puts new memories.
        spare: Texts that are not stored yet, for puts; their vectors come after those of `texts`.
    """

    name: str
    owner: str
    other: str
    owners: Sequence[str]
    texts: Sequence[str]
    spare: Sequence[str]
    vectors: Vectors
    questions: Sequence[str]
    question_vectors: Vectors

    @property
    def own(self) -> list[int]:
        """Return the places of the memories of the scope that is searched."""
        return [place for place, owner in enumerate(self.owners) if owner == self.owner]

    def groups(self) -> dict[str, list[int]]:
        """Return the places of the memories by user."""
        found: dict[str, list[int]] = {}
        for place, owner in enumerate(self.owners):
            found.setdefault(owner, []).append(place)
        return found


class PreparedEmbeddings(Embeddings):
    """Embeddings that look up vectors computed before: what is measured is the memory, not a model."""

    model: Final = "prepared"
    dim: Final = DIM
    is_local: Final = True  # a look-up in this process: no thread of its own keeps it from waiting for ever

    def __init__(self) -> None:
        """Know nothing yet."""
        self._vectors: dict[str, Vector] = {}

    def learn(self, space: Space) -> None:
        """Know the texts and questions of a space."""
        texts = itertools.chain(space.texts, space.spare)
        self._vectors.update(zip(texts, space.vectors, strict=True))
        self._vectors.update(zip(space.questions, space.question_vectors, strict=True))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of statements."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text; one that is not known is a store's own probe of the size."""
        values: list[float] = self._vectors.get(text, _PROBE).tolist()
        return values


def one_of_many(name: str, users: int, questions: int, spare: int) -> Space:
    """Return a population of users with 10 to 50 memories each; the one who is asked about has 30."""
    rng = np.random.default_rng(SEED)
    sizes = rng.integers(10, 51, users)
    sizes[0] = 30
    owners = [f"{name}-{user}" for user in range(users) for _ in range(sizes[user])]
    return _space(name, owners, questions, spare, rng)


def one_scope(name: str, size: int, questions: int, spare: int) -> Space:
    """Return memories that are all of one user."""
    return _space(name, [f"{name}-0"] * size, questions, spare, np.random.default_rng(SEED + size))


def _space(name: str, owners: Sequence[str], questions: int, spare: int, rng: np.random.Generator) -> Space:
    sentences = _sentences(name)
    texts = list(itertools.islice(sentences, len(owners)))
    later = list(itertools.islice(sentences, spare))
    users = sorted(set(owners))
    other = users[1] if len(users) > 1 else f"{name}-other"
    centres = {user: _unit(rng.standard_normal((TOPICS, DIM))) for user in [*users, other]}
    means = np.stack([centres[user][rng.integers(TOPICS)] for user in [*owners, *[other] * spare]])
    asked = np.stack([centres[owners[0]][rng.integers(TOPICS)] for _ in range(questions)])
    return Space(
        name=name,
        owner=owners[0],
        other=other,
        owners=owners,
        texts=texts,
        spare=later,
        vectors=_near(means, SPREAD, rng),
        questions=[f"{_question(rng)} ({name} {number})" for number in range(questions)],
        question_vectors=_near(asked, QUERY_SPREAD, rng),
    )


def _sentences(name: str) -> itertools.chain[str]:
    """Yield distinct statements, neighbours in the sequence far apart."""
    lists = (_SYSTEMS, _THINGS, _PLACES, _TOOLS, _COLOURS, _TEAMS)
    count = int(np.prod([len(words) for words in lists]))
    step = 1_299_709  # a prime, so that the walk meets every combination once
    places = ((number * step) % count for number in range(count))
    return itertools.chain(_sentence(name, place, lists) for place in places)


def _sentence(name: str, place: int, lists: Sequence[Sequence[str]]) -> str:
    words = []
    for options in lists:
        place, index = divmod(place, len(options))
        words.append(options[index])
    system, thing, city, tool, colour, team = words
    return f"The {name} {team} team keeps the {colour} {thing} of its {system} service in {city} with {tool}"


def _question(rng: np.random.Generator) -> str:
    thing, system = rng.choice(_THINGS), rng.choice(_SYSTEMS)
    return f"Where does the {rng.choice(_TEAMS)} team keep the {rng.choice(_COLOURS)} {thing} of its {system} service?"


def _near(means: NDArray[np.float64], spread: float, rng: np.random.Generator) -> Vectors:
    noise = rng.standard_normal(means.shape) * (spread / np.sqrt(DIM))
    return _unit(means + noise).astype(np.float32)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
