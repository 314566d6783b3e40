"""A package as a third party would write it: a vector store with its dialect, and a function that builds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_agentmem._flow import Flow
from langchain_agentmem.index.dialect import Held, StoreDialect, from_cosine_distance
from langchain_agentmem.index.filters import document_predicate


def _empty(store: AcmeVectorStore, _dim: int | None) -> Flow[None]:
    yield from ()
    store.rows.clear()


def _read(store: AcmeVectorStore, ids: list[str]) -> Flow[dict[str, Held]]:
    yield from ()
    return {name: Held(store.rows[name][0].metadata, store.rows[name][1]) for name in ids if name in store.rows}


def _holds(store: AcmeVectorStore, wanted: Callable[[Document], bool], count: int) -> Flow[bool]:
    yield from ()
    return sum(wanted(document) for document, _ in store.rows.values()) >= count


class AcmeVectorStore(VectorStore):
    """Rows in a dict, by cosine distance."""

    agentmem_dialect: ClassVar[StoreDialect] = StoreDialect(
        compile=document_predicate, to_cosine=lambda _: from_cosine_distance, empty=_empty, read=_read, holds=_holds
    )

    def __init__(self, embeddings: Embeddings, *, shelf: str = "") -> None:
        self.shelf = shelf
        self.rows: dict[str, tuple[Document, np.ndarray[Any, Any]]] = {}
        self._embed = embeddings

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **_: Any,
    ) -> list[str]:
        names = list(texts)
        for name, metadata, vector in zip(names, metadatas or [], self._embed.embed_documents(names), strict=True):
            self.rows[name] = (Document(name, metadata=metadata), np.array(vector))
        return names

    def delete(self, ids: list[str] | None = None, **_: Any) -> None:
        for name in ids or ():
            self.rows.pop(name, None)

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [self.rows[name][0] for name in ids if name in self.rows]

    def similarity_search_with_score_by_vector(
        self, embedding: list[float], k: int, filter: Callable[[Document], bool]
    ) -> list[tuple[Document, float]]:
        found = [
            (document, float(1 - vector @ embedding)) for document, vector in self.rows.values() if filter(document)
        ]
        return sorted(found, key=lambda hit: hit[1])[:k]

    def similarity_search(self, *_: Any, **__: Any) -> list[Document]:
        raise NotImplementedError

    @classmethod
    def from_texts(cls, *_: Any, **__: Any) -> AcmeVectorStore:
        raise NotImplementedError


def build_store(embeddings: Embeddings, *, shelf: str = "top") -> AcmeVectorStore:
    """What the entry point names."""
    return AcmeVectorStore(embeddings, shelf=shelf)
