"""Commands for the rights of users: take everything out, take it in, delete it, and keep it under a legal hold."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from langchain_agentmem.cli.places import memory_at
from langchain_agentmem.cli.program import CHANGING, LOOKING, AsJson, Place, Redis, Tenant, User, app, emit, screen
from langchain_agentmem.demo.processes import UNMET
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.privacy.records import PrivacyReport
from langchain_agentmem.types import Scope

File = Annotated[Path, typer.Argument(metavar="FILE", help="The export, as JSON lines.")]
Reason = Annotated[str, typer.Option("--reason", help="Written to the log; no content.")]


@app.command(rich_help_panel=LOOKING)
def export(
    place: Place, file: File, user: User, tenant: Tenant = "default", redis: Redis = None, *, as_json: AsJson = False
) -> None:
    """Write everything that is stored of a user into a file, of every layer; the file is plain text."""
    with memory_at(place, redis) as memory:
        done = memory.privacy.export(Scope(user, tenant_id=tenant), file)
    if as_json:
        emit({"file": str(file), "sha256": done.sha256, "counts": dict(done.counts)})
        return
    told = ", ".join(f"{count} {name}" for name, count in done.counts.items() if count)
    screen().verdict(is_good=True, text=f"{file}: {told}")


@app.command("import", rich_help_panel=CHANGING)
def import_(
    place: Place,
    file: File,
    user: User,
    tenant: Tenant = "default",
    redis: Redis = None,
    *,
    as_user: Annotated[str | None, typer.Option("--as", help="Who is to have it, if somebody else.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check the file, and count.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write what an export holds and is not there yet; all of it is checked before."""
    scope = Scope(user, tenant_id=tenant)
    as_ = None if as_user is None else Scope(as_user, tenant_id=tenant)
    with memory_at(place, redis) as memory:
        found = memory.privacy.verify_export(file)
        done = None if dry_run else memory.privacy.import_(file, scope=scope, as_=as_)
    added = {} if done is None else {name: it.added for name, it in done.layers.items()}
    if as_json:
        emit({"dry_run": dry_run, "user": found.scope.user_id, "counts": dict(found.counts), "added": added})
    elif done is None:
        screen().note(f"{file} is whole: {sum(found.counts.values())} records of {found.scope.user_id}")
    else:
        screen().verdict(is_good=True, text=f"{done.added} records written for {done.scope.user_id}")


@app.command("erase-user", rich_help_panel=CHANGING)
def erase_user(
    place: Place,
    user: User,
    tenant: Tenant = "default",
    redis: Redis = None,
    reason: Reason = "user asked",
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is stored; change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete everything that is stored of a user, in every layer and backend; broken off, it goes on when called."""
    if as_json and not (yes or dry_run):
        msg = "--json does not ask; add --dry-run, or --yes"
        raise ConfigurationError(msg)
    scope = Scope(user, tenant_id=tenant)
    with memory_at(place, redis) as memory:
        report = memory.privacy.report(scope)
        if not dry_run:
            if not yes:
                _show(report)
                _agree(f"Erase everything of {user} for good? This cannot be taken back.")
            report = memory.privacy.erase(scope, reason=reason)
    if as_json:
        emit({"dry_run": dry_run, **_told(report)})
    else:
        _show(report)


@app.command(rich_help_panel=CHANGING)
def hold(
    place: Place,
    user: User,
    reason: Reason,
    tenant: Tenant = "default",
    *,
    until: Annotated[datetime | None, typer.Option(help="When it ends by itself, UTC.")] = None,
    release: Annotated[bool, typer.Option("--release", help="End the hold instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Place a legal hold: nothing of the user's memory is deleted for good until it is released."""
    scope = Scope(user, tenant_id=tenant)
    with memory_at(place) as memory:
        if release:
            stood = memory.privacy.release(scope, reason=reason)
            text = f"the hold of {user} is released" if stood else f"no hold of {user} stood"
        else:
            ends = None if until is None else until.replace(tzinfo=until.tzinfo or UTC)
            placed = memory.privacy.hold(scope, reason=reason, until=ends)
            text = f"{user} is held until {placed.until.isoformat() if placed.until else 'it is released'}"
        standing = memory.privacy.held(scope)
    if as_json:
        emit({"user": user, "is_held": standing is not None, "until": standing.until if standing else None})
    else:
        screen().verdict(is_good=True, text=text)


def _agree(question: str) -> None:
    if not typer.confirm(question):
        raise typer.Exit(UNMET)


def _told(report: PrivacyReport) -> dict[str, object]:
    before = {it.name: it.before for it in report.layers if it.before is not None}
    told = {"user": report.scope.user_id, "status": report.status, "counts": report.counts}
    return {**told, "before": before, "remains": list(report.remains)}


def _show(report: PrivacyReport) -> None:
    for it in report.layers:
        if it.count or it.before:
            was = "" if it.before is None else f", {it.before} before"
            screen().note(f"{it.name}: {it.count}{was}")
    screen().verdict(is_good=report.status != "erasing", text=f"{report.scope.user_id}: {report.status}")
    for sentence in report.remains:
        screen().note(sentence)
