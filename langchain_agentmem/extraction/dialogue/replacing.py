"""A change that is told with what came of it: "I changed supplier, it's Bestway now", "I got a new van, a Vivaro"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.by_now import MANY
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITAL_OR_DIGIT
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.ellipses import tells_of_somebody

_JUST: Final = r"(?:(?:just|finally|recently|also|now) ){0,2}"
_WHO: Final = rf"(?P<who>I|we)(?:['\u2019]ve| have)? {_JUST}"
_NO_ONE: Final = (
    rf"(?!(?:[\w-]+ )?(?:{MANY}|train|plane|flight|bus|lane|gear|side|focus|attention|career|topic|tab|channel|seat"
    r"|place|mind|table|branch|subject|clothes|bit|few|lot|one)(?:e?s)?\b)"
)
_NO_THING: Final = (
    r"(?!(?:from|to|over|back|away|off|out|on|in|up|across|around|straight|all|it|them|this|that|us|me|everything"
    r"|everyone|things|again|instead|now|once|twice|[a-z]{3,}ly)\b)"
)
"""What is no noun behind "I switched": from what, or how."""

_WORD: Final = rf"{_NO_THING}(?-i:[a-z][a-z-]+)"
_WHAT: Final = rf"(?:my |our )?{_NO_ONE}(?P<what>{_WORD}(?: {_WORD})?)"
_IS: Final = (
    r"(?P<is>(?!\w+day\b)(?:(?:an?|the) )?(?:(?:Dr|Mrs?|Ms|Prof)\.? )?"
    rf"{CAPITAL}[\w'&.-]*(?: {CAPITAL_OR_DIGIT}[\w'&.-]*){{0,3}})"
)
_TAIL: Final = r"(?: now)?[.! ]*"
_BREAK: Final = r"(?: ?[,;.:-]+| and| so)(?: and| so)? "
_CHANGED: Final = (
    lazy_pattern(
        rf"{_WHO}(?:changed|switched) {_WHAT}{_BREAK}(?:it['\u2019]s|it is|(?:he|she)['\u2019]s|now it['\u2019]s"
        rf"|(?:my|our) new one is|(?:I|we)['\u2019](?:m|re) with)(?: now)?(?: called)? {_IS}{_TAIL}",
        re.IGNORECASE,
    ),
    lazy_pattern(rf"{_WHO}(?:changed|switched) {_WHAT} to {_IS}{_TAIL}", re.IGNORECASE),
    lazy_pattern(
        rf"(?:{_WHO}(?:got|have got|have|bought|hired)|(?P<we>we)['\u2019]ve|(?P<i>I)['\u2019]ve) an? (?:\w+ )?new"
        rf" {_WHAT}(?:,|:| called| named|, called|, it['\u2019]s|, (?:his|her) name is) {_IS}{_TAIL}",
        re.IGNORECASE,
    ),
)


_THE_NEW: Final = lazy_pattern(
    r"the new (?P<what>boss|manager|supervisor|landlord|landlady|flatmate|housemate|roommate|therapist|dentist|cleaner)"
    rf" (?:is|['\u2019]s)(?: now)?(?: called| named)? {_IS}{_TAIL}",
    re.IGNORECASE,
)
"""Of whom one has one, and it is one's own: "the new boss is called Femi"."""


def new_one(clause: Clause) -> Clause:
    """Return a clause that tells what came in the place of something as what the new one is.

    Example:
        >>> new_one(Clause(text="I changed supplier, it's Bestway now", evidence="")).text
        'my new supplier is Bestway'
    """
    if clause.speaker != "user" or clause.is_ironic or not clause.text:
        return clause
    own = _THE_NEW.fullmatch(clause.text.strip())
    if own is not None and not tells_of_somebody(clause.before):
        return replace(clause, text=f"my new {own['what']} is {own['is']}", is_replacing=True)
    behind = clause.since.partition(clause.text)[0]
    for text in (clause.text, f"{behind[-80:]}{clause.text}"):
        found = next((it for it in (each.fullmatch(text.strip()) for each in _CHANGED) if it), None)
        if found is not None:
            whose = "our" if (found["who"] or found.groupdict().get("we") or "I").casefold() == "we" else "my"
            evidence = clause.evidence if text == clause.text else clause.since
            said = f"{whose} new {_one(found['what'])} is {found['is']}"
            return replace(clause, text=said, evidence=evidence, is_replacing=True)
    return clause


def _one(what: str) -> str:
    """Return a noun as of one: "dentists" that were switched are one dentist now."""
    if what.endswith("ies"):
        return f"{what[:-3]}y"
    if what.endswith(("ches", "shes", "xes", "sses")):
        return what[:-2]
    return what[:-1] if what.endswith("s") and not what.endswith(("ss", "us", "is")) else what
