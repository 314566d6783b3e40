"""Laws of values, paths and views."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem._terms import decode_terms, encode_terms
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.items.base import Delta, Fresh, News
from langchain_agentmem.items.facts import Fact, labels_of
from langchain_agentmem.items.paths import namespace_of, path_of, range_of
from langchain_agentmem.items.values import (
    Texts,
    decode_value,
    encode_value,
    joined,
    name_fields,
    named_fields,
    pack_texts,
    parse_fields,
    terms_of,
    texts_of,
    unpack_texts,
    words_of,
)
from langchain_agentmem.items.view import PrefixView, Question

labels = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=".\x00"), min_size=1, max_size=4)
namespaces = st.lists(labels, max_size=4).map(tuple)


class Drink(StrEnum):
    TEA = "tea"


@given(namespaces, namespaces)
def test_a_range_holds_what_begins_with_its_labels(prefix: tuple[str, ...], namespace: tuple[str, ...]) -> None:
    """A path is in the range of a prefix if and only if the namespace begins with the prefix's labels."""
    low, high, *_ = range_of(prefix)
    assert (low <= path_of(namespace) < high) is (namespace[: len(prefix)] == prefix)
    assert namespace_of(path_of(namespace)) == namespace


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_a_value_survives_its_bytes(value: dict[str, Any]) -> None:
    """Whatever JSON can say comes back equal and of the same types."""
    assert repr(decode_value(encode_value(value))) == repr(value)


def test_what_json_says_in_another_way_is_taken() -> None:
    """Mappings, tuples and enumerations of text become what JSON has for them."""
    value = MappingProxyType({"t": (1, 2), "o": OrderedDict(a=1), "e": Drink.TEA})
    assert decode_value(encode_value(value)) == {"t": [1, 2], "o": {"a": 1}, "e": "tea"}


def test_a_value_that_holds_itself_is_refused() -> None:
    """A value without an end is an error of ours."""
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(ConfigurationError, match="itself"):
        encode_value(endless)


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff", 5])
def test_damaged_bytes_are_no_value(data: Any) -> None:  # noqa: ANN401
    """What is no JSON object any more is said to be damaged."""
    with pytest.raises(IntegrityError):
        decode_value(data)


@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        (["a"], ["tea"]),
        (["a", "a", "b[*].c"], ["tea", "x", "y"]),
        (["b[-1].c", "none", "blank", "missing"], ["y"]),
        (["n"], ["5"]),
    ],
)
def test_texts_are_found_by_path(fields: list[str], texts: list[str]) -> None:
    """Each text of the fields comes once, in their order; what is missing or blank is left out."""
    value = {"a": "tea", "b": [{"c": "x"}, {"c": "y"}], "none": None, "blank": " ", "n": 5}
    assert texts_of(value, parse_fields("fields", fields)) == texts


def test_the_words_of_a_whole_value_are_what_stands_in_it() -> None:
    """Names of fields and marks of JSON are no words."""
    (text,) = texts_of(
        {"title": "line one\nline two", "l": [1, True, None, {"x": "tea"}]}, parse_fields("fields", ["$"])
    )
    assert words_of(text) == "1\ntea\nline one\nline two"
    assert words_of("{not JSON") == "{not JSON"


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4), st.integers(0, 3))
def test_texts_survive_their_bytes(texts: list[str], dim: int) -> None:
    """Terms, labels, fields and vectors come back as they were packed."""
    vectors = {model: joined([np.full(dim, model, "<f4").tobytes() for _ in texts]) for model in range(dim)}
    packed = Texts(terms_of(texts), b"12345678" * dim, name_fields(texts[:dim]), vectors)
    assert unpack_texts(pack_texts(packed)) == packed
    assert list(packed.terms) == [encode_terms(words_of(text)) for text in texts]
    assert named_fields(packed.fields, ()) == parse_fields("fields", texts[:dim])


@pytest.mark.parametrize("damage", [lambda it: it[:-1], lambda it: it + b"x", lambda _: b"", lambda _: 5])
def test_damaged_terms_are_noticed(damage: Callable[[Any], Any]) -> None:
    """Terms that lost or won a byte are not read."""
    with pytest.raises(IntegrityError):
        unpack_texts(damage(pack_texts(Texts(terms_of(["green tea"])))))


# --------------------------------------------------------------------------------------------------------------- views
Change = tuple[int, list[tuple[int, str | None]]]
changes = st.lists(
    st.tuples(
        st.integers(1, 2), st.lists(st.tuples(st.integers(1, 9), st.none() | st.sampled_from("abc")), max_size=5)
    ),
    max_size=8,
)


def fresh(ref: int, word: str, revision: int) -> Fresh:
    vector = np.eye(3, dtype="<f4")["abc".index(word)].tobytes()
    labels = labels_of([Fact(("word",), word)]).tobytes()
    texts = [f"word {word}", f"more of {word} {ref}"]
    terms = pack_texts(Texts(terms_of(texts), labels, b"", {1: joined([vector, vector])}))
    return Fresh(ref, str(ref), revision, None, revision, terms)


def ranking(view: PrefixView, wanted: str | None = None) -> list[Any]:
    terms, _ = decode_terms(encode_terms("word b 7"))
    labels = None if wanted is None else labels_of([Fact(("word",), wanted)])
    return view.rank(Question(terms=terms, vector=np.array([0, 1, 0], np.float32), at=0, labels=labels))


@settings(deadline=None)
@given(changes)
def test_a_view_is_what_its_items_are(asked: list[Change]) -> None:
    """However a view came to hold some items, it answers as one made of them at once, and forgets the others."""
    view = PrefixView(1, dim=3)
    held: dict[int, dict[int, Fresh]] = {1: {}, 2: {}}
    for revision, (namespace, edits) in enumerate(asked, 1):
        for place, word in edits:
            ref = 10 * namespace + place
            held[namespace].pop(ref, None)
            if word is not None:
                held[namespace][ref] = fresh(ref, word, revision)
        apply(view, {namespace: held[namespace]}, held, revision, view.known.get(namespace, 0))
    whole = PrefixView(1, dim=3)
    apply(whole, held, held, len(asked) + 1, 0)
    assert ranking(view) == ranking(whole)
    words = {ref: it.terms for items in held.values() for ref, it in items.items()}
    for word in "abc":
        kept = [it for it in ranking(whole) if words[it.ref] == fresh(it.ref, word, 0).terms]
        assert ranking(view, word) == kept
    assert {name[1] for name in view._names} - {""} == {str(ref) for it in held.values() for ref in it}


def apply(
    view: PrefixView, changed: dict[int, dict[int, Fresh]], held: dict[int, dict[int, Fresh]], revision: int, since: int
) -> None:
    news = [
        News(
            ref=namespace,
            path=f"{namespace}.",
            owner=None,
            since=since,
            revision=revision,
            items=[it for it in items.values() if it.revision > since],
            kept=set(items) if since else None,
        )
        for namespace, items in changed.items()
    ]
    view.apply(Delta(namespaces=list(held), news=news))
