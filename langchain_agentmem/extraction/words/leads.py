"""Short words before a name, with no comma between: "Actually Ben lives in Bergen" tells of Ben, not of "Actually Ben".

What a word can lead to is told by what stands behind it: a name, and a verb of its own. "No" denies as well ("no
Slack messages", "No Man's Sky"): it leads only where somebody is told of.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_RELATIVE
from langchain_agentmem.english.words.patterns import CAPITALIZED, LINKED, LONG_CAPITALIZED, PLAIN_CAPITALIZED
from langchain_agentmem.english.words.word_forms import PAST
from langchain_agentmem.extraction.words.given_names import GIVEN_NAMES
from langchain_agentmem.extraction.words.lexicon import COLLEAGUE, DIET, NATIONALITY

_LEAD: Final = (
    r"(?:actually|btw|by the way|fyi|also|sorry|well|oh|ok|okay|yes|yeah|yep|no|nope|hey|hi|hello|so|wait|oops|hm+|um"
    r"|uh|ah|anyway|honestly|look|listen|(?:(?:please|pls) )?remember|don't forget|just so you know)"
)
_FURTHER: Final = rf"(?: {LINKED}{CAPITALIZED}){{0,2}}"
_NO_TITLE: Final = (
    r"(?! (?:is|was|are) (?:(?:still|now|also) )?(?:my|our|one of my|the best)\b[^.!?]{0,40}\bfavou?rite)"
)
"""A film or a band may be called "Hey Jude" or "No Doubt"."""

_VERB: Final = (
    r"(?:is|isn't|was|wasn't|has|hasn't|had|does|doesn't|did|didn't|can|can't|cannot|will|won't|would|never|always|only"
    rf"|just|now|also|still|no longer|[a-z]{{2,}}(?:s|ed)|{'|'.join(sorted(PAST))})\b"
)
_OF_THEIRS: Final = r"'s (?:[a-z-]+ ){1,3}(?:is|was|are|isn't|has)\b"
NAMED: Final = (
    rf"(?!I\b){LONG_CAPITALIZED}{_FURTHER}{_NO_TITLE}"
    rf"(?: {_VERB}|{_OF_THEIRS}|'s (?-i:[a-z])|,? and (?:I|{LONG_CAPITALIZED}) (?-i:[a-z]))"
)
"""A name of which something is told."""

_THEIR_OWN: Final = rf"'s (?:birthday|[a-z]*name|{A_RELATIVE})\b"
_OF_A_PERSON: Final = (
    rf"(?: is (?:\d|(?:my|our) (?:[a-z-]+ ){{0,2}}?(?:{BEING}|{COLLEAGUE}|friend|neighbou?r)\b|(?:{DIET})\b"
    r"|married|engaged|divorced|allergic)"
    r"| (?:lives|was born|works (?:at|as|for)|studies|moved to|got (?:married|engaged))\b"
    rf"|{_THEIR_OWN})"
)
PERSON: Final = (
    rf"(?:(?-i:{'|'.join(it.capitalize() for it in sorted(GIVEN_NAMES))}){_FURTHER}{_NO_TITLE}(?: {_VERB}|{_OF_THEIRS})"
    rf"|(?!(?:{WEEKDAY}|{MONTH})\b|{NATIONALITY}\b|\w+(?:er|man|woman)\b){PLAIN_CAPITALIZED}{_FURTHER}{_OF_A_PERSON})"
)
"""Somebody by a name of theirs, or a name of which a person alone is told."""

BEFORE_NAME: Final = rf"(?:(?<!\bno)\s+(?={NAMED})|(?<=\bno)\s+(?={PERSON}))"
LEAD: Final = rf"{_LEAD}{BEFORE_NAME}"
_FIRST: Final = lazy_pattern(rf"{_LEAD} (?={LONG_CAPITALIZED})", re.IGNORECASE)


def without_lead(name: str) -> str:
    """Return a name that a pattern found at the head of a sentence, without a word that only leads to it.

    Example:
        >>> without_lead("Actually Ben"), without_lead("Will Smith")
        ('Ben', 'Will Smith')
    """
    return _FIRST.sub("", name, count=1)
