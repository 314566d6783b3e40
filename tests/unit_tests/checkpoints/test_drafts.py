"""Drafts of checkpoints, on a thread that changed since they were begun."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from langchain_agentmem.checkpoints.base import ThreadState
from langchain_agentmem.checkpoints.drafts import OutdatedError, PutDraft
from langchain_agentmem.checkpoints.guard import Move
from langchain_agentmem.errors import ConflictError

SEAL: Any = SimpleNamespace(thread_id="t", owner=None)


def draft(move: Move, **fields: Any) -> PutDraft:
    """Return a draft of a checkpoint that takes over a channel from its parent."""
    given: dict[str, Any] = {"kept": {"messages": b"1"}, "generation": 1, "guards": True, **fields}
    nothing: Any = None
    return PutDraft(
        seal=SEAL,
        known=nothing,
        move=move,
        codec=nothing,
        checkpoint={},
        metadata={},
        shapes={},
        labels=frozenset(),
        **given,
    )


def test_nothing_is_taken_over_from_before_a_pruning() -> None:
    """What the draft refers to may be gone: it is drafted anew."""
    state = ThreadState(generation=2, heads={"": "a"})
    with pytest.raises(OutdatedError) as raised:
        draft(Move("", "b", "a", is_run=True)).rows(state, None)  # type: ignore[arg-type]  # it numbers nothing
    assert raised.value.is_retryable


@pytest.mark.parametrize("guards", [True, False])
def test_a_thread_that_is_gone_has_no_branch(guards: bool) -> None:  # noqa: FBT001
    """Of a run that goes on from what was deleted there is nothing to branch off from, whatever is asked for."""
    with pytest.raises(ConflictError, match="was deleted or pruned") as raised:
        draft(Move("", "b", "a", is_run=True), guards=guards).rows(ThreadState(), None)  # type: ignore[arg-type]
    assert not isinstance(raised.value, OutdatedError)
