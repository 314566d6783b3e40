"""langchain-chroma's `Chroma`, embedded or on its server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.dialect import (
    Cosine,
    Held,
    StoreDialect,
    from_cosine_distance,
    from_squared_distance,
)
from langchain_agentmem.index.filters import chroma_where

_COSINES: Final[Mapping[str, Cosine]] = {
    "cosine": from_cosine_distance,
    "ip": from_cosine_distance,
    "l2": from_squared_distance,
}
_GONE: Final = "NotFoundError"
"""Name of Chroma's error for a collection that was deleted; by name, because its package is an extra."""

_DELETED: Final = "Error finding id"
"""In Chroma's words where a row had been found, and was deleted before its vector was read."""


def _space(store: Any) -> str:  # noqa: ANN401  (langchain-chroma is an extra)
    settings = store._collection.configuration_json  # noqa: SLF001  (it has no public way to its collection)
    return str((settings.get("hnsw") or settings.get("spann") or {}).get("space"))


def _to_cosine(store: Any) -> Cosine:  # noqa: ANN401
    space = _space(store)
    if space not in _COSINES:
        msg = f"Chroma's distance {space!r} is unknown; pass collection_configuration={{'hnsw': {{'space': 'cosine'}}}}"
        raise ConfigurationError(msg)
    return _COSINES[space]


def _dim(store: Any) -> int | None:  # noqa: ANN401
    """Return the size as it is now: another process may have replaced the collection by an empty one."""
    try:
        found = store._client.get_collection(store._collection_name)  # noqa: SLF001
    except Exception as error:
        if type(error).__name__ != _GONE:
            raise
        return None
    dim: int | None = getattr(found._model, "dimension", None)  # noqa: SLF001
    return dim


def _empty(store: Any, _dim: int | None) -> Flow[None]:  # noqa: ANN401
    yield from work(_renew, store)


def _renew(store: Any) -> None:  # noqa: ANN401
    """Replace the collection by an empty one, or make it anew where it was deleted by others."""
    try:
        store.reset_collection()
    except Exception as error:
        if type(error).__name__ != _GONE:
            raise
        store._Chroma__ensure_collection()  # noqa: SLF001  (reset_collection can only replace one that is there)


def _read(store: Any, ids: list[str]) -> Flow[dict[str, Held]]:  # noqa: ANN401
    found = yield from work(lambda: store.get(ids=ids, include=["metadatas", "embeddings"]))
    rows = zip(found["ids"], found["metadatas"], found["embeddings"], strict=True)
    return {document_id: Held(metadata, vector) for document_id, metadata, vector in rows}


def _count(store: Any) -> Flow[int]:  # noqa: ANN401
    return (yield from work(lambda: int(store._collection.count())))  # noqa: SLF001


def _holds(store: Any, wanted: dict[str, Any], count: int) -> Flow[bool]:  # noqa: ANN401
    asked = {"where": wanted, "limit": 1, "offset": count - 1, "include": []}
    return (yield from work(lambda: bool(store.get(**asked)["ids"])))


def _few(store: Any, wanted: dict[str, Any], most: int) -> Flow[list[Held] | None]:  # noqa: ANN401
    """Return what a filter admits: Chroma's graph loses a row among enough others that are equal to it, whoever's."""
    asked = {"where": wanted, "limit": most + 1, "include": ["metadatas", "embeddings"]}
    found = yield from work(lambda: store.get(**asked))
    if len(found["ids"]) > most:
        return None
    return [Held(metadata, vector) for metadata, vector in zip(found["metadatas"], found["embeddings"], strict=True)]


def _reopen(store: Any, error: BaseException | None) -> bool:  # noqa: ANN401
    """Take the collection that now has the name: another process has emptied the one that was open here.

    A row that was deleted while it was read needs nothing but another try.
    """
    if _DELETED in str(error):
        return True
    if type(error).__name__ != _GONE:
        return False
    found = store._client.get_collection(store._collection_name)  # noqa: SLF001
    store._chroma_collection = found  # noqa: SLF001
    return True


CHROMA: Final = StoreDialect(
    compile=chroma_where,
    to_cosine=_to_cosine,
    is_cosine=lambda store: _space(store) == "cosine",
    dim=_dim,
    empty=_empty,
    read=_read,
    gives_vectors=True,
    few=_few,
    reopen=_reopen,
    count=_count,
    holds=_holds,
)
