from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.checkpoints.shorthand import longhand, shorthand

NAME = st.builds(
    "".join,
    st.lists(st.sampled_from(["~__pregel_pull, ", "branch:to:", "\x01", "\x02", "answer"]) | st.text(max_size=3)),
)


@given(NAME)
def test_a_name_comes_back(name: str) -> None:
    """Whatever it begins with."""
    assert longhand(shorthand(name)) == name


def test_what_every_graph_says_takes_a_character() -> None:
    """Where a task stands, and which branch is taken; any other name stands as it is, as before."""
    names = ("~__pregel_pull, answer", "branch:to:answer", "messages", "")
    assert list(map(shorthand, names)) == ["\x02answer", "\x03answer", "messages", ""]
    assert list(map(longhand, names)) == list(names)
