"""`chat`: a conversation that goes on in another process, with what was agreed to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from langchain_agentmem import AgentMemory, Policy
from langchain_agentmem.cli import conversing, playing, talking
from tests.fake_chat_model import ScriptedChatModel
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


def test_without_the_local_model_it_is_told_that_words_alone_count(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A conversation goes on; whole files are not taken in like that unless it is meant."""
    for module in (talking, playing):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    told = run("chat", database, "--user", "ana", "--consent", "--say", "I prefer tea").output
    assert ("by words only" in told, "[local]" in told, "written" in told) == (True, True, True)
    lines = database.with_suffix(".jsonl")
    lines.write_text('{"role": "user", "content": "I prefer tea"}\n', encoding="utf-8")
    asked = ("ingest", lines, "--jsonl", "--into", database, "--user", "ana")
    assert "--words-only" in refusal(monkeypatch, capsys, *asked)


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


def test_assumed_consent_is_told_as_what_it_is(tmp_path: Path) -> None:
    """Nobody is told that nothing is remembered while it is; who withdrew, or whose memory rests, is told so."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: mine.db\nembeddings: null\nconsent: assumed\n", encoding="utf-8")
    first = run("chat", file, "--user", "ana", "--say", "I prefer tea", "--say", "/withdraw").output
    assert ("you are remembered" in first, "until you agree" in first, "written" in first) == (True, False, True)
    assert "since you withdrew" in run("chat", file, "--user", "ana", "--say", "/memories").output
    assert (
        "remembered" not in run("chat", file, "--user", "bob", "--consent", "--say", "/nonsense").output.split("·")[1]
    )
    file.write_text("path: mine.db\nembeddings: null\nmode: frozen\n", encoding="utf-8")
    assert "memory is frozen" in run("chat", file, "--user", "eve", "--say", "/memories").output


def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a configuration whose policy has a person agree to what the model does."""
    monkeypatch.setattr(conversing, "chat_model", lambda _: ScriptedChatModel(script=[*SCRIPT]))
    file = tmp_path / "agentmem.yaml"
    file.write_text(
        "path: mine.db\nembeddings: null\nconsent: assumed\nprocedural: {path: procedures, create: true}\n", "utf-8"
    )
    rule = {"tool": "manage_memory"}
    policy = {"name": "careful", "description": "Ana decides what is noted", "rule": rule, "approval": True}
    with AgentMemory.from_config(file) as memory:
        memory.procedural.save(Policy.model_validate(policy))
    return file


SAID = "Please note that I enjoy sailing"
ARGS = {"action": "create", "content": "Ana enjoys sailing", "evidence": "I enjoy sailing"}
SCRIPT = [AIMessage("", tool_calls=[{"name": "manage_memory", "args": ARGS, "id": "1"}]), "Very well."]


@pytest.mark.parametrize(
    ("typed", "is_done"), [("maybe\napprove\n", True), ("reject\n", False), ("", False)], ids=["yes", "no", "nobody"]
)
def test_what_needs_approval_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, *, is_done: bool
) -> None:
    """What would be done, and why it is asked; it is done where the answer is yes, and the turn goes on either way."""
    file = asking(tmp_path, monkeypatch)
    output = run("chat", file, "--user", "ana", "--say", SAID, input=typed).output
    assert ("manage_memory(" in output, "Ana decides what is noted" in output, "Very well." in output) == (True,) * 3
    assert ("Ana enjoys sailing" in str(answer("list", file, "--user", "ana"))) == is_done


def test_a_question_left_open_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ended before the answer: the next one asks, and goes on."""
    file = asking(tmp_path, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(conversing, "_asked", lambda _: sys.exit(9))
        assert run("chat", file, "--user", "ana", "--say", SAID).exit_code == 9
    monkeypatch.setattr(conversing, "chat_model", lambda _: ScriptedChatModel(script=SCRIPT[1:]))
    output = run("chat", file, "--user", "ana", input="approve\n/exit\n").output
    assert ("may this be done?" in output, "Very well." in output) == (True, True)
    assert "Ana enjoys sailing" in str(answer("list", file, "--user", "ana"))
