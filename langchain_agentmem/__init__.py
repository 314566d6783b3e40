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
    from langchain_agentmem.graph import GraphOptions, create_memory_graph
    from langchain_agentmem.long_term.listing import ListQuery
    from langchain_agentmem.memory import AgentMemory
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.rulings import Ruling, WriteContext
    from langchain_agentmem.policies.write import WritePolicy
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
    "GraphOptions",
    "Hit",
    "IntegrityError",
    "ListQuery",
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
    "Ruling",
    "SQLChatMessageHistory",
    "Scope",
    "ScopeError",
    "StorageError",
    "Weights",
    "WriteContext",
    "WritePolicy",
    "__version__",
    "create_memory_graph",
]

_MODULES: Final = {
    "AgentMemory": "memory",
    "GraphOptions": "graph",
    "ListQuery": "long_term.listing",
    "MemoryRetriever": "retrievers",
    "Ruling": "policies.rulings",
    "SQLChatMessageHistory": "chat_history",
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
