"""Long-term memory: remember, recall, revise, merge, forget, erase, list, explain."""

from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.long_term.service import LongTermMemory
from langchain_agentmem.long_term.turns.episodes import Episodes

__all__ = ["Episodes", "ListQuery", "LongTermMemory"]
