"""Who may put what on which head.

A read hands out a *marker* with the checkpoint it found, and LangGraph carries it through the run into every put. So a
put tells what its run has seen: whether it goes on from what was the latest, or from a checkpoint that was named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final, Literal, NamedTuple

from langchain_agentmem.errors import ConflictError

MARKER: Final = "__agentmem_read"
"""Key in `configurable`; LangChain copies keys that begin so into no metadata and no trace."""

_REPLAY_KEY: Final = "__pregel_replay_state"
"""LangGraph sets it in the subgraphs of a run that begins at a checkpoint that was named."""

Kind = Literal["latest", "fork"]


class Marker(NamedTuple):
    """What a run has read of its thread.

    Attributes:
        kind: `latest`: it asked for the head; `fork`: it asked for this very checkpoint.
        ns: In which namespace: the runs of subgraphs carry the marker of their parents.
    """

    kind: str
    ns: str
    id: str


_BEGINNING: Final = Marker("fork", "", "")


def write_marker(kind: Kind, thread_id: str, ns: str, checkpoint_id: str) -> str:
    """Return a marker as it stands in `configurable`."""
    return f"[{', '.join(map(encode_basestring_ascii, (thread_id, kind, ns, checkpoint_id)))}]"  # as `json.dumps` does


def read_marker(configurable: Mapping[str, Any], thread_id: str) -> Marker | None:
    """Return what a run has read of this thread, in whatever namespace, if it says so."""
    value = configurable.get(MARKER)
    of_thread, marker = _parsed(value) if isinstance(value, str) else (None, None)
    return marker if of_thread == thread_id else None


@lru_cache(maxsize=256)
def _parsed(value: str) -> tuple[object, Marker | None]:
    """Return of which thread a marker is, and what it says; it is the same text in all puts of a run."""
    try:
        of_thread, *marker = json.loads(value)
        return of_thread, Marker(*marker)
    except (TypeError, ValueError):
        return None, None


def marker_of(read: Marker | None, configurable: Mapping[str, Any], ns: str) -> Marker | None:
    """Return what a run has read in a namespace, given what it says it has read.

    A subgraph inside a replay that found nothing from before it begins anew, whatever came later: as on purpose as a
    branch.
    """
    if read is not None and read.ns == ns:
        return read
    return None if configurable.get(_REPLAY_KEY) is None else _BEGINNING._replace(ns=ns)


class Move(NamedTuple):
    """A put: a checkpoint on top of another.

    Attributes:
        is_run: Whether a graph's run does it, and not someone who uses the API.
    """

    ns: str
    id: str
    parent_id: str | None
    marker: Marker | None = None
    is_run: bool = False


def is_conflict(move: Move, head: str | None) -> bool:
    """Return whether someone else wrote since the run read.

    Who uses the API without a run may put anything anywhere. So may a copy, which has no parent though its maker read
    something, and the first put on a checkpoint that was asked for by its id. A put that is repeated is no conflict.
    """
    if head is None:
        return move.parent_id is not None and (move.is_run or move.marker is not None)
    if head in {move.id, move.parent_id}:
        return False
    if move.marker is None:
        return move.is_run
    is_copy = move.parent_id is None
    is_fork = move.marker.kind == "fork" and move.marker.id == move.parent_id
    return not (is_copy or is_fork)


def next_head(move: Move, head: str | None, *, is_in_conflict: bool) -> str:
    """Return the head after a put.

    What goes on from the head becomes it, whatever the clock of its machine says; so does what a run branches off on
    purpose. Anything else does only if its id is later.
    """
    is_branch = move.marker is not None and move.parent_id is not None
    is_intended = not is_in_conflict and (move.is_run or is_branch)
    if head is None or head == move.parent_id or is_intended:
        return move.id
    return max(head, move.id)


def conflict(thread_id: str, move: Move, head: str | None) -> ConflictError:
    """Return the error for a put that came too late."""
    place = f"thread {thread_id!r}" + (f", namespace {move.ns!r}" if move.ns else "")
    happened = "was deleted or pruned" if head is None else f"is at checkpoint {head!r}"
    return ConflictError(
        f"{place} {happened} since this run read {move.parent_id!r}; run again on the new state, let runs take turns "
        "with saver.lease(thread_id), or keep both as branches with on_conflict='fork'"
    )


def deleted(thread_id: str) -> ConflictError:
    """Return the error for what a run still writes to a thread that is not there any more."""
    return ConflictError(
        f"thread {thread_id!r} was deleted, or expired, while a run of it was on its way, and what the run still "
        "writes does not begin it anew; run again if that is wanted, or take saver.lease(thread_id) for runs and for "
        "deleting"
    )
