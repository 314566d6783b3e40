"""What a sentence says, read by rules: words, numbers, negation, names, order of arguments, relation, correction.

Two sentences that a vector cannot tell apart ("tabs over spaces", "spaces over tabs") differ in one of these.
The rules know English; a sentence in another language is still compared word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise, takewhile
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem.english.reading.about import is_elliptical, leading
from langchain_agentmem.english.reading.correction import CORRECTING, Correction, corrected, correction_of
from langchain_agentmem.english.reading.facts import (
    FUNCTIONAL_RELATIONS,
    KEPT,
    OF_PEOPLE,
    Fact,
    canonical_relation,
    find_facts,
    object_type,
    terms,
)
from langchain_agentmem.english.reading.mastery import difficulty_in, mastery_in
from langchain_agentmem.english.reading.order import OrderedPair, ordered_pairs, spans
from langchain_agentmem.english.reading.reading import OWNS, USER, Token, read, signs_of, subject_of
from langchain_agentmem.english.words.kin_words import PARTNERS
from langchain_agentmem.english.words.lexicon import LIGHT, MARKERS, NEGATIVE_WORDS, NEGATORS, PEOPLE, stem

__all__ = ["FUNCTIONAL_RELATIONS", "Fact", "OrderedPair", "Statement", "canonical_relation", "parse_statement"]

_KEPT: Final = (KEPT | PEOPLE) - {"team"}
KEPT_STEMS: Final = frozenset(map(stem, _KEPT))
"""Words for whom somebody has, and is not: a team holds who speaks of it."""

KEPT_STATEMENTS: Final = 4_096
"""Statements kept as read: the neighbours of one write are often those of the next."""

_MAX_KEPT_CHARS: Final = 1_000
"""Of a text that is kept as read; longer ones are rare, and would take much room."""


@dataclass(frozen=True, kw_only=True)  # no slots: what is read of it later is read once
class Statement:
    """What a sentence says, as far as rules can tell.

    Attributes:
        subject: Whom the sentence is about where it says so: `user` for the speaker, `we`, `she`, or empty; a person or
            an animal that the speaker has is somebody else (`user sister`).
        facts: What its clauses say, in order; `relation`, `object` and `qualifier` are those of the first.
        content: Stems of the words that say something, in order. `sequence`: the same with numbers and the speaker.
        words: Every word as written, casefolded, names in normal form included.
        numbers: Quantities, times, dates and versions in normal form, in order.
        negated: Terms inside the scope of an odd number of negations; `negations`: clauses that hold one;
            `negators`: words that negate.
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
    negators: int = 0
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

    @cached_property
    def led_by(self) -> frozenset[str]:
        """Terms of the name, or the word, that leads a sentence which says no other subject."""
        is_led = not self.subject and not is_elliptical(self.text, self.content, self.corrected_from, self.corrected_to)
        return leading(read(self.text)) if is_led else frozenset()

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """Symbols, in order: "likes 🐈" and "likes 🐕" differ in nothing else."""
        return signs_of(self.text)

    @cached_property
    def learned(self) -> frozenset[str]:
        """Terms of what it says somebody has learned."""
        return mastery_in(self.text)

    @cached_property
    def difficult(self) -> frozenset[str]:
        """Terms of what it says is hard for somebody."""
        return difficulty_in(self.text)

    @property
    def is_correction(self) -> bool:
        """Whether something said before is taken back or replaced."""
        return self.correction != "none"


def parse_statement(
    text: str,
    *,
    subject: str | None = None,
    relation: str | None = None,
    object: str | None = None,
    speaker_name: str | None = None,
    is_correction: bool = False,
) -> Statement:
    """Read a sentence by rules.

    Args:
        text: One statement; several sentences are read as one.
        subject: What the caller already knows; used with a relation, which replaces what the rules found.
        relation: Free text; the usual spellings of a relation ("works for", "employer") are one.
        object: What the relation leads to; the rules' own where it is not given.
        speaker_name: The user's name: "Alice prefers …", "the user prefers …" and "I prefer …" are then one.
        is_correction: The caller knows that something said before is corrected.

    Example:
        >>> parse_statement("I moved to Berlin").relation
        'lives_in'
    """
    parse = _parsed_once if len(text) <= _MAX_KEPT_CHARS else _parsed
    return parse(text, None if relation is None else (subject, relation, object), speaker_name, is_correction)


def _parsed(
    text: str,
    given: tuple[str | None, str, str | None] | None,
    speaker_name: str | None,
    is_correction: bool,  # noqa: FBT001  (arguments of a cache are positional)
) -> Statement:
    tokens = read(text, speaker_name=speaker_name)
    negated, negations = _negation(tokens)
    facts = find_facts(tokens, negated)
    if given is not None:
        facts = (_given(facts, given, speaker_name, negated),)
    wrong, right = corrected(tokens)
    words = [token for token in tokens if token.kind == "word"]
    claims = [(it, USER if it.norm == USER else it.term) for it in _claims(tokens) if it.is_content or it.norm == USER]
    return Statement(
        text=text,
        subject=_about(tokens, facts, is_given=given is not None),
        facts=facts,
        content=tuple(term for token, term in claims if token.kind == "word" and token.norm != USER),
        sequence=tuple(term for _, term in claims),
        words=frozenset(token.norm for token in words),
        numbers=tuple(token.norm for token in tokens if token.kind == "number"),
        negated=negated,
        negations=negations,
        negators=sum(token.norm in NEGATORS or token.norm in NEGATIVE_WORDS for token in words),
        entities=_entities(words, facts),
        ordered=tuple(ordered_pairs(tokens)),
        links=tuple(_LINKS[token.norm] for token in words if token.norm in _LINKS),
        markers=_markers(tokens),
        correction="marked" if is_correction else correction_of(text, tokens, wrong),
        corrected_from=wrong,
        corrected_to=right,
    )


_parsed_once: Final = of_texts(KEPT_STATEMENTS)(_parsed)


def named_so(text: str, name: str) -> bool:
    """Whether a text says that a person or animal of the speaker's has a name.

    Example:
        >>> named_so("The user's sister is called Anna", "Anna"), named_so("Anna lives in Rome", "Anna")
        (True, False)
    """
    words = frozenset(_terms_of(name))
    facts = parse_statement(text).facts
    return any(
        (fact.relation in KEPT and fact.words == words)
        or (fact.relation == "has" and words < fact.words and not KEPT_STEMS.isdisjoint(fact.words))
        for fact in facts
    )


def _entities(words: Sequence[Token], facts: Sequence[Fact]) -> frozenset[str]:
    """Return names and words for people; "my wife" is no one beside the partner whom the sentence names."""
    known = PARTNERS if any(fact.relation == "partner" for fact in facts) else frozenset()
    return frozenset(token.norm for token in words if token.is_name or token.norm in PEOPLE) - known


def _given(
    found: Sequence[Fact], given: tuple[str | None, str, str | None], speaker_name: str | None, negated: frozenset[str]
) -> Fact:
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
    named = [USER if token.norm == USER else token.term for token in tokens if token.is_content or token.norm == USER]
    about = subject_of(tokens)
    if about in {"", "we"}:  # "our" names no owner, as in a sentence
        return " ".join(named) or about
    if about != USER:
        return " ".join([about, *named])
    return " ".join(named) if _is_owned(tokens) else about


def _is_owned(tokens: Sequence[Token]) -> bool:
    """Whether the first words are about something of the speaker's, which is not the speaker."""
    return subject_of(tokens) == USER and any(
        first.norm == USER and second.norm == OWNS for first, second in islice(pairwise(tokens), _SUBJECT_TOKENS)
    )


def _about(tokens: Sequence[Token], facts: Sequence[Fact], *, is_given: bool) -> str:
    """Return whom a statement is about; what the user has that is no one of its own is the user's affair."""
    if is_given and facts:
        named = facts[0].subject
    elif _is_owned(tokens):
        named = facts[0].subject if facts else " ".join(_own_person(tokens))
    else:
        return subject_of(tokens)
    owner, *owned = named.split() or [""]
    is_somebody = not KEPT_STEMS.isdisjoint(owned) or _tells_of_somebody(facts, owned)
    return named if is_somebody or owner not in _OWNERS else owner


def _tells_of_somebody(facts: Sequence[Fact], owned: Sequence[str]) -> bool:
    """Whether only a person can be told of so, whatever they are called: "my bestie Jo lives in Leeds"."""
    is_of_people = bool(facts) and facts[0].relation in OF_PEOPLE
    return is_of_people and bool(owned) and _GROUPS.isdisjoint(owned)


def _own_person(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the words for a person who leads a sentence: "my sister Nora hates …"."""
    yield USER
    start = next(place for place, token in enumerate(tokens) if token.norm == OWNS) + 1
    for token in takewhile(lambda it: it.norm == OWNS or it.is_name or it.norm in _KEPT, tokens[start:]):
        if token.norm != OWNS:
            yield token.term


# --------------------------------------------------------------------------------------------------------- negation
def _negation(tokens: Sequence[Token]) -> tuple[frozenset[str], int]:
    """Return the terms in the scope of an odd number of negations, and how many spans hold such terms."""
    negated: set[str] = set()
    count = 0
    for span in spans(tokens):
        found = _negated_in(span)
        negated |= found
        count += bool(found)
    return frozenset(negated), count


def _negated_in(span: Sequence[Token]) -> set[str]:
    negated: set[str] = set()
    is_odd = False
    for token in span:
        if token.norm in NEGATORS:
            is_odd = not is_odd or token.norm == "nor"
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
    """Leave out words of negation and correction; put those that imply a negation into their positive form."""
    for token in tokens:
        if token.norm in NEGATIVE_WORDS:
            if NEGATIVE_WORDS[token.norm]:
                yield Token(NEGATIVE_WORDS[token.norm])
        elif token.norm not in NEGATORS and token.norm not in CORRECTING:
            yield token


def _markers(tokens: Sequence[Token]) -> frozenset[str]:
    found = {MARKERS[token.norm] for token in tokens if token.norm in MARKERS and not token.is_name}
    norms = {token.norm for token in tokens}
    is_past = not _PAST.isdisjoint(norms) or any(
        left.norm == USER and right.norm.endswith("ed") and right.norm not in {"need", "moved", "based"}
        for left, right in pairwise(tokens)
    )
    return frozenset(found - {"was"} | ({"past"} if is_past and "born" not in norms else set()))


_SUBJECT_TOKENS: Final = 4
"""First tokens in which the owner is looked for: words of manner may lead ("actually, my …")."""

_GROUPS: Final = frozenset(map(stem, ("family", "household", "group", "team", "company")))
"""What holds who speaks of it."""

_OWNERS: Final = frozenset({USER, "he", "she", "they"})
_PAST: Final = frozenset("was were had did lived worked used went ate took made got bought drank".split())


_LINKS: Final[Mapping[str, str]] = {
    **{
        word: word for word in ("with", "for", "to", "about", "by", "off", "up", "down", "out", "into", "through", "as")
    },
    **dict.fromkeys(("in", "at", "on"), "at"),
    **dict.fromkeys(("when", "while", "where"), "when"),
}
