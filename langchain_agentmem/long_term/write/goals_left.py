"""What is left of a goal of whose plan a part was forgotten, and how far that has come when the goal comes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.ledger.codec import fold
from langchain_agentmem.long_term.write.merges import REMAINS
from langchain_agentmem.types import GoalProgress, Memory
from langchain_agentmem.types.memories import KEPT_STATUSES, LIVE_STATUSES


def goals_left_of(reader: LedgerReader, goal: Memory) -> list[Memory]:
    """Return what is in force of a goal of whose plan a part was forgotten: the same, with another plan."""
    found = _family(reader, goal).values()
    return [it for it in found if it.status == "active" and it.id != goal.id]


def carried_over(reader: LedgerReader, goal: Memory, standing: Iterable[Memory]) -> GoalProgress | None:
    """Return how far a goal has come that takes the place of others again: what was done of these is done."""
    family, progress = _family(reader, goal), goal.goal
    for it in standing:
        for each in _line(family, goal, it):
            begun = _begun(reader, each)
            if progress is not None and begun is not None and each.goal is not None:
                progress = with_progress(progress, begun, each.goal)
    return progress


def with_progress(known: GoalProgress, begun: GoalProgress, now: GoalProgress) -> GoalProgress:
    """Return a plan with what became of another one since that was begun.

    Args:
        known: Of the goal that comes back.
        begun: The other one as it began: what only one of both said then was forgotten of the other, and stays so.
        now: What it is by now.
    """
    if now == begun:
        return known
    now = now.without({*begun.texts}.difference(known.texts).__contains__)
    dropped = {*begun.steps}.difference(now.steps)
    steps = [it for it in known.steps if it not in dropped]
    made = replace(
        known,
        status=known.status if now.status == begun.status else now.status,
        steps=(*steps, *(it for it in now.steps if it not in begun.steps)),
        completed=(*known.completed, *(it for it in now.completed if it not in begun.completed)),
        next_step=known.next_step if now.next_step == begun.next_step else now.next_step,
    )
    if made.is_over:
        return made
    is_next = made.next_step is not None and made.next_step not in made.completed
    return made if is_next else replace(made, next_step=next(iter(made.left), None))


def _family(reader: LedgerReader, goal: Memory) -> Mapping[str, Memory]:
    """Return a goal, all that it was left of and all that was left of it, of any status, by id."""
    if goal.kind != "goal":
        return {}
    every = reader.every(Page(kinds=("goal",), statuses=KEPT_STATUSES))
    same = {it.id: it for it in every if it.content == goal.content}
    parents = {it.id: [by for by in it.links if by in same] for it in same.values() if _is_rest(reader, it)}
    found, waiting = {goal.id: goal}, [goal.id]
    while waiting:
        here = waiting.pop()
        near = [*parents.get(here, ()), *(id_ for id_, of in parents.items() if here in of)]
        waiting += (id_ for id_ in near if id_ not in found)
        found |= {id_: same[id_] for id_ in near if id_ not in found}
    return found


def _is_rest(reader: LedgerReader, goal: Memory) -> bool:
    """Whether a goal is what remained of another one; others are linked because they are alike."""
    return bool(goal.links) and any(it.rule == REMAINS for it in reader.events(memory_id=goal.id, limit=1))


def _line(family: Mapping[str, Memory], goal: Memory, standing: Memory) -> list[Memory]:
    """Return what was left of a goal, and what was left of that, down to what stands; else that alone."""
    found, here = [standing], standing
    while (parent := next((family[it] for it in here.links if it in family), None)) is not None and parent not in found:
        if parent.id == goal.id:
            return found[::-1]
        found.append(parent)
        here = parent
    return [standing]


def _begun(reader: LedgerReader, goal: Memory) -> GoalProgress | None:
    """Return the plan of a goal as it was when it last came to be pursued; `None` where no word of that is left."""
    begun: GoalProgress | None = None
    for payload, memory in _states(reader, goal):
        if payload.get("status") in LIVE_STATUSES:
            begun = memory.goal
    return begun


def _states(reader: LedgerReader, goal: Memory) -> Iterator[tuple[Mapping[str, object], Memory]]:
    known: Memory | None = None
    for event in reader.events(memory_id=goal.id):
        if event.payload is not None and (known is not None or "content" in event.payload):
            known = fold(known, goal.id, goal.scope, event.payload, event.seq)
            yield event.payload, known
