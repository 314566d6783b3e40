"""No command lets what somebody said or remembered rule the operator's terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.demo.render import plain, plain_json
from tests.unit_tests.cli.commands import run

RULING: Final = "\x1b[2J\x1b]0;pwn\x07"
SHOWN: Final = r"\x1b[2J\x1b]0;pwn\x07"
TALK: Final = Scope("alice", session_id="monday \x1b[31m")
COMMANDS: Final = {
    "list": (),
    "recall": ("which tea?",),
    "timeline": (),
    "inspect": (),
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember(f"Alice likes {RULING} tea", scope=TALK)
        memory.goals.add(f"Alice wants {RULING} tea", scope=TALK)
        memory.history(TALK).add_messages([HumanMessage(f"I bought {RULING} tea in Rome", id="1")])
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_prints_what_a_terminal_obeys(database: Path, command: str) -> None:
    """Neither in words nor in JSON: what would be obeyed, or turn letters round, is shown as an escape."""
    for more in ((), ("--json",)):
        said = run(*command.split(), database, *COMMANDS[command], "--user", "alice", *more).output
        assert "tea" in said or command != "list"
        assert not set(said) & {*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), "\u202e"} - {"\n"}, command


def test_what_is_escaped_can_be_read(database: Path) -> None:
    """The words beside it stay, and so does every line of a text."""
    assert f"Alice likes {SHOWN} tea" in run("list", database, "--user", "alice").output
    assert (plain("one\n\ttwo"), plain("\x9b31m\u202e"), plain("na\u00efve \U0001f375"), plain_json('"\x9b"')) == (
        "one\n\ttwo",
        r"\x9b31m\u202e",
        "na\u00efve \U0001f375",
        '"\\u009b"',
    )
