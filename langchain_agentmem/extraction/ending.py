"""Ways of saying that something is over: sold, dead, left; the write policy finds out what was remembered of it."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem.extraction.clauses import Clause
from langchain_agentmem.extraction.rulebook import Draft
from langchain_agentmem.extraction.voice import Voice
from langchain_agentmem.policies.endings import ending_in

_NOT_SO: Final = re.compile(
    r"\b(?:if|whenever|would|could|might|whether|unless|until|hop(?:e|ed|ing)|wish|want|dream(?:ed|t)?|suppose|imagine|afraid"
    r"|worr(?:y|ied)|(?<!to )(?:says?|tells?)|said|told|claims?|heard|thinks?|thought|rumou?r|pretend|almost|nearly)\b",
    re.IGNORECASE,
)
"""Before what is said to be over, such words say that it may not be."""

_LEAD: Final = re.compile(
    r"(?:sadly|unfortunately|tragically|luckily|finally|(?P<when>yesterday|today|last (?:night|week|month|year|\w+day)"
    r"|this (?:morning|week|month|year)|on \w+day)),? (?=\w)",
    re.IGNORECASE,
)
"""What may stand before it; when it was, is said behind it."""

_CIRCUMSTANCE: Final = re.compile(r"(?:when|after|before|as|since|because|once)\b", re.IGNORECASE)
"""So begins what tells at what time, or why, something came to be over."""

_OF_TWO: Final = re.compile(r"I\b.*\b(?:broke|split) up\b", re.IGNORECASE)


def ended(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a clause says to be over, or `None`; what was told of both is told of the user with the other."""
    ahead = clause.since.partition(clause.text)[0] if clause.text in clause.since else ""
    if clause.is_ironic or clause.speaker != "user" or _NOT_SO.search(ahead):
        return None
    text = _in_order(_behind(clause))
    other = clause.other
    if not other and _OF_TWO.match(text) and " with " not in text:  # nobody breaks up alone
        return None
    if ending_in(f"{other} and {text}" if other else text) is None:
        return None
    return Draft(kind="fact", content=voice.retell(_of_both(text, other)), is_correction=True)


def _behind(clause: Clause) -> str:
    """Return a clause with what stood before it behind it: "When I moved to Kiel, I sold my car"."""
    if _CIRCUMSTANCE.match(clause.setting) is None:
        return clause.whole
    return f"{clause.text} {clause.setting[:1].lower()}{clause.setting[1:].rstrip(' ,')}"


def _in_order(text: str) -> str:
    """Return a sentence with its day at the end: "yesterday my dog died"."""
    lead = _LEAD.match(text)
    if lead is None:
        return text
    when = (lead["when"] or "").casefold()
    return f"{text[lead.end() :]} {when}".strip()


def _of_both(text: str, other: str) -> str:
    if not other:
        return text
    link = "with" if _OF_TWO.match(text) else "from"
    whom = other if other.partition(" ")[0].casefold() not in {"my", "our"} else f"{other[:1].lower()}{other[1:]}"
    return f"{text} {link} {whom}"
