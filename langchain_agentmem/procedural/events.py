"""What policies and skills did, in the user's log: which one, in which version, and how it ended. No arguments.

LangGraph runs a node from its beginning when it goes on after an interrupt. What was logged then is known by its key,
and is not logged again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, NamedTuple

from langchain_core.runnables import RunnableConfig

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.policies.actions import Action
from langchain_agentmem.policies.enforce import ActionCheck, Finding
from langchain_agentmem.procedural.library import Snapshot
from langchain_agentmem.types import Event, MemoryMode, Scope
from langchain_agentmem.types.log import EventType
from langchain_agentmem.types.paging import Order, Page, check_limit

APPLIED: Final[EventType] = "policy_applied"
VIOLATED: Final[EventType] = "policy_violated"
SKILL: Final[EventType] = "skill_applied"
LOGGER: Final = logging.getLogger("langchain_agentmem")

_KEPT: Final = frozenset({APPLIED, VIOLATED, SKILL})
_LISTED: Final = Order("procedural.events", (int,))
_PAGE: Final = 1_000

LOOKED_BACK: Final = 10_000
"""Events among which that of a call that is run again is looked for: more than a log gets while a person is asked."""

Ending = Literal["allowed", "warned", "approved", "rejected", "blocked"]

_STATED: Final[Mapping[str, Ending]] = {
    "allow": "allowed",
    "warn": "warned",
    "ask": "blocked",  # until somebody agrees
    "forbid": "blocked",
}


@dataclass(frozen=True, slots=True)
class Runs:
    """Whose a run is, and which part memory takes in it.

    Args:
        scope_of: For whom a run is.
        mode_of: In which mode of memory.
        effective: The mode for a user, given that of the run.
    """

    scope_of: Callable[[RunnableConfig], Scope]
    mode_of: Callable[[RunnableConfig], MemoryMode]
    effective: Callable[[Scope, MemoryMode | None], MemoryMode]

    def are_logged(self, scope: Scope, config: RunnableConfig | None = None) -> bool:
        """Whether there is a log to write: also where memory is frozen; not where it is off, and not of a visitor."""
        if scope.is_anonymous:
            return False
        return self.effective(scope, None if config is None else self.mode_of(config)) != "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRun:
    """How far a run of a skill has come.

    Args:
        failed_at: Name of the step, where it failed.
    """

    skill: str
    version: int
    status: Literal["started", "completed", "failed"]
    failed_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """One policy applied to one action.

    Args:
        by: Who agreed or did not, where that was told.
        key: Names this application; `None`: nothing tells it from others.
        is_again: Whether the call is run again, so that the log may have it already.
    """

    finding: Finding
    tool: str
    ending: Ending
    by: str | None = None
    key: str | None = None
    is_again: bool = False


class _Logged(NamedTuple):
    """Keys of what is logged already, and how far the log was read."""

    keys: frozenset[str] = frozenset()
    seq: int = 0


def log_flow(ledger: Ledger, scope: Scope, applied: Sequence[Applied], snapshot: Snapshot) -> Flow[None]:
    """Append an event for each application, all in one transaction; one of a call that is run again only once."""
    if not applied:
        return
    wanted = {each.key for each in applied if each.is_again and each.key is not None}
    logged = _Logged()
    if wanted:  # looked for before anything is locked
        logged = yield from ledger.read(scope, lambda reader: _logged(reader, wanted))

    def append(writer: LedgerWriter) -> None:
        late = _keys(writer.events(after=logged.seq), wanted) if wanted else frozenset()
        for each in applied:
            if each.key is None or each.key not in logged.keys | late:
                writer.append(_draft(each, scope, snapshot))

    yield from ledger.append(scope, append)


@dataclass(frozen=True, slots=True)
class SkillLog:
    """Logs the beginning of a run of a skill, and its end."""

    ledger: Ledger
    runs: Runs
    current: Callable[[], Flow[Snapshot]]

    def note_flow(self, ran: SkillRun, config: RunnableConfig) -> Flow[None]:
        """Append an event; what the run did stands where that fails."""
        scope = self.runs.scope_of(config)
        if not self.runs.are_logged(scope, config):
            return
        try:
            draft = _draft_of_skill(ran, scope, (yield from self.current()))
            yield from self.ledger.append(scope, lambda writer: writer.append(draft))
        except Exception as error:  # noqa: BLE001  (whatever a database raises: only the trace of the run is missing)
            LOGGER.warning("a skill was run and could not be logged: %s", type(error).__name__)


def _draft_of_skill(ran: SkillRun, scope: Scope, snapshot: Snapshot) -> Draft:
    known = snapshot.kept.get(ran.skill)
    note = {
        "skill": ran.skill,
        "version": ran.version,
        "revision": known.revision if known is not None and known.record.version == ran.version else "",
        "status": ran.status,
        "failed_at": ran.failed_at,
        "session_id": scope.session_id,
    }
    return Draft(type=SKILL, rule=ran.skill, note=note)


def stated(check: ActionCheck, action: Action, approved: Collection[str] = ()) -> list[Applied]:
    """Return what is logged of a check whose action is none of this package's to run.

    Args:
        check: What the policies say.
        action: To what.
        approved: Names of policies whose approval was given.
    """
    return [
        Applied(finding=finding, tool=action.tool, ending=_stated(finding, check, approved))
        for finding in check.findings
    ]


def _stated(finding: Finding, check: ActionCheck, approved: Collection[str]) -> Ending:
    if finding.effect == "warn" and not check.allowed:
        return "blocked"
    is_approved = finding.effect == "allow" and finding.policy in approved
    return "approved" if is_approved else _STATED[finding.effect]


def logged_flow(ledger: Ledger, scope: Scope, limit: int, cursor: str | None) -> Flow[Page[Event]]:
    """Return a page of the events of policies and skills, the newest first."""
    (before,) = _LISTED.start(cursor) or (None,)
    most = check_limit(limit) + 1
    found = yield from ledger.read(scope, lambda reader: _last(reader, most, before))
    return _LISTED.page(found, limit, lambda it: (it.seq,))


def _last(reader: LedgerReader, limit: int, before: int | None) -> list[Event]:
    found: list[Event] = []
    for page in _pages(reader, before):
        found += [event for event in reversed(page) if event.type in _KEPT]
        if len(found) >= limit:
            break
    return found


def _pages(reader: LedgerReader, end: int | None = None) -> Iterator[list[Event]]:
    """Yield the log in pages, the last one first: all of it, or what is before an event."""
    before = reader.head.seq + 1 if end is None else min(end, reader.head.seq + 1)
    while before > 1:
        after = max(0, before - 1 - _PAGE)
        yield reader.events(after=after, limit=before - 1 - after)
        before = after + 1


def _logged(reader: LedgerReader, wanted: Collection[str]) -> _Logged:
    found: frozenset[str] = frozenset()
    for page in islice(_pages(reader), LOOKED_BACK // _PAGE):
        found |= _keys(page, wanted)
        if len(found) == len(wanted):
            break
    return _Logged(found, reader.head.seq)


def _keys(events: Sequence[Event], wanted: Collection[str]) -> frozenset[str]:
    notes = [event.note for event in events if event.type in {APPLIED, VIOLATED}]
    return frozenset(note["key"] for note in notes if note.get("key") in wanted)


def _draft(applied: Applied, scope: Scope, snapshot: Snapshot) -> Draft:
    finding = applied.finding
    known = snapshot.kept.get(finding.policy)
    note = {
        "policy": finding.policy,
        "version": finding.version,
        "revision": "" if known is None else known.revision,
        "tool": applied.tool,
        "ending": applied.ending,
        "session_id": scope.session_id,
        "by": applied.by,
        "key": applied.key,
    }
    is_violation = applied.ending in {"warned", "rejected", "blocked"}
    return Draft(type=VIOLATED if is_violation else APPLIED, rule=finding.policy, note=note)
