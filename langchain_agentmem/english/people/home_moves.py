"""Who moved, where a user says that "we" did: they too, if they have a home and speak of no group that has offices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.english.words.patterns import CAPITAL, SAINT
from langchain_agentmem.types import Candidate

HOME: Final = "lives_in"
_FAMILY: Final = " ".join(tokenize("user family"))
"""As the subject of a fact."""

_GROUP_MOVED: Final = lazy_pattern(
    r"(?P<who>.+?)'s group (?P<moved>(?:(?:has|have|just|recently|finally|also|now) ){0,3}(?:moved|relocated)"
    rf"(?: back)? (?:from .+? )?to (?P<place>{SAINT}?{CAPITAL}[\w'-]*(?: {CAPITAL}[\w'-]*){{0,3}})(?: .*)?)",
    re.IGNORECASE,
)
_FIRM: Final = lazy_pattern(
    r"\b(?:teams?|compan(?:y|ies)|start-?ups?|business(?:es)?|firms?|offices?|departments?|agenc(?:y|ies)|studios?"
    r"|groups?|colleagues?|co-?workers?|headquarters|hq)\b",
    re.IGNORECASE,
)


def is_group_move(candidate: Candidate) -> bool:
    """Whether a candidate says that a group moved to a place, and not of what sort the group is."""
    return candidate.kind == "fact" and _GROUP_MOVED.fullmatch(candidate.content) is not None


def speaks_of_firm(text: str) -> bool:
    """Whether a text speaks of a team, a company or an office, which may be what moves.

    Example:
        >>> speaks_of_firm("Our office got too small"), speaks_of_firm("Our flat got too small")
        (True, False)
    """
    return _FIRM.search(text) is not None


def with_own_moves(candidates: Sequence[Candidate], known: Sequence[str]) -> Iterator[Candidate]:
    """Yield candidates; the move of a group is the user's own where they live somewhere and are known to have no firm.

    Where only the family is told to live somewhere, it is the family's.

    Args:
        candidates: Told together, in their order.
        known: What is in force of the same user.
    """
    told = [*known]
    for candidate in candidates:
        found = _GROUP_MOVED.fullmatch(candidate.content) if is_group_move(candidate) else None
        whose = None if found is None or any(map(speaks_of_firm, told)) else _at_home(found["who"], told)
        yield candidate if found is None or whose is None else _own(candidate, found, whose)
        told.append(candidate.content)


def _own(candidate: Candidate, found: re.Match[str], whose: str) -> Candidate:
    content = f"{whose} {found['moved']}"
    return replace(candidate, content=content, relation=HOME, object=found["place"], is_correction=True)


def _at_home(who: str, known: Sequence[str]) -> str | None:
    """Return of whom it is known where they live: of the user, or else of their family."""
    name = None if who.casefold() == "the user" else who
    facts = (fact for it in known for fact in parse_statement(it, speaker_name=name).facts)
    at_home = {it.subject for it in facts if it.relation == HOME and it.is_certain}
    return who if "user" in at_home else f"{who}'s family" if _FAMILY in at_home else None
