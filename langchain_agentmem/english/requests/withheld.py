"""What stands beside an order to forget and makes it none: it is denied, or to be done later, or under a condition.

"Do not, under any circumstances, forget my allergy", "never forget it", "if I ever recover, forget it", "forget it once
the trial is over". A condition that is met already is none: "if you can", "if I told you my address".
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import SEASON, WEEKDAY
from langchain_agentmem.english.words.number_words import TWO_OR_MORE

_DENIED: Final = lazy_pattern(
    (
        r"\b(?:don't|do not|never|can't|cannot|won't|didn't|did not|let's not|not|shouldn't|must not"
        r"|mustn't|couldn't|could not|wouldn't|will not|please don't) (?:ever |you |you dare "
        r"|you ever )?(?:forget|delete|erase|remove|wipe)\b|\byou (?:always |never |often |sometimes "
        r"|just |keep |keeps |may |might |tend to ){1,3}(?:forget|forgetting)\b|\byou (?:forgot"
        r"|have forgotten)\b|\b(?:i|we|he|she|they|it|who|people) (?:always |never |often |sometimes "
        r"|just |almost |completely |totally |kind of |may |might |will |would |could |tend to |keep "
        r"|keeps ){0,4}(?:forget|forgets|forgot|forgotten)\b(?! (?:to )?what)|\bforget (?:to\b"
        r"|it\b(?!.*\b(?:memory|about me))|that's|you\b)|\bbefore i forget\b|\blest (?:i|we) forget\b"
        r"|\bi'll (?:never )?forget\b"
    ),
    re.IGNORECASE,
)
_LEADS: Final = (
    r"(?:(?:please|kindly|pls|just|also|and|but|so|well|oh|hey|now|ok(?:ay)?|remember|seriously|you|only"
    r"|whatever (?:you do|happens)|(?:i|we) (?:beg|ask|want|need) you(?: to)?"
    r"|make sure(?: (?:that )?you)?)[\s,:]+){0,5}"
)
_OPEN: Final = lazy_pattern(
    rf"(?:^|[,:]\s){_LEADS}(?:do not|don't|never|(?:must|should|shall|may|can) not|mustn't|shouldn't|cannot|can't"
    r"|(?:under|in) no circumstances?|by no means|at no (?:point|time)|on no account|in no (?:case|event)|no way)"
    r"(?: (?:ever|please|you dare)){0,2}\s?(?:[,(\u2013\u2014]|-\s|$)",
    re.IGNORECASE,
)
"""A denial that only what follows the comma completes: "do not, whatever happens, ..."; "don't worry, ..." is whole."""

_MET: Final = (
    r"(?:you (?:can|could|would|will|do not|don't|like|please|must|have|know|remember|stored?|saved?|kept|want|still"
    r"|ever|happen|already)\b|(?:(?:that|it)(?:'s| is)(?: at all)? )?(?:possible|ok(?:ay)?|fine|necessary|needed"
    r"|allowed|alright)\b|at all|i'm honest|(?:i|we)(?:'ve| have| did| may| might)?(?: (?:ever|already))? (?:said|told"
    r"|mention(?:ed)?|gave|give|given|shared?|wrote|written|tell|may|might|can|could)\b)"
)
_IF: Final = (
    rf"(?:(?:(?:if|unless|in case|provided(?: that)?|as long as|as soon as)|once(?! (?:more|again|and)\b))\b(?! {_MET})"
    r"|should (?:i|we|he|she|they|it|my)\b)"
)
_ONCE: Final = (
    r"(?:(?:until|by the time|the (?:day|moment|minute)(?: that)?) (?:i|we|he|she|they|it|my|our|the)\b"
    r"|(?:when(?:ever)?|after) (?:i|we|he|she|they|it|my|our|the)(?:'m|'re|'s)?\b"
    r"(?! ?(?:said|told|mentioned|was|were|had|did|gave|wrote|thought|\w+ed)\b)"
    r"|before (?:i|we) (?!(?:begin|start|go on|continue|forget)\b)\w"
    r"|not (?:now|yet|today)|tomorrow|some ?day|one day|later(?: on)?|eventually|in (?:the )?future"
    rf"|(?:next|the following) (?:week|month|year|{SEASON}|time|\w+day)"
    rf"|in (?:an?|{TWO_OR_MORE}|a few|\d{{1,3}}) (?:hours?|days?|weeks?|months?|years?)"
    rf"|(?:on|from) (?:the )?(?:\d|{WEEKDAY})|at the end of)"
)
_PUT_OFF: Final = lazy_pattern(rf"(?:^|[,:]\s){_LEADS}(?:{_IF}|{_ONCE}\b)", re.IGNORECASE)
"""Before what is to be forgotten later, or where something happens."""

_ON_CONDITION: Final = lazy_pattern(rf"\b{_IF}", re.IGNORECASE)
"""Behind it; behind it a day may be part of what is known: "forget that I fly next week"."""

IF_MET: Final = lazy_pattern(rf",? (?:if|in case) {_MET}[^.!?\n]{{0,40}}$", re.IGNORECASE)
"""A condition behind an order that is met: it names nothing of what is meant."""

_SENTENCE: Final = lazy_pattern(r"[.!?;\n]")
_NEAR: Final = 40
"""Characters behind the verb in which a denial is looked for."""


def is_withheld(text: str, verb: int) -> bool:
    """Whether an order whose verb begins at a place is none yet, or none at all.

    Example:
        >>> (
        ...     is_withheld("Do not, whatever happens, forget my allergy.", 27),
        ...     is_withheld("Don't worry, forget my age.", 13),
        ... )
        (True, False)
        >>> is_withheld("If I ever recover, forget my allergy.", 19), is_withheld("If you can, forget my age.", 12)
        (True, False)
    """
    begin = max((it.end() for it in _SENTENCE.finditer(text, 0, verb)), default=0)
    before = text[begin:verb].lstrip()
    if _OPEN.search(before) or _PUT_OFF.search(before) or _ON_CONDITION.search(text, verb):
        return True
    return _DENIED.search(text[: verb + _NEAR]) is not None
