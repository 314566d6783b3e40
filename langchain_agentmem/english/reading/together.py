"""How people stand in a sentence: by name, by what they are to somebody, and two together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.relations import ROLES
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER, LINKED, TITLE

_WORD: Final = rf"(?:{CAPITAL}|\d+{LETTER})[\w&.@+#/'-]*(?<!'s)(?<!')"
NAME: Final = rf"{TITLE}?{_WORD}(?: (?:(?:of|&) |{LINKED})(?:{_WORD}|\d+)){{0,5}}"
ROLE: Final = rf"(?:{'|'.join(sorted(ROLES))})"
OWNER: Final = (
    rf"(?:(?:[Mm]y|[Oo]ur|[Tt]he user's) {ROLE}'s|[Mm]y|[Oo]ur|[Tt]he user's|[Hh]er|[Hh]is|[Tt]heir|{NAME}'s?)"
)
_JOINT: Final = lazy_pattern(
    rf"(?:(?P<before>(?:{OWNER} (?:[a-z]+ )?{ROLE} )?{NAME}|{OWNER} (?:[a-z]+ )?{ROLE}),? and (?P<me>I|the user)"
    rf"|(?P<first>I|[Tt]he user) and (?P<after>(?:{OWNER} (?:[a-z]+ )?{ROLE} )?{NAME}|{OWNER} (?:[a-z]+ )?{ROLE}))"
    r" (?:both )?(?P<do>(?:live|work|study|teach|like|love|enjoy|use|own|speak|play|prefer|attend|support)s? .+)"
)
"""Two of whom the same is said, one of them the user."""


def each_of(sentence: str) -> Iterator[str]:
    """Yield what is said of two together once of each: "Nora and I work at Acme"."""
    found = _JOINT.fullmatch(sentence.strip())
    if found is None:
        yield sentence
        return
    yield f"{found['before'] or found['after']} {found['do']}"
    yield f"I {found['do']}"
