"""What composes a memory imports its parts lazily, and mypy knows each of them."""

from __future__ import annotations

import ast
from importlib import import_module

from langchain_agentmem import _faces
from tests.meta_tests.package import trees


def test_every_part_is_where_mypy_finds_it() -> None:
    """The names that are imported when they are first asked for are those that are checked, from the same modules."""
    tree = next(tree for path, tree in trees().items() if str(path) == "_faces.py")
    checked = next(it for it in tree.body if isinstance(it, ast.If) and ast.unparse(it.test) == "TYPE_CHECKING")
    imports = [it for it in checked.body if isinstance(it, ast.ImportFrom)]
    assert {name.name: it.module for it in imports for name in it.names} == _faces.MODULES


def test_every_part_is_there() -> None:
    """By its name, from its module."""
    for name, module in _faces.MODULES.items():
        assert getattr(_faces, name) is getattr(import_module(module), name)
