"""Views of a conversation that fit into a model's window; the conversation itself is never changed."""

from __future__ import annotations

from langchain_agentmem.context.assembly import Assembled, ContextAssembly
from langchain_agentmem.context.buffers import MessageBuffer, TokenBuffer
from langchain_agentmem.context.groups import Group, split
from langchain_agentmem.context.history import HistoryView, SessionHistory
from langchain_agentmem.context.hybrid import Added, HybridMemory, HybridParts, Reading
from langchain_agentmem.context.runnable import ContextRunnable, ContextState, StateKeys, View
from langchain_agentmem.context.running_summary import RunningSummary
from langchain_agentmem.context.summaries import InProcessSummaries, SessionSummaries, StoreSummaries, SummaryStore
from langchain_agentmem.context.summary_buffer import SummaryBuffer, SummaryLimits
from langchain_agentmem.context.tiers import TIERS, ContextParts, Tier
from langchain_agentmem.context.triggers import (
    Load,
    Trigger,
    after_fraction,
    after_messages,
    after_tokens,
    all_of,
    any_of,
    every_steps,
)

__all__ = [
    "TIERS",
    "Added",
    "Assembled",
    "ContextAssembly",
    "ContextParts",
    "ContextRunnable",
    "ContextState",
    "Group",
    "HistoryView",
    "HybridMemory",
    "HybridParts",
    "InProcessSummaries",
    "Load",
    "MessageBuffer",
    "Reading",
    "RunningSummary",
    "SessionHistory",
    "SessionSummaries",
    "StateKeys",
    "StoreSummaries",
    "SummaryBuffer",
    "SummaryLimits",
    "SummaryStore",
    "Tier",
    "TokenBuffer",
    "Trigger",
    "View",
    "after_fraction",
    "after_messages",
    "after_tokens",
    "all_of",
    "any_of",
    "every_steps",
    "split",
]
