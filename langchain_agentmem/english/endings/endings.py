"""What is over: a thing sold, a life, a couple, a pregnancy, a job, a pastime. English.

A sentence that says so ends what was remembered as holding now, and leaves what was: who somebody is by name, and what
they once did. Which memories it means is told by the words of both; where two may be meant, none is ended.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.amounts import OTHER_AMOUNT, ROSE
from langchain_agentmem.english.endings.appointments import NO_MORE_THEN, SAT_BY_NOW
from langchain_agentmem.english.endings.at_home import AT_HOME_NOW, CHANGED_AT_HOME, GONE_FROM_HOME
from langchain_agentmem.english.endings.by_now import OTHER_BY_NOW
from langchain_agentmem.english.endings.ending_words import (
    AND_MORE,
    BACK_AGAIN,
    BORN,
    DIED,
    FICTION,
    GONE,
    IS_DEAD,
    LEFT_STUDIES,
    LONG_AGO,
    NO_MORE,
    PARTED,
    PET_DIED,
    PREGNANCY_LOST,
    PREGNANT,
    STATE,
    STUDIES,
    TAKEN_OFF,
    TAKES,
    THEN,
    WITH,
    Ends,
    plain,
)
from langchain_agentmem.english.endings.first_times import BY_NOW
from langchain_agentmem.english.endings.for_a_while import NO_LONGER_NEEDED, NO_LONGER_SO
from langchain_agentmem.english.endings.holders import HOLDERS_GONE
from langchain_agentmem.english.endings.jobs_left import JOBS_LEFT
from langchain_agentmem.english.endings.leaving import LEFT_BEHIND
from langchain_agentmem.english.endings.not_expecting import NOT_EXPECTING
from langchain_agentmem.english.endings.over_otherwise import EX_NOW, OVER_OTHERWISE, SWAPPED
from langchain_agentmem.english.endings.pastimes import GIVEN_UP, pastimes_meant
from langchain_agentmem.english.endings.plans_done import DONE_OR_NOT
from langchain_agentmem.english.endings.staying import STAYING
from langchain_agentmem.english.endings.theirs_by_now import THEIRS_BY_NOW
from langchain_agentmem.english.people.beings import NAME, Being, being_of, kin_of
from langchain_agentmem.english.people.belongings import belongings_meant
from langchain_agentmem.english.words.kin_words import partnership
from langchain_agentmem.english.words.lexicon import ROLES
from langchain_agentmem.english.words.patterns import CAPITAL

PASSING: Final = "passing"
"""Tag of what the rules of extraction keep only where it ends something: "I'm back from Rome"."""

MAX_CHARS: Final = 300
"""Of a sentence that ends something; a longer text tells a story."""

_KEPT: Final = 256
"""Sentences kept as read: what one write asks of its own words and of those near it, several times each."""

_OF_USER: Final = lazy_pattern(r"\b(?:user|I|me|my|we|our|us)\b", re.IGNORECASE)
_LEADING: Final = lazy_pattern(rf"{NAME}(?= |'s )", re.IGNORECASE)
_FORMER: Final = lazy_pattern(r"\b(?:first|second|third|former|previous|late|then|ex)[ -](?=\w)", re.IGNORECASE)
_WORDS_FOR: Final[Mapping[str, Sequence[str]]] = {
    "married": ("wife", "husband"),
    "engaged": ("fiance", "fiancee", "fiancé", "fiancée"),
    "dating": ("girlfriend", "boyfriend"),
    "seeing": ("girlfriend", "boyfriend"),
    "relationship": ("girlfriend", "boyfriend"),
}
"""Whom somebody has, by how they are told to be with them."""

_WHOSE: Final = operator.itemgetter("which", "role", "named", "name")
"""Groups of `DIED` that tell who it was."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a sentence ends, and in which words."""

    read: Sequence[tuple[Ends, re.Match[str]]]
    speaker: str | None = None

    @property
    def of_name(self) -> str | None:
        """The name of whom it says to be dead, where it says no more of who that is."""
        names = [found["name"] if it.means is _of_life else None for it, found in self.read]
        return names[0] if all(names) else None

    @property
    def of_what(self) -> str | None:
        """Whom or what it says to be over, in words that may stand for "it" or "her"; `None`: of no one thing."""
        for it, found in self.read:
            if it.means is _of_things:
                return f"my {found['what']}"
            if it.means is _of_life:
                return found["name"] or f"my {found['which'] or ''}{found['role']}"
        return None

    @property
    def is_passing(self) -> bool:
        """Whether it is news of any day, worth remembering only where it ends something."""
        return all(it.is_passing for it, _ in self.read)

    @property
    def tells_day(self) -> bool:
        """Whether it tells on which day something is by now."""
        return any(found.groupdict().get("day") for _, found in self.read)

    @property
    def is_state(self) -> bool:
        """Whether it tells how something is by now, as any statement may, and what was before ends by it."""
        return all(it.tells == "state" for it, _ in self.read)

    @property
    def is_change(self) -> bool:
        """Whether it tells what came instead, so that its denial only says that it did not."""
        return all(it.tells != "end" for it, _ in self.read)

    def is_of_same(self, other: Ending) -> bool:
        """Whether both say of the same in the same words that it is over, whatever verb they have for it."""
        mine, theirs = (
            {(it.means, *sorted(_told(found).items())) for it, found in each.read} for each in (self, other)
        )
        return bool(mine & theirs)

    def is_death_of(self, other: Ending) -> bool:
        """Whether both tell of the same death, in whatever words: one dies once."""
        mine, theirs = ([_WHOSE(found) for it, found in each.read if it.means is _of_life] for each in (self, other))
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
    return _read(text, speaker)


def may_be_death(text: str) -> bool:
    """Whether a sentence has a word for a death: most have none, and need not be read.

    Example:
        >>> may_be_death("Rex died"), may_be_death("Rex is brown")
        (True, False)
    """
    return IS_DEAD.search(text) is not None


@of_texts(_KEPT)
def _read(text: str, speaker: str | None) -> Ending | None:
    said = plain(text)
    if len(said) > MAX_CHARS or any(it.search(said) for it in (FICTION, LONG_AGO, BACK_AGAIN)):
        return None
    leads = _LEADING.match(said)
    for name in dict.fromkeys((None, name_of(speaker), leads[0] if leads else None)):
        told = of_user(said, name)
        tried = ((it, pattern.fullmatch(told)) for it in _ENDINGS for pattern in it.patterns)
        read = [(it, found) for it, found in tried if found is not None]
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
    own = name_of(speaker)
    told = [_told_by(plain(it), ending.speaker, own) for it in known]
    return tuple(sorted({place for it, found in ending.read for place in it.means(found, told)}))


def _told_by(text: str, name: str | None, own: str | None) -> str:
    """Return a memory as one of the user; of whoever leads a sentence only what is told of them by name is theirs."""
    told = of_user(of_user(text, name), own)
    is_of_another = name not in {None, own} and _OF_USER.search(text if own is None else of_user(text, own)) is not None
    return "" if is_of_another else told


def name_of(speaker: str | None) -> str | None:
    """Return the user's name, where they are told of by one."""
    return speaker if speaker and speaker[:1].isupper() and not speaker.startswith("The user") else None


def of_user(text: str, name: str | None) -> str:
    """Return a sentence about somebody by name as one about the user, where that is their name."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "the user", text) if name else text


def _of_things(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    is_somebody = found["what"].casefold().split()[-1] in ROLES
    return () if is_somebody else belongings_meant(found["what"], known)


# ----------------------------------------------------------------------------------------------------------- lives
def _of_life(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    beings = [being_of(it) for it in known]
    name = found["name"] or found["named"]
    meant = kin_of(beings, found["role"], name, (found["which"] or "").split())
    if meant is not None and name is None and meant.may_be_several and any(_is_dead(it, meant) for it in known):
        return ()  # it may be the one who is known to be dead
    if meant is None:
        name = found["name"]
        return [*_living_with(Being(None, name), known), *_married_to(name, known)] if name else ()
    is_over = [
        place for place, it in enumerate(beings) if it is not None and meant.is_told_in(it) and _is_present(it, meant)
    ]
    return [*is_over, *_living_with(meant, known), *(_married(meant, known) if meant.is_partner else ())]


def _is_dead(text: str, meant: Being) -> bool:
    """Whether one by name is told to be dead, of whom nothing says that they were somebody else to the user."""
    died = DIED.fullmatch(text) if IS_DEAD.search(text) else None
    return died is not None and (
        died["name"] is not None
        or (died["named"] is not None and meant.is_meant(died["role"], None, (died["which"] or "").split()))
    )


def _is_present(told: Being, meant: Being) -> bool:
    """Whether something holds only of the living: an animal that one had is had no more, and a name stays."""
    if told.is_naming:
        return meant.is_pet and not told.is_several
    return THEN.match(told.rest) is None


def _living_with(meant: Being, known: Sequence[str]) -> list[int]:
    found = enumerate(map(WITH.fullmatch, known))
    told = ((place, it) for place, it in found if it is not None)
    return [
        place
        for place, it in told
        if meant.is_meant(it["role"], it["named"] or it["name"], (it["which"] or "").casefold().split())
    ]


def _married(meant: Being, known: Sequence[str]) -> list[int]:
    """Return who the user is told to be with, if nobody else is named."""
    found = [STATE.fullmatch(it) for it in known]
    return [place for place, it in enumerate(found) if it is not None and _is_with(meant, it["rest"] or "")]


def _married_to(name: str, known: Sequence[str]) -> list[int]:
    """Return who the user is told to be with, by this name."""
    found = [STATE.fullmatch(it) for it in known]
    told = re.compile(rf"{re.escape(name)}(?![\w-])")
    return [place for place, it in enumerate(found) if it is not None and told.match(it["rest"] or "")]


def _is_with(meant: Being, rest: str) -> bool:
    names = re.findall(rf"{CAPITAL}[\w'-]+", rest)
    return not names or meant.name in names or re.match(r"(?:for|since|in|on|last) ", rest) is not None


# --------------------------------------------------------------------------------------------------------- couples
def _of_couple(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return () if _FORMER.search(found[0]) else _of_parted(found, known)


def _of_parted(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    groups = {key.removeprefix("x"): it for key, it in found.groupdict().items() if it is not None}
    beings = [being_of(it) for it in known]
    named = _as_known(groups.get("name") or groups.get("named"), beings)
    role, which = groups.get("role"), groups.get("which", "").split()
    couples = [*beings, *_spouses(known)]
    meant = kin_of(couples, role or "partner", named, partnership(role, which) if role else ())
    if meant is None and role is None:
        meant = kin_of(couples, None, named, ())
    if meant is None or not (meant.is_partner or meant.is_companion):
        return ()
    is_over = (
        place for place, it in enumerate(beings) if it is not None and meant.is_told_in(it) and _is_of_couple(it)
    )
    return [*is_over, *_living_with(meant, known), *(_married(meant, known) if meant.is_partner else ())]


def _as_known(name: str | None, beings: Sequence[Being | None]) -> str | None:
    """Return a name with the capitals that it has where it is known."""
    names = {it.name.casefold(): it.name for it in beings if it is not None and it.name is not None}
    return names.get(name.casefold(), name) if name else None


def _spouses(known: Sequence[str]) -> Iterator[Being]:
    """Yield whom the user is told to be married to, engaged to or dating."""
    for found in filter(None, map(STATE.fullmatch, known)):
        named = re.match(rf"{CAPITAL}[\w'-]+", found["rest"] or "")
        words = next((words for how, words in _WORDS_FOR.items() if how in found["how"].casefold()), ())
        yield from (Being("partner", named[0], word=word, is_naming=True) for word in words if named is not None)


def _is_of_couple(told: Being) -> bool:
    """Whether it is said of the partner as such: of them by name all else stays true."""
    return told.is_naming or (not told.is_bare_name and THEN.match(told.rest) is None)


# ------------------------------------------------------------------------------------------------------ pregnancies
def _of_birth(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    partners = {it.name for it in map(being_of, known) if it is not None and it.is_partner and it.name}
    mother = found.groupdict().get("mother")
    told = ((place, PREGNANT.fullmatch(it)) for place, it in enumerate(known))
    expecting = [(place, it) for place, it in told if it is not None and it["mother"] == mother]
    return [place for place, it in expecting if it["name"] is None or it["name"] in partners]


# ------------------------------------------------------------------------------------------------ medicines, studies
def _of_medicine(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that it is taken, in whatever dose."""
    taken = re.compile(rf"{re.escape(found['what'])}(?! (?:and|or)\b)(?:$|[ ,;].*)", re.IGNORECASE)
    told = [TAKES.fullmatch(it) for it in known]
    return [place for place, it in enumerate(told) if it is not None and taken.fullmatch(it["what"])]


def _of_studies(_found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return [place for place, it in enumerate(known) if STUDIES.fullmatch(it) and not AND_MORE.search(it)]


_ENDINGS: Final[Sequence[Ends]] = (
    Ends(_of_things, (*GONE, *NO_MORE)),
    Ends(_of_couple, PARTED),
    Ends(_of_parted, EX_NOW),
    Ends(_of_birth, (*BORN, *PREGNANCY_LOST)),
    *JOBS_LEFT,
    Ends(_of_medicine, TAKEN_OFF),
    Ends(_of_medicine, SWAPPED, is_passing=True, tells="change"),
    Ends(_of_studies, LEFT_STUDIES),
    *(Ends(_of_life, (it,), is_passing=it is PET_DIED) for it in (DIED, PET_DIED)),
    Ends(pastimes_meant, GIVEN_UP),
    *NOT_EXPECTING,
    *STAYING,
    *LEFT_BEHIND,
    *NO_MORE_THEN,
    *NO_LONGER_SO,
    *NO_LONGER_NEEDED,
    *BY_NOW,
    *SAT_BY_NOW,
    *OTHER_BY_NOW,
    *THEIRS_BY_NOW,
    *HOLDERS_GONE,
    *OTHER_AMOUNT,
    *DONE_OR_NOT,
    *ROSE,
    *CHANGED_AT_HOME,
    *AT_HOME_NOW,
    *GONE_FROM_HOME,
    *OVER_OTHERWISE,
)
