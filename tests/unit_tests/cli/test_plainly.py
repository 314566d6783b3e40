"""What commands say is true, said to whoever sits at a shell, and readable where it goes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.cli import app
from tests.unit_tests.cli.commands import answer, refusal, run
from tests.whole import few

ZOE = Scope("Zoë")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
        memory.consent.grant(ZOE)
        memory.long_term.remember("Zoë keeps a 🐈", scope=ZOE)
    return tmp_path / "agent.db"


@pytest.mark.parametrize(
    "command", [["verify"], ["timeline"], ["list"], ["erase-user", "--dry-run"], ["erase-user", "--yes"]], ids=" ".join
)
def test_of_whom_nothing_is_stored_that_is_said(place: Path, command: list[str]) -> None:
    """A name that was mistyped is not found to be in order; and nothing is written of it."""
    done = run(command[0], place, "--user", "nobody", *command[1:])
    assert (done.exit_code, "nothing is" in done.output, "nobody" in done.output) == (0, True, True)
    assert "ok" not in done.output.split()
    assert answer("verify", place, "--user", "nobody")["events"] == 0


def test_a_line_that_goes_to_a_program_is_not_broken(place: Path) -> None:
    """However narrow the terminal would be: an id in two pieces is none."""
    asked = ["recall", str(place), "who has a 🐈?", "--user", "Zoë", "--words-only"]
    told = CliRunner().invoke(app, asked, env={"COLUMNS": "40"}).output
    assert re.search(r"dropped: .* · receipt [0-9a-f]{32}$", told, re.MULTILINE)
    checked = CliRunner().invoke(app, ["verify", str(place), "--user", "Zoë"], env={"COLUMNS": "40"}).output
    assert re.fullmatch(r"ok +the log of Zoë: .*, head [0-9a-f]{12}…\n", checked)


@pytest.mark.parametrize("command", few(["list", "why"], of=["list", "inspect", "verify", "why"]))
def test_an_output_without_a_letter_is_no_error(place: Path, command: str) -> None:
    """A mark stands in its place, for people; as JSON it is escaped, and reads the same."""
    with AgentMemory.embedded(place, embeddings=None) as memory:
        [kept] = memory.long_term.list(scope=ZOE)
    given = [sys.executable, "-m", "langchain_agentmem", command, str(place), *([kept.id] if command == "why" else [])]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*given, "--user", "Zoë"], capture_output=True, check=True, env=plain)
    assert done.stdout.isascii()
    if command == "list":
        asked = [*given, "--user", "Zoë", "--json"]
        [told] = json.loads(subprocess.run(asked, capture_output=True, check=True, env=plain).stdout)
        assert told["content"] == "Zoë keeps a 🐈"


def test_the_help_says_of_no_command_that_it_changes_nothing_if_it_writes(place: Path) -> None:
    """A recall leaves a receipt, and the log says that an export was made; no memory is changed by either."""
    helped = " ".join(run("--help").output.split())
    assert ("changes nothing" in helped, "changes no memory" in helped) == (False, True)
    assert "leaves a receipt" in " ".join(run("recall", "--help").output.split())
    before = answer("stats", place)["layers"]
    run("recall", place, "who has a cat?", "--user", "Zoë", "--words-only")
    run("export", place, place.with_name("zoe.jsonl"), "--user", "Zoë")
    after = answer("stats", place)["layers"]
    grown = {name for name, size in after.items() if size != before[name]}
    assert grown - {"vectors"} == {"receipts", "log"}  # vectors: a view may be kept, to be read sooner the next time
    assert "the log says" in " ".join(run("export", "--help").output.split())


def test_a_command_that_is_mistyped_is_told_the_nearest() -> None:
    """Although no command is imported before it is asked for."""
    done = run("lst")
    assert (done.exit_code, "Did you mean 'list'?" in done.output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["undo", "x"], "undo takes the number of an event, got 'x'; `agentmem timeline` shows them"),
        (["undo", "1"], "record what they say now: grant, or withdraw"),
        (["rollback", "yesterday"], "in the shell 2026-03-01T12:00"),
        (["timeline", "--since", "yesterday"], "--since must be a time such as 2026-03-01T12:00"),
        (["timeline", "--until", "now"], "--until must be a time such as 2026-03-01T12:00"),
        (["why", ""], "`list` shows them"),
        (["why", "nope"], "`list` shows what does"),
        (["receipt", "nope"], "a recall names its own"),
        (["run", "nope"], "the list of runs shows what is"),
        (["export", "."], "'.' is a folder; name a file in it, for example 'alice.jsonl'"),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, list) else "",
)
def test_a_remedy_is_one_that_can_be_typed(
    place: Path,
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No call of Python's stands in it alone."""
    said = refusal(monkeypatch, capsys, arguments[0], place, *arguments[1:], "--user", "Zoë")
    assert told in " ".join(said.split())
    assert "()" not in said
