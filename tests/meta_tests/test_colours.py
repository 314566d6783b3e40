"""Both colours, one implementation: what can be called can be awaited, with the same parameters."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from tests.meta_tests.package import public_methods


def is_awaited(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def runs_a_flow(function: Callable[..., Any]) -> bool:
    """Whether the body calls `run(...)`, the driver of the blocking colour."""
    source = inspect.getsource(function)
    if "run" not in source:  # most do not; to parse them takes seconds
        return False
    calls = (node.func for node in ast.walk(ast.parse(textwrap.dedent(source))) if isinstance(node, ast.Call))
    return any(isinstance(callee, ast.Name) and callee.id == "run" for callee in calls)


def parameters(cls: type, name: str) -> list[tuple[str, str, object, str]]:
    signature = inspect.signature(getattr(cls, name))
    return [(it.name, it.kind.name, it.default, annotation(it)) for it in signature.parameters.values()]


def annotation(parameter: inspect.Parameter) -> str:
    """As written: what is inherited from LangChain may be evaluated already, ours is text."""
    written = parameter.annotation
    return written if isinstance(written, str) else inspect.formatannotation(written)


def test_every_awaitable_method_has_a_blocking_twin() -> None:
    """Whoever awaits `arecall` may also call `recall`."""
    lonely = [
        f"{cls.__qualname__}.{name}"
        for cls, name, function in public_methods()
        if is_awaited(function) and not (name.startswith("a") and callable(getattr(cls, name[1:], None)))
    ]
    assert lonely == []


def test_every_method_that_waits_has_an_awaitable_twin() -> None:
    """Whoever calls `recall` may also await `arecall`."""
    lonely = [
        f"{cls.__qualname__}.{name}"
        for cls, name, function in public_methods()
        if runs_a_flow(function) and not callable(getattr(cls, f"a{name}", None))
    ]
    assert lonely == []


def test_twins_take_the_same_parameters() -> None:
    """Changing the colour of a call changes nothing but its name."""
    pairs = [(cls, name) for cls, name, _ in public_methods() if callable(getattr(cls, f"a{name}", None))]
    different = [
        f"{cls.__qualname__}.{name}" for cls, name in pairs if parameters(cls, name) != parameters(cls, f"a{name}")
    ]
    assert different == []
