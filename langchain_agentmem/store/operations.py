"""LangGraph's operations, checked and as what the port of items understands; nothing here waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
    validate_op_namespace,
)

from langchain_agentmem._checks import check_count, check_flag, check_text
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.items.base import MAX_ROWS, Range
from langchain_agentmem.items.facts import facts_of, labels_of
from langchain_agentmem.items.filters import Filter, compile_filter
from langchain_agentmem.items.paths import (
    ANY,
    Condition,
    Namespace,
    check_key,
    check_namespace,
    path_of,
    range_of,
    range_of_conditions,
)
from langchain_agentmem.items.values import Fields, decode_value, encode_value, name_fields, parse_fields, texts_of
from langchain_agentmem.store.options import micros_of
from langchain_agentmem.store.templates import Filled, Filling
from langchain_agentmem.types.scope import Owner

MAX_QUERY_CHARS: Final = 100_000
_RESERVED: Final = "langgraph"
"""LangGraph keeps this first label for itself."""

Key: TypeAlias = tuple[str, str]
"""Path and key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A `GetOp`."""

    path: str
    key: str
    owner: Owner | None
    refresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """A `SearchOp`; `query` is empty where it lists."""

    paths: Range
    filter: Filter | None
    query: str
    limit: int
    offset: int
    refresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """A `ListNamespacesOp`."""

    paths: Range
    conditions: tuple[Condition, ...]
    max_depth: int | None
    limit: int
    offset: int

    def chosen(self, namespaces: Iterable[Namespace]) -> list[Namespace]:
        """Return those that match, cut to the depth, each once, in order."""
        matching = (it for it in namespaces if all(condition.matches(it) for condition in self.conditions))
        names = sorted({it[: self.max_depth] for it in matching})
        return names[self.offset : self.offset + self.limit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """A `PutOp` with a value.

    Attributes:
        texts: What it is found by; `None`: it is not to be found. `labels`: those of its facts.
        fields: As `Texts.fields`.
    """

    namespace: Namespace
    value: bytes
    texts: tuple[str, ...] | None
    labels: bytes
    fields: bytes
    ttl: int | None
    owner: Owner | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removing:
    """A `PutOp` without a value."""

    owner: Owner | None


Question: TypeAlias = Reading | Searching | Naming


@dataclass(slots=True)
class Batch:
    """What a batch asks, by the place of each operation, and what it writes, the last word about each key."""

    size: int = 0
    questions: dict[int, Question] = field(default_factory=dict)
    writes: dict[Key, Writing | Removing] = field(default_factory=dict)


def read_ops(ops: Iterable[Op], fields: Fields, filling: Filling) -> Batch:
    """Return a batch of checked operations.

    Args:
        ops: The operations.
        fields: What values are found by, unless an operation says otherwise.
        filling: Fills templates.

    Raises:
        InvalidNamespaceError: A namespace has a label that LangGraph does not allow.
        ConfigurationError: Anything else about an operation cannot work, or a template cannot be filled.
    """
    batch = Batch()
    if not isinstance(ops, Iterable):
        msg = f"ops must be operations of LangGraph, got {type(ops).__name__}; for example [GetOp(('a',), 'key')]"
        raise ConfigurationError(msg)
    for place, op in enumerate(ops):
        batch.size += 1
        if isinstance(op, GetOp):
            batch.questions[place] = _reading(op, filling)
        elif isinstance(op, SearchOp):
            batch.questions[place] = _searching(op, filling)
        elif isinstance(op, ListNamespacesOp):
            batch.questions[place] = _naming(op, filling)
        elif isinstance(op, PutOp):
            key, writing = _writing(op, fields, filling)
            batch.writes[key] = writing
        else:
            msg = f"unknown operation {type(op).__name__}; use GetOp, SearchOp, PutOp or ListNamespacesOp"
            raise ConfigurationError(msg)
    return batch


def range_below(prefix: object, filling: Filling) -> Range:
    """Return the paths of a namespace that is named, and of all below it.

    Raises:
        InvalidNamespaceError: It has a label that LangGraph does not allow.
        ConfigurationError: It is empty or cannot work, or a template cannot be filled.
    """
    filled = _filled(SearchOp(()), prefix, filling)
    if not filled.namespace:
        msg = "prefix is empty, which is every namespace of everybody; name a label, for example ('memories',)"
        raise ConfigurationError(msg)
    return range_of(filled.namespace, filled.owner)


def _reading(op: GetOp, filling: Filling) -> Reading:
    filled = _filled(op, op.namespace, filling)
    return Reading(
        path=path_of(filled.namespace),
        key=check_key(op.key),
        owner=filled.owner,
        refresh=check_flag("refresh_ttl", op.refresh_ttl),
    )


def _searching(op: SearchOp, filling: Filling) -> Searching:
    query = op.query
    if query is not None and not isinstance(query, str):
        msg = f"query must be a str, got {type(query).__name__}"
        raise ConfigurationError(msg)
    filled = _filled(op, op.namespace_prefix, filling)
    is_asked = query is not None and query.strip()
    return Searching(
        paths=range_of(filled.namespace, filled.owner),
        filter=compile_filter(op.filter),
        query=check_text("query", query, max_chars=MAX_QUERY_CHARS) if is_asked else "",
        limit=_count("limit", op.limit),
        offset=_count("offset", op.offset),
        refresh=check_flag("refresh_ttl", op.refresh_ttl),
    )


def _naming(op: ListNamespacesOp, filling: Filling) -> Naming:
    given = () if op.match_conditions is None else op.match_conditions
    if not isinstance(given, (tuple, list)):
        msg = f"match_conditions must be a tuple of MatchCondition, got {given!r:.80}; or None for all namespaces"
        raise ConfigurationError(msg)
    pairs = [_condition(op, it, filling) for it in given]
    conditions = tuple(condition for condition, _ in pairs)
    owner = next((owner for _, owner in pairs if owner is not None), None)  # of one run, so that there is but one
    return Naming(
        paths=range_of_conditions(conditions, owner),
        conditions=conditions,
        max_depth=None if op.max_depth is None else _count("max_depth", op.max_depth, least=1),
        limit=_count("limit", op.limit),
        offset=_count("offset", op.offset),
    )


def _condition(
    op: ListNamespacesOp,
    given: Any,  # noqa: ANN401  (whatever a caller passes)
    filling: Filling,
) -> tuple[Condition, Owner | None]:
    if not isinstance(given, MatchCondition) or given.match_type not in {"prefix", "suffix"}:
        msg = f"a match condition must be MatchCondition('prefix' or 'suffix', path), got {given!r:.200}"
        raise ConfigurationError(msg)
    filled = _filled(op, given.path, filling)
    if any(filled.namespace[place] == ANY for place in filled.places):
        msg = (
            f"the run's own name for a label is {ANY!r}, which would stand for everybody's; name the namespace in full"
        )
        raise ConfigurationError(msg)
    labels = tuple(None if label == ANY else label for label in filled.namespace)
    return Condition(given.match_type == "suffix", labels), filled.owner


def _writing(op: PutOp, fields: Fields, filling: Filling) -> tuple[Key, Writing | Removing]:
    filled = _filled(op, op.namespace, filling)
    key = (path_of(filled.namespace), check_key(op.key))
    if op.value is None:
        return key, Removing(owner=filled.owner)
    if not filled.namespace:
        msg = "Namespace cannot be empty."
        raise InvalidNamespaceError(msg)
    if filled.namespace[0] == _RESERVED:
        msg = f'Root label for namespace cannot be "{_RESERVED}". Got: {filled.namespace!r:.200}'
        raise InvalidNamespaceError(msg)
    value = encode_value(op.value)
    plain = decode_value(value)  # as it will be read again
    texts = _texts(plain, op.index, fields)
    return key, Writing(
        namespace=filled.namespace,
        value=value,
        texts=texts,
        labels=b"" if texts is None else labels_of(facts_of(plain)).tobytes(),
        fields=b"" if op.index is None or op.index is False else name_fields(op.index),
        ttl=micros_of("ttl", op.ttl),
        owner=filled.owner,
    )


def _texts(value: dict[str, Any], index: list[str] | Literal[False] | None, fields: Fields) -> tuple[str, ...] | None:
    if index is False:
        return None
    return tuple(texts_of(value, fields if index is None else parse_fields("index", index)))


def _filled(op: Op, namespace: Any, filling: Filling) -> Filled:  # noqa: ANN401  (whatever a caller passes)
    """Return a namespace without templates, whose labels LangGraph allows before and after they are filled."""
    plain = check_namespace(namespace)
    validate_op_namespace(_with(op, plain))
    filled = filling.fill(plain)
    if filled.places:
        _check_filled(op, filled.namespace, plain)
    return filled


def _check_filled(op: Op, filled: Namespace, template: Namespace) -> None:
    """Refuse what LangGraph calls no namespace, in words for whoever wrote the template: the user named the label."""
    try:
        validate_op_namespace(_with(op, check_namespace(filled)))
    except InvalidNamespaceError as error:
        msg = (
            f"the run fills the template {template!r:.200} to {filled!r:.200}, and LangGraph allows no such label: "
            f"{error} Name the user in the run's context by an id without it, or write a namespace in full, which "
            "subject= says to be theirs"
        )
        raise InvalidNamespaceError(msg) from error


def _with(op: Op, namespace: Namespace) -> Op:
    if isinstance(op, SearchOp):
        return op._replace(namespace_prefix=namespace)
    if isinstance(op, ListNamespacesOp):
        return op._replace(match_conditions=(MatchCondition("prefix", namespace),))
    return op._replace(namespace=namespace)


def _count(name: str, value: object, *, least: int = 0) -> int:
    return min(check_count(name, value, least), MAX_ROWS)
