"""Checkpoints on plain Redis."""

from langchain_agentmem.checkpoints.redis.threads import RedisThreads

__all__ = ["RedisThreads"]
