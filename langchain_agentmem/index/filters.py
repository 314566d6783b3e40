"""Filters for foreign vector stores: one neutral form, and how each known store says it.

A filter is a list of clauses that must all hold; a clause is a tuple of comparisons of which one must hold. That is all
a `SearchFilter` needs, and every store can say it in some language of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from langchain_core.documents import Document

Operator: TypeAlias = Literal["eq", "in", "lt", "lte", "gt", "gte", "contains"]


class Comparison(NamedTuple):
    """One comparison of a metadata field with a value (`in`: a list; `contains`: the field is the list)."""

    field: str
    operator: Operator
    value: str | int | float | list[str]


Clause: TypeAlias = tuple[Comparison, ...]
FilterCompiler: TypeAlias = Callable[[Sequence[Clause]], Any]

_COMPARISONS: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    "eq": eq,
    "lt": lt,
    "lte": le,
    "gt": gt,
    "gte": ge,
    "in": lambda found, values: found in values,
    "contains": lambda found, value: value in found,
}


def chroma_where(clauses: Sequence[Clause]) -> dict[str, Any]:
    """Return the filter as a `where` of Chroma, which takes exactly one key per dict."""
    return joined(
        "$and", [joined("$or", [_chroma_comparison(comparison) for comparison in clause]) for clause in clauses]
    )


def joined(operator: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return parts of a filter made of dicts under one operator; one part needs none."""
    return parts[0] if len(parts) == 1 else {operator: parts}


def document_predicate(clauses: Sequence[Clause]) -> Callable[[Document], bool]:
    """Return the filter as a function of a document, as `InMemoryVectorStore` takes it."""

    def is_admitted(document: Document) -> bool:
        return all(any(_holds(comparison, document.metadata) for comparison in clause) for clause in clauses)

    return is_admitted


def _chroma_comparison(comparison: Comparison) -> dict[str, Any]:
    return {comparison.field: {f"${comparison.operator}": comparison.value}}


def _holds(comparison: Comparison, metadata: Mapping[str, Any]) -> bool:
    return comparison.field in metadata and _COMPARISONS[comparison.operator](
        metadata[comparison.field], comparison.value
    )
