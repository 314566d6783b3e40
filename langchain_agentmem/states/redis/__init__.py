"""Working states on plain Redis or Valkey, one server or a cluster."""

from langchain_agentmem.states.redis.states import RedisStates

__all__ = ["RedisStates"]
