"""What memory adds to a turn of an agent, at the tenth message of a conversation as at the thousandth.

    python benchmarks/agents.py [--lengths N …] [--turns N] [--quick] [--json FILE]

The same turn of `create_agent` without memory, with the middleware that writes behind the answer or at once, and of
`create_memory_graph`; the model answers at once. Every conversation is handed over whole, so that no checkpointer is
measured, and the new message says what the user said before, so that memory stays as large. By turns, in one run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

from _common import WIDTH, machine, pin_threads
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from rich.console import Console
from rich.table import Table

from langchain_agentmem import AgentMemory, create_memory_graph
from langchain_agentmem.graph import GraphOptions

LENGTHS: Final = (10, 100, 1_000)
TURNS, QUICK_TURNS = 15, 5
WARM_UP: Final = 2
SAID: Final = "I bought three kilos of apples for my sister Nora, who lives in Leeds."
CONFIG: Final[RunnableConfig] = {"configurable": {"user_id": "alice"}}


def model() -> GenericFakeChatModel:
    """Return a model that answers at once."""
    return GenericFakeChatModel(messages=itertools.cycle([AIMessage("That was kind of you. She will like them.")]))


def conversation(length: int) -> list[BaseMessage]:
    """Return so many messages of user and assistant."""
    said = "Report {} is late, I think, and we should ask Tom about it before Friday."
    pairs = ((HumanMessage(said.format(it), id=f"h{it}"), AIMessage("Good idea.", id=f"a{it}")) for it in range(length))
    return list(itertools.islice(itertools.chain.from_iterable(pairs), length))


@contextmanager
def kinds() -> Iterator[dict[str, Any]]:
    """Give the agents by what they are; each with memory has its own."""
    memories = [AgentMemory.in_memory(embeddings=None, consent="assumed") for _ in range(3)]
    behind, at_once, graph = memories
    try:
        for memory in memories:
            memory.open()
        yield {
            "create_agent": create_agent(model(), []),
            "… middleware, behind": create_agent(
                model(), [], middleware=[behind.middleware(tools=False, writes="background")]
            ),
            "… middleware, at once": create_agent(
                model(), [], middleware=[at_once.middleware(tools=False, writes="inline")]
            ),
            "create_memory_graph": create_memory_graph(model(), [], graph, options=GraphOptions(writes="inline")),
        }
    finally:
        for memory in memories:
            memory.close()


def took(call: Callable[[], object]) -> tuple[float, float]:
    """Return milliseconds of one call, of the clock and of this process' cores."""
    clock, core = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - clock) * 1e3, (time.process_time() - core) * 1e3


def measure(length: int, turns: int) -> dict[str, tuple[float, float]]:
    """Return the medians of a turn by kind of agent, at one length of a conversation."""
    found: dict[str, list[tuple[float, float]]] = {}
    given: Any = {"messages": [*conversation(length), HumanMessage(SAID)]}
    with kinds() as agents:
        for number in range(WARM_UP + turns):
            for name, agent in agents.items():
                one = took(lambda: agent.invoke(given, CONFIG))  # noqa: B023  (called at once)
                if number >= WARM_UP:
                    found.setdefault(name, []).append(one)
    return {name: (median(it[0] for it in each), median(it[1] for it in each)) for name, each in found.items()}


def main() -> None:
    """Measure each length, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, help="messages before the turn")
    parser.add_argument("--turns", type=int, help=f"of each; {TURNS}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_TURNS} turns")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    turns = chosen.turns or (QUICK_TURNS if chosen.quick else TURNS)
    found = {length: measure(length, turns) for length in chosen.lengths}
    drawn = Table(title="a turn, in ms: on the clock (of the cores)", title_justify="left")
    drawn.add_column("messages before it")
    for length in found:
        drawn.add_column(f"{length:,}", justify="right")
    for name in next(iter(found.values())):
        drawn.add_row(name, *(f"{clock:,.1f} ({core:,.1f})" for clock, core in (it[name] for it in found.values())))
    console = Console(width=WIDTH)
    console.print(drawn)
    console.print(machine())
    if chosen.json is not None:
        chosen.json.write_text(json.dumps({**machine(), "lengths": found}))


if __name__ == "__main__":
    pin_threads()
    main()
