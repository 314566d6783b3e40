"""On what grounds somebody says how they are: "I'm not coeliac, it was just stress", "I'm asthmatic, the GP says".

Who found it so makes it no hearsay: it is said or denied by who speaks, of themselves or of their own.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.extraction.words.lexicon import DIET, HEALTH

_STATE: Final = rf"(?:{HEALTH}|{DIET}|allergic|intolerant|pregnant|coeliac|celiac)\b"
_DENIED: Final = lazy_pattern(
    r"[^,;]{0,60}\b(?:not|isn't|aren't|no longer|don't have|doesn't have|never had|haven't got|hasn't got)\b"
    r"(?! (?:to|sure|supposed|going|only|just)\b)(?=(?P<said>[^,;]{0,120}))",
    re.IGNORECASE,
)
_AFTER_ALL: Final = lazy_pattern(rf"\b(?:after all|any ?more|actually)\b|\b{_STATE}", re.IGNORECASE)
_FOUND: Final = (
    r"(?:doctors?|gp|dietitian|nutritionist|specialist|consultant|allergist|nurse|midwife|hospital|clinic|lab"
    r"|(?:blood |allergy |skin )?tests?|results?|scan|biopsy)"
)
_GROUNDS: Final = lazy_pattern(
    rf"[,;] (?:(?:and|as|because|since|so|that's what) )?(?:(?:(?:says|said) )?(?:the|my|our|his|her|their) {_FOUND}\b"
    r"|they (?:got it wrong|mixed|made a mistake|misdiagnosed|said|told|tested|retested)\b"
    r"|(?:I|he|she) was (?:mis|wrongly )diagnosed\b"
    r"|(?:it|that) (?:was|turned out to be|turns out to be)(?: (?:just|only|all|really))?\b"
    r"|(?:it's|it is|that's)\b)",
    re.IGNORECASE,
)
_EXPERT: Final = (
    r"(?:(?:my|the|our) (?:[a-z]+ )?(?:doctors?|gp|nurse|pharmacist|chemist|dentist|consultant|specialist|allergist"
    r"|midwife|optician|diet(?:iti|ici)an|nutritionist|physio(?:therapist)?|surgeon|cardiologist|dermatologist"
    r"|neurologist|psychiatrist|psychologist|p(?:a)?ediatrician|hospital|clinic|vet)"
    rf"|(?-i:Dr)\.? {CAPITAL}[\w'-]*)"
)
_VOUCHED: Final = lazy_pattern(
    rf"(?:,? (?:as|so|or so))?[,;] (?:{_EXPERT} (?:(?:has|have|just|also) ){{0,2}}(?:(?:tells?|told) (?:me|us)|says?"
    rf"|said|confirmed|found)(?: so| it| that)?|(?:says|said) {_EXPERT})\W*$",
    re.IGNORECASE,
)
_OF_HEALTH: Final = lazy_pattern(
    rf"(?:I|we|my|our)\b.*\b{_STATE}|I(?:'m on|(?: am on| take| use| inject| need(?! to\b)| can't| cannot)) ",
    re.IGNORECASE,
)
_MAX_CHARS: Final = 300


def before_grounds(text: str) -> int:
    """Return how many characters of a sentence stand before the grounds on which it denies something.

    Example:
        >>> before_grounds("I'm not coeliac after all, it's just IBS, the doctor said")
        25
        >>> before_grounds("I'm coeliac, the doctor said")
        28
    """
    denied = _DENIED.match(text) if len(text) <= _MAX_CHARS else None
    if denied is None or not _AFTER_ALL.search(denied["said"]):
        return len(text)
    grounds = _GROUNDS.search(text, denied.end())
    return len(text) if grounds is None else grounds.start()


def before_voucher(text: str) -> int:
    """Return how many characters of a sentence on the health of who speaks stand before the expert who found it.

    Example:
        >>> before_voucher("I'm allergic to nuts, the doctor tells me")
        20
        >>> before_voucher("I'm a genius, the doctor tells me")
        33
    """
    found = _VOUCHED.search(text) if len(text) <= _MAX_CHARS else None
    return len(text) if found is None or _OF_HEALTH.match(text, 0, found.start()) is None else found.start()
