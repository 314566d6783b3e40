"""Caches whose keys are words of users: each is made here, since an erasure has to empty them all."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_CACHES: Final[list[Any]] = []


def of_texts(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that remembers the last results of a function of texts, until `forget_texts`.

    Args:
        maxsize: Results that are remembered.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        cached = lru_cache(maxsize=maxsize)(function)
        _CACHES.append(cached)
        return cast("Callable[P, R]", cached)

    return decorated


def forget_texts() -> None:
    """Drop every text and word that this process remembers from reading; called where an erasure must leave none."""
    for cached in _CACHES:
        cached.cache_clear()
    re.purge()  # patterns are made of names
