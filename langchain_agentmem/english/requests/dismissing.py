"""Talk that puts something aside with "forget": "forget the cake, let's do a pie" asks memory for nothing.

What is dismissed is what was just spoken of, or what was meant to be done; a clause behind it turns to something else.
A reason turns to nothing ("forget the dentist, it got cancelled"), and of what is only known of somebody nothing else
can be meant ("forget my address, what's the weather?").
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.attributes import is_only_known
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITALIZED

POINTED: Final = r"(?:all(?: of)? )?(?:that|this)|all of it|it all|the whole thing"
"""Points to what was said before."""

_CUT: Final = r"(?:[,;]|\s[-\u2013\u2014])\s*(?:(?:and|so|but|then) )?"
_DO_THIS: Final = (
    r"(?:use|take|try|go (?:with|for)|make it|pick|choose|do|start|write|tell me|show me|give me"
    r"|stick (?:to|with)|keep)\b"
)
_OF_OTHERS: Final = (
    r"(?:(?:what (?:he|she|they|it|who)|where|when|which|who|why|how)(?:'s|'re|'d| (?:is|are|am|do|does|did|was|were"
    r"|can|could|should|would|will|about|else|much|many|long|far|old)\b)"
    r"|what(?:'s|'re)? (?!I(?:'ve| have)? (?:\w+ )?(?:said|told|mentioned|wrote|shared)\b"
    r"|you (?:know|have|remember)\b)\w"
    r"|(?:do|does|did|can|could|should|would|will|is|are) (?:I|we|it|there|he|she|they|the|this|that)\b"
    r"|(?:do|can|could|would|will) you (?!please\b|do (?:it|that|this)\b)\w+ \w)"
)
"""A question, whoever asks it; no part of a list: "forget my job, where I live and what I told you"."""

_OF_DAYS: Final = (
    rf"(?:it's|it is) (?:only |almost |already |nearly |just |finally )?(?:{WEEKDAY}"
    r"|(?:(?:the|a|my|our) )?(?:weekend|holidays?|day off|birthday|party|vacation|summer|lunch ?time)|Christmas"
    r"|time (?:for|to)|late\b(?! fee))"
)
_OURS: Final = r"(?:let's|let us)\b"
_OTHER_PLAN: Final = (
    r"(?:instead\b|just\b|(?:I|we)(?:'ll| will|'d rather| would rather|'d (?:like|love)|'m (?:going|in the mood)"
    r"|'re going| (?:want|need|prefer|fancy))\b(?! (?:you|nothing|no|never|not|to forget)\b)"
    r"(?![^.!?;\n]{0,200}\b(?:him|her|them|it|that|not|never|n't)\b))"
)
"""What is done instead; a word for what was named makes it a reason: "I want nothing to do with him"."""

_SEE_TO: Final = (
    r"(?:ring|call|phone|ask|text|e-?mail|message|write to|buy|book|order|pay|get|fetch|pick|do|handle|sort|deal with"
    r"|take care of|see to|look|google|check|find|cook|make|fix|arrange|organi[sz]e|cancel|figure|manage)"
)
_WILL: Final = (
    r"(?:(?:I|we)(?:'ll| will|'m (?:going to|gonna)|'re (?:going to|gonna)|'d (?:rather|better))|let me|lemme)"
    r" (?:just |better |probably |simply |maybe )?"
)
_BY_MYSELF: Final = (
    rf"(?:{_WILL}|(?:I|we) (?:can|could|should|might) (?:(?:always|just) )?){_SEE_TO}\b[^.!?;\n]{{0,60}}"
    r"(?<!to )\b(?:myself|ourselves|on my own)\b"
)
_OWN_DEED: Final = (
    rf"(?:{_WILL}{_SEE_TO} (?:him|her|them|it|that|one|some|this)\b"
    r"|(?:I|we) can (?:always |just )?(?:ring|call|phone|ask|buy|book|order)\b[^.!?;\n]{0,40}"
    r"\b(?:later|tomorrow|tonight|then)\b"
    r"|(?:don't (?:worry|bother)|no worries|no need|you (?:don't need|don't have|needn't)(?: to)?)\b"
    r"(?![^.!?;\n]{0,40}\b(?:know|remember|keep|store|save|that info))"
    r")"
)
"""Who sees to what was named themselves has dropped a task: "I'll ring them", "I can ask her myself"."""

_THEIR: Final = r"(?:that|where|when|what|who|how|whatever|everything|anything|all|my|our)\b"
_SLIGHT: Final = rf"(?!(?:about )?{_THEIR})[^,.;!?\n\u2013\u2014]{{1,80}}?"
"""Names something, and neither whose it is nor what is told of it."""

_ASKED_NEXT: Final = lazy_pattern(
    rf"^forget {_SLIGHT}{_CUT}(?:{_OF_OTHERS}|{_OURS}|{_OF_DAYS}|{_OTHER_PLAN}|{_OWN_DEED})"
    rf"|^forget [^,.;!?\n\u2013\u2014]{{1,80}}?{_CUT}{_BY_MYSELF}|^forget {_SLIGHT}[.!]\s+{_BY_MYSELF}"
    rf"|^forget {_SLIGHT}[.!]\s+(?:(?:and|so|but|then) )?(?:{_OURS}|instead\b|(?:what|how) about\b)",
    re.IGNORECASE,
)
_PUT_ASIDE: Final = lazy_pattern(
    rf"^forget (?:about )?(?P<what>(?!(?:everything|anything|all)\b)[^,.;!?\n\u2013\u2014]{{1,80}}?){_CUT}"
    rf"(?:{_OURS}|{_OF_DAYS}|what do (?:you|we)\b|(?:what|how) (?:about|would|should)\b)",
    re.IGNORECASE,
)
_FOR_ANOTHER: Final = lazy_pattern(
    rf"^forget (?:about )?(?:{POINTED}),? (?:{_DO_THIS}|let's|let us|what|how)"
    rf"|^forget (?:about )?(?:that|this|the|what I (?:just )?said)"
    r"(?: (?!(?:I|we|you|he|she|they|my|our|your|his|her|their|is|are|was|were|has|have|had)\b)[\w-]+){0,7}"
    rf"{_CUT}{_DO_THIS}",
    re.IGNORECASE,
)
_SAID_BY_OTHERS: Final = lazy_pattern(
    rf"^forget (?:about )?what (?:he|she|they|people|{CAPITALIZED}|(?:the|my|our|your|his|her) (?:[\w-]+ )?[\w-]+)"
    r"(?<!\bI) (?:just )?(?:said|says?|told \w+|thinks?|wants?|wrote)(?: (?:to )?(?:me|us))?\s*(?:[,.;!?]|$)",
    re.IGNORECASE,
)
"""Somebody's words, and not who says them."""

_SLIP: Final = lazy_pattern(
    r"^forget (?:about )?(?!(?:what|that|this|everything|anything|all)\b)"
    r"[^,.;:!?\n\u2013\u2014]{1,80}?(?:[,.;:!?]|\s[-\u2013\u2014])\s*"
    r"(?:(?:sorry|oops|no|well|and|but|because|actually)\b,? ){0,3}I(?:'ve)? (?:actually |really |only )?"
    r"(?:mean|meant|(?:was|am) (?:talking|thinking|speaking) (?:of|about))"
    rf" (?:(?:the|my|our|his|her|their|your|an?|this|these|those)\b|{CAPITAL})",
    re.IGNORECASE,
)
_ECHO: Final = lazy_pattern(
    r"^forget (?!.{0,200}\b(?:please|pls|for me|again|ok(?:ay)?)\b)[^,.;!?\n]{1,80}\?", re.IGNORECASE
)
"""Asks what somebody meant: with no word to whoever shall forget, it is no order."""


def is_dismissed(text: str, at: int) -> bool:
    """Whether who says "forget" at a place in a text puts something aside, or takes back a slip, and asks for nothing.

    Example:
        >>> is_dismissed("Forget the cake, let's do a pie.", 0), is_dismissed("Forget the cake, I ate it.", 0)
        (True, False)
    """
    said = text[at:].replace("\u2019", "'")
    before = text[:at].rstrip()
    if (not before or before[-1] in ".!?\n") and _ECHO.search(said):
        return True
    if any(it.search(said) for it in (_FOR_ANOTHER, _SAID_BY_OTHERS, _SLIP, _ASKED_NEXT)):
        return True
    aside = _PUT_ASIDE.search(said)
    return aside is not None and not is_only_known(aside["what"])
