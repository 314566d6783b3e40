"""Commands for the rights of users: take everything out, take it in, delete it, and keep it under a legal hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from langchain_agentmem.cli.places import memory_at
from langchain_agentmem.cli.program import (
    CHANGING,
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
    taking,
)
from langchain_agentmem.cli.times import A_TIME, check_time
from langchain_agentmem.errors import ConfigurationError, NotFoundError
from langchain_agentmem.types import Scope

if TYPE_CHECKING:
    from langchain_agentmem.privacy.records import Import, PrivacyReport

File = Annotated[Path, Argument(metavar="FILE", help="The export, as JSON lines.")]
Reason = Annotated[str, Option("--reason", help="Written to the log; no content.")]
DryRun = Annotated[bool, Option("--dry-run", help="Show what would be done; change nothing.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whose:
    """Whose, and where."""

    place: Place
    user: User
    tenant: Tenant = "default"
    redis: Redis = None
    redis_prefix: RedisPrefix = None
    as_json: AsJson = False

    @property
    def scope(self) -> Scope:
        """The user."""
        return Scope(self.user, tenant_id=self.tenant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporting(_Whose):
    """Options of `export`."""

    file: File
    is_plain: Annotated[bool, Option("--plain", help="Plain text, although a vault is there: for the user.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Importing(_Whose):
    """Options of `import`."""

    file: File
    as_user: Annotated[str | None, Option("--as", help="Who is to have it, if somebody else.")] = None
    trusts: Annotated[bool, Option("--trust-consent", help="Believe what a plain file says of consent.")] = False
    dry_run: DryRun = False

    @property
    def told(self) -> dict[str, Any]:
        """Whose it is, who is to have it, and whether it is believed."""
        as_ = None if self.as_user is None else Scope(self.as_user, tenant_id=self.tenant)
        return {"scope": self.scope, "as_": as_, "trust_consent": self.trusts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(_Whose):
    """Options of `erase-user`."""

    reason: Reason = "user asked"
    all_keys: Annotated[bool, Option("--all-keys", help="Destroy keys too that sealed nothing of what is here.")] = (
        False
    )
    dry_run: DryRun = False
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding(_Whose):
    """Options of `hold`."""

    reason: Reason
    until: Annotated[str | None, Option(help=f"When it ends by itself: {A_TIME}.")] = None
    release: Annotated[bool, Option("--release", help="End the hold instead.")] = False

    @property
    def ends(self) -> datetime | None:
        """When it ends by itself, aware."""
        return None if self.until is None else check_time("--until", self.until)


@app.command(rich_help_panel=LOOKING)
@taking(Exporting)
def export(asked: Exporting) -> None:
    """Write everything that is stored of a user into a file, sealed where a vault is; the log says that it was done."""
    with memory_at(asked.place, asked.redis, asked.redis_prefix) as memory:
        if memory.privacy.report(asked.scope).status == "unknown":
            msg = f"nothing is stored of {asked.user}: there is nothing to export, and no file is written"
            raise NotFoundError(msg)
        done = memory.privacy.export(asked.scope, asked.file, sealed=False if asked.is_plain else None)
    if asked.as_json:
        form = {"id": done.id, "is_sealed": done.is_sealed}
        emit({"file": str(asked.file), "sha256": done.sha256, "counts": dict(done.counts), **form})
        return
    told = ", ".join(f"{count} {name}" for name, count in done.counts.items() if count)
    screen().verdict(is_good=True, text=f"{asked.file}: {told}")
    screen().note("sealed with the user's key" if done.is_sealed else "plain text: keep it accordingly")


@app.command("import", rich_help_panel=CHANGING)
@taking(Importing)
def import_(asked: Importing) -> None:
    """Write what an export holds and is not there yet, checked before; the exit code says where memories stay out."""
    with memory_at(asked.place, asked.redis, asked.redis_prefix, may_make=True) as memory:
        found = memory.privacy.verify_export(asked.file, scope=asked.scope)
        done = None if asked.dry_run else memory.privacy.import_(asked.file, **asked.told)
    left = 0 if done is None else done.layers["memories"].skipped
    if asked.as_json:
        added = {} if done is None else {name: it.added for name, it in done.layers.items()}
        told = {"dry_run": asked.dry_run, "user": asked.user, "counts": dict(found.counts)}
        emit({**told, "added": added, "left_out": left})
    elif done is None:
        screen().note(f"{asked.file} is whole: {sum(found.counts.values())} records of {asked.user}")
    else:
        _tell_import(done, left)
    if left:
        raise typer.Exit(UNMET)


def _tell_import(done: Import, left: int) -> None:
    without = f", {left} memories left out" if left else ""
    screen().verdict(is_good=not left, text=f"{done.added} records written for {done.scope.user_id}{without}")
    if left:
        screen().note(
            "they are left out as the user's consent here does not cover them (agentmem consent grant, or "
            "--trust-consent where the file was in nobody else's hands), or as they hold sensitive data"
        )
    if doubtful := done.layers["memories"].contradicting:
        screen().note(f"{doubtful} memories say otherwise than what was here: both are kept, and marked")
    if events := done.layers["events"].skipped:
        screen().note(f"{events} events of the log are in the file alone: a log belongs to its database")


@app.command("erase-user", rich_help_panel=CHANGING)
@taking(Ending)
def erase_user(asked: Ending) -> None:
    """Delete everything that is stored of a user, in every layer and backend; broken off, it goes on when called."""
    if asked.as_json and not (asked.yes or asked.dry_run):
        msg = "--json does not ask; add --dry-run, or --yes"
        raise ConfigurationError(msg)
    with memory_at(asked.place, asked.redis, asked.redis_prefix) as memory:
        report = memory.privacy.report(asked.scope)
        if not asked.dry_run and (asked.all_keys or report.status != "unknown"):
            if not asked.yes:
                _show(report)
                _agree(f"Erase everything of {asked.user} for good? This cannot be taken back.")
            report = memory.privacy.erase(asked.scope, reason=asked.reason, all_keys=asked.all_keys)
    if asked.as_json:
        emit({"dry_run": asked.dry_run, **_told(report)})
    else:
        _show(report)


@app.command(rich_help_panel=CHANGING)
@taking(Holding)
def hold(asked: Holding) -> None:
    """Place a legal hold: nothing of the user's memory is deleted for good until it is released."""
    with memory_at(asked.place, asked.redis, asked.redis_prefix, may_make=True) as memory:
        if asked.release:
            stood = memory.privacy.release(asked.scope, reason=asked.reason)
            text = f"the hold of {asked.user} is released" if stood else f"no hold of {asked.user} stood"
        else:
            placed = memory.privacy.hold(asked.scope, reason=asked.reason, until=asked.ends)
            text = f"{asked.user} is held until {placed.until.isoformat() if placed.until else 'it is released'}"
        standing = memory.privacy.held(asked.scope)
    if asked.as_json:
        emit({"user": asked.user, "is_held": standing is not None, "until": standing.until if standing else None})
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
    if report.status == "unknown":
        screen().note(f"nothing is stored of {report.scope.user_id}")
        return
    screen().verdict(is_good=report.status != "erasing", text=f"{report.scope.user_id}: {report.status}")
    for sentence in report.remains:
        screen().note(sentence)
