"""A view as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._search import SearchColumns, SearchQuery, SearchRow
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.index import snapshot
from langchain_agentmem.index.scope_view import ScopeView
from tests.unit_tests.index.rows import queries, query, row, rows

deltas = st.lists(st.lists(rows(), max_size=6, unique_by=lambda it: it.memory_id), min_size=1, max_size=4)


def restored(view: ScopeView) -> ScopeView:
    found = SearchColumns(kept=snapshot.load(snapshot.dump(view.snapshot())))
    other = ScopeView()
    other.apply_columns(found, view.revision)
    return other


@given(deltas, st.sets(st.integers(0, 9).map("m{}".format)), deltas, st.lists(queries, min_size=1, max_size=4))
def test_a_view_that_was_read_back_is_the_view(
    before: list[list[SearchRow]], gone: set[str], after: list[list[SearchRow]], asked: list[SearchQuery]
) -> None:
    """It answers the same, then and after any further change, and says the same of itself."""
    view = ScopeView()
    for revision, delta in enumerate(before, 1):
        view.apply([it._replace(revision=revision) for it in delta], revision)
    view.discard(gone)
    other = restored(view)
    for revision, delta in enumerate([[], *after], len(before)):
        for each in (view, other):
            each.apply([it._replace(revision=revision) for it in delta], revision)
        assert [other.search(it) for it in asked] == [view.search(it) for it in asked]
        assert (other.revision, other.renewed_at, len(other)) == (view.revision, view.renewed_at, len(view))


def test_a_view_that_was_read_back_leaves_its_bytes_as_they_are() -> None:
    """They may be shared: a change of the view is none of them."""
    view = ScopeView()
    view.apply([row(f"m{number}", "berlin python", vector=[1, number, 0, 0]) for number in range(5)], 1)
    data = snapshot.dump(view.snapshot())
    kept = snapshot.load(data)
    other = ScopeView()
    other.apply_columns(SearchColumns(kept=kept), 1)
    other.discard(["m1"])
    other.apply([row("m2", "invoice", vector=[0, 0, 1, 0], revision=2)], 2)
    assert snapshot.dump(view.snapshot()) == data
    assert [it.memory_id for it in other.search(query("invoice"))] == ["m2"]


@given(st.data())
def test_bytes_that_are_damaged_are_refused(data: st.DataObject) -> None:
    """Cut short, longer, or of something else; a view is never made of half of them."""
    view = ScopeView()
    view.apply([row(f"m{number}", "berlin", agent_id="coder", vector=[1, number, 0, 0]) for number in range(3)], 1)
    whole = snapshot.dump(view.snapshot())
    cut = data.draw(st.integers(0, len(whole) - 1))
    for damaged in (whole[:cut], whole + b"\0", whole[cut:] if cut else b"", data.draw(st.binary(max_size=200))):
        with pytest.raises(IntegrityError, match="damaged"):
            snapshot.load(damaged)


@given(st.data())
def test_a_changed_header_makes_no_other_error(data: st.DataObject) -> None:
    """Without a vault anybody who writes to the file may change it."""
    view = ScopeView()
    view.apply([row(f"m{number}", "berlin", vector=[1, number, 0, 0]) for number in range(3)], 1)
    whole = bytearray(snapshot.dump(view.snapshot()))
    place = data.draw(st.integers(0, whole.index(b"m0\0m1") - 1))
    whole[place] = data.draw(st.integers(0, 255))
    try:
        found = snapshot.load(bytes(whole))
    except IntegrityError:
        found = None
    assert found is None or found.table.ids == ["m0", "m1", "m2"]


@pytest.mark.parametrize("shape", ["[3  ]", "[12 ]", "[4,3]", "[-3] "])
def test_vectors_of_another_shape_are_refused(shape: str) -> None:
    """Also where as many bytes are there."""
    view = ScopeView()
    view.apply([row(f"m{number}", "berlin", vector=[1, number, 0, 0]) for number in range(3)], 1)
    whole = snapshot.dump(view.snapshot())
    assert whole.count(b"[3,4]") == 1
    with pytest.raises(IntegrityError, match="damaged"):
        snapshot.load(whole.replace(b"[3,4]", shape.encode()))


def test_a_view_that_was_read_back_holds_none_of_its_bytes() -> None:
    """They would be there twice, uncounted, and what is erased later would stand on in them."""
    view = ScopeView()
    rows_ = [row(f"m{n}", "berlin python", tags={"work"}, vector=[1, n, 0, 0]) for n in range(5)]
    view.apply(rows_, 1)
    data = snapshot.dump(view.snapshot())
    kept = snapshot.load(data)
    assert kept is not None
    arrays = [it for part in (kept.table, kept.terms, kept.labels) for it in vars(part).values()]
    every = [it for found in arrays for it in (found.values() if isinstance(found, dict) else [found])]
    held = [it for it in every if isinstance(it, np.ndarray)]
    assert len(held) > 10
    assert not any(np.may_share_memory(it, np.frombuffer(data, np.uint8)) for it in held)
