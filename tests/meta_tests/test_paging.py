"""One manner of paging: what lists many of a user's records returns a `Page`, and takes a limit and a cursor."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from langchain_agentmem import AgentMemory, RedisChatMessageHistory, SQLChatMessageHistory
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.types.paging import DEFAULT_LIMIT

MANNERS: Final = {"after", "before", "offset", "page", "start"}
"""How pages are asked for elsewhere."""

LANGGRAPHS: Final = {"checkpointer.list", "store.search", "store.list_namespaces"}
"""Those that LangGraph prescribes."""

OTHERWISE: Final = {
    "consolidation.schedule": "a time to wait",
    "SQLChatMessageHistory.page": "messages have positions, which are counted",
    "RedisChatMessageHistory.page": "messages have positions, which are counted",
}
WHOLE: Final = {
    "consent.history": "what one user answered: a few events",
    "entities.about": "of one entity, out of a graph that is read whole",
    "entities.neighbours": "of one entity, out of a graph that is read whole",
    "entities.paths": "between two entities, out of a graph that is read whole",
    "goals.open": "a user has few goals at a time",
}
"""What returns several of a user's records, and all of them."""

ANSWERS: Final = {
    "approvals.decide": "one for each that is given",
    "entities.extract": "one for each that was said",
    "long_term.erase": "one for each that is gone",
    "long_term.learn": "one for each that was changed",
    "memory.tools": "tools",
}
"""What returns one for each of what a call did."""

_SEVERAL: Final = re.compile(r"(tuple|list|Sequence|Iterator|\w*Page)\b")


@cache
def faces() -> dict[str, type]:
    """What users hold, by its name: a memory, its parts, and chat histories by themselves."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        parts = {it: type(getattr(memory, it)) for it in dir(memory) if not it.startswith("_")}
    ours = {name: it for name, it in parts.items() if it.__module__.startswith("langchain_agentmem")}
    histories = {it.__name__: it for it in (SQLChatMessageHistory, RedisChatMessageHistory)}
    return {**ours, **histories, "memory": AgentMemory}


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public method of them, by face and name; the awaited twin has the same signature."""
    for face, made in faces().items():
        for name in dir(made):
            found = inspect.getattr_static(made, name)
            found = getattr(found, "__func__", found)
            if not name.startswith("_") and inspect.isfunction(found):
                yield f"{face}.{name}", found


def is_paged(method: Callable[..., Any]) -> bool:
    """Whether a method takes a limit and a cursor, or a query that has both, and returns a page."""
    signature = inspect.signature(method)
    asked = signature.parameters
    if asked.get("query") and asked["query"].annotation == ListQuery.__name__:
        asked = inspect.signature(ListQuery).parameters
    is_usual = {"limit", "cursor"} <= set(asked) and asked["limit"].default in {DEFAULT_LIMIT, "DEFAULT_LIMIT"}
    return is_usual and asked["cursor"].default is None and str(signature.return_annotation).startswith("Page[")


def test_what_lists_records_of_a_user_is_a_page() -> None:
    """But for what returns all there is, for a reason, and what answers for each of what a call did."""
    several = {
        name
        for name, it in methods()
        if _SEVERAL.match(str(inspect.signature(it).return_annotation)) and "scope" in inspect.signature(it).parameters
    }
    not_paged = {it for it in several if not is_paged(dict(methods())[it])}
    other = {name.replace(".", ".a", 1) for name in (*WHOLE, *ANSWERS)}
    assert not_paged - {"access.within"} <= {*WHOLE, *ANSWERS, *other}
    assert len(several - not_paged) >= 24  # both twins of each listing


def test_whatever_returns_a_page_takes_a_limit_and_a_cursor() -> None:
    """By these names, with the same defaults."""
    pages = {name: it for name, it in methods() if str(inspect.signature(it).return_annotation).startswith("Page[")}
    assert [name for name, it in pages.items() if not is_paged(it)] == []


def test_pages_are_asked_for_in_no_other_manner() -> None:
    """Neither by a record, nor by a number or an id; what LangGraph prescribes is apart."""
    allowed = {*LANGGRAPHS, *OTHERWISE, *(it.replace(".", ".a", 1) for it in (*LANGGRAPHS, *OTHERWISE))}
    others = {name for name, it in methods() if MANNERS & set(inspect.signature(it).parameters)}
    assert others - allowed == set()
