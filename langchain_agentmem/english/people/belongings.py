"""What the user has, by the words in which they told of it: "my car" is the blue Volvo, where there is no other one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import OWNER, WHO
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.patterns import CAPITAL_OR_DIGIT

_NO_NOUN: Final = (
    r"(?!(?:of|and|or|from|for|in|on|at|with|but|to|by|because|so|since|when|while|after|before|last|this|yesterday"
    r"|today)\b)"
)
WHAT: Final = rf"(?:{_NO_NOUN}[\w'-]+ ){{0,3}}?{_NO_NOUN}[\w'-]+"
"""A thing by its words, the last of which says what it is."""

_SORTS: Final[Mapping[str, str]] = {
    word: sort
    for sort, words in {
        "car": """car vehicle automobile suv audi bmw mercedes volkswagen vw porsche opel toyota honda nissan mazda
            subaru mitsubishi suzuki lexus hyundai kia ford chevrolet chevy jeep tesla dodge cadillac volvo saab skoda
            seat fiat alfa ferrari lamborghini maserati peugeot citroen citroën renault dacia jaguar bentley mini""",
        "bike": "bike bicycle cycle e-bike ebike",
        "motorbike": "motorbike motorcycle harley ducati vespa",
        "phone": "phone smartphone cellphone iphone",
        "laptop": "laptop notebook macbook thinkpad chromebook",
        "flat": "flat apartment condo",
        "telly": "tv television telly",
    }.items()
    for word in words.split()
}
"""Words for one thing, and makes of it that are nothing else."""

KNOWN_THING: Final = rf"(?:{_NO_NOUN}[\w'-]+ ){{0,2}}?(?:{'|'.join(_SORTS)}|tablet|ipad|camera|watch|printer|console)"
"""A thing that somebody has one of, as a rule: one that took its place is what they have now."""

_ONE_OF_MAKE: Final = lazy_pattern(
    rf"{OWNER} (?P<what>{KNOWN_THING}) is (?:now )?an?"
    rf" (?P<make>{CAPITAL_OR_DIGIT}[\w-]*(?: {CAPITAL_OR_DIGIT}[\w-]*){{0,3}})",
    re.IGNORECASE,
)
_COMMON: Final = frozenset(
    "car vehicle automobile suv bike bicycle cycle e-bike ebike motorbike motorcycle phone smartphone cellphone laptop"
    " notebook flat apartment condo tv television telly".split()
)
_IN_A_NAME: Final = lazy_pattern(CAPITAL_OR_DIGIT)
_GENERIC: Final = frozenset("old new beloved dear trusty own second-hand used little current whole entire".split())
_HAS: Final = lazy_pattern(
    rf"{WHO} (?:(?:also|now|currently|just|recently|still|have|has) ){{0,2}}(?:has|have|owns?|drives?|rides?"
    rf"|bought|got|leases?)"
    r" (?P<count>[\w-]+) (?P<what>[^,;.]+).*",
    re.IGNORECASE,
)
_OF: Final = lazy_pattern(
    rf"{OWNER} (?P<what>(?:[\w'-]+ ){{0,3}}?[\w'-]+) (?:is|has|needs|costs?|runs?|gets?|weighs?|does"
    rf"|takes?)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_IS_A: Final = lazy_pattern(r" (?:now )?(?:an? |the )?(?P<what>[^,;.]+).*", re.IGNORECASE)
_END: Final = lazy_pattern(
    r" (?:called|named|which|that|for|with|from|in|at|since|who|to|on|of|last|this)\b.*", re.IGNORECASE
)
_ONE: Final = frozenset({"a", "an", "one", "the", "their", "my", "our", "his", "her"})


@dataclass(frozen=True, slots=True)
class _Thing:
    """What a memory is about, by its words; `is_several` where it tells of more than one."""

    head: str
    words: frozenset[str]
    is_several: bool = False

    @property
    def own(self) -> frozenset[str]:
        """The words that tell it from others of its sort."""
        noun = frozenset() if _is_make(self.head) else frozenset({self.head})
        return self.words - _COMMON - _GENERIC - noun


def belongings_meant(said: str, known: Sequence[str]) -> list[int]:
    """Return the places of what tells of a thing that is named; nothing where it may be one of several."""
    *which, head = said.casefold().split()
    told = {place: it for place, text in enumerate(known) if (it := _thing_of(text, head)) is not None}
    wanted = {it for it in which if it not in _GENERIC} | ({head} if _is_make(head) else set())
    if "old" in which and head in _COMMON:  # it may be the one before
        wanted |= {"old"}
    meant = {place: it for place, it in told.items() if wanted <= it.words}
    things = [it.own for it in meant.values()]
    is_one = all(one <= other or other <= one for one, other in combinations(things, 2))
    are_all = len(meant) == 1 and head.endswith("s") and all(it.head == head for it in meant.values())
    is_sure = is_one and (are_all or not any(it.is_several for it in meant.values()))
    return list(meant) if is_sure else []


def _thing_of(text: str, head: str) -> _Thing | None:
    """Return what a memory is about, if it is of the sort that is named."""
    has = _HAS.fullmatch(text)
    if has is not None:
        what = _END.sub("", has["what"])
        return _thing(what, head, is_several=has["count"].casefold() not in _ONE or " and " in what)
    of = _OF.fullmatch(text)
    if of is None:
        return None
    thing = _thing(of["what"], head, is_several=False)
    is_a = _IS_A.fullmatch(of["rest"])
    if thing is None:
        return _by_make(text, head)
    if is_a is None:
        return thing
    more = (
        frozenset(_END.sub("", is_a["what"]).casefold().split())
        if re.search(r" is$", text[: of.start("rest")])
        else frozenset()
    )
    return _Thing(thing.head, thing.words | (more if any(map(_is_make, more)) else frozenset()), thing.is_several)


def _by_make(text: str, head: str) -> _Thing | None:
    """Return the thing that a memory says to be one of its make: "my watch is a Garmin" tells of the Garmin."""
    found = _ONE_OF_MAKE.fullmatch(text)
    if found is None or "'s" in found["what"] or head not in found["make"].casefold().split():
        return None
    return _Thing(head, frozenset((*found["what"].casefold().split(), *found["make"].casefold().split())))


def _thing(what: str, head: str, *, is_several: bool) -> _Thing | None:
    words = what.casefold().split()
    make = next((place for place, it in enumerate(words) if _is_make(it)), None)
    is_model = make is not None and all(map(_IN_A_NAME.search, what.split()[make + 1 :]))
    last = words[make] if make is not None and is_model else words[-1]
    if last != head and stem(last) != stem(head) and _sort(last) != _sort(head):
        return None
    return _Thing(last, frozenset(words), is_several or (last != head and stem(last) == stem(head)))


def _sort(word: str) -> str:
    return _SORTS.get(word, word)


def _is_make(word: str) -> bool:
    """Whether a word names one sort of thing by who makes it."""
    return word in _SORTS and word not in _COMMON
