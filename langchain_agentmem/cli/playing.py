"""Commands that show what memory does: the demonstration, and conversations read from a file."""

from __future__ import annotations

import typer
from rich.console import Console

from langchain_agentmem.cli.places import is_configuration, parts_at
from langchain_agentmem.cli.program import app, screen, taking
from langchain_agentmem.composition import LOCAL
from langchain_agentmem.demo.asking import converse
from langchain_agentmem.demo.bulk import IngestOptions, progress_bar
from langchain_agentmem.demo.bulk import ingest as ingest_file
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.performance import perform
from langchain_agentmem.demo.processes import UNMET
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.memory import AgentMemory


@app.command()
@taking(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Watch an agent remember across four sessions of two users; or replay a conversation with --file."""
    if options.file is not None:
        converse(options, screen())
    elif not perform(options, screen()):
        raise typer.Exit(UNMET)


@app.command()
@taking(IngestOptions)
def ingest(options: IngestOptions) -> None:
    """Make conversations of a file searchable, turn by turn; interrupted, the same command goes on where it was."""
    console, parts = Console(highlight=False), parts_at(options.into, is_new=True)
    if options.words_only or not is_configuration(options.into):  # which names its own model
        parts["embeddings"] = None if options.words_only else LOCAL
    with AgentMemory(**parts) as memory:
        report, seconds = ingest_file(options, memory, progress_bar(console=console))
    refused = "".join(f", {count:,} refused ({rule})" for rule, count in report.refused.items())
    text = f"{report.kept:,} turns kept, {report.known:,} known already{refused}, in {seconds:.1f} s"
    Screen(console).verdict(is_good=not report.refused, text=text)
    if "consent" in report.refused:
        Screen(console).note("--consented records that the user has agreed; without consent nothing is kept")
    if report.refused:
        raise typer.Exit(UNMET)
