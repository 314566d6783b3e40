"""What a sentence says, read by rules: words, numbers, negation, names, order of arguments, relation, correction.

Two sentences that a vector cannot tell apart ("tabs over spaces", "spaces over tabs") differ in one of these. The rules know English;
a sentence in another language is still compared word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from langchain_agentmem.policies._facts import CLAUSE_VERBS, FUNCTIONAL_RELATIONS, Fact, canonical_relation, find_facts, object_type, terms
from langchain_agentmem.policies._lexicon import AUXILIARIES, LIGHT, MARKERS, NEGATIVE_WORDS, NEGATORS, PEOPLE, PRONOUN_SUBJECTS, STOP
from langchain_agentmem.policies._reading import OWNS, USER, Token, read, subject_of

__all__ = ["FUNCTIONAL_RELATIONS", "Fact", "OrderedPair", "Statement", "canonical_relation", "parse_statement"]

Correction: TypeAlias = Literal["none", "implied", "marked"]


@dataclass(frozen=True, slots=True)
class OrderedPair:
    """Two arguments whose order matters: `first` is preferred to, comes before, or exceeds `second`."""

    kind: str
    first: frozenset[str]
    second: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a sentence says, as far as rules can tell.

    Attributes:
        subject: Whom the sentence is about where it says so: `user` for the speaker, else `we`, `she`, "user brother" or "".
        facts: What its clauses say, in order; `relation`, `object` and `qualifier` are those of the first.
        content: Stems of the words that say something, in order. `sequence`: the same with numbers and the speaker.
        words: Every word as written, casefolded, names in normal form included.
        numbers: Quantities, times, dates and versions in normal form, in order.
        negated: Terms inside the scope of an odd number of negations; `negations`: clauses that hold one.
        entities: Names, identifiers, quoted and capitalised words, and words for other people.
        ordered: Arguments of "over", "before", "than", "from … to" and their like.
        links: Prepositions, in order; they tell "works for" from "works with" where every other word is the same.
        markers: Words that change what is claimed: modality, condition, quantity, tense, direction.
        correction: `marked` by words ("actually", "I meant"), or `implied` by what is said ("moved to", "no longer").
    """

    text: str
    subject: str = ""
    facts: tuple[Fact, ...] = ()
    content: tuple[str, ...] = ()
    sequence: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    numbers: tuple[str, ...] = ()
    negated: frozenset[str] = frozenset()
    negations: int = 0
    entities: frozenset[str] = frozenset()
    ordered: tuple[OrderedPair, ...] = ()
    links: tuple[str, ...] = ()
    markers: frozenset[str] = frozenset()
    correction: Correction = "none"
    corrected_from: str | None = None
    corrected_to: str | None = None

    @property
    def relation(self) -> str | None:
        """The relation of the first clause that has one."""
        return self.facts[0].relation if self.facts else None

    @property
    def object(self) -> str | None:
        """The object of the first clause that has one."""
        return self.facts[0].object if self.facts else None

    @property
    def qualifier(self) -> str | None:
        """What the first relation holds for ("backend" in "prefers Python for backend services")."""
        return (self.facts[0].qualifier or None) if self.facts else None

    @property
    def is_correction(self) -> bool:
        """Whether something said before is taken back or replaced."""
        return self.correction != "none"


def parse_statement(
    text: str,
    *,
    subject: str | None = None,
    relation: str | None = None,
    object: str | None = None,  # noqa: A002 - the field's name in a candidate
    speaker_name: str | None = None,
    is_correction: bool = False,
) -> Statement:
    """Read a sentence by rules.

    Args:
        text: One statement; several sentences are read as one.
        subject: What the caller already knows, as `relation` and `object`; with a relation it replaces what the rules found.
        relation: Free text; the usual spellings of a relation ("works for", "employer") are one.
        object: As above.
        speaker_name: The user's name: "Alice prefers …", "the user prefers …" and "I prefer …" are then about the same person.
        is_correction: The caller knows that something said before is corrected.

    Example:
        >>> parse_statement("I moved to Berlin").relation
        'lives_in'
    """
    tokens = read(text, speaker_name=speaker_name)
    negated, negations = _negation(tokens)
    facts = find_facts(tokens, negated)
    if relation is not None:
        facts = (_given(facts, (subject, relation, object), speaker_name, negated),)
    wrong, right = _corrected(tokens)
    words = [token for token in tokens if token.kind == "word"]
    claims = [token for token in _claims(tokens) if token.is_content]
    return Statement(
        text=text,
        subject=facts[0].subject if facts and relation is not None else subject_of(tokens),
        facts=facts,
        content=tuple(token.term for token in claims if token.kind == "word"),
        sequence=tuple(USER if token.norm == USER else token.term for token in _claims(tokens) if token.is_content or token.norm == USER),
        words=frozenset(token.norm for token in words),
        numbers=tuple(token.norm for token in tokens if token.kind == "number"),
        negated=negated,
        negations=negations,
        entities=frozenset(token.norm for token in words if token.is_name or token.norm in PEOPLE),
        ordered=tuple(_ordered(tokens)),
        links=tuple(_LINKS[token.norm] for token in words if token.norm in _LINKS),
        markers=_markers(tokens),
        correction="marked" if is_correction else _correction(text, tokens, wrong),
        corrected_from=wrong,
        corrected_to=right,
    )


def _given(found: Sequence[Fact], given: tuple[str | None, str, str | None], speaker_name: str | None, negated: frozenset[str]) -> Fact:
    """Build the fact a caller named, with the qualifier that the rules found for the same object."""
    subject, relation, value = given
    first = found[0] if found else None
    words = _terms_of(value) if value is not None else tuple(first.object.split() if first else ())
    agreed = next((fact for fact in found if fact.words == frozenset(words)), None)
    about = _subject_name(subject, speaker_name) if subject is not None else (first.subject if first else USER)
    tokens = {token.norm: token for token in read(value or "")}
    return Fact(
        subject=about,
        relation=canonical_relation(relation),
        object=" ".join(words),
        qualifier=agreed.qualifier if agreed else "",
        object_type=agreed.object_type if agreed else object_type(list(tokens), tokens),
        is_certain=agreed.is_certain if agreed else not negated & frozenset(words),
        rest=agreed.rest if agreed else frozenset(),
    )


def _terms_of(text: str) -> tuple[str, ...]:
    tokens = read(text)
    return terms(" ".join(token.norm for token in tokens), {token.norm: token for token in tokens})


def _subject_name(text: str, speaker_name: str | None) -> str:
    tokens = read(text, speaker_name=speaker_name)
    return subject_of(tokens) or " ".join(USER if token.norm == USER else token.term for token in tokens if token.is_content or token.norm == USER)


# --------------------------------------------------------------------------------------------------------- negation
_SCOPE_ENDS: Final = frozenset({".", ",", ";", ":", "!", "?", "(", ")", "but", "because", "although", "though", "whereas", "since", "if", "unless"})


def _spans(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    span: list[Token] = []
    for token in tokens:
        if token.norm in _SCOPE_ENDS:
            yield span
            span = []
        else:
            span.append(token)
    yield span


def _negation(tokens: Sequence[Token]) -> tuple[frozenset[str], int]:
    """Return the terms in the scope of an odd number of negations, and how many spans hold such terms."""
    negated: set[str] = set()
    count = 0
    for span in _spans(tokens):
        found = _negated_in(span)
        negated |= found
        count += bool(found)
    return frozenset(negated), count


def _negated_in(span: Sequence[Token]) -> set[str]:
    negated: set[str] = set()
    is_odd = False
    for token in span:
        if token.norm in NEGATORS and not (token.norm == "nor" and is_odd):
            is_odd = not is_odd
        elif token.norm in NEGATIVE_WORDS:
            is_odd = not is_odd
            if is_odd:
                negated.update({NEGATIVE_WORDS[token.norm]} - {""})
        elif is_odd and token.is_content and token.norm not in LIGHT:
            negated.add(token.term)
    if is_odd and not negated:
        negated.update(token.term for token in span if token.is_content and token.norm not in NEGATORS)
    return negated


def _claims(tokens: Sequence[Token]) -> Iterator[Token]:
    """Leave out the words of negation and of correction, and put those that imply a negation into their positive form."""
    for token in tokens:
        if token.norm in NEGATIVE_WORDS:
            if NEGATIVE_WORDS[token.norm]:
                yield Token(NEGATIVE_WORDS[token.norm])
        elif token.norm not in NEGATORS and token.norm not in _CORRECTING:
            yield token


def _markers(tokens: Sequence[Token]) -> frozenset[str]:
    found = {MARKERS[token.norm] for token in tokens if token.norm in MARKERS and not token.is_name}
    norms = {token.norm for token in tokens}
    is_past = any(norm in _PAST for norm in norms) or any(
        left.norm == USER and right.norm.endswith("ed") and right.norm not in {"need", "moved", "based"}
        for left, right in zip(tokens, tokens[1:], strict=False)
    )
    return frozenset(found - {"was"} | ({"past"} if is_past and "born" not in norms else set()))


_PAST: Final = frozenset("was were had did lived worked used went ate took made got bought drank".split())


_LINKS: Final[Mapping[str, str]] = {
    **{word: word for word in ("with", "for", "to", "about", "by", "off", "up", "down", "out", "into", "through", "as")},
    **dict.fromkeys(("in", "at", "on"), "at"),
}


# ------------------------------------------------------------------------------------------------------------ order
_RANKS: Final[Mapping[str, str]] = {
    "over": "rank", "instead-of": "rank", "rather-than": "rank", "than": "degree", "before": "time", "then": "time", "after": "time",
}  # fmt: skip


def _ordered(tokens: Sequence[Token]) -> Iterator[OrderedPair]:
    start = 0
    for index, token in enumerate(tokens):
        if token.norm in {".", ";", "!", "?"}:
            start = index + 1
        kind = _RANKS.get(token.norm) or _rank_by_context(tokens, start, index)
        if kind is not None:
            yield from _pair(kind, tokens[start:index], tokens[index + 1 :], is_reversed=token.norm == "after")


def _rank_by_context(tokens: Sequence[Token], start: int, index: int) -> str | None:
    """Judge "A, not B", "prefer A to B" and "from A to B"."""
    before = [token.norm for token in tokens[start:index]]
    if tokens[index].norm == "not" and before and (before[-1] == "," or before[-1] not in AUXILIARIES | {USER, "or", "why", "if"}):
        return "rank"
    if tokens[index].norm == "to" and "from" in before:
        return "path"
    if tokens[index].norm == "to" and before[-1:] not in (["prefer"], ["prefers"]) and {"prefer", "prefers"} & set(before):
        return "rank"
    return None


def _pair(kind: str, before: Sequence[Token], after: Sequence[Token], *, is_reversed: bool) -> Iterator[OrderedPair]:
    right = next(_spans(after))
    left = list(before)
    if kind == "path":
        left = left[next(index for index, token in enumerate(left) if token.norm == "from") :]
    if not any(token.is_content for token in left):
        left = [token for token in after[len(right) :] if token.norm not in {".", ";"}]
    first, second = (frozenset(token.term for token in part if token.is_content) for part in (left, right))
    if first and second:
        yield OrderedPair(kind, second, first) if is_reversed else OrderedPair(kind, first, second)


# ------------------------------------------------------------------------------------------------------- correction
_CORRECTING: Final = frozenset({"actually", "correction", "sorry", "oops", "wait", "meant", "mean"})
_MARKED: Final = re.compile(
    r"^(?:no|nope|wait|sorry|oops|correction)\b[ ,.:]|\bactually\b|\bi (?:meant|mean)\b|\bcorrection:|\bto correct\b|\bcorrect that\b"
    r"|\b(?:that|this|it) (?:is|was|'s)(?: not|n't) (?:right|correct|true)\b|\bi was wrong\b|\bmake that\b|\bscratch that\b"
    r"|\bchanged my mind\b|\binstead(?! of)\b",
    re.IGNORECASE,
)
_IMPLIED: Final = re.compile(
    r"\bmoved (?:from .+ )?to\b|\bno longer\b|\bany ?more\b|\b(?:is|are|'s|am|'m) now\b|\bnow (?:is|are|uses?|prefers?|lives?|works?)\b|\bnow[.!]?$"
    r"|\bfrom now on\b|\bused to\b|\b(?:switched|changed|migrated)\b|\binstead of\b",
    re.IGNORECASE,
)
_CHANGE_VERBS: Final = frozenset("changed switched moved migrated change switch relocated went".split())
_OBJECT_ENDS: Final = frozenset("for in on at with since because as when while by during".split())


def _correction(text: str, tokens: Sequence[Token], wrong: str | None) -> Correction:
    plain = text.strip().replace("’", "'")
    if _MARKED.search(plain) and not re.search(r"\b(?:is|are|get|gets|got) used to\b.*\binstead\b", plain):
        return "marked"
    is_former = any(token.norm == "formerly" for token in tokens)
    return "implied" if wrong is not None or is_former or _IMPLIED.search(plain) else "none"


def _corrected(tokens: Sequence[Token]) -> tuple[str | None, str | None]:
    """Return what is taken back and what stands in its place, as terms, where the sentence names them."""
    for index, token in enumerate(tokens):
        before, after = tokens[:index], tokens[index + 1 :]
        cut = next((place for place, late in enumerate(after) if late.norm == "but"), None)
        if token.norm == "not" and cut is not None and not _begins_clause(after[cut + 1 :]):
            return _phrase(after[:cut]), _phrase(after[cut + 1 :])
        if (token.norm == "not" and _rank_by_context(tokens, 0, index)) or token.norm == "instead-of":
            return _phrase(after), _last_phrase(before)
        if token.norm == "to" and _rank_by_context(tokens, 0, index) == "path" and any(early.norm in _CHANGE_VERBS for early in before):
            start = max(place for place, early in enumerate(before) if early.norm == "from")
            return _phrase(before[start + 1 :]), _phrase(after)
    return None, None


def _begins_clause(tokens: Sequence[Token]) -> bool:
    return not tokens or tokens[0].norm in CLAUSE_VERBS | AUXILIARIES | {USER} or tokens[0].norm in PRONOUN_SUBJECTS


def _phrase(tokens: Sequence[Token]) -> str | None:
    """Return the terms up to the first comma or preposition."""
    found: list[str] = []
    for token in tokens:
        if found and (token.kind == "mark" or token.norm in _OBJECT_ENDS or token.norm in {OWNS, "but"}):
            break
        if token.is_content and token.norm not in LIGHT and token.norm not in _CORRECTING:
            found.append(token.term)
    return " ".join(found) or None


def _last_phrase(tokens: Sequence[Token]) -> str | None:
    """Return the terms of the last noun phrase: what follows the last small word."""
    found: list[str] = []
    for token in reversed(tokens):
        is_edge = token.kind == "mark" or token.norm in STOP or token.norm in LIGHT or token.norm in _CORRECTING or token.norm in PRONOUN_SUBJECTS
        if found and (is_edge or token.norm == USER):
            break
        if token.is_content and not is_edge:
            found.append(token.term)
    return " ".join(reversed(found)) or None
