"""What somebody says of themselves that has one value at a time: where they live and work, their favourites and such.

Each becomes a claim of kind `state`, beside the values in figures (`policies.claims`), so that a later turn of another
session updates an earlier one: "I live in Paris", then "I've moved to Berlin". English, in the first person, with names
written as names; only what says that something changed updates anything. What no rule knows is no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import term_hash, tokenize
from langchain_agentmem.english.endings.things_told import things_told
from langchain_agentmem.english.reading.claims import MAX_CLAIMS, Claim, claims_in
from langchain_agentmem.english.reading.naming import without_title
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import any_of
from langchain_agentmem.english.words.kinds import KINDS
from langchain_agentmem.english.words.patterns import CAPITAL, LINKED, SAINT, TITLE
from langchain_agentmem.policies.updates import MIN_SHARED

__all__ = ["SLOTS", "borne_out", "slots_asked", "stated_in"]

SLOTS: Final = ("home", "employer", "favourite", "role", "number", "thing", "other")
"""What may be proposed to have a value. The first two are of the speaker, the others of what is named."""

SLOT_TERMS: Final = 3
"""How many terms stand for a slot: shared by two statements, they link them surely enough to mark the earlier one.
A change that may be of something else ("I joined the Acme choir") shares one less: it only stands above."""

MAX_SENTENCE_CHARS: Final = 500

MAX_VALUE_TERMS: Final = 6
"""Of a proposed value; what is longer is a sentence."""

THING: Final = "thing"
"""The slot of where a thing is kept, told by the words of the thing."""

ONE: Final = "one"
"""The slot of a thing of which one has one at a time, told by its kind."""

_SENTENCE_END: Final = lazy_pattern(r"(?<=[.!?])\s+|[;\n]+")
_CODE: Final = lazy_pattern(r"```.*?(?:```|$)", re.DOTALL)
_WORD: Final = rf"(?:{TITLE}|{SAINT})?{CAPITAL}[\w&'+-]*(?:\.\w+)*"
_WORDS: Final = rf"{_WORD}(?:(?:(?<=\b\w)\.)? (?:of |{LINKED}){_WORD}){{0,3}}"
_ANY_NAME: Final = rf"(?:the )?{_WORDS}"
_NAME: Final = rf"(?:the )?(?P<value>{_WORDS})"
_VALUE: Final = rf"(?:the |a )?(?P<value>[\w+#'-]+(?: {CAPITAL}[\w'-]+){{0,3}})"
_THING: Final = r"(?:[Tt]he|[Oo]ur|[Mm]y) (?P<slot>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_I: Final = r"\b(?:I|[Ww]e)(?:['\u2019]ve| have)?"
_ADVERBS: Final = r"(?: (?:just|recently|finally|also|already|now|currently|still))*"
_AM: Final = rf"\bI(?:['\u2019]m| am)?{_ADVERBS}"
_ROLE: Final = (
    r"(?P<slot>manager|boss|supervisor|team lead|landlord|landlady|doctor|dentist|therapist|mentor|accountant|lawyer"
    r"|coach|trainer|roommate|flatmate)"
)
_FAVOURITE: Final = (
    r"favou?rite (?P<slot>[a-z][\w-]*(?: (?!(?:now|is|was|these|at|and|do|does|did|of|for|to|in)\b)[a-z][\w-]*)?)"
)
_NUMBERED: Final = r"(?P<slot>phone|mobile|cell|account|card) number"
_MOVED: Final = r"(?:moved|migrated|switched|transferred)"
_MY: Final = r"\b[Mm]y(?: new| current)?"

_NO_VALUE: Final = frozenset(
    """
    i that when how what where not because it this to the a an one of in on for
    """.split()
).union(MONTHS, WEEKDAYS)
_DENIED: Final = lazy_pattern(
    r"(?:(?:[a-z]+ly|most|so|just|now|still) ){0,3}(?:not|never|no longer) "
    r"(?:a |an |the )?(?P<value>[\w+#'-]+)"
)
"""What stands in the place of a value and denies one: "definitely not blue", "no longer red"."""

_OF_ONESELF: Final = lazy_pattern(r"\b(?:I|my|mine|me|we|our)\b", re.IGNORECASE)
_NEWS: Final = lazy_pattern(r"\b(?:now|new|newly|changed|no longer|switched|moved|these days)\b", re.IGNORECASE)


class _Rule(NamedTuple):
    """How a state is said.

    Attributes:
        slot: What it is the value of, with what the group `slot` holds.
        is_change: It says by itself that something changed; else a word of the sentence must say so.
        is_sure: A change that is of just this.
    """

    pattern: re.Pattern[str]
    slot: str
    is_change: bool = False
    is_sure: bool = True


_RULES: Final = (
    _Rule(lazy_pattern(rf"{_AM} (?:live|living|reside|residing|based){_ADVERBS} in {_NAME}"), "home"),
    _Rule(
        lazy_pattern(rf"{_I}{_ADVERBS} (?:moved|relocated)(?: back)? (?:from {_ANY_NAME} )?to {_NAME}"),
        "home",
        is_change=True,
        is_sure=False,
    ),
    _Rule(lazy_pattern(rf"{_AM} (?:work|working|employed){_ADVERBS} (?:at|for) {_NAME}"), "employer"),
    _Rule(
        lazy_pattern(rf"{_I}{_ADVERBS} (?:joined|started (?:(?:a new job|working) )?(?:at|with)) {_NAME}"),
        "employer",
        is_change=True,
        is_sure=False,
    ),
    _Rule(lazy_pattern(rf"{_MY} {_FAVOURITE} is{_ADVERBS} {_VALUE}"), "favourite"),
    _Rule(lazy_pattern(rf"{_NAME} is{_ADVERBS} [Mm]y(?: new| current)? {_FAVOURITE}"), "favourite"),
    _Rule(lazy_pattern(rf"{_MY} {_ROLE} is{_ADVERBS}(?: called| named)? {_NAME}"), "role"),
    _Rule(lazy_pattern(rf"{_NAME} is{_ADVERBS} [Mm]y(?: new| current)? {_ROLE}\b"), "role"),
    _Rule(
        lazy_pattern(
            rf"\b[Mm]y(?: new| current)? {_NUMBERED}\b[^.;]{{0,40}}?\b(?:is|ends (?:with|in)){_ADVERBS} "
            r"(?P<value>[+\d][\d ()-]{2,20})"
        ),
        "number",
    ),
    _Rule(lazy_pattern(rf"{_I}{_ADVERBS} (?:deploy|host|run|store|keep) {_THING} (?:on|in|at|with) {_NAME}"), THING),
    _Rule(
        lazy_pattern(
            rf"\b{_THING} (?:is{_ADVERBS} (?:deployed|hosted|stored|run|running)|runs){_ADVERBS} (?:on|in|at) {_NAME}"
        ),
        THING,
    ),
    _Rule(
        lazy_pattern(rf"{_I}{_ADVERBS} {_MOVED} {_THING} (?:from {_ANY_NAME} )?(?:over )?to {_NAME}"),
        THING,
        is_change=True,
    ),
    _Rule(
        lazy_pattern(rf"\b{_THING} (?:has been|was){_ADVERBS} {_MOVED} (?:from {_ANY_NAME} )?to {_NAME}"),
        THING,
        is_change=True,
    ),
)

_ASKED: Final = (
    ("home", lazy_pattern(r"\b(?:live|lives|living|reside|resides|based|home ?town)\b", re.IGNORECASE)),
    ("employer", lazy_pattern(r"\b(?:works? (?:at|for|now)|where (?:do|does) .{1,40} work\b|employer)", re.IGNORECASE)),
    ("favourite", lazy_pattern(_FAVOURITE, re.IGNORECASE)),
    ("role", lazy_pattern(rf"\b{_ROLE}\b", re.IGNORECASE)),
    ("number", lazy_pattern(rf"\b{_NUMBERED}\b", re.IGNORECASE)),
    (ONE, lazy_pattern(rf"\b(?P<slot>{any_of(KINDS)})\b", re.IGNORECASE)),
)


def stated_in(text: str) -> tuple[Claim, ...]:
    """Return the values and states that a text states; code is left out."""
    return tuple(islice(chain(_states(text), claims_in(text), _things(text)), MAX_CLAIMS))


def slots_asked(question: str) -> frozenset[int]:
    """Return the terms that stand for what a question asks the value of."""
    return frozenset(
        term
        for slot, pattern in _ASKED
        for found in pattern.finditer(question)
        for term in _terms_of(slot, found.groupdict().get("slot"))
    )


def borne_out(text: str, *, about: str, of: str, value: str, quote: str, is_change: bool) -> Claim | None:
    """Return a claim that somebody proposes to read in a text, where the text bears it out; else `None`.

    The quote must stand in one sentence that the speaker says of themselves and that is no question, and hold the
    value; what it is the value of must be named in the text. Only a word for it makes a change sure: one that is merely
    proposed puts the later statement above the earlier, and marks nothing.

    Args:
        text: What was said.
        about: One of `SLOTS`.
        of: Which, where there are several.
        value: The value.
        quote: The words of the text that say so.
        is_change: It is proposed to have been another one before.
    """
    sentence = _sentence_with(text, quote)
    values, named = tokenize(without_title(value)), tokenize(of)
    is_own = about in SLOTS[:2]
    if sentence is None or about not in SLOTS or not 0 < len(values) <= MAX_VALUE_TERMS or is_own == bool(named):
        return None
    if not set(values) <= set(tokenize(quote)) or not set(named) <= set(tokenize(text)) - set(values):
        return None
    is_sure = _NEWS.search(sentence) is not None
    return _state(values, _terms_of(about, of or None), is_change=is_change or is_sure, is_sure=is_sure)


def _sentence_with(text: str, quote: str) -> str | None:
    """Return the sentence that holds a quote, where the speaker says it of themselves and does not ask."""
    wanted = in_one_line(quote)
    sentences = (" ".join(it.split()) for it in split_sentences(_CODE.sub(" ", text), _SENTENCE_END))
    found = next((it for it in sentences if wanted and wanted in it.casefold()), None)
    is_stated = found is not None and "?" not in found and len(found) <= MAX_SENTENCE_CHARS
    return found if is_stated and _OF_ONESELF.search(found or "") is not None else None


def _states(text: str) -> Iterator[Claim]:
    for sentence in _statements(text):
        for rule in _RULES:
            for found in rule.pattern.finditer(sentence):
                yield from _claim(rule, found)


def _things(text: str) -> Iterator[Claim]:
    """Yield the things of which somebody has one of a kind at a time."""
    for it in chain.from_iterable(map(things_told, _statements(text))):
        yield _state([it.name], _terms_of(ONE, it.kind), is_change=it.is_change, is_sure=False)


def _statements(text: str) -> Iterator[str]:
    for sentence in split_sentences(_CODE.sub(" ", text), _SENTENCE_END):
        if len(sentence) <= MAX_SENTENCE_CHARS and "?" not in sentence:
            yield sentence


def _claim(rule: _Rule, found: re.Match[str]) -> Iterator[Claim]:
    terms = _terms_of(rule.slot, found.groupdict().get("slot"))
    denied = _DENIED.match(found.string, found.start("value"))
    if denied is not None:
        yield _denial(tokenize(denied["value"]), terms)
        return
    value = " ".join(tokenize(without_title(found["value"])))
    if not value or found["value"].split()[0].casefold() in _NO_VALUE:
        return
    is_change = rule.is_change or _NEWS.search(found.string) is not None
    yield _state(value.split(), terms, is_change=is_change, is_sure=rule.is_sure)


def _state(values: list[str], terms: list[int], *, is_change: bool, is_sure: bool) -> Claim:
    value = " ".join(values)
    near = terms[:-1] if is_change and not is_sure and len(terms) > MIN_SHARED else terms
    return Claim(
        kind="state",
        unit="",
        value=_value_hash(value),
        counted=frozenset(),
        near=frozenset(near),
        is_change=is_change,
        is_move=is_change,
        shown=value,
    )


def _denial(values: list[str], terms: list[int]) -> Claim:
    """Return the claim that something has a value no more: it ends that one, and no other."""
    claim = _state(["not", *values], terms, is_change=True, is_sure=True)
    return claim._replace(counted=frozenset({_value_hash(" ".join(values))}))


def _value_hash(value: str) -> int:
    return term_hash(f"state {value}")


def _terms_of(slot: str, named: str | None) -> list[int]:
    """Return the terms that stand for a slot: of a thing, one beside the words that tell which."""
    words = tokenize(named or "")
    if slot == THING:
        return [*map(term_hash, words), term_hash("slot thing")] if words else []
    return [term_hash(" ".join(("slot", slot, *words, str(number)))) for number in range(SLOT_TERMS)]
