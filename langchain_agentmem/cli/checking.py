"""Commands that check an installation and its configuration."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.text import Text

from langchain_agentmem.cli.looks import Look
from langchain_agentmem.cli.places import is_configuration, parts_at
from langchain_agentmem.cli.program import CHECKING, UNMET, AsJson, Redis, RedisPrefix, app, emit, later, screen
from langchain_agentmem.demo.render import plain, written
from langchain_agentmem.errors import AgentMemError, ConfigurationError

PLACES = "name a SQLite file that is there, a URL, or a configuration; or correct what the message names"
_examine: Final = later("langchain_agentmem.cli.examining", "examine")
_config_schema: Final = later("langchain_agentmem.config", "config_schema")
_read_config: Final = later("langchain_agentmem.config", "read_config")
_check_named: Final = later("langchain_agentmem.index.backends", "check_named")
_STYLES = {"ok": "green", "note": "yellow", "failed": "bold red"}


@app.command(rich_help_panel=CHECKING)
def doctor(
    place: Annotated[
        str | None, typer.Argument(metavar="PLACE", help="A SQLite file, a URL, or a configuration (agentmem.yaml).")
    ] = None,
    redis: Redis = None,
    redis_prefix: RedisPrefix = None,
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Also embed a word, and ask the model for one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tell what is installed and what can be reached, in which version, and what to do; no secret is shown."""
    try:
        parts = None if place is None else parts_at(place, redis, redis_prefix)
    except AgentMemError as error:
        parts, broken = None, [Look(name="place", state="failed", found=str(error), remedy=PLACES)]
    else:
        broken = []
    looks = [*_examine(parts, deep=deep), *broken]
    if as_json:
        emit([asdict(look) for look in looks])
    else:
        _show(looks)
    if any(look.state == "failed" for look in looks):
        raise typer.Exit(UNMET)


@app.command(rich_help_panel=CHECKING)
def config(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A configuration (agentmem.yaml) to check.")
    ] = None,
    *,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of configuration files.")] = False,
) -> None:
    """Check a configuration file, or print what one may say."""
    if schema:
        emit(_config_schema())
        return
    if file is None or not is_configuration(file):
        msg = "name a configuration file, such as agentmem.yaml; or pass --schema"
        raise ConfigurationError(msg)
    found, parts = _read_config(file), parts_at(file)
    if parts["index"] is not None:
        _check_named(parts["index"], parts["options"].index_options)
    screen().verdict(is_good=True, text=f"{file} sets {', '.join(sorted(found.model_fields_set))}")


def _show(looks: list[Look]) -> None:
    for look in looks:
        line = Text.assemble((f"{look.state:<7}", _STYLES[look.state]), plain(f"{look.name}: {look.found}"))
        screen().console.print(line, soft_wrap=True)
        if look.remedy:
            screen().console.print(written(f"         {look.remedy}", "dim"), soft_wrap=True)
