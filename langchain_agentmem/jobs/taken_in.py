"""What a turn or a conversation left that was taken in behind the answer: ids and rules, never words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_agentmem.policies.write import OF_NOTHING
from langchain_agentmem.types import Decision, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What a job left that took in a turn of an agent, or a part of a conversation.

    Attributes:
        scope: Whose it was, with agent and session.
        written: Ids of new memories, also of those that wait. `updated`: of those that it confirmed or moved.
        superseded: Ids of what was replaced or ended. `forgotten`: of what the user asked to forget.
        refused: The rules by which something of it was not kept, one for each.
    """

    scope: Scope
    written: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def taken_in(scope: Scope, decisions: Sequence[Decision], forgotten: Sequence[str] = ()) -> TakenIn:
    """Return what decisions on what was said come to."""
    told = [it for it in decisions if it.rule not in OF_NOTHING]
    kept = [(it.verdict, it.memory.id) for it in told if it.memory is not None and it.memory.status != "archived"]
    return TakenIn(
        scope=scope,
        written=tuple(id_ for verdict, id_ in kept if verdict != "merged"),
        updated=tuple(id_ for verdict, id_ in kept if verdict == "merged"),
        superseded=tuple(id_ for it in told for id_ in it.superseded),
        forgotten=tuple(forgotten),
        refused=tuple(it.rule for it in told if it.memory is None),
    )
