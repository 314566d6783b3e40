"""What a change puts in doubt, in words that name it by halves: "I switched to Firefox", "I quit the race". English.

Verbs of change say what is over or what came instead, seldom both. What is over is found by its name in what the user
is told to have or do now; what came instead by its kind: Firefox is a browser, and Chrome was the only other one. The
rules of `endings` end; these only mark, for "I switched to Firefox" does not say where.

All texts are in the user's own voice. What somebody wants, nearly did or did for a while changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.endings.by_now import MANY, is_other_name
from langchain_agentmem.english.endings.ending_words import (
    BACK_AGAIN,
    FICTION,
    LONG_AGO,
    NEWS,
    PLAIN_TAIL,
    Ends,
    any_case,
    plain,
)
from langchain_agentmem.english.endings.lives_in_doubt import LIVES_IN_DOUBT
from langchain_agentmem.english.people.beings import NAME, OWNER, THEIRS, WHO
from langchain_agentmem.english.people.belongings import WHAT
from langchain_agentmem.english.people.whose import clauses_of
from langchain_agentmem.english.words.calendar_words import MONTH, SEASON, WEEKDAY
from langchain_agentmem.english.words.change_words import NOT_DONE
from langchain_agentmem.english.words.kin_words import A_PARTNER, any_of
from langchain_agentmem.english.words.kinds import kinds_in
from langchain_agentmem.english.words.lexicon import ROLES
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import TITLE, TITLED
from langchain_agentmem.english.words.people_words import people_of
from langchain_agentmem.english.words.word_forms import forms_of

MAX_CHARS: Final = 300
"""Of a text that tells of a change, or of what is in doubt; a longer one tells a story."""

_KEPT: Final = 512
_DET: Final = rf"(?:(?:an?|the|all|some|any|both|{THEIRS}) ){{0,2}}"
_BARE_VERB: Final = any_case(
    r"(?=(?:(?:just|finally|recently|also) )?(?:switched|moved|migrated|upgraded|downgraded|traded|swapped|replaced"
    r"|quit|gave up|kicked|ditched|dropped|cancell?ed|scrapped|abandoned|sold|stopped|got rid of)\b)"
)
"""So begins what somebody tells of themselves in a hurry."""

_AND: Final = any_case(
    rf"(?:,|;|:| -)? (?:and|so|but) (?=(?:{WHO}|{OWNER}) |(?:switched|ditched|quit|sold|gave up|dropped|moved to)\b)"
)
_PASSES: Final = any_case(
    rf"\b(?:for (?:(?:an?|{ONE_OR_MORE}|\d+|some|the|this|a few|a couple of) )?(?:days?|weeks?|months?|while|bit|night"
    r"|evening|weekend|summer|winter|lent|january|holidays?)|until|till|temporarily|for now|for the time being"
    r"|in (?:19|20)\d\d|once|twice|back then|at the time|when I was|if|no(?:t|r)|never|\w+n't)\b"
)
"""What is said beside a change that holds no more, or never came."""


# ------------------------------------------------------------------------------------------------- what came instead
_WENT_OVER: Final = (
    r"(?:(?:switched|changed|moved|migrated|converted|transferred|upgraded|downgraded|defected)(?: (?:over|across"
    r"|on|back))?|(?:went|gone|came|come) (?:over|across|back))"
)
_TEAM: Final = rf"(?:(?:the|{OWNER}) (?:company|team|firm|office|school|department|lab)|work)"
_SINCE: Final = (
    r"(?P<to>[^,;]{1,60}?)(?P<tail>(?:,| (?:and|but|because|since|last|this|in|on|at|for|as|over|now|to)\b).*)?"
)
_CAME: Final = (
    any_case(rf"(?:{WHO}|{_TEAM}) {NEWS}{_WENT_OVER} (?:from (?P<from>[^,;]{{1,40}}?) )?to {_DET}{_SINCE}[.! ]*"),
    any_case(
        rf"(?:{WHO}|{_TEAM}) {NEWS}(?:switched|changed|moved|migrated|transferred) (?:everything"
        rf"|{_DET}(?P<moved>[\w' -]{{1,40}}?)) (?:(?:over )?from (?P<from>[^,;]{{1,40}}?) )?(?:over )?to"
        rf" {_DET}{_SINCE}[.! ]*"
    ),
    any_case(
        rf"{WHO} (?:now use|use|(?:am|are) (?:now )?(?:using|on|with)) {_DET}(?P<to>[^,;]{{1,40}}?) now(?P<tail>)"
    ),
    any_case(rf"{WHO} (?:now use|(?:am|are) now (?:using|on|with)) {_DET}(?P<to>[^,;]{{1,40}}?)(?P<tail>)[.! ]*"),
    any_case(
        rf"{WHO} {NEWS}(?:replaced|swapped|exchanged|traded|ditched|dropped) {_DET}(?P<moved>{WHAT}) (?:in )?(?:for"
        rf"|with|by|in favou?r of) {_DET}{_SINCE}[.! ]*"
    ),
)
_NOT_HELD: Final = any_case(
    r"\b(?:was|were|had|did|used to|hate|dislike|can't|cannot|don't|doesn't|isn't|not|never|no longer|any ?more|quit"
    r"|stopped|gave up|want|wish|would|might|tried|bought|lost|worked|learned|work(?:ing)? (?:at|for)|ago|allergic"
    r"|intolerant|avoid|interview\w*|(?:in|since) (?:19|20)\d\d)\b"
)
_GOES_WITH: Final[Mapping[str, frozenset[str]]] = {
    "bank": frozenset(tokenize("account savings money salary")),
    "carrier": frozenset(tokenize("phone number contract")),
}
"""What goes over with a thing of a kind, and is seldom told with it."""

_NO_USE: Final = any_case(r"\b(?:plays?|playing|watch(?:es|ing)?|visit\w*|liv(?:e|es|ing) in|eats?|eating)\b")
_FOR_WHAT: Final = any_case(
    rf" (?:for|on|at|in) (?:(?:my|the|our|all) )*(?P<what>(?!(?:{MONTH}|{WEEKDAY}|{SEASON}|\d+|good)\b)\w+)"
)


def of_kind(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells of the one other thing of the kind to which somebody went over, for whatever that is used."""
    said = found.groupdict()
    came, left, moved = kinds_in(found["to"]), *(_terms(said.get(it) or "") for it in ("from", "moved"))
    told = {place: _others(kinds_in(text), came) for place, text in enumerate(known)} if came else {}
    meant = {place: it for place, it in told.items() if it and is_used(known[place]) and left <= _terms(known[place])}
    names = {it.split()[0] for others in meant.values() for it in others}
    is_one, purposes = len(names) == 1, purposes_of(found)
    serving = [place for place in meant if is_one and _serves(known[place], purposes)]
    goes_with = frozenset[str]().union(*(_GOES_WITH.get(it, frozenset()) for it in came))
    return [place for place in serving if goes_with & moved or _serves(known[place], moved)]


def purposes_of(found: re.Match[str]) -> frozenset[str]:
    """Return for what, or where, somebody went over to something, by the terms of it."""
    return _terms(" ".join(it["what"] for it in _FOR_WHAT.finditer(f" {found['tail'] or ''}")))


def _holds(text: str) -> bool:
    """Whether a text tells of what the user has or does now."""
    return _NOT_HELD.search(text) is None and _is_own(text)


def is_used(text: str) -> bool:
    """Whether the user has, and uses, what a text names."""
    return _holds(text) and _NO_USE.search(text) is None


def _is_own(text: str) -> bool:
    return not any(it.people for it in clauses_of(text, ()))


def _others(told: Mapping[str, frozenset[str]], came: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the names that are of a kind with what came, and another thing or another model of it."""
    return frozenset(
        name for kind, names in told.items() for name in names if kind in came and _is_other(name, came[kind])
    )


def _is_other(name: str, came: frozenset[str]) -> bool:
    return not any(it == name or it.startswith(f"{name} ") or name.startswith(f"{it} ") for it in came)


def _serves(text: str, purposes: frozenset[str]) -> bool:
    return not purposes or not purposes.isdisjoint(_terms(text))


def _terms(text: str) -> frozenset[str]:
    return frozenset(tokenize(text))


# ------------------------------------------------------------------------------------------------ who came instead
_ROLE_WORDS: Final = rf"(?P<role>(?!(?:[\w-]+ )?{MANY}s?\b)(?:[\w-]+ )?[\w-]+?)"
_OFFICES: Final = people_of("care", "service", "study")
_TITLED_NOW: Final = (
    any_case(
        rf"{WHO} {NEWS}{_WENT_OVER} to (?P<name>(?-i:{TITLE}){NAME})(?: as {OWNER} (?P<role>[\w-]+))?{PLAIN_TAIL}"
    ),
)
_CAME_AFTER: Final = (
    any_case(rf"(?P<name>{TITLED}) {NEWS}(?:took|taken) over as {OWNER} {_ROLE_WORDS}{PLAIN_TAIL}"),
    any_case(rf"(?P<name>{TITLED}) is (?:now )?{OWNER} (?:new )?{_ROLE_WORDS} now{PLAIN_TAIL}"),
    any_case(rf"(?P<name>{TITLED}) is (?:now {OWNER}|{OWNER} new) {_ROLE_WORDS}{PLAIN_TAIL}"),
    any_case(rf"{OWNER} new {_ROLE_WORDS} is (?:called |named )?(?P<name>{TITLED}){PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}(?:has|have|got|has got|have got|found) an? new {_ROLE_WORDS}"
        rf"(?:,? (?:called |named )?(?P<name>{TITLED}))?{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:changed|switched) (?:{THEIRS} )?(?P<role>{any_of(_OFFICES)}|bank|supplier|provider|carrier"
        rf"|insurer|gym|school)s?(?P<name>){PLAIN_TAIL}"
    ),
)
_WHO_WAS: Final = any_case(
    rf"(?:{OWNER} (?P<role>(?:[\w-]+ )?[\w-]+?)(?:'s name)? is (?:now )?(?:with )?(?:called |named )?(?P<name>{TITLED})"
    rf"|(?P<by>{TITLED}) is {OWNER} (?P<as>(?:[\w-]+ )?[\w-]+?))(?: now)?[.! ]*"
)


def _of_office(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who is told by the same title to be what only one is to the user, such as their doctor."""
    role, title = (found["role"] or "").casefold(), found["name"].split()[0].rstrip(".")
    told = {place: it for place, it in _holders(known).items() if it[1].split()[0].rstrip(".") == title}
    meant = {place: it for place, it in told.items() if (it[0].split()[-1] in _OFFICES if not role else it[0] == role)}
    roles = {it[0] for it in meant.values()}
    return [place for place, it in meant.items() if len(roles) == 1 and is_other_name(it[1], found["name"])]


def _of_role(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who it was before, where one is known."""
    role, name = found["role"].casefold(), found["name"] or ""
    told = {place: it for place, it in _holders(known).items() if it[0] == role}
    meant = {place: it[1] for place, it in told.items() if is_other_name(it[1], name)}
    return list(meant) if len(set(meant.values())) == 1 else []


def _holders(known: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return what each one by name is to the user."""
    found = {
        place: it for place, text in enumerate(known) if (it := _WHO_WAS.fullmatch(text.rstrip(".! "))) is not None
    }
    return {place: ((it["role"] or it["as"]).casefold(), it["name"] or it["by"]) for place, it in found.items()}


# ------------------------------------------------------------------------------------------------------ what is over
_OVER_NOW: Final = (
    r"(?:quit|gave up|given up|cut out|sw(?:ore|orn) off|dropped out of|pulled out of|backed out of|withdrew from"
    r"|called off|cancell?ed|scrapped|abandoned|shelved|ditched|unsubscribed from|ripped out)"
)
_MINE: Final = rf"(?:{THEIRS}|the)"
_STILL_THERE: Final = r"(?!(?:[\w'-]+ )?(?:old|first|last|previous|former|spare|other|second|ex|one|idea of)\b)"
_WHOLLY: Final = r"(?: (?:altogether|completely|entirely|for good))*"
_OVER: Final = (
    any_case(rf"{WHO} {NEWS}{_OVER_NOW} {_DET}{_STILL_THERE}(?!\w+ing\b)(?P<what>{WHAT}){_WHOLLY}{PLAIN_TAIL}"),
    any_case(rf"{WHO} {NEWS}{_OVER_NOW} {_DET}(?P<what>\w+ing)(?: (?:to )?{_DET}(?P<of>{WHAT}))?{_WHOLLY}{PLAIN_TAIL}"),
    any_case(rf"{WHO} {NEWS}kicked {_DET}(?P<what>{WHAT}) (?:habit|addiction)(?: for good)?{PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}(?:sold|got rid of|gotten rid of|deleted|shut down|tore down) {_MINE} {_STILL_THERE}"
        rf"(?P<what>{WHAT})(?: to \w.*)?{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:moved|switched|migrated|changed)(?: over| away)? from {_DET}(?P<left>{WHAT})(?: to .+)?"
        rf"{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}(?:stepped down|resigned|quit) as {_DET}(?P<office>{WHAT}){PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}stopped (?P<does>(?!being\b)\w+ing) (?:(?P<at>from|to|with|on|at|in) )?{_DET}(?P<what>{WHAT})"
        rf"{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:traded|swapped|replaced|exchanged) (?:in )?{_DET}{_STILL_THERE}(?P<what>{WHAT})"
        rf" (?:in )?(?:for|with|by) {_DET}{WHAT}{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}dropped (?P<what>{NAME}){PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}dropped {_DET}(?P<what>(?:[\w-]+ ){{0,2}}(?:course|class|lessons?|module|plan|project|major"
        rf"|subject|diet|standup|meeting|subscription)){PLAIN_TAIL}"
    ),
)
_NOT_MEANT: Final = (
    frozenset(
        "battery screen tyre tyres tire tires case cover lid keyboard charger brake brakes handle string strings share"
        " shares ticket tickets key keys seat school college university uni".split()
    )
    | ROLES
)
"""What somebody replaced a part of, or of which one may leave one and go to another: a plumber who was cancelled comes
another day."""

_NOT_THE_SAME: Final = frozenset(tokenize("thing stuff it lot day week time way everything job habit"))
_ANY_DEED: Final = frozenset(tokenize("do use take have eat get keep make play go"))
_KINDS_OF: Final[Mapping[str, frozenset[str]]] = {
    term: frozenset(tokenize(kinds))
    for words, kinds in {
        "coffee caffeine": "coffee espresso cappuccino latte",
        "alcohol booze drinking": "alcohol beer wine whisky gin",
        "cigarettes smoking tobacco": "cigarettes smoke smoker",
        "sweets chocolate": "chocolate sweets",
    }.items()
    for term in tokenize(words)
}
"""What goes with a thing that is named for all of its kind."""

_BEHIND: Final = (
    r"(?=$|[,;.!]| (?!of\b)(?:[a-z]+ly|a (?:lot|bit)|and|or|but|because|since|so|as|with|on|at|in|for|from|to|every"
    rf"|each|once|twice|{TWO_OR_MORE}|when|while|before|after|if|near|by|about|all|most|this|next|again|now|is|are|\d)\b)"
)


_AND_MORE: Final = any_case(r"(?:,|;| (?:and|with|but|because|when|while|where|which|that|who)) ")
"""Behind it a text tells more than what the user has or does."""


def _of_named(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that the user has or does now what is over."""
    said = found.groupdict()
    what = next(it for it in map(said.get, ("what", "office", "left")) if it is not None)
    wanted = [it for it in tokenize(f"{said.get('of') or ''} {what}") if it not in _NOT_THE_SAME]
    does = next(iter(tokenize(said.get("does") or "")), None)
    is_another = what.casefold().split()[-1] in _NOT_MEANT and not said.get("office")
    if not wanted or is_another or (does in _ANY_DEED and said.get("at")):
        return ()
    deed = frozenset[str]() if does is None or does in _ANY_DEED else frozenset({does})
    told = [(place, text) for place, text in enumerate(known) if deed <= _terms(text)]
    if said.get("office"):
        return [place for place, text in told if {*wanted} <= _terms(text) and _holds(text)]
    named = [(place, text) for place, text in told if _names(text, wanted) and _holds(text)]
    return [place for place, text in named if not _is_of_person_or_place(text, said)]


def _is_of_person_or_place(text: str, said: Mapping[str, str | None]) -> bool:
    """Whether it tells who somebody is, or of a place that somebody moved from: what else is there may stay so."""
    left = said.get("left")
    is_there = left and re.search(rf"\b(?:in|at|near|from|to) (?:the )?{re.escape(left)}", text, re.IGNORECASE)
    return bool(is_there) or _WHO_WAS.fullmatch(text) is not None


def _names(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text names the thing whose words these are, and does not only begin another name with it."""
    told = _terms(text)
    if not all(not told.isdisjoint({it, *_same(it)}) for it in wanted):
        return False
    first = _AND_MORE.split(text, maxsplit=1)[0]
    ends = (it[0] for it in re.finditer(rf"[\w'-]+{_BEHIND}", first, re.IGNORECASE))
    return any(not _terms(word).isdisjoint({wanted[-1], *_same(wanted[-1])}) for word in ends)


def _same(term: str) -> frozenset[str]:
    """Return a term's other forms, and the kinds of what it names."""
    return frozenset((*forms_of(term), *_KINDS_OF.get(term, ())))


_THINGS: Final = any_case(
    rf"{WHO} {NEWS}(?:sold|got rid of|scrapped|totall?ed|wrecked) (?:{THEIRS}|the) (?P<what>car|phone|laptop)(?P<to>)"
    rf"{PLAIN_TAIL}"
)


def _of_thing(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells of the one thing by its name which is over by its kind."""
    kind = found["what"].casefold()
    told = {place: it for place, text in enumerate(known) if (it := kinds_in(text).get(kind)) and is_used(text)}
    names = frozenset[str]().union(*told.values())
    return list(told) if len(names) == 1 else []


_DOUBTS: Final[Sequence[Ends]] = (
    Ends(of_kind, _CAME),
    Ends(_of_office, _TITLED_NOW),
    Ends(_of_role, _CAME_AFTER),
    Ends(_of_named, _OVER),
    Ends(_of_thing, (_THINGS,)),
    *LIVES_IN_DOUBT,
)


def put_in_doubt(text: str, known: Sequence[str]) -> tuple[int, ...]:
    """Return the places of what a statement likely leaves out of date, by a change that it tells of.

    Args:
        text: What is said now, in the user's own voice.
        known: What is remembered, likewise.

    Example:
        >>> put_in_doubt("I switched to Firefox", ["I use Chrome", "I like tea"])
        (0,)
        >>> (
        ...     put_in_doubt("I nearly switched to Firefox", ["I use Chrome"]),
        ...     put_in_doubt("I like jazz", ["I use Chrome"]),
        ... )
        ((), ())
    """
    told = [plain(it).rstrip(".! ") if len(it) <= MAX_CHARS else "" for it in known]
    return tuple(sorted({place for it, found in changes_read(text) for place in it.means(found, told)}))


def tells_of_change(text: str) -> bool:
    """Whether a statement may put anything in doubt, whatever is known."""
    return bool(changes_read(text))


_NEWS_WORDS: Final = any_case(
    r"\b(?:switched|changed|moved?|migrated|converted|transferred|upgraded|downgraded|defected|over|across|back|now|new"
    r"|replaced|swapped|exchanged|traded|ditched|dropped|quit|gave up|given up|cut|swore|sworn|pulled|backed|withdrew"
    r"|called|broke|broken|cancell?ed|scrapped|abandoned|shelved|unsubscribed|ripped|kicked|sold|rid|deleted|shut|tore"
    rf"|stepped|resigned|stopped|totall?ed|wrecked|lives?|[a-z]+mate|{A_PARTNER}"
    r"|met|dating|seeing|engaged|married|together|official|item|couple|rings|ended|off|first"
    r"|second|third|fourth|fifth|sixth|born|again|full[- ]time|part[- ]time|job)\b"
)
"""Without one of these words no change is told: most statements have none, and need not be read."""


@of_texts(_KEPT)
def changes_read(text: str) -> Sequence[tuple[Ends, re.Match[str]]]:
    """Return the changes of which a text tells, each with what it puts in doubt."""
    if len(text) > MAX_CHARS or not _NEWS_WORDS.search(text):
        return ()
    said = plain(text)
    if any(it.search(said) for it in (FICTION, LONG_AGO, BACK_AGAIN, NOT_DONE, _PASSES)):
        return ()
    tried = ((it, pattern.fullmatch(told)) for told in _parts(said) for it in _DOUBTS for pattern in it.patterns)
    return [(it, found) for it, found in tried if found is not None]


def _parts(text: str) -> Sequence[str]:
    """Return a sentence, and what further ones stand in it, each with its subject."""
    return [_BARE_VERB.sub("I ", it, count=1) if _BARE_VERB.match(it) else it for it in (text, *_AND.split(text)[1:])]
