"""Memory for agents built with LangChain's `create_agent`, as one middleware."""

import importlib.util

from langchain_agentmem._checks import install_hint

if importlib.util.find_spec("langchain") is None:  # an extra: graphs of one's own need LangGraph alone
    msg = f"the middleware is for LangChain's agents; {install_hint('agents')}"
    raise ModuleNotFoundError(msg, name="langchain")

from langchain_agentmem.middleware.agent_memory import MemoryMiddleware, create_memory_middleware
from langchain_agentmem.middleware.approving import ApprovalAgentState, ApprovalMiddleware
from langchain_agentmem.middleware.options import MiddlewareOptions
from langchain_agentmem.middleware.state import MemoryAgentState, WorkingAgentState

__all__ = [
    "ApprovalAgentState",
    "ApprovalMiddleware",
    "MemoryAgentState",
    "MemoryMiddleware",
    "MiddlewareOptions",
    "WorkingAgentState",
    "create_memory_middleware",
]
