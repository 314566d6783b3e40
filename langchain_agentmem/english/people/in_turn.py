"""What is said of somebody one thing after the other: "I live in Leeds and work at Acme", "is 34 and lives in Leeds".

Where one of them is over, the others hold on. A clause begins behind a joint with a subject, or with a verb in the form
that the first subject takes: "I love cats and keep bees", and not "walks and runs". What points back ("and love it")
is told together with what it points at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import ADJECTIVES, BEING, NAME, OWNER, THEIRS, WHO

_PLAIN: Final = (
    "live work like love enjoy hate play speak own drive ride teach study keep run collect prefer drink eat take use"
    " want need have am are cook sing paint write manage lead attend volunteer"
)
_THIRD: Final = (
    "lives works likes loves enjoys hates plays speaks owns drives rides teaches studies keeps runs collects prefers"
    " drinks eats takes uses wants needs has is cooks sings paints writes manages leads attends volunteers"
)
_ALSO: Final = r"(?:(?:also|now|currently|still|often|usually) )?"
_DOES: Final = rf"{_ALSO}(?:{'|'.join(_PLAIN.split())})"
_HE_DOES: Final = rf"{_ALSO}(?:{'|'.join(_THIRD.split())})"
_ONE: Final = rf"{THEIRS} {ADJECTIVES}{BEING}(?:,? {NAME})?"
_OTHER: Final = r"(?:he|she|they|it)"
_MORE: Final = r"(?: (?!(?:is|are|was|were|has|have|had) )[\w-]+)?"
_SOME_VERB: Final = r" (?!(?:and|or|with|of|but) )(?-i:[a-z']+)"
_HEAD: Final = lazy_pattern(
    rf"(?P<who>I|we)(?:'m|'re|'ve|{_SOME_VERB}) \S|(?P<whom>{WHO}|{NAME}|{OWNER} [\w-]+{_MORE}){_SOME_VERB} \S",
    re.IGNORECASE,
)
_THING: Final = rf"{THEIRS} (?:[\w-]+ ){{1,3}}?(?:is|are)"
_SAID: Final = rf"(?:(?:I|we|they)(?:'m|'re|'ve| {_DOES}) |(?:the user|{_ONE}|{_OTHER}) {_HE_DOES} |{_THING} )"
_JOINT: Final = r"(?:,? (?:and|but) |[,;.!] )(?:also )?"
_AFTER_ME: Final = lazy_pattern(rf"{_JOINT}(?={_SAID}|{_DOES} )", re.IGNORECASE)
_AFTER_THEM: Final = lazy_pattern(rf"{_JOINT}(?={_SAID}|{_HE_DOES} )", re.IGNORECASE)
_OWN: Final = lazy_pattern(_SAID, re.IGNORECASE)
_OF_ANOTHER: Final = lazy_pattern(rf"{_OTHER}\b", re.IGNORECASE)
_THEIRS: Final = lazy_pattern(r"(?:their|his|her)\b(?= )", re.IGNORECASE)
_POINTS: Final = lazy_pattern(r"\b(?:it|him|them|there|this|that|one|both|her(?=$|[,;]))\b", re.IGNORECASE)
_RELATIVE: Final = lazy_pattern(r"\b(?:who|which|that)\b", re.IGNORECASE)
_REACHES_ON: Final = lazy_pattern(
    r"\b(?:not|never|no longer|because|if|when|while|so|where|used to)\b|n't\b", re.IGNORECASE
)
"""Words of a clause that may be meant for the next one, too: "never eats meat and drinks milk"."""

_LEADS: Final = lazy_pattern(
    r"(?<!allergic )(?<!moved )(?<!married )(?<!go )\bto\b|\b(?:can|will|would|must|should|could|might|may)\b"
    r"|'(?:d|ll)\b|\b(?:makes?|lets?|helps?|watch(?:es)?|sees?|hears?)\b",
    re.IGNORECASE,
)
"""Before a plain verb: "I want to live in Leeds and work at Acme" may wish for both."""

_LEAST: Final = 2


class InTurn(NamedTuple):
    """Clauses, each in words of its own; `can_stand`: they are sure to say no more than was said."""

    parts: tuple[str, ...]
    can_stand: bool


def said_in_turn(text: str) -> InTurn | None:
    """Return each thing that is said of somebody one after the other; `None` where it is one, or rules cannot tell.

    Example:
        >>> said_in_turn("I'm 34 and live in Leeds").parts
        ("I'm 34", 'I live in Leeds')
        >>> said_in_turn("I have a dog and love him") is None
        True
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    clauses = [*_clauses(text, is_of_me=head["who"] is not None)]
    if len(clauses) < _LEAST or not _HEAD.match(clauses[0]) or any(_RELATIVE.search(it) for it in clauses[:-1]):
        return None
    who = head["who"] or head["whom"]
    reaches = [_REACHES_ON.search(it) or (head["who"] and _LEADS.search(it)) for it in clauses[:-1]]
    can_stand = not any(reaches) and not any(map(_OF_ANOTHER.match, clauses[1:]))
    return InTurn((clauses[0], *(_by_itself(it, who) for it in clauses[1:])), can_stand)


def _clauses(text: str, *, is_of_me: bool) -> Iterator[str]:
    """Yield clauses as they stand; what points back belongs to the one before it."""
    joints = [*(_AFTER_ME if is_of_me else _AFTER_THEM).finditer(text)]
    ends = [it.start() for it in joints] + [len(text)]
    kept = [it for it, end in zip(joints, ends[1:], strict=True) if not _POINTS.search(text, it.end(), end)]
    places = [(0, 0), *(it.span() for it in kept), (len(text), len(text))]
    yield from (text[start:end].strip(" ,;.!") for (_, start), (end, _) in pairwise(places))


def _by_itself(clause: str, who: str) -> str:
    """Return a clause with its subject."""
    if not _OWN.match(f"{clause} "):
        return f"{who} {clause}"
    owned = _THEIRS.sub(_owner(who), clause, count=1) if _THEIRS.match(clause) else clause
    return owned[:1].upper() + owned[1:]


def _owner(who: str) -> str:
    whose, owns, _ = who.partition("'s ")
    return {"i": "my", "we": "our"}.get(who.casefold()) or f"{whose if owns else who}'s"
