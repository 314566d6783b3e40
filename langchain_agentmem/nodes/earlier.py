"""What ran in a thread before, of an agent whose own state begins anew with each run: one that is a node of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.nodes.state import RAN
from langchain_agentmem.nodes.turn import Failure, attempt
from langchain_agentmem.procedural.guard import FINGERPRINT_CHARS

MAX_LISTED: Final = 500
"""Checkpoints of the thread that are looked at, of all its graphs: some fifty turns of two agents."""

_CHECKPOINTER: Final = "__pregel_checkpointer"
_PLACE: Final = ("checkpoint_ns", "checkpoint_id", "checkpoint_map")

Earlier = Callable[[], Flow[Mapping[str, str] | None]]
"""Reads which calls ran, and in which turn; `None`: nobody can tell."""


def turns_of(ran: Iterable[str]) -> dict[str, str]:
    """Return the turn of each call that a state notes, by its fingerprint."""
    return {each[:FINGERPRINT_CHARS]: each[FINGERPRINT_CHARS:] for each in ran}


def earlier_of(config: RunnableConfig) -> Earlier | None:
    """Return what reads what ran in the thread; `None` where the agent's own state has it all."""
    own, _, _ = str(config.get("configurable", {}).get("checkpoint_ns", "")).rpartition("|")
    return partial(_earlier_flow, config) if ":" in own else None  # a name alone is a place that stays


def _earlier_flow(config: RunnableConfig) -> Flow[Mapping[str, str] | None]:
    configurable = config.get("configurable", {})
    saver = configurable.get(_CHECKPOINTER)
    if not isinstance(saver, BaseCheckpointSaver):
        return None
    thread = {name: it for name, it in configurable.items() if not name.startswith("__pregel") and name not in _PLACE}
    found = yield from attempt(_listed_flow, saver, {"configurable": thread})
    if isinstance(found, Failure):
        return None
    agents = (it for it in reversed(found) if it.config["configurable"].get("checkpoint_ns"))  # no input reaches those
    noted = (it.checkpoint["channel_values"].get(RAN) or () for it in agents)
    return {name: turn for ran in noted for name, turn in turns_of(ran).items()}


def _listed_flow(saver: BaseCheckpointSaver[Any], config: RunnableConfig) -> Flow[list[CheckpointTuple]]:
    def blocking() -> list[CheckpointTuple]:
        return list(islice(saver.list(config, limit=MAX_LISTED), MAX_LISTED))

    async def awaited() -> list[CheckpointTuple]:
        return [it async for it in saver.alist(config, limit=MAX_LISTED)]

    return (yield from step(blocking, awaited))
