"""Detectors of ways to reach a person: e-mail addresses and telephone numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import fold
from langchain_agentmem.policies.matches import SensitiveMatch

# ------------------------------------------------------------------------------------------------------------- e-mail
_MAX_LOCAL_CHARS: Final = 64  # RFC 5321, 4.5.3.1.1
_LOCAL_CHARS: Final = frozenset("._+%'-")
_AT_DOMAIN: Final = lazy_pattern(r"@(?:[^\W_](?:[^\W_]|-){0,62}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_SPELLED: Final = lazy_pattern(
    r"(?<![\w.+-])[\w.+-]{1,64}+\s{1,3}[(\[]?at[)\]]?\s{1,3}[\w-]{1,63}+"
    r"(?:\s{1,3}[(\[]?dot[)\]]?\s{1,3}[\w-]{1,63}+){0,3}\s{1,3}[(\[]?dot[)\]]?\s{1,3}[a-z]{2,24}\b",
    re.IGNORECASE,
)
_REPOSITORY_USER: Final = "git"  # "git@host:path" is the address of a repository


def find_emails(text: str) -> list[SensitiveMatch]:
    """Find e-mail addresses, also spelled out ("alice at example dot org"); a repository address is none."""
    folded = fold(text)
    spans = [found.span() for found in _SPELLED.finditer(folded.text)]
    for domain in _AT_DOMAIN.finditer(folded.text):
        start = _local_start(folded.text, domain.start())
        is_repository = folded.text[start : domain.start()] == _REPOSITORY_USER and folded.text.startswith(
            ":", domain.end()
        )
        if start < domain.start() and not is_repository:
            spans.append((start, domain.end()))
    return [SensitiveMatch(*folded.span(*span), "email") for span in sorted(spans)]


def _local_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - _MAX_LOCAL_CHARS) and (text[start - 1].isalnum() or text[start - 1] in _LOCAL_CHARS):
        start -= 1
    while start < at and not text[start].isalnum():
        start += 1
    return start


# -------------------------------------------------------------------------------------------------------------- phone
_MAX_PHONE_DIGITS: Final = 15  # ITU-T E.164, 6.2.1
_CONTEXT_CHARS: Final = 48
# Seven digits at least: shorter ones are local numbers, useless outside their town. Two more than the most for "00".
_CANDIDATE: Final = lazy_pattern(
    r"(?<![\w./@#-])(?<!\d,)(?P<plus>\+|00(?=[1-9 ])|011(?=[ -]?[1-9]))?[ ]?\(?\d(?:[ ().\-/]{0,3}\d){6,16}+"
    r"(?![\w%]|[.:]\d|,\d{3}(?!\d)|-\w)"
)
_NORTH_AMERICAN: Final = lazy_pattern(r"(?:1[ .-])?(?:\([2-9]\d\d\)[ .-]?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}")
_DATE: Final = lazy_pattern(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}([-/.])\d{1,2}\3\d\d)(?!\S).*"
)
_YEARS: Final = lazy_pattern(r"(?:1[89]|20)\d\d\s?[-/ ]\s?(?:1[89]|20)\d\d")
_VERSION: Final = lazy_pattern(r"\d{1,4}(?:\.\d{1,4}){1,3}")
_THOUSANDS: Final = lazy_pattern(r"[1-9]\d{0,2}(?:([ .])\d{3})(?:\1\d{3})*")
_OTHER_FORMS: Final = (_DATE, _YEARS, _VERSION, _THOUSANDS)
_MONEY_BEFORE: Final = lazy_pattern(r"(?:[$€£¥₹]|\b(?:usd|eur|gbp|chf|jpy|inr))\s?$", re.IGNORECASE)
_UNIT_AFTER: Final = lazy_pattern(
    r"\s?(?:[$€£¥₹%]|(?:usd|eur|gbp|chf|jpy|inr|dollars?|euros?|pounds?|bytes?|[kmgt]i?b|ms|seconds?|rows?|users?"
    r"|people"
    r"|items?|tokens?|lines?|km|meters?|metres?|years?|times)\b)",
    re.IGNORECASE,
)
_ID_BEFORE: Final = lazy_pattern(
    r"(?:\b(?:order|invoice|ticket|case|customer|account|reference|ref|tracking|serial|transaction|booking|article|part"
    r"|product|employee|student|member(?:ship)?|registration|policy|contract|parcel|isbn|ean|id|build|commit|issue"
    r"|version"
    r"|port|line|page)\b(?:\W{0,2}(?:number|no|nr|num|id|code)\b)?(?:\W{0,2}is\b)?|#|\bno\.|\bnr\.)\W{0,3}$",
    re.IGNORECASE,
)
_PHONE_BEFORE: Final = lazy_pattern(
    r"\b(?:(?:tele|mobile |cell )?phone|mobile|cell|tel|whats\s?app|fax|reach (?:me|him|her|us|them)|sms"
    r"|(?:call|text|ring) (?:me|him|her|us|them)|contact number|telefon|handy)\b[^.!?\n\d]{0,24}[+(]?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PhoneDetector:
    """Finds telephone numbers, validated with the numbering plans of the `phonenumbers` library.

    Without a region these are found: international numbers (`+`, `00`, `011`), the North American form 3-3-4, and any
    number that is called a phone number. Dates, versions, amounts and numbers called an order or id are none.

    Args:
        default_region: Two-letter region (`"GB"`) whose national numbers are found too.
    """

    default_region: str | None = None
    types: ClassVar[frozenset[str]] = frozenset({"phone"})

    def __call__(self, text: str) -> list[SensitiveMatch]:
        """Return the telephone numbers of `text`, in order."""
        folded = fold(text)
        return [
            SensitiveMatch(*folded.span(found.start() + _indent(found.group()), found.end()), "phone")
            for found in _CANDIDATE.finditer(folded.text)
            if self._is_phone(found, folded.text)
        ]

    def _is_phone(self, found: re.Match[str], text: str) -> bool:
        number = found.group().strip()
        digits = sum(char.isdigit() for char in number)
        if found.group("plus") and _is_valid("+" + number.removeprefix(found.group("plus")), None):
            return True
        if digits > _MAX_PHONE_DIGITS or _is_other_number(found, text):
            return False
        before = text[max(0, found.start() - _CONTEXT_CHARS) : found.start()]
        return bool(
            _PHONE_BEFORE.search(before)
            or (_NORTH_AMERICAN.fullmatch(number) and _is_valid(number, "US"))
            or (self.default_region and _is_valid(number, self.default_region))
        )


def _indent(number: str) -> int:
    return len(number) - len(number.lstrip())


def _is_other_number(found: re.Match[str], text: str) -> bool:
    number = found.group().strip()
    before = text[max(0, found.start() - _CONTEXT_CHARS) : found.start()]
    return bool(
        _ID_BEFORE.search(before)
        or _MONEY_BEFORE.search(before)
        or _UNIT_AFTER.match(text, found.end())
        or (not _NORTH_AMERICAN.fullmatch(number) and any(form.fullmatch(number) for form in _OTHER_FORMS))
    )


def _is_valid(number: str, region: str | None) -> bool:
    import phonenumbers  # here, because its numbering plans take memory that most processes never need

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number, region))
    except phonenumbers.NumberParseException:
        return False


find_phones: Final = PhoneDetector()
