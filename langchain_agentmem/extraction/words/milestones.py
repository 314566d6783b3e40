"""What happens to somebody and stays told of them: a wedding, a child, a move, a degree, a death.

Each way of saying it ends where it must: "retired in May" is of a person, "retired the old server" is not.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.ending_words import FOR_SHOW
from langchain_agentmem.english.people.beings import NAME, PARTNER
from langchain_agentmem.english.words.calendar_words import MONTH, SEASON
from langchain_agentmem.english.words.kin_words import A_CHILD
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWENTY_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, SMALL
from langchain_agentmem.extraction.words.lexicon import ANY_AGE

_COUNT: Final = rf"(?:\d{{1,2}}|an?|{ONE_OR_MORE}|{TWENTY_OR_MORE}|some|many|a few)"
_PART: Final = r"(?:(?:the|early|mid|late) ){0,2}"
SEASON_OR_MONTH: Final = rf"(?:(?:19|20)\d\d|{MONTH}|{SEASON})\b"
_TIME: Final = (
    rf"(?:(?:in|since|on|around|back in) {_PART}(?:{SEASON_OR_MONTH}|\d{{1,2}}(?:st|nd|rd|th)\b)"
    rf"|(?:last|next|this) (?:year|month|week|weekend|night|{SEASON}|{MONTH}|\w+day)\b"
    rf"|{_COUNT} (?:days?|weeks?|months?|years?) ago\b|years ago\b|today\b|yesterday\b|this morning\b|recently\b)"
)
_SO: Final = rf"(?=$|[,;]| {_TIME}| (?:and|but|so|because|when|after|while|though|although|now)\b)"
_SINCE: Final = r"(?:(?:has|have|just|recently|finally|now|also|already|newly|happily) ){0,3}"
_WHOM: Final = rf"(?: to (?:{NAME}|(?:his|her|their) (?:[a-z-]+ )?{PARTNER}))?"
_CHILD: Final = rf"(?:twins|triplets|(?:an?|another|his|her|their) (?:[a-z]+ ){{0,2}}?(?:{A_CHILD}|boy|girl))"
_SCHOOL: Final = (
    r"(?:(?:primary|secondary|high|middle|law|med|medical) )?(?:school|uni|university|college|kindergarten)"
)
_DEATH: Final = (
    rf"(?:died|passed away)(?: (?:suddenly|peacefully|unexpectedly|young))?(?:{_SO}"
    rf"|(?= (?:of|from) (?!{FOR_SHOW}|the\b)[a-z])|(?= (?:aged|at(?: the age of)?) \d)|(?= when I was\b)"
    r"|(?= before I was born\b)|(?= in (?:his|her|their) sleep\b)"
    r"|(?= in (?:hospital|the war|an? (?:[a-z]+ )?(?:crash|accident|fire))\b))"
)
IS_WEDDING: Final = rf"getting (?:married|engaged|divorced){_WHOM}{_SO}"
HAPPENED: Final = (
    rf"(?:{_SINCE}(?:got|gotten) (?:married|engaged){_WHOM}{_SO}"
    rf"|{_SINCE}had {_CHILD}{_SO}|{_SINCE}(?:gave|given) birth\b"
    rf"|{_SINCE}(?:retired|graduated)(?: from {NAME})?{_SO}"
    rf"|{_SINCE}started (?:at )?{_SCHOOL}{_SO}"
    rf"|{_SINCE}started at (?!{MONTH}|\w+day\b)(?={CAPITAL}{SMALL})"
    rf"|{_SINCE}(?:got|landed|started) (?:an?|his|her|their) (?:new )?job"
    r" (?:at|with|as an?)(?= \w)"
    rf"|{_SINCE}lost (?:his|her|their) job\b|{_DEATH})"
)
"""What is over, so that it stays told whenever it is told."""

_NOW: Final = r"(?: (?:now|already|happily|newly|still|recently)){0,2}"
_WHEN: Final = rf"(?=,? (?:{_TIME}|soon\b|on the \d|in {_COUNT} (?:weeks?|months?|years?)\b))"
_STARTS: Final = r"(?:starts|begins|will (?:start|begin))"
_AHEAD: Final = (
    rf"(?:(?:turns|is turning|will (?:turn|be)) {ANY_AGE}(?: years old)?{_WHEN}"
    rf"|{_STARTS} work{_WHEN}"
    rf"|{_STARTS} (?:work )?at (?!{MONTH}|\w+day\b)(?={CAPITAL}{SMALL})|{_STARTS} (?:an?|his|her|their) (?:new )?job\b"
    rf"|(?:retires|graduates|gets (?:married|engaged)|will (?:retire|graduate|get married)){_WHEN})"
)
"""What is to come on a day that is told: without one, "turns 50" may go on with "pages"."""

_COMING: Final = (
    rf"(?:is(?: now| finally| also)? {IS_WEDDING}"
    rf"|is{_NOW} (?:married|engaged|widowed|retired|unemployed){_SO}"
    rf"|is(?: now| finally| also)? (?:moving|relocating)(?: back)? to(?= {CAPITAL})"
    rf"|is expecting {_CHILD}\b|is (?:retiring|graduating|starting {_SCHOOL}){_SO})"
)
MILESTONE: Final = rf"(?:{HAPPENED}|{_COMING}|{_AHEAD})"
"""What also is to come, or goes on."""

_HAPPENED: Final = lazy_pattern(rf"{HAPPENED}|(?:(?:has|just|recently) ){{0,2}}turned \w", re.IGNORECASE)


def has_happened(said: str) -> bool:
    """Whether what is said of somebody is over, and is told for good on whatever day.

    Example:
        >>> has_happened("got engaged yesterday"), has_happened("is getting married tomorrow")
        (True, False)
    """
    return _HAPPENED.match(said) is not None
