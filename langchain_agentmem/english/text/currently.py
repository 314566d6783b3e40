"""What is so "currently" and lasts: one lives, works and studies somewhere for as long as nobody says otherwise."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.ailments import MEDICINES
from langchain_agentmem.english.words.kin_words import KIN, any_of, plurals
from langchain_agentmem.english.words.lexicon import PETS
from langchain_agentmem.english.words.patterns import CAPITAL

_OWN: Final = any_of(PETS | KIN | plurals(PETS | KIN))
_HOME: Final = (
    r"(?:liv(?:es?|ing)|resid(?:es?|ing)|rents?|renting) (?!it|this|that|the dream)\w"
    rf"|based (?:in|at|out of)\b|(?:have|has|own|owns) (?:[\w-]+ ){{1,3}}?{_OWN}\b|(?:drives?|owns?) (?!me\b|us\b)\w"
)
_WORK: Final = (
    rf"(?:works?|working) (?:(?:at|for|as|with|part[- ]time|full[- ]time|nights|remotely)\b|in (?:[a-z]+\b$|{CAPITAL}))"
    r"|(?:(?:un|self-)?employed|retired|freelancing|between jobs)\b|(?:manages?|reports? to|teach(?:es)?|teaching"
    r"|maintains?|maintaining) (?!it\b|this\b|that\b)\w|on (?:[a-z]+ly )?(?:maternity|paternity|parental) leave\b"
    r"|an? (?!(?:bit|little|lot|few|tad)\b)(?:[\w-]+ ){1,3}?(?:at|in|for) "
    rf"(?:(?:the|an?|my|our|his|her|their) \w|{CAPITAL})"
)
_STUDY: Final = (
    r"(?:stud(?:y|ies|ying)|learn(?:s|ing)?) (?!(?:for|in|hard|on|how|with|about|to|what|the|my|all|alone|late)\b)\w"
    r"|enrolled\b|(?:doing|pursuing) (?:an?|my|his|her|their) (?:[\w-]+ )?(?:phd|doctorate|master'?s|degree|mba"
    r"|bachelor'?s|apprenticeship|residency)\b|in (?:my|his|her|their) (?:first|second|third|fourth|final|last) year\b"
)
_LOVE: Final = (
    r"(?:single|married|engaged|divorced|separated|widowed|dating|pregnant|in an? (?:[\w-]+ )?relationship)\b"
)
_USED: Final = (
    r"(?:uses?|using) (?!(?:it|this|that|them|the|my|your|his|her|their|all|up|an?)\b)\w"
    rf"|(?:takes?|taking|on) (?:[\w.]+ ){{0,3}}?(?:(?:{MEDICINES})|\d+ ?m?c?g)\b"
)
_LASTS: Final = rf"(?:{_HOME}|{_WORK}|{_STUDY}|{_LOVE}|{_USED})"
_BE: Final = r"(?: am| is| are|'m|'s|'re)?"
_WORD: Final = r"(?:currently|at present|presently)"
_CURRENTLY: Final = lazy_pattern(
    rf"\b{_WORD},? (?=(?:(?:I|we|he|she|they|(?:the )?user|(?:my|our) [\w-]+|{CAPITAL}\w+){_BE} )?{_LASTS})",
    re.IGNORECASE,
)
_BEHIND: Final = lazy_pattern(rf"\b(?P<said>{_LASTS}[^.;,!?]{{0,80}}?),? {_WORD}\b", re.IGNORECASE)


def as_it_is(text: str) -> str:
    """Return a text without a "currently" that is said of home, work, study, love or what is used.

    Example:
        >>> as_it_is("I currently live in Lyon"), as_it_is("I'm currently tired")
        ('I live in Lyon', "I'm currently tired")
    """
    return _BEHIND.sub(r"\g<said>", _CURRENTLY.sub("", text))
