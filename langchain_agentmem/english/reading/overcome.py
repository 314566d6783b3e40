"""Ways of saying that what ailed somebody is over: "my cat allergy is gone", "I outgrew my cat allergy"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.words.kin_words import any_of

_AILMENTS: Final = (
    "allergy allergies intolerance asthma eczema diabetes anaemia anemia migraine migraines insomnia anxiety depression"
    " phobia stutter addiction"
)
_AILMENT: Final = rf"(?:[\w-]+ )?(?:hay fever|{any_of(_AILMENTS.split())})(?: to [\w-]+(?: [\w-]+)?)?"
_AT_LAST: Final = r"(?:(?:now|finally|completely|totally|fully|all|just|since) )*"
_TAIL: Final = r"(?=\s*(?:[.,;!)]|\Z|(?:now|for good|at last|completely|entirely|thanks to|since|after|and|but)\b))"
_GONE: Final = (
    rf"(?:(?:is|are) {_AT_LAST}(?:gone|cured|over|history|a thing of the past|in remission)"
    rf"|(?:has|have) {_AT_LAST}(?:gone(?: away)?|disappeared|vanished|cleared up|passed|subsided for good)"
    rf"|{_AT_LAST}(?:went away|disappeared|vanished|cleared up)){_TAIL}"
)
_WHOSE: Final = r"(?:my|his|her|their)"
_OVERCAME: Final = (
    rf"(?:(?:have|has|am|is|'ve) )?{_AT_LAST}(?:(?:got|gotten|gets) over|over|outgrew|outgrown|(?:grew|grown) out of"
    r"|overcame|overcome|beat|beaten)"
)

OVER: Final = rf"my (?P<object>{_AILMENT}) {_GONE}.*|I(?:'m)? ?{_OVERCAME} my (?P<what>{_AILMENT}){_TAIL}.*"
"""What somebody says of an ailment of their own that they have no more."""

OUTGREW: Final = rf"{_OVERCAME} {_WHOSE} (?P<said>{_AILMENT}){_TAIL}.*"
GONE_FROM: Final = rf"(?P<who>[^\s,;][^,;]{{0,60}}?)'s (?P<said>{_AILMENT}) {_GONE}.*"
"""What is said of an ailment of somebody else's that they have no more."""

DENIALS: Final[Sequence[tuple[str, str, str]]] = (
    (f"{_AILMENTS} fever", rf"\bmy ({_AILMENT}) {_GONE}", r"I do not have a \1"),
    (f"{_AILMENTS} fever", rf"\b(his|her|their) ({_AILMENT}) {_GONE}", r"\1 does not have a \2"),
    (f"{_AILMENTS} fever", rf"(?<=\w)'s ({_AILMENT}) {_GONE}", r" does not have a \1"),
    (
        "over outgrew outgrown grew grown overcame overcome beat beaten",
        rf"\b(?<!not ){_OVERCAME} {_WHOSE} ({_AILMENT}){_TAIL}",
        r"do not have a \1",
    ),
)
"""Each such saying behind the words of which it has one, and the words that deny it."""
