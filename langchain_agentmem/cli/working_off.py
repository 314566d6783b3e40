"""The command that shows what waits behind the hot path, and does it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from langchain_agentmem.cli.asking import WordsOnly, asked_at
from langchain_agentmem.cli.program import CHANGING, UNMET, AsJson, Place, app, emit, screen
from langchain_agentmem.jobs import JobReport, TakenIn
from langchain_agentmem.ledger.sql.job_states import JobState


@app.command(rich_help_panel=CHANGING)
def jobs(
    place: Place,
    *,
    run: Annotated[bool, typer.Option("--run", help="Do what is due: turns are taken in, the index follows.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Queue again what was given up.")] = False,
    words_only: WordsOnly = False,
    as_json: AsJson = False,
) -> None:
    """Show what waits: turns of agents to be taken in, an index to follow; with `--run`, do it."""
    with asked_at(place, words_only=words_only, may_make=True, only_looks=not run) as memory:
        again = memory.jobs.retry() if retry else 0
        done = memory.jobs.run() if run else None
        left = memory.jobs.list()
    if as_json:
        told = {"done": done and done.done, "failed": done and done.failed}
        emit({**told, "taken_in": [*map(_taken, done.taken_in if done else ())], "jobs": [*map(_plain, left)]})
    else:
        if left:
            screen().table(("id", "kind", "status", "attempts", "due", "error"), map(_row, left))
        counted = "" if done is None else f"done: {done.done} · failed: {done.failed} · {_learned(done)}"
        screen().note(f"{counted}{f'queued again: {again} · ' if retry else ''}left: {len(left)}")
    if done is not None and done.failed:
        raise typer.Exit(UNMET)


def _learned(done: JobReport) -> str:
    """Return how much the turns left that were taken in."""
    kinds = ("written", "superseded", "forgotten", "refused")
    counts = {kind: sum(len(getattr(it, kind)) for it in done.taken_in) for kind in kinds}
    return "".join(f"{kind}: {count} · " for kind, count in counts.items() if count)


def _taken(left: TakenIn) -> dict[str, object]:
    told = asdict(left)
    del told["scope"]
    return {"user": left.scope.user_id, "tenant": left.scope.tenant_id, "session": left.scope.session_id, **told}


def _row(state: JobState) -> tuple[str, ...]:
    due = f"{state.due_at:%Y-%m-%d %H:%M}"
    return (str(state.id), state.kind, state.status, str(state.attempts), due, state.error or "")


def _plain(state: JobState) -> dict[str, object]:
    fields = ("id", "kind", "status", "attempts", "error", "due_at", "created_at")
    user = None if state.scope is None else state.scope.user_id
    return {**{name: getattr(state, name) for name in fields}, "user": user}
