"""What a session's process leaves behind: an exit code, and one line where it could not be played."""

from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem.demo import processes
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.processes import OTHERWISE, UNPLAYED, play_session


def ended(database: Path, options: DemoOptions) -> int | str | None:
    with pytest.raises(SystemExit) as raised:
        play_session(4, database, options)
    return raised.value.code


def test_a_session_that_cannot_be_played_says_why_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, the remedy, and the exit code of the command line."""
    assert ended(tmp_path / "agent.db", DemoOptions(model="nobody:nothing")) == UNPLAYED
    said = capsys.readouterr().err
    assert (said.startswith("error: --model nobody:nothing"), said.count("\n")) == (True, 1)


def test_an_unmet_expectation_is_an_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else tells the process that began it, and it is not that of a crash."""
    monkeypatch.setattr(processes, "play", lambda *_: ["nothing recalled mentions 'a dragon'"])
    assert ended(tmp_path / "agent.db", DemoOptions()) == OTHERWISE
