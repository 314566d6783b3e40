"""Who was something and is it no more: "I resigned as treasurer" ends "I am the treasurer of the club". English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.people.beings import THEIRS, WHO

_ARTICLE: Final = rf"(?:(?:an?|the|{THEIRS}) )?"
_ROLE: Final = (
    rf"{_ARTICLE}(?P<role>(?!(?:soon|well|much|far|long|it|that|this|expected|planned|usual|always|he|she|they|I|if"
    r"|though|such)\b)(?:[\w'-]+ ){0,2}?[\w'-]+?(?: of (?:the |my |their |our )?[\w' -]{2,40}?)?)"
)
_RESIGNED: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:resigned|stepped (?:down|back|aside)|stood down|retired|(?:was|were) (?:dismissed|removed"
        rf"|replaced|voted out))(?: from (?:my|their|the) (?:role|post|position|job))? as {_ROLE}{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}(?:gave up|given up|quit|stopped) being {_ROLE}{PLAIN_TAIL}"),
)
_IS: Final = any_case(
    rf"{WHO} (?:(?:is|am) (?:(?:now|currently|still|also) )*|works? as ){_ARTICLE}"
    r"(?P<role>[\w' -]{2,80})"
)
_PLACE: Final = lazy_pattern(r" (?:of|at|in|for|with|on)\b.*", re.IGNORECASE)


def _of_role(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that the user is it; of two that may be meant, none."""
    wanted = found["role"].casefold()
    told = {place: it["role"].casefold() for place, it in told_by(_IS, known).items()}
    same = {place: it for place, it in told.items() if _without_the(it) == _without_the(wanted)}
    if not same and _PLACE.search(wanted) is None:
        same = {place: it for place, it in told.items() if _PLACE.sub("", it) == wanted}
    return list(same) if len(set(same.values())) == 1 else []


def _without_the(role: str) -> str:
    return re.sub(r"\b(?:the|my|our|their) ", "", role)


ROLES_LEFT: Final = (Ends(_of_role, _RESIGNED),)
