"""Statements in small letters with nothing between them: "im kai im 17 i main jett"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL

_CAREFUL: Final = lazy_pattern(rf"[,;:]|(?!I\b){CAPITAL}")
"""Who writes these parts their sentences with them."""

_HEAD: Final = lazy_pattern(
    r"(?:i'm|i am|i've got|(?:i|we) (?:live|work|have)|my [\w-]+(?: [\w-]+)?(?: is|'s))\s", re.IGNORECASE
)
_NEXT: Final = lazy_pattern(
    r"(?<=\S)\s(?=(?:(?:i'm|i am) (?:\d{1,3}\b|from \w|an? \w|allergic to \w)"
    r"|(?:i|we) live (?:in|at|with) \w|(?:i|we) work (?:at|as|for|in|nights\b) ?\w|i was born (?:in|on) \w"
    rf"|(?:i've got|(?:i|we) (?:have|own|got)) (?:an?|{ONE_OR_MORE}|no|\d+) \w"
    r"|i (?:like|love|hate|study|teach|play) (?:my|our|an?|the (?!most\b|best\b)) ?\w"
    r"|i love it here\b|(?:his|her|its|their) name(?: is|'s) \w|my name(?: is|'s) \w|my [\w-]+ is \w"
    r"|(?P<takes>i (?:main|play|study|speak|drive|teach|like|love|hate|eat) (?!(?:it|that|this|to|with|most|best|more"
    r"|and|but|so|every"
    r"|a lot|very|on|in|at)\b)\w)))",
    re.IGNORECASE,
)
_RENAMED: Final = lazy_pattern(
    r"(?:(?:please|pls|no|hey) )?(?:don't|do not|never) call me [\w'-]+(?P<gap>\s)(?:please |just )?call me [\w'-]+"
    r"(?:,? (?:please|pls|instead|ok|from now on))?[\s.!]*",
    re.IGNORECASE,
)
"""One name for another: "don't call me Margaret call me Peggy"."""

_WORD: Final = lazy_pattern(r"[\w']+")
_READ_BACK: Final = 60
"""Characters in which the two words before a statement stand."""

_LEADS_ON: Final = frozenset(
    """
    that when whenever if because since where wherever what who which how why as like think know say said says told tell
    than while so and but or before after once until unless whether though although cause cos cuz coz now then hope feel
    guess believe sure glad wish means mean see bet thing way everything all the a an my our of in at with for to is are
    """.split()
)
"""Words behind which a sentence goes on."""

_POINTING: Final = frozenset(
    "the a an every any each all some that which only my our this these those best last first".split()
)
"""Before a noun of which a relative clause may tell: "the game i play most"."""


def run_on(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each statement of a run-on begins and ends; one that is none comes back as it is.

    Example:
        >>> text = "i'm 30 i have a dog named rex i live in york"
        >>> [text[first:last] for first, last in run_on(text, 0, len(text))]
        ["i'm 30", 'i have a dog named rex', 'i live in york']
    """
    renamed = _RENAMED.fullmatch(text, start, end)
    if renamed is not None:
        yield start, renamed.start("gap")
        start = renamed.end("gap")
    elif _HEAD.match(text, start, end) and _CAREFUL.search(text, start, end) is None:
        for found in _NEXT.finditer(text, start, end):
            before = [
                it.casefold() for it in _WORD.findall(text, max(start, found.start() - _READ_BACK), found.start())[-2:]
            ]
            is_relative = found["takes"] is not None and before[0] in _POINTING
            if len(before) > 1 and before[-1] not in _LEADS_ON and not is_relative:
                yield start, found.start()
                start = found.end()
    yield start, end
