"""Whether an answer's claims about its user stand on anything that the assistant was told.

Of the user and of what is theirs a model knows what memory, tools and the conversation say, and nothing besides. What
it says of the rest of the world is its own knowledge, and is not judged here. English; what no rule reads is no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.attributing import is_of_another, is_of_same
from langchain_agentmem.english.reading.statements import FUNCTIONAL_RELATIONS, Fact, Statement, parse_statement
from langchain_agentmem.english.text.quantities import amount_of, dimension
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import PARTNERS
from langchain_agentmem.english.words.lexicon import ATTRIBUTES, PEOPLE, PETS, REGIONS, stem
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.policies.claims import (
    AGED,
    COMPOSING,
    PERSONAL,
    as_said_by_user,
    claims_in,
    clauses_in,
    is_unread,
    sentences_in,
)
from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.types import Memory

MAX_CLAIMS: Final = 16
"""Of one answer, the first: who lists more of a user is asked to list what is remembered, and shows it."""

MAX_SENTENCES: Final = 200
"""That an answer is held against, about 40 ms of work; where there are more, nothing is called new to all of them."""

MAX_TELLING: Final = 20
MAX_TOLD_CHARS: Final = 500
"""Sentences that are kept of a conversation for judging an answer later, and their length."""

_SAME_LETTERS: Final = 4
"""Names that begin with the same letters may be forms of one name ("Berlin", "Berliner")."""

_MAX_ACRONYM: Final = 5
_TOLD: Final = FUNCTIONAL_RELATIONS - {"is", "is_a", "default", "main", "primary", "preferred", "uses_for"}
"""Relations of which a user has one object at a time, and that are told rather than found out."""

_TOPICS: Final = (
    ATTRIBUTES
    | PARTNERS
    | PEOPLE
    | frozenset(
        "dog cat pet doctor dentist school university college company car birthday anniversary flight train appointment"
        " meeting neighbourhood neighborhood country home team deadline".split()
    )
)
"""What is told of a person. Of what a user works at ("your cluster", "your function") a model may find out more."""

_TRAITS: Final = lazy_pattern(
    r"(?:lives?|living|resides?|based|located|(?:works?|working|worked|employed) (?:at|for|as|in)|stud(?:y|ies|ying)"
    r"|prefers?|likes?|loves?|hates?|dislikes?|enjoys?|drives?|owns?|speaks?|named|called|born|married|allergic|from"
    r"|moved|grew up|comes?|eats?|drinks?|plays?|teach(?:es)?|earns?)\b",
    re.IGNORECASE,
)
"""What is said of a person, not of what is to be done ("you use Helm to install it")."""

_HAVING: Final = lazy_pattern(r"(?:have|has|owns?)\b", re.IGNORECASE)
"""Tells of a person where it is of whom they have: "you have two options" does not."""

_MAX_COUNTED: Final = 12
"""What was told may be counted, up to about so many: no greater number has to be told where its things were."""

_NAME: Final = lazy_pattern(rf"(?<=\s){CAPITAL}[\w'-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What was found of an answer.

    Attributes:
        supported: Whether all it claims of its user was told; `False`: something was not; `None`: it claims nothing, or
            rules cannot tell, as of a clause about the user that no rule reads.
        unsupported: The claims that nothing supports, in the answer's words.
        denied: Ids of memories in whose place the answer names something else.
        mistaken: Ids of memories about somebody of whom the answer says nothing, while it says the same of another.
    """

    supported: bool | None = None
    unsupported: tuple[str, ...] = field(default=(), repr=False)
    denied: frozenset[str] = field(default=frozenset(), repr=False)
    mistaken: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """What an assistant was told.

    Attributes:
        memories: That were shown to it.
        said: The user's words, read once, when a claim is held against them.
        told: Answers of tools, instructions, and whatever else it read; as well.
    """

    memories: Sequence[Memory] = ()
    said: Iterable[str] = field(default=(), repr=False)
    told: Iterable[str] = field(default=(), repr=False)
    names: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find out what the user is called."""
        known = {memory.scope.user_id.casefold() for memory in self.memories}
        told = {(memory.object or "").casefold() for memory in self.memories if memory.relation == "name"}
        object.__setattr__(self, "names", frozenset(known | told) - {""})

    @cached_property
    def read(self) -> tuple[tuple[str, Statement], ...]:
        """What memories say, by their ids; turns of conversations are read sentence by sentence."""
        return tuple((it.id, said) for it in self.memories if it.kind != "episode" for said in self._read(it))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """All that was told, sentence by sentence."""
        episodes = (memory.content for memory in self.memories if memory.kind == "episode")
        texts = islice(sentences_in([*self.said, *self.told, *episodes]), MAX_SENTENCES)
        return (*(said for _, said in self.read), *map(self.parse, texts))

    @cached_property
    def is_whole(self) -> bool:
        """Whether all that was told was read."""
        return len(self.statements) - len(self.read) < MAX_SENTENCES

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of it, and its stems."""
        own = {word for name in self.names for word in name.split()}
        return frozenset(own).union(*(it.words.union(it.content) for it in self.statements))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number of it."""
        return frozenset(number for it in self.statements for number in it.numbers)

    def parse(self, text: str) -> Statement:
        """Read a sentence; the user's name is the user."""
        called = next((name for name in sorted(self.names) if name in text.casefold()), None)
        return parse_statement(text, speaker_name=called)

    def _read(self, memory: Memory) -> Iterator[Statement]:
        """Yield what a memory's words say, and its fields."""
        yield self.parse(memory.content)
        if memory.relation is not None and memory.object is not None:
            is_user = (memory.subject or "user").casefold() in self.names | {"user", "the user", "i"}
            subject = "user" if is_user else memory.subject
            yield parse_statement(memory.content, subject=subject, relation=memory.relation, object=memory.object)


def check_answer(answer: str, grounds: Grounds, question: str = "") -> Support:
    """Hold an answer's claims about its user against what the assistant was told.

    Args:
        answer: Its last words.
        grounds: What it was told.
        question: What it answers; a few words may be a claim beside it ("Where do I live?" "In Paris.").

    Example:
        >>> check_answer("You live in Paris.", Grounds(said=["I live in Berlin."])).unsupported
        ('You live in Paris',)
    """
    if COMPOSING.search(question):
        return Support()
    claims = [
        (shown, grounds.parse(meant)) for shown, meant in islice(claims_in(answer, question, grounds.names), MAX_CLAIMS)
    ]
    if not claims:
        return Support()
    found = [_is_supported(claim, grounds) for _, claim in claims]
    unsupported = tuple(shown for (shown, _), verdict in zip(claims, found, strict=True) if verdict is False)
    denied = {id_ for id_, said in grounds.read if any(_names_another(claim, said) for _, claim in claims)}
    is_all_told = all(found) and not any(is_unread(*it) for it in clauses_in(answer, grounds.names))
    supported = False if unsupported else is_all_told or None
    mistaken = {id_ for id_, said in grounds.read if any(is_of_another(said, claim) for _, claim in claims)}
    return Support(supported=supported, unsupported=unsupported, denied=frozenset(denied), mistaken=frozenset(mistaken))


def is_told(claim: str, grounds: Grounds) -> bool:
    """Whether something that was told has every word and number of a claim, or says the same."""
    read = grounds.parse(as_said_by_user(claim, grounds.names))
    return _is_supported(read, grounds) is True


def telling(texts: Iterable[str], answer: str) -> tuple[str, ...]:
    """Return the sentences that an answer's claims about its user may stand on, those with most of its words first.

    Of a long conversation that is all it takes to judge an answer later; where nothing is claimed, there are none.
    """
    if next(claims_in(answer, "", ()), None) is None:
        return ()
    words = frozenset(tokenize(answer))
    shared = {it: len(words.intersection(tokenize(it))) for it in sentences_in(texts) if len(it) <= MAX_TOLD_CHARS}
    best = sorted((it for it, count in shared.items() if count), key=lambda it: -shared[it])
    return tuple(best[:MAX_TELLING])


# -------------------------------------------------------------------------------------------------------------- support
def _is_supported(claim: Statement, grounds: Grounds) -> bool | None:
    if any(_says(told, claim) for told in grounds.statements):
        return True
    if any(judge(claim, told, similarity=None).rule in _REFUTES for _, told in grounds.read):
        return False
    is_unfounded = _is_new(claim, grounds) or any(is_of_another(told, claim) for told in grounds.statements)
    return False if grounds.is_whole and is_unfounded else None


_CHOSEN: Final = frozenset({"favourite", "favorite", "preferred"})
_PEOPLE_STEMS: Final = frozenset(stem(word) for word in PEOPLE | PETS)
_REGION_STEMS: Final = frozenset(stem(word) for word in REGIONS)
"""Where a city is known, so is its country."""

_DAYS: Final = frozenset({*WEEKDAYS, *MONTHS})
"""Of a date that was told, the day of the week can be found out."""

_REFUTES: Final = frozenset({"functional_conflict", "other_number", "opposite_polarity"})


def _says(told: Statement, claim: Statement) -> bool:
    """Whether what was told has all of a claim, and denies what it denies."""
    own, others = {*claim.content, *claim.numbers}, {*told.content, *told.numbers}
    if own.isdisjoint(others) or not is_of_same(told, claim):
        return False
    if own <= others and claim.content and bool(claim.negated) == bool(told.negated):
        return True
    return judge(claim, told, similarity=None).relation == "duplicate"


def _is_new(claim: Statement, grounds: Grounds) -> bool:
    """Whether a claim about a person names somebody, something or a time that nothing told the assistant."""
    if not _is_of_person(claim):
        return False
    if _counts_anew(claim, grounds):
        return True
    told = {dimension(number) for number in grounds.numbers}
    is_dated = "date" in told or bool(_DAYS & grounds.words)
    named = [name for name in _NAME.findall(claim.text) if name != "I"]
    if any(name.isupper() and len(name) <= _MAX_ACRONYM for name in named):
        return False  # a short form of anything
    names = (name for name in named if name.casefold() not in (REGIONS | _DAYS if is_dated else REGIONS))
    if any(not _is_known(name, grounds.words) for name in names):
        return True
    sizes = {dimension(number) for number in claim.numbers if number not in grounds.numbers}
    if any(size and size not in told for size in sizes):
        return True
    facts = (fact for fact in claim.facts if fact.relation in _TOLD and fact.is_certain and fact.object.isalpha())
    return any(not fact.words & (grounds.words | _REGION_STEMS) for fact in facts)


def _counts_anew(claim: Statement, grounds: Grounds) -> bool:
    """Whether a claim has a bare number that could be found out from nothing: an age from no date, people from none."""
    told = {dimension(number) for number in grounds.numbers}
    bare = [amount_of(it) for it in claim.numbers if not dimension(it) and it not in grounds.numbers]
    if not bare or not told.isdisjoint({"", "date"}):
        return False
    is_any_known = not _PEOPLE_STEMS.isdisjoint(grounds.words)
    return max(bare) > _MAX_COUNTED or (not is_any_known and not _PEOPLE_STEMS.isdisjoint(claim.content))


def _is_of_person(claim: Statement) -> bool:
    """Whether a claim, in the user's person, is about somebody rather than about what they work at."""
    found = PERSONAL.match(f"{claim.text} ")
    if found is None:
        return AGED.fullmatch(claim.text) is not None
    if found["what"] is None and _HAVING.match(claim.text, found.start("verb")):
        return not _PEOPLE_STEMS.isdisjoint(claim.content)
    if found["what"] is None:
        return _TRAITS.match(claim.text, found.start("verb")) is not None
    words = found["what"].casefold().replace("'s", "").split()
    return words[-1] in _TOPICS or not _CHOSEN.isdisjoint(words)


def _is_known(name: str, words: frozenset[str]) -> bool:
    parts = [part for part in re.split(r"['-]", name.casefold()) if part and part != "s"]
    begins = {word[:_SAME_LETTERS] for word in words}
    return any(part in words or part[:_SAME_LETTERS] in begins for part in parts)


def _names_another(claim: Statement, told: Statement) -> bool:
    """Whether a claim has something else in the place of what a memory says; whoever it is about."""
    return any(_differ(new, old) for new in claim.facts for old in told.facts)


def _differ(new: Fact, old: Fact) -> bool:
    is_one = new.relation == old.relation and set(new.qualifier.split()) == set(old.qualifier.split())
    functional = new.relation in _TOLD or (new.relation == "is" and new.subject == old.subject)
    return is_one and functional and new.is_certain and old.is_certain and not new.words & old.words
