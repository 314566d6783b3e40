"""Names of the user's own that are written without capitals: "my girlfriend ana moved in"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.words.kin_words import A_RELATIVE
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.english.words.places import CITIES
from langchain_agentmem.english.words.word_forms import PAST
from langchain_agentmem.extraction.words.lexicon import PROPERTY, THINGS

_RELATIVE: Final = rf"{A_RELATIVE}"
_NO_NAME: Final = (
    r"(?:is|was|are|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|and|or|but|who|which|that"
    r"|in|on|at|to|of|for|with|from|by|as|if|so|just|also|still|now|never|always|often|only|even|both|not|no|too|once"
    r"|then|there|here|first|last|later|soon|again|alone|almost|already|ever|today|kind|sort|got|gets|ill|sick|died|says|law|side|time"
    rf"|{'|'.join(sorted(PAST))}|{BEING}|{PROPERTY}|{THINGS}|\w+(?:ed|ing|ly|'\w*)|(?:job|work|place|room|name|birthday|mum|mom"
    r"|family|friend|group|team|firm|office|band|school|class|course|house|home|boss|hair|back|knee|health|life|age))"
)
_NAMED: Final = lazy_pattern(
    rf"(?P<who>(?:my|our) (?:(?:older|younger|big|little|eldest|youngest|twin|new) )?{_RELATIVE}) (?!{_NO_NAME}\b)"
    r"(?P<name>[a-z]{2,14}) (?=(?:is|was|has|works|lives|loves|likes|hates|enjoys|plays|studies|moved|turned|got|speaks"
    r"|broke|left|dumped|died|passed|doesn't|can't|teaches)\b)",
    re.IGNORECASE,
)
"""Behind a relative, before a verb: one word more can only be their name."""

_CALLED: Final = lazy_pattern(
    rf"(?P<who>(?:my|our) (?:[a-z]+ )?{_RELATIVE}(?:'s name is| is (?:called"
    rf"|named))) (?P<name>[a-z]{{2,14}})(?=$|,| and\b)",
    re.IGNORECASE,
)
_HAD: Final = lazy_pattern(
    rf"(?P<who>(?:I|we)(?:'ve| have)(?: got)? (?:an?|one|another) (?:(?!called\b|named\b)[\w-]+ ){{0,2}}?"
    rf"(?:{_RELATIVE}|{BEING}) (?:called|named)) (?P<name>[a-z]{{2,14}})"
    r"(?=$|,| and\b| who\b| (?:he|she|it)(?:'s|s| is)\b)",
    re.IGNORECASE,
)
_FROM: Final = lazy_pattern(
    rf"(?P<who>(?:I'm|I am) (?:originally )?from) (?P<name>{'|'.join(sorted(CITIES, key=len, reverse=True))})"
    r"(?=$|,| and\b| but\b)",
    re.IGNORECASE,
)
_CAPITAL: Final = lazy_pattern(rf"(?!I\b){CAPITAL}")


def in_capitals(text: str, written: str) -> str:
    """Return a clause about a relative as a careful writer would have it.

    Args:
        text: The clause.
        written: The user's own words; who writes capitals elsewhere writes a name with one.

    Example:
        >>> in_capitals("my partner dan is vegan", "my partner dan is vegan")
        'my partner Dan is vegan'
    """
    if _CAPITAL.search(written):
        return text
    found = _NAMED.match(text) or _CALLED.match(text) or _HAD.match(text) or _FROM.match(text)
    if found is None:
        return text
    return f"{found['who']} {found['name'].title()}{text[found.end('name') :]}"
