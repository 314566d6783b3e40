"""Which stored memories a new statement has to be held against."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import search_text
from langchain_agentmem._stand_ins import is_of_somebody
from langchain_agentmem.english.endings.denied_goals import (
    given_up,
    is_denial,
    is_given_up,
    is_other_side,
    is_word_for_word,
)
from langchain_agentmem.english.endings.reached_goals import is_reached, reached
from langchain_agentmem.english.endings.undone import undone_in
from langchain_agentmem.english.people.address import is_called
from langchain_agentmem.english.people.kin import is_of_kin, told_by_name
from langchain_agentmem.english.people.namesakes import Namesakes, by_name_alone, known_in
from langchain_agentmem.english.reading.orders import is_for_good, is_overruled, is_same_manner
from langchain_agentmem.english.reading.profile_fields import field_of, standing
from langchain_agentmem.english.reading.statements import Statement, parse_statement
from langchain_agentmem.english.reading.states import told_by
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.long_term.write.facts_over import (
    facts_over,
    held_against,
    is_end,
    is_over_by,
    is_same_death,
    may_be_over,
    moves_day,
    rest_beside,
)
from langchain_agentmem.long_term.write.lifting import MAX_FACTS, ORDERED, lift_of, lifts, lifts_only, order_of
from langchain_agentmem.policies.conflict import FUNCTIONAL_RELATIONS, KEPT, judge
from langchain_agentmem.policies.purposes import are_apart, said_again
from langchain_agentmem.types import Candidate, GoalProgress, Memory

_BARE: Final = frozenset({"age"})
"""Relations that are told by a number alone, so that no word finds another value of them."""

_DIGIT: Final = lazy_pattern(r"\d")

MAX_LINKS: Final = 5
"""Near but different memories that a new one points at."""

MAX_GOALS: Final = 200
"""Goals that one given up is looked for among, the newest first."""

MAX_ORDERS: Final = 200
"""Instructions that one which ends another is held against, the newest first."""

_FAR: Final = "unrelated"
"""What a memory is that nothing but the end of something may be about."""

_DECISION: Final = "decision"
"""Tag of a fact that is a decision; one not to do something may end a goal."""


class Beside(NamedTuple):
    """What a candidate is held against in any case: memories of these ids, and all that changed after `seen`.

    Attributes:
        rivals: Ids of those that say otherwise, whatever their words.
    """

    ids: tuple[str, ...] = ()
    seen: int | None = None
    rivals: frozenset[str] = frozenset()


NOTHING_BESIDE: Final = Beside()


class Waiting(NamedTuple):
    """Neighbours that wait for approval: those that say the same, and those that say otherwise."""

    same: tuple[Memory, ...] = ()
    other: tuple[Memory, ...] = ()


NONE_WAITING: Final = Waiting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Neighbours of a candidate, by how they stand to it; each list has the nearest first.

    Attributes:
        conflicts: What it may replace. `disputed`: what it contradicts, and may not replace; related as well.
        waiting: What waits for approval, where it stands apart.
        narrower: What says the same for fewer purposes.
        left: What remains of those that it may replace and of which only a part is over, in words, by their ids.
    """

    duplicates: Sequence[Memory] = ()
    conflicts: Sequence[Memory] = ()
    related: Sequence[Memory] = ()
    disputed: Sequence[Memory] = ()
    waiting: Waiting = NONE_WAITING
    narrower: Sequence[Memory] = ()
    left: Mapping[str, Sequence[str]] = field(default_factory=dict)


def compare(
    candidate: Candidate,
    neighbours: Iterable[Memory],
    cosines: Mapping[str, float],
    rivals: Collection[str] = (),
    functional: frozenset[str] = FUNCTIONAL_RELATIONS,
    *,
    far: Container[str] = (),
) -> Similar:
    """Judge each neighbour against a candidate; conflict is looked for before duplicate, and known of `rivals`.

    Facts that are only there because they may be over (`far`) are asked nothing else.
    """
    ordered = sorted(neighbours, key=lambda memory: (-cosines.get(memory.id, 0.0), memory.id))
    is_named = any(_is_corrected(candidate, memory) for memory in ordered)
    new = statement_of(replace(candidate, is_correction=False) if is_named else candidate)  # it corrects just that one
    judged = partial(_relation, candidate, new=new, functional=functional)
    by_words = partial(_relation_of_part, candidate, judged)
    found: dict[str, list[Memory]] = {"duplicate": [], "conflict": [], "related": [], "narrower": []}
    namesakes = Namesakes(candidate, ordered)
    others = {it.id for it in ordered if _may_be_another(candidate, it, namesakes) and not _is_corrected(candidate, it)}
    over = facts_over(candidate, [it for it in ordered if it.id not in others])
    left, rivals_left = dict[str, Sequence[str]](), {*rivals} - others
    ended, ends = _ended_goals(candidate, ordered) | over.wholly, _ends_any(candidate)
    of_kin = told_by_name(candidate, ordered) if is_of_kin(candidate) else None
    for memory in ordered:
        is_apart = are_apart(candidate, memory)
        is_far = memory.id in others or (memory.id in far and memory.kind != "goal" and may_be_over(memory))
        plain = _FAR if is_far or is_apart else standing(candidate, memory)
        relation = plain or judged(memory, cosine=cosines.get(memory.id))
        relation = _beside_ending(candidate, memory, relation, ended) if ends else relation
        relation = _between_purposes(candidate, memory, _beside_order(candidate, memory, relation), ended)
        is_whole = is_far or is_apart or relation in {"duplicate", "narrower"}
        rest = over.partly.get(memory.id) or (None if is_whole else rest_beside(candidate, memory, by_words))
        rest = rest and held_against(candidate, memory, rest, partial(_contradicts, functional))
        relation = relation if rest is None else "conflict" if rest.can_stand else "related"
        by_name = None if is_apart else by_name_alone(candidate) if namesakes.is_same(memory) else of_kin
        is_named_so = by_name is not None and _is_told_otherwise(by_name, by_name_alone(memory), functional)
        if memory.id in rivals_left or _is_corrected(candidate, memory) or is_named_so:
            relation, rest = "conflict", None
        found.get(relation, []).append(memory)
        left |= {} if rest is None or not rest.can_stand else {memory.id: rest.texts}
    found["conflict"] = [*_renamed(new, found["conflict"], functional)]
    return _similar(found, left)


def _contradicts(functional: frozenset[str], candidate: Candidate, memory: Memory) -> bool:
    return bool(compare(candidate, [memory], {}, (), functional).conflicts)


def _similar(found: Mapping[str, Sequence[Memory]], left: Mapping[str, Sequence[str]]) -> Similar:
    return Similar(
        duplicates=found["duplicate"],
        conflicts=found["conflict"],
        related=found["related"][:MAX_LINKS],
        narrower=found["narrower"],
        left=left,
    )


def _between_purposes(candidate: Candidate, memory: Memory, relation: str, ended: Collection[str]) -> str:
    """Return what a memory is to a candidate that may be kept for other purposes; apart, one may only end the other."""
    if are_apart(candidate, memory):
        return "conflict" if memory.id in ended or lifts(candidate, memory) else _FAR
    return said_again(candidate, memory) if relation == "duplicate" else relation


def looked_for(candidate: Candidate) -> str:
    """Return the words by which what a candidate may replace is found: its own, and those that told another value."""
    relations = dict.fromkeys(fact.relation for fact in statement_of(candidate).facts)
    words = (search_text(candidate), candidate.corrects or "", *map(told_by, relations))
    return " ".join(filter(None, words))


def _renamed(new: Statement, conflicts: Sequence[Memory], functional: frozenset[str]) -> Sequence[Memory]:
    """Return what a statement replaces: of several that one may have at a time, a correction means the last named."""
    if len(conflicts) < 2:  # noqa: PLR2004  (of one, there is no other)
        return conflicts
    if new.relation == "name" and new.facts[0].subject in KEPT:  # "the dog is called Max": nobody knows which one
        return []
    if new.relation not in KEPT - functional:
        return conflicts
    named = [it for it in conflicts if statement_of(it).relation == new.relation]
    last = max(named, key=lambda it: it.created_at, default=None)
    return [it for it in conflicts if it is last or it not in named]


def _relation(
    candidate: Candidate, memory: Memory, *, new: Statement, cosine: float | None, functional: frozenset[str]
) -> str:
    same_kind = memory.kind == candidate.kind
    old = statement_of(memory)
    relation = judge(new, old, similarity=cosine, same_kind=same_kind, functional=functional).relation
    are_goals = candidate.kind == memory.kind == "goal"
    is_another = are_goals and is_other_side(new, old) and not is_word_for_word(new, old)
    if relation == "conflict" and (_may_both_hold(candidate, memory) or is_another):
        return "related"
    return "related" if relation == "duplicate" and _stays_apart(candidate, memory) else relation


def _relation_of_part(candidate: Candidate, judged: Callable[..., str], part: Memory) -> str:
    """Return what a part of a memory, which has no vector, is to a candidate."""
    return _beside_order(candidate, part, judged(part, cosine=None))


def _is_told_otherwise(by_name: Candidate, memory: Memory, functional: frozenset[str]) -> bool:
    """Whether a memory tells something else of somebody by name."""
    new, old = statement_of(by_name), statement_of(memory)
    return (
        memory.kind == "fact" and judge(new, old, similarity=None, functional=functional).rule == "functional_conflict"
    )


def _may_be_another(candidate: Candidate, memory: Memory, namesakes: Namesakes) -> bool:
    """Whether a memory may be about another of the same name, or of none: what was masked tells nobody apart."""
    is_masked = is_of_somebody(candidate.content) and is_of_somebody(memory.content)
    return namesakes.may_be_another(memory) or (is_masked and not _is_same_text(candidate.content, memory.content))


def _is_same_text(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()


def _is_corrected(candidate: Candidate, memory: Memory) -> bool:
    """Whether a memory says just what the user said and then corrected."""
    wrong = (candidate.corrects or "").casefold().split()
    return bool(wrong) and candidate.kind == memory.kind and memory.content.casefold().split() == wrong


def may_end(reader: LedgerReader, candidate: Candidate) -> list[Memory]:
    """Return the goals, facts and instructions that a candidate may end, near to its words or not."""
    may = endings_of(candidate)
    goals = reader.page(Page(kinds=("goal",), limit=MAX_GOALS)) if may.of_goals else ()
    facts = reader.page(Page(kinds=("fact",), limit=MAX_FACTS)) if may.of_facts else ()
    dated = filter(may_be_over, reader.page(Page(kinds=("constraint",), limit=MAX_ORDERS))) if may.of_days else ()
    orders = reader.page(Page(kinds=ORDERED, limit=MAX_ORDERS)) if may.of_orders else ()
    names = (
        filter(is_called, reader.page(Page(kinds=("fact",), limit=MAX_FACTS))) if may.of_orders and not facts else ()
    )
    return [*(it for it in goals if not _is_over(it)), *facts, *dated, *orders, *names]


class Endings(NamedTuple):
    """What a candidate may end, by its words alone."""

    of_goals: bool
    of_facts: bool
    of_days: bool
    of_orders: bool


def endings_of(candidate: Candidate) -> Endings:
    """Return what a candidate may end."""
    return Endings(
        of_goals=_ends_any(candidate),
        of_facts=is_over_by(candidate) or is_of_kin(candidate) or known_in(candidate) is not None,
        of_days=moves_day(candidate),
        of_orders=lift_of(candidate) is not None or order_of(candidate) is not None,
    )


def of_same_value(reader: LedgerReader, candidate: Candidate) -> list[Memory]:
    """Return the facts that tell what a candidate gives another value for, and share no word with it: "is 41"."""
    told = _bare_values(candidate)
    facts = reader.page(Page(kinds=("fact",), limit=MAX_FACTS)) if told else ()
    return [it for it in facts if _DIGIT.search(it.content) and not told.isdisjoint(_bare_values(it))]


def _bare_values(record: Candidate | Memory) -> frozenset[tuple[str, str]]:
    return frozenset((it.subject, it.relation) for it in statement_of(record).facts if it.relation in _BARE)


# -------------------------------------------------------------------------------------------------- instructions
def _beside_order(candidate: Candidate, memory: Memory, relation: str) -> str:
    """Return what an instruction in force is to a new one: ended by it, the same in other words, or as it was read."""
    if lifts(candidate, memory):
        return "conflict"
    if lifts_only(candidate) and not (relation == "duplicate" and memory.status == "pending"):
        return "related" if relation in {"conflict", "duplicate"} else relation
    new, old = order_of(candidate), order_of(memory)
    if new is None or old is None:
        return relation
    if is_overruled(new, old):
        return "conflict"
    if relation == "conflict" or not is_same_manner(new, old):
        return relation
    return "conflict" if _is_firmer(candidate, memory) else "duplicate"


def _is_firmer(candidate: Candidate, memory: Memory) -> bool:
    """Whether an order binds where the same one did not, or says that it lasts."""
    if candidate.kind != memory.kind:
        return candidate.kind == "constraint"
    return is_for_good(candidate.content) and not is_for_good(memory.content)


# --------------------------------------------------------------------------------------------------------- goals


def _gives_up(candidate: Candidate) -> bool:
    return (candidate.kind == "goal" or _DECISION in candidate.tags) and is_given_up(candidate.content)


def _reaches(candidate: Candidate) -> bool:
    return candidate.kind in {"goal", "fact"} and is_reached(candidate.content)


def _ends(candidate: Candidate) -> bool:
    return _gives_up(candidate) or _reaches(candidate)


def _ends_any(candidate: Candidate) -> bool:
    return _ends(candidate) or is_over_by(candidate)


def _is_of_ending(candidate: Candidate) -> bool:
    """Whether what a candidate corrects is told by what it ends, or says not to be over."""
    is_undone = candidate.kind == "fact" and undone_in(candidate.content) is not None
    return _ends(candidate) or is_end(candidate) or is_undone


def _ended_goals(candidate: Candidate, neighbours: Sequence[Memory]) -> frozenset[str]:
    """Return the ids of the goals that a candidate ends: those it names, and of several the one named best."""
    if not _ends(candidate):
        return frozenset()
    goals = [it for it in neighbours if it.kind == "goal" and not _is_over(it) and not is_given_up(it.content)]
    named = given_up if _gives_up(candidate) else reached
    return frozenset(goals[place].id for place in named(candidate.content, [it.content for it in goals]))


def _beside_ending(candidate: Candidate, memory: Memory, relation: str, ended: frozenset[str]) -> str:
    """Return what a memory is to a goal that ends: one that is ended, the same said before, or merely near."""
    if memory.id in ended:
        return "conflict"
    if is_same_death(candidate, memory):
        return "duplicate"
    if candidate.kind != "goal" or memory.kind != "goal":
        return relation
    is_said_again = not ended and _is_same_text(candidate.content, memory.content)
    return "duplicate" if is_said_again else "related" if relation in {"conflict", "duplicate"} else relation


def _may_both_hold(candidate: Candidate, memory: Memory) -> bool:
    """Whether both stay true unless corrected: what failed once may succeed later, and what was reached is past."""
    return not candidate.is_correction and ("outcome" in {candidate.kind, memory.kind} or _is_over(memory))


def _stays_apart(candidate: Candidate, memory: Memory) -> bool:
    """Whether the same words are kept twice: as a field of the profile, or as a goal that is pursued once more."""
    return field_of(candidate) is not None or _is_over(memory)


def carried_goal(candidate: Candidate, replaced: Iterable[Memory]) -> GoalProgress | None:
    """Return the progress of a new goal: its own, or where that only begins, of the goal that it says anew.

    What gives a goal up is none to pursue, and goes on with none of its plan: it is remembered as abandoned, whether
    the goal was known or not. What says that it is reached is remembered as done, with the steps that led there.
    """
    if candidate.kind != "goal" or candidate.goal not in {None, GoalProgress()}:
        return candidate.goal
    if _gives_up(candidate):
        return GoalProgress(status="abandoned")
    new, goals = statement_of(candidate), [it for it in replaced if it.kind == "goal"]
    if _reaches(candidate):
        known = next((it.goal for it in goals if it.goal is not None), GoalProgress())
        return replace(known, status="done", next_step=None)
    if any(is_denial(new, statement_of(it)) for it in goals):
        return GoalProgress(status="abandoned")
    again = (it.goal for it in goals if not _is_over(it) and not is_other_side(new, statement_of(it)))
    return next((it for it in again if it is not None), candidate.goal)


def _is_over(memory: Memory) -> bool:
    return memory.goal is not None and memory.goal.is_over


def statement_of(record: Candidate | Memory) -> Statement:
    """Return what a candidate or memory says."""
    is_correction = isinstance(record, Candidate) and record.is_correction and field_of(record) is None
    is_correction = is_correction and not (isinstance(record, Candidate) and _is_of_ending(record))
    return parse_statement(
        record.content,
        subject=record.subject,
        relation=record.relation,
        object=record.object,
        is_correction=is_correction,
    )
