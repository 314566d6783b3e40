"""Who is not pregnant after all, and is due on no day. English.

It is told of whom it names, and of nobody else: a sister's news leaves the user's own pregnancy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import EXPECTING, IS_DUE, PLAIN_TAIL, Ends, any_case

_WHOSE: Final = r"(?P<whose>[\w'-]{1,30}(?: [\w'-]{1,30}){0,4}?)"
_NOT: Final = any_case(
    rf"{_WHOSE} (?:(?:is|am) (?:not|no longer)|isn't|aren't) (?:actually )?(?:pregnant|expecting)"
    rf"(?: after all| any ?more| any longer)?{PLAIN_TAIL}"
)
_EXPECTS: Final = any_case(
    rf"{_WHOSE}(?: (?:is|am) {EXPECTING}.*"
    rf"| (?:is|am) {IS_DUE}.*|'s (?:baby(?:'s due date)?|due date) is\b.*)"
)


def _of_pregnancy(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    told = ((place, _EXPECTS.fullmatch(it)) for place, it in enumerate(known))
    whose = found["whose"].casefold()
    return [place for place, it in told if it is not None and it["whose"].casefold() == whose]


NOT_EXPECTING: Final = (Ends(_of_pregnancy, (_NOT,)),)
"""Sentences that say that somebody is not pregnant, and what they end of all that is remembered."""
