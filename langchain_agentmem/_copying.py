"""Frozen records that hold read-only mappings, which Python can neither copy nor pickle by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeAlias

Remake: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""What `__reduce__` returns."""


def reduced(record: Any) -> Remake:  # noqa: ANN401  (any dataclass)
    """Return how a record is made anew: for its `__reduce__`."""
    values = {it.name: getattr(record, it.name) for it in fields(record)}
    held = tuple(name for name, value in values.items() if isinstance(value, MappingProxyType))
    return _remade, (type(record), values | {name: dict(values[name]) for name in held}, held)


def _remade(kind: Callable[..., Any], values: Mapping[str, Any], held: Collection[str]) -> Any:  # noqa: ANN401  (as above)
    return kind(**{name: MappingProxyType(value) if name in held else value for name, value in values.items()})
