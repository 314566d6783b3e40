"""About whom each clause of a text is: the user, or somebody else.

"The user's son is allergic to nuts" shares every word but one with what it says of nobody else. Whoever stands first
in a clause is whom it is about; a clause without anybody goes on about whoever the last one was about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, NamedTuple

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.words.kin_words import KIN, any_of
from langchain_agentmem.english.words.lexicon import COMMON_FIRST_WORDS, PEOPLE, PETS, ROLES
from langchain_agentmem.english.words.patterns import CAPITALIZED, LETTER, TITLE, TITLED
from langchain_agentmem.english.words.people_words import people_of
from langchain_agentmem.types import Candidate, Memory

_OTHERS: Final = ROLES.union(
    PEOPLE,
    PETS,
    KIN,
    "children wives ex".split(),
    "employee student patient guest girl boy man woman stranger ancestor grandparent".split(),
)
_KEPT: Final = 256
_NAME_WORDS: Final = 20
"""So far from its head somebody may be named: "my mother's youngest sister's neighbour Nora"."""

_OURSELVES: Final = frozenset({"team"})
"""Of a group that the user is in: what "we" do is told so."""

_NO_HEADS: Final = frozenset(
    "appointment appointments visit visits list meeting meetings call food care portal account bed".split()
)
"""Before them a word for somebody says only which: "my dentist appointment"."""

_NO_NAMES: Final = COMMON_FIRST_WORDS | frozenset(
    "currently usually generally probably typically now often recently previously formerly only really actually".split()
)
_VERB: Final = (
    r"(?:is|are|was|were|has|have|had|will|can|does|did|used|lives?|works?|likes?|loves?|prefers?|wants?|hates?|owns?|plays?"
    r"|speaks?|studies|teaches|moved|went|grew|needs?|eats?|drinks?|uses?|never|always|also|turned|turns|got|left)"
)
_ENDS: Final = lazy_pattern(
    rf"{_VERB}|isn't|aren't|wasn't|hasn't|doesn't|don't|didn't|and|or|but|in|at|on|to|for|with|from|about|by|near|since"
    r"|that|which|who|whose|when|where|because|than|as|not",
    re.IGNORECASE,
)
_OWNER: Final = r"(?:my|our|your|his|her|their|(?:the )?user's)"
_CUT: Final = lazy_pattern(
    r"(?<=[.;!?])\s+|\n+|\s+(?=(?i:who|whose)\b)"
    r"|,?\s+(?i:and|but|while|whereas|because|although|though|so)\s+"
    rf"(?=(?i:I|we|you|he|she|they|the user)\b(?!')|(?i:{_OWNER})\s+(?:[\w-]+(?:'s)?\s+){{1,3}}?{_VERB}\b"
    rf"|{TITLED}(?:'s [\w-]+)? {_VERB}\b)"
)
_LEAD: Final = lazy_pattern(
    r"(?:\s*(?:\w+:\s|.{0,80}?\b(?:forget|delete|remove|erase|drop)\b(?: that| about)?\s"
    r"|(?:that|well|yes|yeah|no|actually|so|and|but|also|oh|sorry|please|because)\b[,\s]"
    r"|(?:(?:what|where|when|which|how|who|why)(?: \w+)? )?(?:is|are|was|were|does|do|did|has|can|will) (?!not\b)"
    rf"|{LETTER}\w+, (?=you\b|your\b)))*\s*",
    re.IGNORECASE,
)
_WHO: Final = lazy_pattern(r"\s*who(?:se)?\b", re.IGNORECASE)
_USER: Final = lazy_pattern(r"(?:I|we|you|the user|user)(?=\W|$)(?!'s\b)", re.IGNORECASE)
_USERS: Final = lazy_pattern(r"(?:my|our|your|(?:the )?user's)\s", re.IGNORECASE)
_HE: Final = lazy_pattern(r"(?P<who>he|she|his|her)\b|they\b|their\b", re.IGNORECASE)
_NAMES: Final = lazy_pattern(rf"(?P<name>{TITLED})(?:'s? |,? (?=(?:\w+ly )?{_VERB}\b|[a-z]+s\b)| and )")
_IS_OURS: Final = lazy_pattern(r"\b(?:is|are|was|were)\b.{0,120}?\b(?:my|our|your|user's) (?P<of>.*)", re.IGNORECASE)
_BEING: Final = lazy_pattern(
    r"\b(?:(?:is|are|am|was|were|been|being|be|becom(?:e|es|ing)|became)"
    r"(?: (?!my\b|our\b|user's\b)[\w-]+){0,2}?|as) an? (?:[\w-]+ ){0,2}?[\w-]+",
    re.IGNORECASE,
)
"""What somebody is said to be: "she is a nurse" speaks of one person, and "as a nurse" of nobody else."""

_TREATED: Final = lazy_pattern(
    rf"(?:{_OWNER} |the )?(?:[\w-]+ )?(?:{any_of(people_of('care'))}|Dr\.? {CAPITALIZED})(?:,? {TITLED},?)?"
    r" (?:(?:has|have|had|just|also|recently|now) )*(?:(?:prescribed|diagnosed)\b|(?:put|took|taken|weaned|started"
    r"|upped|raised|increased|lowered|reduced|halved|doubled|changed|switched|stopped|gave|given|referred|treats|treated)"
    r" (?:me|us|them|my|our|the user)\b)",
    re.IGNORECASE,
)
"""What who cares for the user does to them is told of them: "My GP took me off metformin"."""

_TITLE: Final = lazy_pattern(TITLE.replace(" ", ""))
_WITH_ME: Final = lazy_pattern(
    r"^[\w\s'-]*? and (?:I|the user|myself|you)\b(?!')|^(?:I|the user|you|user) and\b", re.IGNORECASE
)
_WORD: Final = lazy_pattern(r"[\w-]+(?:'s?(?=\s|$))?")
_TELLING: Final = lazy_pattern(
    r"\b(?:what |everything |all |anything |whatever ){0,3}(?:that )?I(?:'ve| have| had)?(?: just| ever| once)? "
    r"(?:told|said|mentioned|shared|wrote|asked|tell|say)\b(?: to)?(?: you)?|\b(?:about|of) (?:me|us)\b",
    re.IGNORECASE,
)
_SPEAKS: Final = lazy_pattern(r"\b(?:I|me|myself|we|us|mine|ours|the user(?!'s))\b", re.IGNORECASE)
_OWNS: Final = lazy_pattern(r"\b(?:my|our|(?:the )?user's)\s", re.IGNORECASE)
_FIRST: Final = lazy_pattern(r"\b(?:I|me|my|mine|myself|we|our|us)\b", re.IGNORECASE)


_ASKER: Final = lazy_pattern(r"\b(?:I|my|mine|myself|we|our|ours)\b", re.IGNORECASE)
_ADVICE: Final = lazy_pattern(r"\bhow (?:do|can|could|would|should|might) (?:I|we)\b", re.IGNORECASE)


class Clause(NamedTuple):
    """A part of a text that is about the same people.

    Attributes:
        people: Terms of whom it is about; nobody where it is about the user.
        text: Its words.
    """

    people: frozenset[str]
    text: str


def clauses_of(text: str, names: Collection[str] | None = None) -> list[Clause]:
    """Return the clauses of a text, each with whom it is about.

    Args:
        text: A memory, or a sentence of a conversation.
        names: What the user is called; `None`: nobody knows, and whoever stands there by name may be the user.

    Example:
        >>> [sorted(it.people) for it in clauses_of("My sister Nora lives in York and I live in Leeds", ["Al"])]
        [['nora'], []]
    """
    known = None if names is None else frozenset(term for name in names for term in tokenize(re.sub(r"\W", " ", name)))
    found: list[Clause] = []
    mentioned: frozenset[str] = frozenset()
    for part in _CUT.split(as_read(text)):
        before = found[-1].people if found else frozenset()
        people = _people(part, known, mentioned or before)
        found.append(Clause(before if people is None else people, part))
        mentioned = _last_mentioned(part) or mentioned
    return found


def speaks_of_oneself(what: str) -> bool:
    """Whether a request says something of the user, and does not only name a topic, or somebody else.

    Example:
        >>> speaks_of_oneself("that I am allergic to nuts"), speaks_of_oneself("my birthday")
        (True, True)
        >>> speaks_of_oneself("what I told you about nuts"), speaks_of_oneself("my sister's birthday")
        (False, False)
    """
    said = _TELLING.sub(" ", as_read(what))
    if _SPEAKS.search(said):
        return True
    return any(not _owned(said[found.end() :]) for found in _OWNS.finditer(said))


@of_texts(_KEPT)
def asks_of_oneself(question: str) -> bool:
    """Whether somebody asks about themselves, and not for advice or to be told something.

    Example:
        >>> asks_of_oneself("Where do I live?"), asks_of_oneself("What is my sister called?")
        (True, True)
        >>> asks_of_oneself("Tell me a joke"), asks_of_oneself("How do I reverse a list?")
        (False, False)
    """
    return _ASKER.search(_ADVICE.sub(" ", as_read(question))) is not None


def names_told(subject: str | None, evidence: str | None) -> frozenset[str]:
    """Return the name that stands for the user in a memory: of what they said of themselves, and not by that name.

    Example:
        >>> names_told("Alice", "I live in Leeds"), names_told("Nora", "My sister Nora lives in Leeds")
        (frozenset({'Alice'}), frozenset())
    """
    if not subject or not evidence or not _FIRST.search(evidence) or subject.casefold() in evidence.casefold():
        return frozenset()
    return frozenset({subject})


def _people(part: str, known: frozenset[str] | None, before: frozenset[str]) -> frozenset[str] | None:
    """Return whom a clause is about; `None`: whom the one before is about."""
    if before and _WHO.match(part):
        return before
    lead = _LEAD.match(part)
    said = part[lead.end() :] if lead else part
    if _USER.match(said) or _WITH_ME.match(said) or _TREATED.match(said):
        return frozenset()
    users = _USERS.match(said)
    if users:
        return _owned(said[users.end() :])
    other = _HE.match(said)
    if other:
        return _referred(other, before) | _owned(said[other.end() :])
    named = _NAMES.match(said)
    if named and named["name"].casefold() not in _NO_NAMES and not _role_of(named["name"]):
        return _named(named, said, known)
    return None if _BEING.match(part) else _owned(_BEING.sub(" ", said)) or None


def _referred(found: re.Match[str], before: frozenset[str]) -> frozenset[str]:
    return before or frozenset({found["who"].casefold()} if found["who"] else ())


def _named(found: re.Match[str], said: str, known: frozenset[str] | None) -> frozenset[str]:
    """Return nobody where a name may be the user's, or stands for what is theirs ("Tea is my favourite drink")."""
    people = frozenset(tokenize(found["name"]))
    ours = _IS_OURS.search(said, found.end("name"))
    owned = _owned(said[found.end() :]) if found[0].rstrip().endswith(("'s", "'")) else frozenset()
    if known is None or people & known or (ours and not _owned(ours["of"])):
        return owned
    return people | owned


def _owned(said: str) -> frozenset[str]:
    """Return who stands at the head of what follows: "older sister Nora works at Acme" is about Nora."""
    words = [word for word in _leading(said) if not _TITLE.fullmatch(word)]
    for index, word in enumerate(words):
        role = _role_of(word)
        following = words[index + 1] if index + 1 < len(words) else ""
        if not role or following.casefold() in _NO_HEADS:
            continue
        if following[:1].isupper() and not word.endswith(("'s", "'")):
            return frozenset(tokenize(following))
        is_further = word.endswith(("'s", "'")) and bool(_role_of(following))
        further = _owned(" ".join(words[index + 1 :])) if is_further else frozenset()
        return further | {role} if not further or _role_of(following) in further else further
    return frozenset()


def _leading(said: str) -> Iterator[str]:
    """Yield the words up to what ends a name, as far as one reaches."""
    for index, found in enumerate(islice(_WORD.finditer(said), _NAME_WORDS)):
        if index and _ENDS.fullmatch(found[0]) and found[0].casefold() != "of":
            return
        yield found[0]


def _role_of(word: str) -> str:
    """Return the term for somebody that a word is, or nothing."""
    bare = word.casefold().removesuffix("'s").removesuffix("'").removesuffix("-in-law")
    is_other = bare in _OTHERS or bare.removesuffix("s") in _OTHERS
    return next(iter(tokenize(bare)), "") if is_other and bare not in _OURSELVES else ""


def _last_mentioned(part: str) -> frozenset[str]:
    return frozenset([role for role in map(_role_of, _WORD.findall(_BEING.sub(" ", part))) if role][-1:])


def names_in(told: Memory | Candidate, user_id: str | None = None) -> frozenset[str]:
    """Return what a user is called in a memory, or in what may become one."""
    known = told.scope.user_id if isinstance(told, Memory) else user_id
    return names_told(told.subject, told.provenance.evidence) | frozenset(filter(None, (known,)))
