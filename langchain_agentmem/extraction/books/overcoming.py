"""Ways of saying that what ailed one is over: "my cat allergy is gone"; the conflict policy ends what it was."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.overcome import GONE_FROM, OUTGREW, OVER
from langchain_agentmem.extraction.books.rulebook import Rule, rule

OVERCOME: Final[tuple[Rule, ...]] = (rule(OVER, "fact", lasts=True, corrects=True),)

_OUTGREW: Final = lazy_pattern(OUTGREW, re.IGNORECASE)
_GONE_FROM: Final = lazy_pattern(GONE_FROM, re.IGNORECASE)
_ONE: Final = lazy_pattern(r"(?:(?!allerg)[\w-]+ )?(?:allergy|intolerance|phobia|stutter|addiction)\b", re.IGNORECASE)


def outgrown(said: str) -> str:
    """Return what somebody no longer has, where a clause behind them says so in other words.

    Example:
        >>> outgrown("has outgrown his milk allergy"), outgrown("is vegan")
        ('no longer has a milk allergy', 'is vegan')
    """
    found = _OUTGREW.fullmatch(said)
    return said if found is None else _no_longer(found["said"])


def gone_from(text: str) -> str:
    """Return a clause about what is gone from somebody as one about them: "Max no longer has asthma"."""
    found = _GONE_FROM.fullmatch(text)
    return text if found is None else f"{found['who']} {_no_longer(found['said'])}"


def _no_longer(what: str) -> str:
    return f"no longer has {'a ' if _ONE.match(what) else ''}{what}"
