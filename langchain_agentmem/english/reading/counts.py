"""What a number in a sentence is: a value that something has at a time, or the name of one of several.

"Alice has two kids" gives a value, and "Alice has three kids" another; "Alice sold bicycle number 1" names a bicycle,
and who sold number 2 has sold both. Only what is certain is a value: how often something was done, eaten or bought says
nothing of the time after. Closed lists of English words; what they do not know is neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final, Literal, TypeAlias

from langchain_agentmem.english.reading.reading import USER, Token, leaves_open, read
from langchain_agentmem.english.text.quantities import dimension, is_year
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.lexicon import ATTRIBUTES, BE, LONE_ROLES

Role: TypeAlias = Literal["count", "measure", "habit", "schedule", "total", "version", "place", "once", "name"]
"""`count`: how many there are at a time. `measure`, `habit`, `schedule`: how much, how often, when, of what lasts.
`total`: how often so far, which only grows. `version`: which of several is in use. `place`: a name, where just one can
hold at a time. `once`: the year of what happens once. `name`: of one of several.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_HEDGES: Final = _set("""
    now currently already still also just only about around roughly approximately over nearly almost exactly at least
    most a total of up to some more than less fewer by
    """) - {"a", "of", "to", "by", "at"}
_HAS: Final = _set("""
    has have own owns keep keeps hold holds employ employs contain contains include includes use uses run runs manage
    manages lead leads supervise supervises teach teaches speak speaks know knows rent rents support supports seats host
    hosts operate operates serve serves
    """)
_MEASURES: Final = _set("weigh weighs cost costs earn earns pay pays measure measures charge charges last lasts")
_DOES: Final = _set("""
    drink drinks sleep sleeps work works run runs walk walks eat eats smoke smokes read reads write writes train trains
    practice practise practices practises study studies swim swims cycle cycles exercise exercises spend spends meditate
    meditates drive drives commute commutes watch watches play plays do does get gets
    """)
_HAPPENS: Final = _set("start starts begin begins end ends open opens close closes finishes")
_ADJECTIVES: Final = _set("tall old long wide high heavy deep away thick big large older taller")
_HOLDS: Final = _set("of in on left saved")
_MADE: Final = _set("founded established incorporated built invented")
_PERIODS: Final = _set("day night week month year hour morning evening weekday shift")
_RATES: Final = _set("daily weekly monthly yearly hourly")
_PER: Final = _set("a an per each every")
_PASSING: Final = _set("""
    question questions thing things idea ideas problem problems reason reasons suggestion suggestions option options
    point points request requests
    """)
"""What somebody has for the length of a talk."""

_DATED: Final = frozenset((*WEEKDAYS, *MONTHS)) | _set(
    "today tonight tomorrow yesterday this that next last these those"
)
"""Words that bind a count to one occasion, or to one of several things."""

_VALUED: Final = (ATTRIBUTES - {"number"}) | _set("grade rank phase stage")
NUMBERED: Final = _set("""
    bus tram train line route room gate seat platform chapter page part volume episode season lesson unit exercise order
    ticket flight task issue bug pr invoice question apartment flat house building lot locker table lane street block
    act scene verse item case file batch race match round game step slot track channel appendix section paragraph
    figure lab hall no nr
    """)
OF_ONE: Final = _set("phone mobile fax account customer employee passport tax id card room licence license member")
"""Whose number there is one of: "phone number 555" gives it, "bicycle number 4" tells which."""

_DONE: Final = _set("""
    sold bought released shipped published tested finished read wrote reviewed visited attended missed booked ordered
    received cancelled canceled returned broke lost found fixed closed opened completed passed failed played watched ran
    deployed paid solved
    """)
_LIVES: Final = _set("live lives sit sits stay stays work works sleep sleeps") | BE
_TAKES: Final = _set("take takes use uses read reads reading ride rides")
_INSIDE: Final = _set("in at on")


def role_of(text: str, number: str) -> Role | None:
    """Return what a number, in its normal form, is in a sentence; `None` where no rule knows.

    Example:
        >>> role_of("Alice has two kids", "2"), role_of("Alice sold bicycle number 2", "2")
        ('count', 'name')
    """
    tokens = [token for token in read(text) if token.norm not in _HEDGES]
    place = next((at for at, token in enumerate(tokens) if token.norm == number and token.kind == "number"), None)
    if place is None:
        return None
    before, after = tokens[:place], tokens[place + 1 :]
    clause = [token.norm for token in takewhile(lambda it: it.kind != "mark", after)]
    named = _named(before, clause, number)
    if named is not None:
        return named
    return None if leaves_open(tokens) else _valued(before, clause, number)


def _named(before: Sequence[Token], after: Sequence[str], number: str) -> Role | None:
    """Return how a number stands behind what it tells apart; `None` where it does not stand there."""
    if not before or dimension(number) not in {"", "/", "-", "."} or before[-1].kind != "word":
        return None
    noun, led = before[-1], [token.norm for token in before[:-1]]
    if _is_version(noun, led, number):
        return "name" if _DONE & set(led) else "version"
    is_of_one = noun.norm == "number" and bool(led) and led[-1] in OF_ONE
    if noun.norm in _VALUED or is_of_one:
        return "name" if _DONE & set(led) else None
    if noun.norm not in NUMBERED | {"number"} and not _is_alone(noun, after):
        return None
    return "place" if _is_place(led) else "name"


def _is_version(noun: Token, led: Sequence[str], number: str) -> bool:
    if noun.norm in {"version", "release"}:
        return True
    is_used = bool(led) and (led[-1] in {"use", "uses", "using", "run", "runs", "running"} or led[-1] == "on")
    return noun.is_name and is_used and re.fullmatch(r"[\d.]+", number) is not None


def _is_alone(noun: Token, after: Sequence[str]) -> bool:
    """Whether a number stands behind a noun, and counts nothing itself: "bike 2", but neither "ate 2" nor "2 eggs"."""
    verbs = _HAS | _MEASURES | _DOES | _HAPPENS | _DONE | BE
    is_noun = noun.is_content and noun.norm not in verbs and not noun.norm.endswith(("s", "ed", "ing"))
    return is_noun and not (after and Token(after[0]).is_content)


def _is_place(led: Sequence[str]) -> bool:
    """Whether somebody can be in, take or use just one of several: "I am in room 14", not "gate 14 is closed"."""
    verbs = [norm for norm in led if norm not in {"the", USER}]
    if not verbs:
        return False
    return verbs[-1] in _TAKES or (verbs[-1] in _INSIDE and bool(_LIVES & set(verbs[:-1])))


def _valued(before: Sequence[Token], after: Sequence[str], number: str) -> Role | None:
    """Return what somebody or something has at a time by a number."""
    norms = [token.norm for token in before]
    led, measured, rest = (norms[-1] if norms else ""), dimension(number), " ".join(after)
    if led in _INSIDE and is_year(number) and _happens_once(before[:-1]):
        return "once"
    is_perfect = bool({"has", "have"} & set(norms)) and led not in {"has", "have"}
    if measured == "x":
        return "habit" if _is_rate(after) else ("total" if is_perfect else None)
    if is_perfect or _DATED & {*norms, *after}:
        return None
    if measured in {"time", "date"}:
        is_set = led in _HAPPENS or (led in _INSIDE and len(norms) > 1 and norms[-2] in _HAPPENS)
        return "schedule" if is_set else None
    if _is_rate(after) and led in _DOES | _HAS | _MEASURES:
        return "habit"
    if measured:
        return "measure" if _is_measured(led, after, measured) else None
    is_counted = bool(after) and Token(after[0]).is_content and not _PASSING & set(after)
    is_there = led in BE and "there" in norms
    return "count" if is_counted and number.isdigit() and (led in _HAS or is_there) and "of the" not in rest else None


def _happens_once(said: Sequence[Token]) -> bool:
    """Whether words end with what befalls one and the same but once: its making, the death of whom a name tells."""
    *whose, deed = said or [Token("")]
    if not whose:
        return False
    if deed.norm in _MADE:
        return whose[-1].norm in BE
    return deed.norm == "died" and (whose[-1].is_name or whose[-1].norm in LONE_ROLES)


def _is_rate(after: Sequence[str]) -> bool:
    """Whether words behind a number say how often: "a day", "per week", "daily"."""
    return bool(_RATES & set(after)) or any(left in _PER and right in _PERIODS for left, right in pairwise(after))


def _is_measured(led: str, after: Sequence[str], measured: str) -> bool:
    is_lasting = led in {"take", "takes"} and measured in {"s", "month"}
    is_had = led in {"has", "have"} and (not after or after[0] in _HOLDS)
    is_sized = led in BE and bool(after) and after[0] in _ADJECTIVES
    return led in _MEASURES or is_lasting or is_had or is_sized
