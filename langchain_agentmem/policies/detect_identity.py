"""Detectors of what tells one person or machine from all others: network addresses, birth dates, official numbers.

But for passports they are not among the defaults of the write policy: an address of a server, or a birthday, is often
just what a user wants remembered. A `SensitivePolicy(detectors="all")` has them. Every pattern is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import fold
from langchain_agentmem.english.words.calendar_words import MONTH, SHORT_MONTH
from langchain_agentmem.policies.matches import Detector, SensitiveMatch

_BEFORE: Final = 40
"""Characters in which what a number is called is looked for."""

# ---------------------------------------------------------------------------------------------------------- addresses
_IPV4: Final = lazy_pattern(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)")
_IPV6: Final = lazy_pattern(
    r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,40}:[0-9A-Fa-f:.]{0,40}:)[0-9A-Fa-f:]{2,39}+(?:[\d.]{7,15})?(?![\w:])"
)
_MAC: Final = lazy_pattern(
    r"(?<![\w:-])(?:[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}"
    r"|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})(?![\w:-]|\.\w)"
)
_CLOCK: Final = lazy_pattern(r"\d{1,2}:\d\d(?::\d\d)?")
_VERSION_BEFORE: Final = lazy_pattern(
    r"(?:\b(?:version|release|firmware|driver|build|section|chapter|clause|oid|update|upgrad\w{1,4}|chrome|v)\b"
    r"[^.!?\n]{0,20}|[=<>~]=|\^)\s?$",
    re.IGNORECASE,
)
_NOBODYS: Final = frozenset({"0.0.0.0", "127.0.0.1", "255.255.255.255", "255.255.255.0", "::", "::1"})  # noqa: S104  (compared)


def find_ips(text: str) -> list[SensitiveMatch]:
    """Find IP addresses of either version; a version number, a time, and what every machine is called are none."""
    return _found(text, "ip", _ips)


def find_macs(text: str) -> list[SensitiveMatch]:
    """Find the addresses of network cards."""
    return _found(text, "mac", lambda folded: (it.span() for it in _MAC.finditer(folded)))


def _ips(text: str) -> Iterator[tuple[int, int]]:
    for found in _IPV4.finditer(text):
        if _is_address(found.group()) and not _VERSION_BEFORE.search(
            text[max(0, found.start() - _BEFORE) : found.start()]
        ):
            yield found.span()
    for found in _IPV6.finditer(text):
        value = found.group().rstrip(".")
        if any(map(str.isdigit, value)) and _is_address(value) and not _CLOCK.fullmatch(value):
            yield found.start(), found.start() + len(value)


def _is_address(value: str) -> bool:
    try:
        return str(ip_address(value)) not in _NOBODYS
    except ValueError:
        return False


# -------------------------------------------------------------------------------------------------------- birth dates
_DATE: Final = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)"
    rf"|(?:{MONTH}|{SHORT_MONTH})\.?\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,2}}\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s{{1,2}}(?:of\s{{1,2}})?(?:{MONTH}|{SHORT_MONTH})\.?,?\s{{1,2}}\d{{4}})(?![\w-]|[./]\d)"
)
_BIRTH: Final = lazy_pattern(
    r"(?<!\w)(?:date of birth|birth ?date|birthday|d\.?o\.?b\.?|born|geboren|geburtsdatum|n[eé]e? le|nacid[oa]|nato il)"
    r"(?!\w)[^.!?\n\d]{0,24}?(?P<value>(?<!\d)" + _DATE + ")",
    re.IGNORECASE,
)


def find_birth_dates(text: str) -> list[SensitiveMatch]:
    """Find dates that are called a date of birth; any other date is none."""
    return _found(text, "birth_date", lambda folded: (it.span("value") for it in _BIRTH.finditer(folded)))


# --------------------------------------------------------------------------------------------------- official numbers
_PASSPORT: Final = lazy_pattern(
    r"\b(?:passport|passeport|reisepass|pasaporte)(?:[\s_]{0,2}(?:number|no\.?|nr\.?|num|#|id))?\b[\s:#=.,;|\"']{0,5}"
    r"(?:(?:is|was|ist|es)\s{1,3})?[\s:#=\"']{0,2}(?P<value>(?=[A-Z0-9]{0,8}\d{3})[A-Z0-9]{6,9})(?![\w-])",
    re.IGNORECASE,
)
# United Kingdom, National Insurance: HM Revenue & Customs, NIM39110.
_NINO: Final = lazy_pattern(
    r"(?<![\w-])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![\w-])"
)
_DNI: Final = lazy_pattern(r"(?<![\w-])(?P<number>[XYZ]?-?\d{7,8})[- ]?(?P<check>[A-HJ-NP-TV-Z])(?![\w-])")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"  # Spain, Real Decreto 1553/2005: the number modulo 23
_FISCAL: Final = lazy_pattern(r"(?<!\w)[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)")
_AADHAAR: Final = lazy_pattern(r"(?<![\w.-])[2-9]\d{3}([ -])\d{4}\1\d{4}(?![\w-]|[ -]\d|\.\d)")
_ID_BEFORE: Final = lazy_pattern(
    r"(?<![^\W_])(?:aadhaa?r|uidai|uid|national|identity|id)(?![^\W_])[^.!?\n]{0,24}$", re.IGNORECASE
)
_NIR: Final = lazy_pattern(r"(?<![\w.-])[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d(?![\w-]|\.\d)")
_NIR_MODULUS: Final = 97
_NIR_BODY: Final = 13
_DNI_MODULUS: Final = 23
# Italy, Decreto 23 dicembre 1976: what a character at an odd place counts.
_ODD: Final = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        map(
            int, "1 0 5 7 9 13 15 17 19 21 1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23".split()
        ),
        strict=True,
    )
)
# Verhoeff, "Error Detecting Decimal Codes" (1969): the dihedral group of the pentagon, and its permutation.
_TURNS: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def find_passports(text: str) -> list[SensitiveMatch]:
    """Find what is called a passport number."""
    return _found(text, "passport", lambda folded: (it.span("value") for it in _PASSPORT.finditer(folded)))


def find_national_ids(text: str) -> list[SensitiveMatch]:
    """Find national ids with a form or checksum of their own: United Kingdom, Spain, Italy, France, India."""
    return _found(text, "national_id", _national_ids)


def _national_ids(text: str) -> Iterator[tuple[int, int]]:
    yield from (it.span() for it in _NINO.finditer(text))
    yield from (it.span() for it in _DNI.finditer(text) if _is_dni(it))
    yield from (it.span() for it in _FISCAL.finditer(text) if _is_fiscal(it.group()))
    yield from (it.span() for it in _AADHAAR.finditer(text) if _is_aadhaar(it, text))
    yield from (it.span() for it in _NIR.finditer(text) if _is_nir(it.group().replace(" ", "")))


def _is_dni(found: re.Match[str]) -> bool:
    number = found["number"].replace("-", "")
    plain = str("XYZ".index(number[0])) + number[1:] if number[0] in "XYZ" else number
    return len(plain) == 8 and _DNI_LETTERS[int(plain) % _DNI_MODULUS] == found["check"]  # noqa: PLR2004  (digits)


def _is_fiscal(code: str) -> bool:
    even = sum(int(it) if it.isdigit() else ord(it) - ord("A") for it in code[1:15:2])
    return chr(ord("A") + (even + sum(_ODD[it] for it in code[0:15:2])) % 26) == code[15]


def _is_nir(number: str) -> bool:
    body = number[:_NIR_BODY].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and _NIR_MODULUS - int(body) % _NIR_MODULUS == int(number[_NIR_BODY:])


def _is_aadhaar(found: re.Match[str], text: str) -> bool:
    """Whether twelve digits are called an id, and check: one in ten does by chance."""
    is_called = _ID_BEFORE.search(text[max(0, found.start() - _BEFORE) : found.start()])
    return bool(is_called) and _is_verhoeff(_digits(found.group()))


def _is_verhoeff(digits: str) -> bool:
    check = 0
    for place, digit in enumerate(reversed(digits)):
        turned = int(digit)
        for _ in range(place % 8):
            turned = _TURNS[turned]
        check = _multiplied(check, turned)
    return check == 0


def _multiplied(one: int, other: int) -> int:
    """Multiply in the dihedral group of ten elements: five turns, and five turns after a reflection."""
    if one < 5:  # noqa: PLR2004  (turns)
        return (one + other) % 5 if other < 5 else 5 + (one + other) % 5  # noqa: PLR2004  (likewise)
    return 5 + (one - other) % 5 if other < 5 else (one - other) % 5  # noqa: PLR2004  (likewise)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _found(text: str, type_: str, spans: Callable[[str], Iterator[tuple[int, int]]]) -> list[SensitiveMatch]:
    folded = fold(text)
    return [SensitiveMatch(*folded.span(*span), type_) for span in sorted(set(spans(folded.text)))]


IDENTITY_DETECTORS: Final[tuple[Detector, ...]] = (
    find_ips,
    find_macs,
    find_birth_dates,
    find_national_ids,
)
