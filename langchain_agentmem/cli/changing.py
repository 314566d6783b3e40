"""Commands that change what is stored; each shows first what it would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from typer import Argument, Option

from langchain_agentmem._flow import run
from langchain_agentmem.cli.places import memory_at, parts_at
from langchain_agentmem.cli.program import Place, app, emit, screen, taking
from langchain_agentmem.demo.processes import UNMET
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.long_term.listing import ListQuery
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.policies.forget_request import is_meant, is_said_in
from langchain_agentmem.sql.peeking import peek
from langchain_agentmem.sql.schema_version import HEAD
from langchain_agentmem.types import Episode, Memory, Scope, Status

_PAGE: Final = 1_000
_FORGETTABLE: Final[tuple[Status, ...]] = ("active", "pending", "superseded")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOptions:
    """Options of the command `forget`.

    Raises:
        ConfigurationError: Nothing says what to forget, or more than one thing does.
    """

    place: Annotated[str, Argument(metavar="PLACE", help="A SQLite file, a URL, or a configuration (agentmem.yaml).")]
    user: Annotated[str, Option(help="Whose memory.")]
    ids: Annotated[list[str] | None, Option("--id", metavar="ID", help="This memory; may be given more than once.")] = (
        None
    )
    about: Annotated[
        str | None,
        Option("--about", metavar="TEXT", help="Every memory, and every turn of a conversation, that says this."),
    ] = None
    everything: Annotated[bool, Option("--all", help="Every memory of the user, and every turn.")] = False
    reason: Annotated[str, Option(help="Written to the log; no content.")] = "user asked"
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would be forgotten, and why; change nothing.")] = False
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False
    tenant: Annotated[str, Option(help="The user's tenant.")] = "default"
    as_json: Annotated[bool, Option("--json", help="As JSON, for programs; it does not ask.")] = False

    def __post_init__(self) -> None:
        """Refuse what is not clear."""
        if sum(map(bool, (self.ids, self.about, self.everything))) != 1:
            msg = "say what to forget: --id ID, --about TEXT, or --all"
            raise ConfigurationError(msg)
        if self.as_json and not (self.yes or self.dry_run):
            msg = "--json does not ask; add --dry-run, or --yes"
            raise ConfigurationError(msg)


class Doomed(NamedTuple):
    """A memory that would be forgotten, and why."""

    memory: Memory
    why: str


@app.command()
@taking(ForgetOptions)
def forget(options: ForgetOptions) -> None:
    """Forget memories of a user, which are recalled no more, and turns of conversations, which are gone for good."""
    scope = Scope(options.user, tenant_id=options.tenant)
    with memory_at(options.place) as memory:
        doomed = list(_doomed(memory, options, scope))
        _show(doomed, options)
        if not doomed or options.dry_run:
            return
        if not options.yes and not typer.confirm(f"Forget {len(doomed)}?"):
            raise typer.Exit(UNMET)
        for each in doomed:
            if each.memory.kind != "episode":
                memory.long_term.forget(each.memory.id, scope=scope, reason=options.reason)
        turns = [each.memory.id for each in doomed if each.memory.kind == "episode"]
        memory.episodes.forget(turns, scope=scope, reason=options.reason)
    if not options.as_json:
        screen().note(f"{len(doomed)} forgotten ({options.reason})")


@app.command()
def migrate(
    place: Place,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")] = False,
) -> None:
    """Bring a database to the schema of this version, under a lock; what is stored stays."""
    parts = parts_at(place, is_new=False)
    database = parts["database"]
    _check_there(database.url.database, is_file=database.is_sqlite and not database.is_memory)
    before = run(peek(database)).revision
    if before == HEAD:
        screen().verdict(is_good=True, text=f"the schema is {HEAD} already")
        return
    told = f"schema {before or 'none'} → {HEAD}"
    if dry_run:
        screen().note(f"would migrate: {told}")
        return
    try:
        run(database.open())
    finally:
        database.close()
    screen().verdict(is_good=True, text=f"migrated: {told}")


def _check_there(path: str | None, *, is_file: bool) -> None:
    if is_file and not Path(str(path)).is_file():
        msg = f"{path} does not exist; a new database needs no migration"
        raise ConfigurationError(msg)


def _doomed(memory: AgentMemory, options: ForgetOptions, scope: Scope) -> Iterator[Doomed]:
    """Yield what the options mean."""
    if options.ids:
        yield from (_by_id(memory, each, scope) for each in dict.fromkeys(options.ids))
        return
    for kept in _everything(memory, scope):
        if options.everything:
            yield Doomed(kept, "all of the user's memories")
        elif options.about and is_meant(options.about, kept.content):
            yield Doomed(kept, f"it says {options.about!r}")
    for turn in _turns(memory, scope):
        if options.everything:
            yield Doomed(turn.as_memory(), "all that the user said")
        elif options.about and is_said_in(options.about, turn.content):
            yield Doomed(turn.as_memory(), f"it says {options.about!r}")


def _turns(memory: AgentMemory, scope: Scope) -> Iterator[Episode]:
    last: Episode | None = None
    while page := memory.episodes.list(scope=scope, after=last, limit=_PAGE):
        yield from page
        last = page[-1]


def _by_id(memory: AgentMemory, memory_id: str, scope: Scope) -> Doomed:
    kept = memory.long_term.get(memory_id, scope=scope)
    if kept is None or kept.status not in _FORGETTABLE:
        state = "is unknown here" if kept is None else f"is {kept.status} already"
        msg = f"memory {memory_id!r} {state}; `inspect` and `list` show what there is"
        raise ConfigurationError(msg)
    return Doomed(kept, "named by its id")


def _everything(memory: AgentMemory, scope: Scope) -> Iterator[Memory]:
    cursor: str | None = None
    while True:
        page = memory.long_term.select(ListQuery(statuses=_FORGETTABLE, limit=_PAGE, cursor=cursor), scope=scope)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def _show(doomed: Sequence[Doomed], options: ForgetOptions) -> None:
    if options.as_json:
        found = [
            {"id": it.memory.id, "kind": it.memory.kind, "status": it.memory.status, "why": it.why} for it in doomed
        ]
        emit({"dry_run": options.dry_run, "forgotten": found})
        return
    if not doomed:
        screen().note(f"nothing of {options.user} is meant")
        return
    rows = [(it.memory.id, it.memory.kind, it.memory.content, it.why) for it in doomed]
    screen().table(("id", "kind", "content", "why"), rows)
