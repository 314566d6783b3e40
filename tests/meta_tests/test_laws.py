"""Tests are a specification: each states its law, and is short enough to be read as one."""

from __future__ import annotations

import ast
import statistics
from functools import cache
from pathlib import Path
from typing import Final

from tests.meta_tests.package import ROOT
from tests.meta_tests.test_shape import Function, length

MAX_MEDIAN_LINES: Final = 12
EVASIONS: Final = {"skip", "skipif", "xfail", "importorskip"}


@cache
def trees() -> dict[Path, ast.Module]:
    """Every file of tests, parsed, by its path below the project."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    return {file.relative_to(ROOT): ast.parse(file.read_text("utf-8")) for file in files}


@cache
def nodes() -> dict[Path, tuple[ast.AST, ...]]:
    """Every node of each, in the order of `ast.walk`: to go through them all once takes seconds."""
    return {path: tuple(ast.walk(tree)) for path, tree in trees().items()}


def laws() -> dict[str, Function]:
    """Every test function of the project, by file and name."""
    return {
        f"{file}::{node.name}": node
        for file, inside in nodes().items()
        for node in inside
        if isinstance(node, Function) and node.name.startswith("test_")
    }


def test_every_test_states_its_law() -> None:
    """The docstring of a test is the sentence that must stay true."""
    assert [name for name, node in laws().items() if not ast.get_docstring(node)] == []


def test_half_of_the_tests_have_at_most_twelve_lines() -> None:
    """A long test has more than one law in it."""
    assert statistics.median(length(node) for node in laws().values()) <= MAX_MEDIAN_LINES


def test_no_test_looks_away() -> None:
    """A test runs or does not exist: nothing is skipped and no failure is expected."""
    looking_away = [
        f"{file}:{node.lineno}"
        for file, inside in nodes().items()
        for node in inside
        if isinstance(node, ast.Attribute) and node.attr in EVASIONS and "pytest" in ast.unparse(node)
    ]
    assert looking_away == []
