"""Filters of a search: checked once, then asked of every value. No part of a filter ever becomes part of a statement.

What a filter says plainly, that a field is some text, number or truth value, is also known as a *fact*, by which an
index or a database can leave out most of what cannot match. Each value that it leaves in is asked all the same.

A filter is a mapping from fields of the value to what they must be: a value, for equality; a mapping, for fields inside
the field; or a mapping of operators. Numbers compare with numbers and text with text, in the order of code points;
nothing else has an order, and no order is never true. As in JSON, `true` is not 1. A field that is missing is `null`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.items.facts import MAX_DEPTH, Fact, Path, is_plain

Matches: TypeAlias = Callable[[Any], bool]


class Filter(NamedTuple):
    """What a search asks of values.

    Attributes:
        matches: Tells whether a value is wanted.
        facts: Each of them is true of every value that is.
    """

    matches: Matches
    facts: tuple[Fact, ...]


_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS: Final = ("$eq", "$ne", *_ORDERS)


def compile_filter(given: object) -> Filter | None:
    """Return what a filter asks; `None`: every value matches.

    Raises:
        ConfigurationError: The filter is no mapping, has an unknown operator, or asks for what no value can hold; the
            error names it.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):
        msg = f"filter must be a dict, got {type(given).__name__}; for example {{'kind': 'fact'}}"
        raise ConfigurationError(msg)
    if not given:
        return None
    for key in given:
        if _is_operator(key):
            raise ConfigurationError(_unknown(key, "operators inside a field, for example {'age': {'$gt': 30}}"))
    try:
        return Filter(_fields(given), tuple(_facts_asked((), given)))
    except RecursionError as error:
        msg = "filter is nested too deeply, or holds itself"
        raise ConfigurationError(msg) from error


def _facts_asked(path: Path, wanted: Mapping[Any, Any]) -> Iterator[Fact]:
    for key, inner in wanted.items():
        there = (*path, key)
        if isinstance(inner, Mapping):
            if not any(map(_is_operator, inner)):
                yield from _facts_asked(there, inner)
                continue
            inner = inner.get("$eq")  # noqa: PLW2901  (what it must be, if it must be anything)
        if type(key) is str and is_plain(inner) and len(there) <= MAX_DEPTH:
            yield Fact(there, inner)


def _fields(wanted: Mapping[Any, Any]) -> Matches:
    for key in wanted:
        if not isinstance(key, str):
            msg = f"filter has a key of type {type(key).__name__}; name fields by str"
            raise ConfigurationError(msg)
    tests = [(key, _test(inner)) for key, inner in wanted.items()]
    if len(tests) == 1:
        [(key, test)] = tests
        return lambda value: isinstance(value, dict) and test(value.get(key))
    return lambda value: isinstance(value, dict) and all(test(value.get(key)) for key, test in tests)


def _test(wanted: Any) -> Matches:  # noqa: ANN401  (whatever a caller passes)
    if isinstance(wanted, Mapping):
        if any(map(_is_operator, wanted)):
            return _operators(wanted)
        return _fields(wanted)
    if isinstance(wanted, (list, tuple)):
        return _sequence([_test(inner) for inner in wanted])
    _check_json(wanted)
    if isinstance(wanted, str):
        return lambda value: bool(value == wanted)
    return lambda value: is_equal(value, wanted)


def _sequence(tests: list[Matches]) -> Matches:
    def matches(value: Any) -> bool:  # noqa: ANN401  (any part of a value)
        is_list = isinstance(value, list) and len(value) == len(tests)
        return is_list and all(test(inner) for test, inner in zip(tests, value, strict=True))

    return matches


def _operators(wanted: Mapping[Any, Any]) -> Matches:
    tests = [_operator(name, operand) for name, operand in wanted.items()]
    return lambda value: all(test(value) for test in tests)


def _operator(name: Any, operand: Any) -> Matches:  # noqa: ANN401  (whatever a caller passes)
    _check_json(operand)
    if name == "$eq":
        return lambda value: is_equal(value, operand)
    if name == "$ne":
        return lambda value: not is_equal(value, operand)
    compare = _ORDERS.get(name) if isinstance(name, str) else None
    if compare is None:
        raise ConfigurationError(_unknown(name, f"one of {', '.join(OPERATORS)}, and no field beside it"))
    kind = _order_of(operand)
    return lambda value: kind is not None and _order_of(value) is kind and compare(value, operand)


def is_equal(one: Any, other: Any) -> bool:  # noqa: ANN401  (any parts of values)
    """Return whether two parts of values are the same JSON."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_equal(inner, other[key]) for key, inner in one.items())
    if isinstance(one, list) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_equal, one, other))
    return bool(one == other)


def _check_json(operand: Any) -> None:  # noqa: ANN401  (whatever a caller passes)
    """Refuse what no value can be compared with: values are JSON."""
    if isinstance(operand, (Mapping, list, tuple)):
        for inner in operand.values() if isinstance(operand, Mapping) else operand:
            _check_json(inner)
    elif operand is not None and not isinstance(operand, (str, bool, int, float)):
        kind = type(operand)
        msg = (
            f"filter has an operand of type {kind.__module__}.{kind.__qualname__}; values are JSON: compare with str, "
            "int, float, bool, None, a list or a dict, for example array.tolist() or moment.isoformat()"
        )
        raise ConfigurationError(msg)


def _order_of(value: Any) -> type | None:  # noqa: ANN401  (any part of a value)
    """Return the kind of things that this one has an order among."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float
    return str if isinstance(value, str) else None


def _is_operator(key: object) -> bool:
    """Return whether a key can only be meant as an operator; anything else that begins like one is a field."""
    return isinstance(key, str) and key[:1] == "$" and key[1:].isalpha()


def _unknown(name: object, remedy: str) -> str:
    return f"filter has an unknown operator {name!r:.80}; use {remedy}"
