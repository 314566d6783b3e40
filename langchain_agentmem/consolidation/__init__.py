"""After a conversation: what says the same becomes one, what was seen often enough counts, its summary is made."""

from langchain_agentmem.consolidation.flows import CONSOLIDATE_JOB, QUIET
from langchain_agentmem.consolidation.report import Consolidated, ConsolidationReport, Summarised
from langchain_agentmem.consolidation.service import Consolidation
from langchain_agentmem.policies.consolidating import LeftAlone

__all__ = [
    "CONSOLIDATE_JOB",
    "QUIET",
    "Consolidated",
    "Consolidation",
    "ConsolidationReport",
    "LeftAlone",
    "Summarised",
]
