"""One tree of errors, drawn where it is defined, with a use for every branch."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache

from langchain_agentmem import errors
from tests.meta_tests.package import nodes


def error_classes() -> list[type]:
    return [it for it in vars(errors).values() if inspect.isclass(it) and issubclass(it, errors.AgentMemError)]


def label(cls: type) -> str:
    builtin = [base.__name__ for base in cls.__bases__ if base.__module__ == "builtins" and base is not Exception]
    return f"{cls.__name__}({', '.join(builtin)})" if builtin else cls.__name__


def drawn(cls: type, indent: str = "") -> Iterator[str]:
    children = [it for it in error_classes() if it.__base__ is cls]
    for child in children:
        is_last = child is children[-1]
        yield f"{indent}{'└' if is_last else '├'}── {label(child)}"
        yield from drawn(child, indent + ("    " if is_last else "│   "))


@cache
def used_names() -> set[str]:
    """Names that are called (raised, or handed back to be raised) or caught, outside errors.py."""
    elsewhere = [node for path, inside in nodes().items() if path != "errors.py" for node in inside]
    targets = [node.func for node in elsewhere if isinstance(node, ast.Call)]
    targets += [node.type for node in elsewhere if isinstance(node, ast.ExceptHandler) and node.type is not None]
    return {it.id for target in targets for it in ast.walk(target) if isinstance(it, ast.Name)}


def test_the_drawn_tree_is_the_real_one() -> None:
    """The picture at the top of errors.py shows every class, under its base, with its built-in parent."""
    picture = "\n".join([label(errors.AgentMemError), *drawn(errors.AgentMemError)])
    assert f"```\n{picture}\n```" in str(errors.__doc__)


def test_every_error_class_has_a_use() -> None:
    """An error that nobody raises and nobody catches is not needed."""
    assert [it.__name__ for it in error_classes() if it.__name__ not in used_names()] == []
