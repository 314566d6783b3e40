"""How records look at a prompt and in logs: in a line or two, and without a word of a user's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime
from typing import Any, Final

_FILLING: Final = 60
"""Characters of one value: of what takes more, a text is cut, and a record has its id."""

_FEW: Final = 30
"""Characters of several: what takes more is counted."""


def briefly(*always: str) -> Callable[[Any], str]:
    """Return a `__repr__` for a dataclass: fields that are as they are by default are left out, unless named here.

    Fields with `repr=False`, which hold words, are never shown.
    """

    def shown(record: Any) -> str:  # noqa: ANN401  (a dataclass)
        told = (
            f"{it.name}={_told(getattr(record, it.name))}"
            for it in fields(record)
            if it.repr and (it.name in always or not _is_usual(it, getattr(record, it.name)))
        )
        return f"{type(record).__name__}({', '.join(told)})"

    return shown


def _is_usual(field: Field[Any], value: object) -> bool:
    usual = field.default if field.default_factory is MISSING else field.default_factory()
    return usual is not MISSING and bool(value == usual)


def _told(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (tuple, list, Mapping)):
        return _told_of_many(value)
    text = repr(value)
    if len(text) <= _FILLING:
        return text
    if isinstance(value, str):
        return f"{text[:_FILLING]}…"
    named = getattr(value, "id", None)
    return f"{type(value).__name__}({'' if named is None else f'id={named!r}, '}…)"


def _told_of_many(values: Collection[Any]) -> str:
    """Return a few plain values as they are, and of others how many there are."""
    items = [*values.keys(), *values.values()] if isinstance(values, Mapping) else values
    is_plain = 0 < len(values) <= _FEW and all(it is None or isinstance(it, (str, int, float)) for it in items)
    text = repr(values) if is_plain else ""
    return text if 0 < len(text) <= _FEW else str(len(values))
