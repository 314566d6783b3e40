"""How fields of a profile are said, and compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.english.reading.profile_fields import (
    PREFERENCES,
    claim_of,
    decoded,
    encoded,
    field_of,
    is_about_user,
    sentence_of,
    shown,
    standing,
    tag_of,
)
from langchain_agentmem.types import Candidate
from tests.ledgers import memory

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50)
@given(JSON)
def test_a_value_comes_back_as_it_was(value: Any) -> None:  # noqa: ANN401
    """Whatever JSON can say, texts that look like JSON included."""
    assert decoded(encoded(value)) == value
    assert type(decoded(encoded(value))) is type(value)


@pytest.mark.parametrize("text", ["42", "true", "null", "[1]", '"x"', "NaN", "-Infinity", "1e5", "{", "[" * 5_000])
def test_a_text_that_looks_like_json_stays_a_text(text: str) -> None:
    """A name is a name, though it be Null."""
    assert decoded(encoded(text)) == text


@pytest.mark.parametrize(
    ("own", "other", "values", "expected"),
    [
        ("name", "name", ("Ana", "Ana"), "duplicate"),
        ("name", "name", ("ana", "Ana"), "conflict"),
        ("preferences.a", "preferences.b", ("x", "x"), "unrelated"),
        ("name", None, ("Ana", "Ana"), None),
        (None, "name", ("Ana", "Ana"), None),
    ],
)
def test_two_memories_of_fields_are_compared_exactly(
    own: str | None, other: str | None, values: tuple[str, str], expected: str | None
) -> None:
    """By field and value; where one is of no field, the words decide."""
    tags = [() if it is None else (tag_of(it),) for it in (own, other)]
    candidate = Candidate(content="x", object=values[0], tags=tags[0])
    assert standing(candidate, memory(object=values[1], tags=tags[1])) == expected


@pytest.mark.parametrize(
    ("content", "key", "value"),
    [
        ("The user's preferred editor is Vim", "editor", "Vim"),
        ("Ana's favourite programming language is C++.", "programming language", "C++"),
        ("my favorite color is dark blue", "color", "dark blue"),
    ],
)
def test_a_preference_said_in_passing_has_a_key(content: str, key: str, value: str) -> None:
    """The words for what is preferred name it, as when it is set."""
    said = memory(kind="preference", content=content, relation=None, object=None, tags=())
    assert claim_of(said, {}, "Ana") == (PREFERENCES + key, value)


@pytest.mark.parametrize(
    "content", ["The user prefers tea", "Ana's editor is Vim", "Bob's favourite editor is Vim", "tea is my favourite"]
)
def test_other_preferences_have_none(content: str) -> None:
    """They stay sentences; so does what another person prefers."""
    assert claim_of(memory(kind="preference", content=content, relation=None, object=None, tags=()), {}, "Ana") is None


def test_a_memory_about_somebody_else_fills_no_field() -> None:
    """The relation alone says nothing of the user."""
    fields = {"lives_in": "city"}
    sister = memory(kind="fact", subject="sister", relation="lives_in", object="Rome", tags=())
    assert claim_of(sister, fields, "Ana") is None
    assert claim_of(replace(sister, subject="ANA"), fields, "Ana") == ("city", "Rome")
    assert is_about_user(replace(sister, subject="the user"))


def test_values_are_said_in_words() -> None:
    """A list is told by commas, a bool by yes and no."""
    assert sentence_of("topics", shown(["a", True])) == "The user's topics is a, yes"
    assert sentence_of("preferences.code_style", shown({"b": 1})) == 'The user\'s preferred code style is {"b": 1}'
    assert field_of(Candidate(content="x", tags=("work", tag_of("name")))) == "name"
