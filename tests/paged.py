"""Reading a listing page by page."""

from __future__ import annotations

from typing import Any

from tests.conftest import Call


async def paged(call: Call, face: Any, *args: Any, limit: int = 2, **asked: Any) -> list[Any]:  # noqa: ANN401  (any face)
    """Return all that `face.list` lists, each page by the cursor of the page before."""
    return await walked(call, face, "list", *args, limit=limit, **asked)


async def walked(call: Call, face: Any, method: str, *args: Any, **asked: Any) -> list[Any]:  # noqa: ANN401  (any face)
    """Return all that a method lists, each page by the cursor of the page before."""
    page = await call(face, method, *args, **asked)
    found = [*page]
    while page.cursor is not None:
        page = await call(face, method, *args, **{**asked, "cursor": page.cursor})
        found += page
    return found
