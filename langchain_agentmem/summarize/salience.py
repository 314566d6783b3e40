"""How much a sentence of a conversation matters to whoever goes on with it: a pure score over its words.

User statements come first, then what tools led to, then what the assistant said; decisions, numbers and names raise a
sentence, small talk lowers it. The weights were chosen so that one strong sign lifts an assistant's sentence over a
user's plain one; they only order sentences, nothing else depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.summarize.utterances import Voice

MAX_SENTENCE_CHARS: Final = 240
"""About forty words: two lines of print. A longer sentence is cut."""

_OF_VOICE: Final[Mapping[Voice, float]] = {"user": 3.0, "summary": 3.0, "tool": 2.5, "assistant": 1.0}
_DECISION_WEIGHT: Final = 2.5
_NUMBER_WEIGHT: Final = 1.5
_NAME_WEIGHT: Final = 1.0
_END_WEIGHT: Final = 1.5
_SMALL_TALK_WEIGHT: Final = -4.0
_OFFER_WEIGHT: Final = -1.5
_FRAGMENT_WEIGHT: Final = -1.5
_FRAGMENT_WORDS: Final = 2

_DECISION: Final = lazy_pattern(
    r"\b(?:decid\w+|decision|chose|chosen|choose|agreed?|settled?|going with|we(?:'ll| will) (?:use|go)|let's|instead"
    r"|switch\w*|chang\w+|replac\w+|reject\w+|rul\w+ out|must|never|always|have to|need(?:s|ed)?|want(?:s|ed)?"
    rf"|prefer\w*|goal|plan(?:s|ned)?|deadline|due|by {WEEKDAY}|remember|important"
    r"|because|todo|next step|open question|my name|i am|i'm|i work|i live)\b",
    re.IGNORECASE,
)
_END: Final = lazy_pattern(
    r"\b(?:done|finished|completed|deployed|created|fixed|sent|merged|booked|succeeded|failed|error|timed out|denied"
    r"|broke|crashed|rolled back|works now|works)\b",
    re.IGNORECASE,
)
_NUMBER: Final = lazy_pattern(r"\d")
_NAME: Final = lazy_pattern(
    rf"(?<=[\w,;:'\"()] ){CAPITAL}[\w'.-]+|\b\w+[/_.@]\w[\w/.@-]*|\b{CAPITAL}{{2,}}\b|\"[^\"]{{2,40}}\""
)
_SMALL_TALK: Final = lazy_pattern(
    r"\W*(?:hi|hello|hey|thanks?(?: you)?|ok(?:ay)?|great|perfect|nice|cool|sure|of course|certainly|bye"
    r"|yes|no|yep|nope|good (?:morning|evening|day|night)|you're welcome|no problem|got it|sounds good|understood"
    r"|(?:i hope|hope) (?:this|that) helps|(?:i'm )?(?:glad|happy) to help)"
    r"(?:[ ,]+(?:so|very|much|a lot|again|there|all|everyone|then|you|for (?:that|this|(?:your|the) help|everything)"
    r"|question|point|idea|job|work|thanks|great|good|ok|hello|hi))*\W*",
    re.IGNORECASE,
)
_OFFER: Final = lazy_pattern(
    r"\b(?:let me know|feel free|would you like|do you want me|can i help|anything else|how can i|shall i|happy to)\b",
    re.IGNORECASE,
)
_FENCE: Final = lazy_pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BREAK: Final = lazy_pattern(r"(?<=[.!?])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|\s*\n+\s*")
_BULLET: Final = lazy_pattern(r"^(?:[-*•#>]+|\d{1,2}[.)])\s+")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, one line each; code becomes a note that there was some."""
    for piece in split_sentences(_FENCE.sub(" [code] ", text), _BREAK):
        sentence = _BULLET.sub("", " ".join(piece.split()))
        if sentence and sentence != "[code]":
            yield cut(sentence, MAX_SENTENCE_CHARS)


def salience(voice: Voice, sentence: str) -> float:
    """Return how much a sentence matters; higher matters more."""
    if _SMALL_TALK.fullmatch(sentence):
        return _SMALL_TALK_WEIGHT
    score = _OF_VOICE[voice]
    score += _DECISION_WEIGHT if _DECISION.search(sentence) else 0.0
    score += _NUMBER_WEIGHT if _NUMBER.search(sentence) else 0.0
    score += _NAME_WEIGHT if _NAME.search(sentence) else 0.0
    score += _END_WEIGHT if _END.search(sentence) else 0.0
    score += _OFFER_WEIGHT if voice == "assistant" and _OFFER.search(sentence) else 0.0
    return score + (_FRAGMENT_WEIGHT if len(sentence.split()) <= _FRAGMENT_WORDS else 0.0)


def cut(text: str, limit: int) -> str:
    """Return text of at most `limit` characters, an ellipsis in place of what is missing."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"
