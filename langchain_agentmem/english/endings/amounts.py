"""How much something is by now, in whatever verb: a rent, a weight, the people of a team. English.

"My rent went from 650 to 720" ends "The user's rent is 650", "MRR hit 28k" the MRR before, "I'm down to 76 kg" the
weight, "We're 10 people" that they are nine. What has another name, or another owner, stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.people.beings import BEING, OWNER, THEIRS, WHO

_PRICED: Final = (
    r"(?:(?:(?:hourly|daily|day|monthly|weekly|annual|health|car|home) ){0,2}"
    r"(?:rent|rates?|salary|wages?|fees?|mortgage|pension|allowance|insurance|premium|pay|income|pocket money|budget))"
)
_UNIT: Final = r"(?: ?[/a-z€$£%]+)"
_AMOUNT: Final = rf"[$€£]?\d[\d.,]*k?{_UNIT}{{0,3}}?"
_WAS: Final = rf" from {_AMOUNT}"
_FROM: Final = rf"(?:{_WAS})?"
_ROSE: Final = (
    r"(?:(?:went|is|has gone|gone|has|crept|shot) (?:back )?(?:up|down)|rose|risen|fell|dropped|climbed|jumped"
    r"|grew|grown|increased|decreased|improved|slipped|sank"
    r"|(?:was|got|has been|is being) (?:raised|lowered|increased|reduced|cut|put up|upped|bumped up))"
)
_PUT: Final = r"(?:put|raised|lowered|increased|reduced|cut|upped|bumped|dropped)"
_IS_NOW_PRICED: Final = (
    any_case(rf"{OWNER} (?P<what>{_PRICED}) is (?P<much>{_AMOUNT}) now{PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?P<what>{_PRICED}) is now (?P<much>{_AMOUNT}){PLAIN_TAIL}"),
)
_ROSE_TO: Final = (
    any_case(rf"{OWNER} (?P<what>{_PRICED}) {NEWS}{_ROSE}{_FROM} to (?P<much>{_AMOUNT}){PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?P<what>{_PRICED}) {NEWS}went{_WAS} to (?P<much>{_AMOUNT}){PLAIN_TAIL}"),
)
_NO_THING: Final = r"(?!(?:(?:the )?user|i|we|he|she|it|they|you|that|this|who|what)\b)"
_WHAT: Final = rf"(?P<what>{_NO_THING}(?:[\w'-]+ ){{0,3}}?(?!{BEING}s?\b)[\w-]+)"
_LIKE_IT: Final = (
    any_case(
        rf"(?:(?:{OWNER}|the) )?{_WHAT} {NEWS}(?:{_ROSE}{_FROM}|went{_WAS}) to (?P<much>{_AMOUNT})"
        rf"(?: after .*)?{PLAIN_TAIL}"
    ),
    any_case(rf"(?:(?:{OWNER}|the) )?{_WHAT} {NEWS}(?:hit|reached|passed) (?P<much>{_AMOUNT}){PLAIN_TAIL}"),
    any_case(
        rf"(?:{WHO}|they|(?:(?:the|{OWNER}) )?(?!not\b|never\b)[\w-]+) {NEWS}{_PUT} (?:{THEIRS} |the )"
        rf"(?P<what>{_PRICED})(?: up| down)?{_FROM} to (?P<much>{_AMOUNT}){PLAIN_TAIL}"
    ),
)
_TOLD: Final = any_case(
    rf"(?:(?:{OWNER}|the) )?(?:current )?{_WHAT} (?:(?:is|was) (?:(?:now|about|around|currently|at) ){{0,2}}"
    rf"|{NEWS}(?:{_ROSE}{_FROM}|went{_WAS}) to |{NEWS}(?:hit|reached|passed) )(?P<much>{_AMOUNT})(?: now)?"
    rf"(?: after .*)?{PLAIN_TAIL}"
)

_MASS: Final = r"(?:kg|kgs|kilos?|lbs?|pounds|stones?)"
_WEIGHT: Final = rf"(?P<much>\d[\d.,]* ?{_MASS}\b)"
_WEIGHS: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:is|am) (?:now )?(?:back )?(?:(?:down|up) (?:to|at) |at |(?=.* now\b)){_WEIGHT}"
        rf"(?: now| from \d.*)?{PLAIN_TAIL}"
    ),
)
_WEIGHED: Final = any_case(
    rf"(?:{WHO} (?:(?:now|currently) )?(?:weighs?|(?:is|am) (?:now )?(?:(?:down|up|back) (?:to|at) |at )?)"
    rf"|{OWNER} (?:current )?weight is) ?(?:(?:now|about|around) )?{_WEIGHT}.*"
)

_PEOPLE: Final = r"(?P<much>\d{1,5}) (?P<who>people|employees|members|engineers|developers|staff|players|students)"
_GROUP: Final = (
    rf"(?:(?P<of>(?:the )?user(?:'s (?:family|team|group))?|we)|{OWNER} (?P<team>team|company|startup|group))"
)
_ARE_NOW: Final = (any_case(rf"{_GROUP} {NEWS}(?:has|have|is|are) {NEWS}{_PEOPLE}(?: now)?[.! ]*"),)
_WERE: Final = any_case(rf"{_GROUP} {NEWS}(?:has|have|is|are) {NEWS}{_PEOPLE}(?: now)?[.! ]*")
_UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("€", "euro", "euros"), "eur"),
    **dict.fromkeys(("$", "dollar", "dollars"), "usd"),
    **dict.fromkeys(("£", "pound", "pounds", "quid"), "gbp"),
    **dict.fromkeys(("kgs", "kilo", "kilos"), "kg"),
}


_NUMBER: Final = r"\d[\d.,]*(?:k\b)?"
_MEASURES: Final = frozenset("eur usd gbp % kg km k a per h hour day week month year mo pm pa percent pcm".split())


def amount(text: str) -> tuple[str, frozenset[str]]:
    """Return the number of an amount, and its units."""
    number = re.search(_NUMBER, text.casefold())
    units = re.findall(r"[a-z]+|[$€£%]", re.sub(_NUMBER, " ", text.casefold()))
    return (number[0].rstrip(".,") if number else "", frozenset(_UNITS.get(it, it) for it in units))


def _of_amount(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what told another amount of the same, in a unit that may be the same."""
    what = found["what"].casefold()
    told = {place: it for place, it in told_by(_TOLD, known).items() if it["what"].casefold() == what}
    return _others(found, told)


def _of_weight(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return _others(found, told_by(_WEIGHED, known))


def _others(found: re.Match[str], told: Mapping[int, re.Match[str]]) -> list[int]:
    number, units = amount(found["much"])
    amounts = {place: amount(it["much"]) for place, it in told.items()}
    return [place for place, it in amounts.items() if it[0] != number and _are_alike(it[1], units)]


def _are_alike(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether both may be in one unit: who tells none had one in mind, but no 28 goals are an amount of 21."""
    return new <= old or bool(old & new) or (not old and new <= _MEASURES)


def _of_people(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return how many they were, of whom one tells alike."""
    told = told_by(_WERE, known)
    same = {place: it for place, it in told.items() if _whose(it) == _whose(found) and it["who"] == found["who"]}
    return [place for place, it in same.items() if it["much"] != found["much"]]


def _whose(found: re.Match[str]) -> str:
    """Return whether a number of people is of the family, or of those with whom somebody works."""
    return "family" if (found["of"] or "").endswith("family") else "team"


OTHER_AMOUNT: Final = (
    Ends(_of_amount, (*_IS_NOW_PRICED, *_LIKE_IT), is_passing=True, tells="state"),
    Ends(_of_weight, _WEIGHS, is_passing=True, tells="state"),
    Ends(_of_people, _ARE_NOW, is_passing=True, tells="state"),
)
"""Sentences that say how much something is by now, and what told another amount of it.

Each is worth remembering by itself only where it ends something.
"""

ROSE: Final = (Ends(_of_amount, _ROSE_TO, tells="state"),)
"""The same of what tells its new value in no other way, and is kept for it."""
