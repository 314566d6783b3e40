"""What the vault costs: the same work with and without, in one run, on one SQLite file each.

python benchmarks/vault.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, KeyFolder, Scope, SubjectVault
from langchain_agentmem._flow import run
from langchain_agentmem.vault.cipher import OVERHEAD_BYTES

ALICE: Final = Scope("alice", session_id="s")


def timed(work: Callable[[int], Any], times: int) -> float:
    """Return the median of the calls, in milliseconds."""
    took = []
    for number in range(times):
        begun = time.perf_counter()
        work(number)
        took.append(time.perf_counter() - begun)
    return median(took) * 1_000


def measured(path: Path, vault: SubjectVault | None, count: int) -> dict[str, float]:
    with AgentMemory.embedded(path, embeddings=None, consent="assumed", vault=vault) as memory:
        say = memory.history(ALICE)
        found = {
            "remember, ms": timed(
                lambda n: memory.long_term.remember(f"Owns item {n} of shelf {n * 7}", scope=ALICE), count
            ),
            "add a message, ms": timed(lambda n: say.add_messages([HumanMessage(f"message {n}")]), count),
        }
    with AgentMemory.embedded(path, embeddings=None, consent="assumed", vault=vault) as memory:
        found["first recall, ms"] = timed(lambda n: memory.long_term.recall("item 5 of shelf", scope=ALICE), 1)
        found["recall, ms"] = timed(lambda n: memory.long_term.recall(f"item {n}", scope=ALICE), count // 4)
        found["verify, ms"] = timed(lambda n: memory.long_term.verify(scope=ALICE), 1)
        run(memory._database.scrub())  # noqa: SLF001  (what is in the log counts too)
    found["file, KiB"] = path.stat().st_size / 1024
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    count = 200 if parser.parse_args().quick else 2_000
    with TemporaryDirectory() as folder:
        vault = SubjectVault(KeyFolder(Path(folder) / "keys"))
        cipher = run(vault.cipher(ALICE))
        sealed = cipher.seal(bytes(200), "row")
        each = (
            timed(lambda _: cipher.seal(bytes(200), "row"), 20_000),
            timed(lambda _: cipher.open(sealed, "row"), 20_000),
        )
        print(f"200 bytes: sealed in {each[0] * 1_000:.1f} µs, opened in {each[1] * 1_000:.1f}, {OVERHEAD_BYTES} more")
        plain = measured(Path(folder) / "plain.db", None, count)
        under = measured(Path(folder) / "sealed.db", vault, count)
    print(f"{count} memories and messages of one user{'':<8}{'plain':>10}{'vault':>10}{'ratio':>8}")
    for name, value in plain.items():
        print(f"{name:<42}{value:>10.2f}{under[name]:>10.2f}{under[name] / value:>8.2f}")


if __name__ == "__main__":
    main()
