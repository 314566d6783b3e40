"""What is over, in words that name what came instead or who went: English.

"We had to rehome Rex" ends having him, "We fired Susan" ends "The user's lawyer is Susan Choi", "Dr Patel changed the
atorvastatin to rosuvastatin" ends taking the first, "I'm off the Guinness" ends drinking it, and who drinks no more has
no favourite beer. "I don't hate Wagner" ends hating him, and says of nothing that it is liked. Each is said on any day
of anything, and is worth remembering only where it ends something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import (
    MEDICINE,
    NEWS,
    PLAIN_TAIL,
    TREATS,
    WHY,
    WITH,
    Ends,
    any_case,
)
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.endings.pastimes import is_done
from langchain_agentmem.english.endings.roles_left import ROLES_LEFT
from langchain_agentmem.english.people.beings import NAME, OWNER, PARTNER, THEIRS, WHO, being_of
from langchain_agentmem.english.words.lexicon import stem

EX_NOW: Final = (
    any_case(rf"(?P<name>{NAME})(?: is|'s) (?:now )?{OWNER} ex(?:[- ]{PARTNER})? now(?:{WHY})?[.! ]*"),
    any_case(rf"(?P<name>{NAME})(?: is|'s) now {OWNER} ex(?:[- ]{PARTNER})?(?:{WHY})?[.! ]*"),
)
"""Who was a partner, and is one no more."""

# ------------------------------------------------------------------------------------------------------- animals given
_REHOMED: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:re-?homed|gave away|(?:had to|have had to) (?:re-?home|give away))"
        rf" (?:{THEIRS} (?:[a-z]+ )?)?(?P<name>{NAME}){PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:gave|given|(?:had to|have had to) give) (?:{THEIRS} (?:[a-z]+ )?)?(?P<name>{NAME}) away"
        rf"{PLAIN_TAIL}"
    ),
)

# ---------------------------------------------------------------------------------------------------- people one hires
_HIRED: Final = (
    r"(?:(?:divorce|tax|estate|travel|letting|personal|wedding|driving|maths?|piano) )?(?:lawyer|solicitor|attorney"
    r"|barrister|accountant|bookkeeper|agent|realtor|broker|cleaner|nanny|babysitter|au pair|childminder|dog walker"
    r"|gardener|coach|trainer|tutor|assistant|contractor|builder|architect|plumber|electrician|decorator|planner"
    r"|adviser|advisor|consultant|therapist|housekeeper|carer|driver|chef|publicist)"
)
_FIRED: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:fired|sacked|dismissed|let go of|parted ways with) (?:{THEIRS} {_HIRED},? )?(?P<name>{NAME})"
        rf"{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}lets? (?P<name>{NAME}) go{PLAIN_TAIL}"),
)
_IS_HIRED: Final = any_case(
    rf"(?:{OWNER} (?:new |current )?{_HIRED}(?:'s name)? is (?:now )?(?:called |named )?(?P<is>{NAME})(?: now)?"
    rf"|(?P<named>{NAME}) is {OWNER} (?:new |current )?{_HIRED})(?:,.*| (?:at|from|of) .*)?[.! ]*"
)

# ----------------------------------------------------------------------------------------------------------- medicines
SWAPPED: Final = (
    any_case(
        rf"(?:{TREATS}|they|{WHO}) {NEWS}(?:changed|switched|swapped|moved|replaced)"
        rf" (?:(?:me|us|them|the user|user)(?: over)? from )?(?:the |{THEIRS} )?{MEDICINE} (?:(?:over )?to|for|with|by)"
        r" (?!\d|an? (?:higher|lower|different) dose\b|the (?:morning|evening)\b|(?:mornings|evenings|nights)\b)\w.*"
    ),
    any_case(rf"{WHO} (?:is|am) (?:now )?on [^,;.]{{1,40}}? (?:now )?instead of {MEDICINE}(?: now)?{PLAIN_TAIL}"),
)
"""What is taken by now in the place of another."""

# -------------------------------------------------------------------------------------------------------------- drinks
_FOR_GOOD: Final = r"(?: (?:now|these days|completely|altogether|entirely|for good))*"
_OFF: Final = any_case(
    rf"{WHO} (?:is|am) {NEWS}off (?:the|{THEIRS}) (?P<what>[\w-]+(?: [\w-]+)?){_FOR_GOOD}(?:{WHY})?[.! ]*"
)
_CONSUMED: Final = tuple(map(stem, ("drink", "smoke", "eat", "vape")))
"""What one may be off: who is off the bus took it a minute ago, and takes it tomorrow."""

_DRY: Final = (
    any_case(
        rf"{WHO} (?:(?:do not|don't|does not|doesn't) drink any ?(?:more|longer)|no longer drinks?){_FOR_GOOD}"
        rf"{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:stopped drinking|(?:quit|gave up|given up) (?:drinking|alcohol|the drink|(?:the )?booze))"
        rf"(?: alcohol)?{_FOR_GOOD}{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} (?:is|am) (?:(?:now|finally|completely) )*(?:teetotal|off (?:the )?(?:booze|drink)){_FOR_GOOD}"),
)
_ALCOHOL: Final = (
    r"(?:alcohol|beers?|lagers?|ales?|ipas?|stout|bitter|guinness|heineken|budweiser|wines?|prosecco|champagne|cava"
    r"|whisk(?:e)?y|bourbon|scotch|vodka|gin|rum|tequila|brandy|cognac|port|sherry|cider|cocktails?|sake|pints?)"
)
_DRINKS: Final = any_case(
    rf"{WHO} (?:(?:usually|often|sometimes|only|mostly|also) )*drinks? (?!.*\b(?:and|or|non|free|zero)\b)"
    rf"(?:(?:the|an?|some|a lot of|too much|[a-z-]+) )?(?<!ginger )(?<!root ){_ALCOHOL}\b.*"
)

# ------------------------------------------------------------------------------------------------------------ dislikes
_HATE: Final = r"(?:hate|detest|despise|loathe)"  # who does not hate may dislike
_HATED: Final = (
    r"(?P<what>(?!(?:it|him|her|them|you|this|that|these|those|when|how|having|being)\b)[\w'.&-]+"
    r"(?: (?!(?:and|or|but|because|when|if|as|so|for|with|in|on|at|that|any|actually|really|though)\b)[\w'.&-]+){0,3}?)"
)
_HATES_NOT: Final = any_case(
    rf"{WHO} (?:(?:actually|really|honestly) )?(?:do|does)(?: not|n't) (?:(?:actually|really|even) )?{_HATE} {_HATED}"
    r"(?:,? (?:at all|actually|really|though|any ?more|any longer))?[.! ]*$"
)
_HATES: Final = any_case(rf"{WHO} (?:(?:really|absolutely|still|also|just|totally|utterly) )*{_HATE}s? {_HATED}[.! ]*$")

# ------------------------------------------------------------------------------------------------------- what they mean


def _of_animal(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that the user has an animal by that name, or lives with it; how old it is stays true."""
    name, beings = found["name"], [being_of(it) for it in known]
    same = {place: it for place, it in enumerate(beings) if it is not None and it.name == name}
    if not any(it.is_pet for it in same.values()):
        return ()
    lives = [place for place, it in told_by(WITH, known).items() if name in {it["name"], it["named"]}]
    return [*(place for place, it in same.items() if it.is_naming and not it.is_several), *lives]


def _of_hired(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who works for the user by that name, or whose first name it is, where that is one only."""
    told = {place: str(it["is"] or it["named"]) for place, it in told_by(_IS_HIRED, known).items()}
    name = found["name"]
    same = {place: it for place, it in told.items() if it == name or it.startswith(f"{name} ")}
    return list(same) if len(set(same.values())) == 1 else []


def _of_consumed(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return [place for place, text in enumerate(known) if any(is_done(text, does, found["what"]) for does in _CONSUMED)]


def _of_alcohol(_found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    return list(told_by(_DRINKS, known))


def _of_hated(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    told = {place: it["what"].casefold() for place, it in told_by(_HATES, known).items()}
    return [place for place, what in told.items() if what == found["what"].casefold()]


OVER_OTHERWISE: Final = (
    Ends(_of_hated, (_HATES_NOT,), is_passing=True),
    Ends(_of_animal, _REHOMED, is_passing=True),
    Ends(_of_hired, _FIRED, is_passing=True),
    Ends(_of_consumed, (_OFF,), is_passing=True),
    Ends(_of_alcohol, _DRY),
    *ROLES_LEFT,
)
