"""Orders to remember nothing from now on: of a conversation, of whatever is told next, of a whole matter.

Memory keeps to what is asked of one message. These would have to be held over all that follow, and are not: whoever
gives one is to hear it, and the application has the switches (`memory_mode`, `consent.withdraw`).
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read

_KEEP: Final = r"(?:remember|store|save|keep|record|retain|log|memori[sz]e|note(?: down)?|write down)"
_NO_MORE: Final = (
    rf"(?:(?:do not|don't|never|you (?:may|must|should|can) not|you mustn't|stop|please not) (?:ever )?{_KEEP}"
    r"|(?:stop|quit) (?:remembering|storing|saving|keeping|recording|logging|noting(?: down)?))"
)
_TALK: Final = r"(?:this|our) (?:whole |entire |next )?(?:conversation|chat|session|talk)"
_ANYTHING: Final = r"(?:anything|everything|things|stuff|any of (?:it|this|that)|what(?:ever)?|a thing)"
_OF_NEXT: Final = (
    r"(?:(?:that )?(?:I|we) (?:say|tell you|write|type|share|send you)(?: (?:next|now|from now on|from here on|here"
    rf"|today|in future|any ?more|in {_TALK}|about .+))?|(?:in|of|from|during|about) {_TALK})"
)
_MATTER: Final = r"(?:(?:[\w-]+ ){0,2}(?:information|info|details?|data|facts?|anything|things))"
_OF_MATTER: Final = rf"(?:any )?{_MATTER} (?:about|on|regarding|concerning|of) (?:me|us|myself|my|our)\b.*"
_LATER: Final = r"(?:from (?:now|here|today) on(?:wards?)?|going forward|in (?:the )?future|any ?more|ever(?: again)?)"
_LEADS: Final = r"\W*(?:(?:please|pls|kindly|ok(?:ay)?|so|and|also|just|hey|well|now)[\s,]+){0,4}"
_BAN: Final = lazy_pattern(
    rf"{_LEADS}(?:(?:{_LATER},? )?(?:please )?{_NO_MORE} (?:{_ANYTHING} {_OF_NEXT}|{_OF_MATTER})(?:,? {_LATER})?"
    rf"|{_LATER},? (?:please )?{_NO_MORE} {_ANYTHING}"
    rf"|(?:keep|remember|store|save|record) (?:nothing|none) (?:{_OF_NEXT}|{_OF_MATTER})"
    rf"|{_TALK} (?:is|stays|should (?:be|stay)|must (?:be|stay))(?: strictly)? (?:off the record|not to be"
    rf" (?:remembered|stored|saved|kept|recorded))|{_TALK} (?:must|should|may) not be (?:remembered|stored|saved|kept"
    r"|recorded))(?:,? please)?\W*",
    re.IGNORECASE,
)
_NEXT: Final = lazy_pattern(
    rf"{_LEADS}(?:(?:the following|what (?:comes next|follows|I'm (?:about|going) to (?:say|tell you)))"
    r" (?:is (?:private|personal|confidential)(?:,| and|, and) )?(?:should|must|may|is)(?:n't| not) (?:to )?be"
    rf" (?:remembered|stored|saved|kept|recorded)|(?:{_NO_MORE}) (?:the following|what (?:comes next|follows)))\W*",
    re.IGNORECASE,
)
"""With nothing behind it, it is about the next message."""

_SENTENCE: Final = lazy_pattern(r"(?<=[.!?;])\s+|\n")

MAX_CHARS: Final = 300
"""Of a sentence that is such an order."""


def bans_memory(text: str) -> bool:
    """Whether a message asks that something be not remembered from now on, and not only of itself.

    Example:
        >>> bans_memory("Please don't remember anything in this conversation."), bans_memory("Don't remember this.")
        (True, False)
        >>> bans_memory("Never store health information about me."), bans_memory("Never store keys in the repo.")
        (True, False)
    """
    said = as_read(text)
    sentences = [it for it in _SENTENCE.split(said) if it.strip()]
    are_bans = any(_BAN.fullmatch(it) is not None for it in sentences if len(it) <= MAX_CHARS)
    return are_bans or any(_NEXT.fullmatch(it) is not None for it in sentences[-1:] if len(it) <= MAX_CHARS)
