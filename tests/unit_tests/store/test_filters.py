"""Laws of filters."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.items.facts import facts_of, labels_of, needle_of
from langchain_agentmem.items.filters import OPERATORS, compile_filter
from langchain_agentmem.items.values import decode_value, encode_value

VALUE = {
    "n": 5,
    "x": 5.0,
    "t": "tea",
    "b": True,
    "none": None,
    "deep": {"a": {"n": 1}, "l": [1, {"k": 2}]},
    "l": [1, 2],
}


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        (None, True),
        ({}, True),
        ({"n": 5}, True),
        ({"n": 5.0}, True),
        ({"n": "5"}, False),
        ({"t": "Tea"}, False),
        ({"b": True}, True),
        ({"b": 1}, False),
        ({"b": {"$eq": 1}}, False),
        ({"n": {"$ne": 5}}, False),
        ({"missing": None}, True),
        ({"missing": {"$ne": 1}}, True),
        ({"missing": {"$gt": 0}}, False),
        ({"none": {"$lt": 9}}, False),
        ({"n": {"$gt": 4, "$lte": 5}}, True),
        ({"n": {"$gte": 5.5}}, False),
        ({"n": {"$lt": "9"}}, False),
        ({"t": {"$gt": "ta", "$lt": "tf"}}, True),
        ({"b": {"$gt": 0}}, False),
        ({"deep": {"a": {"n": 1}}}, True),
        ({"deep": {"a": {"n": {"$gt": 1}}}}, False),
        ({"deep": {"a": {}}}, True),
        ({"n": {"a": 1}}, False),
        ({"deep": {"$eq": {"a": {"n": 1}}}}, False),
        ({"l": [1, 2]}, True),
        ({"l": (1, 2)}, True),
        ({"l": [1]}, False),
        ({"l": [1, {"$gt": 1}]}, True),
        ({"deep": {"l": [1, {"k": 2}]}}, True),
        ({"l": {"$eq": [1, 2]}}, True),
        ({"l": {"$eq": [1, True]}}, False),
        ({"n": 5, "t": "coffee"}, False),
    ],
)
def test_a_filter_says_what_a_value_must_be(wanted: dict[str, Any] | None, *, matches: bool) -> None:
    """Equality is JSON's, a mapping looks into a field, numbers and text have an order each, nothing else has one."""
    compiled = compile_filter(wanted)
    assert (compiled is None or compiled.matches(VALUE)) is matches


@pytest.mark.parametrize("name", ["$in", "$nin", "$regex", "$EQ", "$exists", "$"])
def test_an_unknown_operator_is_named(name: str) -> None:
    """What is no operator is refused when the filter is given, whatever is stored; `$` alone is a field."""
    if name == "$":
        assert compile_filter({"n": {name: 1}})
        return
    with pytest.raises(ConfigurationError, match=name.replace("$", r"\$")) as error:
        compile_filter({"n": {name: [1]}})
    assert all(operator in str(error.value) for operator in OPERATORS)


@pytest.mark.parametrize("operand", [np.array([1, 2]), np.int64(5), datetime(2026, 1, 1, tzinfo=UTC), {5}, b"tea"])
def test_an_operand_that_is_no_json_is_named(operand: object) -> None:
    """No value could be it: refused when the filter is given, however deep it stands, with its type."""
    for inner in (operand, [operand], {"$eq": operand}, {"$gt": operand}, {"$ne": {"deep": [operand]}}):
        with pytest.raises(ConfigurationError, match=type(operand).__name__):
            compile_filter({"n": inner})


def test_a_filter_that_holds_itself_is_refused() -> None:
    """A filter without an end is an error of ours."""
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(ConfigurationError, match="deeply"):
        compile_filter(endless)


# --------------------------------------------------------------------------------------------------------------- facts
keys = st.sampled_from(["n", "m", '"', "\ud800", "é"])
scalars = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, -0.0, 7, 7.0, -7, 1.5, 1e-7, 10**15, 1e15, 1e16, 10**16, 2**63, 2.0**63, 10**400, math.inf])
    | st.sampled_from(["", "7", 'say "tea"', "\ud800", "\n"])
)
trees = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=2))
wishes = st.dictionaries(keys, trees | st.fixed_dictionaries({"$eq": scalars}), min_size=1, max_size=2)


def storable(value: Any) -> Any:  # noqa: ANN401
    """The same without what JSON cannot say."""
    if isinstance(value, dict):
        return {key: storable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [storable(inner) for inner in value]
    return None if value == math.inf else value


@given(wishes, st.dictionaries(keys, trees, max_size=3))
def test_what_a_filter_lets_through_has_its_facts(wanted: dict[str, Any], other: dict[str, Any]) -> None:
    """Whatever matches has the labels of the filter, and its needle in its bytes, so that nothing is passed over."""
    compiled = compile_filter(wanted)
    assert compiled
    meant = {key: it["$eq"] if isinstance(it, dict) and "$eq" in it else it for key, it in wanted.items()}
    for value in (meant, {**other, **meant}, {**meant, **other}, other):
        stored = encode_value(storable(value))
        if compiled.matches(decode_value(stored)):
            assert np.isin(labels_of(compiled.facts), labels_of(facts_of(decode_value(stored)))).all()
            assert needle_of(compiled.facts) in stored


def test_the_same_json_has_one_label() -> None:
    """7 and 7.0 are one number, 1 and true are two things, and so are fields of different names."""
    values: list[dict[str, Any]] = [{"a": 7}, {"a": 7.0}, {"a": 1}, {"a": True}, {"b": 7}, {"a": {"b": 7}}, {"a": "7"}]
    labels = [labels_of(facts_of(value)).tolist() for value in values]
    assert labels[0] == labels[1]
    assert len({tuple(it) for it in labels}) == len(values) - 1


def test_what_is_nested_deep_is_no_fact() -> None:
    """Facts end at a depth, of values and filters alike, so that no value is too deep to be stored."""
    value: dict[str, Any] = {"n": 1}
    for _ in range(9):
        value = {"in": value}
    assert list(facts_of(value)) == []
    compiled = compile_filter(value)
    assert compiled
    assert compiled.facts == ()
    assert compiled.matches(value)
