from __future__ import annotations

import pytest

from langchain_agentmem.checkpoints import known
from langchain_agentmem.checkpoints.content import SplitList
from langchain_agentmem.checkpoints.known import Cache


def split(size: int) -> SplitList:
    """Return a list of one message of that many bytes."""
    return SplitList(b"x" * size, [size], [b"digest"])


def test_a_list_is_known_by_its_thread_namespace_and_channel() -> None:
    """Each channel of each namespace has its own, the latest."""
    cache = Cache()
    for place, size in ((("a", "", "it"), 1), (("a", "sub", "it"), 2), (("b", "", "it"), 3), (("a", "", "it"), 4)):
        cache.keep_list(place, split(size))
    found = [cache.list_at(it) for it in (("a", "", "it"), ("a", "sub", "it"), ("b", "", "it"), ("b", "sub", "it"))]
    assert found == [split(4), split(2), split(3), None]


def test_a_forgotten_thread_leaves_no_list() -> None:
    """Whoever begins it anew compares with nothing, and other threads keep theirs."""
    cache = Cache()
    for thread_id in "ab":
        cache.keep_list((thread_id, "", "it"), split(1))
        cache.keep_list((thread_id, "sub", "it"), split(1))
    cache.forget("a")
    found = [cache.list_at((thread_id, ns, "it")) for thread_id in "ab" for ns in ("", "sub")]
    assert found == [None, None, split(1), split(1)]


def test_lists_make_room_for_those_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was put longest ago goes first, and what was forgotten takes no room."""
    monkeypatch.setattr(known, "MAX_LIST_BYTES", 10)
    cache = Cache()
    for thread_id, size in (("a", 5), ("b", 4), ("a", 5), ("c", 5)):
        cache.keep_list((thread_id, "", "it"), split(size))
    assert [cache.list_at((it, "", "it")) is None for it in "abc"] == [False, True, False]
    cache.forget("a")
    cache.forget("b")
    cache.keep_list(("d", "", "it"), split(5))
    assert cache.list_at(("c", "", "it")) == split(5)
