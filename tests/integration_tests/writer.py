"""Processes that write memories until they are told to stop, or killed; each write is acknowledged once it returned."""

from __future__ import annotations

import itertools
import random
from typing import Final, Literal, NamedTuple

from langchain_agentmem import AgentMemory, Scope
from tests.processes import Say

SYLLABLES: Final = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
TENANT: Final = "processes"


class Acknowledged(NamedTuple):
    """A write that has returned, and which sentence it was."""

    what: Literal["kept", "erased"]
    memory_id: str
    number: int


def statement(seed: str, number: int) -> str:
    """Return a sentence like no other: words that nobody uses."""
    words = random.Random(f"{seed}/{number}")  # the same for the process that writes and the one that checks
    made = ["".join(words.choices(SYLLABLES, k=4)) for _ in range(6)]
    return f"{seed} once saw {' '.join(made)}"


def write(say: Say, url: str, user_id: str, seed: str, count: int = 0) -> None:
    """Remember, recall, revise and erase, so often or for ever; say what was acknowledged."""
    memory = AgentMemory.connect(sql=url, embeddings=None, consent="assumed", audit_key=b"0123456789abcdef")
    scope = Scope(user_id, tenant_id=TENANT)
    for number in itertools.count() if count == 0 else range(count):
        kept = memory.long_term.remember(statement(seed, number), scope=scope, kind="outcome").require()
        say(Acknowledged("kept", kept.id, number))
        memory.long_term.recall(statement(seed, number), scope=scope)
        if number % 5 == 4:
            memory.long_term.erase(kept.id, scope=scope)
            say(Acknowledged("erased", kept.id, number))
    memory.close()
