"""Calls to a vector store whose errors are anybody's: here they become ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from langchain_agentmem._away import is_passing
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError, StorageError

T = TypeVar("T")


def guarded(flow: Flow[T]) -> Flow[T]:
    """Wait for a store.

    Raises:
        StorageError: It failed.
    """
    try:
        return (yield from flow)
    except AgentMemError:
        raise
    except Exception as error:  # every store has errors of its own
        raise _storage_error(error) from error


def translating(call: Callable[..., T], *args: Any) -> T:
    """Call a store at once.

    Raises:
        StorageError: It failed.
    """
    try:
        return call(*args)
    except AgentMemError:
        raise
    except Exception as error:  # every store has errors of its own
        raise _storage_error(error) from error


def _storage_error(error: Exception) -> StorageError:
    """Say what failed without the store's own words, which may quote what it was given."""
    msg = (
        f"the vector store failed with {type(error).__name__}; see the cause, and repeat the call if it is passing; "
        "long_term.rebuild_index() makes anew what is gone"
    )
    return StorageError(msg, is_retryable=is_passing(error))
