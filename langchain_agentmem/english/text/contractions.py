"""Words that are written without their apostrophes, read as with them: "im vegan" says what "I'm vegan" does.

Whoever types in haste leaves them out. Readers of patterns are shown the words as they are meant, in this one place;
what is quoted stays as it was written. What is a word as well ("ill", "well", "were", "wed", "id", "shell") is left
alone, and "its" is "it's" only at the head of a clause, before what nobody can have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import Folded
from langchain_agentmem.english.text.gaps import gathered
from langchain_agentmem.english.words.caseless import caseless_words
from langchain_agentmem.english.words.kin_words import any_of
from langchain_agentmem.english.words.lexicon import ROLES

_NOT: Final = frozenset(
    f"{verb}nt" for verb in "do does did is are was were has have had would should could must need ai".split()
)
_NOUNS_TOO: Final = r"(?<!\bmy )(?<!\bhis )(?<!\bher )(?<!\btheir )(?<!\bthe )(?<!\ba )(?:cant|wont)"
_PRONOUN: Final = frozenset(
    "hes shes thats whats theres heres wheres whos hows youre youve youll youd theyre theyve theyll theyd weve itll"
    " thatll therell itd".split()
)
_ONESELF: Final = r"(?-i:(?P<im>[iI]m)|[iI]ve)"
_THING: Final = (
    r"(?P<its>its)(?= (?:(?:an?|the|my|our|your|her|not|been|because|just|too|so|over|ok(?:ay)?|on|at|in|from|for|about"
    r"|all|no|that|this|what|where|when|why|me|us|him|called|named|gonna|\d[\w.,:]*)(?![\w'-])"
    r"|(?:private|confidential|personal|secret|sensitive|wrong|true|false|right|correct|old|outdated|done|gone|finished"
    r"|nice|good|great|bad|hard|boring|funny|weird|complicated|important|urgent|easier|better|fun|cold|hot|late|early"
    r"|expensive|cheap|free|closed|open|broken|fine)"
    r"(?=$|[.,!?;)\n]| (?:and|but|so|now|though|tho|please|pls|thanks|thx|lol|to|for|here|there|i|im|ok)\b)))"
)
_HAD: Final = (
    r"(?:name|birthday|bday|surname|number|email|job|address)(?= (?:is|was|isn't)\b|'s\b)"
    r"|(?:allergic|vegan|vegetarian|diabetic|pregnant|coeliac|celiac|called|named)\b"
    r"|\d{1,2}(?= (?:and|now|years?|in|on|but)\b|[.,!?;)\n]|$)"
)
_SOMEBODY: Final = (
    rf"(?:(?<=\bmy )|(?<=\bour ))(?:{any_of(ROLES)})s(?= (?:{_HAD}))"
    r"|(?:covid|flu)s(?= (?:(?:finally|all|now) )?(?:gone|over)\b)"
)
_WRITTEN: Final = lazy_pattern(
    rf"(?<![\w'@/.\\-])(?:{any_of(_NOT | _PRONOUN)}|{_NOUNS_TOO}|{_ONESELF}|{_THING}|{_SOMEBODY})(?![\w'@/\\-]|\.\w)",
    re.IGNORECASE,
)
_WORDS: Final = (
    _NOT | _PRONOUN | frozenset("cant wont im ive its covids flus".split()) | {f"{it.split('-')[-1]}s" for it in ROLES}
)
"""Words of which one at least stands where an apostrophe is missing."""

_HEAD: Final = lazy_pattern(
    r"(?:^|[.,;:!?\n(\u2013\u2014-]|\b(?:and|but|because|cause|cos|coz|cuz|so|since|think|know|if|well|no|yes|yeah))\s?\Z",
    re.IGNORECASE,
)
_READ_BACK: Final = 12
"""Characters before a word that tell whether a clause begins with it."""

_GERMAN: Final = lazy_pattern(r"\b(?:ich|und|nicht|ist|der|das|wir|mein|meine|ein|eine)\b", re.IGNORECASE)
"""Beside these "im" is "in the"."""

_LONG_ENDINGS: Final = ("ve", "re", "ll")


def as_read(text: str) -> str:
    """Return a text as readers of patterns are shown it: apostrophes in their places, straight, and no wide gaps.

    Example:
        >>> as_read("im vegan and i dont eat eggs, its private")
        "i'm vegan and i don't eat eggs, it's private"
        >>> as_read("I feel ill, and the dog hurt its paw")
        'I feel ill, and the dog hurt its paw'
    """
    return in_place(text).text


def in_place(text: str) -> Folded:
    """Return a text as readers of patterns are shown it, and for each of its characters the place it came from."""
    narrow = gathered(text.replace("\u2019", "'"))
    if _WORDS.isdisjoint(caseless_words(narrow.text)):
        return narrow
    pieces: list[str] = []
    places: list[int] = []
    start = 0
    for end in _missing(narrow.text):
        pieces += (narrow.text[start:end], "'")
        places += (*narrow.places[start:end], narrow.places[end])
        start = end
    if not pieces:
        return narrow
    return Folded("".join((*pieces, narrow.text[start:])), (*places, *narrow.places[start:]))


def _missing(text: str) -> Iterator[int]:
    """Yield where an apostrophe is missing."""
    written = list(_WRITTEN.finditer(text))
    is_german = any(found["im"] for found in written) and _GERMAN.search(text) is not None
    for found in written:
        is_head = _HEAD.search(text[max(0, found.start() - _READ_BACK) : found.start()]) is not None
        is_doubtful = found["its"] or found[0] in {"Im", "Ive"}
        if (is_doubtful and not is_head) or (found["im"] and is_german):
            continue
        yield found.end() - (2 if found[0].casefold().endswith(_LONG_ENDINGS) else 1)
