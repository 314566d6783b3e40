"""What of a user's memories says the same: which of them one can stand for all, and what was seen often enough.

Pure functions of records, in no order of theirs. A statement is only ever replaced by one that says all it says: where
one says more, the longer one stays. What waits for support counts only sightings that say all that it says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_agentmem.english.reading.duplicates import PARAPHRASE_COSINE
from langchain_agentmem.english.reading.pair import LIGHT_STEMS
from langchain_agentmem.english.reading.profile_fields import field_of
from langchain_agentmem.english.reading.statements import Statement
from langchain_agentmem.english.words.lexicon import GENERIC
from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.types import Memory

MIN_SHARED: Final = 0.5
"""Of the words of the shorter of two statements, so much is in the other, if they say the same in other words."""

Similarity: TypeAlias = Callable[[str, str], float | None]
"""The cosine of two memories, by their ids; `None` where it is not known."""

REASONS: Final[Mapping[str, str]] = {
    "pinned": "one of them is pinned",
    "goal": "a goal has a progress of its own",
    "episode": "an episode is a pointer, not a statement",
    "outcome": "an outcome tells of its own time",
    "profile_field": "one of them is a field of the profile",
    "ends": "one of them holds until a time of its own, or is yet to begin",
    "disputed": "one of them is contradicted, and it is for the user to say which holds",
    "waits": "one of them waits for support, the other is known",
    "not_yet": "they wait for more support",
    "purposes": "they may be used for different purposes",
    "legal_basis": "they are kept on different legal grounds",
    "fields": "their subject, relation or object differ",
}
"""Why memories that say the same are left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Memories of which one stands for all.

    Attributes:
        kept: Says all that the others say.
        others: Say nothing that it does not say.
        equals: Of these, those that say as much as it does; it is itself the first.
    """

    kept: Memory
    others: tuple[Memory, ...]
    equals: tuple[Memory, ...]

    @property
    def members(self) -> tuple[Memory, ...]:
        """All of them, the one that is kept first."""
        return (self.kept, *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A statement that waits, and what supports it.

    Attributes:
        memory: Waits.
        equals: Say the same, and wait too.
        support: All that say what it says, itself the first.
        sightings: Independent ones among them.
    """

    memory: Memory
    equals: tuple[Memory, ...]
    support: tuple[Memory, ...]
    sightings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAlone:
    """Memories that were not touched, and why.

    Attributes:
        memory_ids: Say the same, or say it so often.
        rule: Which condition they fail; the name of a rule of the write policy where that objected.
        reason: In words, without a word of what they say.
    """

    memory_ids: tuple[str, ...]
    rule: str
    reason: str


@dataclass(slots=True)
class Findings:
    """What was found among memories."""

    groups: list[Group] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    left_alone: list[LeftAlone] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Which memory says all that another says: `within[a]` has the ids of those that say all of `a`."""

    within: Mapping[str, set[str]]

    def are_equal(self, one: Memory, other: Memory) -> bool:
        return other.id in self.within[one.id] and one.id in self.within[other.id]


def left_alone(memories: Iterable[Memory], rule: str) -> LeftAlone:
    """Return memories as left alone by a rule."""
    return LeftAlone(memory_ids=tuple(it.id for it in memories), rule=rule, reason=REASONS[rule])


def find_alike(memories: Sequence[Memory], statements: Mapping[str, Statement], similarity: Similarity) -> Findings:
    """Return what says the same among memories of one user and one agent.

    Args:
        memories: Active and pending ones.
        statements: What they say, by id.
        similarity: Of their texts.
    """
    findings = Findings()
    within: dict[str, set[str]] = defaultdict(set)
    words = {it.id: _Words.of(statements[it.id]) for it in memories}
    for one, other in _near(memories, words, similarity):
        says = _contained(one, other, statements, similarity)
        rule = _objection(one, other) if any(says) else None
        if rule is not None:
            findings.left_alone.append(left_alone((one, other), rule))
            continue
        for it, by, is_said in ((one, other, says[0]), (other, one, says[1])):
            if is_said:
                within[it.id].add(by.id)
    alike = _Alike(within)
    findings.groups = list(_groups([it for it in memories if it.status == "active"], alike, words))
    findings.signals = list(_signals([it for it in memories if it.status == "pending"], alike))
    return findings


def sightings_of(memories: Iterable[Memory]) -> int:
    """Return how many independent sightings memories hold together.

    One message is seen once, and what the assistant says again in a conversation is no other sighting.
    """
    seen: set[str] = set()
    heard: set[str | None] = set()
    count = 0
    for memory in sorted(memories, key=_age):
        origin = memory.provenance
        is_echo = origin.speaker == "assistant" and memory.scope.session_id in heard
        is_known = bool(origin.message_ids) and seen.issuperset(origin.message_ids)
        heard |= {memory.scope.session_id} if origin.speaker == "assistant" else set()
        seen.update(origin.message_ids)
        count += 0 if is_echo or is_known else memory.sightings
    return count


class _Words(NamedTuple):
    """What of a statement is compared before its meaning is: words that tell, and facts."""

    telling: frozenset[str]
    facts: frozenset[tuple[Any, frozenset[str]]]

    @classmethod
    def of(cls, statement: Statement) -> _Words:
        telling = frozenset(statement.content).union(statement.numbers) - LIGHT_STEMS - GENERIC
        facts = frozenset((it.key, it.words) for it in statement.facts)
        return cls(telling or frozenset(statement.text.casefold().split()), facts)


def _near(
    memories: Sequence[Memory], words: Mapping[str, _Words], similarity: Similarity
) -> Iterator[tuple[Memory, Memory]]:
    """Yield the pairs of one kind that may say the same; each once, the older first.

    To judge a pair takes a hundred times as long; no rule for duplicates finds one that is left out here.
    """
    ordered = sorted(memories, key=_age)
    sizes = [len(words[it.id].telling) for it in ordered]
    places: dict[tuple[str, object], list[int]] = defaultdict(list)
    for place, memory in enumerate(ordered):
        own = words[memory.id]
        shared = Counter(chain.from_iterable(places[memory.kind, word] for word in own.telling))
        found = {it for fact in own.facts for it in places[memory.kind, fact]}
        for other, count in shared.items():
            least = min(sizes[place], sizes[other])
            if count >= least or (
                count >= MIN_SHARED * least and _is_paraphrase(similarity(ordered[other].id, memory.id))
            ):
                found.add(other)
        yield from ((ordered[other], memory) for other in sorted(found))
        for part in (*own.telling, *own.facts):
            places[memory.kind, part].append(place)


def _is_paraphrase(cosine: float | None) -> bool:
    return cosine is not None and cosine >= PARAPHRASE_COSINE


def _contained(
    one: Memory, other: Memory, statements: Mapping[str, Statement], similarity: Similarity
) -> tuple[bool, bool]:
    """Whether the second says all that the first says, and the first all that the second; neither in a conflict."""
    cosine = similarity(one.id, other.id)
    here, there = statements[one.id], statements[other.id]
    relations = [judge(new, old, similarity=cosine).relation for new, old in ((here, there), (there, here))]
    if "conflict" in relations:
        return False, False
    return relations[0] == "duplicate", relations[1] == "duplicate"


def _objection(one: Memory, other: Memory) -> str | None:
    """Return why two that say the same must not become one."""
    pair = (one, other)
    conditions = (
        ("episode", any(it.kind == "episode" for it in pair)),
        ("goal", any(it.kind == "goal" for it in pair)),
        ("outcome", any(it.kind == "outcome" for it in pair)),
        ("profile_field", any(field_of(it) is not None for it in pair)),
        ("pinned", any(it.pinned for it in pair)),
        ("disputed", any(it.contradicts or (it.status == "pending" and it.supersedes) for it in pair)),
        ("ends", any(_has_own_time(it) for it in pair)),
        ("purposes", set(one.purposes) != set(other.purposes)),
        ("legal_basis", one.legal_basis != other.legal_basis),
        ("fields", _fields_differ(one, other)),
        ("waits", one.status != other.status),
    )
    return next((rule for rule, applies in conditions if applies), None)


def _has_own_time(memory: Memory) -> bool:
    """Whether a memory has an end, or was told before it began: what stands for several has neither."""
    is_ahead = memory.valid_at is not None and memory.valid_at > memory.created_at
    return is_ahead or memory.invalid_at is not None or memory.expires_at is not None


def _fields_differ(one: Memory, other: Memory) -> bool:
    """Whether both name a subject, a relation or an object, and not the same."""
    for name in ("subject", "relation", "object"):
        here, there = getattr(one, name), getattr(other, name)
        if here and there and here.casefold().split() != there.casefold().split():
            return True
    return False


def _groups(memories: Sequence[Memory], alike: _Alike, words: Mapping[str, _Words]) -> Iterator[Group]:
    """Yield groups of known memories; kept is one that no other says more than, of equal ones the fullest or oldest."""
    taken: set[str] = set()
    for kept in sorted(memories, key=lambda it: (-len(words[it.id].telling), it.relation is None, *_age(it))):
        others = [it for it in memories if it.id not in taken and kept.id in alike.within[it.id]]
        is_whole = all(alike.are_equal(kept, it) for it in memories if it.id in alike.within[kept.id])
        if kept.id in taken or not others or not is_whole:
            continue
        taken |= {kept.id, *(it.id for it in others)}
        ordered = tuple(sorted(others, key=_age))
        equals = (kept, *(it for it in ordered if alike.are_equal(kept, it)))
        yield Group(kept=kept, others=ordered, equals=equals)


def _signals(memories: Sequence[Memory], alike: _Alike) -> Iterator[Signal]:
    """Yield what waits and has company; of equal ones the oldest."""
    taken: set[str] = set()
    for memory in sorted(memories, key=_age):
        said_by = [it for it in memories if it.id in alike.within[memory.id]]
        if memory.id in taken or not said_by:
            continue
        equals = tuple(it for it in said_by if alike.are_equal(memory, it))
        taken |= {memory.id, *(it.id for it in equals)}
        support = (memory, *said_by)
        yield Signal(memory=memory, equals=(memory, *equals), support=support, sightings=sightings_of(support))


def _age(memory: Memory) -> tuple[float, str]:
    return memory.created_at.timestamp(), memory.id
