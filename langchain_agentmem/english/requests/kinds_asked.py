"""Questions about all memories of a kind: "what are my goals?", "where did we leave off?". English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.types import Kind

_ASKED: Final = (
    r"(?:\b(?:what|which)(?: (?:are|were|is)|'s|'re)|\b(?:list|show|tell|remind|give|repeat|read)(?: me)?(?: (?:of|all"
    r"|about|again))*|\b(?:do you (?:know|remember)|(?:let's|can we|please) (?:look at|review|see|go over)))"
)
_OWN: Final = r"(?: (?:all|of|me|again|about))* (?:my|our) (?:\w+ ){0,2}?"
_HAVE: Final = (
    r" (?:\w+ ){0,2}?(?:do|did|have|had) (?:I|we|you) (?:\w+ )?"
    r"(?:have|set|got|given?|gave|pursue|tell|told|follow|state)"
)
_LEFT_OFF: Final = r"(?:left off|stopped|were|ended|paused|got to)"

_PHRASES: Final[Mapping[Kind, str]] = {
    "goal": (
        rf"{_ASKED}{_OWN}(?:goals?|objectives?|aims|ambitions?|targets|aspirations|resolutions)\b"
        rf"|\b(?:what|which) (?:goals?|objectives?|aims|ambitions|resolutions)\b{_HAVE}"
        r"|\bdo I have (?:any )?(?:\w+ )?(?:goals?|ambitions|objectives)\b"
        r"|\bwhat (?:should|shall|do|can|must) (?:I|we) (?:do|tackle|work on|start with)(?: \w+)? next\b"
        r"|^\W*(?:so,? |ok(?:ay)?,? )?(?:what's|what is|what comes) (?:my |our |the )?next(?: (?:step|thing))?\W*$"
        r"|\b(?:continue|carry on|go on|resume|pick up|proceed|start again)\b[^.?!]{0,30}"
        rf"\bwhere (?:we|I|you) {_LEFT_OFF}"
        r"|\bwhere (?:did|had|were) (?:we|I) (?:leave off|left off|stop(?:ped)?|end up|get to)\b"
        r"|\b(?:what|which \w+) (?:am|are|was|were) (?:I|we) (?:currently )?(?:working (?:on|towards?)|pursuing)\b"
    ),
    "constraint": (
        rf"{_ASKED}{_OWN}(?:constraints?|rules|limits|limitations|restrictions|boundaries|red lines)\b"
        rf"|\b(?:what|which) (?:constraints?|rules|limits|restrictions|boundaries)\b{_HAVE}"
        r"|\bwhat (?:are|were) you (?:not )?(?:allowed|supposed|permitted) to\b"
        r"|\bwhat (?:must|may|should|can)(?:n't)? you (?:not|never)\b"
    ),
    "preference": (
        rf"{_ASKED}{_OWN}(?:preferences|likes|dislikes|tastes|favou?rites)\b"
        rf"|\b(?:what|which) (?:preferences|likes|dislikes)\b{_HAVE}"
        r"|\bwhat do I (?:\w+ )?(?:like|love|prefer|dislike|hate|enjoy)(?: and (?:dis)?(?:like|hate|love))?\W*$"
    ),
}
_PATTERNS: Final = {kind: lazy_pattern(phrase, re.IGNORECASE) for kind, phrase in _PHRASES.items()}

MAX_ASKED_CHARS: Final = 400
"""A longer message is no plain question about a kind of memory."""


def kinds_asked(text: str) -> tuple[Kind, ...]:
    """Return the kinds of memories that a message asks for as such; mostly, there are none.

    Example:
        >>> kinds_asked("What should I do next?")
        ('goal',)
        >>> kinds_asked("What is the goal of chess?")
        ()
    """
    plain = text.replace("\u2019", "'").strip()
    if len(plain) > MAX_ASKED_CHARS:
        return ()
    return tuple(kind for kind, pattern in _PATTERNS.items() if pattern.search(plain))
