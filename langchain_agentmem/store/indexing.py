"""How items are made findable: which fields, and by which embedding model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from langchain_core.embeddings import Embeddings
from langgraph.store.base import ensure_embeddings

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow
from langchain_agentmem._vectors import Vector, pack_vector
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.items.values import WHOLE_VALUE, Fields, Texts, joined, model_number, parse_fields, terms_of
from langchain_agentmem.long_term.embedder import Embedder

if TYPE_CHECKING:
    from langgraph.store.base import IndexConfig

_KEYS: Final = ("embed", "dims", "fields")

PROBE: Final = "dimension"
"""Tells the size of a model's vectors; embedded once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexing:
    """Which texts of a value are searched, and what gives their vectors.

    Attributes:
        embedder: `None`: words alone are searched.
        dims: The size of vectors that was promised; `None`: any.
    """

    fields: Fields = WHOLE_VALUE
    embedder: Embedder | None = None
    dims: int | None = None

    @property
    def model(self) -> int:
        """Return the number of the embedding model, 0 where there is none."""
        return 0 if self.embedder is None else model_number(self.embedder.name)

    def documents(self, texts: Sequence[str]) -> Flow[dict[str, bytes]]:
        """Return the vector of each text, as stored; nothing where there is no model.

        They are held against one of a text that is none of theirs: all of a model's vectors are of one size, and one
        that is not would be compared with nothing else that is stored.

        Raises:
            StorageError: The embedding model failed.
            ConfigurationError: It answered no usable vector, or one of another size than others or than was promised.
        """
        if self.embedder is None or not texts:
            return {}
        unique = list(dict.fromkeys(texts))
        vectors = yield from self.embedder.documents([*unique, PROBE])
        return {text: pack_vector(self._checked(vector)) for text, vector in zip(unique, vectors, strict=False)}

    def texts(
        self, texts: Sequence[str] | None, labels: bytes, fields: bytes, vectors: Mapping[str, bytes]
    ) -> Texts | None:
        """Return what an item is found by, with the vectors that there are; `None`: it is not to be found."""
        if texts is None:
            return None
        ours = {self.model: joined([vectors[it] for it in texts])} if texts and vectors else {}
        return Texts(terms_of(texts), labels, fields, ours)

    def questions(self, texts: Sequence[str]) -> Flow[dict[str, Vector]]:
        """Return the vector of each question; errors as `documents`."""
        found: dict[str, Vector] = {}
        if self.embedder is not None:
            for text in dict.fromkeys(texts):
                found[text] = self._checked((yield from self.embedder.query(text)))
        return found

    def _checked(self, vector: Vector) -> Vector:
        if self.dims is not None and vector.size != self.dims:
            if self.embedder is not None:
                self.embedder.clear()  # asked again, the model may be itself again
            msg = f"the embedding model gave {vector.size} numbers where index has dims={self.dims}; pass {vector.size}"
            raise ConfigurationError(msg)
        return vector


def check_index(index: IndexConfig | Mapping[str, Any] | None) -> None:
    """Refuse a configuration that cannot work; no embedding model is opened.

    Raises:
        ConfigurationError: It has an unknown key, or a value that cannot work.
    """
    if index is None:
        return
    if not isinstance(index, Mapping):
        msg = f"index must be a dict, got {type(index).__name__}; for example {{'embed': embeddings, 'dims': 384}}"
        raise ConfigurationError(msg)
    unknown = sorted(map(str, set(index) - set(_KEYS)))
    if unknown:
        msg = f"index has an unknown key {unknown[0]!r}; use one of {', '.join(_KEYS)}"
        raise ConfigurationError(msg)
    fields, dims = index.get("fields"), index.get("dims")
    if fields is not None:
        parse_fields("fields", fields)
    if dims is not None:
        check_count("dims", dims, hint="for example 384")


def read_index(index: IndexConfig | Mapping[str, Any] | None) -> Indexing:
    """Return what a configuration says.

    Raises:
        ConfigurationError: It has an unknown key, or a value that cannot work.
    """
    check_index(index)
    if index is None:
        return Indexing()
    fields, embed, dims = index.get("fields"), index.get("embed"), index.get("dims")
    return Indexing(
        fields=WHOLE_VALUE if fields is None else parse_fields("fields", fields),
        embedder=None if embed is None else _embedder(embed),
        dims=dims,
    )


def _embeddings_named(name: str) -> Embeddings:
    try:
        return ensure_embeddings(name)
    except Exception as error:  # whatever a provider's package raises that is not there, or lacks a key
        msg = (
            f"embed {name!r:.80} cannot be opened ({type(error).__name__}); name it 'provider:model', install the "
            "provider's package (for example langchain-openai) and set its key, or pass Embeddings"
        )
        raise ConfigurationError(msg) from error


def _embedder(embed: Any) -> Embedder:  # noqa: ANN401  (what LangGraph lets a caller pass)
    if isinstance(embed, Embedder):
        return embed
    if not isinstance(embed, (str, Embeddings)) and not callable(embed):
        msg = f"embed must be Embeddings, a function of texts or 'provider:model', got {type(embed).__name__}"
        raise ConfigurationError(msg)
    if isinstance(embed, str):
        return Embedder(_embeddings_named(embed))
    if isinstance(embed, Embeddings):
        return Embedder(embed)
    name = f"{getattr(embed, '__module__', '')}.{getattr(embed, '__qualname__', type(embed).__qualname__)}"
    return Embedder(ensure_embeddings(embed), name=name)
