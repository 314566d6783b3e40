"""What is over: a thing sold, a life, a couple, a pregnancy, a job. English.

A sentence that says so ends what was remembered as holding now, and leaves what was: who somebody is by name, and what
they once did. Which memories it means is told by the words of both; where two may be meant, none is ended.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from langchain_agentmem.policies._beings import (
    ADJECTIVES,
    BEING,
    NAME,
    OWNER,
    PARTNER,
    THEIRS,
    WHO,
    Being,
    being_of,
    kin_of,
)
from langchain_agentmem.policies._belongings import WHAT, belongings_meant

MAX_CHARS: Final = 300
"""Of a sentence that ends something; a longer text tells a story."""

_NEWS: Final = (
    r"(?:(?:just|finally|recently|already|sadly|now|also|actually|eventually|officially|unfortunately|have|has|both"
    r"|suddenly|peacefully) ){0,3}"
)
_DAYS: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|spring|summer|autumn|fall|winter|morning|afternoon|evening|night|weekend"
)
_WHEN: Final = (
    r"(?:(?:last|this|yesterday|today|recently|early|late|back|earlier"
    rf"|(?:on|in|since|over) (?=(?:the )?(?:early |late |mid-?)?(?:{_DAYS}|\d))"
    r"|an? (?:few |couple of )?(?:day|week|month|year|while)s?|(?:two|three|four|five|six|some|\d+) (?:day|week"
    r"|month|year)s?)"
    r"\b.*)"
)
_SO: Final = r"(?:,? (?:and|so|but|because|since|when|after|before|to|with|over|due|by|as|now|already|for)\b.*|,.*)"
_PLAIN_TAIL: Final = rf"(?: {_WHEN}|{_SO})?[.! ]*$"
_TAIL: Final = rf"(?: {_WHEN}| (?:on|in|at|online|privately|cheaply)\b.*|{_SO})?[.! ]*$"
_LIFE_TAIL: Final = (
    rf"(?: {_WHEN}| (?:of|from|peacefully|suddenly|unexpectedly|at (?:home|\d+)|in (?:(?:his|her|their|its) sleep"
    rf"|hospital"
    rf"|the hospital|an? (?:\w+ )?accident|surgery))\b.*|{_SO})?[.! ]*$"
)
_FICTION: Final = re.compile(
    r"\b(?:film|movie|book|novel|game|show|series|episode|season|chapter|story|scene|play|dream|level|act|musical|comic"
    r"|opera|almost|nearly|imagine|laughing|on (?:me|us|them|the user))\b",
    re.IGNORECASE,
)
_WHOM: Final = rf"(?:{THEIRS} {ADJECTIVES}(?P<role>{PARTNER})(?:,? (?P<named>{NAME}))?|(?P<name>{NAME}))"
_LONG_AGO: Final = re.compile(
    r"\byears? ago\b|\b(?:in|since|back in|of) (?:\w+ )?(?:19|20)\d\d\b|\b(?:when|while|as)"
    r" (?:I|the user|they|we|he|she) (?:was|were)\b|\bas an? (?:child|kid|teenager|student)\b|\bdecades?\b",
    re.IGNORECASE,
)
"""What was over so long ago is history told, and no news of what was remembered since."""

_X: Final = rf"(?:{OWNER} {ADJECTIVES}(?P<role>{PARTNER})(?:,? (?P<named>{NAME}))?|(?P<name>{NAME}))"
_APART: Final = (
    r"(?:broke up|split up|split|separated|divorced|got divorced|got separated|(?:are|is) (?:now )?(?:divorced"
    r"|separated|no longer (?:together|a couple|married|engaged)|not together any ?more)|parted ways|called it quits"
    r"|called off (?:the|our|their) engagement)"
)
_SHORTLY: Final = (
    r"(?: (?:yesterday|today|(?:last|this) (?:night|week|month|weekend|morning|\w+day)|(?:two|three|four|five|six"
    r"|\d+|a few)"
    r" (?:days|weeks) ago|(?:a|one) week ago|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|at last)|,.*"
    r"|,? (?:and (?:we |I )?)?(?:called|named)\b.*)?[.! ]*$"
)
_CHILD: Final = r"(?:baby|boy|girl|son|daughter|child|twins|baby (?:boy|girl)|little (?:one|boy|girl))"

_THE_CHILD: Final = (
    rf"(?:(?:an?|our|their|my|her|the) )?(?:(?:first|second|third|healthy|beautiful|little) ){{0,2}}{_CHILD}"
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_GONE: Final = (
    _compiled(
        rf"(?P<who>{WHO}) {_NEWS}(?:sold|gave away|got rid of|parted with|traded in|donated|scrapped|total?led|wrecked"
        rf"|cancell?ed) (?:{THEIRS}|the) (?P<what>{WHAT}){_TAIL}"
    ),
    _compiled(
        rf"(?P<who>{OWNER}) (?P<what>{WHAT}) (?:was|got|has been|is) {_NEWS}(?:stolen|sold|scrapped|total?led"
        rf"|written off)"
        rf"{_TAIL}"
    ),
)
_NO_MORE: Final = (
    _compiled(
        rf"{WHO} (?:do not|does not|don't|doesn't) (?:have|own) (?:an?|the|any|{THEIRS}) (?P<what>{WHAT})"
        r" any ?(?:more|longer)"
    ),
    _compiled(rf"{WHO} no longer (?:has|have|owns?) (?:an?|the|any|{THEIRS}) (?P<what>{WHAT}){_TAIL}"),
)
_DIED: Final = _compiled(
    rf"(?:{OWNER} (?P<which>{ADJECTIVES})(?P<role>{BEING})(?:,? (?P<named>{NAME}))?|(?P<name>{NAME})),? {_NEWS}"
    rf"(?:died|passed away|passed on|is dead|is no longer with us|(?:was|were|had to be|has been) put (?:down|to"
    rf" sleep))"
    rf"{_LIFE_TAIL}"
)
_IS_DEAD: Final = _compiled(r"\b(?:died|passed|dead|no longer with|put (?:down|to))\b")
_PARTED: Final = (
    _compiled(rf"(?:{_X} and (?:{WHO}|they)|(?:{WHO}) and {_WHOM.replace('<', '<x')}) {_NEWS}{_APART}{_TAIL}"),
    _compiled(
        rf"{WHO} {_NEWS}(?:broke up with|split up with|split from|separated from|divorced|dumped|got divorced from)"
        rf" {_WHOM}{_TAIL}"
    ),
    _compiled(rf"{WHO} {_NEWS}left {_WHOM}(?: {_WHEN}|,? (?:because|for good)\b.*)?[.! ]*$"),
    _compiled(
        rf"{_X} {_NEWS}(?:left|dumped|divorced|broke up with) (?:me|us|the user|user|them|him|her)"
        rf"(?: {_WHEN}|,? (?:because|for (?!an?\b|the\b))\b.*)?[.! ]*$"
    ),
    _compiled(rf"{WHO} {_NEWS}(?:broke up|split up|got divorced|got separated|(?:is|am|are) (?:now )?divorced){_TAIL}"),
)
_BORN: Final = (
    _compiled(
        rf"(?:{WHO}|{OWNER} {ADJECTIVES}{PARTNER}(?:,? {NAME})?) {_NEWS}(?:(?:had|welcomed|delivered) {_THE_CHILD}"
        rf"|gave birth(?: to {_THE_CHILD})?){_SHORTLY}"
    ),
    _compiled(
        rf"(?:(?:{OWNER}|the) (?:(?:first|second|little|new) )?{_CHILD}(?:,? {NAME},?)? (?:was|were|has been)"
        rf" (?:just |finally )?born|the baby (?:is here|has arrived|arrived)){_SHORTLY}"
    ),
)
_LEFT: Final = (
    _compiled(
        rf"{WHO} {_NEWS}(?:(?:quit|left|lost|resigned from|gave up) (?:{THEIRS}|the) (?:(?:old|current|full-time"
        rf"|day) )?job"
        rf"|(?:quit|resigned from) (?:{THEIRS}|the) position)"
        rf"(?: (?:at|with) (?P<at>{NAME}))?{_PLAIN_TAIL}"
    ),
    _compiled(rf"{WHO} {_NEWS}(?:quit|left|resigned from|retired from|resigned at) (?P<at>{NAME}){_PLAIN_TAIL}"),
    _compiled(
        rf"{WHO} {_NEWS}(?:was|were|got|have been|been|am|is) {_NEWS}(?:laid off|fired|let go|made redundant|sacked)"
        rf"(?: (?:from|by|at) (?P<at>{NAME}))?{_PLAIN_TAIL}"
    ),
    _compiled(rf"{WHO} {_NEWS}(?:retired|resigned|handed in (?:my|their) notice){_PLAIN_TAIL}"),
)
_PREGNANT: Final = _compiled(
    rf"(?:{WHO}|{OWNER} {ADJECTIVES}{PARTNER}(?:,? (?P<named>{NAME}),?)?|(?P<name>{NAME})) (?:is|are|am|'m|'re)"
    rf" (?:[\w-]+ ){{0,4}}?"
    rf"(?:pregnant|expecting)\b.*|(?:{OWNER}|the) baby(?:'s due date)? is (?:due|expected)\b.*|{OWNER} due date is\b.*"
)
_WORKS: Final = _compiled(
    rf"{WHO} (?:now |currently |still |also )?(?:works? (?:at|for)|is employed (?:at|by|with)|joined) (?P<at>.+)"
)
_EMPLOYER: Final = _compiled(rf"{OWNER} (?:current |new )?(?:employer|company|workplace) is (?P<at>.+)")
_STATE: Final = _compiled(
    rf"{WHO} (?:is|am|are) (?:now |happily |still )?(?:married|engaged|dating|seeing|in a relationship)\b(?:"
    rf" (?:to|with))?(?: (?P<rest>.*))?"
)
_WITH: Final = _compiled(
    rf"{WHO} (?:now |still |currently )?(?:lives?|is living|am living) (?:together )?with (?:{THEIRS}"
    rf" {ADJECTIVES}(?P<role>{BEING})"
    rf"(?:,? (?P<named>{NAME}))?|(?P<name>{NAME})).*"
)
_THEN: Final = _compiled(
    r"(?:was|were|had|did|died|born|used to|passed|grew|comes? from|(?:is|are) (?:originally )?from|(?:is|are)"
    r" (?:my|the user's)"
    r"|(?!based\b|retired\b|married\b)\w+ed)\b.*"
)
"""What stays true of somebody: what they did, and where they come from."""

_Means: TypeAlias = Callable[[re.Match[str], Sequence[str]], Sequence[int]]
"""Which memories a sentence means, by their places."""

_LONG: Final[Mapping[str, str]] = {"'ve": " have", "'m": " am", "'re": " are"}
_SHORT: Final = _compiled(r"(?<=\w)'(?:ve|m|re)\b")
_LEADING: Final = _compiled(rf"{NAME}(?= |'s )")


_WHOSE: Final = operator.itemgetter("which", "role", "named", "name")
"""Groups of `_DIED` that tell who it was."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a sentence ends, and in which words."""

    read: Sequence[tuple[_Means, re.Match[str]]]
    speaker: str | None = None

    @property
    def of_name(self) -> str | None:
        """The name of whom it says to be dead, where it says no more of who that is."""
        names = [found["name"] if means is _of_life else None for means, found in self.read]
        return names[0] if all(names) else None

    @property
    def of_what(self) -> str | None:
        """Whom or what it says to be over, in words that may stand for "it" or "her"; `None`: a couple, or a job."""
        for means, found in self.read:
            if means is _of_things:
                return f"my {found['what']}"
            if means is _of_life:
                return found["name"] or f"my {found['which'] or ''}{found['role']}"
        return None

    def is_of_same(self, other: Ending) -> bool:
        """Whether both say of the same in the same words that it is over, whatever verb they have for it."""
        mine, theirs = ({(means, *sorted(_told(it).items())) for means, it in each.read} for each in (self, other))
        return bool(mine & theirs)

    def is_death_of(self, other: Ending) -> bool:
        """Whether both tell of the same death, in whatever words: one dies once."""
        mine, theirs = ([_WHOSE(it) for means, it in each.read if means is _of_life] for each in (self, other))
        return bool(mine) and mine == theirs


def _told(found: re.Match[str]) -> dict[str, str]:
    return {name: it.casefold() for name, it in found.groupdict().items() if it and name != "who"}


def ending_in(text: str, speaker: str | None = None) -> Ending | None:
    """Return what a sentence ends, or `None`.

    Args:
        text: What is said, in the first or third person.
        speaker: The user's name; without it, the name that leads the sentence is tried.

    Example:
        >>> ending_in("I sold my car") is not None, ending_in("I want to sell my car") is not None
        (True, False)
    """
    plain = _plain(text)
    if len(plain) > MAX_CHARS or _FICTION.search(plain) or _LONG_AGO.search(plain):
        return None
    leads = _LEADING.match(plain)
    for name in dict.fromkeys((None, name_of(speaker), leads[0] if leads else None)):
        told = of_user(plain, name)
        tried = ((means, it.fullmatch(told)) for means, patterns in _ENDINGS.items() for it in patterns)
        read = [(means, it) for means, it in tried if it is not None]
        if read:
            return Ending(read, name)
    return None


def ended_by(text: str, known: Sequence[str], speaker: str | None = None) -> tuple[int, ...]:
    """Return which memories a sentence ends, by their places; none where it cannot be told which.

    Args:
        text: What is said to be over.
        known: What is remembered.
        speaker: The user's name, where they are told of by name.
    """
    ending = ending_in(text, speaker)
    if ending is None:
        return ()
    told = [of_user(of_user(_plain(it), ending.speaker), name_of(speaker)) for it in known]
    return tuple(sorted({place for means, found in ending.read for place in means(found, told)}))


def _plain(text: str) -> str:
    folded = " ".join(text.replace("\u2019", "'").split()).rstrip(".! ")
    return _SHORT.sub(lambda it: _LONG[it[0].casefold()], folded)


def name_of(speaker: str | None) -> str | None:
    """Return the user's name, where they are told of by one."""
    return speaker if speaker and speaker[:1].isupper() and not speaker.startswith("The user") else None


def of_user(text: str, name: str | None) -> str:
    """Return a sentence about somebody by name as one about the user, where that is their name."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "the user", text) if name else text


def _of_things(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return belongings_meant(found["what"], known)


# ----------------------------------------------------------------------------------------------------------- lives
def _of_life(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    beings = [being_of(it) for it in known]
    name = found["name"] or found["named"]
    meant = kin_of(beings, found["role"], name, (found["which"] or "").split())
    if meant is not None and name is None and meant.may_be_several and any(_is_dead(it, meant) for it in known):
        return ()  # it may be the one who is known to be dead
    if meant is None:
        return _living_with(Being(None, found["name"]), known) if found["name"] else ()
    is_over = [
        place for place, it in enumerate(beings) if it is not None and meant.is_told_in(it) and _is_present(it, meant)
    ]
    return [*is_over, *_living_with(meant, known), *(_married(meant, known) if meant.is_partner else ())]


def _is_dead(text: str, meant: Being) -> bool:
    """Whether one by name is told to be dead, of whom nothing says that they were somebody else to the user."""
    died = _DIED.fullmatch(text) if _IS_DEAD.search(text) else None
    return died is not None and (
        died["name"] is not None or (died["named"] is not None and meant.is_meant(died["role"], None))
    )


def _is_present(told: Being, meant: Being) -> bool:
    """Whether something holds only of the living: an animal that one had is had no more, and a name stays."""
    if told.is_naming:
        return meant.is_pet and not told.is_several
    return _THEN.match(told.rest) is None


def _living_with(meant: Being, known: Sequence[str]) -> list[int]:
    found = [_WITH.fullmatch(it) for it in known]
    return [
        place
        for place, it in enumerate(found)
        if it is not None and meant.is_meant(it["role"], it["named"] or it["name"])
    ]


def _married(meant: Being, known: Sequence[str]) -> list[int]:
    """Return who the user is told to be with, if nobody else is named."""
    found = [_STATE.fullmatch(it) for it in known]
    return [place for place, it in enumerate(found) if it is not None and _is_with(meant, it["rest"] or "")]


def _is_with(meant: Being, rest: str) -> bool:
    names = re.findall(r"[A-Z][\w'-]+", rest)
    return not names or meant.name in names or re.match(r"(?:for|since|in|on|last) ", rest) is not None


# --------------------------------------------------------------------------------------------------------- couples
def _of_couple(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    groups = {key.removeprefix("x"): it for key, it in found.groupdict().items() if it is not None}
    beings = [being_of(it) for it in known]
    named = groups.get("name") or groups.get("named")
    meant = kin_of(beings, groups.get("role") or "partner", named, ())
    if meant is None or not meant.is_partner:
        return ()
    is_over = (
        place for place, it in enumerate(beings) if it is not None and meant.is_told_in(it) and _is_of_couple(it)
    )
    return [*is_over, *_living_with(meant, known), *_married(meant, known)]


def _is_of_couple(told: Being) -> bool:
    """Whether it is said of the partner as such: of them by name all else stays true."""
    return told.is_naming or (not told.is_bare_name and _THEN.match(told.rest) is None)


# ------------------------------------------------------------------------------------------------ pregnancies, jobs
def _of_birth(_found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    partners = {it.name for it in map(being_of, known) if it is not None and it.is_partner and it.name}
    found = [_PREGNANT.fullmatch(it) for it in known]
    return [
        place for place, it in enumerate(found) if it is not None and (it["name"] is None or it["name"] in partners)
    ]


def _of_job(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    works = {
        place: it["at"]
        for place, text in enumerate(known)
        if (it := _WORKS.fullmatch(text) or _EMPLOYER.fullmatch(text))
    }
    firms = {place: _firm(at) for place, at in works.items()}
    wanted = found.groupdict().get("at")
    if wanted is not None:
        return [place for place, firm in firms.items() if firm == _firm(wanted)]
    return list(firms) if len(set(firms.values())) == 1 else []


def _firm(at: str) -> str:
    """Return a firm's name without what stands behind it: "Siemens as an engineer"."""
    return re.split(r",| (?:as|in|since|for|from|and|on|where|with)\b", at, maxsplit=1)[0].strip(" .").casefold()


_ENDINGS: Final[Mapping[_Means, Sequence[re.Pattern[str]]]] = {
    _of_things: (*_GONE, *_NO_MORE),
    _of_couple: _PARTED,
    _of_birth: _BORN,
    _of_job: _LEFT,
    _of_life: (_DIED,),
}
