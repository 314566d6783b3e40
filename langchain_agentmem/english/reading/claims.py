"""What a statement says in numbers: amounts, shares, sums, dates and times, each with the words around it.

Those are what changes while everything else of a statement stays ("the sprint ends on 1 April", "it now ends on
5 April"). English; what no rule knows is no claim. Words are kept as hashes: claims are compared, never read.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import term_hash, tokenize
from langchain_agentmem.english.reading.counts import NUMBERED, OF_ONE
from langchain_agentmem.english.reading.valued import valued_alone
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.calendar_words import MONTH, MONTH_NUMBERS, WEEKDAYS
from langchain_agentmem.english.words.number_words import counts
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER

ClaimKind: TypeAlias = Literal["number", "percent", "money", "date", "time", "state"]
CLAIM_KINDS: Final[tuple[ClaimKind, ...]] = get_args(ClaimKind)

MAX_CLAIMS: Final = 32
"""Of one text, the first; a pasted table states more, and nobody corrects it cell by cell."""

BEFORE, AFTER = 16, 12
"""Words around a value that say what it is the value of. BEAM, in a trial with other weights: with 12 and 8 an update
stood above what it replaced in 78 of 100 questions instead of 83."""

CHANGE_BEFORE, CHANGE_AFTER = 8, 3
"""Words around a value among which a word of change must stand. With none required, BEAM's recall at 5 fell by 2 to 5
points."""

COUNTED: Final = 2
"""Terms after a number that name what is counted."""

_CONTEXT_CHARS: Final = 400
"""Where those words are looked for; a word is shorter than 25 characters."""

_MAX_DAY: Final = 31
_NOON: Final = 12
_HOUR: Final = 60
_THOUSAND: Final = 1_000

_COUNTS: Final = {word: str(number) for word, number in counts(2, 12).items()}
_UNITS: Final = {
    spelled: unit for unit in ("", "ms", "kb", "mb", "gb", "hr", "min", "sec") for spelled in (unit, f"{unit}s")
}
_UNIT_NAMES: Final = tuple(dict.fromkeys(_UNITS.values()))

_NUMBER: Final = r"\d++(?:,\d{3}(?!\d))*+(?:\.\d++)?"

_CODE: Final = lazy_pattern(r"```.*?(?:```|$)", re.DOTALL)
_COUNT_WORD: Final = lazy_pattern(rf"\b({'|'.join(_COUNTS)})(?= [a-z])", re.IGNORECASE)
_VALUE: Final = lazy_pattern(
    rf"(?P<date>\b(?:{MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}\b)"
    r"(?:,? \d{4}\b)?)"
    r"|(?P<time>\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b)"
    rf"|(?P<percent>\b{_NUMBER} ?(?:%|percent\b))"
    rf"|(?P<money>[$\u20ac\u00a3]\s?{_NUMBER}k?\b)"
    rf"|(?P<number>(?<![\w.:/^=+*-]){_NUMBER}(?![\w:/]{{0,40}}[.=^*+/]\d)"  # no version, path or formula
    r"(?:\s?(?P<unit>ms|kb|mb|gb|hrs?|mins?|secs?)\b)?)",
    re.IGNORECASE,
)
_AFTER_FROM: Final = lazy_pattern(r"\bfrom (?:a |an |the )?$", re.IGNORECASE)
_AFTER_MONTH: Final = lazy_pattern(rf"\b{MONTH},? *$", re.IGNORECASE)
_AFTER_NOT: Final = lazy_pattern(
    r"(?:\b(?:not|never|no longer)|n['\u2019]t)(?: (?!but\b|only\b)[a-z]+)? $", re.IGNORECASE
)
"""Before a value that is denied: it is none. "Not 700 but 850" denies only the first."""

_AFTER_NOUN: Final = lazy_pattern(
    rf"(?<!\w)(?:(?:{'|'.join(sorted(NUMBERED))})|(?P<of>{'|'.join(sorted(OF_ONE))})? ?number|n[or]\.) $", re.IGNORECASE
)
"""Before a number that tells which of several something is ("bus 42", "bicycle number 4"): nothing has another."""

_YEAR: Final = lazy_pattern(r"(?:19|20)\d\d")
_DATE_PARTS: Final = lazy_pattern(rf"{MONTH}|\b\d{{1,2}}(?!\d)", re.IGNORECASE)
_NAMED: Final = lazy_pattern(rf"[\s-]*((?:(?:{LETTER}|-)+\s*){{1,3}})")

_CHANGE: Final = lazy_pattern(
    r"\b(?:now|new|newly|recent(?:ly)?|lately|updat(?:e|ed|ing)|chang(?:e|ed|ing)|mov(?:ed|ing)|re-?schedul\w+"
    r"|postpon\w+|adjust\w*|increas\w+|decreas\w+|improv(?:ed|ing)|reduc(?:ed|ing)|grown|grew|growth|extend(?:ed|ing)"
    r"|rais(?:ed|ing)|lower(?:ed|ing)|reached|instead|actually|no longer|switch(?:ed|ing)|revis(?:ed|ing)"
    r"|bump(?:ed|ing)|push(?:ed|ing)|latest|expand(?:ed|ing)|up to|down to|dropp?ed|rose|went (?:up|down)"
    r"|add(?:ed|ing)|already|total of|so far"
    r"|(?:cut|delayed|shifted|brought)(?: back| down| forward)? (?:to|until|till|from))\b",
    re.IGNORECASE,
)
_MOVE: Final = lazy_pattern(
    r"\b(?:new|now|updat\w+|chang\w+|mov(?:e|ed|ing)|re-?schedul\w+|postpon\w+|adjust\w*|extend\w*|push(?:ed|ing)?"
    r"|shift\w*|delay\w*|instead|actually|no longer|revis\w+|bump\w*|brought forward|switch\w*)\b",
    re.IGNORECASE,
)

_OWNER: Final = lazy_pattern(
    r"(?P<led>\b(?:in|on|at|of|with|by|from|to|near|about|after|before|until|than) )?"
    r"(?:\b(?P<own>my|our)(?P<of> [\w-]+['\u2019]s| [\w-]+s['\u2019])?"
    r"|\b(?P<other>[\w-]+)(?:['\u2019]s|(?<=s)['\u2019])"
    r"|\b(?P<theirs>his|her|their|your))(?= [\w-])",
    re.IGNORECASE,
)
_NO_OWNER: Final = frozenset(
    """
    it that let what here there who he she how where when this one today yesterday tomorrow
    """.split()
).union(WEEKDAYS)
_MEANT_FOR: Final = lazy_pattern(
    rf"\b(?:for|of(?= (?:my|our|his|her|their)\b)|in(?= {CAPITAL}))(?: (?:the|a|an|my|our|his|her|their))?"
    r"(?P<what>(?: (?!(?:the|a|an|my|our|his|her|their|its)\b)[\w'\u2019-]+){1,3}?)"
    r" (?:is|are|was|were|has|have|costs?|will|now|went|rose|dropped|increased|moved|changed|got)\b",
    re.IGNORECASE,
)

OWN: Final = term_hash("owner I")
OTHERS: Final = term_hash("owner they")
"""Whose something is, among what limits a claim: the speaker's, or somebody's whom only a pronoun names."""

_HEAD: Final = struct.Struct("<BBBBBQ")
"""Of one packed claim: kind, unit, signs, how many terms it counts and stand around it, and the hash of its value;
after the terms, where a sign says so, how many limit it, and those, and likewise those of the one thing it is given."""

_CHANGED, _MOVED, _LIMITED, _ALONE = 1, 2, 4, 8
_MAX_TERMS: Final = 255


class Claim(NamedTuple):
    """One value that a statement states.

    Attributes:
        unit: Of a number, where it is written as a short form.
        value: Hash of the value in its one normal form: "$3.5k" is "$3,500", "3 pm" is "3:00 PM".
        counted: Of a number, terms that name what is counted; of a state that is denied, the value.
        near: Terms around the value.
        limits: Whose it is, `OWN` or `OTHERS` or terms that name them, and terms that say what it is for.
        alone: Terms of the one thing that the clause gives the value; none where it tells more.
        is_change: A word of change stands near ("now", "increased"). `is_move`: one by which an appointment moves.
        shown: The value in its normal form, for an explanation; empty once packed.
    """

    kind: ClaimKind
    unit: str
    value: int
    counted: frozenset[int]
    near: frozenset[int]
    is_change: bool
    is_move: bool
    shown: str = ""
    limits: frozenset[int] = frozenset()
    alone: frozenset[int] = frozenset()


def claims_in(text: str) -> tuple[Claim, ...]:
    """Return the values that a text states, in its order; code is left out."""
    spoken = _COUNT_WORD.sub(lambda found: _COUNTS[found[1].lower()], _CODE.sub(" ", text))
    return tuple(islice(_claims(spoken), MAX_CLAIMS))


def says_change(text: str) -> bool:
    """Whether a word of change stands in a text, wherever it stands: what it says may be new."""
    return _CHANGE.search(text) is not None or _MOVE.search(text) is not None


def _claims(text: str) -> Iterator[Claim]:
    for sentence in split_sentences(text):
        for found in _VALUE.finditer(sentence):
            before = sentence[max(0, found.start() - _CONTEXT_CHARS) : found.start()]
            kind = _kind(found)
            shown = _normal(kind, found)
            is_other = _AFTER_FROM.search(before) or _AFTER_NOT.search(before)
            if shown and not is_other and not (kind == "number" and _is_no_value(found, shown, before)):
                yield _claim(kind, found, before, shown)


def _kind(found: re.Match[str]) -> ClaimKind:
    return next(kind for kind in CLAIM_KINDS if kind in found.re.groupindex and found[kind] is not None)


def _is_no_value(found: re.Match[str], shown: str, before: str) -> bool:
    """Whether a number is part of a date, or names one of several."""
    noun = _AFTER_NOUN.search(before)
    is_name = noun is not None and noun["of"] is None and found["unit"] is None
    return is_name or _AFTER_MONTH.search(before) is not None or _YEAR.fullmatch(shown) is not None


def _claim(kind: ClaimKind, found: re.Match[str], before: str, shown: str) -> Claim:
    rest = found.string[found.end() : found.end() + _CONTEXT_CHARS]
    left, right = before.split(), rest.split()
    around = f"{' '.join(left[-BEFORE:])} ; {' '.join(right[:AFTER])}"
    named = _NAMED.match(rest) if kind == "number" else None
    return Claim(
        kind=kind,
        unit=_UNITS[(found["unit"] or "").lower()],
        value=term_hash(f"{kind} {shown}"),
        counted=_hashes(tokenize(named[1])[:COUNTED]) if named else frozenset(),
        near=_hashes(term for term in tokenize(around) if not term[0].isdigit()),
        is_change=any(_CHANGE.search(" ".join(it)) for it in (left[-CHANGE_BEFORE:], right[:CHANGE_AFTER])),
        is_move=_MOVE.search(around) is not None,
        shown=shown,
        limits=_limits(before),
        alone=_hashes(valued_alone(before, rest, is_amount=kind == "number")),
    )


def _limits(before: str) -> frozenset[int]:
    """Return whose something is, and what it is meant for, by the words before its value."""
    meant = [term for it in _MEANT_FOR.finditer(before) for term in tokenize(it["what"])]
    owners = [
        it for it in _OWNER.finditer(before) if it["led"] is None and (it["other"] or "").lower() not in _NO_OWNER
    ]
    return _hashes(meant) | (_owner(owners[-1]) if owners else frozenset())


def _owner(found: re.Match[str]) -> frozenset[int]:
    if found["theirs"] is not None:
        return frozenset({OTHERS})
    named = found["of"] or found["other"]
    return frozenset({OWN}) if named is None else _hashes(tokenize(named))


def _hashes(terms: Iterable[str]) -> frozenset[int]:
    return frozenset(map(term_hash, terms))


def _normal(kind: ClaimKind, found: re.Match[str]) -> str:
    """Return a value in its one normal form; empty where it cannot be one."""
    written = found[kind].lower().replace(",", "")
    if kind == "date":
        return _normal_date(found[kind].lower())
    if kind == "time":
        return _normal_time(written)
    number = _normal_number(written)
    if kind == "percent":
        return f"{number} %"
    return f"{written[0]}{number}" if kind == "money" else f"{number} {_UNITS[(found['unit'] or '').lower()]}".strip()


def _normal_number(written: str) -> str:
    digits = re.sub(r"[^\d.]", "", written)
    if written.endswith("k"):  # of money: "$3.5k"
        digits = format(float(digits) * _THOUSAND, ".2f")
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{fraction}" if fraction else whole.lstrip("0") or "0"


def _normal_date(written: str) -> str:
    parts = _DATE_PARTS.findall(written)
    month = next(part for part in parts if not part.isdigit())
    day = int(next(part for part in parts if part.isdigit()))
    return f"{MONTH_NUMBERS[month]:02}-{day:02}" if 0 < day <= _MAX_DAY else ""


def _normal_time(written: str) -> str:
    hour, minute = re.fullmatch(r"(\d+)(?::(\d\d))? ?[ap]m", written).groups("0")  # type: ignore[union-attr]  # as _VALUE
    if not 0 < int(hour) <= _NOON:
        return ""
    minutes = int(hour) % _NOON * _HOUR + int(minute) + (_NOON * _HOUR if written.endswith("pm") else 0)
    return f"{minutes // _HOUR:02}:{minutes % _HOUR:02}"


def pack_claims(claims: Iterable[Claim]) -> bytes:
    """Return claims as bytes, without what they show."""
    return b"".join(map(_packed, claims))


def _packed(claim: Claim) -> bytes:
    counted, near = sorted(claim.counted)[:_MAX_TERMS], sorted(claim.near)[:_MAX_TERMS]
    further = {_LIMITED: claim.limits, _ALONE: claim.alone}
    signs = _CHANGED * claim.is_change | _MOVED * claim.is_move | sum(sign for sign, terms in further.items() if terms)
    kind, unit = CLAIM_KINDS.index(claim.kind), _UNIT_NAMES.index(claim.unit)
    head = _HEAD.pack(kind, unit, signs, len(counted), len(near), claim.value)
    return b"".join((head, _packed_terms((*counted, *near)), *map(_counted_terms, filter(None, further.values()))))


def _packed_terms(terms: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(terms)}Q", *terms)


def _counted_terms(terms: frozenset[int]) -> bytes:
    """Return terms behind their number."""
    kept = sorted(terms)[:_MAX_TERMS]
    return bytes((len(kept),)) + _packed_terms(kept)


def unpack_claims(packed: bytes) -> tuple[Claim, ...]:
    """Return the claims that were packed.

    Raises:
        ValueError: The bytes were never packed here.
    """
    claims, place = [], 0
    try:
        while place < len(packed):
            kind, unit, signs, counted, near, value = _HEAD.unpack_from(packed, place)
            terms, place = _terms_from(packed, place + _HEAD.size, counted + near)
            further = []
            for sign in (_LIMITED, _ALONE):
                count, place = (packed[place], place + 1) if signs & sign else (0, place)
                some, place = _terms_from(packed, place, count)
                further.append(frozenset(some))
            of_value = (CLAIM_KINDS[kind], _UNIT_NAMES[unit], value)
            words = (frozenset(terms[:counted]), frozenset(terms[counted:]))
            is_new = (bool(signs & _CHANGED), bool(signs & _MOVED))
            claims.append(Claim(*of_value, *words, *is_new, "", *further))
    except (IndexError, struct.error) as error:
        msg = "the bytes hold no claims"
        raise ValueError(msg) from error
    return tuple(claims)


def _terms_from(packed: bytes, place: int, count: int) -> tuple[tuple[int, ...], int]:
    """Return so many terms from a place on, and the place behind them."""
    return struct.unpack_from(f"<{count}Q", packed, place), place + 8 * count
