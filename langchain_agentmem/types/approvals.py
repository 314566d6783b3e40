"""What waits for a person's word, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from langchain_agentmem._checks import check_choice, check_count, check_instance, check_text
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types.memories import Memory, Speaker
from langchain_agentmem.types.showing import briefly

ApprovalVerdict: TypeAlias = Literal["approve", "edit", "reject"]
ApprovalResult: TypeAlias = Literal["approved", "rejected", "refused", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposer:
    """Who proposed a memory, as the run said it: never as a model did.

    Attributes:
        agent_id: The agent whose memory it would be; `None`: what the user's agents share.
        run_id: Of the graph's run. `session_id`: the conversation.
        speaker: Whose words it was taken from.
    """

    agent_id: str | None = None
    run_id: str | None = None
    session_id: str | None = None
    speaker: Speaker = "application"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecision:
    """What a person says of one memory that waits; `Approval.approve`, `.edit` and `.reject` make it.

    Args:
        id: Of the approval.
        verdict: `approve`; `edit`: approve it in other words; `reject`.
        content: The other words.
        reason: For `why`.
        version: Where the log stood when the decider saw it: where the memory says something else since then, nothing
            is decided. `None`: decide on whatever it says.

    Raises:
        ConfigurationError: A field is outside its set, or content is missing, or given where nothing is edited.
    """

    id: str
    verdict: ApprovalVerdict
    content: str | None = field(default=None, repr=False)
    reason: str | None = field(default=None, repr=False)
    version: int | None = None

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        check_text("id", self.id, max_chars=512)
        check_choice("verdict", self.verdict, ("approve", "edit", "reject"))
        for name in ("content", "reason"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))
        if (self.verdict == "edit") != (self.content is not None):
            msg = f"content goes with verdict 'edit' and with no other, got verdict {self.verdict!r}"
            raise ConfigurationError(msg)
        if self.version is not None:
            check_count("version", self.version, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A memory that waits for a person's word.

    Attributes:
        id: Of the memory. `memory`: as it would be.
        rule: Why it waits: `approval`, where the approval policy asks; `contradiction`, where it contradicts what
            stands and is less trusted.
        reason: The same in words.
        would_supersede: What it takes the place of once it is approved.
        proposed_by: Whom it comes from.
        expires_at: When nothing can be decided any more; `None`: never.
        version: Of what is to be decided.
    """

    __repr__ = briefly()

    id: str
    memory: Memory
    rule: str
    reason: str
    would_supersede: tuple[Memory, ...] = ()
    proposed_by: Proposer = field(default_factory=Proposer)
    asked_at: datetime
    expires_at: datetime | None = None
    version: int = 0

    @property
    def evidence(self) -> str | None:
        """The words it was taken from, where they are known."""
        return self.memory.provenance.evidence

    def approve(self, reason: str | None = None) -> ApprovalDecision:
        """Let it be remembered."""
        return ApprovalDecision(id=self.id, verdict="approve", reason=reason, version=self.version)

    def edit(self, content: str, reason: str | None = None) -> ApprovalDecision:
        """Let it be remembered in other words."""
        return ApprovalDecision(id=self.id, verdict="edit", content=content, reason=reason, version=self.version)

    def reject(self, reason: str | None = None) -> ApprovalDecision:
        """Let it not be remembered."""
        return ApprovalDecision(id=self.id, verdict="reject", reason=reason, version=self.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalOutcome:
    """What became of one decision.

    Attributes:
        verdict: `approved` or `rejected`; `refused`: a rule objects, and it waits on; `expired`: it was too late.
        rule: Name of the rule that decided.
        superseded: Ids of what it took the place of.
    """

    __repr__ = briefly()

    id: str
    verdict: ApprovalResult
    rule: str
    reason: str
    memory: Memory | None = None
    superseded: tuple[str, ...] = ()


def check_decisions(given: object) -> tuple[ApprovalDecision, ...]:
    """Return decisions, one or several, each about another memory.

    Raises:
        ConfigurationError: There is none, one is of another type, or two are about the same memory.
    """
    decisions = [given] if isinstance(given, ApprovalDecision) else [*given] if isinstance(given, Iterable) else []
    if not decisions:
        msg = f"approvals must be one ApprovalDecision or more, got {type(given).__name__}; for example [it.approve()]"
        raise ConfigurationError(msg)
    for each in decisions:
        check_instance("approvals", each, ApprovalDecision, "it.approve(), of an approval that approvals.list() has")
    ids = [it.id for it in decisions]
    twice = sorted({it for it in ids if ids.count(it) > 1})
    if twice:
        msg = f"approvals decide {twice[0]!r} twice; decide each once"
        raise ConfigurationError(msg)
    return tuple(decisions)
