"""What a user asks not to have remembered, in orders such as "don't store that I have diabetes".

Who asks that about themselves gives no standing order: the order would tell for ever what it is to keep secret. Told
apart from orders about work ("never save files to the desktop") by what follows the verb. Where in doubt it is taken
for private: an order can be given again, and what is kept against somebody's will may not be noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.asked_behind import STORE
from langchain_agentmem.english.requests.asked_why import is_untold, is_why
from langchain_agentmem.english.text.contractions import as_read, in_place
from langchain_agentmem.english.text.sentences import is_full_stop
from langchain_agentmem.english.text.vocatives import ASIDE
from langchain_agentmem.english.words.patterns import CAPITALIZED

_NOT: Final = (
    r"(?:(?:don't|do not|never|you (?:should|must|shall)(?:n't| not| never))"
    r"(?: (?:ever|please|also|even))?|(?:i|we) (?:don't|do not|never) want you to"
    r"|(?:can|could|would|will) you (?:(?:please|kindly) not|not(?! remember\b))"
    r"|(?:there(?:'s| is) )?no need(?: for you)? to|you (?:needn't|need not|(?:don't|do not) (?:need|have) to)"
    r"|i(?:'d| would) (?:rather|prefer)(?: it)?(?: if| that)? you (?:didn't|did not|don't|do not)"
    r"|i(?:'d| would)? (?:like|prefer|want|need|rather) you (?:not to|to not|not)|let's not)"
)
_KEEP: Final = (
    r"(?:store|save|keep|record|log|retain|memori[sz]e|remember|note(?: down)?|(?:write|jot|put|take) down"
    r"|make (?:a |any )?notes? of|keep (?:a |any )?(?:notes?|records?) of|(?:hold|hang) on ?to|keep hold of"
    r"|(?:put|add|write|enter)(?= (?:down )?(?:in|to|into) your (?:memory|notes?|records?)\b))"
)
_KEPT: Final = (
    r"(?:stored|saved|kept|recorded|logged|retained|memori[sz]ed|remembered|noted(?: down)?|written down"
    rf"|on (?:record|file)|(?:in|on) {STORE})"
)
"""What becomes of something, in orders that it be not."""

_KNOW: Final = (
    r"(?:(?:i|we) (?:don't|do not|never) want you (?:to (?:even )?know|knowing)"
    r"|i(?:'d| would) (?:rather|prefer)(?: it)?(?: if| that)? you (?:didn't|did not|don't|do not) know)"
)
"""Of whoever only does not tell ("you don't need to know"), nothing is asked."""

_IN_MEMORY: Final = rf"(?: (?:in|to|into|on|onto) (?:{STORE}|(?:record|file)\b))"
_STOP: Final = (
    r"(?:stop|quit|avoid) (?:storing|saving|keeping|recording|logging|memori[sz]ing|remembering|noting"
    r"|writing down)"
)
_VERB: Final = rf"(?:{_NOT} {_KEEP}|{_KNOW}|no longer remember|{_STOP})"
"""Orders to keep something out of memory, or out of whatever else; see `_PRIVATE`."""

NOT_REMEMBER: Final = rf"(?:{_NOT} remember|no longer remember|(?:stop|quit) remembering)"
"""Those of them that can be about memory alone, whatever follows."""

_WORK: Final = (
    r"(?:my|our) (?:[\w-]+ )?(?:files?|code|changes|drafts?|documents?|passwords?|tokens?|keys?|secrets?|credentials?"
    r"|screenshots?|photos?|images?|e?-?mails?|messages?|requests?|calls?|data|backups?|edits|work|branch(?:es)?|commits?"
    r"|reports?|spreadsheets?|receipts?|invoices?|settings|tabs|notes|designs?|models?|database|logs?|tests?|results?"
    r"|queries|scripts?|uploads?|downloads?|attachments?|sessions?)"
    r" (?:in|on|to|into|onto|under|at|as|with|without|before|after|when|while|if|unless|until|by|for|locally)\b"
    r"(?! (?:your|the) (?:memor|records?\b|notes\b))"
    r"|(?:my|our) (?:calls?|meetings?|screen|voice|lectures?|lessons?)\b"
    r"|(?:my|our) [\w' -]{2,40}? (?:next to|near|waiting|open|closed|running|awake|busy|warm|cold)\b"
)
"""Things of one's work, and where or how they are not to be kept; what is kept somewhere, and not in mind."""

_ANYTHING: Final = r"(?:anything|everything|things?|information|info|details?|notes?|(?:any )?data)"
_THING: Final = r"(?:thing|stuff|bit|part)"
_PRIVATE: Final = (
    rf"(?:(?!{_WORK})(?:my|our)\b|(?:the fact )?that (?:i|we|he|she)(?:'\w+)?\b|(?:the fact )?that (?:my|our)\b"
    r"|(?:what(?:ever)?|where|who|how(?: \w+)?) (?:i|we|my|our)(?:'\w+)?\b|any of what i\b"
    rf"|(?:(?:the|any|that|this|all (?:the|that)) )?(?:{_ANYTHING}|fact|story|news|{_THING}) (?:about|on|regarding)"
    r" (?:my|our|(?:me|us)\b(?! (?:in|on|to|at) (?!your|memory)))\b"
    rf"|(?:the|that|this) {_THING} (?:about|with) {CAPITALIZED}(?=\W*$|[.!?;]|,? (?:please|pls|any ?more"
    r"|anywhere)))"
)
"""What follows where the order is about the speaker."""

_KNOWN: Final = (
    r"(?:(?<=\bknow )|(?<=\bknowing ))(?:that|who|where|whether|when|how) (?=\w)|(?<=\bknow about )(?=\w)"
    r"|(?<=\bknowing about )(?=\w)"
)
"""What follows where the order is that it be not known: nothing of one's work is told so."""

_NEXT: Final = r"(?:the following|what (?:comes next|follows|i'm (?:about|going) to (?:say|tell you)))"
_THIS_ONE: Final = (
    r"(?:this|that) one(?=\W*$|[.!?;\n]|,? (?:please|pls|plz|about|abt|because|cause|cos|it's|that's|down|anywhere"
    r"|at all)\b)"
)
_ITSELF: Final = (
    r"(?:(?:this|that) (?:information|info|details?|facts?|message|part|bit|question|answer)\b"
    rf"|these (?:things|details|facts)\b|{_NEXT}"
    rf"|{_THIS_ONE}|this|that|it|anything|any of (?:this|that|it))"
)
_ASIDE: Final = (
    r"(?:never ?mind|forget it|(?:(?:this|that|it)(?:'s| is| stays?| (?:should|must) stay) )?(?:just |strictly )?"
    r"(?:between (?:us|you and me)|private|personal|confidential|a secret))"
)
"""Words beside such an order that tell nothing which could be meant."""

_OF_MINE: Final = r" (?:about|abt|regarding) (?:me|us|(?:my|our) [\w'-]+(?: [\w'-]+)?)"
_AFTER_ITSELF: Final = (
    rf"(?: down)?{_IN_MEMORY}?(?:,? (?:please|pls|plz|anywhere|at all|ever|for me|for later|{ASIDE}"
    rf"|{_OF_MINE.lstrip()})\b)*"
)
_BEFORE: Final = (
    r"(?:^|(?<=[.!?;:\n])(?<!\n\n)\s*+|,\s*+|\(\s*+|\s[-\u2013\u2014]\s|\b(?:and|but|so|then)\s"
    r"|\b(?=(?:please|pl[sz])\s))"
    r"(?:(?:please|kindly|pl[sz]|just|also|and|but|so|hey|ok(?:ay)?|then|now|by the way|btw|let's)[\s,]+){0,4}"
)
_TOLD: Final = lazy_pattern(
    rf"{_BEFORE}(?:{_VERB}{_IN_MEMORY}?(?: about)? (?P<what>{_PRIVATE}|{_KNOWN})"
    rf"|(?:keep|leave) (?P<own>(?:my|our|the fact that (?:I|we)|what (?:I|we)\b)[^.,;:!?\n]{{1,80}}? (?:out of|off)"
    rf" (?:memory|your (?:memory|memories|notes?|records?))\b)|{_NOT} (?:put|add|include|write|enter)"
    rf" (?P<into>(?:my|our|that (?:I|we)|the fact that (?:I|we))\b[^.,;:!?\n]{{1,80}}?{_IN_MEMORY}))",
    re.IGNORECASE,
)
_WITHHELD: Final = (
    rf"(?:i|we) (?:(?:don't|do not|never|wouldn't|would not) (?:(?:really|even|ever) )?(?:want|like) {_ITSELF}"
    rf" (?:to be )?{_KEPT}|(?:want|need) {_ITSELF} (?:to (?:stay|be kept) )?(?:out of|off) (?:memory|{STORE}))"
    rf"|(?:i|we)(?:'d| would) (?:rather|prefer)(?: it)?(?: if| that)? {_ITSELF}"
    rf" (?:(?:(?:was|were|is)(?:n't| not)|not) (?:(?:to )?be )?){_KEPT}"
    rf"|(?:keep|leave) {_ITSELF} (?:(?:out of|off|away from) (?:memory|{STORE}|the books)|off (?:the )?records?)"
    rf"|{_NOT} (?:write|jot|put|take|add|note|include) {_ITSELF}(?= down\b|{_IN_MEMORY})"
    rf"|{_NOT} (?:write|note|jot) {_ITSELF}(?=(?: down)? anywhere\b)"
    rf"|(?:(?:this|that|it)(?:'s| is) )?not for (?:memory|{STORE}|the record)"
)
"""That something be not kept, in other words than an order to keep it not."""

_NOT_TO_BE: Final = (
    rf"(?P<passive>{_ITSELF}(?:(?:'s| is) (?:\w+ )?(?:private|personal|confidential|secret|sensitive)(?:,? and|,? so|,)"
    r"(?: it)?)?(?:(?:'s| is) not to| (?:should|must|may|can|need)(?:n't| not)| (?:isn't|is not) (?:meant "
    r"|supposed )?to"
    rf"| (?:doesn't|does not) (?:need|have) to) be {_KEPT}|not to be {_KEPT})"
)
_BARE: Final = rf"{_NOT} (?:store|record|retain|memori[sz]e|remember)(?=\)?\s*(?:[.!]|$))"
_SAID: Final = (
    r"forget (?:that )?i(?:'ve| have)? (?:ever |even |just )?(?:said|told you|mentioned|wrote) (?:it|that|this)"
    r"(?=[\s.!)]*$)"
)
_POINTED: Final = lazy_pattern(
    rf"{_BEFORE}(?:{_VERB} {_ITSELF}|(?:(?:this|that|it)(?:'s| is) )?(?:strictly )?off the record"
    rf"|(?:keep|make) no (?:memory|record|note)s? of {_ITSELF}"
    rf"|{_WITHHELD}|{_NOT_TO_BE}|{_SAID}"
    r"|forget (?:this|that|it) (?:afterwards?|right after|immediately|once (?:you(?:'ve| have)) \w+)"
    rf"|(?:(?<=[(\u2013\u2014-])|(?<=[(\u2013\u2014-] )){_BARE}|{_ASIDE}[,;]? (?:(?:so|and|but) )?(?:please )?{_BARE})"
    rf"{_AFTER_ITSELF}"
    r"(?=\s*(?:[.!?;\n)]|$|:|[,\u2013\u2014]|\s-\s|\b(?:but|because|cause|cos|cuz|since)\b))",
    re.IGNORECASE,
)
_ASIDE_ALONE: Final = lazy_pattern(rf"{_ASIDE}(?:,? (?:and|so|but|please))?", re.IGNORECASE)
_NO_MORE: Final = lazy_pattern(r",? (?:any ?more|any longer|(?:from )?now(?: on)?|please)$", re.IGNORECASE)
_JOINS: Final = lazy_pattern(
    r"[\s,:)\u2013\u2014-]*(?:(?:but|and|because|cause|cos|cuz|since|that(?!'s))\b\s*)?", re.IGNORECASE
)
_COMES_NEXT: Final = lazy_pattern(rf"{_NEXT}\b", re.IGNORECASE)
_BACK_TO: Final = lazy_pattern(r"\bthat$", re.IGNORECASE)
"""Ends an order about what was said before, whatever follows a comma: "I smoke. Don't store that, I was drunk"."""

_OF_ONESELF: Final = lazy_pattern(r"\b(?:I|my|me)\b", re.IGNORECASE)
_NOT_IN_MEMORY: Final = lazy_pattern(rf",? (?:out of|off|in|into|to|on|from) (?:memory|{STORE})$", re.IGNORECASE)
_END: Final = lazy_pattern(r"[.!?]+(?=\s|$)|\n")
_EDGES: Final = " \t\n.,;:!?-\u2013\u2014\"'()"

MAX_BEFORE: Final = 1_000
"""Characters that are read back for what "it" stands for: a sentence is shorter."""


_POLITELY: Final = (
    rf"\W*(?:(?:please|kindly|pl[sz]|just|actually|oh|hey|hm+|wait|sorry|no|ok(?:ay)?|and|but|so|let's|{_ASIDE})"
    r"[\s,.;:!-]+){0,4}"
)
_IT: Final = rf"(?:{_THIS_ONE}|this|that|it)"
_BACK: Final = lazy_pattern(
    rf"{_POLITELY}(?:(?:{NOT_REMEMBER}|{_NOT} (?:store|record|retain|memori[sz]e|note(?: down)?|write down)) {_IT}"
    rf"|{_NOT} (?:write|jot|take|note) {_IT} down|{_VERB} {_IT}(?={_IN_MEMORY}|{_OF_MINE})"
    rf"|{_NOT} (?:put|add|write) {_IT}(?={_IN_MEMORY})|{_WITHHELD}|{_ASIDE},? (?:(?:so|and) )?{_BARE})"
    rf"{_AFTER_ITSELF},?(?: (?:please|pls|plz))?(?P<why>(?:,|\s[\u2013\u2014-])?\s(?P<said>[^.!?\n]{{3,100}}))?\W*",
    re.IGNORECASE,
)
_LOOSELY_BACK: Final = lazy_pattern(
    rf"{_POLITELY}(?:(?:can|could|would|will) you(?: please)? not remember {_IT}|{_VERB} {_IT}|{_NOT_TO_BE})"
    rf"{_AFTER_ITSELF},?(?: (?:please|pls|plz))?(?P<why>(?:,|\s[\u2013\u2014-])?\s(?P<said>[^.!?\n]{{3,100}}))?\W*",
    re.IGNORECASE,
)
"""As well about a file, or a rebuke ("can you not remember that?"), unless more is said."""

_SOFTENED: Final = lazy_pattern(r"\W*(?:actually|please|pl[sz]|hm+|wait|oh|sorry|no)\b|\bplease\b", re.IGNORECASE)
_REMEMBER: Final = lazy_pattern(r"\byou(?: please)? not remember\b", re.IGNORECASE)


class NotKept(NamedTuple):
    """Something that is not to be remembered.

    Attributes:
        start: Where in the text that begins which leaves nothing; `end`: where it ends.
        what: What it is about, in the user's words; empty where the text does not tell.
    """

    start: int
    end: int
    what: str


def not_to_keep(text: str) -> tuple[NotKept, ...]:
    """Return what a user asks not to have remembered, with the sentences that tell of it.

    Example:
        >>> [it.what for it in not_to_keep("I am ill. Don't write it down. And don't store that I smoke.")]
        ['I am ill', 'that I smoke']
        >>> not_to_keep("Don't store passwords in the repo.")
        ()
    """
    read = in_place(text)
    found = sorted((*_told(read.text), *_pointed(read.text)))
    return tuple(NotKept(*read.span(it.start, it.end), it.what) for it in found)


def points_back(text: str) -> bool:
    """Whether a message is nothing but an order not to keep "this": what was said before it.

    What may as well be about a file ("don't save it") counts only where it names memory.

    Example:
        >>> points_back("Please don't store this."), points_back("I am ill. Don't store this.")
        (True, False)
    """
    said = as_read(text)
    found = _BACK.fullmatch(said)
    if found is None:
        found = _LOOSELY_BACK.fullmatch(said)
        is_more = found is not None and (found["why"] or (_REMEMBER.search(said) and _SOFTENED.search(said)))
        if found is None or not is_more:
            return False
    return found["why"] is None or is_why(found["said"])


def points_loosely_back(text: str) -> bool:
    """Whether a message is an order not to keep "this" which may as well be about a thing at hand.

    Example:
        >>> points_loosely_back("Don't save that."), points_loosely_back("Can you not remember that?")
        (True, False)
    """
    said = as_read(text)
    found = _LOOSELY_BACK.fullmatch(said)
    return found is not None and found["why"] is None and not _REMEMBER.search(said) and "?" not in said


def without_unkept(text: str) -> str:
    """Return a text with what is not to be remembered blanked, as long as it was."""
    for it in not_to_keep(text):
        text = text[: it.start] + re.sub(r"\S", " ", text[it.start : it.end]) + text[it.end :]
    return text


def _told(text: str) -> Iterator[NotKept]:
    for found in _TOLD.finditer(text):
        end = _sentence_end(text, found.end())
        what = found["own"] or found["into"] or text[found.start("what") : end]
        yield NotKept(found.start(), end, _NOT_IN_MEMORY.sub("", _NO_MORE.sub("", what.strip(_EDGES))))


def _pointed(text: str) -> Iterator[NotKept]:
    """Yield what "it" stands for: the rest of the sentence, else what comes before in it, else the sentence before."""
    for found in _POINTED.finditer(text):
        end = len(text) if _COMES_NEXT.search(found.group()) else _sentence_end(text, found.end())
        start, what = _before(text, found.start())
        after = _after(text, found.end(), end)
        if after and not (_BACK_TO.search(found.group()) and ":" not in text[found.end() : end] and _is_own(what)):
            start, what = found.start(), after
        if not what.strip(_EDGES):  # it opens the message: what it stands for comes next
            begin, said = _END.match(text, end), end if ":" not in text[found.end() : end] else found.end()
            end = len(text) if begin is None else _sentence_end(text, begin.end())
            what = text[said:end].strip(_EDGES)
        if found["passive"] is None or not what or _is_own(what):
            yield NotKept(start, end, what)


def _is_own(what: str) -> bool:
    return _OF_ONESELF.search(what) is not None


def _after(text: str, at: int, end: int) -> str:
    """Return what stands behind an order in its sentence, unless that only says why it is given."""
    place = _JOINS.match(text, at).end()  # type: ignore[union-attr]  # may be empty
    after = text[place:end].strip(_EDGES)
    return "" if ":" not in text[at:place] and is_why(after) else after


def _before(text: str, at: int) -> tuple[int, str]:
    """Return where what stands before an order begins, and what it says, but for words beside the order."""
    start = _sentence_start(text, at)
    beside = text[start:at].strip(_EDGES)
    if _ASIDE_ALONE.fullmatch(beside) or is_untold(beside):
        start, at = _sentence_start(text, start), start
    return start, text[start:at].strip(_EDGES)


def _sentence_end(text: str, at: int) -> int:
    return next((it.start() for it in _END.finditer(text, at) if _ends(text, it)), len(text))


def _sentence_start(text: str, at: int) -> int:
    """Return where the sentence begins that stands before a place, or that the place is in the middle of."""
    said = len(text[:at].rstrip(_EDGES))
    first = max(0, said - MAX_BEFORE)
    return max((it.end() for it in _END.finditer(text, first, said) if _ends(text, it)), default=first)


def _ends(text: str, found: re.Match[str]) -> bool:
    return found.group() != "." or is_full_stop(text, found.start())
