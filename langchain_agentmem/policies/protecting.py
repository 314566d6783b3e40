"""What is done with sensitive data that was found: pure functions from a text and its matches to what may stand there.

What takes the place of a value is a mark: `[card]` (redacted), `[card#…]` (a keyed hash, equal for equal values), or
`[card:…]` (a token, whose value is kept elsewhere). Its letters are no digits, so that no detector takes a mark for
data, and what was protected once stays as it is.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._stand_ins import DIGEST_LETTERS, MARK, TOKEN
from langchain_agentmem.policies.matches import SensitiveMatch
from langchain_agentmem.types import Scope

Strategy: TypeAlias = Literal["keep", "block", "redact", "mask", "hash", "tokenise"]
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)
_STRICTNESS: Final[Mapping[Strategy, int]] = dict(
    zip(("keep", "tokenise", "hash", "mask", "redact", "block"), range(6), strict=True)
)

_LETTERS: Final = bytes.maketrans(b"0123456789abcdef", b"abcdefghijklmnop")
_NO_LETTER: Final = lazy_pattern(r"[^a-z_]+")
_SEPARATORS: Final = lazy_pattern(r"[\W_]+")

# One vocabulary for the detectors of several houses: names as Presidio and LangChain have them, and ours.
ALIASES: Final[Mapping[str, str]] = {
    "email_address": "email",
    "phone_number": "phone",
    "credit_card": "card",
    "iban_code": "iban",
    "us_ssn": "ssn",
    "ip_address": "ip",
    "mac_address": "mac",
    "us_passport": "passport",
    "uk_passport": "passport",
    "date_of_birth": "birth_date",
    "uk_nino": "national_id",
    "es_nif": "national_id",
    "it_fiscal_code": "national_id",
    "in_aadhaar": "national_id",
    "in_pan": "national_id",
    "password": "secret",
    "api_key": "secret",
}


def type_named(name: str) -> str:
    """Return our word for a type of sensitive data, whatever house named it: small letters, at most forty."""
    word = name.strip().casefold().replace(" ", "_").replace("-", "_")
    return ALIASES.get(word) or _NO_LETTER.sub("", word)[:40] or "sensitive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protected:
    """A text as it may stand in a layer.

    Attributes:
        found: Types of what was changed, and of what is blocked, in order and each once.
        blocked: Types that may not stand there at all; in `text` they are redacted.
        tokens: What each new token stands for.
    """

    text: str = field(repr=False)
    found: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that a strategy is for."""

    start: int
    end: int
    type: str
    strategy: Strategy


def spans_of(text: str, matches: Iterable[SensitiveMatch], strategy_of: Callable[[str], Strategy]) -> list[Span]:
    """Return what is to be changed, in order; of matches that overlap the strictest strategy holds for all of it."""
    marks = [found.span() for found in MARK.finditer(text)] if "[" in text else []
    spans: list[Span] = []
    for match in matches:
        strategy = strategy_of(type_named(match.type))
        if strategy == "keep" or _is_nothing(text, match, marks):
            continue
        span = Span(match.start, match.end, type_named(match.type), strategy)
        spans.append(_joined(spans.pop(), span) if spans and span.start < spans[-1].end else span)
    return spans


def masked(value: str) -> str:
    """Return `value` with every letter and digit replaced: its shape stays, nothing of it does."""
    return "".join("*" if char.isalnum() else char for char in value)


def digest(key: bytes, purpose: str, *parts: str) -> str:
    """Return letters that tell equal values of one purpose from others, and nothing to who lacks the key."""
    data = b"".join(len(it).to_bytes(8, "big") + it for it in _encoded((purpose, *parts)))
    hexes = hmac.new(key, data, hashlib.sha256).hexdigest()[:DIGEST_LETTERS]
    return hexes.encode().translate(_LETTERS).decode()


def replace_spans(text: str, spans: Sequence[Span], key: bytes | None, scope: Scope | None) -> Protected:
    """Return `text` with every span replaced as its strategy says; where it lacks key or owner, it is redacted."""
    parts: list[str] = []
    tokens: dict[str, str] = {}
    place = 0
    for span in spans:
        value = text[span.start : span.end]
        mark = _mark(span, value, key, scope)
        if span.strategy == "tokenise" and TOKEN.fullmatch(mark):
            tokens[mark] = value
        parts += [text[place : span.start], mark]
        place = span.end
    return Protected(
        text="".join([*parts, text[place:]]),
        found=tuple(dict.fromkeys(it.type for it in spans)),
        blocked=tuple(dict.fromkeys(it.type for it in spans if it.strategy == "block")),
        tokens=tokens,
    )


def _mark(span: Span, value: str, key: bytes | None, scope: Scope | None) -> str:
    if span.strategy == "mask":
        return masked(value)
    owner = ("", "") if scope is None else (scope.tenant_id, scope.user_id or f"\0{scope.session_id}")
    if span.strategy == "hash" and key is not None:
        plain = _SEPARATORS.sub("", value).casefold() or value
        return f"[{span.type}#{digest(key, 'hash', *owner, span.type, plain)}]"
    if span.strategy == "tokenise" and key is not None and scope is not None and not scope.is_anonymous:
        return f"[{span.type}:{digest(key, 'token', *owner, span.type, value)}]"
    return f"[{span.type}]"


def _is_nothing(text: str, match: SensitiveMatch, marks: Sequence[tuple[int, int]]) -> bool:
    """Whether a match is a mark of ours, or was masked."""
    if any(start <= match.start and match.end <= end for start, end in marks):
        return True
    return not any(map(str.isalnum, text[match.start : match.end]))


def _joined(one: Span, other: Span) -> Span:
    longest = max(one, other, key=lambda each: each.end - each.start)
    strictest = max(one.strategy, other.strategy, key=_STRICTNESS.__getitem__)
    return Span(one.start, max(one.end, other.end), longest.type, strictest)


def _encoded(parts: Iterable[str]) -> list[bytes]:
    return [part.encode("utf-8", "surrogatepass") for part in parts]
