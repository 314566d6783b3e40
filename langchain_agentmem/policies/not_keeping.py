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
from langchain_agentmem.policies.contractions import as_read, in_place
from langchain_agentmem.policies.sentences import is_full_stop

_NOT: Final = (
    r"(?:(?:don't|do not|never|you (?:should|must|shall)(?:n't| not| never))"
    r"(?: (?:ever|please|also|even))?|(?:i|we) (?:don't|do not|never) want you to"
    r"|(?:can|could|would|will) you (?:(?:please|kindly) not|not(?! remember\b))"
    r"|(?:there(?:'s| is) )?no need(?: for you)? to|you (?:needn't|need not|(?:don't|do not) (?:need|have) to)"
    r"|i(?:'d| would) (?:rather|prefer)(?: it)?(?: if| that)? you (?:didn't|did not|don't|do not))"
)
_KEEP: Final = (
    r"(?:store|save|keep|record|log|retain|memori[sz]e|remember|note(?: down)?|(?:write|jot|put|take) down"
    r"|make (?:a |any )?notes? of|keep (?:a |any )?(?:notes?|records?) of"
    r"|(?:put|add|write|enter)(?= (?:down )?(?:in|to|into) your (?:memory|notes?|records?)\b))"
)
_KNOW: Final = (
    r"(?:(?:i|we) (?:don't|do not|never) want you (?:to (?:even )?know|knowing)"
    r"|i(?:'d| would) (?:rather|prefer)(?: it)?(?: if| that)? you (?:didn't|did not|don't|do not) know)"
)
"""Of whoever only does not tell ("you don't need to know"), nothing is asked."""

_IN_MEMORY: Final = r"(?: (?:in|to|into) (?:your|the) (?:memory|notes?|records?))"
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
_PRIVATE: Final = (
    rf"(?:(?!{_WORK})(?:my|our)\b|(?:the fact )?that (?:i|we|he|she)(?:'\w+)?\b|(?:the fact )?that (?:my|our)\b"
    r"|(?:what(?:ever)?|where|who|how(?: \w+)?) (?:i|we|my|our)(?:'\w+)?\b|any of what i\b"
    rf"|{_ANYTHING} (?:about|on|regarding) (?:my|our|(?:me|us)\b(?! (?:in|on|to|at) (?!your|memory)))\b)"
)
"""What follows where the order is about the speaker."""

_KNOWN: Final = (
    r"(?:(?<=\bknow )|(?<=\bknowing ))(?:that|who|where|whether|when|how) (?=\w)|(?<=\bknow about )(?=\w)"
    r"|(?<=\bknowing about )(?=\w)"
)
"""What follows where the order is that it be not known: nothing of one's work is told so."""

_ITSELF: Final = (
    r"(?:(?:this|that) (?:information|info|details?|facts?|message|part|bit|question|answer)\b"
    r"|these (?:things|details|facts)\b"
    r"|this|that|it|anything|any of (?:this|that|it))"
)
_ASIDE: Final = (
    r"(?:never ?mind|forget it|(?:(?:this|that|it)(?:'s| is| stays?| (?:should|must) stay) )?(?:just |strictly )?"
    r"(?:between (?:us|you and me)|private|personal|confidential|a secret))"
)
"""Words beside such an order that tell nothing which could be meant."""

_AFTER_ITSELF: Final = (
    rf"(?: down)?{_IN_MEMORY}?(?: (?:please|pls|plz|anywhere|at all|ever|though|about me|for me|for later))*"
)
_BEFORE: Final = (
    r"(?:^|(?<=[.!?;:\n])(?<!\n\n)\s*+|,\s*+|\(\s*+|\s[-\u2013\u2014]\s|\b(?:and|but|so|then)\s)"
    r"(?:(?:please|kindly|pls|just|also|and|but|so|hey|ok(?:ay)?|then|now|by the way|btw)[\s,]+){0,4}"
)
_TOLD: Final = lazy_pattern(rf"{_BEFORE}{_VERB}{_IN_MEMORY}?(?: about)? (?P<what>{_PRIVATE}|{_KNOWN})", re.IGNORECASE)
_POINTED: Final = lazy_pattern(
    rf"{_BEFORE}(?:{_VERB} {_ITSELF}|(?:(?:this|that|it)(?:'s| is) )?(?:strictly )?off the record"
    rf"|{_NOT} (?:write|jot|put|take|add) {_ITSELF}(?= down\b|{_IN_MEMORY})"
    rf"|(?:keep|make) no (?:memory|record|note)s? of {_ITSELF}"
    r"|(?:this|that|it)(?:'s| is) not (?:for your (?:memory|records?|notes)|to be (?:remembered|stored|saved|recorded))"
    r"|forget (?:this|that|it) (?:afterwards?|right after|immediately|once (?:you(?:'ve| have)) \w+)"
    r"|(?:(?<=[(\u2013\u2014-])|(?<=[(\u2013\u2014-] ))"
    rf"{_NOT} (?:store|record|retain|memori[sz]e|remember)(?=\)?\s*(?:[.!]|$)))"
    rf"{_AFTER_ITSELF}"
    r"(?=\s*(?:[.!?;\n)]|$|:|[,\u2013\u2014]|\s-\s|\bbut\b))",
    re.IGNORECASE,
)
_ASIDE_ALONE: Final = lazy_pattern(rf"{_ASIDE}(?:,? (?:and|so|but|please))?", re.IGNORECASE)
_NO_MORE: Final = lazy_pattern(r",? (?:any ?more|any longer|(?:from )?now(?: on)?|please)$", re.IGNORECASE)
_JOINS: Final = lazy_pattern(r"[\s,:)\u2013\u2014-]*(?:(?:but|and|because|that)\b\s*)?", re.IGNORECASE)
_END: Final = lazy_pattern(r"[.!?]+(?=\s|$)|\n")
_EDGES: Final = " \t\n.,;:!?-\u2013\u2014\"'()"

MAX_BEFORE: Final = 1_000
"""Characters that are read back for what "it" stands for: a sentence is shorter."""


_BACK: Final = lazy_pattern(
    rf"\W*(?:(?:please|kindly|pls|just|actually|oh|hey|sorry|ok(?:ay)?|and|but|so|{_ASIDE})[\s,.;:!-]+){{0,4}}"
    rf"(?:(?:{NOT_REMEMBER}|{_NOT} (?:store|record|retain|memori[sz]e|note(?: down)?|write down)) (?:this|that|it)"
    rf"|{_NOT} (?:write|jot|take|note) (?:this|that|it) down|{_VERB} (?:this|that|it)(?={_IN_MEMORY}))"
    rf"{_AFTER_ITSELF},?(?: (?:please|pls|plz))?\W*",
    re.IGNORECASE,
)


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
    return _BACK.fullmatch(as_read(text)) is not None


def without_unkept(text: str) -> str:
    """Return a text with what is not to be remembered blanked, as long as it was."""
    for it in not_to_keep(text):
        text = text[: it.start] + re.sub(r"\S", " ", text[it.start : it.end]) + text[it.end :]
    return text


def _told(text: str) -> Iterator[NotKept]:
    for found in _TOLD.finditer(text):
        end = _sentence_end(text, found.end())
        yield NotKept(found.start(), end, _NO_MORE.sub("", text[found.start("what") : end].strip(_EDGES)))


def _pointed(text: str) -> Iterator[NotKept]:
    """Yield what "it" stands for: the rest of the sentence, else what comes before in it, else the sentence before."""
    for found in _POINTED.finditer(text):
        end = _sentence_end(text, found.end())
        after = text[_JOINS.match(text, found.end()).end() : end].strip(_EDGES)  # type: ignore[union-attr]  # may be empty
        start, before = found.start(), found.start()
        if not after:
            start = _sentence_start(text, before)
            if _ASIDE_ALONE.fullmatch(text[start:before].strip(_EDGES)):
                start, before = _sentence_start(text, start), start
        what = after or text[start:before].strip(_EDGES)
        if not what.strip(_EDGES):  # it opens the message: what it stands for comes next
            begin = _END.match(text, end)
            end = len(text) if begin is None else _sentence_end(text, begin.end())
            what = text[found.end() : end].strip(_EDGES)
        yield NotKept(start, end, what)


def _sentence_end(text: str, at: int) -> int:
    return next((it.start() for it in _END.finditer(text, at) if _ends(text, it)), len(text))


def _sentence_start(text: str, at: int) -> int:
    """Return where the sentence begins that stands before a place, or that the place is in the middle of."""
    said = len(text[:at].rstrip(_EDGES))
    first = max(0, said - MAX_BEFORE)
    return max((it.end() for it in _END.finditer(text, first, said) if _ends(text, it)), default=first)


def _ends(text: str, found: re.Match[str]) -> bool:
    return found.group() != "." or is_full_stop(text, found.start())
