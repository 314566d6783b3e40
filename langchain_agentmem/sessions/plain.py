"""Any value as plain JSON data, and back as far as that is safe: data is constructed, never a class by its name."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from uuid import UUID

from langchain_core.documents import Document
from pydantic import BaseModel

MARK: Final = "agentmem:type"
"""The one key of an object that stands for something JSON has no word for: `{"agentmem:type": [name, form]}`."""

MAX_REPR_CHARS: Final = 1_000
"""Enough to recognise an object by; an artifact of any size may hide behind it."""

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_MICROSECOND: Final = timedelta(microseconds=1)

_FORMS: Final[Mapping[type, tuple[str, Callable[[Any], Any]]]] = MappingProxyType(
    {
        tuple: ("tuple", list),
        set: ("set", list),
        frozenset: ("frozenset", list),
        bytes: ("bytes", lambda value: base64.b64encode(value).decode()),
        datetime: ("datetime", lambda value: [value.isoformat(), value.fold]),
        date: ("date", date.isoformat),
        time: ("time", lambda value: [value.isoformat(), value.fold]),
        timedelta: ("timedelta", lambda value: value // _MICROSECOND),
        UUID: ("uuid", str),
        Decimal: ("decimal", str),
        Document: ("document", lambda value: [value.page_content, value.metadata, value.id]),
    }
)


def _hashable(value: Any) -> Any:  # noqa: ANN401  (any item of a set, or key)
    """Return what an item of a set or a key became as something that can be one again."""
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple((_hashable(key), _hashable(item)) for key, item in value.items())
    if isinstance(value, set):
        return frozenset(value)
    try:
        hash(value)
    except TypeError:
        return _repr(value)
    return value


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "dict": lambda form: {_hashable(key): item for key, item in form},
        "tuple": tuple,
        "set": lambda form: set(map(_hashable, form)),
        "frozenset": lambda form: frozenset(map(_hashable, form)),
        "bytes": base64.b64decode,
        "datetime": lambda form: datetime.fromisoformat(form[0]).replace(fold=form[1]),
        "date": date.fromisoformat,
        "time": lambda form: time.fromisoformat(form[0]).replace(fold=form[1]),
        "timedelta": lambda form: form * _MICROSECOND,
        "uuid": UUID,
        "decimal": Decimal,
        "document": lambda form: Document(page_content=form[0], metadata=form[1], id=form[2]),
    }
)


def to_plain(value: Any) -> Plain:  # noqa: ANN401  (anything can stand in an artifact)
    """Return `value` as JSON data; what JSON knows stays as it is.

    Raises:
        RecursionError: It is nested too deeply, or within itself.
    """
    kind = type(value)
    if kind in _PLAIN:
        plain: Plain = value
        return plain
    if kind is list:
        return [to_plain(item) for item in value]
    if kind is dict:
        return _plain_dict(value)
    try:
        name, data = _form_of(value, kind)
    except (RecursionError, MemoryError):
        raise
    except Exception:  # noqa: BLE001  (an object's own code may raise anything; its message must not be lost for it)
        return to_plain(_not_stored(value))
    return to_plain(data) if name is None else {MARK: [name, to_plain(data)]}


def from_plain(form: dict[str, Any]) -> object:
    """Return what an object of JSON stands for; meant as `object_hook`, which sees inner objects first.

    Raises:
        KeyError: It is marked, but as nothing that is known.
    """
    if MARK not in form:
        return form
    name, inner = form[MARK]
    return _READERS[name](inner)


def _form_of(value: object, kind: type) -> tuple[str | None, object]:
    """Return the name of a type that JSON has no word for, with its form; of any other class no name and its data."""
    if kind in _FORMS:
        name, form = _FORMS[kind]
        return name, form(value)
    return None, _data_of(value)


def _plain_dict(value: Mapping[Any, Any]) -> dict[str, Plain]:
    if MARK not in value and all(type(key) is str for key in value):
        return {key: to_plain(item) for key, item in value.items()}
    return {MARK: ["dict", [[to_plain(key), to_plain(item)] for key, item in value.items()]]}


def _data_of(value: object) -> object:
    """Return the plain data that stands for an object of any other class."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, BaseModel):
        return {**vars(value), **(value.model_extra or {})}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str | int | float):
        return next(base(value) for base in (str, int, float) if isinstance(value, base))
    return _items_of(value)


def _items_of(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, Sequence | AbstractSet):
        return list(value)
    to_list = getattr(type(value), "tolist", None)  # arrays and tensors
    if callable(to_list):
        listed: object = to_list(value)
        return listed
    return _not_stored(value)


def _not_stored(value: object) -> dict[str, str]:
    return {"not_stored": f"{type(value).__module__}.{type(value).__qualname__}", "repr": _repr(value)}


def _repr(value: object) -> str:
    try:
        return repr(value)[:MAX_REPR_CHARS]
    except Exception as error:  # noqa: BLE001  (a class may raise anything; its message must not be lost for it)
        return f"<its repr raised {type(error).__name__}>"
