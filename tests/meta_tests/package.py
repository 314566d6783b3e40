"""The package under test, as text and as modules."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import langchain_agentmem

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "langchain_agentmem"
Method = tuple[type, str, Callable[..., Any]]

RUN_ON_IMPORT: Final = ("__main__", ".sql.migrations.")  # the command line, and what only Alembic may load


@cache
def trees() -> dict[str, ast.Module]:
    """Every source file of the package, parsed, by its path below the package."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {str(file.relative_to(PACKAGE)): ast.parse(file.read_text("utf-8")) for file in files}


@cache
def nodes() -> dict[str, tuple[ast.AST, ...]]:
    """Every node of each, in the order of `ast.walk`: to go through them all once takes seconds."""
    return {path: tuple(ast.walk(tree)) for path, tree in trees().items()}


@cache
def modules() -> tuple[ModuleType, ...]:
    """Every module of the package, imported."""
    found = pkgutil.walk_packages(langchain_agentmem.__path__, "langchain_agentmem.")
    names = (it.name for it in found if not any(part in f"{it.name}." for part in RUN_ON_IMPORT))
    return (langchain_agentmem, *map(importlib.import_module, names))


def classes() -> Iterator[type]:
    """Every class that the package defines."""
    for module in modules():
        for thing in vars(module).values():
            if inspect.isclass(thing) and thing.__module__ == module.__name__:
                yield thing


def public_methods() -> Iterator[Method]:
    """Every method that a public class defines itself, with its class and its name."""
    for cls in classes():
        for name, member in vars(cls).items():
            function = inspect.unwrap(getattr(member, "__func__", member))
            if inspect.isfunction(function) and not name.startswith("_") and not cls.__name__.startswith("_"):
                yield cls, name, function
