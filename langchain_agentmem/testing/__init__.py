"""Contracts for whoever writes a backend, as suites that pytest runs; importing them does not need pytest.

* `LeakSuite`: isolation and non-interference of long-term memory as a whole. Fixture `memory`.
* `IndexSuite`: what an `Index` promises: exact filters before the cut, order, pages, repair. Fixture `index`.
* `StoreSuite`: isolation and non-interference of a LangGraph store. Fixture `store`.
* `WorkingSuite`: isolation and non-interference of working memory. Fixture `working`.
"""

from langchain_agentmem.testing.index import IndexSuite
from langchain_agentmem.testing.laws import COLOURS, Colour
from langchain_agentmem.testing.leaks import (
    DIMENSIONS,
    FAMILIES,
    SEPARATORS,
    Dimension,
    GovernedMemory,
    LeakSuite,
    scopes_of,
)
from langchain_agentmem.testing.stores import PLACES, Place, StoreSuite
from langchain_agentmem.testing.working import WORKING_DIMENSIONS, WorkingDimension, WorkingSuite

__all__ = [
    "COLOURS",
    "DIMENSIONS",
    "FAMILIES",
    "PLACES",
    "SEPARATORS",
    "WORKING_DIMENSIONS",
    "Colour",
    "Dimension",
    "GovernedMemory",
    "IndexSuite",
    "LeakSuite",
    "Place",
    "StoreSuite",
    "WorkingDimension",
    "WorkingSuite",
    "scopes_of",
]
