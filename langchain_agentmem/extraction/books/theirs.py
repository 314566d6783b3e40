"""What is whose, of the people around the user: "Ruby's birthday is 3 June", "my son's teacher is Ms Byrne"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.relations import canonical_role
from langchain_agentmem.english.words.calendar_words import MONTH
from langchain_agentmem.english.words.patterns import CAPITAL, LINKED
from langchain_agentmem.extraction.books.people import (
    NAME,
    NO_NAMES,
    ROLE,
    SUBJECT,
    WHICH,
    fact_of,
    person_of,
    read,
    role_told,
)
from langchain_agentmem.extraction.record.quarantine import MASK
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.types import Candidate

_DAY: Final = (
    rf"(?:(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?{MONTH}(?: the)?(?: \d{{1,2}}(?:st|nd|rd|th)?)?)(?![\w:])"
)
_CARES: Final = (
    r"(?:(?:class|form|head|key|social|nursery|school) (?:teacher|tutor|worker)|gp|consultant|specialist|surgeon|nurse"
    r"|carer|key ?worker|child ?minder|nanny|au pair|head ?teacher|health visitor|solicitor|physio)"
)
_SCHOOL: Final = (
    r"(?:(?:new|old|primary|secondary|high|middle) ){0,2}"
    r"(?:school|nursery|preschool|kindergarten|college|university|uni)"
)
_TITLED: Final = rf"{CAPITAL}[\w'.-]*(?: (?:(?:of|the|and) ){{0,2}}{LINKED}{CAPITAL}[\w'.-]*){{0,4}}"
_BY_NOW: Final = r"(?: (?:now|actually|currently))?"
_TAIL: Final = r"(?:,? (?:so|and|but|when|who|since|because|from|which)\b.*|, .*)?"
_THEIRS: Final = lazy_pattern(
    rf"(?:(?:and|but) )?(?P<who>(?:my|our) [^,]{{2,60}}?|{NAME})'s "
    rf"(?:(?:birthday|bday) (?:is|falls){_BY_NOW} (?P<on>(?:(?:on|in) )?(?P<day>{_DAY}))"
    rf"|(?P<which>{WHICH})(?P<role>{_CARES}|{ROLE})(?:'s name)? is{_BY_NOW}"
    rf"(?: called| named)? (?P<name>{NAME}(?: now)?)"
    rf"|(?P<school>{_SCHOOL}) is{_BY_NOW}(?: called| named)? (?P<titled>{_TITLED}(?: now)?)){_TAIL}",
    re.IGNORECASE,
)


def of_theirs(clause: Clause, known: frozenset[str]) -> Iterator[Candidate]:
    """Yield what a clause says of somebody's birthday, school, or of who somebody is to them.

    Args:
        clause: As it was said.
        known: Names of people who were introduced, in small letters.
    """
    text = read(clause)
    found = _THEIRS.fullmatch(text)
    whose = None if found is None else SUBJECT.fullmatch(f"{found['who']} ")
    if found is None or whose is None or clause.setting or clause.is_ironic or MASK in text:
        return
    person = person_of(whose, known)
    if not person.is_close or (found["name"] or "").casefold() in NO_NAMES:
        return
    yield from [role_told(clause, whose, whose["apposed"])] if whose["apposed"] else []
    yield fact_of(clause, f"{person.shown}'s {_said(found)}", (person.name, *_related(found)))


def owner_told_of(text: str) -> str | None:
    """Return the name of whose birthday, school or teacher a clause tells.

    Example:
        >>> owner_told_of("Ruby's teacher is Ms Byrne"), owner_told_of("My son's teacher is Ms Byrne")
        ('Ruby', None)
    """
    found = _THEIRS.fullmatch(text)
    whose = None if found is None else SUBJECT.fullmatch(f"{found['who']} ")
    return None if whose is None else whose["name"]


def _said(found: re.Match[str]) -> str:
    """Return what somebody has, and what it is: "birthday is on 3 June"."""
    if found["day"]:
        return f"birthday is {found['on']}"
    return f"{found['which'] or ''}{found['role'] or found['school']} is {found['name'] or found['titled']}"


def _related(found: re.Match[str]) -> tuple[str | None, str | None]:
    """Return how the one is related to the other, where a relation is meant that has a name."""
    if found["day"]:
        return "birthday", found["day"]
    if found["role"]:
        return canonical_role(found["role"]), found["name"].removesuffix(" now")
    return None, None
