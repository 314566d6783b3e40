"""What recording an agent's runs costs: the same turn with the recorder and without, in one run.

    python benchmarks/runs.py [--turns N] [--quick] [--json]

A turn of `create_agent`: the model, which answers at once, asks for two tools and then answers, with a checkpointer of
this package; each turn is a thread of its own. Turns with and without take turns, on one SQLite file each. Times are of
the clock, and of this process' core. Each recorded run must be the checkpoint's: else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from _common import pin_threads
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

from langchain_agentmem import AgentMemory, Scope

ALICE: Final = Scope("alice")
FULL, QUICK = 300, 40
WARM_UP: Final = 5


class Model(GenericFakeChatModel):
    """Says what it is told to; takes tools."""

    def bind_tools(self, tools: Sequence[Any], **_given: Any) -> Any:  # noqa: ANN401  (LangChain's)
        """Take tools, and go by the script."""
        del tools
        return self


@tool
def price(of: str) -> str:
    """Say what something costs."""
    return f"the {of} costs 40 euros"


def script() -> list[BaseMessage]:
    """Return what the model says in one turn."""
    calls: list[Any] = [{"name": "price", "args": {"of": it}, "id": f"call-{it}"} for it in ("train", "bus")]
    return [AIMessage("", tool_calls=calls), AIMessage("Both cost 40 euros, so take the train.")]


def turn(memory: AgentMemory, number: int, *, is_recorded: bool) -> tuple[float, float]:
    """Let an agent take a turn; return the seconds of the clock and of this process' core."""
    agent = create_agent(Model(messages=iter(script())), [price], checkpointer=memory.checkpointer)
    callbacks: list[Any] = [memory.runs.recorder(ALICE)] if is_recorded else []
    config: RunnableConfig = {
        "callbacks": callbacks,
        "configurable": {"thread_id": f"t{number}", "user_id": ALICE.user_id},
    }
    asked: Any = {"messages": [("user", "train or bus?")]}
    clock, core = time.perf_counter(), time.process_time()
    agent.invoke(asked, config)
    return time.perf_counter() - clock, time.process_time() - core


def measure(turns: int, folder: Path) -> dict[str, float]:
    """Return milliseconds of a turn, the ratios, and what a run takes on the disk."""
    took: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    paths = {kind: folder / f"{kind}.db" for kind in took}
    plain = AgentMemory.embedded(paths[False], embeddings=None, consent="assumed")
    recorded = AgentMemory.embedded(paths[True], embeddings=None, consent="assumed")
    with plain, recorded:
        for number in range(turns + WARM_UP):
            for kind in (True, False) if number % 2 else (False, True):
                found = turn(recorded if kind else plain, number, is_recorded=kind)
                if number >= WARM_UP:
                    took[kind].append(found)
        runs = recorded.runs.list(ALICE, limit=1_000)
        steps = [len(recorded.runs.steps(it.id, scope=ALICE, limit=1_000)) for it in runs]
        is_right = all(recorded.runs.compare(it.id, scope=ALICE).is_equal for it in runs)
    if not is_right or len(runs) != turns + WARM_UP or any(it.lost for it in runs):
        sys.exit(1)
    clock, core = ({kind: median(it[place] for it in took[kind]) * 1e3 for kind in took} for place in (0, 1))
    return {
        "turns": turns,
        "steps_of_a_run": median(steps),
        "plain_ms": clock[False],
        "recorded_ms": clock[True],
        "ratio": clock[True] / clock[False],
        "plain_core_ms": core[False],
        "recorded_core_ms": core[True],
        "core_ratio": core[True] / core[False],
        "kib_of_a_run": (paths[True].stat().st_size - paths[False].stat().st_size) / 1024 / len(runs),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, help=f"how many of each; {FULL}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} turns")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.turns or (QUICK if given.quick else FULL), Path(folder))
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:20} {value:10,.2f}")


if __name__ == "__main__":
    pin_threads()
    main()
