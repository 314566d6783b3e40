"""`chat`: a conversation that goes on in another process, with what was agreed to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit_tests.cli.commands import answer, refusal, run


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"


def chat(database: Path, *options: str, input: str | None = None) -> str:
    result = run("chat", database, "--user", "ana", "--words-only", *options, input=input)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_session_is_resumed_and_remembers(database: Path) -> None:
    """What was said before is there, and another session knows the user, too."""
    first = chat(database, "--consent", "--say", "I prefer Python for backend work")
    assert ("a new conversation" in first, "written" in first) == (True, True)
    again = chat(database, "--say", "Which language do I prefer?")
    assert ("2 messages so far" in again, "prefers Python" in again) == (True, True)
    other = chat(database, "--session", "work", "--say", "Which language do I prefer?")
    assert ("a new conversation" in other, "prefers Python" in other) == (True, True)
    shown = chat(database, "--sessions")
    assert [line.split()[0] for line in shown.splitlines()[1:]] == ["main", "work"]


def test_without_consent_nothing_is_remembered(database: Path) -> None:
    """The user is told, and may agree in the conversation."""
    output = chat(database, input="I prefer tea\n/consent\nI prefer coffee\n/memories\n/nonsense\n/withdraw\n/exit\n")
    assert ("until you agree" in output, "from now on" in output, "nothing more" in output) == (True, True, True)
    assert "coffee" in str(answer("list", database, "--user", "ana"))
    assert "tea" not in str(answer("list", database, "--user", "ana"))


def test_two_users_share_no_session(database: Path) -> None:
    """A session of the same name is another one."""
    chat(database, "--consent", "--say", "I prefer tea")
    result = run("chat", database, "--user", "bob", "--words-only", "--say", "/memories")
    assert ("a new conversation" in result.output, "nothing is remembered about you" in result.output) == (True, True)
    assert "bob has no conversation here" not in chat(database, "--sessions")


def test_a_configuration_says_where_and_how(tmp_path: Path) -> None:
    """The same command takes a file that names the database."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: mine.db\nembeddings: null\nconsent: assumed\n", encoding="utf-8")
    assert run("chat", file, "--user", "ana", "--say", "I prefer tea").exit_code == 0
    assert "tea" in str(answer("list", file, "--user", "ana"))
    assert (tmp_path / "mine.db").is_file()


def test_a_model_that_is_unknown_is_one_line(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what to write."""
    arguments = ("chat", database, "--user", "ana", "--words-only", "--model", "nobody:none", "--say", "Hi")
    assert "provider:name" in refusal(monkeypatch, capsys, *arguments)
