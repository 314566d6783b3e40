"""The report in a state of the application's own: whole in each update where the state merges none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.channels import LastValue

from langchain_agentmem.nodes.state import MemoryReport, merge_reports

_READ: Final = "__pregel_read"  # by which LangGraph lets a task read its graph's state
_KEY: Final = "memory"


def fitted(update: Any, report: MemoryReport, config: RunnableConfig) -> Any:  # noqa: ANN401  (an update, or several, of any node)
    """Return a node's update as the state of its graph takes it.

    `MemoryState` merges what changes into the report it has. A field `memory` without a reducer keeps the last update
    alone: so it is given the whole report.
    """
    return _whole(update, report) if _is_replaced(config) else update


def _is_replaced(config: RunnableConfig) -> bool:
    reading = config.get("configurable", {}).get(_READ)
    channels = (it for it in getattr(reading, "args", ()) if isinstance(it, Mapping))
    return any(isinstance(it.get(_KEY), LastValue) for it in channels)


def _whole(update: Any, report: MemoryReport) -> Any:  # noqa: ANN401  (as above)
    if isinstance(update, list):
        return [_whole(it, report) for it in update]
    if not isinstance(update, Mapping) or _KEY not in update:
        return update
    return {**update, _KEY: merge_reports(report, update[_KEY])}
