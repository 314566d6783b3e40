"""One clause that tells several things: "I have a cat and a son" says two, "I like gin and tonic" one.

Only what holds of each is taken apart, where the grammar shows that they are several: each with an article or a number
of its own, after a verb that is true of each. Bare words belong together as often as not ("bread and butter"), so that
they need a sign of their own. Where it is not clear, a clause stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, LONG_CAPITALIZED
from langchain_agentmem.english.words.word_forms import PAST
from langchain_agentmem.extraction.record.conversation import SKIPPED
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import group_of
from langchain_agentmem.extraction.words.lexicon import AGE, HEALTH, KIN, NAME, PET, PROPERTY, SPECIES

_WHO: Final = rf"(?:I|we|(?:my|our) [\w-]+(?: [\w-]+){{0,2}}?|{LONG_CAPITALIZED})"
_ADVERB: Final = r"(?:(?:also|now|currently|still|already|just|recently|finally|really|absolutely|(?:[a-z]+ly)) ){0,3}"
_HAVE: Final = (
    r"(?:(?:have|has)(?: got)?|(?<=I)'ve(?: got)?|(?<=we)'ve(?: got)?|owns?|rents?|bought|adopted|sold|keeps?)"
)
_LIKE: Final = (
    r"(?:(?:likes?|loves?|enjoys?|adores?|hates?|dislikes?|detests?)|(?:am|is|are|'m|'re) (?:fond of|keen on|into"
    r"|an? (?:big |huge )?fan of|afraid of|scared of))"
)
_DO: Final = r"(?:plays?|drives?|rides?|uses?|speaks?|studies|study|teach(?:es)?|collects?)"
_ALLERGIC: Final = r"(?:am|is|are|'m|'re) (?:\w+ly )?allergic to"


def _head(verb: str) -> re.Pattern[str]:
    return lazy_pattern(rf"{_WHO}(?: |(?=')){_ADVERB}(?:{verb}) ", re.IGNORECASE)


_HAVING, _SPEAKING = _head(_HAVE), _head("speaks?")
_LIKING, _BEING_ALLERGIC = _head(_LIKE), _head(_ALLERGIC)
_MARKED: Final = _head(f"{_HAVE}|{_LIKE}|{_DO}|{_ALLERGIC}")

_COUNT: Final = rf"(?:\d{{1,3}}|{TWO_OR_MORE}|several|some|no|another)"
_OWN: Final = rf"(?:an?|my|our|his|her|their|{_COUNT})"
_NO_NOUN: Final = (
    r"(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|I|me|we|us|you|he|him|she|it|they|them|who|which"
    r"|whose|what|where|when|how|why|and|or|but|so|nor|if|because|since|than|as|while|though|although|until|unless|not"
    r"|of|in|on|at|to|for|from|with|without|by|about|over|under|between|near|after|before|during|into|like|named|called"
    r"|aged|is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|should|may|might|must|too|also"
    r"|now|here|there|today|yesterday|tomorrow|other|others|such|similar|more|most|less|each|both|everything|anything"
    r"|something|nothing|things?|stuff|etc|then|just|always|never|really|together|years?|months?|ones?|all|only)"
)
_NOUN: Final = rf"(?!{_NO_NOUN}\b)[\w'/+#&-]+"
_NAMES: Final = rf"{NAME}(?:(?:, {NAME})*,? and {NAME})?"
_OLD: Final = rf"(?:{AGE}|\d{{1,2}}|{ONE_OR_MORE})(?: (?:years?|months?|weeks?) old)?"
_WHICH: Final = (
    rf"(?:,? (?:named|called) {_NAMES}|, {_NAMES}|,? (?:who|which)(?: is| are|'s) {_OLD}|,? aged {_OLD}|, {_OLD}"
    rf"| \({_OLD}\)| (?:in|from|at|near) {_NOUN}(?: {_NOUN})?)"
)
"""What may stand behind a noun and cannot reach over an "and" to the next: no "with", "of", "for"."""

_THING: Final = lazy_pattern(
    rf"(?:{_OWN} {_NOUN}(?: {_NOUN}){{0,4}}?{_WHICH}{{0,3}}|{HEALTH})(?: (?:at home|as well|too))?", re.IGNORECASE
)
_THE: Final = lazy_pattern(rf"the {_NOUN}(?: (?!\w+ed\b){_NOUN})?|{_THING.pattern}", re.IGNORECASE)
_NEXT: Final = rf"(?:{_OWN} (?!(?:years?|months?|weeks?)\b)[^\W\d]|{HEALTH}\b)"
_MARKED_JOINT: Final = lazy_pattern(rf",? and (?:also )?(?={_NEXT}|the )|, (?:also )?(?={_NEXT}|the )", re.IGNORECASE)
_KNOWN: Final = lazy_pattern(rf"\b(?:{KIN}|{PET}|{PROPERTY}|{HEALTH})\b|^(?:{_COUNT}|my|our|the)\b", re.IGNORECASE)

_NAMED: Final = lazy_pattern(rf"\b(?:named|called) {NAME}$", re.IGNORECASE)
_WHAT_IT_IS: Final = lazy_pattern(rf"an? (?!.*\b(?:{SPECIES}|{KIN}|{PROPERTY})\b)", re.IGNORECASE)
"""Of another species, or a relative, it would be another one: "a dog called Bruno, a cat"."""

_DOG: Final = lazy_pattern(r"an? (?:[\w-]+ )?(?:dog|puppy|pup|pet)", re.IGNORECASE)
_BREED: Final = lazy_pattern(rf"\b{PET}\b", re.IGNORECASE)
"""Where it is no species; the breeds are of dogs."""

_BARE: Final = lazy_pattern(rf"{_NOUN}(?: {_NOUN}){{0,2}}", re.IGNORECASE)
_BARE_JOINT: Final = lazy_pattern(r",? and (?:also )?|, ", re.IGNORECASE)
_LANGUAGE: Final = lazy_pattern(
    rf"(?:(?:fluent|some|basic|good|native|conversational|a little|a bit of) )?{LONG_CAPITALIZED}", re.IGNORECASE
)
_PLURAL: Final = lazy_pattern(r"(?<=\w\w)(?<![sui])s$", re.IGNORECASE)
_DOING: Final = lazy_pattern(
    r"\b(?!(?:\w*thing|evening|morning|string|spring|pudding|wedding|dumpling|ceiling|clothing|herring|sibling|building"
    r"|king|ring|wing|viking|earring|stocking|topping|frosting|icing|lemming|darling|duckling)\b)\w{2,}ing\b",
    re.IGNORECASE,
)
_LIST: Final = 3
"""So many in a row are a list: a fixed pair has two."""

_HAPPENED: Final = rf"(?:\w+ed|{'|'.join(sorted(PAST))})"
_DEED: Final = lazy_pattern(rf"(?P<head>(?:I|we)(?:'ve| have)? {_ADVERB})(?=(?:was born|{_HAPPENED})\b)", re.IGNORECASE)
_DEED_JOINT: Final = lazy_pattern(
    rf",? and (?:then |also |recently |later )?(?={_HAPPENED} (?:up |over )?(?:to|in|at|for|from|with|an?|the|my|our"
    rf"|{_COUNT}|{LONG_CAPITALIZED})\b)",
    re.IGNORECASE,
)
_HOME: Final = lazy_pattern(
    r"(?P<head>(?:I|we) (?:(?:now|currently|still) )?live )(?P<company>alone|by myself|on my own"
    r"|with (?:my|our) [^,.;]{2,60}?) (?P<place>in (?!the same\b)"
    r"[^,.;]{2,40})",
    re.IGNORECASE,
)
_MAX_ITEMS: Final = 8
_GROUP: Final = lazy_pattern(r"\b(?:we|us|ours?)\b", re.IGNORECASE)
_CAPITAL: Final = lazy_pattern(CAPITAL)


class _Part(NamedTuple):
    """One of several: where it stands in the clause, without what joins it to the others."""

    start: int
    end: int


def apart(clause: Clause) -> tuple[Clause, ...]:
    """Return what a clause says of several things as said of each; nothing where it says one thing, or may.

    Each has the words that lead to all of them, and its own; so has its evidence.
    """
    text = clause.text
    if clause.setting or clause.other or clause.is_ironic:
        return ()
    for read in (_home, _marked, _bare, _deeds):
        head, parts = read(text)
        told = _told_of_each(clause, head, parts) if len(parts) > 1 else ()
        if told:
            return told
    return ()


def _told_of_each(clause: Clause, head: int, parts: Sequence[_Part]) -> tuple[Clause, ...]:
    lead = clause.text[:head].strip()
    quotes = _quotes(clause, [clause.text[it.start : it.end] for it in parts])
    texts = [f"{lead} {clause.text[it.start : it.end]}" for it in parts]
    if not quotes or any(_GROUP.search(it) and group_of(it) != group_of(clause.text) for it in texts):
        return ()
    return tuple(replace(clause, text=text, quote=quote) for text, quote in zip(texts, quotes, strict=True))


def _quotes(clause: Clause, items: Sequence[str]) -> list[str]:
    """Return the exact words for each; nothing where they were not written as they are read."""
    shown, places, at = clause.quote or clause.evidence, list[_Part](), 0
    for item in items:
        start = shown.find(item, at)
        if start < 0:
            return []
        at = start + len(item)
        places.append(_Part(start, at))
    lead = shown[: places[0].start].strip()
    return [shown[: places[0].end], *(f"{lead}{SKIPPED}{shown[it.start : it.end]}" for it in places[1:])]


def _marked(text: str) -> tuple[int, list[_Part]]:
    """Read things of which each has its own article or number, or is an illness: "two dogs, a parrot and asthma"."""
    head = _MARKED.match(text)
    if head is None:
        return 0, []
    thing = _THING if _HAVING.match(text) else _THE
    parts = _split(text, head.end(), _MARKED_JOINT, lambda it: thing.fullmatch(it) is not None)
    middle = [it for one, it in pairwise(parts) if " and " not in text[one.end : it.start]]
    if _is_apposed(text, parts):
        return 0, []
    is_clear = all(_KNOWN.search(text, it.start, it.end) or _KNOWN.match(text[it.start : it.end]) for it in middle)
    return head.end(), parts if is_clear else []


def _is_apposed(text: str, parts: Sequence[_Part]) -> bool:
    """Whether the second of two tells what the first one is, of which either has the name: a list of two has its "and".

    Where the second is named it has to be of a breed: "a dog, a beagle called Bruno".
    """
    if len(parts) != 2 or " and " in text[parts[0].end : parts[1].start]:  # noqa: PLR2004  (a list of more is one)
        return False
    first, second = (text[it.start : it.end] for it in parts)
    is_named, names = _NAMED.search(first) is not None, _NAMED.search(second) is not None
    if is_named == names or _WHAT_IT_IS.match(second) is None:
        return False
    return is_named or (_DOG.fullmatch(first) is not None and _BREED.search(second) is not None)


def _bare(text: str) -> tuple[int, list[_Part]]:
    """Read bare words that are several all the same: allergies, languages, a list, a thing and a doing."""
    for heading, is_clear in ((_BEING_ALLERGIC, _is_of_nouns), (_SPEAKING, _is_of_languages), (_LIKING, _is_of_tastes)):
        head = heading.match(text)
        if head is None:
            continue
        parts = _split(text, head.end(), _BARE_JOINT, _is_bare)
        items = [text[it.start : it.end] for it in parts]
        if text.count(" and ") == 1 and len(items) > 1 and is_clear(items):
            return head.end(), parts
    return 0, []


def _deeds(text: str) -> tuple[int, list[_Part]]:
    """Read what somebody did, one after the other: "I moved to Kiel and bought a house"."""
    head = _DEED.match(text)
    if head is None:
        return 0, []
    parts = _split(text, head.end(), _DEED_JOINT, lambda it: " " in it)
    return head.end(), parts if len(parts) == 2 else []  # noqa: PLR2004  (more is a story)


def _home(text: str) -> tuple[int, list[_Part]]:
    """Read with whom somebody lives, and where: of the two each changes without the other."""
    found = _HOME.fullmatch(text)
    if found is None:
        return 0, []
    return found.end("head"), [_Part(*found.span("company")), _Part(*found.span("place"))]


def _split(text: str, start: int, joint: re.Pattern[str], is_item: Callable[[str], bool]) -> list[_Part]:
    parts: list[_Part] = []
    for found in joint.finditer(text, start):
        parts.append(_Part(start, found.start()))
        start = found.end()
    parts.append(_Part(start, len(text)))
    return parts if len(parts) <= _MAX_ITEMS and all(is_item(text[it.start : it.end]) for it in parts) else []


def _is_bare(item: str) -> bool:
    return (_BARE.fullmatch(item) or _LANGUAGE.fullmatch(item)) is not None


def _is_of_nouns(items: Sequence[str]) -> bool:
    """Whether none can be half a name of the last: "cat and dog hair" is one thing, "nuts and cat hair" are two."""
    return all(" " not in it for it in items) or all(_PLURAL.search(it) for it in items[:-1])


def _is_of_languages(items: Sequence[str]) -> bool:
    return all(_LANGUAGE.fullmatch(it) for it in items)


def _is_of_tastes(items: Sequence[str]) -> bool:
    if not _is_of_nouns(items) or all(_CAPITAL.match(it) for it in items):
        return False
    doing = [it for it in items if _DOING.search(it)]
    return len(items) >= _LIST or len(doing) == 1
