"""Requests that name the thing first: "the thing about Sam, forget it", put as the orders they are.

So are two sentences of which the first tells that something was told, and should not have been: "I shouldn't have told
you about Sam. Delete that."
"Forget it" behind a thing more often drops it than asks memory for anything ("the party? forget it"), so what stands
in front has to tell that something was told ("what I said about Sam"), or the order has to be more than that phrase.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL

STORE: Final = (
    r"(?:your (?:memory|memories|notes?|records?|files?|database|system|logs?|storage|profile)"
    r"|the (?:memory|notes?|records?)|my (?:profile|file|records?|memory|memories))"
)
"""Where memory keeps what it has, as users call it."""

_PLEASE: Final = r"(?:(?:please|pls|plz|kindly|just|can you|could you|would you|you can|also|now|and|so),? ){0,3}"
_LEAD: Final = (
    r"(?P<lead>(?:^|(?<=[.!?;\n])\s?+)(?:(?:and|but|also|oh|ok(?:ay)?|hey|hi|so|actually|btw|by the way|remember"
    r"|you know),? ){0,3})(?:(?:about|as for|regarding) )?"
)
_NOUN: Final = r"(?:thing|things|stuff|bit|part|story|info(?:rmation)?|details?|news|business|talk|chat|convo)"
_TOLD: Final = (
    r"(?P<told>(?:what(?:ever)?|everything|all(?: that)?|the (?:thing|stuff|things)(?: that)?) I(?:'ve"
    r"| have)? (?:just )?(?:said|told you"
    r"|mentioned|shared|wrote)(?: to you)? (?:about|of|regarding) [^.!?;:,\n]{1,80}?"
    rf"|(?:that|the|this|all that|all the)(?: whole)? {_NOUN} (?:about|with|regarding|on) [^.!?;:,\n]{{1,80}}?"
    r"|(?:all )?that about [^.!?;:,\n]{1,80}?"
    r"|(?:all )?(?:that|the|this)(?: whole)? (?!(?:other|same|next|last|first|new|good|easy|hard|main)\b)"
    r"[\w'-]+(?: [\w'-]+)? (?:thing|stuff|business|story|saga)"
    r"(?=\s?(?:,|\.{1,6}|[\u2013\u2014-])\s?forget (?:about )?(?:it|that|this|it all|all of it)[\s.!]*\Z))"
)
_THING: Final = (
    r"(?P<thing>(?:(?:that|the|this|my)(?: whole)? [\w' -]{1,60}? (?:thing|stuff|business|story|saga)"
    r"|(?:my|our) [\w' -]{1,60}?))"
)
_GAP: Final = r"\s?(?:[,:?;!]|\.{1,6}|[\u2013\u2014-])\s?+"
_ITS: Final = r"(?:it|that|this|them|him|her|all (?:of )?(?:it|that|this)|it all)"
_VERB: Final = r"(?:forget(?: about)?|un-?remember|delete|erase|remove|wipe|scrap|strike|drop|lose)"
_FROM: Final = rf"(?: (?:from|out of|in|off) (?:memory|(?!the (?:notes?|records?)\b){STORE}))"
_MENTIONED: Final = (
    r"forget (?:that )?I(?:'ve| have)? (?:ever |even |just )?(?:said|told you|mentioned|brought up|shared|wrote)"
    r"(?: (?:it|that|this|anything|a word))?(?: up)?"
)
_TAIL: Final = r"(?P<tail>(?:,? (?:please|pls|plz|again|ok(?:ay)?|thanks|now|for good|forever))*)"
_STOP: Final = r"(?=\s?(?:[.,;!?\n)]|$|\s[\u2013\u2014-]\s))"
_UNTELL: Final = r"(?:forget(?: about)?|un-?remember|delete|erase|remove|wipe|scrap|strike|drop)"
_IS_PRIVATE: Final = (
    r"(?:(?:'s| is| was| stays?| (?:should|must) (?:be|stay))(?: \w+){0,2}? (?:private|confidential|personal"
    r"|(?:a )?secret|sensitive|privileged|between us|nobody's business))"
)
_REGRET: Final = (
    r"(?:(?:I (?:really )?(?:shouldn't|should not|should never|never should)(?: have)?|I wish I hadn't"
    r"|I regret(?: having)?|I (?:didn't|did not) mean to)"
    r"(?: ever)? (?:(?:told|tell|telling) you(?: (?:that|this|so much|anything|things))?"
    r"|(?:mentioned|mention|mentioning|said|say|saying|shared|share|sharing)(?: (?:to|with) you)?"
    r"(?: (?:that|this|so much|anything|things))?) about"
    r"|(?:I (?:really )?(?:shouldn't|should not|should never|never should) have|I wish I hadn't|I regret)"
    r" (?:mentioned|mentioning|brought up|bringing up))"
)
_WHOM: Final = rf"(?:(?:(?:my|our) |{CAPITAL})(?:(?!(?:at|to|in|on|with|from)\b)[\w'-]+ ?){{1,4}})"
_UNSAID: Final = (
    r"(?:(?:don't|do not|never|you (?:must|should) not)(?: ever)? (?:mention|bring up|talk about|speak (?:about|of)"
    r"|remind me (?:of|about)|refer to|raise)|stop (?:mentioning|bringing up|talking about|speaking (?:about|of)"
    r"|reminding me (?:of|about)|referring to))"
)
_NAMED: Final = (
    r"(?:(?:my|our)(?: (?!(?:at|to|in|on|with|from|for|by|as|when|if|during)\b)[\w'-]+){1,4}?"
    rf"|{CAPITAL}[\w'-]*(?: {CAPITAL}[\w'-]*)?"
    r"|(?:the|that)(?: [\w'-]+){1,3}?(?= (?:ever )?(?:again|any ?more|ever)\b))"
)
_FIRST: Final = (
    lazy_pattern(
        rf"{_LEAD}(?:{_TOLD}{_IS_PRIVATE}|{_REGRET} (?P<regretted>{_WHOM}))\s?(?:[,;!.]|\band\b|\bso\b)\s?"
        rf"{_PLEASE}(?P<verb>{_UNTELL}) {_ITS}{_TAIL}{_STOP}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"{_LEAD}{_PLEASE}{_UNSAID} (?P<unsaid>{_NAMED})(?: (?:ever )?(?:again|any ?more|ever))?{_GAP}{_PLEASE}"
        rf"(?P<verb>forget(?: about)?) {_ITS}{_TAIL}{_STOP}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"{_LEAD}{_TOLD}{_GAP}{_PLEASE}(?:{_MENTIONED}|(?P<verb>{_VERB}) {_ITS}(?P<store>{_FROM})?){_TAIL}{_STOP}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"{_LEAD}{_THING}(?:{_GAP}{_PLEASE}(?:{_MENTIONED}|(?P<verb>{_VERB}) {_ITS}(?P<store>{_FROM}))"
        rf"|{_GAP}(?:(?:can|could|would|will) you|please|pls|plz),? (?:(?:please|pls"
        rf"|just),? )?(?P<asked>forget(?: about)?) {_ITS}"
        rf"|{_GAP}{_PLEASE}(?P<held>forget(?: about)?) {_ITS},? (?:please|pls|plz)"
        rf"|\s?:\s?+(?P<bare>forget(?: about)?) {_ITS}){_TAIL}{_STOP}",
        re.IGNORECASE,
    ),
)
_NO_THING: Final = lazy_pattern(
    r"(?:my|our) (?:(?:question|answer|draft|plan|idea|request|order|bad|mistake|apologies|point|suggestion|next|last"
    r"|first|god|goodness|word|turn|advice|code|file|script|text|message|reply|email|list|essay|homework)s?)\b",
    re.IGNORECASE,
)
_OF_A_TEXT: Final = lazy_pattern(
    r"\w+ (?:whole )?(?!things?\b|stuff\b|about\b|that\b|I\b|I'|I\u2019)\w+ ", re.IGNORECASE
)
"""As well a part of something written: "the part about the budget, delete it" may be about a draft."""

_FORGETS: Final = lazy_pattern(r"forget|un-?remember", re.IGNORECASE)


def put_first(text: str) -> str:
    """Return a text in which an order stands before what it names, where that stood first; all else as it is.

    Example:
        >>> put_first("that thing about maddie, forget it, we broke up")
        'please forget that thing about maddie, we broke up'
        >>> put_first("The party? Forget it.")
        'The party? Forget it.'
    """
    for each in _FIRST:
        text = each.sub(_order, text)
    return text


def _order(found: re.Match[str]) -> str:
    groups = found.groupdict()
    what = groups.get("told") or groups.get("regretted") or groups.get("unsaid") or groups["thing"]
    if _NO_THING.match(what):
        return found[0]
    verb = groups.get("verb") or "forget"
    if groups.get("regretted") is not None:
        verb = "forget"
    if groups.get("told") is not None and not groups.get("store"):
        if _OF_A_TEXT.match(what) and not _FORGETS.match(verb):
            return found[0]
        verb = "forget"
    return f"{found['lead']}please {verb} {what}{groups.get('store') or ''}"
