"""What a memory says of others than whom the user asked to forget: kept by itself, where it can be put into words."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.people.several import several_in
from langchain_agentmem.english.people.whose import names_in
from langchain_agentmem.english.requests.forget_request import wanted_apart
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.long_term.write.remaining import Part
from langchain_agentmem.types import Decision, Memory, Scope


class Asked(NamedTuple):
    """What the user asked to forget, and what they may be called besides what a memory tells.

    Attributes:
        what: In their words; `None`: just one memory, whole.
        is_taken_back: They said that it never was so: what it had ended holds again.
    """

    what: str | None = None
    called: Collection[str] = ()
    is_taken_back: bool = False


def forget_flow(
    long_term: LongTermFlows, memory_id: str, scope: Scope, reason: str, asked: Asked
) -> Flow[tuple[Memory, list[Decision]]]:
    """Forget a memory, and keep what it says of others than was asked; return it, and what became of that.

    Args:
        long_term: Where memories are.
        memory_id: Of the memory, or of a turn, of which nothing is left.
        scope: Whose.
        reason: For the log.
        asked: What the user asked to forget.
    """
    is_taken_back = asked.is_taken_back
    if asked.what is None or memory_id.startswith(PREFIX):
        return (yield from long_term.forget(memory_id, scope, reason, is_taken_back=is_taken_back)), []
    left = partial(left_of, what=asked.what, called=asked.called)
    return (yield from long_term.forget_part(memory_id, scope, reason, left, is_taken_back=is_taken_back))


def left_of(memory: Memory, what: str, called: Collection[str] = ()) -> tuple[Part, ...]:
    """Return what a memory says of others than a request to forget names, or a goal with what is left of its plan.

    Nothing is left where that is not sure, nor where no part is named by itself: then all of it is what was meant.
    """
    wanted, names = wanted_apart(what), names_in(memory).union(called)
    if memory.goal is not None and not any(each.means_whole(memory, names) for each in wanted):
        plan = memory.goal.without(lambda text: any(each.is_planned_in(text, names) for each in wanted))
        if plan != memory.goal:
            return (plan,)
    several = several_in(memory.content)
    if several is None or not several.can_stand:
        return ()
    left = tuple(it for it in several.parts if not any(each.means(it, names) for each in wanted))
    return left if len(left) < len(several.parts) else ()
