"""Candidates in the light of what is known, before anything is decided on: forms of address, and moves of a "we"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Ledger, LedgerReader, Page
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.policies.address import addressed, is_name
from langchain_agentmem.policies.home_moves import is_group_move, with_own_moves
from langchain_agentmem.types import Candidate, Memory, Scope

_PAGE: Final = 500


def as_known(ledger: Ledger, candidates: Sequence[Candidate], scope: Scope) -> Flow[list[Candidate]]:
    """Return candidates as what is known of the user has them mean; what follows from them is behind them."""
    told = yield from _with_address(ledger, candidates, scope)
    if not any(map(is_group_move, told)):
        return told
    known = yield from ledger.read(scope, lambda reader: reader.page(Page(kinds=("fact",), limit=_PAGE)))
    return list(with_own_moves(told, [it.content for it in known]))


def _with_address(ledger: Ledger, candidates: Sequence[Candidate], scope: Scope) -> Flow[list[Candidate]]:
    """Return candidates, a name that is a form of address as one; what follows from them is behind them.

    The ledger is read only where one of them says a name.
    """
    if not any(map(is_name, candidates)):
        return list(candidates)
    return addressed(candidates, (yield from ledger.read(scope, lambda reader: list(_names(reader)))))


def _names(reader: LedgerReader) -> Iterator[Memory]:
    page = Page(kinds=("fact",), limit=_PAGE)
    while True:
        batch = reader.page(page)
        yield from filter(is_name, batch)
        if len(batch) < _PAGE:
            return
        page = replace(page, after=(to_micros(batch[-1].created_at) or 0, batch[-1].id))
