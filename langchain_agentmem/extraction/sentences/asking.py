"""Where a sentence asks, and how much of it states something before it does."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_ASKING_TAIL: Final = lazy_pattern(
    (
        r"\s*[,:\u2014-]?\s+(?:and|so|but)?\s*(?:what|which|where|who|whom|whose|how|when|why|can|could"
        r"|would|will|should|do|does|did|is|are|any|got any|may|shall|have you|has)\b[^,]*$|,\s*(?:and "
        r"|so )?(?:what|which|where|who|how|when|why|can|could|would|will|should|do|does|did|is|are"
        r"|any)\b.*$"
    ),
    re.IGNORECASE,
)
_ASKING_CLAUSE: Final = lazy_pattern(
    (
        r"\s*(?:[,:;\u2014-]|\b(?:and|so|but|or)\b){1,3}\s+(?:(?:so|and|but|then|also|please|like"
        r"|maybe) ){0,4}(?:(?:can|could|would|will|do|did) you\b|(?:should|can|could|shall|do|am|may) (?:I"
        r"|we)\b|(?:is|are) there\b|how (?:can|do|should|could|would|might|to|does|will|much|many|long)\b"
        r"|what(?:'s| is| are| should| would| could| do| does| if| about| can| kind| other| steps| tips)\b"
        r"|which (?:\w+ )?(?:is|are|should|would|one)\b|where (?:can|should|do|did|is|are)\b|why (?:is|are|do|did"
        r"|does|would)\b|who (?:told|gave) you\b|who (?:said|says) (?:that|so|otherwise)(?=\W*$)|how (?:did|come)\b"
        r"|what (?:made|makes|gave|gives) you\b|any (?:tips|advice|ideas?|suggestions?|pointers|thoughts"
        r"|recommendations?|chance)\b|I(?:'m| am| was) (?:just )?(?:wondering|curious|not sure)\b|I wonder\b).*$"
    ),
    re.IGNORECASE | re.DOTALL,
)
RELATIVE: Final = lazy_pattern(r",\s+which (?:\w+ )?(?:is|are)\b", re.IGNORECASE)
_TAG_QUESTION: Final = lazy_pattern(
    (
        r",\s*(?:right|correct|ok|okay|yes|no|isn't it|don't I|aren't I|am I|do I|didn't I|haven't I|yeah"
        r"|huh|remember|you know|didn't we|don't we)\s*$"
    ),
    re.IGNORECASE,
)
INTERROGATIVE: Final = lazy_pattern(
    (
        r"(?:so |and |but |hey |ok |well,? )?(?:what|which|where|who|whom|whose|how|why|can|could|would"
        r"|will|should|do(?! not\b)|does|did|is|are|am|was|were|has|have|shall|may"
        r"|any(?! (?:\S+ ){1,6}(?:must|needs?|requires?|should|has to|have to)\b)|when (?:do|did|is|was|should"
        r"|can|will))\b(?! you (?:please )?(?:always|never))(?!n?'t\b)"
    ),
    re.IGNORECASE,
)

_ASKED_FIRST: Final = lazy_pattern(
    r"(?:(?:hey|hi|so|ok|okay),? )?(?:any (?:\w+ )?(?:ideas?|tips|suggestions?|recommendations?|recipes?|advice"
    r"|thoughts)|(?:what|where|which|how)(?: \w+){0,3} (?:can|could|should|do|would) (?:I|we) (?:cook|eat|make|order"
    r"|have|drink|go|stay|buy|get|do)|(?:can|could|would) you (?:please )?(?:suggest|recommend))\b[^,.!?;:\n]{0,80},"
    r" (?:(?:btw|fyi|and|but|since|because|as) )?"
    r"(?=(?:I'm|I am|we're|I have|I've|I don't (?:eat|drink|like)|I (?:can't|cannot) (?:eat|drink|have)|I hate)\b)",
    re.IGNORECASE,
)
"""What asks for something, before what the speaker says of themselves: "any ideas for dinner, I'm vegan"."""


def told_behind_question(text: str, start: int, end: int) -> int | None:
    """Return where a sentence that begins as a question goes on to tell of the speaker; `None` where it does not."""
    found = _ASKED_FIRST.match(text, start, end)
    return None if found is None else found.end()


def statement_before_question(sentence: str, *, is_question: bool) -> int:
    """Return how many characters at the start state something: "I live in Berlin, what is open?" states four words."""
    if is_question and (INTERROGATIVE.match(sentence) or _TAG_QUESTION.search(sentence)):
        return 0
    tail = _asking_clause(sentence, is_question=is_question)
    tail = tail or (_ASKING_TAIL.search(sentence) if is_question else None)
    if tail is not None:
        return tail.start()
    return 0 if is_question else len(sentence)


def _asking_clause(sentence: str, *, is_question: bool) -> re.Match[str] | None:
    """Return where a sentence begins to ask; without a question mark, ", which is nice" does not."""
    tail = _ASKING_CLAUSE.search(sentence)
    while tail is not None and not is_question and RELATIVE.match(sentence, tail.start()):
        tail = _ASKING_CLAUSE.search(sentence, tail.start() + 1)
    return tail
