"""What somebody had not done, or could not do, and the words that say that they have, and can. English.

"I learned to swim" ends "cannot swim", "I tried sushi for the first time" that they have never eaten it, "I passed my
driving test" learning to drive, "We just had our third child" having two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import of_state, told_by
from langchain_agentmem.english.people.beings import OWNER, THEIRS, WHO
from langchain_agentmem.english.words.kin_words import A_CHILD, A_PARENT
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER

_THE: Final = rf"(?:(?:the|an?|some|{THEIRS}) )?"
_FIRST: Final = r" for the (?:very )?first time(?: ever)?"
_GONE_THERE: Final = frozenset("been gone travelled traveled visited".split())
_TASTED: Final = frozenset("eaten tried tasted drunk".split())
_SEEN: Final = frozenset("seen watched".split())
_MADE: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys("went been visited travelled traveled flew".split(), _GONE_THERE),
    **dict.fromkeys("ate eaten tried tasted drank drunk".split(), _TASTED),
    **dict.fromkeys("saw seen watched".split(), _SEEN),
    "flown": frozenset({"flown"}),
    **dict.fromkeys("rode ridden".split(), frozenset({"ridden"})),
    **{it: frozenset({it}) for it in ("met", "played")},
}
"""What is done for the first time, and the forms in which it had never been."""

_DID: Final = (
    any_case(
        rf"{WHO} {NEWS}(?P<did>went|been|visited|travell?ed|flew)(?: to)? (?:the )?(?P<what>{CAPITAL}[\w'-]+"
        rf"(?: {CAPITAL}[\w'-]+)?)(?:{_FIRST})?{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}(?P<did>{'|'.join(_MADE)})(?: {_THE}(?P<what>[\w' -]+?))?{_FIRST}{PLAIN_TAIL}"),
)
_NEVER: Final = any_case(
    rf"{WHO} (?:has|have) never (?P<done>[a-z]+)(?: to| in)?(?: {_THE}(?P<what>.+?))?(?: before)?[.! ]*"
)
_LEARNED: Final = any_case(
    rf"{WHO} {NEWS}learn(?:ed|t) (?:how )?to (?P<does>[a-z]+)(?: {_THE}(?P<what>[\w' -]+?))?{PLAIN_TAIL}"
)
_CANNOT: Final = any_case(
    rf"{WHO} (?:can(?:not| not|'t)|(?:do|does)(?: not|n't) know how to|never learn(?:ed|t) (?:how )?to)"
    rf" (?P<does>[a-z]+)(?: {_THE}(?P<what>[\w' -]+?))?(?: yet)?[.! ]*"
)
_DRIVES: Final = (
    any_case(rf"{WHO} {NEWS}passed (?:{THEIRS} |the )?(?:driving|road|driver's) test{PLAIN_TAIL}"),
    any_case(rf"{WHO} {NEWS}(?:got|have|has) {THEIRS} driv(?:ing|er's) licen[cs]e(?: now)?{PLAIN_TAIL}"),
)
_LEARNS: Final = any_case(
    rf"{WHO} (?:{NEWS}(?:is|am|are) {NEWS}(?:learning (?:how )?to drive|taking driving lessons)"
    rf"|{NEWS}(?:takes?|has|have) driving lessons)\b.*"
)
_NTH: Final[Mapping[str, frozenset[str]]] = {
    "second": frozenset({"a", "one"}),
    "third": frozenset({"two", "2"}),
    "fourth": frozenset({"three", "3"}),
    "fifth": frozenset({"four", "4"}),
}
_ONE_MORE: Final = any_case(rf"{WHO} {NEWS}(?:had|welcomed) {THEIRS} (?P<nth>{'|'.join(_NTH)}) {A_CHILD}{PLAIN_TAIL}")
_HAS_SOME: Final = any_case(
    rf"{WHO} {NEWS}(?:has|have) (?P<count>an?|{ONE_OR_MORE}|\d) (?:[a-z]+ )?(?:child|children|kids?)"
    r"(?:$|[,.;:].*| (?:aged|and|under|at|who)\b.*)"
)
_FIRST_CHILD: Final = (
    any_case(rf"{WHO} {NEWS}(?:had|welcomed) {THEIRS} first {A_CHILD}(?: (?:boy|girl))?{PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?:first )?{A_CHILD}(?:,? {LETTER}[\w'-]+,?)? (?:was|is) {NEWS}born{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:is|am|are) (?:now )?(?:a |an? new )?{A_PARENT}s?(?: now)?[.! ]*"),
)
_NO_CHILD: Final = any_case(
    rf"{WHO} (?:(?:has|have) no|(?:does|do)(?: not|n't) have (?:any )?)(?: )?(?:kids|children)\b.*"
)


def _is_same(one: str | None, other: str | None) -> bool:
    return (one or "").casefold() == (other or "").casefold()


def _of_never(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    forms = _MADE[found["did"].casefold()]
    told = told_by(_NEVER, known)
    return [
        place for place, it in told.items() if it["done"].casefold() in forms and _is_same(it["what"], found["what"])
    ]


def _of_inability(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    does = stem(found["does"].casefold())
    told = told_by(_CANNOT, known)
    return [
        place
        for place, it in told.items()
        if stem(it["does"].casefold()) == does and _is_same(it["what"], found["what"])
    ]


def _of_number(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    before = _NTH[found["nth"].casefold()]
    return [place for place, it in told_by(_HAS_SOME, known).items() if it["count"].casefold() in before]


BY_NOW: Final = (
    Ends(_of_never, _DID, is_passing=True),
    Ends(_of_inability, (_LEARNED,), is_passing=True),
    Ends(_of_number, (_ONE_MORE,), is_passing=True),
    Ends(of_state(_LEARNS), _DRIVES, is_passing=True),
    Ends(of_state(_NO_CHILD), _FIRST_CHILD, is_passing=True),
)
"""Sentences that say that something was done or can be done by now, and what they end of all that is remembered.

They are said of any day: each is worth remembering only where it ends something.
"""
