"""Letters and texts to work on: what stands in them is said to somebody else, or by somebody else.

The function keeps the length of its text, so that a position in what is left is a position in what it was read from.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import SEASON
from langchain_agentmem.english.words.patterns import CAPITAL

_ASSISTANT: Final = (
    r"(?!(?:I|I'm|I'll|I've|there|all|again|everyone|everybody|guys|folks|y'all|team|assistant|ai|bot|chat ?bot"
    r"|chatgpt|gpt\w*|claude"
    r"|gemini|copilot|siri|alexa|my|this|it's|we|diary|you|buddy|friend|mate|bro|and|from|it|good)\b)"
)
"""Whom one greets without writing to somebody else: the assistant, or nobody by name."""

_START: Final = r"(?:^|(?<=[.!?:] )|(?<=\n))[ \t]*"
_SALUTATION: Final = lazy_pattern(
    rf"{_START}(?:(?P<formal>dear (?:sir|madam|hiring|recruit|mr|mrs|ms|miss|dr|prof|team|editor|landlord|landlady"
    r"|committee|customer"
    r"|colleague|human resources|hr\b)[^\n,:.!?]{0,40}|to whom it may concern|to the editor)[,:\n]"
    rf"|(?:dear|hi|hello|hey) {_ASSISTANT}(?:my )?[\w'-]+(?: {CAPITAL}[\w'-]+){{0,2}}(?:,|!)?(?P<line>[ \t]*\n)?)",
    re.IGNORECASE,
)
_SIGNED: Final = lazy_pattern(
    r"(?:\n|[.!?] )[ \t]*(?:(?:all the |with )?best(?: wishes| regards)?|(?:kind|kindest|warm|many|best) (?:regards"
    r"|thanks)|regards"
    r"|sincerely(?: yours)?|yours(?: \w+)?|cheers|(?:lots of |much )?love|thanks|thank you|take care|x{2,}|xoxo|hugs),?"
    rf"(?:[ \t]*\n[ \t]*|[ \t])(?:your )?{CAPITAL}[\w.'-]*(?: [\w.'-]+)?[ \t]*(?:\n|[.!]|$|[-\u2013\u2014])",
    re.IGNORECASE,
)
_WRITING: Final = lazy_pattern(
    r"\b(?:I am writing|I'm writing|I (?:would like|wish) to (?:apply|complain|inform)|I hope (?:this"
    r"|you)[\w ]{0,20} (?:finds|are well)"
    r"|please find (?:attached|enclosed)|I look forward to hearing)\b",
    re.IGNORECASE,
)
_TASK: Final = lazy_pattern(
    r"\b(?:(?:how|what) (?:should|do|can|would|could) (?:I|you) (?:reply|respond|answer|write back|say back)"
    r"|should I (?:reply|respond)"
    r"|is (?:this|it) (?:ok|okay|good|fine)(?: (?:like this|so))?\?|(?:a|my) (?:draft|template)\b"
    r"|(?:proof-?read|rewrite|rephrase|improve|check|shorten|polish|translate|correct|edit) (?:this|it|my (?:letter"
    r"|mail|e-?mail|message|draft)))\b",
    re.IGNORECASE,
)
_OF_THE_WRITER: Final = (
    r"(?!\s*(?:I|my)\b[^.!?\n]{0,50}\b(?:speak|read|write|understand|english|native|first language|mother tongue"
    r"|dyslexi[ac]|grammar"
    r"|spelling|writing)\b[^.!?\n]*[.!?]?\s*$)"
)
"""Who gives the reason for what they ask speaks of themselves: "can you proofread? I'm dyslexic"."""

_NO_TASK: Final = (
    r"(?!(?:remember|note|notice|save|store|keep|know|hear|get|got|consider|add|record|jot|memori[sz]e|log|bear|take"
    r"|took|mind|use|update|learn|listen|mark|register|see|saw|imagine|picture|try|help|answer|advise|tell|told|do|did"
    r"|does|have|has|had|hold|remind|include|understand|recall|accept|believe|trust|share|discuss|plan|follow|apply"
    r"|obey|respect|observe|adopt|change|replace|set|adjust|forget|delete|drop|erase|ignore|disregard|scratch|remove"
    r"|watch|guess|act|read|stick|adhere|look|love|hate|like|want|need|mean|is|was|are|were|be|about|on|re|with|after"
    r"|before|because|besides|and"
    r"|but|or|so|unlike|for|from|in|at|by|to|of|since|until|till|beyond|despite|given|also|all|not|just|only|what|why"
    r"|how|we|who|when|where|if|that|than|as|then|thus|now|same|even|over|through|per|said|\w+ing)\b"
    r"|check (?:this|these) out|put (?:this|these|the following) (?:in|into|on|to) (?:your|my|the) (?:memory|notes?"
    r"|profile|list|calendar|diary|file)\b|get this|make (?:this|these) (?:clear|quick|brief)\b"
    r"|write (?:this|these|the following) down)"
)
"""What begins no order to work on a text: to know it, to keep it, to hear it, or no order at all."""

_TEXT: Final = (
    rf"(?:(?:this|these)(?! (?:year|month|week|weekend|time|morning|afternoon|evening|season|{SEASON}|term"
    r"|quarter)\b)|the following)\b"
)
_WORK: Final = (
    rf"(?:^|(?<=[.!?\n] )|(?<=\n))[ \t]*(?:(?:hi|hey|hello|ok|okay|now)[,!]? )?(?:(?:(?:can|could|would|will) (?:you|u)"
    rf"|I(?:'d like| would like| need| want) you to|help me(?: to)?|please|pls|plz|just) )*{_NO_TASK}[a-z]+(?:-[a-z]+)?"
    r"(?: (?:up|down|out|over|to|on))?"
)
"""The verb of an order, at the beginning of a sentence, whatever is to be done."""

_SHOWN: Final = (
    lazy_pattern(
        rf"{_WORK} {_TEXT}(?:[^\n:.!?]{{0,60}}:(?!//)|[^\n:.!?]{{0,60}} [-\u2013\u2014] (?!I (?:hate"
        r"|prefer|like|don't like|want|need|can't)\b))(?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        rf"{_WORK} the following\b[^\n:.!?]{{0,60}}[.?\n]{_OF_THE_WRITER}(?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        r"(?:^|(?<=[.!?\n] )|(?<=\n))[ \t]*(?:hi[,!] |hey[,!] |hello[,!] )?(?:(?:can|could|would|will) you (?:please "
        r"|pls |just )?"
        r"|please |pls )?(?:(?:proof-?read|rewrite|rephrase|paraphrase|translate)(?: (?:this|the following)(?: (?:text"
        r"|part|bit"
        r"|paragraph|message))?)?|(?:fix|correct|check|improve) (?:my|the) (?:grammar|spelling|english|punctuation"
        r"|typos|wording))"
        rf"(?: (?:for me|please|pls|a bit|(?:in)?to \w+|in \w+))*[ \t]*[?.\n]{_OF_THE_WRITER}(?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        r"\b(?:this is|here's|here is|below is) (?:an?|the|my|his|her|their|(?:my )?[\w-]+'s) (?:[\w-]+ ){0,2}(?:bio"
        r"|letter|draft|text"
        r"|post|message|essay|statement|e-?mail|paragraph|abstract|caption)\b[^\n.!?:]{0,60}[\n.!?:](?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        r"(?:^|(?<=\n))[ \t]*(?:my )?(?:(?:cover |motivation )?letter|essay|speech|bio"
        r"|caption)(?: draft)? [-\u2013\u2014] (?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        r"\b(?:got|received|saw|found|read|copied|pasted) (?:this|that|these)\b[^\n:.!?]{0,40}:(?!//)(?P<shown>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
)
_LOOKED_AT_LAST: Final = 120
_SHOWN_BEFORE: Final = lazy_pattern(
    r"(?:^|[.!?\n\u2013\u2014-])\s?(?:is (?:this|that|it|my \w+) (?:\w+ )?(?:grammatically|grammatical|correct english"
    r"|good english"
    r"|proper english)|does (?:this|that|it) (?:sound|read|look) (?:\w+ )?(?:natural|professional|polite|grammatical"
    r"|formal"
    r"|native|fluent)"
    r"|(?:can|could) you (?:please )?(?:proof-?read|rewrite|rephrase|paraphrase|translate|polish) (?:this|that|it"
    r"|the above)\b)"
    r"[^.!?\n]*[.!?]?\s*\Z",
    re.IGNORECASE,
)
"""A question about the text before it."""


def without_letters(text: str) -> str:
    """Return a text with letters and texts to be worked on blanked; the length stays.

    Example:
        >>> without_letters("I'm ill. Is this ok? Dear Sir, I am writing from Bath.").rstrip()
        "I'm ill. Is this ok?"
        >>> without_letters("Hi, I live in Leeds. Best, Anna")
        'Hi, I live in Leeds. Best, Anna'
    """
    for pattern in _SHOWN:
        found = pattern.search(text)
        if found is not None:
            text = text[: found.start("shown")] + _blank(found["shown"])
    letter = _letter(text)
    if letter is not None:
        return text[:letter] + _blank(text[letter:])
    asked = _SHOWN_BEFORE.search(text, max(0, len(text) - _LOOKED_AT_LAST))
    return text if asked is None else _blank(text[: asked.start()]) + text[asked.start() :]


def _letter(text: str) -> int | None:
    """Return where a letter begins: a salutation behind which it is signed, or tells in its words what it is for."""
    saluted = list(_SALUTATION.finditer(text))
    if not saluted:
        return None
    signed = max((it.start() for it in _SIGNED.finditer(text)), default=-1)
    told = len(text) if _TASK.search(text) else max((it.start() for it in _WRITING.finditer(text)), default=-1)
    for it in saluted:
        is_set_apart = bool(it["formal"] or it["line"])
        if it.end() <= signed + 1 or (is_set_apart and it.end() <= told):
            return it.start()
    return None


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
