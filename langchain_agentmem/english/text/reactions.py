"""What a user says to an answer, and an answer that is none: set phrases of consent, of protest and of being at a loss.

English.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read

_CONFIRMS: Final = lazy_pattern(
    r"\s*(?:(?:oh|ah|great|perfect|awesome|cool|nice|ok|okay|thanks|thank you|wow|yes|yeah|yep|yup)[\s,.!]+)*"
    r"(?:(?:yes|yeah|yep|yup)?[\s,.!]*(?:exactly|precisely|(?:that|this)(?:'s| is| was)? (?:right"
    r"|correct|true|exactly (?:it|right)|perfect"
    r"|what i (?:meant|wanted|needed))|that (?:worked|works|helped|helps|did it|did the trick|fixed it"
    r"|solved it)|it (?:worked|works now|helped)"
    r"|you(?:'re| are) (?:absolutely |quite )?(?:right|correct)|you remembered|correct|indeed|spot on"
    r"|well remembered|good memory|worked like a charm)"
    r"|(?:yes|yeah|yep|yup)\W*$)",
    re.IGNORECASE,
)
_CONTRADICTS: Final = lazy_pattern(
    r"\s*(?:(?:oh|ah|hm+|um|well|sorry|wait|but|ok|okay|no|nope|nah|actually)[\s,.!]+)*"
    r"(?:(?:that|this|it)(?:'s| is| was|'s just| is just) (?:(?:completely|totally|simply|not at all"
    r"|plain|just) )?(?:wrong|incorrect|false|not (?:right|true|correct|me|what i (?:said|meant"
    r"|asked))|outdated|out of date|untrue|nonsense)"
    r"|(?:that|this|it)(?:'s| is)? (?:no longer|not any ?more) (?:true|right|the case|correct)"
    r"|that (?:isn't|is not|wasn't) (?:right|true|correct|what i (?:said|meant))"
    r"|i (?:never|didn't|did not) (?:say|said|tell|told|ask|asked|want|wanted|mean|meant|mention"
    r"|mentioned)|you(?:'re| are) (?:wrong|mistaken|confus\w+|mixing)"
    r"|(?:you )?(?:got|have) (?:that|it|this|me) wrong|wrong\b|not (?:true|correct|any ?more)\b"
    r"|(?:that|it) (?:didn't|did not|doesn't|does not) (?:work|help)|where did you get that)"
    r"|\s*(?:no|nope)\b\s*[,.!]*\s*(?:i (?:don't|do not|am not|'m not|no longer)|i'm not|it's|that's|$)",
    re.IGNORECASE,
)
_AT_A_LOSS: Final = lazy_pattern(
    (
        r"\b(?:i (?:do not|don't) know|i(?:'m| am) (?:not sure|unable to|afraid i (?:can't|cannot|don't))"
        r"|i (?:can't|cannot|could not|couldn't) (?:answer|help|find|do (?:that|this)|access)"
        r"|i have no (?:information|record|memory))\b"
    ),
    re.IGNORECASE,
)
_MAX_LOSS_CHARS: Final = 300  # a longer answer says something beside its doubts


def confirms(said: str) -> bool:
    """Whether a message begins by agreeing with what was answered."""
    return _CONFIRMS.match(as_read(said)) is not None and not contradicts(said)


def contradicts(said: str) -> bool:
    """Whether a message begins by rejecting what was answered."""
    return _CONTRADICTS.match(as_read(said)) is not None


def is_answer(answer: str) -> bool:
    """Whether an answer says anything but that there is none."""
    at_a_loss = len(answer) <= _MAX_LOSS_CHARS and _AT_A_LOSS.search(answer) is not None
    return bool(answer.strip()) and not at_a_loss
