"""What of all is not meant: "forget everything but my job", "forget everything, and keep my name"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.attributes import attribute_asked

_SPARED: Final = lazy_pattern(
    r"\b(?:except(?:ing)?|excluding|apart from|besides|other than|save for)\b"
    r"|\bkeep (?:only |just )?(?:my|our|the|that|what|where)\b",
    re.IGNORECASE,
)
_BEFORE: Final = lazy_pattern(rf",| (?={_SPARED.pattern})", re.IGNORECASE)
_ALL_BUT: Final = lazy_pattern(
    r"(?:everything|all),? (?:except(?: for)?|but(?: for)?|apart from|besides) (?P<spared>.+)", re.IGNORECASE
)


def not_all_of(what: str, text: str) -> str | None:
    """Return of what a message means a part only, whichever; `None` where it says nothing of a part.

    Example:
        >>> not_all_of("my memory, except for my job", "Wipe my memory, except for my job.")
        'my memory'
        >>> not_all_of("everything", "Forget everything."), not_all_of("everything", "Forget everything. Keep my job.")
        (None, 'everything')
    """
    whole = _BEFORE.split(what, maxsplit=1)[0]
    return whole if whole != what or _SPARED.search(text) is not None else None


def spares_what_is_known(what: str) -> bool:
    """Whether a phrase is all but what is known of somebody, and so names no file: "everything but my name"."""
    found = _ALL_BUT.fullmatch(what)
    return found is not None and attribute_asked(found["spared"]) is not None
