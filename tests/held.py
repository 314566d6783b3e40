"""What this process remembers of texts it has read."""

from __future__ import annotations

from langchain_agentmem import _held_texts


def held() -> list[str]:
    """Return the functions that remember something of a text, by module and name."""
    return [f"{it.__module__}.{it.__qualname__}" for it in _held_texts._CACHES if it.cache_info().currsize]
