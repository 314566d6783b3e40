"""Arguments whose order matters: "tabs over spaces", "staging before production", "from Paris to Berlin"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_agentmem.english.reading.reading import USER, Token
from langchain_agentmem.english.words.lexicon import AUXILIARIES


@dataclass(frozen=True, slots=True)
class OrderedPair:
    """Two arguments whose order matters: `first` is preferred to, comes before, or exceeds `second`."""

    kind: str
    first: frozenset[str]
    second: frozenset[str]


_SCOPE_ENDS: Final = frozenset(
    {".", ",", ";", ":", "!", "?", "(", ")", "but", "because", "although", "though", "whereas", "since", "if", "unless"}
)


def spans(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the runs of tokens between marks and conjunctions that end a scope; some may be empty."""
    span: list[Token] = []
    for token in tokens:
        if token.norm in _SCOPE_ENDS:
            yield span
            span = []
        else:
            span.append(token)
    yield span


# A text that ranks more than this is no statement but a document.
_MAX_PAIRS: Final = 8
_PREFER: Final = frozenset({"prefer", "prefers"})
# After these, "not" denies; elsewhere it sets one argument against another ("tabs, not spaces").
_BEFORE_DENIAL: Final = AUXILIARIES | {USER, "or", "why", "if"}
_RANKS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("over", "instead-of", "rather-than"), "rank"),
    **dict.fromkeys(("before", "then", "after"), "time"),
    "than": "degree",
}


def ordered_pairs(tokens: Sequence[Token]) -> Iterator[OrderedPair]:
    """Yield the pairs of arguments whose order says something."""
    start = found = 0
    for index, token in enumerate(tokens):
        if token.norm in {".", ";", "!", "?"}:
            start = index + 1
        kind = _RANKS.get(token.norm) or rank_by_context(tokens, start, index)
        if kind is not None and found < _MAX_PAIRS:
            found += 1
            yield from _pair(kind, tokens[start:index], tokens[index + 1 :], is_reversed=token.norm == "after")


def rank_by_context(tokens: Sequence[Token], start: int, index: int) -> str | None:
    """Judge "A, not B", "prefer A to B" and "from A to B"."""
    word = tokens[index].norm
    if word not in {"not", "to"} or index == start:
        return None
    last = tokens[index - 1].norm
    if word == "not":
        return None if last in _BEFORE_DENIAL else "rank"
    before = {token.norm for token in tokens[start:index]}
    if "from" in before:
        return "path"
    return "rank" if before & _PREFER and last not in _PREFER else None


def _pair(kind: str, before: Sequence[Token], after: Sequence[Token], *, is_reversed: bool) -> Iterator[OrderedPair]:
    right = next(spans(after))
    left = list(before)
    if kind == "path":
        left = left[next(index for index, token in enumerate(left) if token.norm == "from") :]
    if not any(token.is_content for token in left):
        left = [token for token in after[len(right) :] if token.norm not in {".", ";"}]
    first, second = (frozenset(token.term for token in part if token.is_content) for part in (left, right))
    if first and second:
        yield OrderedPair(kind, second, first) if is_reversed else OrderedPair(kind, first, second)


def swaps(new: OrderedPair, old: OrderedPair) -> bool:
    """Whether an argument that comes first in the one comes second in the other, and the other way round."""
    return new.kind == old.kind and bool((new.first & old.second) - new.second and (new.second & old.first) - new.first)
