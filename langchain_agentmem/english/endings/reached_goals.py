"""Goals that are reached: "passed the driving test" ends the goal of passing it. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.denied_goals import MAX_DENIAL_CHARS, given_up

PASSED: Final = (
    r"(?:passed|aced) (?:all )?(?:my|our|the|his|her|their|an?) (?:[\w'\u2019-]+ ){0,4}?"
    r"(?:(?:driving|driver['\u2019]?s|road|theory|citizenship|language|aptitude|entrance|swimming|fitness|placement"
    r"|proficiency|flight|licen[cs]e) tests?"
    r"|exams?|examinations?|finals?|bar|boards|certifications?|viva)"
)
"""Not any test: those of a programme pass or fail all day."""
RAN: Final = (
    r"(?:finished|completed|ran) (?:my|our|the|his|her|their|an?) (?:[\w'\u2019-]+ ){0,3}?"
    r"(?:half[ -]marathon|marathon|triathlon|ironman|10k|5k)"
)
FINISHED: Final = (
    r"(?:finished|completed|submitted|defended)(?: writing)? (?:my|our|his|her|their) (?:[\w'\u2019-]+ ){0,3}?"
    r"(?:thesis|dissertation|phd|doctorate|degree|master['\u2019]?s|diploma|novel|memoir|manuscript|bootcamp"
    r"|certification|apprenticeship)"
)
ACHIEVED: Final = (
    r"(?:reached|achieved|accomplished|fulfilled) (?:my|our|his|her|their|the) (?:\w+ )?(?:goal|aim|dream|ambition)"
    r" (?:of|to) .+"
)
_GOT: Final = (
    r"(?:got|earned|received|obtained) (?:my|our|his|her|their) (?:[\w'\u2019-]+ ){0,3}?"
    r"(?:licen[cs]e|degree|diploma|certificate|certification|phd|doctorate|citizenship|promotion|black belt)"
    r"|learn(?:ed|t) \w+"
)
_THING: Final = r"(?:house|flat|apartment|job|car|puppy|kitten)"
_FOUND: Final = (
    r"(?:found|got|landed|bought) (?:my|our|his|her|their|an?|the) (?:new |first |own ){0,2}"
    rf"{_THING}"
)
_REST: Final = r"(?: (?:in|on|at|with|today|yesterday|this|last|after|for|of|by|from|now|finally|already)\b.*)?"
_END: Final = rf"{_REST}[.! ]*$"

ADVERBS: Final = r"(?:(?:has|have|finally|just|actually|also|already|now|successfully|today|yesterday) ){0,4}"
_NAME: Final = r"(?!(?:not|never|to|almost|nearly|would|will|could|hardly|barely)\b|\w+n['\u2019]t\b)[\w.'\u2019-]+"
_WHO: Final = rf"^(?P<who>(?:{_NAME} ){{0,2}}?{_NAME}) "
_USER: Final = frozenset({"i", "we", "user", "the user", "the team", "the user's family"})
"""Whoever has set themselves what is in their memory, whatever it calls them."""
_REACHED: Final = lazy_pattern(
    rf"{_WHO}{ADVERBS}(?P<said>{PASSED}|{RAN}|{FINISHED}|{ACHIEVED}|{_GOT}|{_FOUND}){_END}", re.IGNORECASE
)
_IS_FOUND: Final = lazy_pattern(_FOUND, re.IGNORECASE)
_SEEKS: Final = lazy_pattern(
    r"\b(?:buy|buying|get|getting|find|finding|land|landing|own|sav(?:e|es|ing)|look(?:s|ing)?|search(?:ing)?)\b"
    rf"(?! (?:rid|out|back|at)\b).* {_THING}(?:$|[.,;!]| (?:soon|together|this|next|by|before|within|one day)\b)",
    re.IGNORECASE,
)
"""Who found something wanted to have it, not to sell or to paint it, and not one of a certain kind."""

_DEED: Final = lazy_pattern(
    r"^(?:reached|achieved|accomplished|fulfilled) (?:\w+ ){1,2}?(?:goal|aim|dream|ambition) (?:of|to) "
    r"|^\w+(?: writing)? ",
    re.IGNORECASE,
)


def is_reached(text: str) -> bool:
    """Whether a sentence says that somebody has done what people set themselves as a goal.

    Example:
        >>> is_reached("Ana finally passed the driving test")
        True
        >>> is_reached("Ana has not passed the driving test")
        False
    """
    return len(text) <= MAX_DENIAL_CHARS and _REACHED.match(text.strip()) is not None


def reached(text: str, goals: Sequence[str]) -> tuple[int, ...]:
    """Return which goals a sentence says to be reached, by their places; none where two may be meant.

    What somebody else has done reaches no goal: a goal that begins with a name is of whom it names. Of two aims told as
    one goal the other one stays: who finished the marathon has not learned Spanish.
    """
    found = _REACHED.match(text.strip())
    if found is None:
        return ()
    who = found["who"].casefold()
    own = [place for place, goal in enumerate(goals) if who in _USER or goal.casefold().startswith(f"{who} ")]
    if _IS_FOUND.match(found["said"]):
        own = [place for place in own if _SEEKS.search(goals[place])]
    if " and " not in text:
        own = [place for place in own if " and " not in goals[place]]
    named = given_up(_DEED.sub("", found["said"], count=1), [goals[place] for place in own])
    return tuple(own[place] for place in named)
