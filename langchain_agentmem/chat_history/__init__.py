"""LangChain's chat message history over stored sessions; each class is imported when it is first used.

LangChain has announced that it will drop its interface of histories in version 2. The interface is imported in
`stored`, its wrapper of chains in `wrapping`, and neither anywhere else. Neither importing nor using these modules
warns.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from langchain_agentmem.chat_history.redis import RedisChatMessageHistory
    from langchain_agentmem.chat_history.sql import SQLChatMessageHistory
    from langchain_agentmem.chat_history.stored import SessionChatMessageHistory

__all__ = ["RedisChatMessageHistory", "SQLChatMessageHistory", "SessionChatMessageHistory"]

_MODULES: Final = {
    "RedisChatMessageHistory": "redis",
    "SQLChatMessageHistory": "sql",
    "SessionChatMessageHistory": "stored",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value
