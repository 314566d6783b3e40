"""Who acts: the user themself, unless the code around a call says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

from langchain_agentmem._checks import check_id
from langchain_agentmem._flow import Flow

T = TypeVar("T")

_ACTOR: Final[ContextVar[str | None]] = ContextVar("agentmem_actor", default=None)

_RUN: Final[ContextVar[str | None]] = ContextVar("agentmem_run_by", default=None)


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """Let everything within act as somebody else than the user whose memory it is: `authorize` is asked about them.

    It holds in what is awaited within, in tasks that are begun within, and in the executor; nothing else changes it.

    Args:
        actor: A name that `authorize` knows, such as `support-7`: text as of a user id.

    Raises:
        ScopeError: It is empty, too long, or holds NUL or a lone surrogate.

    Example:
        ```python
        with acting_as("support-7"):
            memory.long_term.recall("what does she drink?", scope=alice)
        ```
    """
    token = _ACTOR.set(check_id("actor", actor))
    try:
        yield
    finally:
        _ACTOR.reset(token)


def acting_flow(actor: str, flow: Flow[T]) -> Flow[T]:
    """Let a flow act as somebody, whoever drives it; see `acting_as`."""
    before = _ACTOR.get()
    _ACTOR.set(actor)
    try:
        return (yield from flow)
    finally:
        _ACTOR.set(before)


def run_by_flow(actor: str | None, flow: Flow[T]) -> Flow[T]:
    """Drive a flow for a run of LangGraph's that names who acts, its user, or nobody: "".

    Args:
        actor: Whom the run names; `None`: it is done for no run.
        flow: What is done for it.
    """
    before = _RUN.get()
    _RUN.set(actor)
    try:
        return (yield from flow)
    finally:
        _RUN.set(before)


def run_actor() -> str | None:
    """Return whom the run names that something is done for; `None`: it is done for no run."""
    return _RUN.get()


def named_actor() -> str | None:
    """Return who acts by the code around this call; `None`: it does not say."""
    return _ACTOR.get()
