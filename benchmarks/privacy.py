"""The rights of one user among many: export, report, erasure and import, beside the same with nobody else there.

    python benchmarks/privacy.py [--users N] [--quick] [--json]

Every user has two memories, the one in question a hundred, and a conversation of a hundred messages. Times are those of
the processor, the least of some rounds: other work on the machine moves them little. What others have must be as it was
before, and every log that is looked at must verify: else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Memory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.url import sqlite_url

ALICE = Scope("alice")
CHAT = Scope("alice", session_id="chat")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
FULL, QUICK = 20_000, 500
EACH, HERS, ROUNDS = 2, 100, 3


def tell(ledger: SQLLedger, user: Scope, count: int) -> None:
    """Write memories as `remember` does, past the write policy."""

    def write(writer: LedgerWriter) -> None:
        for number in range(count):
            told = Memory(
                id=f"m{number}",
                scope=user,
                kind="fact",
                content=f"Item {number} of {user.user_id} is in shelf {number % 97}",
                confidence=0.9,
                importance=0.5,
                source="explicit",
                created_at=BEGAN,
            )
            writer.append(Draft(type="remembered", memory_id=told.id, changes=fields_of(told)))

    run(ledger.append(user, write))


def cost(call: Callable[[], object]) -> float:
    """Return the milliseconds of the processor that a call takes."""
    began = time.process_time()
    call()
    return (time.process_time() - began) * 1_000


def measure(folder: Path, users: int) -> dict[str, float]:
    """Return what each right costs beside so many users."""
    path, file = folder / f"{users}.db", folder / f"{users}.jsonl"
    database = Database(sqlite_url(path))
    ledger = SQLLedger(database, clock=lambda: BEGAN)
    for number in range(users):
        tell(ledger, Scope(f"user-{number}"), EACH)
    tell(ledger, ALICE, HERS)
    database.close()
    with AgentMemory.embedded(path, embeddings=None, consent="assumed", episodes=False) as memory:
        memory.history(CHAT).add_messages([HumanMessage(f"message {it}", id=f"m{it}") for it in range(HERS)])
        seen = others(memory, users)
        rounds = [
            {
                "export": cost(lambda: memory.privacy.export(ALICE, file)),
                "report": cost(lambda: memory.privacy.report(ALICE)),
                "erase": cost(lambda: memory.privacy.erase(ALICE)),
                "import": cost(lambda: memory.privacy.import_(file, scope=ALICE)),
            }
            for _ in range(ROUNDS)
        ]
        if others(memory, users) != seen or not memory.long_term.verify(scope=ALICE).is_intact:
            sys.exit("somebody else was touched, or the log does not verify")
    return {name: min(it[name] for it in rounds) for name in rounds[0]}


def others(memory: AgentMemory, users: int) -> list[object]:
    """Return what some others have, and where their logs stand."""
    some = [Scope(f"user-{number}") for number in range(0, users, max(1, users // 20))]
    if not all(memory.long_term.verify(scope=it).is_intact for it in some):
        sys.exit("the log of somebody else does not verify")
    return [(memory.privacy.report(it).counts, memory.privacy.report(it).digest) for it in some]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=FULL, help=f"beside her; by default {FULL}")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK} users")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    users = QUICK if asked.quick else asked.users
    with tempfile.TemporaryDirectory() as folder:
        alone, among = measure(Path(folder), 0), measure(Path(folder), users)
    found = {name: {"ms": round(among[name], 1), "beside alone": round(among[name] / alone[name], 2)} for name in among}
    if asked.json:
        print(json.dumps({"users": users, **found}))
        return
    print(f"one user with {HERS} memories and {HERS} messages among {users:,}, on SQLite")
    for name, it in found.items():
        print(f"  {name:8} {it['ms']:8.1f} ms   x{it['beside alone']} of the same alone")


if __name__ == "__main__":
    main()
