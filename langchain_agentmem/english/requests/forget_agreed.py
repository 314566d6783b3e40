"""What a user agrees to forget: they asked to forget something, were asked "Shall I forget that ...?", and said yes.

Only a question about memory that ends the assistant's message, and is the only one in it, is agreed to by a "yes"; an
answer that says anything else is read as every message is. What the assistant offers to remove from a list or to leave
out of a recipe is no memory.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.sentences import split_sentences

_ASKED: Final = lazy_pattern(
    r"(?:(?:so|then|and|or|if so),? )?(?:(?:shall|should) I|(?:do you |would you )?(?:want|like) me to)"
    r"(?: then| now)? forget (?P<what>(?!not\b)[^?\n]{1,300})\?",
    re.IGNORECASE,
)
_SEVERAL: Final = lazy_pattern(
    r"\b(?:or|and (?:also |then )?(?:shall|should|do|can|could|move|keep|not))\b", re.IGNORECASE
)
_POINTS: Final = lazy_pattern(
    r"(?:it|that|this|them|those|these|(?:everything|anything|all)\b.*|that one|both|you|me)\W*", re.IGNORECASE
)
_YES: Final = (
    r"(?:yes|yeah|yep|yup|sure|ok(?:ay)?|right|correct|exactly|absolutely|please(?: do)?|go ahead|do (?:it|so|that)"
    r"|(?:forget|delete|remove|erase) (?:it|that|this|them)|that one|(?:that|it)(?:'s| is) (?:it|the one|right)"
    r"|I (?:do|mean that(?: one)?)|thanks?|thank you)"
)
_AGREES: Final = lazy_pattern(rf"\W*+{_YES}(?:\W++{_YES}){{0,4}}\W*+", re.IGNORECASE)
_THANKS: Final = lazy_pattern(r"\W*(?:thanks?|thank you)\W*", re.IGNORECASE)
_TO_USER: Final = (
    (lazy_pattern(r"\byou(?:'|\u2019)re\b|\byou are\b", re.IGNORECASE), "I am"),
    (lazy_pattern(r"\byour\b", re.IGNORECASE), "my"),
    (lazy_pattern(r"\byours\b", re.IGNORECASE), "mine"),
    (lazy_pattern(r"\byourself\b", re.IGNORECASE), "myself"),
    (lazy_pattern(r"\byou\b", re.IGNORECASE), "I"),
)
"""Whom the assistant calls "you" says "I"."""


def agreed_to(asked: str, answer: str) -> str | None:
    """Return what a user agrees to forget, as they would say it; `None` where they agree to nothing of the kind.

    Args:
        asked: What the assistant said before.
        answer: The user's message.

    Example:
        >>> agreed_to("Nothing says just that. Shall I forget that you cannot stand mushrooms?", "Yes, please.")
        'that I cannot stand mushrooms'
        >>> agreed_to("Shall I forget that you cannot stand mushrooms?", "No, keep it."), agreed_to("Shall I?", "Yes.")
        (None, None)
    """
    if not _AGREES.fullmatch(as_read(answer)) or _THANKS.fullmatch(answer):
        return None
    sentences = split_sentences(asked)
    found = _ASKED.fullmatch(sentences[-1].strip(" *_")) if sentences and asked.count("?") == 1 else None
    if found is None:
        return None
    what = found["what"].strip(" \"'\u201c\u201d\u2018\u2019.*_")
    if not what or _POINTS.fullmatch(what) or _SEVERAL.search(what):
        return None
    for you, i in _TO_USER:
        what = you.sub(i, what)
    return what
