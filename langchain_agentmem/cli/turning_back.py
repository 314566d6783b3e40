"""Commands about time: what happened, what was believed, and the way back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from langchain_agentmem.cli.places import current, is_configuration, memory_at, parts_at
from langchain_agentmem.cli.program import (
    CHANGING,
    LOOKING,
    UNMET,
    AsJson,
    Place,
    Tenant,
    User,
    app,
    emit,
    screen,
    taking,
)
from langchain_agentmem.cli.times import check_time, looks_like_time, read_time
from langchain_agentmem.errors import ConfigurationError, NotFoundError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.timeline.records import Difference, Moment, Reversal, Snapshot
from langchain_agentmem.timeline.telling import reason_of
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.types.paging import Page

_MOMENT = "A time (2026-03-01T12:00), in UTC unless it says otherwise, or the number of an event."
Agent = Annotated[str | None, typer.Option("--agent", help="Of this agent, beside what is shared.")]


@dataclass(frozen=True, kw_only=True)
class Span:
    """What to show of a user's log."""

    place: Place
    user: User
    tenant: Tenant = "default"
    agent: Agent = None
    since: Annotated[str | None, typer.Option("--since", help=f"From then on. {_MOMENT}")] = None
    until: Annotated[str | None, typer.Option("--until", help="Until then.")] = None
    memory: Annotated[str | None, typer.Option("--memory", help="Of this memory only.")] = None
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="Events at most.")] = 100
    as_of: Annotated[str | None, typer.Option("--as-of", help="Show what was believed then, no events.")] = None
    diff: Annotated[bool, typer.Option("--diff", help="Show what changed from --since to --until, or to now.")] = False
    as_json: AsJson = False

    @property
    def scope(self) -> Scope:
        """Whose."""
        return Scope(self.user, tenant_id=self.tenant, agent_id=self.agent)


@dataclass(frozen=True, kw_only=True)
class Return:
    """What to take back."""

    place: Place
    to: Annotated[
        str, typer.Argument(metavar="TO", help="A time, the number of an event, or for `rollback` a run's id.")
    ]
    user: User
    tenant: Tenant = "default"
    agent: Agent = None
    reason: Annotated[str, typer.Option("--reason", help="For the log.")] = "taken back by hand"
    with_later: Annotated[bool, typer.Option("--with-later", help="`undo`: also what builds upon it.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    as_json: AsJson = False

    @property
    def scope(self) -> Scope:
        """Whose."""
        return Scope(self.user, tenant_id=self.tenant, agent_id=self.agent)


@app.command(rich_help_panel=LOOKING)
@taking(Span)
def timeline(span: Span) -> None:
    """Show what happened to a user's memory; with --as-of what was believed then, with --diff what changed."""
    with memory_at(span.place, only_looks=True) as memory:
        since = None if span.since is None else moment_of("--since", span.since)
        until = None if span.until is None else moment_of("--until", span.until)
        if span.as_of is not None:
            _show_snapshot(memory.timeline.as_of(moment_of("--as-of", span.as_of), scope=span.scope), span)
        elif span.diff:
            _show_difference(memory.timeline.diff(since or 0, until, scope=span.scope), span)
        else:
            page = memory.timeline.events(span.scope, since=since, until=until, memory_id=span.memory, limit=span.limit)
            _show_events(page, span)


@app.command(rich_help_panel=CHANGING)
@taking(Return)
def rollback(asked: Return) -> None:
    """Make a user's memories what they were at a time, after an event, or before a run; the log keeps everything."""
    _check_place(asked)

    def go(memory: AgentMemory, *, dry_run: bool) -> Reversal:
        to = _moment(asked.to)
        given = asked.to if to is None else to
        try:
            return memory.timeline.rollback(asked.scope, to=given, reason=asked.reason, dry_run=dry_run)
        except NotFoundError:
            if to is None and looks_like_time(asked.to):  # a run may be named like this, and none is
                check_time("TO", asked.to)
            raise

    _go_back(asked, go)


@app.command(rich_help_panel=CHANGING)
@taking(Return)
def undo(asked: Return) -> None:
    """Take one event back, and what was written with it; the log keeps both."""
    event = _moment(asked.to)
    if not isinstance(event, int):
        msg = f"undo takes the number of an event, got {asked.to!r}; `agentmem timeline` shows them"
        raise ConfigurationError(msg)
    _check_place(asked)

    def go(memory: AgentMemory, *, dry_run: bool) -> Reversal:
        return memory.timeline.undo(
            event, scope=asked.scope, reason=asked.reason, with_later=asked.with_later, dry_run=dry_run
        )

    _go_back(asked, go)


def _go_back(asked: Return, go: Any) -> None:  # noqa: ANN401  (one of the two above)
    parts = current(asked.place, parts_at(asked.place))
    with AgentMemory(**parts) as memory:
        seen = go(memory, dry_run=True)
        if not asked.as_json:
            _show_reversal(seen)
        if asked.dry_run or not seen.reverted:
            done = seen
        elif asked.yes or typer.confirm(f"Take {len(seen)} memories back?"):
            done = go(memory, dry_run=False)
        else:
            raise typer.Exit(UNMET)
    if asked.as_json:
        emit(asdict(done))
    elif not done.is_dry_run:
        screen().note(f"{len(done)} taken back ({asked.reason}); `agentmem undo` of one of these events reverses it")


def _check_place(asked: Return) -> None:
    """See that vectors follow: a configuration names the embeddings that made them."""
    if not (is_configuration(asked.place) or asked.dry_run or asked.as_json):
        screen().note("without a configuration, texts that come back are found by their words until a reindex")


# ---------------------------------------------------------------------------------------------------------------- shown
def moment_of(name: str, told: str) -> Moment:
    """Return the moment that somebody typed.

    Raises:
        ConfigurationError: It is neither a time nor a number.
    """
    found = _moment(told)
    if found is None:
        msg = f"{name} must be a time such as 2026-03-01T12:00, or the number of an event, got {told!r}"
        raise ConfigurationError(msg)
    return found


def _moment(told: str) -> Moment | None:
    return int(told) if told.isdigit() else read_time(told)


def _show_events(page: Page[Event], span: Span) -> None:
    if span.as_json:
        told = [{**asdict(it), "payload": None if it.payload is None else "kept"} for it in page]
        emit({"events": told, "since": None if page.is_last else page[-1].seq})
        return
    for it in page:
        about = "" if it.memory_id is None else it.memory_id
        screen().entry((str(it.seq), f"{it.at:%Y-%m-%d %H:%M:%S}", it.type, about), reason_of(it))
    if not page:
        screen().note(f"nothing is recorded of {span.user}, or not of what was asked for")
    if not page.is_last:
        screen().note(f"there is more: --since {page[-1].seq}")


def _show_snapshot(found: Snapshot, span: Span) -> None:
    if span.as_json:
        memories = [{"id": it.id, "kind": it.kind, "content": it.content} for it in found]
        emit({"seq": found.seq, "at": found.at, "memories": memories, "erased": found.erased})
        return
    for it in found:
        screen().entry((it.id, it.kind), it.content)
    erased = f"; {len(found.erased)} of then are erased" if found.erased else ""
    screen().note(f"{len(found)} memories were believed after event {found.seq}{erased}")


def _show_difference(found: Difference, span: Span) -> None:
    if span.as_json:
        emit(asdict(found))
        return
    for added in found.added:
        screen().entry(("added", added.memory.id, str(added.event)), f"{added.memory.content} ({added.reason})")
    for it in found.changed:
        screen().entry(("changed", it.memory_id, it.field, str(it.event)), f"{it.before} → {it.after} ({it.reason})")
    for gone in found.ended:
        screen().entry(("ended", gone.memory.id, str(gone.event or "–")), f"{gone.memory.content} ({gone.reason})")
    for memory_id in found.erased:
        screen().entry(("erased", memory_id), "")
    screen().note(f"from event {found.since} to event {found.until}")


def _show_reversal(found: Reversal) -> None:
    for it in found:
        fields = ", ".join(it.changes)
        screen().entry(
            (it.memory_id, "forgotten" if it.is_forgotten else "taken back"), f"events {it.undoes}: {fields}"
        )
    for note in found.notes:
        screen().note(note)
    screen().note(f"{len(found)} memories; never touched: {', '.join(found.untouched)}")
