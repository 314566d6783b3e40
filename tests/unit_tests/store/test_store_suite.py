"""The public suite of stores finds stores that break one of its laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from langgraph.store.base import GetOp, Op, PutOp, Result, SearchOp

from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing import StillClock, StoreSuite

Results = list[Any]
Batch = Callable[[Iterable[Op]], Results]


def folding(batch: Batch, ops: list[Op]) -> Results:
    """It takes names for others that are written in other cases."""
    ops = [it._replace(namespace=tuple(map(str.lower, it.namespace))) if isinstance(it, PutOp) else it for it in ops]
    return batch(
        [it._replace(namespace=tuple(map(str.lower, it.namespace))) if isinstance(it, GetOp) else it for it in ops]
    )


def endless(batch: Batch, ops: list[Op]) -> Results:
    """It loses times to live."""
    return batch([it._replace(ttl=None) if isinstance(it, PutOp) else it for it in ops])


def ageing(batch: Batch, ops: list[Op]) -> Results:
    """It prolongs nothing that is read."""
    return batch([it._replace(refresh_ttl=False) if isinstance(it, GetOp | SearchOp) else it for it in ops])


def cutting(batch: Batch, ops: list[Op]) -> Results:
    """It filters what is left after the cut."""

    def cut(op: Op) -> Any:  # noqa: ANN401
        (found,) = batch([op._replace(filter=None)] if isinstance(op, SearchOp) else [op])
        if not isinstance(op, SearchOp):
            return found
        (wanted,) = batch([op])
        names = [it.key for it in wanted]
        return [it for it in found if it.key in names]

    return [cut(op) for op in ops]


def unpaged(batch: Batch, ops: list[Op]) -> Results:
    """It knows no offset."""
    return batch([it._replace(offset=0) if isinstance(it, SearchOp) else it for it in ops])


def backwards(batch: Batch, ops: list[Op]) -> Results:
    """It lists the latest at the end."""
    return [found[::-1] if isinstance(op, SearchOp) else found for op, found in zip(ops, batch(ops), strict=True)]


def in_turn(batch: Batch, ops: list[Op]) -> Results:
    """It does one operation after the other."""
    return [batch([op])[0] for op in ops]


def forgetting(batch: Batch, ops: list[Op]) -> Results:
    """It deletes and puts what it should update."""
    batch([it._replace(value=None) for it in ops if isinstance(it, PutOp)])
    return batch(ops)


def equal(batch: Batch, ops: list[Op]) -> Results:
    """It knows equality only."""

    def known(wanted: Any) -> Any:  # noqa: ANN401  (any filter)
        return {name: it for name, it in wanted.items() if not isinstance(it, dict) or "$ne" not in it}

    return batch([it._replace(filter=it.filter and known(it.filter)) if isinstance(it, SearchOp) else it for it in ops])


@pytest.mark.parametrize(
    ("fault", "law", "given"),
    [
        (folding, "test_reads_stay_inside", {"place": "last"}),
        (folding, "test_names_stay_inside", {"place": "first"}),
        (endless, "test_an_item_expires_exactly", {"clock": ...}),
        (ageing, "test_a_read_lets_an_item_live_on", {"clock": ..., "asked": None}),
        (cutting, "test_a_filter_finds_what_many_others_hide", {}),
        (unpaged, "test_pages_are_exact", {"asked": {}}),
        (backwards, "test_the_latest_comes_first", {"clock": ...}),
        (in_turn, "test_a_batch_reads_before_it_writes", {}),
        (in_turn, "test_a_batch_that_cannot_be_written_writes_nothing", {}),
        (forgetting, "test_an_update_keeps_the_time_of_creation", {"clock": ...}),
        (equal, "test_every_operator_compares", {}),
    ],
)
def test_the_suite_finds_a_store_that_breaks_a_law(
    fault: Callable[[Batch, list[Op]], Results], law: str, given: dict[str, Any]
) -> None:
    """A store that is wrong in one way only does not pass, and the same store without its fault does."""

    class Faulty(SQLStore):
        def batch(self, ops: Iterable[Op]) -> list[Result]:
            return fault(super().batch, list(ops))

    clock, judge = StillClock(), getattr(StoreSuite(), law)
    named = {name: clock if it is ... else it for name, it in given.items()}
    with SQLStore.from_url("sqlite://", clock=clock) as store:
        judge(store, colour="sync", **named)
    with Faulty.from_url("sqlite://", clock=clock) as store, pytest.raises(AssertionError):
        judge(store, colour="sync", **named)
