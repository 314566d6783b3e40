"""The patterns of the policies, judged as patterns: none can backtrack without bound."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from langchain_agentmem._lazy_pattern import LazyPattern
from langchain_agentmem.english.text import folding, questions, utterances
from langchain_agentmem.english.time import timing
from langchain_agentmem.policies import (
    carrying,
    detect_contacts,
    detect_numbers,
    detect_secrets,
    evidence,
    injection,
    querying,
)

# Python parses a pattern with a private module of the standard library; no public one shows a pattern's structure.
parser: Any = importlib.import_module("re._parser")
constants: Any = importlib.import_module("re._constants")
MODULES = [
    *(detect_contacts, detect_numbers, detect_secrets, evidence, folding, injection, utterances),
    *(carrying, querying, questions, timing),
]


Tree: TypeAlias = Iterable[tuple[object, Any]]


def subtrees(operation: object, argument: Sequence[Any]) -> Iterator[Tree]:
    if operation is constants.SUBPATTERN:
        yield argument[3]
    elif operation is constants.BRANCH:
        yield from argument[1]
    elif operation in {constants.MAX_REPEAT, constants.MIN_REPEAT}:
        yield argument[2]


def nested(tree: Tree, *, inside: bool = False) -> bool:
    """Whether an unbounded repeat that may give back stands inside another; possessive ones and atoms never do."""
    for operation, argument in tree:
        is_repeat = operation in {constants.MAX_REPEAT, constants.MIN_REPEAT}
        is_open = is_repeat and argument[1] is constants.MAXREPEAT
        if is_open and inside:
            return True
        if any(nested(each, inside=inside or is_open) for each in subtrees(operation, argument)):
            return True
    return False


@pytest.mark.parametrize("module", MODULES)
def test_no_pattern_nests_unbounded_repeats(module: ModuleType) -> None:
    """Exponential backtracking needs an unbounded repeat inside another: there is none."""
    patterns = {name: value for name, value in vars(module).items() if isinstance(value, re.Pattern | LazyPattern)}
    assert patterns
    assert [name for name, value in patterns.items() if nested(parser.parse(value.pattern, value.flags))] == []


@pytest.mark.parametrize("pattern", ["(a+)+b", "(?:a|b*)*c", "(?:(x+)y?)*"])
def test_the_gauge_sees_a_dangerous_pattern(pattern: str) -> None:
    """The classic shapes are recognised."""
    assert nested(parser.parse(pattern))


@pytest.mark.parametrize("pattern", ["a+b+", "(?:a++)*b", "(?:a{1,9})*b", "(?>a+)*b"])
def test_the_gauge_lets_a_safe_pattern_pass(pattern: str) -> None:
    """Bounded, possessive and atomic repeats are safe."""
    assert not nested(parser.parse(pattern))
