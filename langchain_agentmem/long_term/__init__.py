"""Long-term memory: remember, recall, revise, merge, forget, erase, list, explain."""

from langchain_agentmem.long_term.episodes import Episodes
from langchain_agentmem.long_term.listing import ListQuery, MemoryPage
from langchain_agentmem.long_term.service import LongTermMemory

__all__ = ["Episodes", "ListQuery", "LongTermMemory", "MemoryPage"]
