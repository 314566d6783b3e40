"""The command about agents' runs: what was recorded of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from langchain_agentmem.cli.places import memory_at
from langchain_agentmem.cli.program import LOOKING, UNMET, AsJson, Place, Tenant, User, app, emit, screen
from langchain_agentmem.cli.turning_back import Agent
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import MAX_LIMIT, every
from langchain_agentmem.types.runs import AgentRun, RunStep

_SHOWN = ("node", "model", "tool", "call_id", "input", "output", "type", "text", "steps")


@app.command(rich_help_panel=LOOKING)
def run(
    place: Place,
    user: User,
    run_id: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run; without it, all that are recorded.")
    ] = None,
    tenant: Tenant = "default",
    agent: Agent = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show what an agent did, step by step, and where it failed; without an id, which runs are recorded."""
    scope = Scope(user, tenant_id=tenant, agent_id=agent)
    with memory_at(place, only_looks=True) as memory:
        if run_id is None:
            _show_runs(memory.runs.list(scope), as_json=as_json)
            return
        has_failed = _show_run(memory, run_id, scope, as_json=as_json)
    if has_failed:
        raise typer.Exit(UNMET)


def _show_runs(found: Sequence[AgentRun], *, as_json: bool) -> None:
    if as_json:
        emit([asdict(it) for it in found])
        return
    for it in found:
        lost = f", {it.lost} lost" if it.lost else ""
        began = f"{it.began_at:%Y-%m-%d %H:%M:%S}"
        screen().entry((it.id, began, it.status, f"{it.steps} steps{lost}"), f"{it.name} {it.thread_id or ''}")
    if not found:
        screen().note("no run is recorded; give a run memory.runs.recorder() among its callbacks")


def _show_run(memory: AgentMemory, run_id: str, scope: Scope, *, as_json: bool) -> bool:
    steps = list(every(memory.runs.steps, run_id, scope=scope, limit=MAX_LIMIT))
    state = memory.runs.state(run_id, scope=scope)
    if as_json:
        emit(
            {"id": run_id, "status": state.status, "failed_at": state.failed_at, "steps": [asdict(it) for it in steps]}
        )
        return state.status == "failed"
    for it in steps:
        screen().entry((str(it.no), f"{it.at:%H:%M:%S}", it.kind), _told(it))
    pending = f"; not answered: {', '.join(str(it['name']) for it in state.pending)}" if state.pending else ""
    ended = f"{state.status} at step {state.failed_at}: {state.error}" if state.failed_at else state.status
    screen().verdict(is_good=state.status == "ended", text=f"{ended}{pending}")
    return state.status == "failed"


def _told(step: RunStep) -> str:
    said = [f"{name}={step.body[name]}" for name in _SHOWN if step.body.get(name) not in (None, "")]
    texts = [str(it["data"].get("content")) for it in step.body.get("messages", ()) if "data" in it]
    return "it was erased" if step.is_erased else " ".join([*said, *filter(None, texts)])
