"""Counters of what memory does, sizes of what it holds, and whether either moves."""

from langchain_agentmem.metrics.counting import Snapshot
from langchain_agentmem.metrics.looks import LayerGrowth
from langchain_agentmem.metrics.metrics import Metrics

__all__ = ["LayerGrowth", "Metrics", "Snapshot"]
