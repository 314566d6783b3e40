"""Detectors of numbers that carry a checksum or a fixed form: payment cards, IBAN, US social security numbers.

Every pattern is bounded or possessive, so that the work grows linearly with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import Folded, fold
from langchain_agentmem.policies.matches import SensitiveMatch

# -------------------------------------------------------------------------------------------------------------- cards
# Issuer ranges and lengths: ISO/IEC 7812-1 and the issuers' published identification numbers.
# (first prefix, last prefix, fewest digits, most digits)
_ISSUERS: Final = (
    ("4", "4", 13, 19),  # Visa
    ("51", "55", 16, 16),  # Mastercard
    ("2221", "2720", 16, 16),  # Mastercard, second range
    ("34", "34", 15, 15),  # American Express
    ("37", "37", 15, 15),  # American Express
    ("300", "305", 14, 19),  # Diners Club
    ("3095", "3095", 14, 19),  # Diners Club
    ("36", "36", 14, 19),  # Diners Club
    ("38", "39", 14, 19),  # Diners Club
    ("6011", "6011", 16, 19),  # Discover
    ("644", "659", 16, 19),  # Discover, RuPay
    ("3528", "3589", 16, 19),  # JCB
    ("62", "62", 16, 19),  # UnionPay
    ("81", "82", 16, 19),  # UnionPay, RuPay
    ("508", "508", 16, 16),  # RuPay
    ("2200", "2204", 16, 19),  # Mir
    ("9792", "9792", 16, 16),  # Troy
    ("5018", "5018", 12, 19),  # Maestro
    ("5020", "5020", 12, 19),  # Maestro
    ("5038", "5038", 12, 19),  # Maestro
    ("5893", "5893", 12, 19),  # Maestro
    ("6304", "6304", 12, 19),  # Maestro
    ("6759", "6759", 12, 19),  # Maestro
    ("6761", "6763", 12, 19),  # Maestro
)
_MIN_CARD_DIGITS: Final = 12
_MAX_CARD_DIGITS: Final = 19
# How cards are printed; inside a longer row of digit groups only these are believed, else any group could be one.
_PRINTED: Final = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 5), (4, 4, 4, 1), (6, 13)})
_MAX_PRINTED_GROUPS: Final = 5
_GROUPS: Final = lazy_pattern(r"\d++(?:[ \t._-]{1,3}+\d++)*+")
# Printed a group to a line, or with slashes: alone, for a longer column or path is made of other numbers.
_LINES: Final = lazy_pattern(
    r"(?<!\d)(?<!\d[\n/])\d{4}(?P<sep>[\n/])(?:\d{4}(?P=sep)\d{4}(?P=sep)\d{4}|\d{6}(?P=sep)\d{5})(?![\n/]?\d)"
)
_DECIMAL: Final = lazy_pattern(r"\d+\.\d+")
_GROUP: Final = lazy_pattern(r"\d+")
# Letters may be glued to either end ("card4111…"); letters between digits make it an identifier in hexadecimal.
_UUID: Final = lazy_pattern(r"(?<!\w)[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?!\w)")  # RFC 9562, section 4
_HEX_AROUND: Final = lazy_pattern(r"\d[^\W\d_]{1,20}$")


def find_cards(text: str) -> list[SensitiveMatch]:
    """Find payment card numbers: issuer range, length and Luhn checksum must agree, separators may stand anywhere."""
    folded = fold(text)
    found: list[SensitiveMatch] = []
    named = [it.span() for it in _UUID.finditer(folded.text) if not it.group().replace("-", "").isdigit()]
    for row in _GROUPS.finditer(folded.text):
        is_named = any(start <= row.start() and row.end() <= end for start, end in named)
        if len(row.group()) >= _MIN_CARD_DIGITS and not is_named and not _is_other_number(folded.text, row):
            found += [_match(folded, span, "card") for span in _cards_in(row)]
    lines = (it for it in _LINES.finditer(folded.text) if is_card_number("".join(_GROUP.findall(it.group()))))
    return [*found, *(_match(folded, it.span(), "card") for it in lines)]


def _is_other_number(text: str, row: re.Match[str]) -> bool:
    if _DECIMAL.fullmatch(row.group()):
        return True
    before, after = text[max(0, row.start() - 21) : row.start()], text[row.end() : row.end() + 21]
    return bool(_HEX_AROUND.search(before) or _HEX_AROUND.search(after[::-1]))


def _cards_in(row: re.Match[str]) -> Iterator[tuple[int, int]]:
    groups = [(m.start() + row.start(), m.end() + row.start()) for m in _GROUP.finditer(row.group())]
    texts = [m.group() for m in _GROUP.finditer(row.group())]
    first = 0
    while first < len(groups):
        last = _card_from(texts, first)
        if last is None:
            first += 1
            continue
        yield groups[first][0], groups[last][1]
        first = last + 1


def _card_from(texts: list[str], first: int) -> int | None:
    """Return the index of the last group of a card that begins with group `first`; the longest wins."""
    digits, best = "", None
    limit = _MAX_CARD_DIGITS if first == 0 else _MAX_PRINTED_GROUPS
    for last in range(first, min(len(texts), first + limit)):
        digits += texts[last]
        if len(digits) > _MAX_CARD_DIGITS:
            break
        if is_card_number(digits) and _could_be_printed(texts, first, last):
            best = last
    return best


def _could_be_printed(texts: list[str], first: int, last: int) -> bool:
    is_whole = first == 0 and last == len(texts) - 1
    return is_whole or first == last or tuple(map(len, texts[first : last + 1])) in _PRINTED


def is_card_number(digits: str) -> bool:
    """Whether `digits` (0 to 9 only) has an issuer's prefix and length and a right Luhn checksum (ISO/IEC 7812-1)."""
    return _MIN_CARD_DIGITS <= len(digits) <= _MAX_CARD_DIGITS and _has_issuer(digits) and _passes_luhn(digits)


def _has_issuer(digits: str) -> bool:
    return any(
        low <= digits[: len(low)] <= high and fewest <= len(digits) <= most for low, high, fewest, most in _ISSUERS
    )


def _passes_luhn(digits: str) -> bool:
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0


# --------------------------------------------------------------------------------------------------------------- IBAN
# Lengths by country: SWIFT, IBAN Registry.
_IBAN_LENGTHS: Final = {
    country: int(length)
    for length, countries in {
        "15": "NO",
        "16": "BE",
        "18": "DK FI FK FO GL NL SD",
        "19": "MK SI",
        "20": "AT BA EE KZ LT LU MN XK",
        "21": "CH HR LI LV",
        "22": "BG BH CR DE GB GE IE ME RS VA",
        "23": "AE GI IL IQ OM SO TL",
        "24": "AD CZ DZ ES MD PK RO SA SE SK TN VG",
        "25": "AO CV LY MZ PT ST",
        "26": "IR IS TR",
        "27": "BF BI CF CG CM DJ FR GA GR IT KM MC MG MR SM TD",
        "28": "AL AZ BJ BY CI CY DO GT HN HU LB ML NE NI PL SN SV TG",
        "29": "BR EG PS QA UA",
        "30": "JO KW MU YE",
        "31": "MT SC",
        "32": "LC",
        "33": "RU",
    }.items()
    for country in countries.split()
}
_IBAN_START: Final = lazy_pattern(r"(?<![^\W_])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])")
_IBAN_CHAR: Final = lazy_pattern(r"[ -]?([A-Za-z0-9])")
_MOD_97_REMAINDER: Final = 1  # ISO 7064, MOD 97-10


def find_ibans(text: str) -> list[SensitiveMatch]:
    """Find bank account numbers (IBAN): a country's own length and the checksum of ISO 13616 must agree."""
    folded = fold(text)
    found: list[SensitiveMatch] = []
    for start in _IBAN_START.finditer(folded.text):
        end = _iban_end(folded.text, start.start())
        if end is not None:
            found.append(_match(folded, (start.start(), end), "iban"))
    return found


def _iban_end(text: str, start: int) -> int | None:
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper())
    if length is None:
        return None
    chars, place = text[start], start + 1
    while len(chars) < length and (step := _IBAN_CHAR.match(text, place)):
        chars, place = chars + step.group(1), step.end()
    is_cut = place < len(text) and text[place].isalnum()
    return place if len(chars) == length and not is_cut and is_iban(chars) else None


def is_iban(chars: str) -> bool:
    """Whether `chars` (no separators) has its country's length and the right checksum."""
    code = chars.upper()
    if not (code.isascii() and code.isalnum() and _IBAN_LENGTHS.get(code[:2]) == len(code)):
        return False
    return int("".join(str(int(char, 36)) for char in code[4:] + code[:4])) % 97 == _MOD_97_REMAINDER


# ---------------------------------------------------------------------------------------------------------------- SSN
# Areas, groups and serials never issued: US Social Security Administration, "The SSN Numbering Scheme".
_SSN_RULES: Final = r"(?!000|666|9\d\d)\d{3}(?P<sep>%s)(?!00)\d{2}(?P=sep)(?!0000)\d{4}"
_SSN: Final = lazy_pattern(r"(?<![\w.-])" + _SSN_RULES % "[ -]" + r"(?![\w]|-\w|\.\d)")
_NAMED_SSN: Final = lazy_pattern(
    r"\b(?:ssn|social security(?: (?:number|no\.?|nr\.?|#))?)\b[\s:=#]{0,3}(?:is|was)?[\s:=]{0,3}(?P<number>"
    + _SSN_RULES % "[ .-]?"
    + r")(?!\d)",
    re.IGNORECASE,
)


def find_ssns(text: str) -> list[SensitiveMatch]:
    """Find US social security numbers: written in three groups, or nine digits that are called so."""
    folded = fold(text)
    spans = {found.span() for found in _SSN.finditer(folded.text)}
    spans |= {found.span("number") for found in _NAMED_SSN.finditer(folded.text)}
    return [_match(folded, span, "ssn") for span in sorted(spans)]


def _match(folded: Folded, span: tuple[int, int], type_: str) -> SensitiveMatch:
    start, end = folded.span(*span)
    return SensitiveMatch(start, end, type_)
