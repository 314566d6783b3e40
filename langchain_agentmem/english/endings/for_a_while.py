"""How it is with somebody for a while, and the words that say that it is so no more. English.

"I'm back from Rome" ends "is going to Rome in May", "I'm seeing someone" being single, "Rex is well again" that he is
ill, "My car is fixed" that it is at the garage, "I'm back from maternity leave" the leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import AT_LAST, NEWS, PLAIN_TAIL, WHY, Ends, Means, any_case
from langchain_agentmem.english.people.beings import (
    ADJECTIVES,
    BEING,
    NAME,
    OWNER,
    THEIRS,
    WHO,
    Being,
    being_of,
    kin_of,
)
from langchain_agentmem.english.people.belongings import KNOWN_THING
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.patterns import CAPITAL

_END: Final = rf"(?: (?:again|now|at last|finally|these days))*(?:{WHY})?[.! ]*$"
_IS: Final = r"(?:is|am|are)"
_STILL: Final = r"(?:(?:now|currently|still|also|very|quite|really|seriously) )*"
_PLACE: Final = rf"{CAPITAL}[\w'-]+(?: {CAPITAL}[\w'-]+)?"
_JOURNEY: Final = r"(?:holidays?|vacation|honeymoon|trip|travels)"
_DAYS: Final = rf"(?:{WEEKDAY}|{MONTH})"
_LEAVE: Final = r"(?:maternity|paternity|parental|sick|medical|study|garden(?:ing)?|compassionate|adoption)"

_BACK: Final = any_case(
    rf"{WHO} {NEWS}(?:{_IS} {NEWS}(?:back|home)|(?:got|came|flew|drove) (?:back|home)|returned(?: home)?)(?: again)?"
    rf" from (?:(?:the|an?|{THEIRS}) (?:[\w-]+ ){{0,2}}?(?P<trip>{_JOURNEY})(?: (?:to|in))? ?)?(?P<place>{_PLACE})?"
    rf"{PLAIN_TAIL}"
)
_OFF: Final = any_case(rf"(?P<place>{_PLACE})(?P<trip>) {_IS} {NEWS}(?:off|cancell?ed|called off){PLAIN_TAIL}")
_AWAY: Final = any_case(
    rf"{WHO} (?:{_IS} {_STILL}(?:going|flying|travell?ing|driving|off|visiting|staying in"
    rf"|on (?:an? )?(?P<on>{_JOURNEY}))"
    rf"|(?:has|have) (?:booked )?an? (?:[\w-]+ )?(?:flight|{_JOURNEY})|will be)"
    rf"(?: on (?:an? )?{_JOURNEY})?(?: (?:to|in))?(?: (?P<place>.+))?|{OWNER} (?:flight|{_JOURNEY}) to (?P<to>.+)"
)
_OFTEN: Final = any_case(r"\b(?:every|each|weekly|monthly|usually|always|often|regularly|sometimes|again)\b")
_HAS_SOMEBODY: Final = any_case(
    rf"{WHO} (?:{_IS} {NEWS}(?:dating {NAME}|seeing (?:someone|somebody)(?: new)?(?:,? (?:called|named) {NAME})?"
    rf"|in a (?:new |happy |serious )?relationship)"
    rf"|{NEWS}found a (?:new )?partner){_END}"
)
_SINGLE: Final = any_case(rf"{WHO} {_IS} (?:happily |newly |{_STILL})*single(?:$|[,.;].*| (?:again|since|and|at)\b.*)")
_FIXED: Final = (
    any_case(rf"{WHO} {NEWS}(?:got|picked up|collected) (?:the|{THEIRS}) (?P<what>{KNOWN_THING}) back{PLAIN_TAIL}"),
    any_case(
        rf"(?:{OWNER}|the) (?P<what>{KNOWN_THING}) (?:is|was|has been|got)"
        rf" (?:{NEWS}(?:fixed|repaired|mended)|(?:back|working|running) again)"
        rf"{PLAIN_TAIL}"
    ),
)
_BROKEN: Final = any_case(
    rf"(?:{OWNER}|the) (?P<what>[\w' -]+?) (?:{_IS} {_STILL}(?:(?:at|in) (?:the|a) (?:garage|mechanic(?:'s)?|workshop"
    r"|(?:repair )?shop|menders?)|being (?:repaired|fixed|serviced|mended)|broken|down|out of order|in for (?:repairs?"
    r"|a service))|(?:has|have) (?:broken down|stopped working))\b.*"
)
_STARTED: Final = any_case(
    rf"{WHO} {NEWS}started (?:work(?:ing)? |(?:an?|{THEIRS}) (?:new |first )?job )?(?:at|with) (?!{_DAYS}\b)"
    rf"{_PLACE}{PLAIN_TAIL}"
)
_NO_WORK: Final = any_case(
    rf"{WHO} {_IS} {_STILL}(?:unemployed|between jobs|out of work|job[ -]hunting"
    r"|(?:looking|searching) for (?:a|another) (?:new )?job)\b.*"
)
_AT_OFFICE: Final = any_case(
    rf"{WHO} {_IS} {NEWS}back (?:in|at) the office(?: (?:full[- ]time|for good|permanently|every day|five days a week))"
    rf"{_END}"
)
_FROM_HOME: Final = any_case(rf"{WHO} {_STILL}(?:works?|{_IS} working) (?:fully |mostly )?(?:from home|remotely)\b.*")
_AT_WORK: Final = (
    any_case(rf"{WHO} {NEWS}(?:(?:went|came|got|{_IS} {NEWS}) ?back|returned) (?:at|to) work(?:{AT_LAST})?{_END}"),
    any_case(
        rf"{WHO} {NEWS}(?:{_IS} {NEWS}back|came back|returned)(?: (?:at|to) work)? (?:from|after) (?:{THEIRS} |the )?"
        rf"{_LEAVE} leave{PLAIN_TAIL}"
    ),
    any_case(rf"{OWNER} {_LEAVE} leave (?:is over|(?:has )?ended){PLAIN_TAIL}"),
)
_ON_LEAVE: Final = any_case(
    rf"{WHO} {_IS} {_STILL}(?:on (?:{_LEAVE} leave|a sabbatical|sabbatical|furlough)|off sick|signed off)\b.*"
)
_WELL: Final = any_case(
    rf"(?:{OWNER} (?P<which>{ADJECTIVES})(?P<role>{BEING})(?:,? (?P<named>{NAME}),?)?|(?P<name>{NAME})|(?P<who>{WHO}))"
    rf" (?:{_IS} (?:{NEWS}(?:home|back|out) (?:again )?(?:from|of) (?:the )?hospital|{NEWS}(?:fully |completely )?"
    rf"(?:well|healthy|better) again)"
    rf"|(?:has|have) {NEWS}(?:fully |completely )?recovered){_END}"
)
_ILL: Final = any_case(
    rf"{_IS} {_STILL}(?:ill|sick|unwell|poorly|in (?:the )?hospital|in intensive care|recovering)\b.*"
)
_USER: Final = any_case(rf"^{WHO} ")
_CAUGHT: Final = r"(?P<what>covid|(?:the )?flu|cold|rash|cough|shingles|bronchitis|pneumonia|tonsillitis|chickenpox)"
_CLEARED: Final = any_case(
    rf"(?:(?:{OWNER}|the) )?{_CAUGHT} (?:is|has) (?:all |finally |now )*(?:gone|over|cleared up|gone away){PLAIN_TAIL}"
)
_HAS_CAUGHT: Final = any_case(
    rf"{WHO} (?:{_STILL}(?:has|have)(?: got)?|caught|has caught|(?:{_IS} )?{_STILL}(?:sick|ill|down) with) (?:an? )?"
    rf"(?:bad )?{_CAUGHT}\b.*"
)
_FEAR_LOST: Final = any_case(
    rf"{WHO} {NEWS}(?:got over|gotten over|overcame|overcome|conquered|lost) {THEIRS} fear of (?P<what>[\w' -]+?)"
    rf"{PLAIN_TAIL}"
)
_FEARS: Final = any_case(
    rf"{WHO} (?:{_IS} {_STILL}(?:afraid|scared|terrified|frightened) of (?P<what>.+)"
    rf"|(?:has|have) an? (?:[\w-]+ )?(?:fear|phobia) of (?P<fear>.+))"
)
_AID: Final = (
    r"(?P<what>glasses|contact lenses|contacts|hearing aids?|crutches|wheelchair|inhaler|(?:walking )?stick|cane"
    r"|walking frame|zimmer frame|rollator|sling|splint)"
)
_NEEDS_NOT: Final = (
    any_case(rf"{WHO} no longer (?:needs?|wears?|uses?) (?:an? |the |any |{THEIRS} )?{_AID}{PLAIN_TAIL}"),
    any_case(
        rf"{WHO} (?:do not|does not|don't|doesn't) (?:need|wear|use) (?:an? |the |any |{THEIRS} )?{_AID} any ?(?:more"
        rf"|longer){PLAIN_TAIL}"
    ),
)
_NEEDS: Final = any_case(rf"{WHO} {_STILL}(?:wears?|uses?|needs?|has|have) (?:an? |the )?(?:[\w-]+ )?{_AID}\b.*")


def told_by(pattern: re.Pattern[str], known: Iterable[str]) -> dict[int, re.Match[str]]:
    """Return what is told in the words of a pattern, by its place."""
    return {place: it for place, text in enumerate(known) if (it := pattern.fullmatch(text)) is not None}


def of_state(state: re.Pattern[str]) -> Means:
    """Return what finds all that tells of a state."""
    return lambda _found, known: list(told_by(state, known))


def _of_journey(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that somebody goes, or is, where they are back from."""
    told = {place: it for place, it in told_by(_AWAY, known).items() if _OFTEN.search(it[0]) is None}
    where = found["place"]
    if where is None:
        away = [place for place, it in told.items() if it["on"] is not None]
        return away if found["trip"] is not None and len(away) == 1 else []
    there = re.compile(rf"{re.escape(where)}(?![\w-])", re.IGNORECASE)
    return [place for place, it in told.items() if there.match(it["to"] or it["place"] or "")]


def _of_thing(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that one thing is broken, or being mended."""
    *which, head = found["what"].casefold().split()
    told = {place: it["what"].casefold().split() for place, it in told_by(_BROKEN, known).items()}
    same = {place: {*words} for place, words in told.items() if words[-1] == head and {*which} <= {*words}}
    meant = [place for place, words in same.items() if not any("'" in it for it in words - {*which})]  # nobody else's
    return meant if len({tuple(told[it]) for it in meant}) == 1 else []


def _of_illness(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that somebody is ill who is well again."""
    if found["who"]:
        return [place for place, text in enumerate(known) if _is_ill(_USER.sub("", text))]
    beings = [being_of(it) for it in known]
    name = found["name"] or found["named"]
    meant = kin_of(beings, found["role"], name, (found["which"] or "").split()) or Being(None, name)
    return [place for place, it in enumerate(beings) if it is not None and meant.is_told_in(it) and _is_ill(it.rest)]


def _is_ill(rest: str) -> bool:
    return _ILL.fullmatch(rest) is not None


def _of_infection(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    what = found["what"].casefold().removeprefix("the ")
    told = told_by(_HAS_CAUGHT, known)
    return [place for place, it in told.items() if it["what"].casefold().removeprefix("the ") == what]


def _of_fear(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    feared = found["what"].casefold()
    told = {place: (it["what"] or it["fear"]).casefold() for place, it in told_by(_FEARS, known).items()}
    return [place for place, what in told.items() if re.fullmatch(rf"{re.escape(feared)}(?:[,;.].*)?", what)]


def _of_aid(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    what = found["what"].casefold().rstrip("s")
    return [place for place, it in told_by(_NEEDS, known).items() if it["what"].casefold().rstrip("s") == what]


NO_LONGER_SO: Final = (
    Ends(_of_journey, (_BACK, _OFF), is_passing=True),
    Ends(_of_thing, _FIXED, is_passing=True),
    Ends(_of_illness, (_WELL,), is_passing=True),
    Ends(_of_infection, (_CLEARED,), is_passing=True),
    Ends(_of_fear, (_FEAR_LOST,), is_passing=True),
    Ends(of_state(_SINGLE), (_HAS_SOMEBODY,), is_passing=True),
    Ends(of_state(_FROM_HOME), (_AT_OFFICE,), is_passing=True),
    Ends(of_state(_ON_LEAVE), _AT_WORK, is_passing=True),
    Ends(of_state(_NO_WORK), (_STARTED,), is_passing=True),
)
"""Sentences that say that how it was is so no more, and what they end of all that is remembered.

They are said on any day: each is worth remembering only where it ends something.
"""

NO_LONGER_NEEDED: Final = (Ends(_of_aid, _NEEDS_NOT),)
"""The same of what is worth remembering by itself: who needs no glasses sees well."""
