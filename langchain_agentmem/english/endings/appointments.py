"""What was to be at some time, and the words that say that it will not be, or that it will be at another. English.

"My flight to Rome was cancelled" ends "The user's flight to Rome is on 3 May", "My flight got moved to 5 May" does so
where the user is known to have no other flight, whoever moved it: "Claire extended the deadline". What is every week
goes on: a cancelled lesson is one of many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.people.beings import NAME, OWNER, THEIRS, WHO
from langchain_agentmem.english.reading.moving import DAY, HAPPENS_ONCE, MOVED, TIME
from langchain_agentmem.english.words.calendar_words import MONTH, MONTHS, SEASON, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_RELATIVE

_NO_WORD: Final = r"(?!(?:next|other|first|second|last|every|weekly|daily|monthly|not|usual|regular|this|that)\b)"
_WITH: Final = r"(?:with|to|at|in|for|of|from|about)"
_NO_TIME: Final = rf"(?!(?:the )?(?:{DAY}|{TIME}|\d|today|tomorrow|tonight|next|this|last|another|later)\b)"
_EVENT: Final = (
    rf"(?:{_NO_WORD}[\w'-]+ ){{0,3}}?{HAPPENS_ONCE}"
    rf"(?: {_WITH} {_NO_TIME}(?:(?:the|an?|{THEIRS}) )?[\w'-]+(?: (?!(?:was|got|is|has|just)\b)[\w'-]+)?)?"
)
_WHOSE: Final = rf"(?:{OWNER}|the|our)"
_WAS: Final = r"(?:was|got|has been|is|has got)"
_SOMEBODY: Final = r"(?:(?:the|my|our|(?:the )?user's) )?(?!not\b|never\b|almost\b|nearly\b)[\w'-]+"
_KIN: Final = rf"(?:{A_RELATIVE}|friend|mate|neighbou?r|flatmate|roommate)"
_OFFICIAL: Final = (
    rf"(?:they|{NAME}|(?:the|{OWNER}) (?![\w-]*{_KIN}\b)[\w-]+(?: (?!{_KIN}\b|not\b|never\b|almost\b|nearly\b)[\w-]+)?)"
)
"""Who moves what is the user's: no kin of theirs, whose own it may be."""

_OF_WORK: Final = (
    r"(?:(?:[\w-]+ ){0,2}?(?:deadline|meeting|call|exam|interview|review|demo|presentation|pitch|hearing|trial"
    r"|court date|viva|defen[cs]e|submission|hand-in|launch|workshop|inspection|assessment|appointment|viewing"
    r"|delivery|scan|surgery|operation|op|procedure|biopsy))"
)
_DEADLINE: Final = r"(?:[\w-]+ ){0,2}?deadline"
_BACK: Final = r"(?: (?:back|forward|out|up))?"
_NTH: Final = (
    r"\d{1,2}(?:st|nd|rd|th)(?=[,.;! ]*$|,? (?:at|due|because|of|instead|now|and|so|but|from|by|as|since|lol)\b)"
)
_ON: Final = rf"(?:{DAY}(?:,? {DAY})?|{_NTH})"
_TO_DAY: Final = rf"(?:to|until|till) (?:the )?(?P<day>{_ON}|next \w+|tomorrow|the following \w+)(?!\w).*"
_TO_TIME: Final = rf"(?:to|until|till) {TIME}.*"

_CALLED_OFF: Final = (
    any_case(rf"{_WHOSE} (?P<what>{_EVENT}) {_WAS} {NEWS}(?:cancell?ed|called off|off){PLAIN_TAIL}"),
    any_case(rf"{_WHOSE} (?P<what>{_EVENT}) {NEWS}(?:fell|fallen) through{PLAIN_TAIL}"),
    any_case(rf"{WHO} {NEWS}(?:cancell?ed|called off) (?:the|{THEIRS}) (?P<what>{_EVENT}){PLAIN_TAIL}"),
    any_case(rf"{_SOMEBODY} {NEWS}(?:cancell?ed|called off) (?:my|our|{OWNER}) (?P<what>{_EVENT}){PLAIN_TAIL}"),
)
_SAT: Final = any_case(
    rf"{WHO} {NEWS}(?:passed|failed|aced) (?:the|{THEIRS}) (?P<what>(?:[\w-]+ ){{0,3}}?(?:exam|test|interview"
    rf"|audition)){PLAIN_TAIL}"
)


def _moved(whither: str) -> Sequence[re.Pattern[str]]:
    return (
        any_case(rf"{_WHOSE} (?P<what>{_EVENT}) (?:{_WAS} )?{NEWS}{MOVED} {whither}"),
        any_case(rf"{WHO} {NEWS}{MOVED} (?:the|{THEIRS}) (?P<what>{_EVENT}){_BACK} {whither}"),
        any_case(rf"{_SOMEBODY} {NEWS}{MOVED} (?:my|our|{OWNER}) (?P<what>{_EVENT}){_BACK} {whither}"),
    )


def _moved_for_all(whither: str) -> Sequence[re.Pattern[str]]:
    return (
        any_case(rf"{_OFFICIAL} {NEWS}{MOVED} the (?P<what>{_OF_WORK}){_BACK} {whither}"),
        any_case(rf"{_SOMEBODY} {NEWS}{MOVED} (?:my|our|{OWNER}) (?P<what>{_DEADLINE}){_BACK} {whither}"),
        any_case(rf"{_WHOSE} (?P<what>{_DEADLINE}) (?:{_WAS} )?{NEWS}{MOVED} {whither}"),
    )


_SPAN: Final = (
    rf"(?:(?:early|mid|late|next|this) ){{0,2}}(?:{MONTH}|{SEASON}|year|month|week)"
    r"(?: (?:19|20)\d\d)?"
)
_DATED: Final = rf"(?:[\w'-]+ ){{0,3}}?(?:{HAPPENS_ONCE}|deadline)(?: {_WITH} (?!(?:the )?(?:{DAY}|{TIME})).+?)?"
_IS_WHEN: Final = any_case(
    rf"(?:{_WHOSE} (?P<what>{_DATED})"
    r" (?:is|are|was|got|has been|will be|takes place)"
    rf"|{WHO} (?:has|have|booked|made|arranged|scheduled) (?:(?:an?|the|{THEIRS}) )?"
    rf"(?P<has>{_DATED})"
    rf"|(?:{WHO}|{_SOMEBODY}) {NEWS}{MOVED} (?:the|my|our|{OWNER}) (?P<moved>{_EVENT}|{_DEADLINE}){_BACK}"
    rf"|{_WHOSE} (?P<by>{_EVENT})(?= {MOVED}))"
    rf"(?: (?:now|due|booked|scheduled|set|planned|{MOVED})){{0,2}} (?:(?:on|for|at|in|to|till|until|this|next) )"
    r"{0,3}"
    rf"(?:the )?(?P<day>{_ON}|{_SPAN}|tomorrow|today|weekend|week|month)?(?:,? ?(?:at )?(?P<time>{TIME}))?(?!\w).*"
)
_SET: Final = "(?:(?:on|for) )?(?:the )?"
_IS_NOW: Final = (
    any_case(rf"{_WHOSE} (?P<what>{_EVENT}) is now (?:in )?(?P<day>{_SPAN}){PLAIN_TAIL}"),
    any_case(rf"{_WHOSE} (?P<what>{_EVENT}) is (?:in )?(?P<day>{_SPAN}) now{PLAIN_TAIL}"),
    any_case(
        rf"{_WHOSE} (?P<what>{_EVENT}) is now (?:due |scheduled )?(?:(?:on|for) )?(?:the )?(?P<day>{_ON})(?!\w).*"
    ),
    any_case(rf"{_WHOSE} (?P<what>{_EVENT}) is {_SET}(?P<day>{_ON}) now{PLAIN_TAIL}"),
)
_WILL_BE: Final = any_case(
    rf"{_WHOSE} (?P<what>{_EVENT}) will (?:now )?be (?:now )?{_SET}(?P<day>{_ON})(?: now)?"
    rf"(?:,? ?(?:at )?{TIME})?{PLAIN_TAIL}"
)
_OFTEN: Final = any_case(rf"\b(?:every|each|weekly|daily|monthly|usually|always|regular(?:ly)?|{WEEKDAY}s)\b")
_LAST_TIME: Final = any_case(rf"\b(?:last (?:year|time|{SEASON})|the (?:year|time) before)\b")
"""What did not take place then was another one than that which is to be."""

_GOES: Final = any_case(
    rf"{WHO} (?:is|am|are) (?:going|flying|travell?ing|off) (?:on (?:an? )?(?:holiday|vacation|trip|honeymoon) )?to"
    r" (?P<place>.+)"
)
_MARRYING: Final = any_case(rf"{WHO} (?:is|am|are) getting married\b.*")
_TRIPS: Final = frozenset({"flight", "trip", "journey", "holiday", "vacation", "honeymoon"})
_MONTHS: Final = tuple(it[:3] for it in MONTHS)
_SMALL: Final = frozenset("the a an my our their his her to at in with for of from about user user's family's".split())
_SAME: Final = {"vacation": "holiday", "booking": "reservation", "check-up": "checkup", "journey": "trip"}


def _words(what: str) -> frozenset[str]:
    return frozenset(_SAME.get(it, it) for it in what.casefold().split()) - _SMALL


def _meant(what: str, told: Mapping[int, str]) -> Sequence[int]:
    """Return the places of what tells of one event that has all these words, and is nobody else's."""
    wanted = _words(what)
    meant = {place: _words(it) for place, it in told.items() if wanted <= _words(it)}
    are_theirs = {place: it for place, it in meant.items() if not any("'" in word for word in it - wanted)}
    is_one = all(one <= other or other <= one for one, other in combinations(are_theirs.values(), 2))
    return list(are_theirs) if is_one else []


def _events(known: Iterable[str]) -> dict[int, re.Match[str]]:
    """Return what tells when something is that happens once, by its place."""
    found = {place: it for place, text in enumerate(known) if (it := _IS_WHEN.fullmatch(text)) is not None}
    return {place: it for place, it in found.items() if _OFTEN.search(it[0]) is None and (it["day"] or it["time"])}


def _what(told: re.Match[str]) -> str:
    return told["what"] or told["has"] or told["moved"] or told["by"]


def _of_event(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells when that is which will not be, and of the journey that was to be made by it."""
    if _LAST_TIME.search(found[0]):
        return ()
    meant = _meant(found["what"], {place: _what(it) for place, it in _events(known).items()})
    wanted = _words(found["what"])
    if wanted == {"wedding"}:
        return [*meant, *(place for place, text in enumerate(known) if _MARRYING.fullmatch(text))]
    if wanted.isdisjoint(_TRIPS) or len(wanted) == 1:
        return meant
    goes = {place: _words(it["place"]) for place, text in enumerate(known) if (it := _GOES.fullmatch(text))}
    return sorted({*meant, *(place for place, it in goes.items() if wanted - _TRIPS <= it)})


def _of_day(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells on which day it was to be."""
    day = _day(found["day"])
    days = {place: it for place, it in _events(known).items() if it["day"]}
    return _meant(found["what"], {place: _what(it) for place, it in days.items() if _are_other(_day(it["day"]), day)})


def _of_same_day(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells on which other day the same, in the same words, was to be."""
    told = _events(known)
    return [place for place in _of_day(found, known) if _words(_what(told[place])) == _words(found["what"])]


def _day(text: str) -> frozenset[str]:
    words = re.findall(r"\d+|[a-z]+", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text.casefold()))
    return frozenset(it[:3] if it.startswith(_MONTHS) else it for it in words if it not in {"the", "of"})


def _are_other(one: frozenset[str], day: frozenset[str]) -> bool:
    """Whether two days differ: the 28th may be 28 March."""
    return not (one <= day or day <= one)


def _of_time(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells at which time it was to be, and not on which day."""
    told = {place: _what(it) for place, it in _events(known).items() if not it["day"] and it[0] != found[0]}
    return _meant(found["what"], told)


NO_MORE_THEN: Final = (
    Ends(_of_event, _CALLED_OFF),
    Ends(_of_day, (*_moved(_TO_DAY), *_IS_NOW)),
    Ends(_of_time, _moved(_TO_TIME)),
)
"""Sentences that say that something will not be when it was to be, and what they end of all that is remembered."""

SAT_BY_NOW: Final = (
    Ends(_of_event, (_SAT,), is_passing=True),
    Ends(_of_day, _moved_for_all(_TO_DAY), is_passing=True),
    Ends(_of_same_day, (_WILL_BE,), is_passing=True, tells="state"),
)
"""The same of what is said on any day: it is worth remembering only where it ends something."""

_NO_OWNER: Final = (
    r"(?!(?:my|our|his|her|their|your|its|the|an?|another|some|any|no|every|each|one|this|that|these|those|i|we|he|she"
    r"|they|you|it|if|when|and|but|so|not|think|hope|is|was)\b)[\w-]+ "
)
BARE: Final = any_case(
    rf"(?:{_NO_OWNER}){{0,2}}?(?:{HAPPENS_ONCE}|deadline)(?=(?: {_WITH} (?:{_NO_OWNER.rstrip()})(?: [\w-]+)?)?"
    rf"(?:'s| has| is| was| got| {NEWS}{MOVED}| {NEWS}cancell?ed)(?!\w))"
)
"""So begins news of an appointment that has no article: it is the one which is known."""


def tells_day(text: str) -> bool:
    """Whether a text tells on which day, or at which time, something of the user's is to be."""
    return bool(_events([text]))
