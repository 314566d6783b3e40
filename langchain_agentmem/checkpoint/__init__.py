"""LangGraph's checkpointer over SQLite, PostgreSQL and Redis; each class is imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_agentmem._lazy import lazily

if TYPE_CHECKING:
    from langchain_agentmem.checkpoint.answering import AnsweringGraph
    from langchain_agentmem.checkpoint.redis import RedisSaver
    from langchain_agentmem.checkpoint.sql import SQLSaver
    from langchain_agentmem.checkpoint.stored import StoredSaver
    from langchain_agentmem.checkpoints.keeping import Swept, ThreadInfo
    from langchain_agentmem.checkpoints.lookups import CheckpointInfo

__all__ = ["AnsweringGraph", "CheckpointInfo", "RedisSaver", "SQLSaver", "StoredSaver", "Swept", "ThreadInfo"]

_MODULES: Final = {
    "AnsweringGraph": "langchain_agentmem.checkpoint.answering",
    "CheckpointInfo": "langchain_agentmem.checkpoints.lookups",
    "RedisSaver": "langchain_agentmem.checkpoint.redis",
    "SQLSaver": "langchain_agentmem.checkpoint.sql",
    "StoredSaver": "langchain_agentmem.checkpoint.stored",
    "Swept": "langchain_agentmem.checkpoints.keeping",
    "ThreadInfo": "langchain_agentmem.checkpoints.keeping",
}

if not TYPE_CHECKING:
    __getattr__ = lazily(__name__, _MODULES)
