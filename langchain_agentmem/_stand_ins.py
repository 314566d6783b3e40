"""What stands in the place of a sensitive value: a mark, a token, or a shape of stars."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

DIGEST_LETTERS: Final = 20
"""Of sixteen letters each: 80 bits, so that two of a user's 2^32 values collide with a chance below 10^-4."""

MARK: Final = lazy_pattern(rf"\[[a-z_]{{1,40}}(?:[:#][a-p]{{{DIGEST_LETTERS}}})?\]")
TOKEN: Final = lazy_pattern(rf"\[[a-z_]{{1,40}}:[a-p]{{{DIGEST_LETTERS}}}\]")
_NOBODY: Final = lazy_pattern(
    r"(?:(?:my|our|his|her|their|the user's) (?:[^\W\d_]+ ){1,3})?"
    r"(?:\[[a-z_]{1,40}\]|(?=[^\w\s]{3,200}\s)[^\s*]*\*)",
    re.IGNORECASE,
)
"""Whom a sentence is about where a mark without a digest, or stars, stand for the name."""


def is_stand_in(text: str) -> bool:
    """Whether a text is nothing but what stands in the place of a value: it tells nobody from anybody.

    Example:
        >>> [is_stand_in(it) for it in ("[email]", "****@*.***", "nora@acme.com")]
        [True, True, False]
    """
    plain = text.strip()
    return MARK.fullmatch(plain) is not None or ("*" in plain and not any(map(str.isalnum, plain)))


def is_of_somebody(text: str) -> bool:
    """Whether a statement is about one for whom a mark or stars stand, which are alike for everybody.

    Example:
        >>> [is_of_somebody(it) for it in ("[email] lives in Rome", "My boss ****@*.*** is out", "Mail [email] today")]
        [True, True, False]
    """
    return _NOBODY.match(text.strip()) is not None
