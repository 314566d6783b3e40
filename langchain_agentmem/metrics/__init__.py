"""Counters of what memory does, sizes of what it holds, and whether either moves."""

from langchain_agentmem.metrics.counting import Snapshot
from langchain_agentmem.metrics.metrics import Metrics

__all__ = ["Metrics", "Snapshot"]
