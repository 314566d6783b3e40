"""Orders that stand by what they order: in which units or language, how short or formal, at which time of the day.

How politely they are said makes no difference: "please use metric units" binds as "use metric units" does. What
somebody likes, and asks nobody for, is a preference: "I prefer metric units".
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.orders import LANGUAGES, LASTING, RECURRING, UNITS, is_of_answers, order_in
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.extraction.books.instructions import ORDER
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice

_YOU_ARE_WANTED: Final = (
    r"(?:I|we)(?:'d| would)? (?:(?:really|just|also|still) )?(?:want|need|like|love|prefer|expect) you"
)
_WANTED: Final = rf"(?:{_YOU_ARE_WANTED} to|you (?:should|must|have to|need to))"
_LEAD: Final = rf"(?:(?:please|kindly|just|only|now|then|let's|let us|{_WANTED}|{LASTING}),? )*"
_SAID_OF: Final = (
    r"(?:(?:in|for|with) (?:all |your |my |our )*(?:answers|replies|responses|messages|measurements|temperatures"
    r"|distances|weights|prices|units|everything)|everywhere|when (?:you )?(?:talk|talking|speak|speaking|write|writing"
    r"|reply|replying|answer|answering)(?: (?:to|with))?(?: me| us)?)"
)
_GIVING: Final = (
    r"give|send|show|tell|write|talk|speak|answer|reply|explain|describe|quote|list|suggest|recommend|share|report"
    r"|mention|convert|measure|estimate|calculate|compute|summari[sz]e|read|present|help|teach|coach|plan|discuss"
)
_CASE: Final = (
    rf"(?:(?:when(?:ever)?|every time|each time|if|as long as) (?:you|we) (?:{_GIVING})"
    r"|(?:when(?:ever)?|every time|each time|if) (?:I|we) (?:ask|want|need)(?: (?:you )?(?:for|about)(?: the)?)?"
    r"|(?:when(?:ever)?|every time|if) (?:I|we) (?:write|speak|talk|text|chat"
    rf"|ask)(?: to you)?(?: in)? (?:{LANGUAGES}))"
    r"(?: (?!(?:this|that|it|the|today|tomorrow|tonight|next)\b)[\w'-]+){0,7}"
)
"""In which case an order holds: again and again, as the present tense and no "the" tell."""

_LANGUAGE: Final = rf"(?:(?-i:Polish)|(?!polish\b)(?:{LANGUAGES}))"
_UNIT: Final = (
    rf"(?:the )?(?:degrees )?(?:{UNITS})(?: and (?:{UNITS}))?"
    r"(?: (?:units?|system|measurements?|measures|time|format|clock|scale))?"
)
_TAIL: Final = (
    rf"(?:,? (?:please|thanks|again|instead|only|now|too|with (?:me|us)|to (?:me|us)|for (?:me|us)|{LASTING}|{_SAID_OF}"
    rf"|{_CASE}"
    rf"|(?:and not|not|instead of|rather than) (?:in |to )?(?:{_LANGUAGE}|{_UNIT})))*"
)
_BACK: Final = r"(?:(?:switch|change|go|move)(?: back| over)? to|stick (?:to|with)|default to|keep to)"
_SPOKEN: Final = (
    r"(?:speak|talk)(?: (?:to|with) (?:me|us)| only)*(?: in)?"
    r"|(?:write|answer|reply|respond|communicate|chat|continue)(?: (?:to|with) (?:me|us)| me| us| only)* in"
)
_TIMES: Final = (
    r"(?:in the (?:early |late )?(?:morning|afternoon|evening)s?"
    r"|at (?:night|noon|lunchtime|\d{1,2}(?::\d\d)?(?: ?[ap]m)?|[a-z]+ o'clock)"
    r"|(?:before|after) (?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon|lunch|work|breakfast|dinner)"
    rf"|on (?:weekdays|weekends|{WEEKDAY}s)|once an? (?:day|week))"
)
_TO: Final = r"(?:(?:the )?(?:morning|afternoon|evening|night|weekends?|\w+days)|noon|\d{1,2}(?::\d\d)?(?: ?[ap]m)?)"
_BRIEFLY: Final = (
    r"(?:answer|reply|respond|write)(?: to (?:me|us)| me| us)? (?:briefly|concisely|succinctly|tersely|formally"
    r"|informally|casually|politely|bluntly)"
    r"|give (?:me|us) (?:short|brief|concise|crisp|long|detailed|thorough|simple|blunt) (?:answers|replies|responses"
    r"|explanations|summaries)"
)
_MEASURED: Final = rf"(?:all )?(?:prices|amounts|weights|distances|temperatures|measurements) in {_UNIT}"
_ELLIPTIC: Final = lazy_pattern(rf"{_MEASURED}(?:,? (?:please|now|instead|only|{LASTING}))+", re.IGNORECASE)
"""An order without its verb: "prices in euros now please"."""

_STANDING: Final = lazy_pattern(
    rf"{_LEAD}(?:(?:use|{_BACK}) (?:{_UNIT}|{_LANGUAGE})|(?:{_BACK}|use) (?:speaking|using|writing in|talking in) "
    rf"{_LANGUAGE}|(?:{_SPOKEN}) {_LANGUAGE}|{_BRIEFLY}"
    rf"|(?:send|give|text|e-?mail)(?: me| us)? (?:all )?(?:my |our )?(?:{RECURRING}) (?:only )?{_TIMES}"
    rf"|(?:move|change|switch|shift|set) (?:all )?(?:my |our )(?:{RECURRING}) to {_TO}){_TAIL}",
    re.IGNORECASE,
)
_MARKED: Final = lazy_pattern(rf"\b(?:{LASTING}|only)\b", re.IGNORECASE)

_POLITE: Final = lazy_pattern(r"\Aplease ", re.IGNORECASE)
"""In front of an order; where it was said behind it, it was put there when the clause was spelled out."""

_REMINDED: Final = lazy_pattern(
    r"\A((?:please |kindly |and |also )*)(?:(?:remember|don't forget|do not forget|try|be sure|make sure|take care) to"
    r"|make sure (?:that )?you) (?=\w)",
    re.IGNORECASE,
)
"""In front of an order it asks for nothing of its own."""

_OF_ONE: Final = lazy_pattern(
    r"\b(?:more|less|longer|shorter|briefer|simpler)\b"
    r"|^(?:please |kindly )*(?:explain|describe|summari[sz]e|list|say) (?!things|everything|stuff)",
    re.IGNORECASE,
)
"""Speaks of one answer: what is to be shorter was just said, what is to be explained is at hand."""

_ADDRESSED: Final = lazy_pattern(
    rf"(?:please |kindly |just |also )*{_YOU_ARE_WANTED}(?:r (?:\w+ )?\w+)? to (?:always )?", re.IGNORECASE
)
_OWN: Final = lazy_pattern(r"(?:please |kindly )*(?:I|we|my|our)\b", re.IGNORECASE)

_EXCEPTION: Final = lazy_pattern(
    r",? (?:except|unless|but not) (?:for |in |when |with )?[^,.;!?]{1,80}$", re.IGNORECASE
)
"""Behind an order: what it does not hold for makes it no less one."""

_WE: Final = lazy_pattern(r"\bwe\b", re.IGNORECASE)
_WE_TALK: Final = lazy_pattern(
    r"\b(when(?:ever)?|if|unless|every time|each time) (?:\S+ )?\S+'s (?:team|family|group)"
    r" (?:(?:talks?|speaks?|chats?) about|discuss(?:es)?"
    r"|(?:is|are) (?:(?:talking|speaking|chatting) about|discussing))\b",
    re.IGNORECASE,
)

_ASKING: Final = lazy_pattern(
    rf"\?|(?:^|[,;.!]\s*|\b(?:and|so|then|please|now) )(?!(?:keep|use|call me|stick|be|speak|default|prefer"
    r"|(?:answer|reply|respond) (?:in|briefly|concisely))\b)"
    rf"(?:{ORDER}|find|look|compute|calculate|compare|draft|plan|help|let me know|compose|prepare|read|search|generate"
    r"|what|how|which|who|where|when (?:is|do|did|was)|why|is there|are there)\b",
    re.IGNORECASE,
)
"""Beside what asks for something, how to do it may be said of that alone: "write a poem, use French"."""


_TAKEN_UP: Final = lazy_pattern(
    r"(?:^|(?<=[,;.!?] ))(?:(?:and|but|so|hey|no|again|wait|sorry),? )*"
    r"(?:(?:why|how come)(?: the hell| on earth)? (?:(?:do|did|are|were|have|would|must|can)(?:n't)? )?you\b"
    r"|(?:didn't|did|haven't|have) I (?:not |already |just )*(?:say|tell|ask|said|told|asked)\b"
    r"|what did I (?:say|tell|ask)\b|(?:since when|who (?:told|asked) you)\b)[^.!?]*\?",
    re.IGNORECASE,
)
"""What the assistant did is asked about, not for: with the order behind it the user puts it right."""


def mannered(clause: Clause, voice: Voice) -> Draft | None:
    """Return an order of units, of a language or of the time of reminders, which lasts where nothing limits it."""
    plain = _POLITE.sub("", clause.text)
    text = plain if clause.evidence.casefold().startswith(plain.casefold()) else clause.text
    text = _REMINDED.sub(r"\1", text)
    if _ELLIPTIC.fullmatch(text):
        text = f"show {text}"
    elif not _STANDING.fullmatch(text):
        return None
    if clause.is_momentary or clause.setting or _is_for_what_is_asked(clause, text):
        return None
    return Draft(kind="constraint", content=voice.retell(text), is_correction=clause.is_correction)


def bound(draft: Draft, clause: Clause) -> Draft | None:
    """Return a preference that orders how to answer as what binds every turn; one of a single answer is none.

    Whatever else is drafted stays as it is, wishes that are put to nobody too: "I prefer short answers".
    """
    draft = _of_talk(draft, clause)
    if draft.kind != "preference" or not (_STANDING.fullmatch(clause.text) or _orders_answers(clause.text)):
        return draft
    if _is_for_what_is_asked(clause, clause.text):
        return None
    return replace(draft, kind="constraint", relation=None, object=None)


def _of_talk(draft: Draft, clause: Clause) -> Draft:
    """Return an order for what is talked of here as that: whoever tells an assistant what "we" discuss means it."""
    if draft.kind not in {"constraint", "preference"} or not _WE.search(clause.whole) or _OWN.match(clause.whole):
        return draft
    return replace(draft, content=_WE_TALK.sub(r"\1 the conversation is about", draft.content))


def _orders_answers(text: str) -> bool:
    wanted = _ADDRESSED.match(text)
    if _OF_ONE.search(text) or (wanted is None and _OWN.match(text)):
        return False
    bare = _EXCEPTION.sub("", text)
    order = order_in(bare if wanted is None else bare[wanted.end() :])
    return order is not None and is_of_answers(order)


def _is_for_what_is_asked(clause: Clause, text: str) -> bool:
    """Whether an order without a mark of time is for what is asked beside it: before it, or in its own sentence.

    An order that comes first, in a sentence of its own, sets the terms for whatever is asked after it.
    """
    return _MARKED.search(text) is None and any(_ASKING.search(_TAKEN_UP.sub("", it)) for it in _around(clause))


def _around(clause: Clause) -> tuple[str, ...]:
    """Return what stands before and behind the clause, as far as it belongs to what is said here."""
    before, _, after = clause.since.partition(clause.evidence)
    return clause.before, before.strip(" ,"), after.strip(" ,")
