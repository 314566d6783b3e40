"""Orders that are standing by what they order: in which units, in which language, at which time of the day."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem.extraction.clauses import Clause
from langchain_agentmem.extraction.instructions import ORDER
from langchain_agentmem.extraction.rulebook import Draft
from langchain_agentmem.extraction.voice import Voice
from langchain_agentmem.policies.orders import LANGUAGES, RECURRING, UNITS

_MARK: Final = (
    r"(?:always|from now on|going forward|in (?:the )?future|by default|at all times|henceforth|from (?:today|here) on)"
)
_LEAD: Final = rf"(?:(?:please|kindly|just|only|now|then|let's|let us|you should|{_MARK}),? )*"
_SAID_OF: Final = (
    r"(?:(?:in|for|with) (?:all |your |my |our )*(?:answers|replies|responses|messages|measurements|temperatures"
    r"|distances|weights|prices|units|everything)|everywhere|when (?:you )?(?:talk|talking|speak|speaking|write|writing"
    r"|reply|replying|answer|answering)(?: (?:to|with))?(?: me| us)?)"
)
_LANGUAGE: Final = rf"(?:(?-i:Polish)|(?!polish\b)(?:{LANGUAGES}))"
_UNIT: Final = (
    rf"(?:the )?(?:degrees )?(?:{UNITS})(?: and (?:{UNITS}))?"
    r"(?: (?:units?|system|measurements?|measures|time|format|clock|scale))?"
)
_TAIL: Final = (
    rf"(?:,? (?:please|thanks|again|instead|only|too|with (?:me|us)|to (?:me|us)|for (?:me|us)|{_MARK}|{_SAID_OF}"
    rf"|(?:and not|not|instead of|rather than) (?:in |to )?(?:{_LANGUAGE}|{_UNIT})))*"
)
_BACK: Final = r"(?:(?:switch|change|go|move)(?: back| over)? to|stick (?:to|with)|default to|keep to)"
_SPOKEN: Final = (
    r"(?:speak|talk)(?: (?:to|with) (?:me|us)| only)*(?: in)?"
    r"|(?:write|answer|reply|respond|communicate|chat|continue)(?: (?:to|with) (?:me|us)| me| us| only)* in"
)
_TIMES: Final = (
    r"(?:in the (?:early |late )?(?:morning|afternoon|evening)s?"
    r"|at (?:night|noon|lunchtime|\d{1,2}(?::\d\d)?(?: ?[ap]m)?|[a-z]+ o'clock)"
    r"|(?:before|after) (?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon|lunch|work|breakfast|dinner)"
    r"|on (?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days)|once an? (?:day|week))"
)
_TO: Final = r"(?:(?:the )?(?:morning|afternoon|evening|night|weekends?|\w+days)|noon|\d{1,2}(?::\d\d)?(?: ?[ap]m)?)"
_STANDING: Final = re.compile(
    rf"{_LEAD}(?:(?:use|{_BACK}) (?:{_UNIT}|{_LANGUAGE})|(?:{_BACK}|use) (?:speaking|using|writing in|talking in) "
    rf"{_LANGUAGE}|(?:{_SPOKEN}) {_LANGUAGE}"
    rf"|(?:send|give|text|e-?mail)(?: me| us)? (?:all )?(?:my |our )?(?:{RECURRING}) (?:only )?{_TIMES}"
    rf"|(?:move|change|switch|shift|set) (?:all )?(?:my |our )(?:{RECURRING}) to {_TO}){_TAIL}",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(rf"\b(?:{_MARK}|only)\b", re.IGNORECASE)

_WISH: Final = re.compile(
    r"(?:please |kindly )+(?:use|stick|default)\b(?!.*\b(?:from now on|by default)\b)", re.IGNORECASE
)
"""A wish, which is a preference like others."""

_POLITE: Final = re.compile(r"\Aplease ", re.IGNORECASE)
"""In front of an order; where it was said behind it, it was put there when the clause was spelled out."""

_ASKING: Final = re.compile(
    rf"\?|(?:^|[,;.!]\s*|\b(?:and|so|then|please|now) )(?!(?:keep|use|call me|stick|be|speak|default|prefer)\b)"
    rf"(?:{ORDER}|find|look|compute|calculate|compare|draft|plan|help|let me know|compose|prepare|read|search|generate"
    r"|what|how|which|who|where|when (?:is|do|did|was)|why|is there|are there)\b",
    re.IGNORECASE,
)
"""Beside what asks for something, how to do it may be said of that alone: "write a poem, use French"."""


def mannered(clause: Clause, voice: Voice) -> Draft | None:
    """Return an order of units, of a language or of the time of reminders, which lasts where nothing limits it."""
    plain = _POLITE.sub("", clause.text)
    text = plain if clause.evidence.casefold().startswith(plain.casefold()) else clause.text
    if clause.is_momentary or clause.setting or _WISH.match(text) or not _STANDING.fullmatch(text):
        return None
    is_marked = _MARKED.search(text) is not None
    if not is_marked and any(map(_ASKING.search, _around(clause))):
        return None
    return Draft(kind="constraint", content=voice.retell(text), is_correction=clause.is_correction)


def _around(clause: Clause) -> tuple[str, ...]:
    """Return what stands before and behind the clause, as far as it belongs to what is said here."""
    before, _, after = clause.since.partition(clause.evidence)
    return clause.before, before.strip(" ,"), after.strip(" ,")
