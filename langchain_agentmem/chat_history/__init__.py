"""LangChain's chat message history over stored sessions; each class is imported when it is first used.

LangChain has announced that it will drop its interface of histories in version 2. The interface is imported in
`stored`, its wrapper of chains in `wrapping`, and neither anywhere else. Neither importing nor using these modules
warns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_agentmem._lazy import lazily

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
    __getattr__ = lazily(__name__, _MODULES)
