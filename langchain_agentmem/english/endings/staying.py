"""A move that was decided against: who stays is moving nowhere. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import PLAIN_TAIL, Ends, any_case

_WHOSE: Final = r"(?P<whose>[\w'-]{1,30}(?: [\w'-]{1,30}){0,3}?)"
_WHERE: Final = (
    r"(?: (?:away|house|home|out|abroad))?"
    r"(?: to (?P<to>[\w'-]{1,30}(?: (?!after\b|any)[\w'-]{1,30}){0,3}?))?"
)
_AT_LAST: Final = r"(?: after all| any ?more| any longer)"
_STAYS: Final = (
    any_case(
        rf"{_WHOSE} (?:(?:have|has|'ve) )?(?:(?:now|just|both|finally) )?decided (?:not to (?:move|relocate)"
        rf"|against (?:moving|relocating)){_WHERE}{_AT_LAST}?{PLAIN_TAIL}"
    ),
    any_case(rf"{_WHOSE} (?:is|am|are) (?:not|no longer) (?:moving|relocating){_WHERE}{_AT_LAST}{PLAIN_TAIL}"),
)
_MOVES: Final = any_case(
    rf"{_WHOSE} (?:is|are) (?:(?:also|now|still|currently) )?(?:(?:going|planning|hoping) to (?:move|relocate)"
    r"|moving|relocating)(?: (?:away|house|home|out|abroad|back))?(?: to (?P<to>.+)|(?= in| next| soon|$).*)"
)
_SELF: Final = frozenset({"the user", "user", "i", "i've", "we", "we've", "the user's family", "user's family"})


def _of_move(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the move that is told of the same, to that place; of several, where none is named, none."""
    told = {place: it for place, text in enumerate(known) if (it := _MOVES.fullmatch(text)) is not None}
    own = {place: it for place, it in told.items() if _whose(it) == _whose(found)}
    to = (found["to"] or "").casefold()
    if to:
        return [place for place, it in own.items() if (it["to"] or "").casefold().startswith(to)]
    return list(own) if len(own) == 1 else []


def _whose(found: re.Match[str]) -> str:
    whose = found["whose"].casefold()
    return "" if whose in _SELF else whose


STAYING: Final = (Ends(_of_move, _STAYS),)
"""Sentences that say that somebody moves nowhere, and what they end of all that is remembered."""
