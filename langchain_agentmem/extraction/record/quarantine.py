"""Blank out what the user shows but does not say: recalled memory, code, quotes, mails, transcripts.

Every function keeps the length of its text, so that a position in what is left is a position in what it was read from.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.extraction.record.letters import without_letters
from langchain_agentmem.policies.injection import is_injected

MASK: Final = "\u2588"
"""Stands for a character of quoted speech: nothing that holds one is ever remembered."""

_PLAIN: Final = {
    ord("\u2019"): "'",
    ord("\u02bc"): "'",
    ord("\u201c"): '"',
    ord("\u201d"): '"',
    ord("\u00a0"): " ",
    0: " ",
}
_SURROGATE: Final = lazy_pattern(r"[\ud800-\udfff]")

_BLOCK_NAMES: Final = (
    r"memor(?:y|ies)|recalled\w*|context|documents?|article|e-?mail|quote|blockquote|untrusted|system|instructions?"
    r"|tool_result|data|transcript|conversation|webpage|page|file|source|review|letter"
)
_BLOCKS: Final = (
    lazy_pattern(rf"<({_BLOCK_NAMES})\b[^>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL),
    lazy_pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL),
    lazy_pattern(r"^[ \t]*>.*$", re.MULTILINE),
)
_MAIL_STARTS: Final = (
    lazy_pattern(r"^[ \t]*-{2,}[ \t]*(?:original|forwarded) message.*", re.IGNORECASE | re.MULTILINE | re.DOTALL),
    lazy_pattern(r"^[ \t]*begin forwarded message.*", re.IGNORECASE | re.MULTILINE | re.DOTALL),
    lazy_pattern(r"^[ \t]*on [^\n]{5,100} wrote:.*", re.IGNORECASE | re.MULTILINE | re.DOTALL),
    lazy_pattern(
        r"^[ \t]*(?:from|subject|sent|to|date): [^\n]+\n[ \t]*(?:from|to|sent|date|subject|cc): .*",
        re.IGNORECASE | re.MULTILINE | re.DOTALL,
    ),
    lazy_pattern(
        r"^[ \t]*dear [^\n,]{1,40},.{1,2000}\b(?:regards|sincerely|cheers|yours)\b.*", re.IGNORECASE | re.MULTILINE
    ),
)
_TASK_VERBS: Final = (
    "translate|summari[sz]e|proof-?read|rewrite|rephrase|paraphrase|polish|correct|edit|classify"
    "|analy[sz]e|review|explain"
    "|improve|shorten|fix|transcribe|sentiment|grammar|write|draft|compose|generate|type|print|output"
    "|convert|decode|parse"
)
_SHOWN_NOUNS: Final = (
    "e-?mail|review|text|article|transcript|logs?|letter|post|tweet|lyrics|quote|poem|story|script|excerpt|passage"
    "|paragraph|sentences?|conversation|chat|comment|reply|response|message|ticket|bio|copy|snippet|page|doc(?:ument)?"
    "|output|prompt|example|dialogue|joke|caption|speech|essay"
)
_SHOWN: Final = (
    lazy_pattern(
        rf"\b(?:{_TASK_VERBS})\b(?![^\n:]*\b(?:use|using|prefer)\b)[^\n:.!?]{{0,80}}:(?!//)(?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        rf"\b(?:{_SHOWN_NOUNS})\b(?! (?:address|is|me|server))[^\n:.!?]{{0,50}}:(?!//)(?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        r"(?<!\bI )(?<!\bI've )(?<!\bas I )\b(?:said|says|wrote|writes|told (?:me|us)|replied|repl(?:ies)"
        r"|answered|texted|goes|reads|states"
        r"|posted|tweeted|commented|shouted|asked|complained|claims|claimed)(?:[ \w]{0,20})[:,][ ]*(?P<shown>[^\n]*)",
        re.IGNORECASE,
    ),
)
_LABELLED: Final = lazy_pattern(
    rf"^[ \t]*(?P<label>{CAPITAL}[\w.]*(?: {CAPITAL}[\w.]*)?)[ \t]?(?:\([^)\n]*\))?:[ \t]+(?P<shown>.*)$", re.MULTILINE
)
_OWN_LABELS: Final = frozenset(
    "note notes correction fyi ps edit update reminder important also goal goals decision decisions"
    " preference preferences constraint"
    " constraints rule rules name job me myself fact facts requirement requirements policy btw heads"
    " context background".split()
)
_TELLING_LABELS: Final = frozenset(
    "goal goals decision rule policy constraint preference requirement objective correction remember".split()
)
_SPOKEN: Final = (lazy_pattern(r'"[^"\n]{2,}"'), lazy_pattern(r"(?<!\w)'(?=\S)[^\n]+?(?<=\S)'(?!\w)"))
_SPEECH: Final = lazy_pattern(
    (
        r"\b(?:I|I'm|I've|I'd|my|me|we|our|you|always|never|don't|please|remember|prefers?|likes?|loves?"
        r"|hates?|must)\b"
    ),
    re.IGNORECASE,
)

_LEAD_CHARS: Final = 200  # before a quotation: its sentence, which tells who is quoted
_OWN_SPEECH: Final = lazy_pattern(
    (
        r"\b(?:I|we)(?:'ve| have)? (?:already |always |once |just |clearly )*(?:told|said|say|tell"
        r"|answered|wrote|replied|promised)\b[^.!?\n\"]*\Z"
    ),
    re.IGNORECASE,
)
_ORDER_TO_MEMORY: Final = lazy_pattern(
    r"\b(?:disregard|override|bypass|forget|ignore)\s+(?:\w+\s+){0,2}?(?:your\s+)?(?:rules|policies"
    r"|policy|memory policy|instructions)\b"
    r"|\b(?:note|message|instructions?) (?:to|for) (?:the )?(?:ai|assistant|agent|model|llm)s?\b"
    r"|\bas your (?:administrator|admin|developer|operator|owner)\b"
    r"|\b(?:remember|store|save|note|record|add|write)\b[^.\n]{0,40}\b(?:the|this) user\b"
    r"|^\W*you are an? (?:helpful|friendly|ai|large|assistant|language|expert|chat)\w*",
    re.IGNORECASE,
)


_TAKEN_BACK: Final = lazy_pattern(
    (
        r"\b(?:forget|ignore|disregard|scratch) what I(?:'ve| have)? (?:just |once )?(?:said|told you"
        r"|wrote)\b"
    ),
    re.IGNORECASE,
)
"""A user who takes back their own words gives no order against the rules."""


def plain(text: str) -> str:
    """Make quotes and apostrophes straight and replace what cannot be stored, character by character."""
    return _SURROGATE.sub("\ufffd", text.translate(_PLAIN))


def folded(text: str) -> str:
    """Return a text as its words are compared: in one line, without case and apostrophes."""
    return " ".join(plain(text).casefold().replace("'", "").split())


def is_injection(text: str) -> bool:
    """Whether the text tries to instruct the machine behind the conversation instead of talking to it."""
    text = _TAKEN_BACK.sub(" ", text)
    return _ORDER_TO_MEMORY.search(text) is not None or is_injected(text)


def spoken_only(text: str, *, user_name: str | None = None) -> str:
    """Return what the user says in their own voice, the rest blanked; the length stays."""
    for pattern in (*_BLOCKS, *_MAIL_STARTS):
        text = pattern.sub(_blank, text)
    for pattern in _SHOWN:
        text = pattern.sub(_blank_shown, text)
    text = without_letters(text)
    text = _LABELLED.sub(lambda match: _blank_label(match, user_name), text)
    for pattern in _SPOKEN:
        text = pattern.sub(_mask_speech, text)
    return text


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _blank_shown(match: re.Match[str]) -> str:
    shown = match.group("shown")
    return match.group()[: len(match.group()) - len(shown)] + re.sub(r"[^\n]", " ", shown)


def _blank_label(match: re.Match[str], user_name: str | None) -> str:
    label = match.group("label").casefold()
    if label in _TELLING_LABELS:
        return match.group()
    if label in _OWN_LABELS or label.split()[0] in _OWN_LABELS or label == (user_name or "").casefold():
        start = match.start("shown") - match.start()
        return " " * start + match.group()[start:]
    return _blank(match)


def _mask_speech(match: re.Match[str]) -> str:
    quoted = match.group()
    if _OWN_SPEECH.search(match.string, max(0, match.start() - _LEAD_CHARS), match.start()):
        return f" {quoted[1:-1]} "
    return MASK * len(quoted) if _SPEECH.search(quoted) else quoted
