from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.header import Header, pack_header, unpack_header
from langchain_agentmem.checkpoints.strict import strict_serde
from langchain_agentmem.checkpoints.versions import next_version, version_string

CODEC = Codec(strict_serde())
NAME = st.sampled_from(["messages", "__start__", "branch:to:model", "ä"]) | st.text(max_size=9)
FRACTION = st.floats(0, 1, exclude_max=True) | st.integers(0, 2**53 - 1).map(lambda it: it / 2**53)
USUAL = st.builds(version_string, st.integers(0, 2**40), FRACTION)
OURS = st.builds(version_string, st.integers(0, 2**40), st.integers(0, 2**32 - 1).map(lambda it: it / 2**32))
VERSION = OURS | USUAL | st.integers(0, 99) | st.floats(0, 9) | st.text(max_size=40) | st.just("0" * 31 + "1.0.5")
DATA = st.dictionaries(
    NAME, st.none() | st.integers(-9, 9) | st.text(max_size=9) | st.lists(st.text(max_size=3)), max_size=4
)
TIME = st.just("2026-11-21T12:53:26.266418+00:00") | st.just("2026-01-01T00:00:00+00:00") | st.text(max_size=30)


@settings(deadline=None)
@given(TIME, DATA, DATA, st.dictionaries(NAME, VERSION, max_size=6), st.data())
def test_a_header_comes_back(ts: str, rest: Any, metadata: Any, versions: Any, data: st.DataObject) -> None:  # noqa: ANN401
    """Times and versions of any form, in the order in which they stood."""
    channels = st.sampled_from(sorted(versions)) if versions else NAME
    seen = data.draw(st.dictionaries(NAME, st.dictionaries(channels, VERSION, max_size=3), max_size=3))
    refs = data.draw(st.dictionaries(channels, st.binary(max_size=9), max_size=3)) if versions else {}
    header = Header(ts=ts, rest=rest, metadata=metadata, versions=versions, seen=seen, refs=refs)
    found = unpack_header(pack_header(header, CODEC), CODEC)
    assert found == header
    assert (list(found.versions), list(found.seen)) == (list(versions), list(seen))
    assert [type(it) for it in found.versions.values()] == [type(it) for it in versions.values()]


def test_a_header_of_a_small_graph_is_small() -> None:
    """Below 80 bytes, though LangGraph's own form of it has 800."""
    made = list(map(next_version, range(1, 5)))
    header = Header(
        ts="2026-11-21T12:53:26.266418+00:00",
        rest={"v": 4, "updated_channels": ["messages"]},
        metadata={"source": "loop", "step": 12, "parents": {}},
        versions={"__start__": made[2], "messages": made[3], "branch:to:model": made[3]},
        seen={"__input__": {}, "__start__": {"__start__": made[1]}, "model": {"branch:to:model": made[2]}},
        refs={"messages": b"\x02\x05\x02\x20"},
    )
    assert len(pack_header(header, CODEC)) < 80


@given(st.binary(max_size=60))
def test_a_damaged_header_is_an_error(packed: bytes) -> None:
    """Any bytes that are no header are a `ValueError`."""
    with pytest.raises(ValueError, match="header"):
        unpack_header(packed, CODEC)


def test_equal_versions_of_two_types_stay_apart() -> None:
    """An int does not come back as the float that equals it."""
    header = Header(ts="", rest={}, metadata={}, versions={"a": 0, "b": 0.0}, seen={"n": {"a": 0.0}}, refs={})
    found = unpack_header(pack_header(header, CODEC), CODEC)
    assert [type(it) for it in (*found.versions.values(), found.seen["n"]["a"])] == [int, float, float]


def test_a_header_of_the_first_form_is_read() -> None:
    """As it was written before: all of it compressed, versions in eight bytes."""
    packed = bytes.fromhex(
        "9b769e812de1c48dbd7a46536e1a1ae007467a06067a8646c626a666e616960640d6110e66063010603fc2c10861724c43f88901ee63c6c5"
        "f9e5794c53101e9f80e473049379f281232c4cac4c0a078ed832e2f02bdc4c4c7ff1c0fd0500"
    )
    first, second, third = (version_string(place, it) for place, it in enumerate((0.25, 0.1234567890123, 0.5), start=1))
    assert unpack_header(packed, CODEC) == Header(
        ts="2026-11-21T12:53:26.266418+00:00",
        rest={"v": 4, "updated_channels": ["messages"]},
        metadata={"source": "loop", "step": 12, "parents": {}},
        versions={"__start__": second, "messages": third, "own": 7},
        seen={"__input__": {}, "__start__": {"__start__": first}},
        refs={"messages": b"\x02\x05\x02\x20"},
    )
