"""Working states from one store to another, into a file, and out of it: all that a user has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from langchain_agentmem._checks import check_flag, check_instance
from langchain_agentmem._flow import Flow, flows_of, work
from langchain_agentmem.errors import AgentMemError, ConfigurationError, ConflictError
from langchain_agentmem.sessions.base import check_owner
from langchain_agentmem.transfer.envelope import SEALED_WORKING, Envelope
from langchain_agentmem.transfer.lines import Seal
from langchain_agentmem.transfer.sealed import NewFile, damaged, of_version, open_lines, read_sealed
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import MAX_LIMIT, every_flow
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.working.flows import WorkingFlows
from langchain_agentmem.working.service import WorkingMemory

FORMAT: Final = "langchain-agentmem/working"
VERSION: Final = 1
NO_VAULT: Final = "the working memory has no vault to seal an export with; pass sealed=False, or open it with vault="
NO_VAULT_HERE: Final = "the export is sealed; import it into a working memory that has the vault with its user's key"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingTransfer:
    """An account of moved states: `found` is the sum of the others.

    Attributes:
        added: States that were put, or would be. `present`: those that the target had already, just so.
        refused: Conversations whose task went another way in the target; it stays there as it is.
    """

    found: int = 0
    added: int = 0
    present: int = 0
    refused: tuple[str, ...] = ()
    dry_run: bool = False


def copy_states(source: WorkingMemory, target: WorkingMemory, scope: Scope, *, dry_run: bool) -> Flow[WorkingTransfer]:
    """Copy a user's states; see `copy_working`."""
    check_instance("source", source, WorkingMemory)
    check_instance("target", target, WorkingMemory)
    check_owner(scope)
    return (
        yield from put_states(
            flows_of(target), scope, (yield from all_states(flows_of(source), scope)), dry_run=dry_run
        )
    )


def write_states(
    working: WorkingMemory, scope: Scope, path: Path, *, sealed: bool | None = None
) -> Flow[WorkingTransfer]:
    """Write a user's states into a file; see `export_working`."""
    check_instance("working", working, WorkingMemory)
    check_owner(scope)
    cipher = None if sealed is False else (yield from flows_of(working).cipher(scope))
    if sealed and cipher is None:
        raise ConfigurationError(NO_VAULT)
    states = yield from all_states(flows_of(working), scope)
    seal, envelope = Seal(), None if cipher is None else Envelope(cipher, uuid4().hex)
    file = yield from work(NewFile, path)
    try:
        for body in _bodies(states, envelope):
            yield from work(file.write, seal.close(body))
        yield from work(file.finish)
    finally:
        file.discard()
    return WorkingTransfer(found=len(states), added=len(states))


def read_states(working: WorkingMemory, path: Path, scope: Scope, *, dry_run: bool) -> Flow[WorkingTransfer]:
    """Read a user's states from a file; see `import_working`."""
    check_instance("working", working, WorkingMemory)
    check_owner(scope)
    header, *bodies = yield from work(read_sealed, path, _check_header, "states")
    if header["format"] == SEALED_WORKING:
        cipher = yield from flows_of(working).cipher(scope)
        if cipher is None:
            raise ConfigurationError(NO_VAULT_HERE)
        envelope = Envelope(cipher, str(header.get("export")))
        bodies = yield from work(open_lines, path, envelope, _layer(len(bodies)), bodies)
    states = dict(_states(path, bodies))  # one that cannot be read shows before anything is put
    return (yield from put_states(flows_of(working), scope, states, dry_run=dry_run))


def all_states(working: WorkingFlows, scope: Scope) -> Flow[dict[str, WorkingState]]:
    """Return every state of a user by its conversation, the one changed last at the end; nothing is prolonged."""
    states: dict[str, WorkingState] = {}

    def keep(name: str, state: WorkingState) -> Flow[None]:
        yield from ()
        states[name] = state

    yield from each_state(working, scope, keep)
    return states


def each_state(working: WorkingFlows, scope: Scope, take: Callable[[str, WorkingState], Flow[None]]) -> Flow[None]:
    """Give every state of a user with its conversation, one after the other; see `all_states`."""
    found = yield from every_flow(partial(working.sessions, scope, MAX_LIMIT))
    for session in reversed(found):
        stored = yield from working.load(replace(scope, session_id=session.session_id), "frozen")
        if stored is not None:  # else it has ended since
            yield from take(session.session_id, stored.state)


def put_states(
    target: WorkingFlows, scope: Scope, states: Mapping[str, WorkingState], *, dry_run: bool
) -> Flow[WorkingTransfer]:
    """Put what is not there; what is there stays."""
    check_flag("dry_run", dry_run)
    present, refused = 0, []
    for session_id, state in states.items():
        if scope.is_anonymous and session_id != scope.session_id:  # it is another visitor's
            refused.append(session_id)
            continue
        place = replace(scope, session_id=session_id)
        there = yield from target.load(place, "frozen")
        if there is not None and _content(there.state) == _content(state):
            present += 1
        elif there is not None or not (dry_run or (yield from _put(target, place, state))):
            refused.append(session_id)
    added = len(states) - present - len(refused)
    return WorkingTransfer(found=len(states), added=added, present=present, refused=tuple(refused), dry_run=dry_run)


def _put(target: WorkingFlows, scope: Scope, state: WorkingState) -> Flow[bool]:
    """Begin a state as it was elsewhere, unless somebody began another one just now; return whether it is stored."""

    def begun(before: WorkingState | None) -> WorkingState:
        if before is not None:
            msg = "the conversation has a working state by now; import it again"
            raise ConflictError(msg)
        return state

    try:
        yield from target.change(scope, begun)
    except ConflictError as error:
        if error.is_retryable:
            raise
        return False
    return True


def _content(state: WorkingState) -> WorkingState:
    """Return a state without what only says how it is stored."""
    return replace(state, version=0, started_at=None, updated_at=None)


def _bodies(states: Mapping[str, WorkingState], envelope: Envelope | None) -> Iterator[Mapping[str, Any]]:
    """Return what the lines of a file say, or what they say where it is sealed."""
    clear = {} if envelope is None else envelope.clear_header(VERSION, SEALED_WORKING)
    yield {"format": FORMAT, "version": VERSION, "states": len(states), **clear}
    for number, (name, state) in enumerate(states.items(), 2):
        said = {"session": name, "state": state.to_dict()}
        yield said if envelope is None else envelope.close(number, _layer(len(states)), said)


def _layer(count: int) -> str:
    """Return what the states of a file that has so many are sealed as."""
    return f"working/{count}"


def _states(path: Path, bodies: list[dict[str, Any]]) -> Iterator[tuple[str, WorkingState]]:
    seen: set[str] = set()
    for number, body in enumerate(bodies, 2):
        try:
            name = Scope("anybody", session_id=body["session"]).session_id or ""
            state = WorkingState.from_dict(body["state"])
        except (KeyError, TypeError, AgentMemError) as error:
            raise damaged(path, number, f"it is no working state ({type(error).__name__})") from error
        if name in seen:
            raise damaged(path, number, "its conversation stands in a line before it")
        seen.add(name)
        yield name, state


def _check_header(path: Path, header: dict[str, Any]) -> None:
    if (
        header.get("format") not in {FORMAT, SEALED_WORKING}
        or not isinstance(header.get("states"), int)
        or "version" not in header
    ):
        raise damaged(path, 1, "it is no header of exported working states")
    if header["version"] != VERSION:
        raise of_version(path, header["version"], VERSION)
