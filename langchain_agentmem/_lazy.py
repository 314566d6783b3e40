"""What a package offers without importing it: each name is taken from its module when it is first asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping


def lazily(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a package's `__getattr__` (PEP 562): whoever needs one of its modules pays for that one alone.

    Args:
        package: Its name.
        modules: By what it offers, the module that has it, of this package (`rules`) or by its whole name.
    """

    def take(name: str) -> object:
        if name not in modules:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module = modules[name]
        value = getattr(importlib.import_module(module if "." in module else f"{package}.{module}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return take
