"""Regular expressions that are compiled when they are first asked.

The rules that read language have more than a thousand, and to compile them all takes longer than to import everything
else: a process that asks a few should not pay for the others before it has begun.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what does as `re.compile(source, flags)`; a mistake in the expression is raised by its first use.

    `re.Pattern` cannot be derived from, so it is no instance of it: call its methods, not functions of `re` with it.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))


class LazyPattern:
    """Stands for a pattern; once it was compiled, its methods are attributes here, and cost what they cost there."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever a pattern has)
        if name.startswith("_"):  # nothing of a pattern: what asks whether it can be copied, or shown
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        value = getattr(compiled, name)
        for each in ("match", "search", "fullmatch", "finditer", "sub"):
            setattr(self, each, getattr(compiled, each))
        setattr(self, name, value)
        return value
