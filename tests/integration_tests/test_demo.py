"""The demonstration as a newcomer starts it: in processes of its own, with the real embedding model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """One run, kept in a file and at a width at which nothing is broken in two."""
    kept = tmp_path_factory.mktemp("demo") / "agent.db"
    command = [sys.executable, "-m", "langchain_agentmem", "demo", "--keep", str(kept)]
    environment = {**os.environ, "COLUMNS": "300", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_story_comes_as_told(demo: subprocess.CompletedProcess[str]) -> None:
    """It checks itself: every expectation met is exit code zero and no failure shown."""
    assert (demo.returncode, "FAILED" in demo.stdout) == (0, False), demo.stdout + demo.stderr


def test_the_libraries_under_it_are_silent(demo: subprocess.CompletedProcess[str]) -> None:
    """No warning and no progress bar beside the story."""
    assert demo.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        "rule consent",
        "rule sensitive_data",
        "rule unstable",
        "checkout runs in staging",
        "last step, deploy(",
        "Alice lives in Berlin",
        "destructive-commands, version 1, on run_command: rejected",
        "production-after-staging, version 1, on deploy: blocked",
        "release-a-service@1",
        "in the place of 2 that say the same",
        "the rule 'status_archived' keeps it out: it was forgotten",
        "Alice uses TypeScript",
        "Alice lives in Paris",
        "and verify in place of list",
        "ok      the log of alice",
        "ok      the log of bob",
        "ok      the card number stands nowhere",
        "ok      a copy with one flipped bit: event",
    ],
)
def test_what_matters_is_shown(demo: subprocess.CompletedProcess[str], words: str) -> None:
    """Refusals with their rule, what was learned, and the checks from outside."""
    assert words in demo.stdout


def test_the_kept_database_can_be_read(demo: subprocess.CompletedProcess[str]) -> None:
    """The last lines name commands that work."""
    (line,) = [line for line in demo.stdout.splitlines() if line.startswith("python -m")]
    arguments = line.split(",")[0].split()[3:]
    assert Path(arguments[1]).is_file()
    listed = subprocess.run(
        [sys.executable, "-m", "langchain_agentmem", *arguments], capture_output=True, text=True, check=False
    )
    assert "Alice moved to Berlin" in listed.stdout
