"""Reading a listing page by page."""

from __future__ import annotations

from typing import Any

from tests.conftest import Call


async def paged(call: Call, face: Any, *args: Any, limit: int = 2, **asked: Any) -> list[Any]:  # noqa: ANN401  (any face)
    """Return all that `face.list` lists, each page behind the last one of the page before."""
    found: list[Any] = []
    while page := await call(face, "list", *args, limit=limit, after=found[-1] if found else None, **asked):
        found += page
    return found
