"""The nouns of governed memory: records without behaviour beyond their own validity.

All are frozen; an instance that exists is valid. Times are aware UTC datetimes, confidences and scores lie in [0, 1].
Source of the four time fields: Snodgrass, *Developing Time-Oriented Database Applications in SQL*, chapter 10
(valid time: when it is true of the world; transaction time: when this system believed it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, get_args, overload

from langchain_agentmem._checks import (
    check_choice,
    check_flag,
    check_id,
    check_instance,
    check_interval,
    check_kinds,
    check_labels,
    check_text,
    check_time,
    check_unit,
)
from langchain_agentmem.errors import ConfigurationError, ConsentError, GovernanceError, ScopeError

Kind: TypeAlias = Literal["fact", "preference", "outcome", "constraint", "goal", "episode"]
Source: TypeAlias = Literal["explicit", "inferred", "learned", "merged"]
Status: TypeAlias = Literal["pending", "active", "superseded", "archived", "erased"]
Speaker: TypeAlias = Literal["user", "assistant", "tool", "system", "application"]
Verdict: TypeAlias = Literal["written", "merged", "pending", "refused"]
RecallStatus: TypeAlias = Literal["ok", "empty", "skipped", "off", "no_consent", "anonymous", "degraded"]
MemoryMode: TypeAlias = Literal["on", "frozen", "off"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
SPEAKERS: Final[tuple[Speaker, ...]] = get_args(Speaker)


# ------------------------------------------------------------------------------------------------------------- scope
@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory a call is about. Every method of the package takes one; ids are compared exactly.

    Args:
        user_id: The authenticated user; any text without NUL and lone surrogates, at most 512 bytes.
        tenant_id: The customer or installation the user belongs to.
        agent_id: With it, memories of that agent and those shared by the user's agents; `None`: the shared ones.
        session_id: The conversation, for provenance and per-session limits; it does not narrow a recall.
        is_anonymous: Set by `Scope.anonymous` only.

    Raises:
        ScopeError: An id is empty, too long, or holds NUL or a lone surrogate.
    """

    user_id: str
    tenant_id: str = field(default="default", kw_only=True)
    agent_id: str | None = field(default=None, kw_only=True)
    session_id: str | None = field(default=None, kw_only=True)
    is_anonymous: bool = field(default=False, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        """Refuse malformed ids."""
        if self.is_anonymous:
            if self.user_id:
                msg = f"an anonymous scope has no user, got user_id {self.user_id!r}; use Scope.anonymous(session_id)"
                raise ScopeError(msg)
            check_id("session_id", self.session_id)
        for name in ("user_id", "tenant_id", "agent_id", "session_id"):
            value = getattr(self, name)
            is_left_out = (
                value is None if name in {"agent_id", "session_id"} else name == "user_id" and self.is_anonymous
            )
            if not is_left_out:
                object.__setattr__(self, name, check_id(name, value))

    @classmethod
    def anonymous(cls, session_id: str, *, tenant_id: str = "default") -> Scope:
        """Scope of a visitor without an account: context and working memory only, nothing long-term."""
        return cls("", tenant_id=tenant_id, session_id=session_id, is_anonymous=True)


# ---------------------------------------------------------------------------------------------------------- memories
@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a memory comes from.

    Args:
        speaker: Who said it; `application` where a program called `remember` itself.
        message_ids: Messages it was taken from.
        evidence: The words of the source that support it.
        run_id: The run in which it was written.
    """

    speaker: Speaker = "application"
    message_ids: tuple[str, ...] = ()
    evidence: str | None = None
    run_id: str | None = None

    def __post_init__(self) -> None:
        """Check the closed sets and the text."""
        check_choice("speaker", self.speaker, SPEAKERS)
        object.__setattr__(self, "message_ids", check_labels("message_ids", self.message_ids))
        for name in ("evidence", "run_id"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One fact of the ledger, as it stands now.

    Attributes:
        trust: How far the source is believed, in [0, 1]; of a derived memory the minimum over its sources.
        valid_at: From when it is true of the world (`None`: always was); `invalid_at`: until when.
        created_at: When this system learned it; `expired_at`: when it stopped believing it.
        expires_at: When it is to be forgotten in any case.
        supersedes: Ids of the memories it replaced, or, while it is pending, is meant to replace.
        links: Ids of near but different ones.
        sightings: How often independent evidence for it was seen.
        revision: Number of the last event of the log that changed it.
    """

    id: str
    scope: Scope
    kind: Kind
    content: str
    confidence: float
    importance: float
    source: Source
    trust: float = 1.0
    status: Status = "active"
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    tags: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    legal_basis: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    created_at: datetime
    expired_at: datetime | None = None
    expires_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    pinned: bool = False
    sightings: int = 1
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may become a memory; the write policy decides.

    Args:
        content: The statement, in words that stand alone ("Alice prefers Python for backend services").
        confidence: In [0, 1]; how sure the extractor or caller is.
        importance: In [0, 1]; `None`: by kind and source.
        is_correction: The user corrected something said before; conflicting memories are superseded.
        supersedes: Ids of memories that this one certainly replaces.

    Raises:
        ConfigurationError: A field is outside its set or range, a datetime is naive, or the content cannot be stored.
    """

    content: str
    kind: Kind = "fact"
    source: Source = "explicit"
    confidence: float = 0.9
    importance: float | None = None
    trust: float | None = None
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    tags: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    legal_basis: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expires_at: datetime | None = None
    is_correction: bool = False
    supersedes: tuple[str, ...] = ()
    pinned: bool = False

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        check_text("content", self.content)
        check_choice("kind", self.kind, KINDS)
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
        check_instance("provenance", self.provenance, Provenance)
        for name in ("is_correction", "pinned"):
            check_flag(name, getattr(self, name))


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
    """

    action: str
    succeeded: bool
    detail: str = ""
    memory_ids: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=lambda: Provenance(speaker="tool"))

    def __post_init__(self) -> None:
        """Check the text."""
        check_text("action", self.action, max_chars=2_000)
        check_flag("succeeded", self.succeeded)
        if self.detail != "":
            check_text("detail", self.detail)
        check_instance("provenance", self.provenance, Provenance)
        object.__setattr__(self, "memory_ids", check_labels("memory_ids", self.memory_ids))


# ------------------------------------------------------------------------------------------------------------ recall
@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """What to look for.

    Args:
        text: The question, or the user's message. Empty: no search, only constraints and what `action` asks for.
        kinds: Kinds to draw from; `None`: all.
        tags: Only memories that carry all of these.
        since: Only memories valid (or, where unknown, created) at or after this; `until`: before this.
        as_of: Answer with what was true of the world at this time, superseded memories included.
        purpose: What the answer is for; memories that name purposes are used only for those.
        action: The action about to be taken; constraints about it and its past failures are fetched.
        task: The task at hand, for the task part of the rank.
        limit: Hits at most (constraints come beside them, complete, up to 100).
        max_tokens: Budget of hits and constraints together, counted by `count_tokens_approximately`.
        min_confidence: Less certain memories are dropped.
        include_superseded: Also return what was corrected later.
        include_pending: Also return what still waits for support.

    Raises:
        ConfigurationError: A field is outside its set or range.
    """

    text: str = ""
    kinds: tuple[Kind, ...] | None = None
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    purpose: str | None = None
    action: str | None = None
    task: str | None = None
    limit: int = 5
    max_tokens: int | None = None
    min_confidence: float = 0.7
    include_superseded: bool = False
    include_pending: bool = False

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        for name in ("text", "purpose", "action", "task"):
            value = getattr(self, name)
            if value != "" and (value is not None or name == "text"):
                check_text(name, value, max_chars=100_000)
        object.__setattr__(self, "kinds", check_kinds(self.kinds, KINDS))
        object.__setattr__(self, "tags", check_labels("tags", self.tags))
        for name in ("since", "until", "as_of"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_time(name, getattr(self, name)))
        check_unit("min_confidence", self.min_confidence)
        for name in ("include_superseded", "include_pending"):
            check_flag(name, getattr(self, name))
        for name in ("limit", "max_tokens"):
            value = getattr(self, name)
            if (value is not None or name == "limit") and (
                isinstance(value, bool) or not isinstance(value, int) or value < 1
            ):
                msg = f"{name} must be an int of at least 1, got {value!r}"
                raise ConfigurationError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that was recalled, with what its place in the order is made of."""

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Sequence[Hit]):
    """The answer to a `RecallQuery`: a sequence of hits, best first. Nothing relevant is a normal answer.

    Attributes:
        constraints: Every constraint in force, complete up to 100 and not counted against `limit`.
        receipt_id: Why these and no others: `long_term.receipt(receipt_id, scope=…)`.
        status: `ok`, or `empty` where nothing relevant is remembered; else why memory was not used.
    """

    hits: tuple[Hit, ...] = ()
    constraints: tuple[Hit, ...] = ()
    receipt_id: str | None = None
    status: RecallStatus = "empty"

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        """Return the hit at a rank, or several."""
        return self.hits[index]

    def __len__(self) -> int:
        """Return the number of hits."""
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        """Iterate over the hits, best first."""
        return iter(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptLine:
    """One candidate of a recall: its score, and either its rank or the rule that dropped it."""

    memory_id: str
    score: float
    parts: Mapping[str, float]
    rank: int | None = None
    dropped_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Why a recall answered as it did; kept outside the log, for a configurable time.

    Attributes:
        plan: What was asked and how it was searched: query fields, index, embedding model, view revision.
        injected: Ids of the runs or messages into which the hits were put.
    """

    id: str
    scope: Scope
    at: datetime
    status: RecallStatus
    reason: str
    plan: Mapping[str, Any]
    lines: tuple[ReceiptLine, ...] = ()
    injected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the log.

    Attributes:
        seq: Position in the chain of its (tenant, user), from 1 without a gap.
        payload: What happened; `None` once erased.
        digest: Hash over the previous digest, the header and the commitment to the payload, in hex.
    """

    seq: int
    type: str
    at: datetime
    memory_id: str | None
    payload: Mapping[str, Any] | None
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentState:
    """What a user allowed.

    Attributes:
        status: `unknown` until granted, then `granted` or `withdrawn`.
        purposes: What the consent covers; empty: every purpose.
    """

    status: Literal["unknown", "granted", "withdrawn"] = "unknown"
    purposes: tuple[str, ...] = ()
    at: datetime | None = None
