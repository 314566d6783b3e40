"""What policies did, in the user's log: which one, in which version, to which tool, and how it ended. No arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Draft, EventType, Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.policies.enforce import Finding
from langchain_agentmem.procedural.library import Snapshot
from langchain_agentmem.types import Event, Scope

APPLIED: Final[EventType] = "policy_applied"
VIOLATED: Final[EventType] = "policy_violated"
_PAGE: Final = 1_000

Ending = Literal["allowed", "warned", "approved", "rejected", "blocked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """One policy applied to one action; `by` is who agreed or did not, where that was told."""

    finding: Finding
    tool: str
    ending: Ending
    by: str | None = None


def log_flow(ledger: Ledger, scope: Scope, applied: Sequence[Applied], snapshot: Snapshot) -> Flow[None]:
    """Append an event for each application, all in one transaction."""
    drafts = [_draft(each, scope, snapshot) for each in applied]
    if not drafts:
        return

    def append(writer: LedgerWriter) -> None:
        for draft in drafts:
            writer.append(draft)

    yield from ledger.append(scope, append)


def logged_flow(ledger: Ledger, scope: Scope, limit: int) -> Flow[list[Event]]:
    """Return the last events of policies, the newest first."""
    return (yield from ledger.read(scope, lambda reader: _last(reader, limit)))


def _last(reader: LedgerReader, limit: int) -> list[Event]:
    found: list[Event] = []
    before = reader.head.seq + 1
    while before > 1 and len(found) < limit:
        after = max(0, before - 1 - _PAGE)
        page = reader.events(after=after, limit=before - 1 - after)
        found += [event for event in reversed(page) if event.type in {APPLIED, VIOLATED}]
        before = after + 1
    return found[:limit]


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
    }
    is_violation = applied.ending in {"warned", "rejected", "blocked"}
    return Draft(type=VIOLATED if is_violation else APPLIED, rule=finding.policy, note=note)
