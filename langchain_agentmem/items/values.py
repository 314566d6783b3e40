"""Values as bytes, and the texts in them by which they are found."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType, NoneType
from typing import Any, Final, NamedTuple, TypeAlias

from langgraph.store.base import get_text_at_path, tokenize_path

from langchain_agentmem._terms import TERM_BYTES, encode_terms
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.items.facts import LABEL_BYTES

WHOLE: Final = "$"
"""The field that is the whole value."""

_LEAVES: Final = frozenset({str, int, float, bool, NoneType})
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_DECODE: Final = json.JSONDecoder().decode
_HEAD: Final = struct.Struct("<IIII")
"""Of what an item is found by: number of texts, of models that made vectors, of labels; bytes that name fields."""

_MODEL: Final = struct.Struct("<QI")
"""Of the vectors of one model: its number, numbers of a vector."""

_FLOAT_BYTES: Final = 4

Fields: TypeAlias = tuple[tuple[str, ...], ...]
"""Fields, each as LangGraph cuts its path; the empty one is the whole value."""

WHOLE_VALUE: Final[Fields] = ((),)


# ------------------------------------------------------------------------------------------------------------- values
def encode_value(value: Any) -> bytes:  # noqa: ANN401  (whatever a caller passes)
    """Return a value as JSON.

    Raises:
        ConfigurationError: It is no mapping, or holds what JSON cannot say; the error names the type.
    """
    if not isinstance(value, Mapping):
        msg = f"a value must be a dict, got {type(value).__name__}; for example {{'content': …}}"
        raise ConfigurationError(msg)
    plain = value if isinstance(value, dict) else dict(value)
    try:
        _check_plain(plain)
        return _ENCODE(plain).encode("utf-8", "surrogatepass")
    except RecursionError as error:
        msg = "a value is nested too deeply, or holds itself; store a flat copy"
        raise ConfigurationError(msg) from error
    except ValueError as error:
        if isinstance(error, ConfigurationError):
            raise
        msg = "a value holds a number that JSON cannot say (NaN, infinite, or too long); store it as text"
        raise ConfigurationError(msg) from error


def decode_value(data: bytes) -> dict[str, Any]:
    """Return a value from JSON, new with every call.

    Raises:
        IntegrityError: The bytes are no JSON object.
    """
    try:
        value = _DECODE(data.decode("utf-8", "surrogatepass"))
    except (AttributeError, ValueError, RecursionError) as error:  # SQLite keeps a number where bytes belong
        msg = "a stored item is no JSON any more; restore the database from a backup"
        raise IntegrityError(msg) from error
    if not isinstance(value, dict):
        msg = "a stored item is no JSON object; restore the database from a backup"
        raise IntegrityError(msg)
    return value


def _check_plain(value: Any) -> None:  # noqa: ANN401  (any part of a value)
    kind = type(value)
    if kind in _LEAVES:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                msg = f"a value has a key of type {type(key).__name__}; JSON has keys of type str only"
                raise ConfigurationError(msg)
            _check_plain(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_plain(inner)
    elif not isinstance(value, (str, int, float)):
        msg = (
            f"a value holds {kind.__module__}.{kind.__qualname__}, which is no JSON; store a dict, list, str or number"
        )
        raise ConfigurationError(msg)


# ------------------------------------------------------------------------------------------------------------- fields
def parse_fields(name: str, fields: object) -> Fields:
    """Return the paths of fields.

    Raises:
        ConfigurationError: They are no list of text.
    """
    if isinstance(fields, str) or not isinstance(fields, Sequence):
        msg = f"{name} must be a list of str, got {type(fields).__name__}; for example ['content']"
        raise ConfigurationError(msg)
    for field in fields:
        if not isinstance(field, str) or not field:
            msg = f"{name} must hold paths such as 'content' or 'turns[*].text', got {field!r:.80}"
            raise ConfigurationError(msg)
    return tuple(() if field == WHOLE else tuple(tokenize_path(field)) for field in fields)


def name_fields(fields: Sequence[str]) -> bytes:
    """Return fields in the form in which an item keeps them."""
    return _ENCODE(list(fields)).encode("utf-8", "surrogatepass")


def named_fields(data: bytes, otherwise: Fields) -> Fields:
    """Return the fields that an item keeps, or others where it keeps none.

    Raises:
        IntegrityError: They are malformed.
    """
    if not data:
        return otherwise
    try:
        return parse_fields("fields", _DECODE(data.decode("utf-8", "surrogatepass")))
    except ValueError as error:
        raise IntegrityError(_MALFORMED) from error


def texts_of(value: Mapping[str, Any], fields: Fields) -> list[str]:
    """Return the texts of some fields, each once, in their order; blank ones are left out."""
    found = (text for field in fields for text in get_text_at_path(value, list(field)))
    clean = (text.encode("utf-8", "replace").decode() for text in found)  # a model takes no lone surrogates
    return list(dict.fromkeys(text for text in clean if text.strip()))


def words_of(text: str) -> str:
    """Return what is to be matched word by word: of a part of a value, which is JSON, what stands in it."""
    if text[:1] not in {"{", "["}:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:  # noqa: ANN401  (any part of a value)
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


# -------------------------------------------------------------------------------------------------------------- terms
class Vectors(NamedTuple):
    """Vectors of one model, of all texts of an item, one after the other; `dim`: numbers of a vector."""

    dim: int
    data: bytes


class Texts(NamedTuple):
    """What an item is found by, as search compares it.

    Attributes:
        terms: Of each text.
        labels: Of the facts about the value, one after the other; see `facts`.
        fields: Which fields the texts are from, as the item's writer named them; empty: those of the store.
        vectors: By the number of the model that made them; see `model_number`. Of two while one follows the other.
    """

    terms: Sequence[bytes]
    labels: bytes = b""
    fields: bytes = b""
    vectors: Mapping[int, Vectors] = MappingProxyType({})


def model_number(name: str) -> int:
    """Return the number under which vectors of a model are kept: those of different numbers are never compared."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8, person=b"store-model").digest(), "little")


def terms_of(texts: Iterable[str]) -> list[bytes]:
    """Return the terms of texts."""
    return [encode_terms(words_of(text)) for text in texts]


def joined(vectors: Sequence[bytes]) -> Vectors:
    """Return the vectors of the texts of one item, of which there are some."""
    return Vectors(len(vectors[0]) // _FLOAT_BYTES, b"".join(vectors))


def pack_texts(texts: Texts) -> bytes:
    """Return what an item is found by as stored."""
    head = _HEAD.pack(len(texts.terms), len(texts.vectors), len(texts.labels) // LABEL_BYTES, len(texts.fields))
    models = [_MODEL.pack(model, it.dim) for model, it in texts.vectors.items()]
    sizes = struct.pack(f"<{len(texts.terms)}I", *map(len, texts.terms))
    vectors = [it.data for it in texts.vectors.values()]
    return b"".join([head, *models, sizes, texts.labels, texts.fields, *texts.terms, *vectors])


def unpack_texts(data: bytes) -> Texts:
    """Return what `pack_texts` packed.

    Raises:
        IntegrityError: The bytes are nothing of the kind.
    """
    try:
        return _unpacked(data)
    except (struct.error, TypeError, ValueError) as error:
        raise IntegrityError(_MALFORMED) from error


def _unpacked(data: bytes) -> Texts:
    count, models, labels, field_bytes = _HEAD.unpack_from(data)
    at = _HEAD.size + models * _MODEL.size
    dims = dict(_MODEL.iter_unpack(data[_HEAD.size : at]))
    sizes = struct.unpack_from(f"<{count}I", data, at)
    lengths = [labels * LABEL_BYTES, field_bytes, *sizes, *(count * dim * _FLOAT_BYTES for dim in dims.values())]
    pieces = list(_cut(data, at + 4 * count, lengths))
    if any(size % TERM_BYTES for size in sizes) or len(dims) != models:
        raise ValueError
    vectors = {model: Vectors(dim, it) for (model, dim), it in zip(dims.items(), pieces[2 + count :], strict=True)}
    return Texts(pieces[2 : 2 + count], pieces[0], pieces[1], vectors)


def _cut(data: bytes, at: int, lengths: Iterable[int]) -> Iterator[bytes]:
    for length in lengths:
        yield data[at : at + length]
        at += length
    if at != len(data):
        raise ValueError


_MALFORMED: Final = "the stored terms of an item are malformed; run reindex() of the store, or put the item again"
