"""What the states of a user's tasks tell of what ends: it goes with it, from every conversation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.english.requests.steps import said_of_step
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.evidence import is_supported
from langchain_agentmem.policies.forgotten import Asked, Request, is_turn_forgotten
from langchain_agentmem.policies.sensitive_records import holder_of
from langchain_agentmem.policies.waiting import may_say
from langchain_agentmem.policies.working import is_blank, without_told
from langchain_agentmem.states.base import States
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingSession, WorkingState

Told = Callable[[str], bool]
"""Whether a text tells what ends."""


def end_in_tasks(parts: Parts, scope: Scope, is_told: Told) -> Flow[int]:
    """Take what is told out of the state of each task of the user; return how many states had it.

    No file holds the words then. Under a legal hold nothing is taken out. It follows what was asked about already.
    """
    return (yield from unasked_flow(scope, _end_each(parts, scope, is_told)))


def _end_each(parts: Parts, scope: Scope, is_told: Told) -> Flow[int]:
    if parts.tasks is None or (yield from parts.ledger.read(scope, _is_held)):
        return 0
    states, ended = parts.tasks(), 0
    for session in (yield from _sessions(states, scope)):
        ended += yield from _end(parts, states, replace(scope, agent_id=None, session_id=session.session_id), is_told)
    return ended


def end_task(parts: Parts, scope: Scope) -> Flow[None]:
    """Delete the state of the task of a conversation that has ended, for good; under a legal hold it stays."""
    if parts.tasks is None or (not scope.is_anonymous and (yield from parts.ledger.read(scope, _is_held))):
        return
    is_there = yield from parts.tasks().delete(replace(scope, agent_id=None))
    if is_there and not scope.is_anonymous:
        yield from parts.ledger.append(scope, lambda writer: writer.sensitive.drop(holder_of(scope, "working")))


def has_tasks(parts: Parts, scope: Scope) -> Flow[bool]:
    """Return whether the user has states of tasks, before anything ends.

    Raises:
        StorageError: They cannot be reached (retryable); nothing has ended.
    """
    return parts.tasks is not None and bool((yield from parts.tasks().sessions(scope, limit=1)))


def asked_for(asked: Iterable[Asked], scope: Scope) -> Told:
    """Return what tells whether a text says what the user asks to forget: by the rule for turns, and for steps."""
    requests = [Request.made(it, scope.agent_id, str) for it in asked]
    return lambda text: any(is_turn_forgotten(requests, it, scope) for it in said_of_step(text))


def evidence_of(memories: Sequence[Memory]) -> Told:
    """Return what tells whether a text could be the evidence of a memory: by the rule for turns that wait."""
    return lambda text: any(may_say(text, it) for it in memories)


def quoted_from(turns: Sequence[str]) -> Told:
    """Return what tells whether a text quotes turns, or could have been taken from them."""
    read = [in_one_line(it) for it in turns]

    def is_told(text: str) -> bool:
        said = in_one_line(text).rstrip("\u2026. ")
        return any(said in it for it in read) or any(is_supported(text, it) for it in turns)

    return is_told


def _end(parts: Parts, states: States, scope: Scope, is_told: Told) -> Flow[int]:
    found = yield from states.read(scope, prolongs=False)
    if found is None or (left := without_told(found.state, is_told)) == found.state:
        return 0
    if is_blank(left):
        yield from states.delete(scope)
    else:
        left = (yield from states.change(scope, partial(_left, left=left, is_told=is_told), erases=True)).state
    if not scope.is_anonymous:  # what the tokens stood for that are told no more goes with them
        words = json.dumps(left.to_dict(), ensure_ascii=False)
        yield from parts.ledger.append(
            scope, lambda writer: writer.sensitive.drop(holder_of(scope, "working"), left=words)
        )
    return 1


def _left(now: WorkingState | None, *, left: WorkingState, is_told: Told) -> WorkingState:
    """Return what is stored; where the state ended just now, it begins anew with what was left."""
    return replace(left, version=0, started_at=None, updated_at=None) if now is None else without_told(now, is_told)


def _sessions(states: States, scope: Scope) -> Flow[list[WorkingSession]]:
    found: list[WorkingSession] = []
    last: LastUsed | None = None
    while page := (yield from states.sessions(scope, before=last)):
        found += page
        last = LastUsed.of(page[-1])
    return found


def _is_held(reader: LedgerReader) -> bool:
    return reader.head.is_held
