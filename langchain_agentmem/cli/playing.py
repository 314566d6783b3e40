"""Commands that show what memory does: the demonstration, and conversations read from a file."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

import typer
from rich.console import Console

from langchain_agentmem._checks import install_hint
from langchain_agentmem.cli.places import opened, writing_parts_at
from langchain_agentmem.cli.program import TRYING, UNMET, app, later, screen, taking
from langchain_agentmem.composition import LOCAL
from langchain_agentmem.demo.bulk import IngestOptions, progress_bar
from langchain_agentmem.demo.bulk import ingest as ingest_file
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.memory import AgentMemory

_converse: Final = later("langchain_agentmem.demo.asking", "converse")
_perform: Final = later("langchain_agentmem.demo.performance", "perform")


@app.command(rich_help_panel=TRYING)
@taking(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Watch an agent remember across four sessions of two users; or replay a conversation with --file."""
    if options.file is not None:
        _converse(options, screen())
    elif not _perform(options, screen()):
        raise typer.Exit(UNMET)


@app.command(rich_help_panel=TRYING)
@taking(IngestOptions)
def ingest(options: IngestOptions) -> None:
    """Make conversations of a file searchable, turn by turn; interrupted, the same command goes on where it was."""
    console = Console(highlight=False)
    parts = opened(options.into, writing_parts_at(options.into, words_only=options.words_only))
    if parts["embeddings"] == LOCAL and find_spec("sentence_transformers") is None:
        msg = f"sentence-transformers is not installed; {install_hint('local')}; or add --words-only"
        raise ConfigurationError(msg)
    with AgentMemory(**parts) as memory:
        report, seconds = ingest_file(options, memory, progress_bar(console=console))
    refused = "".join(f", {count:,} refused ({rule})" for rule, count in report.refused.items())
    text = f"{report.kept:,} turns kept, {report.known:,} known already{refused}, in {seconds:.1f} s"
    Screen(console).verdict(is_good=not report.refused, text=text)
    if "consent" in report.refused:
        Screen(console).note("--consented records that the user has agreed; without consent nothing is kept")
    if report.refused:
        raise typer.Exit(UNMET)
