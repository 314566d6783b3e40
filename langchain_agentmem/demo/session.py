"""One session of the story: what one process of the demonstration does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem.demo.deployment import create_deploy_tool
from langchain_agentmem.demo.render import Line, Screen, Shown
from langchain_agentmem.demo.responder import OfflineResponder
from langchain_agentmem.demo.story import Category, Grant, Session, Words
from langchain_agentmem.graph import create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope

IN_ANSWERS = ("recalled", "answer")
