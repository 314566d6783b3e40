"""Clauses at the end of a sentence that tell of the telling, and nothing of what is told: "as it turns out"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_WHO: Final = r"(?:I|we|he|she|they|you|everyone|people|(?:the )?user|(?:the )?assistant)"
_SO_FAR: Final = r"(?: (?:before|earlier|at first|all along|all these years|for years|back then|once|yesterday|today))?"
_AS: Final = (
    r"as (?:it (?:turns|turned|has turned) out|it (?:seems|happens|happened)"
    rf"|{_WHO}(?:'d|'ve| had| have| has)?(?: (?:always|first|once|already|just|long|previously|wrongly))?"
    r" (?:thought|believed|assumed|feared|suspected|expected|supposed|said|told you|mentioned|wrote|found out"
    rf"|knows?|learn(?:ed|t)|discovered|told the assistant){_SO_FAR})"
)
_IF: Final = (
    r"if (?:you|the assistant) (?:must|really must|really wants? to|wants? to|needs? to|(?:have|has) to) know"
    r"|if (?:I'm|I am|they are) (?:being )?honest|if truth be told"
)
_TO_BE: Final = (
    r"to be (?:(?:quite|more|very|completely|totally|perfectly|really) )?(?:honest|precise|exact|clear|fair|frank"
    r"|specific|sure|certain|accurate|correct)|truth be told|strictly speaking|technically(?: speaking)?"
)
_FOUND: Final = (
    r"it (?:turns|turned) out|(?:as )?(?:it )?turns out|apparently|it seems"
    r"|(?:I|we)(?:'ve| have)?(?: just| now| since)? (?:found out|learn(?:ed|t)|discovered)"
)
_BY: Final = (
    r"according to (?:my|the|our|their) (?:(?:new|latest|last|recent|second|blood|allergy|other) ){0,2}"
    r"(?:doctors?|GP|tests?|results?|scans?|specialist|consultant|nurse|dentist|hospital|lab|pharmacist|vet)"
)
_COMMENT: Final = lazy_pattern(
    rf"(?:,? (?:{_AS}|{_IF}|{_TO_BE})|, (?:{_FOUND})|(?P<by>,? {_BY}))[\s.!]*$", re.IGNORECASE
)
_COMPARES: Final = lazy_pattern(
    r"\b(?:as|so|such|same) (?:[\w'-]+ ){1,4}as\b"
    r"|\b(?:say|said|want|wants|wanted|try|tries|need|needs|use|used) to be\b",
    re.IGNORECASE,
)


_IS_SO: Final = lazy_pattern(r"\b(?:am|is|are|was|have|has|had|not)\b|'[ms]\b|n't\b", re.IGNORECASE)
"""What somebody is or has, who may know best; whatever they do may be done as they are told."""


def without_comment(text: str) -> str:
    """Return a sentence without what only comments on it at its end.

    Example:
        >>> without_comment("I'm not allergic to nuts as I had thought"), without_comment("I'm not as fit as I thought")
        ("I'm not allergic to nuts", "I'm not as fit as I thought")
    """
    found = _COMMENT.search(text)
    told = text if found is None else text[: found.start()]
    if found is None or not told.strip() or _COMPARES.search(text) or (found["by"] and not _IS_SO.search(told)):
        return text
    return told
