"""What a user agrees to forget: they were asked "Shall I forget that you like sushi?", and said yes.

What nobody asked about in one plain question is agreed to by no "yes"; an answer that says anything else is read as
every message is.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem.policies.sentences import split_sentences

_ASKED: Final = re.compile(
    r"(?:\b(?:shall|should|may|can|could) I|\b(?:want|like) me to)(?: \w{1,20})? (?:forget|delete|remove|erase)"
    r"(?: about)? (?P<what>[^?\n]{1,500})\?",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"(?:it|that|this|them|those|these|everything|all(?: of (?:it|them))?|that one|both)\W*", re.IGNORECASE
)
_YES: Final = (
    r"(?:yes|yeah|yep|yup|sure|ok(?:ay)?|right|correct|exactly|absolutely|please(?: do)?|go ahead|do (?:it|so|that)"
    r"|(?:forget|delete|remove|erase) (?:it|that|this|them)|that one|(?:that|it)(?:'s| is) (?:it|the one|right)"
    r"|I (?:do|mean that(?: one)?)|thanks?|thank you)"
)
_AGREES: Final = re.compile(rf"\W*+{_YES}(?:\W++{_YES}){{0,4}}\W*+", re.IGNORECASE)
_THANKS: Final = re.compile(r"\W*(?:thanks?|thank you)\W*", re.IGNORECASE)
_TO_USER: Final = (
    (re.compile(r"\byou(?:'|\u2019)re\b|\byou are\b", re.IGNORECASE), "I am"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\byours\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byourself\b", re.IGNORECASE), "myself"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
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
    if not _AGREES.fullmatch(answer.replace("\u2019", "'")) or _THANKS.fullmatch(answer):
        return None
    questions = [it for it in map(_ASKED.search, split_sentences(asked)) if it is not None]
    if len(questions) != 1:
        return None
    what = questions[0]["what"].strip(" \"'\u201c\u201d\u2018\u2019.*_")
    if not what or _POINTS.fullmatch(what):
        return None
    for you, i in _TO_USER:
        what = you.sub(i, what)
    return what
