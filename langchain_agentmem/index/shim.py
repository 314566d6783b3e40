"""The `Embeddings` that a vector store is built with: it hands over vectors that were computed before."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from langchain_core.embeddings import Embeddings

from langchain_agentmem.errors import ConfigurationError


class PreparedEmbeddings(Embeddings):
    """Maps opaque ids to vectors that are ready, because a vector store of LangChain embeds the text it is given.

    The text given to the store is the opaque id; no memory's text reaches it. A vector is known only while
    `prepared` is open, in every thread and task, so that it does not matter where the store does its work.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vectors: dict[str, list[list[float]]] = {}

    @contextmanager
    def prepared(self, vectors: Mapping[str, Sequence[float]]) -> Iterator[None]:
        """Hold vectors ready by opaque id; of two that hold the same id ready, the later one counts."""
        held = {key: list(vector) for key, vector in vectors.items()}
        with self._lock:
            for key, vector in held.items():
                self._vectors.setdefault(key, []).append(vector)
        try:
            yield
        finally:
            with self._lock:
                for key, vector in held.items():
                    self._release(key, vector)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors held ready for these ids.

        Raises:
            ConfigurationError: An id is none that is held ready: the store embeds something of its own.
        """
        with self._lock:
            return [self._one(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector held ready for this id.

        Raises:
            ConfigurationError: The id is none that is held ready: the store embeds something of its own.
        """
        with self._lock:
            return self._one(text)

    def _one(self, key: str) -> list[float]:
        held = self._vectors.get(key)
        if not held:
            msg = (
                "the vector store asked for the embedding of a text that is not being written; "
                "configure it so that it embeds nothing by itself (for example, give it the vector size)"
            )
            raise ConfigurationError(msg)
        return held[-1]

    def _release(self, key: str, vector: list[float]) -> None:
        held = [other for other in self._vectors[key] if other is not vector]
        if held:
            self._vectors[key] = held
        else:
            del self._vectors[key]


def check_builder(build: object) -> None:
    """Check that something can be called with embeddings; nothing is built.

    Raises:
        ConfigurationError: It cannot.
    """
    try:
        inspect.signature(build).bind(None)  # type: ignore[arg-type]  # what is no callable is a TypeError
    except TypeError as error:
        msg = (
            f"index must build a vector store from embeddings, got {build!r:.200} ({error}); "
            "for example lambda embeddings: Chroma(embedding_function=embeddings)"
        )
        raise ConfigurationError(msg) from error
    except ValueError:
        return  # what has no signature is tried
