"""`agentmem approvals`: what waits for a person, and their word on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import typer
from typer import Argument, Option

from langchain_agentmem.cli.places import memory_at
from langchain_agentmem.cli.program import CHANGING, UNMET, AsJson, Place, Tenant, User, app, emit, screen, taking
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Approval, ApprovalDecision, ApprovalOutcome, Scope

_LISTED: Final = 1_000

approvals = typer.Typer(help="See what waits for approval; approve it, approve it in other words, or reject it.")
app.add_typer(approvals, name="approvals", rich_help_panel=CHANGING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """Options of the commands that decide.

    Raises:
        ConfigurationError: Nothing says which are meant, or both do.
    """

    place: Annotated[str, Argument(metavar="PLACE", help="A SQLite file, a URL, or a configuration (agentmem.yaml).")]
    user: Annotated[str, Option(help="Whose memory.")]
    by: Annotated[str, Option(help="Who decides, as the log is to tell it.")]
    ids: Annotated[list[str] | None, Argument(metavar="ID...", help="Which, as `list` shows them; or --all.")] = None
    everything: Annotated[bool, Option("--all", help="Every one that waits.")] = False
    reason: Annotated[str | None, Option(help="Written to the log; no content.")] = None
    agent: Annotated[str | None, Option(help="Also what this agent would remember.")] = None
    tenant: Annotated[str, Option(help="The user's tenant.")] = "default"
    as_json: Annotated[bool, Option("--json", help="As JSON, for programs.")] = False

    def __post_init__(self) -> None:
        """Refuse what is not clear."""
        if bool(self.ids) == self.everything:
            msg = "say which are meant: their ids after PLACE, or --all"
            raise ConfigurationError(msg)

    @property
    def scope(self) -> Scope:
        """Whose memories they are."""
        return Scope(self.user, tenant_id=self.tenant, agent_id=self.agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """Options of `edit`."""

    place: Place
    user: User
    approval: Annotated[str, Argument(metavar="ID", help="Which, as `list` shows it.")]
    content: Annotated[str, Option(help="What is to be remembered in its place.")]
    by: Annotated[str, Option(help="Who decides, as the log is to tell it.")]
    tenant: Tenant = "default"
    as_json: AsJson = False

    def as_word(self) -> Word:
        """Return which is meant, and by whom it is decided."""
        word = Word(place=self.place, user=self.user, by=self.by, ids=[self.approval])
        return replace(word, tenant=self.tenant, as_json=self.as_json)


@approvals.command("list")
def list_(
    place: Place,
    user: User,
    tenant: Tenant = "default",
    agent: Annotated[str | None, Option(help="Also what this agent would remember.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show what waits, who proposed it, and what it would take the place of; the latest first."""
    with memory_at(place, only_looks=True) as memory:
        page = memory.approvals.list(scope=Scope(user, tenant_id=tenant, agent_id=agent), limit=_LISTED)
    if as_json:
        emit([_told(it) for it in page])
        return
    if not page:
        screen().note(f"nothing of {user} waits for approval")
    for it in page:
        until = "" if it.expires_at is None else f"until {it.expires_at:%Y-%m-%d %H:%M}"
        screen().entry((it.id, it.memory.kind, _proposer(it), until, it.reason), it.memory.content)
        for old in it.would_supersede:
            screen().note(f"  it would take the place of {old.id}: {old.content}")


@approvals.command()
@taking(Word)
def approve(word: Word) -> None:
    """Let what waits be remembered."""
    _decide(word, lambda it: it.approve(word.reason))


@approvals.command()
@taking(Word)
def reject(word: Word) -> None:
    """Let what waits not be remembered."""
    _decide(word, lambda it: it.reject(word.reason))


@approvals.command()
@taking(Rewording)
def edit(word: Rewording) -> None:
    """Let what waits be remembered in other words."""
    _decide(word.as_word(), lambda it: it.edit(word.content))


def _decide(word: Word, say: Callable[[Approval], ApprovalDecision]) -> None:
    """Write decisions; where one of them was not followed, the exit code says so."""
    with memory_at(word.place) as memory:
        decided = [say(it) for it in _meant(memory, word)]
        outcomes = memory.approvals.decide(decided, scope=word.scope, decided_by=word.by) if decided else ()
    if word.as_json:
        emit([{"id": it.id, "verdict": it.verdict, "rule": it.rule, "reason": it.reason} for it in outcomes])
    else:
        _tell(word, outcomes)
    if any(it.verdict in {"refused", "expired"} for it in outcomes):
        raise typer.Exit(UNMET)


def _meant(memory: AgentMemory, word: Word) -> list[Approval]:
    waiting = {it.id: it for it in memory.approvals.list(scope=word.scope, limit=_LISTED)}
    unknown = [it for it in word.ids or () if it not in waiting]
    if unknown:
        msg = f"{unknown[0]!r} does not wait for approval; `approvals list` shows what does"
        raise ConfigurationError(msg)
    return [it for it in waiting.values() if word.everything or it.id in (word.ids or ())]


def _tell(word: Word, outcomes: Sequence[ApprovalOutcome]) -> None:
    if not outcomes:
        screen().note(f"nothing of {word.user} waits for approval")
    for it in outcomes:
        is_done = it.verdict in {"approved", "rejected"}
        screen().verdict(is_good=is_done, text=f"{it.id} {it.verdict}: {it.reason}")


def _proposer(approval: Approval) -> str:
    by = approval.proposed_by
    return by.speaker if by.agent_id is None else f"{by.agent_id} ({by.speaker})"


def _told(approval: Approval) -> dict[str, object]:
    return {
        "id": approval.id,
        "kind": approval.memory.kind,
        "content": approval.memory.content,
        "evidence": approval.evidence,
        "rule": approval.rule,
        "reason": approval.reason,
        "would_supersede": [it.id for it in approval.would_supersede],
        "proposed_by": _proposer(approval),
        "asked_at": approval.asked_at,
        "expires_at": approval.expires_at,
    }
