"""Who left the place that they held at work: "Tessa left the company", "Moira has retired". English.

Ends that the user's cofounder is Tessa, or their secretary Moira: friends and kin stay so wherever they
work. "My boss quit" ends who the boss is, of whom one has one at a time, and not where the user works.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import AT_LAST, NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.people.beings import NAME, OWNER
from langchain_agentmem.english.words.kin_words import any_of
from langchain_agentmem.english.words.patterns import TITLE
from langchain_agentmem.english.words.people_words import LONE_BY_NOW, people_of

_TITLED: Final = rf"{TITLE}?{NAME}"
_ROLE: Final = (
    rf"(?:(?:[\w-]+ )?(?:{any_of(people_of('work', 'care', 'service', 'study'))}|lead|au pair|contact|designer"
    r"|developer|engineer|receptionist|foreman|editor|agent|director|cto|ceo|cfo|coo|owner))"
)
_WHO: Final = rf"(?:(?P<name>{_TITLED})|{OWNER} {_ROLE},? (?P<named>{_TITLED}),?)"
_PLACE: Final = (
    r"(?:the (?:company|firm|business|practice|team|startup|surgery|clinic|school|job|project)|us"
    r"|our (?:company|firm|team)|the user(?:'s (?:team|group|family|company|firm|startup))?)"
)
_HAS_GONE: Final = (
    rf"{NEWS}(?:retired|resigned|quit|(?:was|got|has been) (?:fired|sacked|laid off|let go|made redundant)"
    rf"|left {_PLACE}|quit {_PLACE}|(?:quit|left|lost) (?:his|her|their) job|handed in (?:his|her|their) notice"
    rf"|left{AT_LAST}){PLAIN_TAIL}"
)
_LONE_GONE: Final = (any_case(rf"{OWNER} (?P<role>{any_of(LONE_BY_NOW)}) {_HAS_GONE}"),)
_GONE: Final = (
    any_case(rf"{_WHO} {_HAS_GONE}"),
    any_case(
        rf"{_WHO} (?:no longer works|(?:doesn't|does not) work) (?:with|for|at) {_PLACE}(?: any ?more)?{PLAIN_TAIL}"
    ),
)
_HOLDS: Final = any_case(
    rf"(?:{OWNER} (?:new )?(?P<role>{_ROLE})(?:'s name)? is (?:now )?(?:called |named )?(?P<is>{_TITLED})(?: now)?"
    rf"|(?P<by>{_TITLED}) is {OWNER} (?:new )?(?P<as>{_ROLE})(?: now)?)[.! ]*"
)


def _of_holder(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who it was that holds the place no more."""
    name = _bare(found["name"] or found["named"])
    return [place for place, it in told_by(_HOLDS, known).items() if _bare(it["is"] or it["by"]) == name]


def _of_lone_holder(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who it was, where only one is known to be it."""
    role = found["role"].casefold()
    told = told_by(_HOLDS, known).items()
    same = {place: _bare(it["is"] or it["by"]) for place, it in told if (it["role"] or it["as"]).casefold() == role}
    return list(same) if len(set(same.values())) == 1 else []


def _bare(name: str) -> str:
    return name.casefold().replace(".", "")


HOLDERS_GONE: Final = (
    Ends(_of_holder, _GONE, is_passing=True),
    Ends(_of_lone_holder, _LONE_GONE, is_passing=True),
)
"""Sentences that say so, and what they end of all that is remembered."""
