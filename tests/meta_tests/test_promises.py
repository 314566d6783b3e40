"""What is promised is held by tests that exist."""

from __future__ import annotations

import ast
import re
from typing import Final

from tests.meta_tests.package import ROOT
from tests.meta_tests.test_laws import laws
from tests.meta_tests.test_shape import Function

MIN_PROMISES: Final = 9
"""Those of the design."""

PROMISES: Final = ROOT / "docs" / "promises.md"
ROW: Final = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<tests>`test_\w+`(?:, `test_\w+`)*) \|$", re.MULTILINE)
SUITES: Final = ROOT / "langchain_agentmem" / "testing"


def promised() -> dict[str, list[str]]:
    """Each promise of the table, with the tests that it names."""
    rows = ROW.finditer(PROMISES.read_text("utf-8"))
    return {row["promise"]: re.findall(r"`(test_\w+)`", row["tests"]) for row in rows}


def published() -> set[str]:
    """The laws of the suites for backends of others, which ours inherit."""
    trees = [ast.parse(file.read_text("utf-8")) for file in sorted(SUITES.rglob("*.py"))]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, Function)}


def test_every_promise_names_tests_that_exist() -> None:
    """A test that is renamed or removed takes its promise along, and this is where it shows."""
    known = published() | {name.rpartition("::")[2] for name in laws()}
    assert [name for names in promised().values() for name in names if name not in known] == []


def test_the_table_of_promises_is_read_whole() -> None:
    """Every line of the page that names a test is a promise with its tests, and none is missing."""
    lines = [line for line in PROMISES.read_text("utf-8").splitlines() if "`test_" in line]
    assert len(lines) == len(promised()) >= MIN_PROMISES
