"""After a turn: once its conversation rests, what it left is consolidated."""

from __future__ import annotations

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.nodes.turn import attempt
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.types import Scope


def rest_flow(memory: object, scope: Scope, consent: ConsentMode | None = None) -> Flow[None]:
    """Note that a conversation had a turn, where the memory consolidates; what fails here costs no turn.

    Args:
        memory: An `AgentMemory`.
        scope: Of the turn.
        consent: Under which it was queued; `None`: it was not.
    """
    consolidation = getattr(memory, "consolidation", None)
    if consolidation is not None:
        yield from attempt(flows_of(consolidation).turn, scope, consent)
