"""Commands that look at what is stored, and write nothing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated

import typer

from langchain_agentmem._checks import check_choice
from langchain_agentmem.cli.meaning import LISTED, SHOWN
from langchain_agentmem.cli.places import counted_at, memory_at
from langchain_agentmem.cli.program import (
    CHECKING,
    LOOKING,
    UNMET,
    AsJson,
    Place,
    Redis,
    RedisPrefix,
    Tenant,
    User,
    app,
    emit,
    screen,
)
from langchain_agentmem.demo.render import describe
from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.types.paging import MAX_LIMIT, every

_LISTED = ("created_at", "kind", "status", "confidence", "source", "content")
_KINDS_COUNTED = 1_000
_THREADS_READ = 1_000
"""Threads of a user that are looked through for the one written last."""

OfStatus = Annotated[
    str, typer.Option("--status", metavar="STATUS", help=f"{', '.join(LISTED)}; what was erased is gone.")
]


@app.command(rich_help_panel=CHECKING)
def verify(place: Place, user: User, tenant: Tenant = "default", *, as_json: AsJson = False) -> None:
    """Check a user's whole log: nothing changed, removed, reordered or cut off."""
    with memory_at(place, only_looks=True) as memory:
        found = memory.long_term.verify(scope=Scope(user, tenant_id=tenant))
    if as_json:
        emit({"user": user, "tenant": tenant, "is_intact": found.is_intact, **asdict(found)})
    elif found.is_intact and not found.events:
        screen().note(f"nothing is stored of {user}: there is no log to check")
    else:
        screen().verdict(is_good=found.is_intact, text=f"the log of {user}: {describe(found)}")
    if not found.is_intact:
        raise typer.Exit(UNMET)


@app.command("list", rich_help_panel=LOOKING)
def list_(
    place: Place, user: User, tenant: Tenant = "default", status: OfStatus = "active", *, as_json: AsJson = False
) -> None:
    """Show what is kept of a user, newest first (1,000 at most), with its ids, and what consent lets nothing use."""
    check_choice("--status", status, tuple(LISTED))
    query, scope = ListQuery(statuses=(LISTED[status],), limit=MAX_LIMIT), Scope(user, tenant_id=tenant)
    with memory_at(place, only_looks=True) as memory:
        page = memory.long_term.select(query, scope=scope)
        usable = {kept.id for kept in memory.long_term.select(replace(query, usable=True), scope=scope)}
        waiting = Counter(_waiting(memory, scope))
    if as_json:
        emit([_listed(kept, is_allowed=kept.id in usable) for kept in page])
        return
    if not page:
        screen().note(f"nothing is remembered about {user}" if status == "active" else f"nothing is {status} of {user}")
    for kept in page:
        screen().entry((kept.id, *_facts(kept), *(() if kept.id in usable else ("not allowed",))), kept.content)
    if barred := sum(kept.id not in usable for kept in page):
        screen().note(f"not allowed: {barred:,} that nothing uses, as {user} withdrew consent; see `consent status`")
    if waiting:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(waiting.items()))
        there = "PLACE" if "://" in place else shlex.quote(place)  # a URL may hold a password
        screen().note(f"waiting: jobs of {user} ({kinds}); `agentmem jobs {there} --run` does what is due")


@app.command(rich_help_panel=LOOKING)
def stats(
    place: Place,
    redis: Redis = None,
    redis_prefix: RedisPrefix = None,
    user: Annotated[str | None, typer.Option("--user", help="Whose; without it, of all users.")] = None,
    tenant: Tenant = "default",
    *,
    as_json: AsJson = False,
) -> None:
    """Show how much is stored, layer by layer, and what waits to be done; it takes no keys."""
    with counted_at(place, redis, redis_prefix) as memory:
        scope = None if user is None else Scope(user, tenant_id=tenant)
        used = memory.metrics.totals() if scope is None else memory.metrics.usage(scope)
        waiting = {} if scope is not None else memory.jobs.counts()
    if as_json:
        emit({"users": used.users, "layers": {name: it._asdict() for name, it in used.layers.items()}, "jobs": waiting})
        return
    rows = [(name, f"{size.rows:,}", f"{size.bytes:,}") for name, size in used.layers.items()]
    screen().table(("layer", "rows", "bytes"), [*rows, ("all", f"{used.rows:,}", f"{used.bytes:,}")])
    if scope is None:
        jobs = ", ".join(f"{count:,} {status}" for status, count in waiting.items() if count)
        screen().note(f"users: {used.users:,} · jobs: {jobs or 'none'}")


@app.command(rich_help_panel=LOOKING)
def inspect(
    place: Place,
    user: User,
    redis: Redis = None,
    redis_prefix: RedisPrefix = None,
    tenant: Tenant = "default",
    *,
    as_json: AsJson = False,
) -> None:
    """Show the layers of a user's memory: how much each holds, and when it was last written; no word of it."""
    scope = Scope(user, tenant_id=tenant)
    with memory_at(place, redis, redis_prefix, only_looks=True) as memory:
        used = memory.metrics.usage(scope)
        written = dict(_last_writes(memory, scope))
        consent = memory.consent.status(scope).status
        kinds = Counter(kept.kind for kept in memory.long_term.select(ListQuery(limit=_KINDS_COUNTED), scope=scope))
    if as_json:
        layers = [
            {"layer": name, "rows": size.rows, "bytes": size.bytes, "last_write": written.get(name)}
            for name, size in used.layers.items()
        ]
        emit({"user": user, "tenant": tenant, "consent": consent, "kinds": kinds, "layers": layers})
        return
    rows = [
        (name, f"{size.rows:,}", f"{size.bytes:,}", _minute(written.get(name))) for name, size in used.layers.items()
    ]
    screen().table(("layer", "rows", "bytes", "last write"), rows)
    shown = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items())) or "none"
    screen().note(f"consent: {consent} · memories: {shown} · rows: {used.rows:,} · bytes: {used.bytes:,}")


@app.command(rich_help_panel=LOOKING)
def why(
    place: Place,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="Of a memory, as `list` shows it, or of a turn.")],
    user: User,
    tenant: Tenant = "default",
    *,
    as_json: AsJson = False,
) -> None:
    """Tell the life of a memory: who said it, what was decided on it by which rule, and what became of it."""
    with memory_at(place, only_looks=True) as memory:
        found = memory.long_term.why(memory_id, scope=Scope(user, tenant_id=tenant))
    kept, told = found.memory, [(it, _reason(line)) for it, line in zip(found.events, found.reasons, strict=True)]
    if as_json:
        events = [{"seq": it.seq, "type": it.type, "at": it.at, "reason": reason} for it, reason in told]
        said_by = None if kept is None else kept.provenance.speaker
        emit({"id": memory_id, "status": None if kept is None else kept.status, "said_by": said_by, "events": events})
        return
    status = "erased" if kept is None else SHOWN.get(kept.status, kept.status)
    screen().entry((memory_id, status, *(() if kept is None else _facts(kept))), "" if kept is None else kept.content)
    if kept is not None:
        screen().note(_origin(kept))
    rows = [(_minute(it.at), it.type.replace("_", " "), reason) for it, reason in told]
    screen().table(("when", "what", "why"), rows)


def _waiting(memory: AgentMemory, scope: Scope) -> Iterator[str]:
    """Yield the kinds of a user's jobs that somebody may wait for: one whose time is yet to come is none of them."""
    now = memory.long_term.now()
    for it in every(memory.jobs.list, scope=scope, limit=MAX_LIMIT):
        if it.status != "queued" or it.error is not None or it.due_at <= now:
            yield it.kind


def _origin(kept: Memory) -> str:
    """Return who said it, in which words and which conversation, as far as that is known."""
    said = kept.provenance
    quoted = "" if said.evidence is None else f": \u201c{said.evidence}\u201d"
    where = "" if kept.scope.session_id is None else f" · in {kept.scope.session_id}"
    return f"said by the {said.speaker}{quoted}{where}"


def _last_writes(memory: AgentMemory, scope: Scope) -> Iterator[tuple[str, datetime]]:
    """Yield when each layer was last written, where it knows."""
    for kept in memory.long_term.list(scope=scope, limit=1):
        yield "memories", kept.created_at
    for talk in memory.conversations(scope, limit=1):
        yield "conversations", talk.last_used_at
    for task in memory.working.sessions(scope, limit=1):
        yield "working", task.last_used_at
    threads = memory.checkpointer.threads(scope, limit=_THREADS_READ)
    if threads:
        yield "threads", max(it.last_used_at for it in threads)


def _listed(kept: Memory, *, is_allowed: bool) -> dict[str, object]:
    return {"id": kept.id, **{name: getattr(kept, name) for name in _LISTED}, "is_allowed": is_allowed}


def _facts(kept: Memory) -> tuple[str, ...]:
    """Return of what kind a memory is, since when, who said it, and how sure it is."""
    return (kept.kind, f"{kept.created_at:%Y-%m-%d}", kept.source, f"{kept.confidence:.0%} sure")


def _reason(line: str) -> str:
    """Return why something happened: a line of `why` begins with when and what."""
    return line.partition(": ")[2]


def _minute(at: datetime | None) -> str:
    return "–" if at is None else f"{at:%Y-%m-%d %H:%M}"
