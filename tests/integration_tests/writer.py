"""A process that writes memories until it is told to stop, or killed: `python -m tests.integration_tests.writer`.

It says `ready`, waits for a line, and then acknowledges each write, once it has returned, by a line of its own.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from langchain_agentmem import AgentMemory, Scope

SYLLABLES: Final = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
TENANT: Final = "processes"


def statement(seed: str, number: int) -> str:
    """Return a sentence like no other: words that nobody uses."""
    words = random.Random(f"{seed}/{number}")  # the same for the process that writes and the one that checks
    made = ["".join(words.choices(SYLLABLES, k=4)) for _ in range(6)]
    return f"{seed} once saw {' '.join(made)}"


def write(url: str, user_id: str, seed: str, count: int) -> None:
    """Remember, recall, revise and erase; print what was acknowledged."""
    memory = AgentMemory.connect(sql=url, embeddings=None, consent="assumed", audit_key=b"0123456789abcdef")
    scope = Scope(user_id, tenant_id=TENANT)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in itertools.count() if count == 0 else range(count):
        decision = memory.long_term.remember(statement(seed, number), scope=scope, kind="episode")
        if decision.verdict != "written" or decision.memory is None:
            sys.exit(f"{decision.verdict}: {decision.rule}")
        say("kept", decision.memory.id, number)
        memory.long_term.recall(statement(seed, number), scope=scope)
        if number % 5 == 4:
            memory.long_term.erase(decision.memory.id, scope=scope)
            say("erased", decision.memory.id, number)
    memory.close()


def say(what: str, memory_id: str, number: int) -> None:
    """Acknowledge."""
    sys.stdout.write(f"{what} {memory_id} {number}\n")
    sys.stdout.flush()


def started(url: str, user_id: str, seed: str, count: int = 0) -> subprocess.Popen[str]:
    """Start a writer and wait until it is ready."""
    command = [sys.executable, "-m", "tests.integration_tests.writer", url, user_id, seed, str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    """Let a writer begin."""
    assert process.stdin
    process.stdin.write("go\n")
    process.stdin.flush()


def acknowledged(process: subprocess.Popen[str]) -> Iterator[tuple[str, str, int]]:
    """Read what a writer acknowledges, to the end of its output; half a line was not said."""
    assert process.stdout
    for line in process.stdout:
        if line.endswith("\n"):
            what, memory_id, number = line.split()
            yield what, memory_id, int(number)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
