"""Running the command line in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from langchain_agentmem import cli


def run(*arguments: object, input: str | None = None) -> Result:
    """Run a command; wide enough that no line is folded."""
    given = [str(each) for each in arguments]
    return CliRunner().invoke(cli.app, given, input=input, env={"COLUMNS": "250"}, catch_exceptions=False)


def answer(*arguments: object) -> Any:  # noqa: ANN401  (any JSON)
    """Run a command with `--json`, and read what it says."""
    return json.loads(run(*arguments, "--json").output)


def refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run a command that cannot do its work: one line, and exit code 2."""
    monkeypatch.setattr("sys.argv", ["agentmem", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr().err
    assert (ended.value.code, told.count("\n"), told.startswith("error: ")) == (2, 1, True), told
    return told
