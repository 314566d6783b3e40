"""What the layers beside the turn hold of a user, in lines for a reader: task, profile, goal, entities, policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from langchain_agentmem.demo.record import Line
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.types.working import WorkingState

MOST_NAMED: Final = 4
"""Facts and relations in one line; a reader wants an idea of them."""


def known(memory: AgentMemory, scope: Scope) -> Iterator[Line]:
    """Yield what an application can look up before a user has said a word."""
    for task in memory.working.sessions(scope):
        state = memory.working.get(Scope(scope.user_id, session_id=task.session_id))
        if state is not None:
            yield task_line(state)
    profile = memory.profiles.get(scope=scope)
    if profile.name or profile.facts:
        yield Line(category="profile", kind="user", text=str(profile.name or "?"), detail=_some(iter(profile.facts)))
    goal = memory.goals.resume(scope=scope)
    if goal is not None:
        yield Line(category="goal", kind=goal.progress.status, text=goal.text)
    related = _some(_relations(memory.entities.graph(scope=scope)))
    if related:
        yield Line(category="entities", kind="graph", text=related)


def task_line(state: WorkingState) -> Line:
    """Return what is being done, and how its last step ended."""
    last = state.tool_calls[-1] if state.tool_calls else None
    ended = {True: "succeeded", False: "failed", None: "waits"}
    detail = f"last step, {last.action}: {ended[last.succeeded]}" if last else "not begun"
    return Line(category="working", kind="task", text=state.goal, detail=detail)


def asked_line(question: Mapping[str, Any], decision: str) -> Line:
    """Return what a policy wanted a person to decide, and what they decided."""
    why = "; ".join(f"{it['name']}: {it['reason']}" for it in question["policies"])
    return Line(category="asked", kind="policy", text=str(question["action"]), detail=f"{why} The answer: {decision}")


def missed(memory: AgentMemory, scope: Scope, receipt_id: str, about: str) -> Line:
    """Return what the receipt of a recall knows: how much was looked at, and why what says this was not recalled."""
    receipt = memory.long_term.receipt(receipt_id, scope=scope)
    every = memory.long_term.select(ListQuery(statuses=("active", "superseded", "archived")), scope=scope)
    reasons = [memory.long_term.why_not(receipt_id, it.id, scope=scope) for it in every if about in it.content]
    counts = f"{receipt.proposed} candidates, {len(receipt.returned)} recalled"
    return Line(category="receipt", kind="recall", text="; ".join(reasons) or "it is unknown", detail=counts)


def applied(event: Event) -> str:
    """Return an event of a policy in words."""
    note = event.note
    return f"{note.get('policy')}, version {note.get('version')}, on {note.get('tool')}: {note.get('ending')}"


def _relations(graph: EntityGraph) -> Iterator[str]:
    for it in graph.relations:
        if it.object is not None:
            names = (graph.entities[it.subject].name, graph.entities[it.object].name)
            yield f"{names[0]} {it.relation.replace('_', ' ')} {names[1]}"


def _some(texts: Iterator[str]) -> str:
    shown = list(islice(texts, MOST_NAMED))
    more = sum(1 for _ in texts)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])])
