"""What somebody belongs to, pays for or shares, and the words that say that they left it. English.

"I quit the choir" ends "sings in the church choir", "I cancelled Netflix" the subscription, "I moved out of Tom's
place" living with Tom, "I'm on the Pro plan now" the plan before, "I'm on day shifts now" night shifts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import AT_LAST, NEWS, PLAIN_TAIL, WHY, Ends, any_case
from langchain_agentmem.english.people.beings import NAME, OWNER, THEIRS, WHO
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import any_of
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.english.words.people_words import LONE_BY_NOW

_STILL: Final = r"(?:(?:now|currently|still|also) )*"
_GROUP: Final = (
    r"(?:club|choir|team|band|society|committee|board|league|orchestra|union|association|troupe|squad|book group"
    r"|council|scouts|programme|program|evening class)"
)
_SOME: Final = r"(?:(?!night )[\w'-]+ ){1,3}?"
_QUIT: Final = r"(?:quit|resigned from|dropped out of|(?:have|has) left)"
_PAID: Final = r"(?:subscription|membership)"
_HOME: Final = r"(?:place|house|flat|home|apartment)"
_ONE_AT_A_TIME: Final = any_of(LONE_BY_NOW)
_DAYS: Final = rf"(?:{WEEKDAY}|{MONTH}|christmas|easter)"
_PLAN: Final = r"(?:plan|tier|tariff)"
_SHIFT: Final = r"(?P<shift>night|day|late|early|evening|morning)"

_LEFT_GROUP: Final = (
    any_case(rf"{WHO} {NEWS}{_QUIT} (?:the|{THEIRS}) (?P<group>(?:{_SOME})?{_GROUP})(?:{AT_LAST}|{WHY})?[.! ]*$"),
    any_case(rf"{WHO} {NEWS}left (?:the|{THEIRS}) (?P<group>{_SOME}{_GROUP})(?:{AT_LAST}|{WHY})?[.! ]*$"),
    any_case(rf"{WHO} {NEWS}left (?:the|{THEIRS}) (?P<group>{_GROUP}){AT_LAST}[.! ]*$"),
)
_IN_GROUP: Final = any_case(
    rf"{WHO} {_STILL}(?:(?:is|am) (?:an? )?(?:[\w-]+ )?(?:member|part) of|(?:is|am) (?:in|on)|belongs? to|attends?"
    rf"|(?:plays?|sings?|rows?|swims?|runs?|acts?|dances?) (?:[\w-]+ )?(?:in|for|with)|goes to|go to|joined)"
    rf" (?:the|an?|{THEIRS}) (?P<group>.+)"
)
_CANCELLED: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:cancell?ed|ended|unsubscribed from|let go of) (?:(?:{THEIRS}|the) )?(?P<what>\w[\w' +&-]*?)"
        rf" {_PAID}{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:cancell?ed|unsubscribed from) (?:(?:{THEIRS}|the) (?:{_PAID} (?:to|at|of|with) )?)?"
        rf"(?!{_DAYS}\b)(?P<what>{CAPITAL}[\w'+&-]*(?: {CAPITAL}[\w'+&-]*)?){PLAIN_TAIL}"
    ),
)
_PAYS: Final = any_case(
    rf"{WHO} {_STILL}(?:(?:has|have) (?:an? |the )?(?:{_PAID} (?:to|at|of|with) (?:the )?(?P<to>.+)"
    rf"|(?P<what>.+?) {_PAID}.*)|(?:is|am) (?:subscribed to|an? member of) (?P<of>.+)|pays? for (?P<pays>.+))"
)
_MOVED_OUT: Final = any_case(
    rf"{WHO} {NEWS}moved out(?: of (?:{THEIRS} )?(?P<whose>[\w-]+)(?:'s|s')?(?: old)? {_HOME})?{PLAIN_TAIL}"
)
_WITH_WHOM: Final = any_case(rf"{WHO} {_STILL}(?:lives?|is living|am living) (?:(?:together )?with|at) (?P<whom>.+)")
_ON_PLAN: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:upgraded|downgraded|switched|changed|moved)(?: from .+?)? to (?:the |an? |{THEIRS} )?"
        rf"(?P<plan>(?:[\w+-]+ ){{1,3}}?{_PLAN}){PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} (?:is|am|are) now on (?:the|an?) (?P<plan>(?:[\w+-]+ ){{1,3}}?{_PLAN})[.! ]*$"),
    any_case(rf"{WHO} (?:is|am|are) on (?:the|an?) (?P<plan>(?:[\w+-]+ ){{1,3}}?{_PLAN}) now[.! ]*$"),
)
_HAS_PLAN: Final = any_case(
    rf"(?:{WHO} {_STILL}(?:(?:is|am|are) on|(?:has|have)|uses?) (?:the|an?)"
    rf"|{OWNER} (?:current )?{_PLAN} is (?:the )?) ?(?P<plan>(?:[\w+-]+ ){{0,3}}?(?P<kind>{_PLAN}))\b.*"
)
_SORTS: Final = frozenset(
    "meal diet training payment pension data workout fitness health insurance phone mobile broadband savings treatment"
    " care exercise business marriage lesson funeral".split()
)
"""What a plan may be for, other than the use of something."""

_FOUND: Final = any_case(
    rf"{WHO} {NEWS}(?:found|got|landed|bought|rented|adopted) (?:an?|the|{THEIRS}) (?:(?:new|first|nice|lovely|great"
    rf"|good|little|small|big|bigger|smaller|full-time|part-time|permanent|{ONE_OR_MORE}-bed(?:room)?) ){{0,2}}"
    r"(?P<what>job|flat|apartment|house|flatmate|roommate|housemate|nanny|puppy|kitten)"
    rf"(?: (?!in order\b)(?:at|with|as|in|near|on|called|named|through)\b.*)?{PLAIN_TAIL}"
)
_SEARCH: Final = any_case(
    rf"{WHO} {_STILL}(?:(?:is|am|are) (?:{_STILL})?(?:(?:looking|searching|hunting|saving(?: up)?) for"
    r" (?:an?|the|another|some) (?:[\w-]+ ){0,2}?(?P<what>job|flat|apartment|house|flatmate|roommate|housemate|nanny"
    r"|puppy|kitten)\b(?! (?:key|deposit|swap|party|plant)).*|job[ -]hunting|unemployed|between jobs|out of work))"
)
_DWELLINGS: Final = frozenset({"flat", "apartment", "house"})
_ON_SHIFTS: Final = (
    any_case(rf"{WHO} (?:is|am|works?|does|do) now (?:on )?{_SHIFT} ?(?:shift)?s(?: now)?{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:is|am|works?|does|do) (?:on )?{_SHIFT} ?(?:shift)?s now{PLAIN_TAIL}"),
    any_case(rf"{WHO} {NEWS}(?:switched|moved|changed|went)(?: from .+?)? to {_SHIFT} ?(?:shift)?s{PLAIN_TAIL}"),
)
_HAS_SHIFTS: Final = any_case(rf"{WHO} {_STILL}(?:(?:is|am) on|works?|does|do) (?:the )?{_SHIFT} ?(?:shift)?s")
_NEW_ONE: Final = any_case(
    rf"{WHO} {NEWS}(?:has|have|got|has got|have got) an? (?:\w+ )?new (?P<role>{_ONE_AT_A_TIME})"
    rf"(?:,? (?:called |named )?(?P<name>{NAME}))?{PLAIN_TAIL}"
)
_WHO_IT_IS: Final = any_case(
    rf"(?:{OWNER} (?P<whose>{_ONE_AT_A_TIME}) is (?:called |named )?(?P<is>{NAME})"
    rf"|{WHO} {_STILL}(?:has|have) an? (?P<has>{_ONE_AT_A_TIME}),? (?:called |named )?(?P<named>{NAME})"
    rf"|(?P<name>{NAME}) is {OWNER} (?P<role>{_ONE_AT_A_TIME}))"
)
_BOUGHT_HOME: Final = (
    any_case(
        rf"{WHO} {NEWS}bought (?:an?|{THEIRS}) (?:[\w-]+ ){{0,3}}?{_HOME}(?: in [\w' -]+?)? and (?:have |has )?"
        rf"(?:just )?moved in{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}moved into {THEIRS} own (?:[\w-]+ )?{_HOME}{PLAIN_TAIL}"),
)
_RENTS: Final = any_case(
    rf"{WHO} {_STILL}(?:rents?|(?:is|am|are) renting) (?:an?|the) (?:[\w-]+ ){{0,3}}?(?:{_HOME}|room|studio)\b"
    r"(?! out\b).*"
)


def _of_group(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells of being in a group that has the words by which it was left; nothing where two have them."""
    wanted = found["group"].casefold().split()
    told = {place: it["group"].casefold() for place, text in enumerate(known) if (it := _IN_GROUP.fullmatch(text))}
    meant = [place for place, group in told.items() if _has_words(group, wanted) and " and " not in group]
    groups = {re.split(r" (?:in|at|on|since|for|every|as|with)\b|,", told[it], maxsplit=1)[0] for it in meant}
    return meant if len(groups) == 1 else []


def _has_words(group: str, wanted: Sequence[str]) -> bool:
    words = re.findall(r"[\w'-]+", group)
    return wanted[-1] in words and all(it in words[: words.index(wanted[-1])] for it in wanted[:-1])


def _of_subscription(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    wanted, told = found["what"].casefold(), [_PAYS.fullmatch(it) for it in known]
    return [
        place
        for place, it in enumerate(told)
        if it is not None and _begins((it["to"] or it["what"] or it["of"] or it["pays"]).casefold(), wanted)
    ]


def _begins(text: str, wanted: str) -> bool:
    return re.match(rf"{re.escape(wanted)}(?! and\b)(?:$|[ ,;])", text) is not None


def _of_home(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return with whom, or at whose place, somebody lives, if it is whose place they left, or the only one."""
    told = {place: it["whom"] for place, text in enumerate(known) if (it := _WITH_WHOM.fullmatch(text)) is not None}
    if found["whose"] is None:
        return [*told] if len(told) == 1 else []
    whose = stem(found["whose"].casefold().removesuffix("'s"))
    return [place for place, whom in told.items() if whose in map(stem, re.findall(r"[a-z-]+", whom.casefold()))]


def _of_plan(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the plan of the same sort that was another one, if there is one."""
    plan = found["plan"].casefold()
    told = {place: it for place, text in enumerate(known) if (it := _HAS_PLAN.fullmatch(text)) is not None}
    others = [it for it, has in told.items() if has["plan"].casefold() != plan and _sort(has["plan"]) == _sort(plan)]
    return others if len(others) == 1 else []


def _sort(plan: str) -> frozenset[str]:
    """Return what tells a plan for one thing from a plan for another."""
    *which, kind = plan.casefold().split()
    return frozenset({kind, *which} & {kind, *_SORTS})


def _of_search(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that somebody looks for what they have found."""
    wanted = found["what"].casefold()
    told = [_SEARCH.fullmatch(it) for it in known]
    return [
        place
        for place, it in enumerate(told)
        if it is not None and (wanted == (it["what"] or "job").casefold() or {wanted, it["what"]} <= _DWELLINGS)
    ]


def _of_shifts(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    told = {place: it["shift"] for place, text in enumerate(known) if (it := _HAS_SHIFTS.fullmatch(text)) is not None}
    return [place for place, shift in told.items() if shift.casefold() != found["shift"].casefold()]


def _of_role(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who it was, of whom one has one at a time; it is no longer the one who is told of by another name."""
    role, name = found["role"].casefold(), (found["name"] or "").casefold()
    told = {place: it.groupdict() for place, text in enumerate(known) if (it := _WHO_IT_IS.fullmatch(text)) is not None}
    same = {place: it for place, it in told.items() if role in {(it[key] or "").casefold() for key in _ROLE_GROUPS}}
    names = {place: next(it[key] for key in _NAME_GROUPS if it[key]).casefold() for place, it in same.items()}
    return [place for place, it in names.items() if it != name]


def _of_rent(_found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    told = [place for place, text in enumerate(known) if _RENTS.fullmatch(text)]
    return told if len(told) == 1 else []


_ROLE_GROUPS: Final = ("whose", "has", "role")
_NAME_GROUPS: Final = ("is", "named", "name")

LEFT_BEHIND: Final = (
    Ends(_of_group, _LEFT_GROUP),
    Ends(_of_subscription, _CANCELLED),
    Ends(_of_home, (_MOVED_OUT,)),
    Ends(_of_plan, _ON_PLAN),
    Ends(_of_shifts, _ON_SHIFTS),
    Ends(_of_search, (_FOUND,)),
    Ends(_of_role, (_NEW_ONE,)),
    Ends(_of_rent, _BOUGHT_HOME),
)
"""Sentences that say that something was left, and what they end of all that is remembered."""
