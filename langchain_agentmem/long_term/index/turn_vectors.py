"""Vectors of another embedding model for what conversations said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._vectors import pack_vector
from langchain_agentmem.ledger.base import LedgerWriter, ModelState
from langchain_agentmem.ledger.episodes import EpisodeDraft, StoredEpisode
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.embedder import Embedder
from langchain_agentmem.long_term.parts import OWNERS, Parts
from langchain_agentmem.long_term.said.turns import BATCH
from langchain_agentmem.long_term.said.words import Words, vector_text
from langchain_agentmem.types import Scope

ENDED: Final = "it has expired, or its messages are gone"


class TurnVectors:
    """Writes them beside those of the model before, user by user, a batch at a time."""

    def __init__(self, parts: Parts, models: SQLModels) -> None:
        """Compose."""
        self._parts = parts
        self._models = models
        self._words = Words(parts)

    def embed(self, embedder: Embedder, progress: Callable[[int], None]) -> Flow[int]:
        """Embed every episode that has no vector of this model, and return how many there were.

        Args:
            embedder: The model.
            progress: Called with the number of episodes embedded so far.
        """
        embedded = 0
        while owners := (yield from self._models.owners_without_vector(embedder.name, OWNERS)):
            for owner in owners:
                embedded += yield from self.embed_some(embedder, owner, is_current=False)
                progress(embedded)
        return embedded

    def embed_some(self, embedder: Embedder, owner: Scope, *, is_current: bool) -> Flow[int]:
        """Embed some episodes of a user that have no vector of this model, and return how many.

        Args:
            embedder: The model.
            owner: Whose.
            is_current: Whether a database without vectors has this model from now on.
        """
        stored = yield from self._parts.ledger.read(
            owner, lambda reader: reader.episodes.without_vector(embedder.name, BATCH)
        )
        found = yield from self._words.of(owner, stored)
        yield from self._drop(owner, [it for it in stored if it.episode.id not in found.episodes])
        if not found.episodes:
            return 0
        episodes = list(found.episodes.values())
        vectors = yield from embedder.documents([vector_text(it) for it in episodes])
        model = ModelState(name=embedder.name, dimension=len(vectors[0]), is_current=is_current)
        drafts = [
            EpisodeDraft(episode=it, vector=pack_vector(vector)) for it, vector in zip(episodes, vectors, strict=True)
        ]
        check = embedder.check if is_current else embedder.check_beside

        def store(writer: LedgerWriter) -> int:
            check(writer.models(), vectors[0])
            return writer.episodes.put_vectors(drafts, model)

        return (yield from self._parts.ledger.append(owner, store))

    def _drop(self, owner: Scope, ended: list[StoredEpisode]) -> Flow[None]:
        """Take out what has no words any more."""
        ids: dict[Scope, list[str]] = {}
        for it in ended:
            ids.setdefault(replace(owner, agent_id=it.episode.scope.agent_id), []).append(it.episode.id)
        for scope, episode_ids in ids.items():
            yield from self._parts.ledger.append(
                scope,
                lambda writer: writer.episodes.drop(episode_ids, ENDED, may_return=True),  # noqa: B023  (run at once)
            )
