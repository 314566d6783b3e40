"""The parts of a memory are imported lazily, mypy knows each of them, and all of them take a scope in one manner."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import langchain_agentmem
from langchain_agentmem import _faces
from tests.meta_tests.package import modules, public_methods, trees


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


def faces() -> set[type]:
    """What users call: classes that are exported, or have methods of both colours."""
    exported = {getattr(langchain_agentmem, name) for name in langchain_agentmem.__all__}
    coloured = {cls for cls, name, _ in public_methods() if callable(getattr(cls, f"a{name}", None))}
    return coloured | {it for it in exported if inspect.isclass(it)}


def methods_of_faces() -> Iterator[tuple[str, Callable[..., Any]]]:
    known = faces()
    for cls, name, function in public_methods():
        if cls in known:
            yield f"{cls.__qualname__}.{name}", function


def functions_of_both_colours(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, thing in vars(module).items():
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_"):
            names = (f"a{name}", name[1:] if name.startswith("a") else "")
            if name.startswith("create_") or any(callable(getattr(module, it, None)) for it in names):
                yield f"{module.__name__}.{name}", thing


def takes_scope_well(function: Callable[..., Any]) -> bool:
    """Whether a scope is the first argument, also by name, or follows what a call is about, by name alone."""
    taken = [it for it in inspect.signature(function).parameters.values() if it.name not in {"self", "cls"}]
    positional = [it.name for it in taken if it.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return positional[:1] == ["scope"] or ("scope" not in positional and positional != [])


def is_scope(parameter: inspect.Parameter) -> bool:
    return str(parameter.annotation).removesuffix(" | None") == "Scope"


def takes_scope(function: Callable[..., Any]) -> bool:
    return "scope" in inspect.signature(function).parameters


def test_a_scope_comes_first_or_by_name() -> None:
    """What a call is about comes first: the user, as `erase(alice)`, or one thing, as `forget(id, scope=alice)`.

    A scope in the first place may be named as well; behind anything else it is always named.
    """
    functions = [each for module in modules() for each in functions_of_both_colours(module)]
    called = [it for it in (*methods_of_faces(), *functions) if takes_scope(it[1])]
    assert [name for name, function in called if not takes_scope_well(function)] == []
    assert {"Privacy.erase", "LongTermMemory.forget", "AgentMemory.history"} <= {name for name, _ in called}


def test_who_takes_a_scope_calls_it_so() -> None:
    """`scope=` is right in every face: only a second one (as whose an export is read in) has another name."""
    taken = {
        name: {it.name for it in inspect.signature(function).parameters.values() if is_scope(it)}
        for name, function in methods_of_faces()
    }
    assert [name for name, scopes in taken.items() if scopes and "scope" not in scopes] == []
