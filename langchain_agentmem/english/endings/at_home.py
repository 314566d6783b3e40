"""What changes at home, and what ends by it: a wedding, a move, a birthday, a bike at last, a pet put down. English.

"I married Dan" ends being engaged to him, "I moved in with Franz in Ortenburg" the home before and the plan to, "My son
turned 7" that he is 6, "I bought a bike" that there is none. Each leaves what it does not name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, STATE, TAKES, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.people.beings import (
    ADJECTIVES,
    ANIMALS,
    BEING,
    LOWER_NAME,
    NAME,
    OWNER,
    PARTNER,
    THEIRS,
    WHO,
    Being,
    being_of,
    kin_of,
)
from langchain_agentmem.english.people.belongings import WHAT, belongings_meant
from langchain_agentmem.english.words.patterns import CAPITAL

_STILL: Final = r"(?:(?:now|currently|still|also) )*"
_PLACE: Final = r"[a-zäöüßéè]+(?:[ -][a-zäöüßéè]+)?"
_HOME: Final = r"(?:place|house|flat|home|apartment|room)"

_SOMEBODY: Final = rf"(?:{THEIRS} {ADJECTIVES}(?P<role>{BEING})s?(?:,? (?P<named>{NAME}))?|(?P<name>{NAME}))"

# ----------------------------------------------------------------------------------------------------------- weddings
_WED: Final = r"(?:got|gotten) (?:finally )?married|tied the knot|got hitched"
_MARRIED: Final = (
    any_case(rf"{WHO} {NEWS}(?:{_WED})(?: (?:to|with) (?P<name>{NAME}))?{PLAIN_TAIL}"),
    any_case(rf"{WHO} {NEWS}married (?:{THEIRS} {ADJECTIVES}{PARTNER},? )?(?P<name>{NAME}){PLAIN_TAIL}"),
)
_FIANCE: Final = frozenset({"fiance", "fiancee", "fiancé", "fiancée"})

# -------------------------------------------------------------------------------------------------------------- homes
_MOVED_IN: Final = (
    any_case(rf"{WHO} {NEWS}moved in with {_SOMEBODY}(?: in (?P<place>{_PLACE}))?{PLAIN_TAIL}"),
    any_case(
        rf"{WHO} (?:now lives?|lives? now|(?:is|am|are) now living) with {_SOMEBODY}(?: in (?P<place>{_PLACE}))?"
        rf"{PLAIN_TAIL}"
    ),
)
_MOVED_INTO: Final = (
    any_case(rf"{WHO} {NEWS}moved into (?:{THEIRS}|an?) (?:[\w-]+ ){{0,3}}?{_HOME} in (?P<place>{_PLACE}){PLAIN_TAIL}"),
)
_BY_SELF: Final = r"(?:alone|by (?:myself|themselves)|on (?:my|their) own)"
_ALONE_NOW: Final = (
    any_case(rf"{WHO} (?:lives?|(?:is|am|are) living) {_BY_SELF} now.*"),
    any_case(rf"{WHO} (?:now lives?|(?:is|am|are) now living) {_BY_SELF}.*"),
)
_IN_TOWN: Final = (
    any_case(rf"{WHO} (?:is|am|are) (?:finally |back )?in (?P<place>{_PLACE}?) now{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:is|am|are) now (?:back )?in (?P<place>{_PLACE}){PLAIN_TAIL}"),
)
_OFF: Final = "(?:now )?(?:off|cancell?ed)"
_STAYS: Final = (
    any_case(
        rf"{WHO} (?:is|am|are) not (?:moving|relocating)(?: (?:back )?to (?P<place>{_PLACE}?))? (?:after all"
        rf"|any ?(?:more|longer)){PLAIN_TAIL}"
    ),
    any_case(rf"(?:the|{OWNER}) (?:(?P<place>{_PLACE}) )?(?:move|relocation) is {_OFF}{PLAIN_TAIL}"),
    any_case(rf"(?:the|{OWNER}) (?:move|relocation) to (?P<place>{_PLACE}) is {_OFF}{PLAIN_TAIL}"),
    any_case(
        rf"(?:{WHO} {NEWS}(?:scrapped|dropped|abandoned|shelved)|(?:please )?scrap) (?:the|{THEIRS})"
        rf" (?:(?P<place>{_PLACE}) )?(?:move|relocation){PLAIN_TAIL}"
    ),
)
_MOVES: Final = any_case(
    rf"{WHO} (?:{_STILL}(?:is|am|are|will be) {_STILL}(?:moving|relocating)|plans? to move|wants? to move)(?: back)?"
    rf" to (?P<place>.+)"
)
_MOVES_IN: Final = any_case(
    rf"{WHO} (?:is|am|are|will be) (?:moving in|going to (?:move in|live)) with {_SOMEBODY}\b.*"
)
_LIVES: Final = any_case(
    rf"{WHO} {_STILL}(?:lives?|(?:is|am|are) (?:living|based)) in"
    rf" (?P<place>{CAPITAL}[\w'-]+(?: {CAPITAL}[\w'-]+)*)(?:,.*| (?:since|for|with|now|near|and)\b.*)?[.! ]*"
)
_ALONE: Final = any_case(rf"{WHO} {_STILL}(?:lives?|(?:is|am|are) living) (?:alone|by themselves|on their own)\b.*")
_WITH_SOMEBODY: Final = any_case(
    rf"{WHO} {_STILL}(?:lives?|(?:is|am|are) living) (?:together )?with (?!(?:an?|the)\b).+"
)

# --------------------------------------------------------------------------------------------------------------- ages
_YEARS: Final = r"(?P<age>\d{1,3})(?: years? old)?"
_WHOSE_AGE: Final = (
    rf"(?:{OWNER} {ADJECTIVES}(?P<role>{BEING})(?:,? (?P<named>{NAME}),?)?|(?P<name>[a-z][\w-]+)) {NEWS}"
)
_TURNED: Final = (
    any_case(rf"{_WHOSE_AGE}(?:turned|is now) {_YEARS}{PLAIN_TAIL}"),
    any_case(rf"{_WHOSE_AGE}is {_YEARS} now{PLAIN_TAIL}"),
)
_IS_AGED: Final = any_case(
    rf"(?:has )?{NEWS}(?:is|turned) (?:now )?{_YEARS}(?: now)?(?:,.*| (?:on|in|last|this|today|yesterday)\b.*)?[.! ]*"
)

# -------------------------------------------------------------------------------------------------------------- things
_GOT: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:(?:bought|adopted|finally got) (?:{THEIRS} |an? )|got {THEIRS} (?:very )?(?=own |first ))"
        rf"(?:new |own |first )?(?P<what>{WHAT}){PLAIN_TAIL}"
    ),
)
_LACKS: Final = any_case(
    rf"{WHO} (?:(?:do|does)(?: not|n't) (?:(?:currently|yet) )?(?:have|own)|(?:have|has) no)(?: (?:an?|any))?"
    rf" (?P<what>{WHAT}?)(?: yet| at the moment| right now| of (?:my|their) own)?[.! ]*"
)
_PUT_DOWN: Final = (
    any_case(
        rf"(?:{WHO}|the vet) {NEWS}had to (?:put|have) (?:{OWNER} {ADJECTIVES}|the )?"
        rf"(?P<what>{'|'.join(sorted(ANIMALS))}|{NAME}) (?:to sleep|down|put (?:to sleep|down)){PLAIN_TAIL}"
    ),
)
_DIED_SMALL: Final = (
    any_case(
        rf"(?P<what>{LOWER_NAME}) {NEWS}(?:died|passed away|(?:was|has been|had to be) put (?:down|to sleep))"
        rf"{PLAIN_TAIL}"
    ),
    any_case(
        rf"(?P<what>{LOWER_NAME}|{NAME}) {NEWS}(?:crossed the rainbow bridge.*|went to sleep (?:(?:last night|yesterday"
        r"|this morning|today) )?(?:for the last time|forever|(?:god|may (?:he|she)|rip|rest|bless)\b.*))"
    ),
)
"""In small letters, and in soft words: of an animal that is known by that name, and of no phone."""

_HANDED: Final = r"(?!(?:phone |e-?mail )?(?:number|address|e-?mail|name|keys?|notice|word|cv|details|consent|life)\b)"
_TAKEN: Final = (
    any_case(
        rf"(?:someone|somebody|thieves|a thief|they) {NEWS}(?:stole|nicked|pinched) (?:{THEIRS}|{OWNER})"
        rf" (?P<what>{WHAT}){PLAIN_TAIL}"
    ),
    any_case(rf"{OWNER} (?P<what>{WHAT}) (?:was|got|has been) {NEWS}(?:nicked|pinched)(?: from .+)?{PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}(?:gave|donated) (?:{THEIRS}|the) {_HANDED}(?P<what>{WHAT}) to (?:{THEIRS} {ADJECTIVES}{BEING}s?"
        rf"(?:,? {NAME})?|an? friend|charity){PLAIN_TAIL}"
    ),
)
_STOPPED: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:stopped|quit|ditched|discontinued)(?: taking)? (?!(?:{THEIRS} )?job\b)(?:{THEIRS} |the )?"
        r"(?!(?:car|bus|train|tram|bike|van|taxi|lift|stairs|engine|clock|timer|music|video)\b)"
        rf"(?P<what>{WHAT}){PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:swapped|switched) (?:{THEIRS} |the )?(?:from )?(?P<what>{WHAT}) (?:for|to|with)"
        rf" (?!an? (?:week|day|while|month)\b)(?P<now>{WHAT}){PLAIN_TAIL}"
    ),
)


def _of_engagement(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return that somebody is engaged, or a fiancé, who is married by now."""
    name = found.groupdict().get("name")
    states = {place: it for place, it in told_by(STATE, known).items() if it["how"].casefold() != "married"}
    promised = [
        place
        for place, it in states.items()
        if (name is None and it["how"].casefold() == "engaged") or (name is not None and _names(it["rest"], name))
    ]
    beings = ((place, being_of(it)) for place, it in enumerate(known))
    fiances = [
        place for place, it in beings if it is not None and it.is_naming and it.word in _FIANCE and _is(it, name)
    ]
    return sorted({*promised, *fiances})


def _names(rest: str | None, name: str) -> bool:
    return not rest or re.match(rf"{re.escape(name)}(?![\w-])", rest, re.IGNORECASE) is not None


def _is(being: Being, name: str | None) -> bool:
    return name is None or being.name is None or being.name == name


def _of_household(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the home elsewhere, living alone, and the plan to live with them."""
    return sorted({*_elsewhere(found["place"], known), *told_by(_ALONE, known), *_plans_with(found, known)})


def _plans_with(found: re.Match[str], known: Sequence[str]) -> list[int]:
    name, role = found["named"] or found["name"], (found["role"] or "").casefold()
    plans = told_by(_MOVES_IN, known)
    return [
        place
        for place, it in plans.items()
        if (name is not None and name == (it["named"] or it["name"]))
        or (role and role == (it["role"] or "").casefold())
    ]


def _elsewhere(where: str | None, known: Sequence[str]) -> list[int]:
    if where is None:
        return []
    return [place for place, it in told_by(_LIVES, known).items() if not _is_place(it["place"], where)]


def _is_place(told: str, where: str) -> bool:
    return re.match(rf"{re.escape(where)}(?![\w-])", told, re.IGNORECASE) is not None


def _of_old_home(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return _elsewhere(found["place"], known)


def _of_housemates(_found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return list(told_by(_WITH_SOMEBODY, known))


def _of_arrival(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the plan to move to where somebody is by now, and the home that they left for it."""
    plans = [place for place, it in told_by(_MOVES, known).items() if _is_place(it["place"], found["place"])]
    return sorted({*plans, *_elsewhere(found["place"], known)}) if plans else ()


def _of_move(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the plan to move which is off: to where it is said, or the only one."""
    plans, where = told_by(_MOVES, known), found["place"]
    meant = [place for place, it in plans.items() if where is None or _is_place(it["place"], where)]
    return meant if where is not None or len(meant) == 1 else ()


def _of_age(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return how old somebody was said to be; of two of the same role, the one who was a year younger."""
    beings = [being_of(it) for it in known]
    said = found["named"] or found["name"]
    names = {it.name.casefold(): it.name for it in beings if it is not None and it.name is not None}
    name = names.get(said.casefold(), said) if said else None
    meant = kin_of(beings, found["role"], name, ()) or (Being(None, name) if name else None)
    if meant is None:
        return ()
    told = {place: it for place, it in enumerate(beings) if it is not None and meant.is_told_in(it)}
    ages = {place: int(is_aged["age"]) for place, it in told.items() if (is_aged := _IS_AGED.fullmatch(it.rest))}
    younger = {place: age for place, age in ages.items() if age < int(found["age"])}
    is_one = len(set(ages.values())) == 1
    return [place for place, age in younger.items() if is_one or age == int(found["age"]) - 1]


def _of_lack(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    what = found["what"].casefold()
    return [place for place, it in told_by(_LACKS, known).items() if it["what"].casefold() == what]


def _of_animal(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who the animal is, or that there is one, which is dead."""
    beings, what = [being_of(it) for it in known], found["what"]
    is_named = what.casefold() not in ANIMALS
    names = {it.name.casefold(): it.name for it in beings if it is not None and it.name is not None}
    name = names.get(what.casefold(), what)
    meant = kin_of(beings, None if is_named else what, name if is_named else None, ())
    if meant is None or not meant.is_pet:
        return ()
    return [place for place, it in enumerate(beings) if it is not None and meant.is_told_in(it)]


def _of_belonging(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return belongings_meant(found["what"], known)


def _of_taking(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return that something is taken, in whatever dose."""
    what = re.compile(rf"{re.escape(found['what'])}(?! (?:and|or)\b)(?:$|[ ,;].*)", re.IGNORECASE)
    return [place for place, it in told_by(TAKES, known).items() if what.fullmatch(it["what"])]


CHANGED_AT_HOME: Final = (
    Ends(_of_engagement, _MARRIED, is_passing=True, tells="change"),
    Ends(_of_household, _MOVED_IN, is_passing=True, tells="change"),
    Ends(_of_old_home, _MOVED_INTO, is_passing=True, tells="change"),
    Ends(_of_age, _TURNED, is_passing=True, tells="change"),
    Ends(_of_lack, _GOT, is_passing=True, tells="change"),
)
"""Sentences that say that something happened at home, and what they end of all that is remembered.

Each is worth remembering by itself only where it ends something.
"""

GONE_FROM_HOME: Final = (
    Ends(_of_animal, (*_PUT_DOWN, *_DIED_SMALL), is_passing=True),
    Ends(_of_belonging, _TAKEN, is_passing=True),
    Ends(_of_taking, _STOPPED, is_passing=True),
)
"""The same of what is gone, or taken no more."""

AT_HOME_NOW: Final = (
    Ends(_of_housemates, _ALONE_NOW, is_passing=True, tells="state"),
    Ends(_of_arrival, _IN_TOWN, is_passing=True, tells="state"),
    Ends(_of_move, _STAYS, is_passing=True, tells="state"),
)
"""The same of how it is there by now."""
