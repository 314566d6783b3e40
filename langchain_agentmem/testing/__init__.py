"""Contracts for whoever writes a backend, as suites that pytest runs.

* `LeakSuite`: isolation and non-interference of long-term memory as a whole. Fixture `memory`.
* `ErasureSuite`: what is erased is gone from every answer and every byte. Fixtures `memory` and `stored`.
* `GovernanceLeakSuite`: isolation of what governs it: approvals, time, runs, forgetting, privacy. Fixture `memory`.
* `HistorySuite`: what an adapter that stores conversations promises. Fixture `sessions`.
* `IndexSuite`: what an `Index` promises: exact filters before the cut, order, pages, repair. Fixture `index`.
* `LedgerSuite`: what a ledger promises: whole events, visibility, pages, erasure, replay. Fixture `ledger`.
* `SaverSuite`: what a checkpointer promises; LangGraph's own suite too, where it is installed. Fixture `saver`.
* `StoreSuite`: what a LangGraph store promises: values, batches, order, filters, expiry, isolation. Fixture `store`.
* `WorkingSuite`: isolation and non-interference of working memory. Fixture `working`.
"""

import pytest

pytest.register_assert_rewrite(
    "langchain_agentmem.testing.erasure",
    "langchain_agentmem.testing.governed_leaks",
    "langchain_agentmem.testing.history",
    "langchain_agentmem.testing.index",
    "langchain_agentmem.testing.leaks",
    "langchain_agentmem.testing.ledgers",
    "langchain_agentmem.testing.savers",
    "langchain_agentmem.testing.store_contents",
    "langchain_agentmem.testing.store_lifetimes",
    "langchain_agentmem.testing.stores",
    "langchain_agentmem.testing.working",
)

from langchain_agentmem.testing.erasure import ErasureSuite
from langchain_agentmem.testing.governed_leaks import GovernanceLeakSuite
from langchain_agentmem.testing.history import HistorySuite
from langchain_agentmem.testing.index import IndexSuite
from langchain_agentmem.testing.laws import COLOURS, Call, Colour, StillClock
from langchain_agentmem.testing.leaks import (
    DIMENSIONS,
    FAMILIES,
    SEPARATORS,
    Dimension,
    GovernedMemory,
    LeakSuite,
    scopes_of,
)
from langchain_agentmem.testing.ledgers import LedgerSuite
from langchain_agentmem.testing.savers import SaverSuite
from langchain_agentmem.testing.store_contents import StoreContents
from langchain_agentmem.testing.store_lifetimes import StoreLifetimes
from langchain_agentmem.testing.stores import PLACES, Place, StoreIsolation, StoreSuite
from langchain_agentmem.testing.working import WORKING_DIMENSIONS, WorkingDimension, WorkingSuite

__all__ = [
    "COLOURS",
    "DIMENSIONS",
    "FAMILIES",
    "PLACES",
    "SEPARATORS",
    "WORKING_DIMENSIONS",
    "Call",
    "Colour",
    "Dimension",
    "ErasureSuite",
    "GovernanceLeakSuite",
    "GovernedMemory",
    "HistorySuite",
    "IndexSuite",
    "LeakSuite",
    "LedgerSuite",
    "Place",
    "SaverSuite",
    "StillClock",
    "StoreContents",
    "StoreIsolation",
    "StoreLifetimes",
    "StoreSuite",
    "WorkingDimension",
    "WorkingSuite",
    "scopes_of",
]
