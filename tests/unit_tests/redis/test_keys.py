from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.redis.database import milliseconds, until
from langchain_agentmem.redis.keys import check_prefix, decode, encode, name_key, parts_of, tag_of
from langchain_agentmem.redis.slots import slot_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TAG = TEXT.filter(bool)


@given(first=st.tuples(TAG, TEXT, TEXT), second=st.tuples(TAG, TEXT, TEXT))
def test_two_keys_are_the_same_only_if_all_parts_are(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    """No id can look like another id, a separator or a brace."""
    assert (name_key("p", *first) == name_key("p", *second)) == (first == second)


@given(tag=TAG, one=TEXT, other=TEXT)
def test_keys_of_one_tag_share_a_slot(tag: str, one: str, other: str) -> None:
    """Whatever the parts and the tag, Redis Cluster keeps them together."""
    assert (
        slot_of(name_key("p", tag, one)) == slot_of(name_key("p:q", tag, other, one)) == key_slot(encode(tag).encode())
    )


@given(text=TEXT)
def test_an_encoded_id_comes_back_and_holds_nothing_special(text: str) -> None:
    """Only letters, digits and `-._~%`: no brace, colon, glob or space."""
    encoded = encode(text)
    assert decode(encoded) == text
    assert not set(encoded) & set("{}:*?[]\\^ \n")


@given(tag=TAG, part=TEXT, other=st.tuples(TAG, TEXT, TEXT))
def test_a_pattern_matches_what_it_names_and_nothing_else(tag: str, part: str, other: tuple[str, str, str]) -> None:
    """Whatever stands in ids stands for itself; what follows may be anything."""
    pattern = name_key("p:q", tag, part).decode() + ":*"
    assert fnmatchcase(name_key("p:q", tag, part, other[2]).decode(), pattern)
    assert fnmatchcase(name_key("p:q", *other).decode(), pattern) == (other[:2] == (tag, part))
    assert not fnmatchcase(name_key("p", tag, part, other[2]).decode(), pattern)


@given(tag=TAG, parts=st.lists(TEXT, min_size=1))
def test_a_key_says_what_it_was_named(tag: str, parts: list[str]) -> None:
    """Its tag and each of its parts come back; of what somebody else named so, something does."""
    key = name_key("p:q", tag, *parts)
    assert (tag_of(key), parts_of(key)) == (tag, parts)
    assert tag_of(b"p:{\xff}:x") == "\ufffd"


@pytest.mark.parametrize("prefix", ["", "a{b}", "a*", "a b", "ä", "x" * 65, 7, None, b"a"])
def test_a_prefix_that_could_confuse_is_refused(prefix: Any) -> None:  # noqa: ANN401
    """A brace would move every key to one slot, a glob would match those of others."""
    with pytest.raises(ConfigurationError, match="prefix"):
        check_prefix(prefix)


def test_an_empty_tag_is_refused() -> None:
    """Redis would take a key without a tag for what it says."""
    with pytest.raises(ConfigurationError, match="tag"):
        name_key("p", "", "x")


def test_an_expiry_is_never_early() -> None:
    """Microseconds are rounded up; without an expiry keys are told to stay."""
    assert [milliseconds(at) for at in (0, 1, 1_000, 1_001)] == [0, 1, 1, 2]
    assert until(1_500, b"a", b"b") == [("PEXPIREAT", b"a", 2), ("PEXPIREAT", b"b", 2)]
    assert until(None, b"a") == [("PERSIST", b"a")]
