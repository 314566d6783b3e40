"""Words that take back what stands before them, and an apology, which does not: "I work at Globex, sorry"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_LEAD: Final = r"(?:(?:oh|ah|no|nah|wait|well|ok(?:ay)?|actually|sorry|ha(?:ha)*|lol|but|and|so)[\s,]+){0,4}"
_WAS_JEST: Final = (
    r"(?:that|it) was (?:just |only |all )?(?:(?:(?:meant|supposed|intended) (?:as|to be) )?a joke|in jest|sarcasm)"
)
"""Of one's own words, or of somebody's else; whoever says that it was a lie means what was answered."""

_WITHDRAWN: Final = (
    r"(?:(?:I(?:'m| am| was) )?(?:just|only) (?:kidding|joking|teasing|messing with you|pulling your leg)"
    r"|I(?:'m| am| was) (?:kidding|joking|messing with you|pulling your leg|being sarcastic)"
    r"|I (?:wasn't|was not) being serious"
    r"|(?<!no )(?<!not )kidding|j/?k|(?:scratch|strike|scrap) (?:that|this)(?: last (?:bit|part|one))?"
    r"|I(?:'ve| have)? (?:just )?(?:made (?:that|this|it|all of (?:that|it)) up|made up (?:that|this|it))"
    r"|I (?:take|took) (?:that|it|this) back|I (?:lied|was lying)"
    rf"|(?:that|it) was (?:just |only )?(?:a lie|made up)|{_WAS_JEST}|that's (?:a lie|made up|not true)"
    r"|that is not true|that isn't true)"
)
_END: Final = r"(?:,? (?:again|though|of course|lol|haha|lmao|btw|sorry)){0,2}[\s,.!);:]*"
IN_FUN: Final = r"kidding|joking|teasing|messing with you|pulling your leg|sarcas(?:m|tic)|being serious|jest|j/?k|joke"
"""Tells that something was said in jest."""

_TELLS_OF_JEST: Final = lazy_pattern(_WAS_JEST, re.IGNORECASE)
_OF_OTHERS: Final = lazy_pattern(rf"\b(?!{_WAS_JEST})(?:that|it)(?:'s| is| isn't| was)\b", re.IGNORECASE)
_RETRACTION: Final = lazy_pattern(rf"\W*{_LEAD}{_WITHDRAWN}{_END}", re.IGNORECASE)
_OPENS_JEST: Final = lazy_pattern(rf"\W*{_LEAD}{_WITHDRAWN}(?:,? (?:haha|lol|lmao))*\s*[,;:(-]\s*\w", re.IGNORECASE)
_JEST: Final = lazy_pattern(rf"\b(?:{IN_FUN}|all of (?:that|it))\b", re.IGNORECASE)
"""Who jested did so from the first word of a message; who only takes back means what they said last."""

_WAS: Final = lazy_pattern(r"\bwas\b", re.IGNORECASE)
_OF_ONESELF: Final = lazy_pattern(r"(?:I|we|my|our)\b", re.IGNORECASE)
_SPOKEN: Final = lazy_pattern(r"\b(?:told|tells?|said|says?|asked|thinks?|thought|believes?|believed)\b", re.IGNORECASE)
"""Before "I was joking": it tells of a jest with others, and not of this message."""

_WRONG: Final = (
    r"(?<=\S) but (?:that|it)(?:'s| is| was) (?:wrong|incorrect|not (?:right|true|correct)"
    r"|an? (?:lie|mistake|typo|error)|out of date|outdated|no longer (?:true|right))"
)
"""What a statement may end with to say that it was none: "I said I live in Leeds but that was wrong"."""

_RETRACTED: Final = lazy_pattern(rf"(?:[,:;]\s+{_LEAD}{_WITHDRAWN}|,?{_WRONG}){_END}$", re.IGNORECASE)
_DENIES: Final = lazy_pattern(rf"\W*{_LEAD}I(?:'m not| am not| don't| do not| never| can't| have no)\b", re.IGNORECASE)
_EARLIER: Final = lazy_pattern(r"\bI (?:was|lied|made)\b", re.IGNORECASE)
"""Tells of what was said before."""

_STOPPED: Final = lazy_pattern(
    r",\s+(?:(?:oh|no|ah)[\s,]+){0,2}(?:no|wait|sorry|scratch that|correction|hang on|hold on)[\s,]*$", re.IGNORECASE
)
"""At the end of a clause: what follows, if anything, stands in its place."""

_MEANT: Final = lazy_pattern(r"I mean(?:t)? (?:to say )?(?:\w+ )?[\w:]+[\s.!]*$", re.IGNORECASE)
"""A value alone, which stands for one of the clause before it: "…, sorry, I meant 1989"."""

_SORRY: Final = lazy_pattern(
    r",\s+(?:(?:oh|ah|I'm|I am|we're|so|very|really)[\s,]+){0,3}sorry"
    r"(?: (?:about|for|if|to (?:say|hear|bother)) ?[^,]*)?[\s,]*$",
    re.IGNORECASE,
)


def is_retraction(sentence: str) -> bool:
    """Whether a sentence does nothing but take back the one before it.

    Example:
        >>> is_retraction("Just kidding"), is_retraction("No kidding"), is_retraction("Sorry")
        (True, False, False)
    """
    return _RETRACTION.fullmatch(sentence) is not None


def is_own_retraction(message: str) -> bool:
    """Whether a message takes back what its speaker said; "that's not true" may be about what was answered.

    Example:
        >>> is_own_retraction("Just kidding!"), is_own_retraction("That's not true.")
        (True, False)
    """
    return is_retraction(message) and _OF_OTHERS.search(message) is None


def may_be_of_others(retraction: str) -> bool:
    """Whether a message that takes something back may mean a jest of somebody else's: one that was asked for.

    Example:
        >>> may_be_of_others("That was a joke!"), may_be_of_others("I was joking")
        (True, False)
    """
    return _TELLS_OF_JEST.search(retraction) is not None


def not_taken_back(text: str, sentences: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int, bool]]:
    """Yield the sentences of a text, each by its start and end, that the next one does not take back.

    What was said in jest is all that stands before the words that say so.
    """
    found = [*sentences]
    said = [text[start:end] for start, end, _ in found]
    meant = max((at for at, it in enumerate(said) if _is_jest(it, said[at - 1] if at else "")), default=0)
    for sentence, following in zip_longest(found[meant:], said[meant + 1 :]):
        if following is None or not is_retraction(following):
            yield sentence


def _is_jest(sentence: str, before: str) -> bool:
    """Whether a sentence says, alone or at its head, that what stands before it was said in jest.

    A jest of the past may be one with others: "I told Tom I was rich. I was joking", "It was a joke, he laughed".
    """
    found = _RETRACTION.fullmatch(sentence) or _OPENS_JEST.match(sentence)
    if found is None or _JEST.search(found.group()) is None:
        return False
    if _WAS.search(found.group()) is None:
        return True
    is_alone = found.end() == len(sentence)
    return (is_alone or _OF_ONESELF.match(sentence, found.end() - 1) is not None) and _SPOKEN.search(before) is None


def is_retracted(text: str, start: int, end: int) -> bool:
    """Whether a sentence takes itself back at its end: "I live in Rome, I made that up".

    What denies something stands: "I'm not vegan, I was joking" takes back what was said before it.
    """
    found = _RETRACTED.search(text, start, end)
    return found is not None and not (_DENIES.match(text, start, end) and _EARLIER.search(found.group()))


def is_value_meant(text: str, at: int) -> bool:
    """Whether a value alone stands there, which puts right the clause before it."""
    return _MEANT.match(text, at) is not None


def ends_of(text: str, spans: Sequence[tuple[int, int, str]]) -> list[int | None]:
    """Return where each clause of a sentence ends, before an apology; `None` where it is broken off.

    Behind "sorry" the next clause puts this one right ("…, sorry, I …"), unless a word joins it ("…, sorry, but I …"),
    or it is a value alone, which needs the words before it ("…, sorry, I meant 1989").
    """
    ends: list[int | None] = []
    for place, (first, last, _) in enumerate(spans):
        joint = text[last : spans[place + 1][0]] if place + 1 < len(spans) else "end"
        sorry = _SORRY.search(text, first, last) if re.search(r"\w", joint) else None
        stopped = None if sorry else _STOPPED.search(text, first, last)
        is_put_right = bool(stopped) and place + 1 < len(spans) and is_value_meant(text, spans[place + 1][0])
        cut = sorry or (stopped if is_put_right else None)
        ends.append(cut.start() if cut else None if stopped else last)
    return ends
