"""Memories, what may become one, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem._checks import (
    check_choice,
    check_count,
    check_flag,
    check_instance,
    check_interval,
    check_labels,
    check_text,
    check_time,
    check_unit,
)
from langchain_agentmem.errors import ConfigurationError, ConsentError, GovernanceError
from langchain_agentmem.types.goals import GoalProgress
from langchain_agentmem.types.scope import Scope
from langchain_agentmem.types.showing import briefly

StatedKind: TypeAlias = Literal["fact", "preference", "outcome", "constraint", "goal"]
"""Kinds of what can be remembered; an episode is a turn of a conversation, which is kept as it was said."""

Kind: TypeAlias = Literal[StatedKind, "episode"]
Kinds: TypeAlias = Kind | Sequence[Kind]
"""Which kinds are meant: one alone, or several."""

Source: TypeAlias = Literal["explicit", "inferred", "learned", "merged"]
Status: TypeAlias = Literal["pending", "active", "superseded", "archived", "erased"]
Speaker: TypeAlias = Literal["user", "assistant", "tool", "system", "application"]
Verdict: TypeAlias = Literal["written", "merged", "pending", "refused"]
TrustClass: TypeAlias = Literal["user", "application", "system", "tool", "document", "agent", "assistant", "web"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
STATED_KINDS: Final[tuple[StatedKind, ...]] = get_args(StatedKind)
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
SPEAKERS: Final[tuple[Speaker, ...]] = get_args(Speaker)
TRUST_CLASSES: Final[tuple[TrustClass, ...]] = get_args(TrustClass)

LIVE_STATUSES: Final[tuple[Status, ...]] = ("active", "pending")
"""In force, or about to be."""

KEPT_STATUSES: Final[tuple[Status, ...]] = (*LIVE_STATUSES, "superseded", "archived")
"""Those whose words are still there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a memory comes from.

    Args:
        speaker: Who said it; `application` where a program called `remember` itself.
        message_ids: Messages it was taken from.
        evidence: The words of the source that support it; "…" stands for words between them that say something else.
        run_id: The run in which it was written.
        tools: Names of tools whose answer it is, or had been read by whoever said it; the runtime's, never the text's.
        trust_class: What sort of source it comes from, the least trusted of all; `None`: as speaker and tools tell.
    """

    __repr__ = briefly("speaker")

    speaker: Speaker = "application"
    message_ids: tuple[str, ...] = ()
    evidence: str | None = field(default=None, repr=False)
    run_id: str | None = None
    tools: tuple[str, ...] = ()
    trust_class: TrustClass | None = None

    def __post_init__(self) -> None:
        """Check the closed sets and the text."""
        check_choice("speaker", self.speaker, SPEAKERS)
        for name in ("message_ids", "tools"):
            object.__setattr__(self, name, check_labels(name, getattr(self, name)))
        if self.trust_class is not None:
            check_choice("trust_class", self.trust_class, TRUST_CLASSES)
        for name in ("evidence", "run_id"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))


UNTOLD: Final = Provenance()
"""Of what a program said itself, and no more than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One fact of the ledger, as it stands now.

    Attributes:
        trust: How far the source is believed, in [0, 1]; of a derived memory the minimum over its sources.
        valid_at: From when it is true of the world (`None`: always was); `invalid_at`: until when.
        created_at: When this system learned it; `expired_at`: when it stopped believing it.
        expires_at: When it is to be forgotten in any case. `faded_at`: when it faded: until it is used, it ranks lower.
        supersedes: Ids of the memories it replaced, or, while it is pending, is meant to replace.
        links: Ids of near but different ones. `contradicts`: ids of those that say otherwise and were not replaced.
        goal: How far it has come, of a goal whose progress is kept.
        held_by: Rule by which it waits, while it is pending.
        sightings: How often independent evidence for it was seen.
        revision: Number of the last event of the log that changed it.
    """

    __repr__ = briefly()

    id: str
    scope: Scope
    kind: Kind
    content: str = field(repr=False)
    confidence: float
    importance: float
    source: Source
    trust: float = 1.0
    status: Status = "active"
    subject: str | None = field(default=None, repr=False)
    relation: str | None = field(default=None, repr=False)
    object: str | None = field(default=None, repr=False)
    tags: tuple[str, ...] = field(default=(), repr=False)
    purposes: tuple[str, ...] = ()
    legal_basis: str | None = None
    provenance: Provenance = UNTOLD
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    created_at: datetime
    expired_at: datetime | None = None
    expires_at: datetime | None = None
    faded_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    goal: GoalProgress | None = None
    pinned: bool = False
    held_by: str | None = None
    sightings: int = 1
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may become a memory; the write policy decides.

    Args:
        content: The statement, in words that stand alone ("Alice prefers Python for backend services").
        kind: Any but `episode`: that is a turn of a conversation.
        confidence: In [0, 1]; how sure the extractor or caller is.
        importance: In [0, 1]; `None`: by kind and source.
        is_correction: The user corrected something said before; conflicting memories are superseded.
        corrects: What was said before and is corrected by this, in the words in which it is remembered.
        supersedes: Ids of memories that this one certainly replaces.
        goal: How far it has come, of kind `goal` only; `None`: no progress is kept.
        began: Of a turn that ends later, where the user's log stood when it began (`Memory.revision` counts the same):
            what they asked to forget since is not kept. `None`: it is told now.

    Raises:
        ConfigurationError: A field is outside its set or range, a datetime is naive, or the content cannot be stored.
    """

    __repr__ = briefly("kind")

    content: str = field(repr=False)
    kind: Kind = "fact"
    source: Source = "explicit"
    confidence: float = 0.9
    importance: float | None = None
    trust: float | None = None
    subject: str | None = field(default=None, repr=False)
    relation: str | None = field(default=None, repr=False)
    object: str | None = field(default=None, repr=False)
    tags: tuple[str, ...] = field(default=(), repr=False)
    purposes: tuple[str, ...] = ()
    legal_basis: str | None = None
    provenance: Provenance = UNTOLD
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expires_at: datetime | None = None
    is_correction: bool = False
    corrects: str | None = field(default=None, repr=False)
    supersedes: tuple[str, ...] = ()
    goal: GoalProgress | None = None
    pinned: bool = False
    began: int | None = None

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        check_text("content", self.content)
        _check_stated(self.kind)
        check_choice("source", self.source, SOURCES)
        object.__setattr__(self, "confidence", check_unit("confidence", self.confidence))
        for name in ("importance", "trust"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_unit(name, getattr(self, name)))
        for name in ("subject", "relation", "object", "legal_basis"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name), max_chars=1_000)
        for name in ("tags", "purposes", "supersedes"):
            object.__setattr__(self, name, check_labels(name, getattr(self, name)))
        for name in ("valid_at", "invalid_at", "expires_at"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_time(name, getattr(self, name)))
        check_interval(self.valid_at, self.invalid_at)
        if self.corrects is not None:
            check_text("corrects", self.corrects)
        check_instance("provenance", self.provenance, Provenance, "Provenance(speaker='user')")
        for name in ("is_correction", "pinned"):
            check_flag(name, getattr(self, name))
        if self.goal is not None:
            _check_goal(self.goal, self.kind)
        if self.began is not None:
            check_count("began", self.began, 0)


def _check_stated(kind: object) -> None:
    if kind == "episode":
        msg = (
            "kind 'episode' is that of turns of conversations, which histories, graphs and `memory.episodes.ingest` "
            f"keep; a statement is one of {', '.join(STATED_KINDS)}"
        )
        raise ConfigurationError(msg)
    check_choice("kind", kind, STATED_KINDS)


def _check_goal(goal: object, kind: Kind) -> None:
    check_instance("goal", goal, GoalProgress)
    if kind != "goal":
        msg = f"goal is the progress of a memory of kind 'goal', got kind {kind!r}; pass kind='goal', or no goal"
        raise ConfigurationError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of a candidate, and why.

    Attributes:
        verdict: `written` (new), `merged` (an existing memory was confirmed), `pending` (kept, but not recalled until
            it is supported), or `refused`.
        rule: Name of the rule that decided; `accepted` where none objected.
        reason: A sentence for the user; it never quotes what was refused.
        superseded: Ids of memories that this one replaced. `linked`: ids of near but different ones.
    """

    __repr__ = briefly()

    verdict: Verdict
    rule: str
    reason: str
    memory: Memory | None = None
    superseded: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether nothing was kept."""
        return self.verdict == "refused"

    def require(self) -> Memory:
        """Return the memory, where the caller cannot go on without it.

        Raises:
            ConsentError: The user has not consented.
            GovernanceError: Another rule refused; `.rule` names it.
        """
        if self.memory is not None:
            return self.memory
        if self.rule == "consent":
            raise ConsentError(self.reason, rule=self.rule)
        raise GovernanceError(self.reason, rule=self.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an action ended: the only thing memory learns from an agent's own behaviour.

    Args:
        action: What was done, as the tool's name and arguments or a short phrase.
        succeeded: Whether it did what it was for.
        detail: What was observed (a tool's error, a user's complaint).
        memory_ids: Memories that guided the action; their confidence follows the outcome.
        provenance: Which messages show it.
        began: As of a `Candidate`.
    """

    __repr__ = briefly()

    action: str = field(repr=False)
    succeeded: bool
    detail: str = field(default="", repr=False)
    memory_ids: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=lambda: Provenance(speaker="tool"))
    began: int | None = None

    def __post_init__(self) -> None:
        """Check the text."""
        check_text("action", self.action, max_chars=2_000)
        check_flag("succeeded", self.succeeded)
        if self.detail != "":
            check_text("detail", self.detail)
        check_instance("provenance", self.provenance, Provenance, "Provenance(speaker='user')")
        object.__setattr__(self, "memory_ids", check_labels("memory_ids", self.memory_ids))
        if self.began is not None:
            check_count("began", self.began, 0)
