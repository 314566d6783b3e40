r"""Regular expressions that whoever writes a policy may use: matched in time linear in the text, whatever they say.

They are RE2's (https://github.com/google/re2/wiki/Syntax): no back references, no looking around; `\d`, `\w` and `\s`
are of ASCII, `\p{L}` is any letter.
"""

from __future__ import annotations

from typing import Any, Final

from langchain_agentmem._checks import install_hint
from langchain_agentmem.errors import ConfigurationError

MAX_SOURCE: Final = 500
"""Characters of one expression: what is longer is a program, and belongs into one."""

MAX_MEMORY: Final = 1 << 20
"""Bytes that one expression may take, its counted repeats written out."""


class LinearPattern:
    """A compiled expression; letters are compared without case.

    Args:
        source: The expression.

    Raises:
        ValueError: It is no expression of this dialect, or too large; the message says why.
        ConfigurationError: RE2 is not installed.
    """

    def __init__(self, source: str) -> None:
        if len(source) > MAX_SOURCE:
            msg = f"the expression has {len(source)} characters; at most {MAX_SOURCE}"
            raise ValueError(msg)
        self.source = source
        self._compiled = _compiled(source)

    def search(self, text: str) -> bool:
        """Whether the expression is found anywhere in a text."""
        return self._compiled.search(text) is not None

    def matches_whole(self, text: str) -> bool:
        """Whether the expression describes a text from its first character to its last."""
        return self._compiled.fullmatch(text) is not None


def _compiled(source: str) -> Any:  # noqa: ANN401  (a class of the library, which is imported where it is needed)
    try:
        import re2
    except ImportError as error:
        msg = f"expressions in policies need RE2; {install_hint('procedural')}"
        raise ConfigurationError(msg) from error
    options = re2.Options()
    options.case_sensitive, options.log_errors, options.max_mem = False, False, MAX_MEMORY
    try:
        return re2.compile(source, options)
    except re2.error as error:
        why = error.args[0] if error.args else ""
        said = why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why)
        msg = f"it is no regular expression of RE2: {said}"
        raise ValueError(msg) from error
