"""What of a memory middleware can be chosen."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_agentmem._checks import check_flag
from langchain_agentmem.nodes import AgentOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class MiddlewareOptions(AgentOptions):
    """What of a memory middleware can be chosen; every default works.

    Args: those of `AgentOptions`, which `create_memory_graph` has too, and
        tools: Whether the agent gets the tools that search and manage memory.
    """

    tools: bool = True

    def __post_init__(self) -> None:
        """Check what can be checked before anything is opened."""
        AgentOptions.__post_init__(self)
        check_flag("tools", self.tools)
