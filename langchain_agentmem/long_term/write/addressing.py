"""Candidates in the light of what is known, before anything is decided on: forms of address, and moves of a "we"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.people.address import addressed, is_name
from langchain_agentmem.english.people.home_moves import is_group_move, with_own_moves
from langchain_agentmem.ledger.base import Ledger, LedgerReader, Page
from langchain_agentmem.types import Candidate, Memory, Scope

_PAGE: Final = 500


def as_known(ledger: Ledger, candidates: Sequence[Candidate], scope: Scope) -> Flow[list[Candidate]]:
    """Return candidates as what is known of the user has them mean; what follows from them is behind them."""
    told = yield from _with_address(ledger, candidates, scope)
    if not any(map(is_group_move, told)):
        return told
    known = yield from ledger.read(scope, lambda reader: [it.content for it in _facts(reader)])
    return list(with_own_moves(told, known))


def _with_address(ledger: Ledger, candidates: Sequence[Candidate], scope: Scope) -> Flow[list[Candidate]]:
    """Return candidates, a name that is a form of address as one; what follows from them is behind them.

    The ledger is read only where one of them says a name.
    """
    if not any(map(is_name, candidates)):
        return list(candidates)
    return addressed(candidates, (yield from ledger.read(scope, lambda reader: list(filter(is_name, _facts(reader))))))


def _facts(reader: LedgerReader) -> Iterator[Memory]:
    return reader.every(Page(kinds=("fact",)))
