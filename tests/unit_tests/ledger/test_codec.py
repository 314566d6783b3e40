"""How the ledger writes JSON: exactly, whatever encoder is asked."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.ledger.chain import FORMAT, Header
from langchain_agentmem.ledger.codec import dump, dump_own, load

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
EXACT = st.none() | st.booleans() | st.integers() | TEXT
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def objects(leaf: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    """Return JSON objects with these leaves."""
    inner = st.recursive(
        leaf, lambda it: st.lists(it, max_size=3) | st.dictionaries(TEXT, it, max_size=3), max_leaves=8
    )
    return st.dictionaries(TEXT, inner, max_size=5)


@given(objects(EXACT))
def test_texts_and_integers_have_the_same_bytes_by_both_encoders(value: dict[str, object]) -> None:
    """A job is found by the bytes of its payload: those that an earlier release wrote are what is written today."""
    assert dump_own(value) == dump(value)


@given(objects(EXACT | FLOATS))
def test_what_is_written_is_read_as_it_was(value: dict[str, object]) -> None:
    """Every digit of a float comes back, whichever encoder wrote it."""
    assert load(dump_own(value)) == value == load(dump(value))


@given(objects(EXACT | FLOATS))
def test_the_order_of_keys_does_not_matter(value: dict[str, object]) -> None:
    """The same value gives the same bytes."""
    assert dump_own(dict(reversed(value.items()))) == dump_own(value)


@pytest.mark.parametrize("value", [{"at": datetime.now(UTC)}, {"it": object()}, {"it": {1, 2}}])
def test_what_is_no_json_is_refused(value: dict[str, object]) -> None:
    """Neither encoder makes up a form for it, that nobody could read back."""
    with pytest.raises(TypeError):
        dump_own(value)


def test_integers_of_any_size_are_kept() -> None:
    """What is beyond 64 bits is written by the encoder that can."""
    assert load(dump_own({"it": 2**70, "other": -(2**64)})) == {"it": 2**70, "other": -(2**64)}


@given(seq=st.integers(1), event=TEXT, at=st.integers(), memory_id=st.none() | TEXT, rule=st.none() | TEXT)
def test_the_header_is_hashed_as_canonical_json(
    seq: int, event: str, at: int, memory_id: str | None, rule: str | None
) -> None:
    """The bytes behind every digest that was ever written: an array in ASCII without spaces."""
    header = Header(seq=seq, type=event, at=at, memory_id=memory_id, rule=rule)
    expected = json.dumps([FORMAT, seq, event, at, memory_id, rule], ensure_ascii=True, separators=(",", ":"))
    assert header.encode() == expected.encode()
