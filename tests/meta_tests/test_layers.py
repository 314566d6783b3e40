from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tests.meta_tests.package import ROOT, nodes

DEPRECATED: Final = {
    "langchain_core.chat_history": "chat_history/stored.py",
    "langchain_core.runnables.history": "wrapping.py",
}
"""What LangChain deprecates for its version 2.0, and the one module that will have to do without."""


def test_imports_only_point_down() -> None:
    """The contracts in pyproject.toml hold, and every module has a place in the layers."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def imported(inside: Iterable[ast.AST]) -> Iterator[str]:
    """Give what the nodes of a module import, wherever they do: modules, and names of modules."""
    for node in inside:
        if isinstance(node, ast.Import):
            yield from (it.name for it in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "", *(f"{node.module}.{it.name}" for it in node.names))


def test_what_langchain_deprecates_is_imported_in_one_module() -> None:
    """So that one module changes when it goes."""
    found = [(name, path) for path, inside in nodes().items() for name in set(imported(inside)) & DEPRECATED.keys()]
    assert sorted(found) == sorted(DEPRECATED.items())
