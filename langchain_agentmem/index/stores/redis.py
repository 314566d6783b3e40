"""langchain-redis' `RedisVectorStore`, on a Redis with a query engine.

It compares declared fields only, by tags that are split at a separator; a field that is not declared finds nothing, in
silence. So all that is compared is a number, a word of ours or a hex token, and a store without the layout is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from hashlib import sha256
from itertools import islice
from operator import and_, ge, gt, le, lt, or_
from typing import Any, Final, TypeVar

import numpy as np

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.dialect import (
    Cosine,
    Held,
    StoreDialect,
    from_cosine_distance,
    from_squared_distance,
)
from langchain_agentmem.index.filters import Clause, Comparison
from langchain_agentmem.index.layouts import LABEL_SEPARATOR, redis_schema

_COSINES: Final[Mapping[str, Cosine]] = {
    "COSINE": from_cosine_distance,
    "IP": from_cosine_distance,
    "L2": from_squared_distance,
}
_ORDERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {"lt": lt, "lte": le, "gt": gt, "gte": ge}
_BATCH_KEYS: Final = 1_000
_MILLION: Final = 1_000_000
_GLOB: Final = lazy_pattern(r"([*?\[\]\\^-])")

T = TypeVar("T")


def redis_filter(clauses: Sequence[Clause]) -> Any:  # noqa: ANN401  (redisvl comes with an extra)
    """Return the filter as a `FilterExpression` of redisvl."""
    return reduce(and_, [reduce(or_, [_comparison(comparison) for comparison in clause]) for clause in clauses])


def redis_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata as the layout has it: labels in one string, the model's name a token, all numbers whole."""
    return {
        **metadata,
        "labels": LABEL_SEPARATOR.join(metadata["labels"]),
        "model": _token(metadata["model"]),
        "confidence": _whole(metadata["confidence"]),
    }


def _comparison(comparison: Comparison) -> Any:  # noqa: ANN401
    from redisvl.query.filter import Num, Tag

    value = _STORED.get(comparison.field, _same)(comparison.value)
    if comparison.operator in _ORDERS:
        return _ORDERS[comparison.operator](Num(comparison.field), value)
    return Tag(comparison.field) == value


def _token(name: str) -> str:
    """Return a name that no separator splits."""
    return sha256(name.encode()).hexdigest()


def _whole(number: float) -> int:
    """Return a number in [0, 1] in millionths: as JSON, a fraction comes back as its neighbour now and then."""
    return round(number * _MILLION)


def _same(value: T) -> T:
    return value


_STORED: Final[Mapping[str, Callable[[Any], Any]]] = {"model": _token, "confidence": _whole}


def _served(store: Any) -> Any:  # noqa: ANN401
    """Return the index as the server has it, whatever the store was told; `None` where it was lost."""
    if not store.index.exists():
        return None
    return type(store.index).from_existing(store.index.schema.index.name, redis_client=store.index.client)


def _vector_field(store: Any, index: Any) -> Any:  # noqa: ANN401
    return index.schema.fields[store.config.embedding_field].attrs


def _metric(store: Any) -> str:  # noqa: ANN401
    return str(_vector_field(store, _served(store) or store.index).distance_metric.value.upper())


def _to_cosine(store: Any) -> Cosine:  # noqa: ANN401
    return _COSINES[_metric(store)]


def _dim(store: Any) -> int | None:  # noqa: ANN401
    index = _served(store)
    return None if index is None else int(_vector_field(store, index).dims)


def _check(store: Any) -> Flow[None]:  # noqa: ANN401
    yield from work(_check_now, store)


def _check_now(store: Any) -> None:  # noqa: ANN401
    """Refuse an index that lacks a field: its filters would find nothing, or split a name in two."""
    fields = (_served(store) or store.index).schema.fields
    wrong = [wanted["name"] for wanted in redis_schema() if not _is_as(fields.get(wanted["name"]), wanted)]
    if wrong:
        msg = (
            f"the Redis index {store.index.schema.index.name!r} does not declare {', '.join(wrong)} as needed; make it "
            "anew with RedisConfig(metadata_schema=redis_schema(), …) from langchain_agentmem.index"
        )
        raise ConfigurationError(msg)
    if store.ttl is not None:
        msg = f"ttl={store.ttl!r} would take memories out of the index behind the ledger's back; pass ttl=None"
        raise ConfigurationError(msg)


def _is_as(field: Any, wanted: Mapping[str, Any]) -> bool:  # noqa: ANN401
    if field is None or field.type.value != wanted["type"]:
        return False
    return all(getattr(field.attrs, name) == value for name, value in wanted.get("attrs", {}).items())


def _empty(store: Any, dim: int | None) -> Flow[None]:  # noqa: ANN401
    yield from work(_renew, store, dim)


def _renew(store: Any, dim: int | None) -> None:  # noqa: ANN401
    """Drop the index and every key under its prefix, also keys that a lost index left behind, and make it again."""
    if _served(store) is not None:
        store.index.delete(drop=True)
    prefix = _GLOB.sub(r"\\\1", store.config.key_prefix)
    for batch in _batches(store.index.client.scan_iter(match=f"{prefix}:*", count=_BATCH_KEYS)):
        store.index.client.unlink(*batch)
    if dim is not None:
        _vector_field(store, store.index).dims = store.config.embedding_dimensions = dim
    store.index.create()


def _count(store: Any) -> Flow[int]:  # noqa: ANN401
    return (yield from work(lambda: int(store.index.info()["num_docs"])))


def _holds(store: Any, wanted: Any, count: int) -> Flow[bool]:  # noqa: ANN401
    from redisvl.query import CountQuery

    return (yield from work(lambda: bool(store.index.query(CountQuery(wanted)) >= count)))


def _read(store: Any, ids: list[str]) -> Flow[dict[str, Held]]:  # noqa: ANN401
    return (yield from work(_held, store, ids))


def _held(store: Any, ids: list[str]) -> dict[str, Held]:  # noqa: ANN401
    metadata = {document.id: document.metadata for document in store.get_by_ids(ids)}
    is_json, vector = store.config.storage_type == "json", store.config.embedding_field
    names = [vector, *(field["name"] for field in redis_schema())]
    keys = [f"{store.config.key_prefix}:{document_id}" for document_id in metadata]
    fields = _documents(store, keys) if is_json else _hashes(store, keys, names)
    return {
        document_id: Held(_as_compared(found, field, names[1:]), field.get(vector))
        for (document_id, found), field in zip(metadata.items(), fields, strict=True)
    }


def _documents(store: Any, keys: list[str]) -> list[dict[str, Any]]:  # noqa: ANN401
    found = store.index.client.json().mget(keys, "$") if keys else []
    return [value[0] if value else {} for value in found]


def _hashes(store: Any, keys: list[str], names: list[str]) -> list[dict[str, Any]]:  # noqa: ANN401
    pipeline = store.index.client.pipeline(transaction=False)
    for key in keys:
        pipeline.hmget(key, names)
    dtype = np.dtype(store.config.vector_datatype.lower())
    return [
        {names[0]: None if vector is None else _whole_numbers(vector, dtype), **dict(zip(names[1:], rest, strict=True))}
        for vector, *rest in pipeline.execute()
    ]


def _whole_numbers(value: bytes, dtype: np.dtype[Any]) -> Any:  # noqa: ANN401
    """Return the numbers in some bytes; one that is cut off is left out."""
    return np.frombuffer(value[: len(value) // dtype.itemsize * dtype.itemsize], dtype)


def _as_compared(metadata: dict[str, Any], fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return metadata with what the server compares: the store keeps each twice, and gives back the other."""
    compared = {name: _text(fields.get(name)) for name in names}
    return {**metadata, **{name: it for name, it in compared.items() if it != str(metadata.get(name))}}


def _text(value: Any) -> str:  # noqa: ANN401
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _batches(keys: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(keys, _BATCH_KEYS)):
        yield batch


REDIS: Final = StoreDialect(
    compile=redis_filter,
    to_cosine=_to_cosine,
    is_cosine=lambda store: _metric(store) == "COSINE",
    metadata=redis_metadata,
    dim=_dim,
    check=_check,
    empty=_empty,
    read=_read,
    gives_vectors=True,
    count=_count,
    holds=_holds,
)
