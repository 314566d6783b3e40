"""What somebody does again and again, and the words that say that they do it no more. English.

"I gave up football" ends "plays football with the vets on Sundays", however much more that says; it leaves what only
looks alike ("gave up football tickets", "plays football manager"), and whoever stops for a while or in part ("for
Lent", "in the evening", "with Tom") has not stopped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import THEIRS, WHO
from langchain_agentmem.english.people.belongings import WHAT
from langchain_agentmem.english.words.calendar_words import MONTH
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE

_NEWS: Final = r"(?:(?:just|finally|recently|already|now|also|actually|eventually|have|has|completely) ){0,3}"
_THE: Final = rf"(?:(?:the|{THEIRS}) )?"
_AT_LAST: Final = (
    rf"(?: last \w+| (?:a|{TWO_OR_MORE}|some|a few|\d+) (?:day|week|month|year)s? ago| recently"
    rf"| in (?:early |late )?(?:{MONTH}|\d{{4}}))"
)
_FOR_GOOD: Final = r"(?: altogether| completely| entirely| for good| any ?(?:more|longer))"
_REASON: Final = r"(?:,? (?:because|since|so|due to|now)\b.*|,.*)"
_NOW: Final = rf"{_FOR_GOOD}?{_AT_LAST}?{_REASON}?[.! ]*"
_GAVE_UP: Final = r"(?:gave up|given up|quit|packed in)"
_NO_STATE: Final = (
    r"(?!(?:ha[sv]|own|liv|work|lik|lov|enjoy|want|need|be|is|am|are|see|hear|get|feel|know|think|understand|remember"
    r"|find|believ|seem|look|mean|car|mind|trust|agre|exist|appear|happen|recogni[sz]|notic)(?:e|es|s|ing|ed)?\b)"
)
"""Of what somebody has, is and likes other rules tell when it is over; what they see or know is no pastime."""

_DOING: Final = rf"{_NO_STATE}(?P<does>\w+ing)"
_DOES: Final = rf"{_NO_STATE}(?!\w+ (?:it|that|this|them)\b)(?P<does>[a-z]+)"
_TO_WHAT: Final = rf"(?: to)?(?: {_THE}(?P<what>{WHAT}))?"

_FOR_NOW: Final = (
    r"(?!.* because (?:the|an?|some\w+) [\w' ]{1,30}?"
    r" (?:turned|rang|arrived|came|started|began|called|appeared|knocked)\b)"
)
"""Behind it stands what did not happen so that one stops for good: the light that turned red."""

GIVEN_UP: Final[tuple[re.Pattern[str], ...]] = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"{WHO} {_NEWS}{_GAVE_UP} (?:the )?(?!\w+ing\b|{THEIRS}\b)(?P<what>{WHAT}){_NOW}",
        rf"{WHO} {_NEWS}(?:{_GAVE_UP}|stopped{_FOR_NOW}) {_DOING}{_TO_WHAT}{_NOW}",
        rf"{WHO} no longer {_DOES}{_TO_WHAT}{_FOR_GOOD}?{_REASON}?[.! ]*",
        rf"{WHO} no longer (?:has|have) (?:the |any |enough )?time to {_DOES}{_TO_WHAT}{_REASON}?[.! ]*",
        rf"{WHO} (?:do not|does not|don't|doesn't) {_DOES}{_TO_WHAT} any ?(?:more|longer){_REASON}?[.! ]*",
    )
)
"""Sentences that say that something is done no more: what is done, and to or with what."""

_HABIT: Final = lazy_pattern(
    rf"{WHO} (?:(?:also|still|now|usually|often|regularly|sometimes|always) ){{0,2}}(?P<does>[a-z]+)"
    rf"(?: (?:to )?(?:(?:the|an?|some|{THEIRS}) )?(?P<what>\S.*))?",
    re.IGNORECASE,
)
_TIMES: Final = (
    r"with|on|at|in|for|every|each|once|twice|three times|several times|most|as|since|after|before|by|from|when|while"
    r"|near|around|daily|weekly|regularly|competitively|professionally|a lot"
)
BEHIND: Final = lazy_pattern(rf"(?:$|[,;]| (?:{_TIMES}|{ONE_OR_MORE}|several|an?|to|\d[\w.]*)\b)", re.IGNORECASE)
"""What may stand behind that which is done, and does not make it another."""

_ALONE: Final = lazy_pattern(
    rf"(?:$|[,;]|(?:{_TIMES}|\d+ ?(?:k|km|miles?))\b|(?:[\w-]+ ){{0,3}}(?:cigarettes|cigars|(?:a|per) (?:day|week))\b)",
    re.IGNORECASE,
)
"""What may stand behind a verb that needs no object: who runs a bakery does not run."""

_MORE: Final = lazy_pattern(r"\b(?:and|or|but) (?=[a-z])")
_DONE: Final = frozenset(
    map(stem, "play plays does practise practice attend drink eat smoke take takes go goes".split())
)
"""What one does, where it is only said what one gave up: who gave up coffee may still like it, and sell it."""

_BARE: Final = frozenset(
    map(stem, "smoke vape drink run jog swim cycle climb dance row surf ski meditate volunteer".split())
)
"""What one does and no object is needed for: who stopped smoking smokes no more, ten a day or one."""


def pastimes_meant(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the places of what tells that somebody does what is done no more.

    Args:
        found: Of `GIVEN_UP`.
        known: What is remembered, told of the user.
    """
    does, what = stem((found.groupdict().get("does") or "").casefold()), found["what"]
    return [place for place, text in enumerate(known) if is_done(text, does, what)]


def is_done(text: str, does: str, what: str | None) -> bool:
    """Whether a memory tells that somebody does something; `does` is a stem, empty for whatever is done with `what`."""
    habit = _HABIT.fullmatch(text)
    if habit is None or _MORE.search(text):
        return False
    verb, object_ = stem(habit["does"].casefold()), habit["what"] or ""
    if verb != does if does else verb not in _DONE:
        return False
    if what is None:
        return does in _BARE and _ALONE.match(object_) is not None
    return object_.casefold().startswith(what.casefold()) and BEHIND.match(object_, len(what)) is not None
