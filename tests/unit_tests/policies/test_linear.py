"""Whatever is pasted or typed to harm is read in bearable time: by every pattern, and by who reads with them."""

from __future__ import annotations

import pkgutil
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

import langchain_agentmem
from langchain_agentmem._lazy_pattern import LazyPattern
from langchain_agentmem.english.people.own_words import in_own_words
from langchain_agentmem.english.people.whose import clauses_of
from langchain_agentmem.english.requests.forget_asked import forget_asked
from langchain_agentmem.english.requests.intent import detect_intent
from langchain_agentmem.english.requests.not_keeping import not_to_keep, points_back
from langchain_agentmem.english.text.gaps import gathered
from langchain_agentmem.english.text.reactions import confirms
from langchain_agentmem.english.text.utterances import is_unstable
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.policies.injection import is_injected
from langchain_agentmem.policies.plan import plan
from langchain_agentmem.policies.redact import find_sensitive
from langchain_agentmem.policies.sensitive import ALL_DETECTORS

ROOMS: Final = "policies extraction sensitive planning index nodes working summarize context entities".split()
UNITS: Final = (
    *(" ", "\n", "\t", "\r\n", "\u00a0", "a", "A", "a ", "A ", "Aa ", ", ", "and ", "1", "1 ", "1,", ".", '"', "'"),
    *("not ", "I ", "my ", "the ", "-", "- ", "_", "@", "a@", "a.", "!", "?", "? ", "\u00e9", "/", ":", "a:", "so "),
    *("very ", "(", ")", "*", "to ", "of ", "1-", "1:", "'s ", "no, ", "\n\n a", "please ", "ok, ", "that "),
)
HEADS: Final = ["forget ", "I live in ", "my name is", "I am not ", "do not ", "My sister ", "remember that", "the "]
LONG, SLOW_S = 2_000, 0.1
"""As much as a query or a sentence that is read has; CPU seconds of which a linear reader needs a tenth at most."""

READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "extract": lambda text: RuleExtractor().extract([HumanMessage(text)]),
    "extract_answer": lambda text: RuleExtractor().extract([AIMessage(text), HumanMessage("yes")], new_from=1),
    "detect_intent": detect_intent,
    "forget_asked": forget_asked,
    "not_to_keep": not_to_keep,
    "points_back": points_back,
    "confirms": confirms,
    "clauses_of": lambda text: clauses_of(text, ["al"]),
    "find_sensitive": lambda text: find_sensitive(text, ALL_DETECTORS),
    "is_unstable": is_unstable,
    "is_injected": is_injected,
    "in_own_words": lambda text: in_own_words(text, ["gil", "may"]),
    "plan": plan,
}


def hostile(length: int) -> Iterator[str]:
    """Yield texts of one thing over and over, alone and behind words that a rule begins with."""
    yield from ((unit * length)[:length] for unit in UNITS)
    yield from (head + (unit * length)[:length] for head in HEADS for unit in (" ", "\n", "a ", "a", ", "))


def patterns(value: object, depth: int = 6) -> Iterator[Any]:
    """Yield the patterns that a constant is or holds."""
    if isinstance(value, re.Pattern | LazyPattern) and isinstance(value.pattern, str):
        yield value
    held: list[Any] = []
    if isinstance(value, Mapping):
        held = [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        held = list(value)
    elif is_dataclass(value) and not isinstance(value, type):
        held = [getattr(value, it.name, None) for it in fields(value)]
    for it in held if depth else ():
        yield from patterns(it, depth - 1)


def named_patterns() -> Mapping[Any, str]:
    """Return every pattern of the rooms that read text, with where it stands."""
    found: dict[Any, str] = {}
    for room in ROOMS:
        package = import_module(f"{langchain_agentmem.__name__}.{room}")
        inside = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for module in (package, *(import_module(it.name) for it in inside)):
            for name, value in vars(module).items():
                found.update((it, f"{module.__name__}.{name}") for it in patterns(value) if it not in found)
    return found


def took(read: Callable[[str], object], text: str) -> float:
    """Return the CPU seconds of the faster of two readings, of one where that is fast."""
    best = 1e9
    for _ in range(2):
        begun = time.process_time()
        read(text)
        best = min(best, time.process_time() - begun)
        if best < SLOW_S:
            break
    return best


def test_no_pattern_is_slow_at_any_text() -> None:
    """Matched from the beginning, which is how rules read a clause; a slow one fails with its name."""
    texts = [it for it in (gathered(text).text for text in hostile(LONG)) if len(it) >= LONG // 2]
    found = named_patterns()
    slow = {
        f"{name}: {pattern.pattern[:80]} at {text[:20]!r}"
        for pattern, name in found.items()
        for text in texts
        for read in (pattern.match, pattern.fullmatch)
        if took(read, text) > SLOW_S
    }
    assert len(found) > 1_000
    assert not slow


@pytest.mark.parametrize("name", READERS)
def test_no_reader_is_slow_at_any_text(name: str) -> None:
    """White space of any length included, and what stands behind it; a table of marks and a stack of lines as well."""
    read = READERS[name]
    read("I live in York.")
    slow = {text[:20] for text in hostile(LONG) if took(read, text) > 4 * SLOW_S}
    assert not slow


def test_a_wide_gap_changes_nothing_that_is_read() -> None:
    """A statement, an order to forget and one not to keep are the same over four thousand blanks; evidence is exact."""
    gap = " " * 4_000
    [told] = RuleExtractor().extract([HumanMessage(f"Hello!{gap}I live{gap}in York.")])
    assert (told.content, told.provenance.evidence) == ("The user lives in York", f"I live{gap}in York")
    assert detect_intent(f"Please forget{gap}that I like sushi.").forget_what == "that I like sushi"
    text = f"I smoke.{gap}Don't write it down."
    [kept] = not_to_keep(text)
    assert (kept.what, text[kept.start : kept.end]) == ("I smoke", text[: kept.end])


@pytest.mark.parametrize(
    ("text", "narrow"),
    [
        ("a" + " " * 8 + "b", "a" + " " * 8 + "b"),
        ("a" + " " * 9 + "b", "a b"),
        ("a \n" * 3, "a \n" * 3),
        ("a" + " \n" * 9 + "b", "a\nb"),
        ("\t" * 99, " "),
        ("", ""),
    ],
)
def test_only_a_wide_gap_is_closed(text: str, narrow: str) -> None:
    """To a new line where it holds one; each character is known by its place."""
    read = gathered(text)
    assert read.text == narrow
    assert all(text[place] == char for place, char in zip(read.places, read.text, strict=True) if not char.isspace())
    assert len(read.places) == len(read.text)
