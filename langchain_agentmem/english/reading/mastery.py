"""What is hard for somebody, and what no longer is: "finally understands recursion" ends "struggles with recursion".

The rules know English, and compare what is spoken of by every telling word: who understands fractions may still
struggle with fractions of polynomials.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize

MAX_TOPIC_WORDS: Final = 6
"""Words of what somebody learns; more of them tell a circumstance."""

_MAX_CHARS: Final = 200
_TOPIC: Final = (
    r"(?P<topic>(?!(?:i|we|he|she|they|it|this|that|these|those|them|you|him|her|us|me|why|what|where|who|your"
    r"|everything|all|nothing|the (?:\w+ )?(?:errors?|problems?|issues?|questions?|code|answers?|points?|difference"
    r"|task|bugs?|message|joke))\b)[^,;:]+?)"
)
_HARD: Final = (
    r"(?:(?:very|really|quite|so|too|pretty|still|rather|extremely) ){0,2}"
    r"(?:hard|difficult|confusing|tricky|challenging)"
)
_VERY: Final = r"(?:(?:always|still|really|often|a lot|sometimes|currently) ){0,2}"
_WHO: Final = r"[\w'\u2019 -]{1,60}?"

_END: Final = r"(?: (?:now|at last|finally|again|at the moment|these days|any ?more|lately))*[.! ]*"
_BY: Final = rf"(?:{_WHO} )?"
_OF: Final = rf"(?: (?:for|to) {_WHO})?"

_DIFFICULT: Final = tuple(
    lazy_pattern(pattern + _END, re.IGNORECASE)
    for pattern in (
        rf"{_BY}struggl(?:e|es|ing) {_VERY}(?:with|to (?:understand|grasp|learn)) {_TOPIC}",
        (
            rf"{_BY}(?:has|have|having) {_VERY}(?:(?:a lot of|some|great|big|serious) )?(?:trouble|difficult(?:y|ies)"
            rf"|problems?|a hard time) (?:with|in|understanding|grasping|learning) {_TOPIC}"
        ),
        (
            rf"{_BY}(?:(?:does|do) not|(?:does|do)n['\u2019]t|cannot|can['\u2019]t) {_VERY}(?:understand|grasp"
            rf"|get the hang of) {_TOPIC}"
        ),
        rf"{_BY}(?:find|finds|found) {_TOPIC} {_HARD}",
        (
            rf"{_BY}(?:is|am|are|gets?) {_VERY}(?:stuck (?:on|with)|confused (?:by|about)|bad at|weak (?:at|in))"
            rf" {_TOPIC}"
        ),
        rf"{_TOPIC} (?:is|are) {_HARD} for {_WHO}",
    )
)
_MASTERED: Final = tuple(
    lazy_pattern(pattern + _END, re.IGNORECASE)
    for pattern in (
        rf"{_BY}(?:(?:finally|now|at last|fully|really) )+(?:understands?|understood|grasps?|grasped) {_TOPIC}",
        rf"{_BY}(?:understands?|grasps?) {_TOPIC}(?= (?:now|at last|finally)\b)",
        rf"{_BY}(?:(?:has|have|finally|now) )*(?:mastered|got(?:ten)? the hang of|figured out|overcame) {_TOPIC}",
        (
            rf"{_BY}no longer (?:struggles? with|(?:has|have) (?:any )?(?:trouble|difficult(?:y|ies)|problems?) with)"
            rf" {_TOPIC}"
        ),
        (
            rf"{_BY}(?:is|am|are) (?:now |finally )+(?:comfortable|confident|fluent|good|at ease) (?:with|at|in)"
            rf" {_TOPIC}"
        ),
        rf"{_TOPIC} (?:is|are) easy for {_WHO}(?= (?:now|at last)\b)",
        rf"{_TOPIC} (?:is|are) (?:now|finally) easy for {_WHO}",
        rf"{_TOPIC} (?:(?:has|have) )?(?:finally|now) (?:clicked|makes? sense){_OF}",
        rf"{_TOPIC} (?:(?:has|have) )?(?:clicked|makes? sense){_OF}(?= (?:now|at last|finally)\b)",
    )
)
_NO_LONGER: Final = lazy_pattern(r"\b(?:no longer|not|any ?more)\b(?! (?:understand|grasp|get))", re.IGNORECASE)
_HOW: Final = lazy_pattern(
    r"^how (?:to (?:use )?)?|\b(?:works?|functions?|properly|better|well|correctly)$", re.IGNORECASE
)


def difficulty_in(text: str) -> frozenset[str]:
    """Return the terms of what a sentence says is hard for somebody; empty where it says no such thing.

    Example:
        >>> difficulty_in("The user struggles with recursion")
        frozenset({'recurs'})
    """
    return frozenset() if _NO_LONGER.search(text) else _topic(_DIFFICULT, text)


def mastery_in(text: str) -> frozenset[str]:
    """Return the terms of what a sentence says somebody has learned; empty where it says no such thing."""
    return _topic(_MASTERED, text)


def _topic(patterns: tuple[re.Pattern[str], ...], text: str) -> frozenset[str]:
    plain = text.strip()
    if len(plain) > _MAX_CHARS:
        return frozenset()
    found = next((it for pattern in patterns if (it := pattern.fullmatch(plain)) is not None), None)
    if found is None or len(found["topic"].split()) > MAX_TOPIC_WORDS:
        return frozenset()
    return frozenset(tokenize(_HOW.sub("", found["topic"])))
