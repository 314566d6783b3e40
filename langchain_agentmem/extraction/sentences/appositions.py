"""What else one says to be in one breath: "I'm Gil, a 34 year old nurse", "I'm 34, vegan and from Leeds"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL, LINKED, PLAIN_CAPITALIZED
from langchain_agentmem.extraction.record.conversation import SKIPPED
from langchain_agentmem.extraction.words.lexicon import DIET, OCCUPATION, STATUS

_ITS_OWN: Final = (
    r"(?!\s+(?:(?:is|was|has|had|does|did|will|would|can|could|says?|said|tells|told|thinks|thought|knows|knew|found|wrote"
    r"|gave|got|made|took|ran|means|meant)(?:n't)?|\w+ed(?!\s+(?:at|in|by|as|on|with|to)\b))\b)"
)
"""Behind an occupation: no verb, with which it would be the subject of a clause of its own: "the doctor checked"."""

_AGED: Final = r"\d{1,3}[- ]years?[- ]old"
_JOB: Final = rf"(?:[\w/-]+\s+){{0,2}}?{OCCUPATION}\b{_ITS_OWN}"
_AM: Final = lazy_pattern(r"I'm\b|I am\b", re.IGNORECASE)
_ELIDED: Final = lazy_pattern(
    rf",?\s+and\s+(?=(?:an? (?!few\b|lot\b|bit\b|(?:half|quarter|third)\b(?! {CAPITAL}))|allergic"
    r"|vegetarian|vegan|married|from|based|originally|single|retired|left-handed|fluent)\b)"
    r"|(?<![\d,])(?:,(?:\s+and)?|\s+and)\s+(?=\d{2}(?: years old)?\s*(?:$|,|and\b))"
    r"|(?:(?<=, \d\d)|(?<=I'm \d\d)|(?<=I am \d\d)|(?<=years old)),\s+"
    r"(?=(?:originally )?from [\w'-]+(?: [\w'-]+)?\s*(?:$|,|and\b))"
    rf"|,\s+(?=(?:{DIET}|{STATUS})\s*(?:$|,|and\b)|(?!(?:the|my|our|his|her|your|their)\s)(?:an?\s+)?{_JOB}"
    rf"|an?\s+{_AGED}\b)",
    re.IGNORECASE,
)
_BY_NAME: Final = lazy_pattern(
    rf"(?:I'm|I am)\s+{PLAIN_CAPITALIZED}(?: {LINKED}{CAPITAL}[\w'.-]+){{0,2}}(?P<joint>,\s+)"
    rf"(?=an?\s+(?!bit\b|little\b|few\b|lot\b)|from {CAPITAL}[\w'-]*(?: {CAPITAL}[\w'-]*)?\s*(?:$|,|and\b))",
    re.IGNORECASE,
)
"""Behind a name anything may stand that one is: "I'm Gil, a keen gardener"."""

_OF_AGE: Final = lazy_pattern(
    rf"\b(?P<article>an?)\s+{_AGED}(?P<joint>\s+)(?={_JOB}|(?:[\w/-]+\s+){{0,2}}?[a-z]{{3,}}(?:er|or|ist|ian|eer)\b)",
    re.IGNORECASE,
)
"""How old one is and what one does are two things, of which one changes without the other."""


def appositions(text: str, first: int, last: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and the subject to be supplied, for each thing that one says to be; else the clause as it is.

    A subject of which the words stand apart is written as a quotation: "I'm \u2026 a".
    """
    am = _AM.match(text, first, last)
    start, subject = first, ""
    for begin, end, supplied in _joints(text, first, last) if am else ():
        if begin > start:
            yield start, begin, subject
            start, subject = end, f"{text[first : am.end()] if am else ''}{supplied}"
    yield start, last, subject


def _joints(text: str, first: int, last: int) -> list[tuple[int, int, str]]:
    """Return where one thing ends and the next begins, and the article that they share."""
    named = _BY_NAME.match(text, first, last)
    found = [] if named is None else [(*named.span("joint"), "")]
    found += [(*it.span(), "") for it in _ELIDED.finditer(text, first, last)]
    found += [(*it.span("joint"), f"{SKIPPED}{it['article']}") for it in _OF_AGE.finditer(text, first, last)]
    return sorted(set(found))
