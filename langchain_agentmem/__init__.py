"""Governed memory for LangChain and LangGraph: remembered, corrected, refused, forgotten and explained.

Names are imported when they are first used, so that `import langchain_agentmem` costs nothing and brings no database
driver, no model and no server client along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from langchain_agentmem._version import __version__
    from langchain_agentmem.chat_history import RedisChatMessageHistory, SQLChatMessageHistory
    from langchain_agentmem.checkpoint import RedisSaver, SQLSaver
    from langchain_agentmem.checkpoint.options import SaverOptions
    from langchain_agentmem.context.assembly import ContextAssembly
    from langchain_agentmem.context.buffers import MessageBuffer, TokenBuffer
    from langchain_agentmem.context.history import HistoryView
    from langchain_agentmem.context.hybrid import HybridMemory
    from langchain_agentmem.context.runnable import StateKeys
    from langchain_agentmem.context.running_summary import RunningSummary
    from langchain_agentmem.context.summary_buffer import SummaryBuffer, SummaryLimits
    from langchain_agentmem.errors import (
        AgentMemError,
        ConfigurationError,
        ConflictError,
        ConsentError,
        GovernanceError,
        IntegrityError,
        MigrationError,
        ModelOutputError,
        NotFoundError,
        ScopeError,
        StorageError,
    )
    from langchain_agentmem.graph import GraphOptions, create_memory_graph
    from langchain_agentmem.long_term.listing import ListQuery
    from langchain_agentmem.memory import AgentMemory
    from langchain_agentmem.options import MemoryOptions
    from langchain_agentmem.planning.contract import Planner
    from langchain_agentmem.planning.model import ModelPlanner
    from langchain_agentmem.planning.rules import RulePlanner
    from langchain_agentmem.policies.querying import Dialogue
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.rulings import Ruling, WriteContext
    from langchain_agentmem.policies.write import WritePolicy
    from langchain_agentmem.retrievers import MemoryRetriever
    from langchain_agentmem.sessions.options import SessionOptions
    from langchain_agentmem.store import SQLStore
    from langchain_agentmem.thread_history import ThreadChatMessageHistory
    from langchain_agentmem.types import (
        Candidate,
        ConsentState,
        Decision,
        Event,
        Hit,
        Memory,
        Outcome,
        Provenance,
        Recall,
        RecallQuery,
        Receipt,
        ReceiptLine,
        Scope,
    )

__all__ = [
    "AgentMemError",
    "AgentMemory",
    "Candidate",
    "ConfigurationError",
    "ConflictError",
    "ConsentError",
    "ConsentState",
    "ContextAssembly",
    "Decision",
    "Dialogue",
    "Event",
    "GovernanceError",
    "GraphOptions",
    "HistoryView",
    "Hit",
    "HybridMemory",
    "IntegrityError",
    "ListQuery",
    "Memory",
    "MemoryOptions",
    "MemoryRetriever",
    "MessageBuffer",
    "MigrationError",
    "ModelOutputError",
    "ModelPlanner",
    "NotFoundError",
    "Outcome",
    "Planner",
    "Provenance",
    "Recall",
    "RecallQuery",
    "Receipt",
    "ReceiptLine",
    "RedisChatMessageHistory",
    "RedisSaver",
    "RulePlanner",
    "Ruling",
    "RunningSummary",
    "SQLChatMessageHistory",
    "SQLSaver",
    "SQLStore",
    "SaverOptions",
    "Scope",
    "ScopeError",
    "SessionOptions",
    "StateKeys",
    "StorageError",
    "SummaryBuffer",
    "SummaryLimits",
    "ThreadChatMessageHistory",
    "TokenBuffer",
    "Weights",
    "WriteContext",
    "WritePolicy",
    "__version__",
    "create_memory_graph",
]

_MODULES: Final = {
    "AgentMemory": "memory",
    "ContextAssembly": "context.assembly",
    "Dialogue": "policies.querying",
    "GraphOptions": "graph",
    "HistoryView": "context.history",
    "HybridMemory": "context.hybrid",
    "ListQuery": "long_term.listing",
    "MemoryOptions": "options",
    "MemoryRetriever": "retrievers",
    "MessageBuffer": "context.buffers",
    "ModelPlanner": "planning.model",
    "Planner": "planning.contract",
    "RedisChatMessageHistory": "chat_history",
    "RedisSaver": "checkpoint",
    "RulePlanner": "planning.rules",
    "Ruling": "policies.rulings",
    "RunningSummary": "context.running_summary",
    "SQLChatMessageHistory": "chat_history",
    "SQLSaver": "checkpoint",
    "SQLStore": "store",
    "SaverOptions": "checkpoint.options",
    "SessionOptions": "sessions.options",
    "StateKeys": "context.runnable",
    "SummaryBuffer": "context.summary_buffer",
    "SummaryLimits": "context.summary_buffer",
    "ThreadChatMessageHistory": "thread_history",
    "TokenBuffer": "context.buffers",
    "Weights": "policies.rank",
    "WriteContext": "policies.rulings",
    "WritePolicy": "policies.write",
    "create_memory_graph": "graph",
    "__version__": "_version",
    **dict.fromkeys(
        (
            "Candidate",
            "ConsentState",
            "Decision",
            "Event",
            "Hit",
            "Memory",
            "Outcome",
            "Provenance",
            "Recall",
            "RecallQuery",
            "Receipt",
            "ReceiptLine",
            "Scope",
        ),
        "types",
    ),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module = importlib.import_module(f"{__name__}.{_MODULES.get(name, 'errors')}")
        value = getattr(module, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
