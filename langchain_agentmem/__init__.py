"""Governed memory for LangChain and LangGraph: remembered, corrected, refused, forgotten and explained.

Names are imported when they are first used, so that `import langchain_agentmem` costs nothing and brings no database
driver, no model and no server client along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from langchain_agentmem._version import __version__
    from langchain_agentmem.chat_history import SQLChatMessageHistory
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
    from langchain_agentmem.graph import create_memory_graph
    from langchain_agentmem.memory import AgentMemory
    from langchain_agentmem.retrievers import MemoryRetriever
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
    "Decision",
    "Event",
    "GovernanceError",
    "Hit",
    "IntegrityError",
    "Memory",
    "MemoryRetriever",
    "MigrationError",
    "ModelOutputError",
    "NotFoundError",
    "Outcome",
    "Provenance",
    "Recall",
    "RecallQuery",
    "Receipt",
    "ReceiptLine",
    "SQLChatMessageHistory",
    "Scope",
    "ScopeError",
    "StorageError",
    "__version__",
    "create_memory_graph",
]

_MODULES: Final = {
    "AgentMemory": "memory",
    "MemoryRetriever": "retrievers",
    "SQLChatMessageHistory": "chat_history",
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
