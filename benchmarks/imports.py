"""What an import costs, ours beside other packages: time and memory of a fresh interpreter.

    python benchmarks/imports.py [--quick] [--json]

Each import runs in an interpreter of its own, all of them in turn, after one round that is not counted (it writes the
bytecode). Figures are medians; ratios are to `langchain_core.messages` in the same run. Where ours is above its aim,
the modules that cost most are listed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from _common import WIDTH, machine
from rich.console import Console, Group
from rich.table import Table

BASE: Final = "import langchain_core.messages"
OURS: Final = {
    "import langchain_agentmem": 1.3,
    "from langchain_agentmem import AgentMemory, Scope": 2.5,
}
"""Statement and aim: at most so many times the base."""

READY: Final = "from langchain_agentmem import AgentMemory; AgentMemory.in_memory(embeddings=None).open()"
"""What an import puts off is paid with the first object; this shows it."""
GRAPH: Final = "from langchain_agentmem import create_memory_graph"
"""All that an agent needs, LangGraph included."""

STATEMENTS: Final = (
    BASE,
    "import langgraph.graph",
    "import chromadb",
    "import langchain_redis",
    "import langmem",
    "import mem0",
    "import langchain_chroma",
    "import sentence_transformers",
    *OURS,
    READY,
    GRAPH,
)
HEAVY: Final = ("torch", "sentence_transformers", "chromadb", "redis", "psycopg", "alembic", "langgraph", "langchain")
ROUNDS: Final = 9
QUICK_ROUNDS: Final = 3
QUICK_CAP_S: Final = 3.0
CAP_S: Final = 20.0  # an import that has taken this long altogether is not measured further
SHOWN_MODULES: Final = 15
QUIET: Final = {
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
}

_PROBE: Final = """
import sys, time
began = time.perf_counter()
{statement}
took = time.perf_counter() - began
import json, psutil
heavy = [name for name in {heavy!r} if name in sys.modules]
print(json.dumps({{"s": took, "rss": psutil.Process().memory_info().rss, "heavy": heavy}}))
"""
_LINE: Final = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|( +)(\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one import costs: seconds, bytes of the process afterwards, and heavy packages that came along."""

    seconds: float
    rss: int
    heavy: tuple[str, ...]


def fresh(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python anew, apart from this folder and from networks."""
    command = [sys.executable, "-P", "-W", "ignore", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def measure(rounds: int, cap_s: float) -> tuple[dict[str, Cost], dict[str, str]]:
    """Return what each import costs, and why some could not be measured."""
    samples: dict[str, list[dict[str, Any]]] = defaultdict(list)
    failed: dict[str, str] = {}
    for number in range(rounds + 1):
        for statement in STATEMENTS:
            if statement in failed or sum(sample["s"] for sample in samples[statement]) > cap_s:
                continue
            done = fresh("-c", _PROBE.format(statement=statement, heavy=HEAVY))
            if done.returncode:
                failed[statement] = (done.stderr.strip().splitlines() or ["no message"])[-1]
            elif number:
                samples[statement].append(json.loads(done.stdout.splitlines()[-1]))
    return {statement: _median(taken) for statement, taken in samples.items() if taken}, failed


def _median(taken: list[dict[str, Any]]) -> Cost:
    seconds = statistics.median(sample["s"] for sample in taken)
    rss = int(statistics.median(sample["rss"] for sample in taken))
    return Cost(seconds=seconds, rss=rss, heavy=tuple(taken[-1]["heavy"]))


def blame(statement: str) -> list[tuple[str, int, int]]:
    """Return the modules that cost most by themselves, by top package where foreign: (name, own µs, modules)."""
    own: dict[str, list[int]] = defaultdict(list)
    for line in fresh("-X", "importtime", "-c", statement).stderr.splitlines():
        found = _LINE.match(line)
        if found:
            name = found[4]
            own[name if name.startswith("langchain_agentmem") else name.partition(".")[0]].append(int(found[1]))
    costs = [(name, sum(times), len(times)) for name, times in own.items()]
    return sorted(costs, key=lambda cost: -cost[1])[:SHOWN_MODULES]


def shown(costs: dict[str, Cost], failed: dict[str, str]) -> Group:
    """Return the figures as tables."""
    base = costs[BASE].seconds
    table = Table("", "time", "ratio", "at most", "memory", "heavy packages that came along", title="imports, median")
    for statement, cost in costs.items():
        aim = OURS.get(statement)
        table.add_row(
            statement,
            f"{cost.seconds * 1e3:,.0f} ms",
            f"x{cost.seconds / base:.2f}",
            f"x{aim}" if aim else "",
            f"{cost.rss / 2**20:,.0f} MB",
            ", ".join(cost.heavy),
            style="bold" if aim else "",
        )
    reasons = [f"left out: {statement}: {reason}" for statement, reason in failed.items()]
    above = [
        statement for statement, aim in OURS.items() if statement in costs and costs[statement].seconds > aim * base
    ]
    return Group(table, *reasons, *(_blame_table(statement) for statement in above))


def _blame_table(statement: str) -> Table:
    table = Table("package or module", "itself", "modules", title=f"above its aim: {statement}")
    for name, micros, modules in blame(statement):
        table.add_row(name, f"{micros / 1e3:,.1f} ms", str(modules))
    return table


def as_json(costs: dict[str, Cost], failed: dict[str, str]) -> dict[str, Any]:
    """Return the figures as JSON-like values."""
    base = costs[BASE].seconds
    rows = [
        {
            "import": statement,
            "ms": round(cost.seconds * 1e3, 1),
            "ratio": round(cost.seconds / base, 2),
            "rss_mb": round(cost.rss / 2**20, 1),
            "heavy": cost.heavy,
        }
        for statement, cost in costs.items()
    ]
    return {"machine": machine(), "figures": rows, "left_out": failed}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds instead of {ROUNDS}")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    options = parser.parse_args()
    console = Console(width=WIDTH)
    with tempfile.TemporaryDirectory() as folder:  # where mem0 would make ~/.mem0
        os.environ |= QUIET | {"MEM0_DIR": folder}
        costs, failed = measure(QUICK_ROUNDS, QUICK_CAP_S) if options.quick else measure(ROUNDS, CAP_S)
        if options.json:
            console.print_json(json.dumps(as_json(costs, failed)))
        else:
            console.print(shown(costs, failed))


if __name__ == "__main__":
    main()
