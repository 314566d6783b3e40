"""Plans by rules: no model, no waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_agentmem._flow import Flow
from langchain_agentmem.planning.contract import RULES, FlowPlanner
from langchain_agentmem.policies.querying import Dialogue, plan_queries
from langchain_agentmem.types import RecallQuery


class RulePlanner(FlowPlanner):
    """Tells questions apart, adds what they leave to the turns before, and reads kinds, times, task and action.

    English. What no rule knows is asked as it stands.

    Example:
        >>> from langchain_agentmem.policies.querying import Said
        >>> talk = (Said("user", "Where did I meet Ada?"), Said("assistant", "In Lisbon."))
        >>> [query.text for query in RulePlanner().plan(Dialogue(text="And when was that?", before=talk))]
        ['And when was that? Lisbon Ada meet']
    """

    def plan_flow(self, dialogue: Dialogue, base: RecallQuery) -> Flow[Sequence[RecallQuery]]:
        """Plan as a flow that never waits."""
        yield from ()
        return tuple(replace(query, planned_by=RULES) for query in plan_queries(dialogue, base))
