"""Numbers, amounts, times and dates in one normal form: `30 s`, `30 seconds` and `half a minute` are `30s`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import MONTH_NUMBERS
from langchain_agentmem.english.words.number_words import NUMBER_WORDS

_SCALES: Final[Mapping[str, int]] = {
    "hundred": 100,
    "dozen": 12,
    **dict.fromkeys(("k", "thousand"), 1_000),
    **dict.fromkeys(("mio", "million"), 1_000_000),
    **dict.fromkeys(("bn", "billion"), 1_000_000_000),
}
_ORDINALS: Final[Mapping[str, int]] = {
    word: value
    for value, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)
}
_TIMES: Final[Mapping[str, str]] = {"once": "1x", "twice": "2x", "thrice": "3x", "noon": "12:00", "midnight": "00:00"}

# Every unit with the factor to its base unit; only units that convert exactly share a base.
_UNIT_ROWS: Final = """
s 1 s sec secs second seconds
s 0.001 ms millisecond milliseconds
s 60 min mins minute minutes
s 3600 h hr hrs hour hours
s 86400 d day days
s 604800 week weeks wk wks
month 1 month months
month 12 year years yr yrs
b 1 bytes byte
b 1000 kb
b 1000000 mb
b 1000000000 gb
b 1000000000000 tb
mm 1 mm
mm 10 cm
mm 1000 meter meters metre metres
mm 1000000 km kilometer kilometers kilometre kilometres
mile 1 mi mile miles
foot 1 ft foot feet
inch 1 inch inches
g 1 g gram grams
g 1000 kg kilo kilos kilogram kilograms
lb 1 lb lbs pound pounds
% 1 % percent pct
usd 1 $ usd dollar dollars
eur 1 € eur euro euros
gbp 1 £ gbp
x 1 x times
m 1 m
"""
_UNITS: Final[Mapping[str, tuple[Decimal, str]]] = {
    name: (Decimal(row.split()[1]), row.split()[0])
    for row in _UNIT_ROWS.strip().splitlines()
    for name in row.split()[2:]
}


def _any(words: Iterable[str]) -> str:
    """Return a pattern for one of some words, in which a Turkish i is no i, and a long s no s: no table has them."""
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return listed.replace("i", "(?-i:[iI])").replace("s", "(?-i:[sS])")


_W: Final = _any(NUMBER_WORDS)
_MONTH: Final = _any(MONTH_NUMBERS)
_UNIT: Final = _any(_UNITS)
_SPELLED: Final = rf"(?:{_W})(?:[- ](?:{_W}))?"
_END: Final = r"(?![\w])"
_DIGITS: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_BEGINS: Final = {word[:3] for words in (NUMBER_WORDS, MONTH_NUMBERS, _ORDINALS, _TIMES, ("half",)) for word in words}
_PATTERN: Final = lazy_pattern(
    rf"""(?<![\w.@/-])(?=v?\d|[$€£]|an?\s|the\s\d|{_any(_BEGINS)})(?:
      (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})
    | (?:the\s)?(?P<dm_day>\d{{1,2}})(?:st|nd|rd|th)?(?:\sof)?\s(?P<dm_month>{_MONTH})\.?(?:,?\s(?P<dm_year>\d{{4}}))?
    | (?P<md_month>{_MONTH})\.?\s(?:the\s)?(?P<md_day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.])(?:,?\s(?P<md_year>\d{{4}}))?
    | (?P<my_month>{_MONTH})\s(?P<my_year>\d{{4}})
    | (?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half_day>[ap])\.?m\b\.?
    | (?P<clock>\d{{1,2}}:\d{{2}})
    | half\san?\s(?P<half_unit>{_any(("hour", "minute", "day", "year"))})
    | an?\s(?P<one_unit>{_any(("hour", "minute"))})
    | (?P<age>\d{{1,3}}|{_SPELLED})[\s-]years?[\s-]old
    | (?P<ordinal>\d+)(?:st|nd|rd|th)
    | (?P<literal>v?\d+(?:[./:-]\d+){{2,}}|v\d+(?:\.\d+)*|\d+[/:]\d+|0\d+)
    | (?P<currency>[$€£])\s?(?P<amount>{_DIGITS})\s?(?:(?P<amount_scale>{_any(_SCALES)})(?!\w))?
    | (?P<value>{_DIGITS}|{_SPELLED}|an?(?=\s(?:hundred|dozen|thousand|million)))
      (?:[\s-]?(?P<scale>{_any(_SCALES)})(?!\w))?(?:[\s-]?(?P<unit>{_UNIT}))?
    | (?P<ordinal_word>{_any(_ORDINALS)})
    | (?P<times>{_any(_TIMES)})
    )(?!\w)(?![.-]\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_PRONOUN_ONE: Final = lazy_pattern(r"(?:the|this|that|any|each|every|which|no|some)\s$", re.IGNORECASE)
_READ_BACK: Final = 7
"""Characters before "one" that tell whether it is a pronoun."""


def match_quantity(text: str, position: int) -> tuple[str, int] | None:
    """Return the normal form of the quantity that begins at `position` and where it ends, or `None`."""
    found = _PATTERN.match(text, position)
    if found is None or (
        found[0].lower() == "one" and _PRONOUN_ONE.search(text[max(0, position - _READ_BACK) : position])
    ):
        return None
    for group, normal_form in _FORMS.items():
        if found[group] is not None:
            return normal_form(found), found.end()
    return None


def _date(year: str | None, month: str, day: str | None) -> str:
    number = MONTH_NUMBERS[month.lower()]
    return f"{year or '-'}-{number:02}" + (f"-{int(day):02}" if day else "")


def _hour(found: re.Match[str]) -> str:
    hour = int(found["hour"]) % 12 + (12 if found["half_day"].lower() == "p" else 0)
    return f"{hour:02}:{found['minute'] or '00'}"


def _clock(found: re.Match[str]) -> str:
    hour, minute = found["clock"].split(":")
    return f"{int(hour):02}:{minute}"


def _number(text: str, scale: str | None) -> Decimal:
    words = text.lower().replace("-", " ").split()
    if words[0] in {"a", "an"}:
        value = Decimal(1)
    elif words[0] in NUMBER_WORDS:
        value = Decimal(sum(NUMBER_WORDS[word] for word in words))
    else:
        value = Decimal(text.replace(",", ""))
    return value * _SCALES[scale.lower()] if scale else value


def _plain(value: Decimal) -> str:
    shown = f"{value:f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


# Longer numbers are identifiers; arithmetic would round them and make two of them equal.
_EXACT_DIGITS: Final = 18


def _amount(text: str, scale: str | None, unit: str | None) -> str:
    value = _number(text, scale)
    if len(text) > _EXACT_DIGITS:
        return f"{text}{scale or ''}{unit or ''}".lower()
    if unit is None:
        # Without a unit `3.10` may be a version, and then it is not `3.1`.
        return text if scale is None and "." in text else _plain(value)
    factor, base = _UNITS[unit.lower()]
    return _plain(value * factor) + base


_HOURS: Final = 24
_FORMS: Final[Mapping[str, Callable[[re.Match[str]], str]]] = {
    "iso": lambda found: found["iso"],
    "dm_day": lambda found: _date(found["dm_year"], found["dm_month"], found["dm_day"]),
    "md_day": lambda found: _date(found["md_year"], found["md_month"], found["md_day"]),
    "my_month": lambda found: _date(found["my_year"], found["my_month"], None),
    "hour": _hour,
    "clock": _clock,
    "half_unit": lambda found: _amount("0.5", None, found["half_unit"]),
    "one_unit": lambda found: _amount("1", None, found["one_unit"]),
    "age": lambda found: _plain(_number(found["age"], None)),
    "ordinal": lambda found: f"#{found['ordinal']}",
    "literal": lambda found: found["literal"].lower().removeprefix("v"),
    "amount": lambda found: _amount(found["amount"], found["amount_scale"], found["currency"]),
    "value": lambda found: _amount(found["value"], found["scale"], found["unit"]),
    "ordinal_word": lambda found: f"#{_ORDINALS[found['ordinal_word'].lower()]}",
    "times": lambda found: _TIMES[found["times"].lower()],
}


def is_quantity(term: str) -> bool:
    """Whether a term is the normal form of a quantity, a time or a date."""
    return bool(re.match(r"#?\d|--\d", term)) and not re.match(r"\d+[a-z]+-|.*[_@]", term)


def dimension(term: str) -> str:
    """Return what a normal form measures: two quantities of different dimension cannot contradict each other."""
    if re.fullmatch(r"-?(?:-|\d{4})-\d\d(?:-\d\d)?", term):
        return "date"
    if re.fullmatch(r"\d\d:\d\d", term):
        return "time"
    return re.sub(r"[\d.]", "", term)


def is_year(term: str) -> bool:
    """Whether a term is the normal form of a year, with or without its month.

    Example:
        >>> is_year("1990"), is_year("1990-05"), is_year("34")
        (True, True, False)
    """
    return re.fullmatch(r"\d{4}(?:-\d\d)?", term) is not None


def may_be_one_date(one: str, other: str) -> bool:
    """Whether two terms may tell the same date, of which either leaves something open; of what is no date, false.

    Example:
        >>> may_be_one_date("1990", "1990-05-03"), may_be_one_date("1990", "1991-05")
        (True, False)
    """
    parts = [re.fullmatch(r"(-|\d{4})(?:-(\d\d)(?:-(\d\d))?)?", it) for it in (one, other)]
    if parts[0] is None or parts[1] is None:
        return False
    told = zip(parts[0].groups("-"), parts[1].groups("-"), strict=True)
    return all(here == there or "-" in {here, there} for here, there in told)


def amount_of(term: str) -> Decimal:
    """Return the number in a normal form, without what it measures; 0 where it holds none."""
    found = re.search(r"\d+(?:\.\d+)?", term)
    return Decimal(found[0]) if found else Decimal(0)


def are_comparable(one: str, other: str) -> bool:
    """Whether two quantities measure the same; the hour of a clock needs no minutes: "at 6", "at 6:30".

    A date is no other one for the year that it leaves open.

    Example:
        >>> are_comparable("6", "06:30"), are_comparable("60", "06:30"), are_comparable("6kg", "6")
        (True, False, False)
    """
    kinds = dimension(one), dimension(other)
    if kinds == ("date", "date"):
        return not may_be_one_date(one, other)
    if set(kinds) != {"", "time"}:
        return kinds[0] == kinds[1]
    hour = one if kinds[0] == "" else other
    return hour.isdigit() and 0 < int(hour) <= _HOURS
