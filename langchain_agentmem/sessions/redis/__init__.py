"""Sessions on plain Redis."""

from langchain_agentmem.sessions.redis.sessions import RedisSessions

__all__ = ["RedisSessions"]
