"""Long-term memory: remember, recall, revise, merge, forget, erase, list, explain."""

from langchain_agentmem.long_term.service import LongTermMemory, MemoryPage

__all__ = ["LongTermMemory", "MemoryPage"]
