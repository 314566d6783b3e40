"""Standing requests in polite frames, read as the orders they are: "I'd appreciate it if you kept it short"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_FROM_NOW_ON: Final = (
    r"(?:from now on|going forward|in (?:the )?future|by default|every ?time|each time|whenever|always|never"
    r"|at all times"
    r"|when you (?:write|reply|answer|book|send|email|talk|explain|show|code)|in (?:all|every) )"
)
_ASKED: Final = lazy_pattern(
    r"(?:can|could|would|will) (?:you|we|everyone)(?: all)? (?:please |kindly |just ){0,4}"
    r"(?:(?P<ask>(?:always|never|from now on|stop|not|avoid|keep your|only)\b.*)"
    r"|mind (?P<not>not )?(?P<doing>\w+ing\b.*))"
    r"|can you (?P<please>please (?:always|never|not|stop|only)\b.*)"
    rf"|(?:can|could|would|will) you (?:please |kindly |just ){{0,4}}(?P<standing>.*\b{_FROM_NOW_ON}\b.*)",
    re.IGNORECASE,
)
_MOOD: Final = r"(?:really |very |much |greatly |also |so |super |just |still |most ){0,3}"
_KIND: Final = r"(?:great|nice|good|lovely|helpful|awesome|ideal|best|perfect|cool|useful|easier|better)"
_WISHED: Final = lazy_pattern(
    rf"(?:I(?:'d| would|'ll| will) {_MOOD}(?:appreciate|love|like|prefer|be (?:grateful|glad|happy))(?: it)?"
    r"(?: very much| a lot| more)? (?:if|when) you"
    rf"|(?:it|that)(?:'d| would)(?: {_MOOD}(?:be {_MOOD}{_KIND}|help)(?: for me)?(?: a lot)?) if you"
    rf"|I(?:'d| would) {_MOOD}(?:rather|prefer)(?: that| it if| if)? you"
    rf"|I(?:'d| would| must| do)? {_MOOD}(?:ask|request|insist) that you(?= (?:always|never|only|do not|don't|not)\b))"
    r"(?: could| can| would| will| just| please| kindly| were to){0,3} (?P<wish>\w.*)",
    re.IGNORECASE,
)
_DENIED: Final = lazy_pattern(r"(?:didn't|did not|don't|do not|wouldn't|not|never) (?:to )?", re.IGNORECASE)
_BASES: Final = dict(
    pair.split(":")
    for pair in (
        "kept:keep made:make gave:give sent:send wrote:write spoke:speak told:tell put:put left:leave said:say"
        " took:take stuck:stick went:go did:do had:have got:get began:begin spelt:spell used:use replied:reply"
        " cited:cite included:include provided:provide addressed:address skipped:skip stopped:stop"
        " forgot:forget wrapped:wrap quoted:quote structured:structure"
    ).split()
)
_VERB: Final = lazy_pattern(r"(?P<adverb>(?:always|never|only|also) )?(?P<verb>\S+)", re.IGNORECASE)


def requested(text: str, start: int, end: int) -> str | None:
    """Return the order behind a polite standing request, or `None`: "would you mind not calling?" asks to avoid it.

    It is empty where a request asks for something once: "would you mind calling?".
    """
    asked = _ASKED.match(text, start, end)
    if asked is not None:
        return _order(asked)
    wished = _WISHED.match(text, start, end)
    return None if wished is None else _wish(wished.group("wish"))


def _order(asked: re.Match[str]) -> str:
    doing = asked.group("doing")
    if doing is not None:
        return f"avoid {doing}" if asked.group("not") else ""
    standing = asked.group("standing")
    if standing is not None:
        return f"please {standing}"
    ask: str = asked.group("ask") or asked.group("please")
    return f"don't {ask[4:]}" if ask.lower().startswith("not ") else ask


def _wish(wish: str) -> str:
    denied = _DENIED.match(wish)
    if denied is not None:
        return f"please don't {wish[denied.end() :]}"
    return "please " + _VERB.sub(lambda match: f"{match['adverb'] or ''}{_base(match['verb'])}", wish, count=1)


def _base(verb: str) -> str:
    low = verb.lower()
    if low in _BASES:
        return _BASES[low]
    return verb[:-2] if re.fullmatch(r"[a-z]{2,}(?:[wrnlkpth]|[^aeiou][sx])ed", low) else verb
