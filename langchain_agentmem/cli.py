"""The command line: `python -m langchain_agentmem`, or `agentmem` once installed."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
from rich.console import Console

from langchain_agentmem.demo.asking import converse
from langchain_agentmem.demo.bulk import IngestOptions, progress_bar
from langchain_agentmem.demo.bulk import ingest as ingest_file
from langchain_agentmem.demo.models import chat_model
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.performance import UNMET, describe, perform
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.demo.session import Stage, play
from langchain_agentmem.demo.story import SESSIONS
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.sql.engine import sqlite_url
from langchain_agentmem.types import Scope

WRONG_USE: Final = 2
"""Exit code where a command could not do its work; the message names the remedy."""

Options = TypeVar("Options")
Database = Annotated[Path, typer.Argument(metavar="PATH", help="The SQLite file of an agent's memory.")]
User = Annotated[str, typer.Option("--user", help="Whose memory.")]
Tenant = Annotated[str, typer.Option("--tenant", help="The user's tenant.")]

app = typer.Typer(
    name="agentmem",
    help="Governed memory for LangChain and LangGraph agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; an error of ours becomes one line and an exit code."""
    try:
        app()
    except AgentMemError as error:
        Console(stderr=True).print(
            f"error: {error}", style="red", markup=False, emoji=False, highlight=False, soft_wrap=True
        )
        sys.exit(WRONG_USE)


def taking(record: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Make a command of a function that takes one record: each field becomes an option."""

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(command)
        def given(**options: Any) -> None:
            command(record(**options))

        hints = typing.get_type_hints(record, include_extras=True)
        fields = inspect.signature(record).parameters.values()
        read = [field.replace(annotation=hints[field.name]) for field in fields]
        given.__annotations__ = {field.name: hints[field.name] for field in fields}
        given.__signature__ = inspect.Signature(read)  # type: ignore[attr-defined]  # what Typer reads
        return given

    return decorate


@app.command()
@taking(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Watch an agent remember across four sessions of two users; or replay a conversation with --file."""
    screen = Screen(Console(highlight=False))
    if options.file is not None:
        converse(options, screen)
    elif not perform(options, screen):
        raise typer.Exit(UNMET)


@app.command("demo-session", hidden=True)
def demo_session(
    number: Annotated[int, typer.Argument(min=1, max=len(SESSIONS))],
    database: Database,
    model: Annotated[str | None, typer.Option("--model")] = None,
    *,
    extract_with_model: Annotated[bool, typer.Option("--extract-with-model")] = False,
) -> None:
    """Play one session of the story: `demo` starts a process for each."""
    answering = chat_model(model)
    extracting = answering if extract_with_model else None
    with AgentMemory.embedded(str(database), model=extracting) as memory:
        stage = Stage(memory=memory, model=answering, screen=Screen(Console(highlight=False)))
        if play(SESSIONS[number - 1], number, stage):
            raise typer.Exit(UNMET)


@app.command()
def verify(path: Database, user: User, tenant: Tenant = "default") -> None:
    """Check a user's whole log: nothing changed, removed, reordered or cut off."""
    with _existing(path) as memory:
        found = memory.long_term.verify(scope=Scope(user, tenant_id=tenant))
    Screen(Console(highlight=False)).verdict(is_good=found.is_intact, text=f"the log of {user}: {describe(found)}")
    if not found.is_intact:
        raise typer.Exit(UNMET)


@app.command("list")
def list_(path: Database, user: User, tenant: Tenant = "default") -> None:
    """Show what is remembered about a user, the newest first (1,000 at most)."""
    with _existing(path) as memory:
        page = memory.long_term.list(scope=Scope(user, tenant_id=tenant), limit=1_000)
    screen = Screen(Console(highlight=False))
    if not page:
        screen.note(f"nothing is remembered about {user}")
        return
    rows = [
        (f"{kept.created_at:%Y-%m-%d}", kept.kind, f"{kept.confidence:.0%}", kept.source, kept.content) for kept in page
    ]
    screen.table(("since", "kind", "sure", "source", "content"), rows)


@app.command()
@taking(IngestOptions)
def ingest(options: IngestOptions) -> None:
    """Make conversations of a file searchable, turn by turn; interrupted, the same command goes on where it was."""
    console = Console(highlight=False)
    report, seconds = ingest_file(options, progress_bar(console=console))
    refused = "".join(f", {count:,} refused ({rule})" for rule, count in report.refused.items())
    text = f"{report.kept:,} turns kept, {report.known:,} known already{refused}, in {seconds:.1f} s"
    Screen(console).verdict(is_good=not report.refused, text=text)
    if "consent" in report.refused:
        Screen(console).note("--consented records that the user has agreed; without consent nothing is kept")
    if report.refused:
        raise typer.Exit(UNMET)


@app.command()
def stats(
    place: Annotated[str, typer.Argument(metavar="PATH|URL", help="A SQLite file, or the URL of a PostgreSQL.")],
    redis: Annotated[str | None, typer.Option("--redis", help="URL of the Redis that has the conversations.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Whose; without it, of all users.")] = None,
    tenant: Tenant = "default",
) -> None:
    """Show how much is stored, layer by layer, and what waits to be done."""
    is_server = "://" in place and not place.startswith("sqlite")
    sql = place if is_server else sqlite_url(_checked(Path(place)))
    with AgentMemory.connect(sql=sql, redis=redis, embeddings=None) as memory:
        scope = None if user is None else Scope(user, tenant_id=tenant)
        used = memory.metrics.totals() if scope is None else memory.metrics.usage(scope)
        waiting = {} if scope is not None else memory.jobs.counts()
    screen = Screen(Console(highlight=False))
    rows = [(name, f"{size.rows:,}", f"{size.bytes:,}") for name, size in used.layers.items()]
    screen.table(("layer", "rows", "bytes"), [*rows, ("all", f"{used.rows:,}", f"{used.bytes:,}")])
    if scope is None:
        jobs = ", ".join(f"{count:,} {status}" for status, count in waiting.items() if count)
        screen.note(f"users: {used.users:,} · jobs: {jobs or 'none'}")


def _existing(path: Path) -> AgentMemory:
    return AgentMemory.embedded(str(_checked(path)), embeddings=None)


def _checked(path: Path) -> Path:
    if not path.is_file():
        msg = f"{path} does not exist; name the SQLite file of an agent's memory"
        raise ConfigurationError(msg)
    return path
