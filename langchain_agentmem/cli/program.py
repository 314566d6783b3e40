"""The program itself: what its commands share, and how errors leave the process."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import typing
from collections.abc import Callable
from functools import wraps
from io import TextIOWrapper
from typing import Annotated, Any, Final, TypeVar

import typer
from rich.console import Console
from typer.core import TyperGroup
from typer.main import get_group

from langchain_agentmem._storing import hush_plain
from langchain_agentmem._version import __version__
from langchain_agentmem.demo.render import Screen, complain, plain_json
from langchain_agentmem.errors import AgentMemError

UNMET: Final = 1
"""Exit code of a command that found something other than it should be."""

WRONG_USE: Final = 2
"""Exit code where a command could not do its work; the message names the remedy."""

EXIT_CODES: Final = (
    f"Exit codes: 0, it is done, and as it should be; {UNMET}, what was looked at is not as it should be; {WRONG_USE}, "
    "it could not be done, and one line says why."
)

TRYING: Final = "Try it"
LOOKING: Final = "Look at what is kept; changes no memory"
CHANGING: Final = "Change what is kept; shows first what would be done"
CHECKING: Final = "Check"

COMMANDS: Final = {
    "demo": "playing",
    "chat": "talking",
    "ingest": "playing",
    "inspect": "looking",
    "list": "looking",
    "why": "looking",
    "recall": "asking",
    "receipt": "asking",
    "stats": "looking",
    "timeline": "turning_back",
    "run": "running",
    "export": "rights",
    "consent": "consenting",
    "approvals": "approving",
    "forget": "changing",
    "restore": "changing",
    "erase": "changing",
    "forget-cycle": "forgetting",
    "rollback": "turning_back",
    "undo": "turning_back",
    "erase-user": "rights",
    "hold": "rights",
    "import": "rights",
    "vault": "sealing",
    "jobs": "working_off",
    "migrate": "changing",
    "verify": "looking",
    "doctor": "checking",
    "config": "checking",
}
"""The commands as the help lists them, as somebody new would try them, and which module has each."""

Options = TypeVar("Options")
Place = Annotated[
    str,
    typer.Argument(metavar="PLACE", help="A SQLite file, the URL of a PostgreSQL, or a configuration (agentmem.yaml)."),
]
User = Annotated[str, typer.Option("--user", help="Whose memory.")]
Tenant = Annotated[str, typer.Option("--tenant", help="The user's tenant.")]
Redis = Annotated[str | None, typer.Option("--redis", help="URL of the Redis that has the conversations.")]
RedisPrefix = Annotated[
    str | None, typer.Option("--redis-prefix", metavar="PREFIX", help="What its keys begin with; without: agentmem.")
]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]


class _Commands(TyperGroup):
    """The commands, in their order; each is imported when it is asked for, so that no other is waited for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401  (a context of whichever click)
        """Return the names as the help shows them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401  (as above, and a command of it)
        """Return a command by its name; `None`: there is none, and then the nearest one is looked for among all."""
        if cmd_name not in self.commands:
            for module in {COMMANDS[cmd_name]} if cmd_name in COMMANDS else {*COMMANDS.values()}:
                importlib.import_module(f"langchain_agentmem.cli.{module}")
            self.commands = get_group(app).commands
        return self.commands.get(cmd_name)


app = typer.Typer(
    name="agentmem",
    cls=_Commands,
    help="Governed memory for LangChain and LangGraph agents. Begin with `demo`, then `chat`.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(is_asked: bool) -> None:  # noqa: FBT001  (what Typer calls)
    if is_asked:
        typer.echo(f"langchain-agentmem {__version__}")
        raise typer.Exit


@app.callback()
def begin(
    *,
    version: Annotated[  # noqa: ARG001  (its callback shows it)
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """Take what comes before a command; `doctor` says what is in the clear, and no warning comes beside the answers."""
    hush_plain()


def main() -> None:
    """Run the command line; an error of ours becomes one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a letter shows a mark in its place
    try:
        app()
    except AgentMemError as error:
        complain(error)
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


def later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called: the help, which names its command, does not wait for it."""

    def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401  (as the function has it)
        return getattr(importlib.import_module(module), name)(*given, **named)

    return call


def screen() -> Screen:
    """Return where commands write."""
    return Screen(Console(highlight=False))


def emit(value: object) -> None:
    """Write a value as JSON; times as ISO 8601. What the output has no letters for is escaped."""
    is_whole = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(plain_json(json.dumps(value, indent=2, ensure_ascii=not is_whole, default=str)))
