"""What a value holds, spelled out: a `repr` may hide what users said, and so cannot show that it is absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel


def spelled(*values: object) -> str:
    """Return all that values hold, down to the last field and item, as text to search in."""
    return repr([_plain(it) for it in values])


def _plain(value: Any) -> Any:  # noqa: ANN401  (whatever a test has)
    if isinstance(value, BaseModel):
        return _plain(dict(value) | (value.model_extra or {}))
    if is_dataclass(value) and not isinstance(value, type):
        return [(it.name, _plain(getattr(value, it.name))) for it in fields(value)]
    if isinstance(value, Mapping):
        return [(_plain(key), _plain(it)) for key, it in value.items()]
    if isinstance(value, (Sequence, AbstractSet)) and not isinstance(value, (str, bytes, bytearray)):
        return [_plain(it) for it in value]
    return value
