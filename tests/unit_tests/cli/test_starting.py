"""A command waits for nothing but what it uses: somebody sits before it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.cli.program import COMMANDS, app

EMBEDDING = ("torch", "sentence_transformers", "transformers")
ASKED = """
import sys
from langchain_agentmem.cli import main
for command in " ".join(sys.argv[1:]).split(" then "):
    sys.argv = ["agentmem", *command.split()]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, ended.code
print("\\n", *sys.modules)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("place") / "agent.db"
    with AgentMemory.embedded(file, embeddings=None) as memory:
        memory.consent.grant(Scope("alice"))
        memory.long_term.remember("Alice lives in Paris", scope=Scope("alice"))
    return file


def loaded(*arguments: object) -> set[str]:
    """Return the modules that a process has imported when a command, or one "then" the next, has ended well."""
    given = [sys.executable, "-c", ASKED, *map(str, arguments)]
    done = subprocess.run(given, capture_output=True, text=True, check=True)
    return set(done.stdout.rsplit("\n", 2)[-2].split())


def test_commands_that_embed_nothing_load_no_model(place: Path) -> None:
    """Neither the libraries of models, nor a graph, nor what extracts."""
    commands = ("list", "verify", "inspect", "timeline", "forget --all --dry-run")
    found = loaded(" then ".join(f"{it} {place} --user alice" for it in commands))
    unused = {"langchain_agentmem.graph", "langchain_agentmem.extraction.rules", "langchain_agentmem.demo.session"}
    assert (found & {*EMBEDDING, *unused}, "langchain_agentmem.memory" in found) == (set(), True)


def test_the_help_loads_no_more_than_names_the_commands() -> None:
    """And the version nothing of memory at all."""
    helped, told = loaded("--help"), loaded("--version")
    assert helped & {*EMBEDDING, "langgraph.graph", "langchain_agentmem.nodes.act"} == set()
    assert {it for it in told if it.startswith(("sqlalchemy", "langchain_core", "langchain_agentmem.cli."))} == {
        "langchain_agentmem.cli.program"
    }


def test_each_command_stands_in_the_module_that_is_imported_for_it() -> None:
    """No command is found only because another one was asked for before."""
    for module in set(COMMANDS.values()):
        importlib.import_module(f"langchain_agentmem.cli.{module}")
    stands = {it.name or it.callback.__name__: it.callback.__module__ for it in app.registered_commands if it.callback}
    groups = {it.name: it.typer_instance.registered_commands[0] for it in app.registered_groups if it.typer_instance}
    stands |= {str(name): it.callback.__module__ for name, it in groups.items() if it.callback}
    assert stands == {name: f"langchain_agentmem.cli.{module}" for name, module in COMMANDS.items()}
