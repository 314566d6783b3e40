"""A LangChain `Embeddings` as long-term memory uses it: checked, known by name, and held to the database's model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from langchain_core.embeddings import Embeddings

from langchain_agentmem._flow import Flow
from langchain_agentmem._vectors import (
    TIMEOUT_S,
    CachedEmbeddings,
    Vector,
    embed_question,
    embed_texts,
    embedding_identity,
)
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import ModelState


class Embedder:
    """Gives unit vectors for texts; a text embedded lately costs nothing.

    Args:
        embeddings: Any LangChain `Embeddings`.
        name: Recorded with every vector; by default taken from the object.
        timeout_s: How long a call may take; `None`: for ever. What computes in this process (`is_local`) always may.
    """

    def __init__(self, embeddings: Embeddings, *, name: str | None = None, timeout_s: float | None = TIMEOUT_S) -> None:
        """Nothing is loaded yet."""
        is_local = getattr(embeddings, "is_local", False)
        self._embeddings = CachedEmbeddings(embeddings, timeout_s=None if is_local else timeout_s)
        self.name, _ = embedding_identity(embeddings, name=name)

    def query(self, text: str) -> Flow[Vector]:
        """Return the unit vector of a question.

        Raises:
            StorageError: The embedding model failed.
            ConfigurationError: It answered no usable vector.
        """
        with self._forgetting():
            return (yield from embed_question(self._embeddings, text))

    def documents(self, texts: Sequence[str]) -> Flow[list[Vector]]:
        """Return the unit vectors of texts, all of one size. Errors as `query`."""
        with self._forgetting():
            return (yield from embed_texts(self._embeddings, texts))

    def for_write(self, texts: Sequence[str], models: Sequence[ModelState]) -> Flow[list[Vector]]:
        """Return the unit vectors of texts that are to be stored; none where they could not be. Errors as `query`.

        Raises:
            ConfigurationError: The database's vectors are of another model.
        """
        check_model(models, self.name)
        return (yield from self.documents(texts)) if texts else []

    def check(self, models: Sequence[ModelState], vector: Vector) -> ModelState | None:
        """Return what is stored about this model, as `check_model` does, given a vector it has just answered.

        Raises:
            ConfigurationError: The database's vectors are of another model or size.
        """
        with self._forgetting():
            return check_model(models, self.name, len(vector))

    def check_beside(self, models: Sequence[ModelState], vector: Vector) -> None:
        """Refuse a vector of another size than is stored of this model, whichever one the database has now.

        Raises:
            ConfigurationError: It is of another size.
        """
        with self._forgetting():
            check_model([it for it in models if it.name == self.name], self.name, len(vector))

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Forget what was computed where an answer is refused: asked again, the model may be itself again."""
        try:
            yield
        except ConfigurationError:
            self.clear()
            raise

    def clear(self) -> None:
        """Forget what was computed lately: a vector can be inverted to something close to its text."""
        self._embeddings.clear()


def check_model(models: Sequence[ModelState], name: str, dimension: int | None = None) -> ModelState | None:
    """Return what is stored about an embedding model, or `None` where the database has no vectors yet.

    Raises:
        ConfigurationError: The database's vectors are of another model or size.
    """
    known = {model.name: model for model in models}
    stored = known[name].dimension if name in known else dimension
    if dimension is not None and dimension != stored:
        msg = f"{name!r} gave a vector of {dimension} numbers where {stored} are stored; pass embedding_name='…-v2'"
        raise ConfigurationError(msg)
    current = next((model.name for model in models if model.is_current), None)
    if current is None:
        return None
    if name not in known:
        msg = (
            f"the database holds vectors of {current!r}, this process embeds with {name!r}; "
            "pass the same embeddings, or run long_term.reindex() once"
        )
        raise ConfigurationError(msg)
    return known[name]
