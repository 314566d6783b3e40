"""Caches whose keys are words of users: each is made here, since an erasure has to empty them all."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

HELD_S: Final = 900.0
"""How long a process that is in use remembers texts, whoever wrote or erased them elsewhere."""

_CACHES: Final[list[Any]] = []
_clock = time.monotonic
_emptied_at = _clock()


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
    global _emptied_at  # noqa: PLW0603  (of this module's caches, which are the process's)
    _emptied_at = _clock()
    for cached in _CACHES:
        cached.cache_clear()
    re.purge()  # patterns are made of names


def forget_old_texts() -> None:
    """Do so where it was not done for long: what others erase of a user of whom nobody asks here any more goes too."""
    if _clock() - _emptied_at > HELD_S:
        forget_texts()
