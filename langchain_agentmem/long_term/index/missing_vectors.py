"""Vectors for what one user has without: what was brought in, by a process that has embeddings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._vectors import pack_vector
from langchain_agentmem.english.people.own_words import embedded_text
from langchain_agentmem.jobs import JobFlows
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.sql.models import Missing, SQLModels
from langchain_agentmem.ledger.standing import EMBED_JOB
from langchain_agentmem.long_term.embedder import Embedder, check_model
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.index.turn_vectors import TurnVectors
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.types import Scope

BATCH: Final = 256
"""Memories embedded between two commits: what a kill can cost."""

EMBED_WITHIN_S: Final = 600.0
"""How long it is waited for that another worker does; it goes on in any case."""

WithEach = Callable[[LedgerWriter, str], None]


class Lacking:
    """Finds what of a user has no vector of the model in use, and embeds it: a durable job.

    Args:
        parts: Of long-term memory.
        searching: Brings what was embedded to an external index.
        models: Know what lacks a vector.
    """

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._models = models
        self._turns = TurnVectors(parts, models)

    def follow(self, scope: Scope, jobs: JobFlows) -> Flow[None]:
        """Embed what has no vector, or leave it to a process that can; what fails is tried again by the queue."""
        yield from self._searching.follow()
        if not (yield from self._lacks(scope)):
            return
        yield from self._parts.ledger.append(scope, self._enqueue)
        if self._parts.embedder is not None:
            yield from jobs.settle(scope, [EMBED_JOB], EMBED_WITHIN_S)
            yield from self._searching.follow()

    def _enqueue(self, writer: LedgerWriter) -> None:
        if not writer.has_jobs(EMBED_JOB):
            writer.enqueue(EMBED_JOB, {}, None)

    def _lacks(self, scope: Scope) -> Flow[bool]:
        """Whether anything of the user has no vector, of a database that has any, or is to have."""
        current = yield from self._models.current()
        embedder = self._parts.embedder
        name = embedder.name if embedder is not None else None if current is None else current.name
        if name is None:
            return False
        if (yield from self._models.missing(name, 1, scope)):
            return True

        def turns(reader: LedgerReader) -> bool:
            return bool(reader.episodes.without_vector(name, 1))

        return (yield from self._parts.ledger.read(scope, turns))

    def do(self, job: Job) -> Flow[None]:
        """Embed all of the job's user that has no vector; called where there are embeddings.

        Raises:
            ConfigurationError: The database has vectors of another model.
            StorageError: The model failed; the job comes again.
        """
        embedder = self._parts.embedder
        if embedder is None or job.scope is None:
            return
        owner = replace(job.scope, agent_id=None, session_id=None)
        check_model((yield from self._parts.ledger.read(owner, lambda reader: reader.models())), embedder.name)
        embedded = 1
        while embedded and (groups := (yield from self._models.missing(embedder.name, BATCH, owner))):
            embedded = 0
            for group in groups:
                embedded += yield from embed_group(self._parts, embedder, group, is_current=True, then=self._queue)
        while (yield from self._turns.embed_some(embedder, owner, is_current=True)):
            pass
        self._parts.episodes.reset()

    def _queue(self, writer: LedgerWriter, memory_id: str) -> None:
        self._searching.queue(writer, memory_id)


def embed_group(
    parts: Parts, embedder: Embedder, group: Missing, *, is_current: bool, then: WithEach | None = None
) -> Flow[int]:
    """Give vectors to memories that are as they were when it began; return to how many.

    Args:
        parts: Of long-term memory.
        embedder: The model.
        group: The memories.
        is_current: Whether a database without vectors has this model from now on; one with another model's refuses.
        then: Called with each of them, in the transaction.
    """
    texts = yield from parts.ledger.read(group.scope, lambda reader: _texts(reader, group.memory_ids))
    if not texts:
        return 0
    vectors = yield from embedder.documents(list(texts.values()))
    model = ModelState(name=embedder.name, dimension=len(vectors[0]), is_current=is_current)

    def store(writer: LedgerWriter) -> int:
        check = embedder.check if is_current else embedder.check_beside
        check(writer.models(), vectors[0])
        now = _texts(writer, group.memory_ids)
        unchanged = {
            memory_id: pack_vector(vector)
            for (memory_id, text), vector in zip(texts.items(), vectors, strict=True)
            if now.get(memory_id) == text
        }
        writer.add_vectors(model, unchanged)
        for memory_id in unchanged if then is not None else ():
            then(writer, memory_id)  # type: ignore[misc]  # there is none only where nothing is gone through
        return len(unchanged)

    return (yield from parts.ledger.append(group.scope, store))


def _texts(reader: LedgerReader, memory_ids: tuple[str, ...]) -> dict[str, str]:
    """Return what is embedded of memories that are still there."""
    return {it.id: embedded_text(it, it.scope.user_id) for it in reader.memories(memory_ids).values()}
