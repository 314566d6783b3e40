"""Ways of saying that a standing order ends: what was forbidden is allowed, what was asked for is needed no more."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.endings import ending_in
from langchain_agentmem.english.reading.orders import lift_in, told_of
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice

_NO_MORE: Final = lazy_pattern(
    r"\b(?:now|again|any ?more|any longer|no longer|no more|from now on|going forward|after all)\b"
    r"|^actually\b",
    re.IGNORECASE,
)
_OF_THE_MOMENT: Final = lazy_pattern(
    r"\b(?:it|this|that|them)(?: (?:now|again|any ?more|any longer|from now on))*[.! ]*$", re.IGNORECASE
)
"""What is pointed at was named elsewhere: "you can do it now" allows one deed, once."""

_COURTESY: Final = lazy_pattern(
    r"\b(?:worry|apologi[sz]e|hurry|rush|thank|panic|be (?:sorry|afraid|shy|nervous)|explain yourself|wait|go"
    r"|leave|stay)\b",
    re.IGNORECASE,
)


def lifted(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a clause lifts, or `None`; the write policy finds out which order that ends."""
    text = clause.whole
    told = told_of(text)
    lift = lift_in(text)
    if lift is not None and lift.is_of_thing and (ending_in(text) is not None or clause.speaker != "user"):
        return None
    if told is None or clause.is_momentary or _OF_THE_MOMENT.search(text) or _COURTESY.search(text):
        return None
    if lift is None or not (lift.deed.manner or _NO_MORE.search(text)):
        return None
    return Draft(kind="constraint", content=voice.retell(told), is_correction=clause.is_correction)
