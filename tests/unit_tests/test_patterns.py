from __future__ import annotations

import pytest

from langchain_agentmem._patterns import LinearPattern


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("prod(uction)?", "to PROD now", (True, False)),
        ("prod(uction)?", "Production", (True, True)),
        (r"^rm\s+-rf?$", "rm -r", (True, True)),
        (r"\bmain\b", "remain", (False, False)),
        ("a|b", "", (False, False)),
        (r"\p{L}+", "\u00e9t\u00e9", (True, True)),
    ],
)
def test_an_expression_is_found_or_describes_all(source: str, text: str, found: tuple[bool, bool]) -> None:
    """Case does not count; to describe a text is to describe all of it."""
    pattern = LinearPattern(source)
    assert (pattern.search(text), pattern.matches_whole(text)) == found


def test_no_expression_is_slow() -> None:
    """What takes a backtracking matcher longer than the age of the world is followed in one pass."""
    assert not LinearPattern("(a*)*(a|a)*b").search("a" * 1_000_000)


@pytest.mark.parametrize(
    "source",
    ["(", ")", "[", "*", "(?=a)", r"(a)\1", "[b-a]", "a{3,2}", "(((a{99}){99}){99})", "(" * 90, "\\", "a" * 501],
)
def test_what_is_no_expression_is_refused(source: str) -> None:
    """Also one that would be too large, or that needs backtracking."""
    with pytest.raises(ValueError, match=r"expression|character"):
        LinearPattern(source)
