"""The commands beside the demonstration, and how errors leave the process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from langchain_agentmem import AgentMemory, Scope, cli
from langchain_agentmem.demo.performance import tampering
from langchain_agentmem.demo.story import CARD
from tests.unit_tests.demo.conversations import conversation_file, sample


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.app, [str(each) for each in arguments])


def main_exits(arguments: Sequence[object], monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    monkeypatch.setattr("sys.argv", ["agentmem", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(str(path), embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice prefers [bold] tea", scope=Scope("alice"), kind="preference")
        memory.long_term.remember("Alice lives in Paris", scope=Scope("alice"))
    return path


def test_an_intact_log_verifies(database: Path) -> None:
    """The command says so, and ends with zero."""
    result = run("verify", database, "--user", "alice")
    assert (result.exit_code, "2 events, chain and payloads intact" in result.output) == (0, True)


def test_a_changed_log_does_not_verify(database: Path) -> None:
    """A change behind the ledger's back ends the command with one, and names the event."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE agentmem_payloads SET sealed = x'00' WHERE seq = 1")
        connection.commit()
    result = run("verify", database, "--user", "alice")
    assert (result.exit_code, "event 1" in result.output) == (1, True)


def test_one_flipped_bit_is_found_in_a_copy(database: Path) -> None:
    """The original stays as it was."""
    before = database.read_bytes()
    assert "the payload was changed" in str(tampering(database))
    assert database.read_bytes() == before


def test_a_list_shows_what_is_remembered(database: Path) -> None:
    """Each memory with its kind, and its words as they are, markup included."""
    output = run("list", database, "--user", "alice").output
    assert "preference" in output
    assert "Alice prefers [bold] tea" in output


def test_a_list_shows_one_user_only(database: Path) -> None:
    """Of a user without memories it says that there are none."""
    assert run("list", database, "--user", "bob").output == "nothing is remembered about bob\n"
    assert run("list", database, "--user", "alice", "--tenant", "other").output.startswith("nothing")


def test_stats_show_how_much_is_stored(database: Path) -> None:
    """Layer by layer, of all users, without a word of what is remembered."""
    output = run("stats", database).output
    assert [line.split()[:2] for line in output.splitlines() if line.startswith(("memories", "log"))] == [
        ["memories", "2"],
        ["log", "2"],
    ]
    assert "users: 1 · jobs: none" in output
    assert "Paris" not in output
    told = json.loads(run("stats", database, "--json").output)
    assert (told["users"], told["layers"]["memories"]["rows"]) == (1, 2)


def test_stats_of_a_user_are_of_nobody_else(database: Path) -> None:
    """Of a user without memories, nothing is stored."""
    rows = {line.split()[0]: line.split()[1] for line in run("stats", database, "--user", "bob").output.splitlines()}
    assert (rows["all"], "users:" in rows) == ("0", False)


@pytest.mark.parametrize("command", ["list", "stats", "verify"])
def test_a_file_that_does_not_exist_is_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """A misspelt path is an error of one line, and no new database."""
    assert main_exits([command, tmp_path / "none.db", "--user", "alice"], monkeypatch) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not (tmp_path / "none.db").exists()
    assert main_exits([command, tmp_path, "--user", "alice"], monkeypatch) == 2
    assert "is a folder" in capsys.readouterr().err


def test_a_wrong_option_is_one_line_of_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, and the remedy."""
    assert main_exits(["demo", "--questions", "3"], monkeypatch) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_help_names_every_option_of_the_record() -> None:
    """Fields of the record are options, with their help."""
    output = run("demo", "--help").output
    for option in ("--model", "--extract-with-model", "--keep", "--file", "--sample", "--ask", "--questions"):
        assert option in output


def test_a_bad_file_is_refused_before_anything_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is read first; the database to keep is not begun."""
    bad = conversation_file(tmp_path, {**sample(), "conversation": None})
    assert main_exits(["demo", "--file", bad, "--keep", tmp_path / "kept.db"], monkeypatch) == 2
    assert "has not the shape" in capsys.readouterr().err
    assert not (tmp_path / "kept.db").exists()


def test_the_card_number_of_the_story_passes_the_luhn_check() -> None:
    """Else its refusal would show nothing."""
    digits = [int(digit) for digit in reversed(CARD) if digit.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(digits)]
    assert sum(doubled) % 10 == 0
