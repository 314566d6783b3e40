"""The record under which tools of the LangGraph world keep a memory in a store: `kind` and `content`, both, always."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_agentmem._checks import check_text

DEFAULT_KIND: Final = "Memory"
"""What langmem's manager calls a memory for which no schema is given."""


def memory_record(content: str | Mapping[str, Any], *, kind: str = DEFAULT_KIND) -> dict[str, Any]:
    """Return a value for `store.put` that any tool can read: some look for `content` alone, some need `kind` too.

    Args:
        content: A text, which becomes the content of a memory without a schema; or the fields of a schema.
        kind: Name of the schema.

    Raises:
        ConfigurationError: The kind is no text.
    """
    plain = {"content": content} if isinstance(content, str) else dict(content)
    return {"kind": check_text("kind", kind), "content": plain}
