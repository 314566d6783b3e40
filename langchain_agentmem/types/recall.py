"""Questions to memory, answers, and why they are what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, overload

from langchain_agentmem._checks import (
    check_count,
    check_flag,
    check_labels,
    check_local_time,
    check_text,
    check_time,
    check_unit,
    check_wanted_kinds,
)
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types.memories import KINDS, Kind, Memory
from langchain_agentmem.types.scope import Scope
from langchain_agentmem.types.showing import briefly

RecallStatus: TypeAlias = Literal["ok", "empty", "skipped", "off", "no_consent", "anonymous", "degraded"]
MemoryMode: TypeAlias = Literal["on", "frozen", "off"]

SEARCHED: Final = frozenset({"ok", "empty", "degraded"})
"""What a recall says that has looked; a degraded one looked in the ledger."""

MAX_HOPS: Final = 2
"""Relations from what a question names: what is further away answers nothing."""

MAX_NEIGHBOURS: Final = 20
"""Turns on either side; who wants more wants the conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """What to look for.

    Args:
        text: The question, or the user's message. Blank: no search, only constraints and what `action` asks for.
        kinds: Kinds to draw from, one alone or several; `None`: all. No kind at all is refused.
        tags: Only memories that carry all of these.
        since: Only memories valid (or, where unknown, created) at or after this; `until`: before this.
        prefer_since: Turns of conversations said at or after this rank higher; `prefer_until`: before this. Both count
            by whole days, and nothing is left out. Planners set it where the user asks what was said within a time.
        as_of: Answer with what was true of the world at this time, superseded memories included.
        purpose: What the answer is for; memories that name purposes are used only for those.
        action: The action about to be taken; constraints about it and its past failures are fetched.
        task: The task at hand, for the task part of the rank.
        asked_at: What "yesterday" and "last May" are counted from; `None`: now. Days are those of its time zone (of its
            distance from UTC: a change of clocks in between moves none); without it, of UTC.
        neighbours: Turns before and after each episode found that come along with it, at most 20, from the same
            conversation. They are marked (`Hit.neighbour_of`) and do not count against `limit`.
        hops: Also consider memories about entities that the question names, and about those at most so many relations
            away from them, 1 or 2; such a hit has `entity` among its parts. 0: no entity graph is asked.
        hops_only: Consider no other facts than those.
        limit: Hits at most (constraints come beside them, complete, up to 100; and up to two statements that contradict
            a hit, right behind it).
        max_tokens: Budget of all that is returned, counted by `count_tokens_approximately`: constraints are paid first,
            then hits, then neighbours.
        min_confidence: Less certain memories are dropped.
        include_superseded: Also return what was corrected later, below what is in force unless `text` is of the past.
            Turns of conversations are returned in any case, marked as superseded and, where the question is about them,
            below what updated them.
        include_pending: Also return what still waits for support; never what waits for approval.
        planned_by: Name of the planner that made this query out of a conversation, for the receipt.

    Raises:
        ConfigurationError: A field is outside its set or range, or `since` is after `until`.
    """

    __repr__ = briefly()

    text: str = field(default="", repr=False)
    kinds: tuple[Kind, ...] | None = None
    tags: tuple[str, ...] = field(default=(), repr=False)
    since: datetime | None = None
    until: datetime | None = None
    prefer_since: datetime | None = None
    prefer_until: datetime | None = None
    as_of: datetime | None = None
    purpose: str | None = None
    action: str | None = field(default=None, repr=False)
    task: str | None = field(default=None, repr=False)
    asked_at: datetime | None = None
    neighbours: int = 0
    hops: int = 0
    hops_only: bool = False
    limit: int = 5
    max_tokens: int | None = None
    min_confidence: float = 0.7
    include_superseded: bool = False
    include_pending: bool = False
    planned_by: str | None = None

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        if isinstance(self.text, str) and not self.text.strip():
            object.__setattr__(self, "text", "")
        for name in ("text", "purpose", "action", "task", "planned_by"):
            value = getattr(self, name)
            if value != "" and (value is not None or name == "text"):
                check_text(name, value, max_chars=100_000)
        object.__setattr__(self, "kinds", check_wanted_kinds(self.kinds, KINDS))
        object.__setattr__(self, "tags", check_labels("tags", self.tags))
        for name in ("since", "until", "prefer_since", "prefer_until", "as_of", "asked_at"):
            if getattr(self, name) is not None:
                check = check_local_time if name == "asked_at" else check_time
                object.__setattr__(self, name, check(name, getattr(self, name)))
        if self.since is not None and self.until is not None and self.since > self.until:
            msg = f"since {self.since.isoformat()} is after until {self.until.isoformat()}; swap them, or drop one"
            raise ConfigurationError(msg)
        check_unit("min_confidence", self.min_confidence)
        for name in ("include_superseded", "include_pending", "hops_only"):
            check_flag(name, getattr(self, name))
        check_count("limit", self.limit, 1)
        check_count("neighbours", self.neighbours, 0, MAX_NEIGHBOURS)
        check_count("hops", self.hops, 0, MAX_HOPS)
        if self.max_tokens is not None:
            check_count("max_tokens", self.max_tokens, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that was recalled, with what its place in the order is made of.

    Attributes:
        parts: What the score is made of; `redundancy`: how much of it better hits say; `rerank`: a reranker's score.
        contradicts: Ids of statements in force that say otherwise, where neither replaced the other.
        neighbour_of: Id of the hit beside which it was said; such a turn was not found itself, and follows that hit.
        place: Of a turn, where neighbours were asked for, its position among what was said in its conversation at one
            moment: the order of a conversation is that of `memory.valid_at`, then of this.
    """

    __repr__ = briefly()

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    last_used_at: datetime | None = None
    contradicts: tuple[str, ...] = ()
    neighbour_of: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Sequence[Hit]):
    """The answer to a `RecallQuery`: a sequence of hits, best first. Nothing relevant is a normal answer.

    Attributes:
        constraints: Every constraint in force, complete up to 100 and not counted against `limit`.
        receipt_id: Why these and no others: `long_term.receipt(receipt_id, scope=…)`. `None` where memory was not
            asked, and where no receipt could be written: of a database that is only read, or is frozen and locked.
        status: `ok`, or `empty` where there is no hit: nothing relevant is remembered, or none of it fits the budget or
            passed the reranker, as the receipt tells; `degraded` where an index could not be used, and the receipt
            tells why, or where there is no receipt; else why memory was not used.
        is_reranked: The order is a reranker's, and not that of the scores.
        likelihood: How likely it is, in [0, 1], that anything said in conversations answers the question; of several
            questions, the best. `None` where no conversation was searched. Whoever must not answer what was never said
            compares it with a bound of their own; below `Weights.min_likelihood` no turn is returned.
    """

    __repr__ = briefly("hits", "status")

    hits: tuple[Hit, ...] = ()
    constraints: tuple[Hit, ...] = ()
    receipt_id: str | None = None
    status: RecallStatus = "empty"
    is_reranked: bool = False
    likelihood: float | None = None

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
    """One candidate of a recall: its score, and either its rank or the rule that dropped it.

    Attributes:
        linked: Ids of what it replaced, what replaced it, and what contradicts it; of a duplicate, first of what says
            the same.
        beside: Id of the hit whose neighbour it is: it came along, and has rank 0.
        tokens: About how many it takes in a prompt, where it was returned.
    """

    __repr__ = briefly()

    memory_id: str
    score: float
    parts: Mapping[str, float]
    rank: int | None = None
    dropped_by: str | None = None
    linked: tuple[str, ...] = ()
    beside: str | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Why a recall answered as it did; kept outside the log, for a configurable time.

    Attributes:
        plan: What was asked and how it was searched: query fields, `planner` (who filled them in), index, embedding
            model, revision of the facts; and, where conversations were searched, `conversations` with their revision,
            how many terms were matched, the hashes of the speakers and the dates that were named, and how likely
            anything there answers. `reranker`: its name, how many candidates it was given, and whether it failed
            (`degraded`: our order stands).
        lines: What was returned, in order, the constraints beside it, and what was dropped: the best 40 of those.
        unlisted: By rule, how many more were dropped.
        injected: Ids of the turns, runs or messages into which the hits were put.
        shown: Which memories stood in the prompt of which model call: their ids, by the id of the model's answer.
        used: Whether the answer used a memory that was returned, by its id; `None` where that could not be judged.
            Empty until somebody judges it.
        supported: Whether what the answer said of the user was told to the assistant; `None`: nobody can tell.
        unsupported: What was not, in the answer's words; they go with the question's when a memory is erased.
    """

    __repr__ = briefly()

    id: str
    scope: Scope
    at: datetime
    status: RecallStatus
    reason: str
    plan: Mapping[str, Any] = field(repr=False)
    lines: tuple[ReceiptLine, ...] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)
    injected: tuple[str, ...] = ()
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    used: Mapping[str, bool | None] = field(default_factory=dict)
    supported: bool | None = None
    unsupported: tuple[str, ...] = field(default=(), repr=False)

    @property
    def returned(self) -> tuple[str, ...]:
        """Return the ids of the hits, best first, then of the constraints beside them."""
        ids = dict.fromkeys(line.memory_id for line in self.lines if line.dropped_by is None)
        return tuple(ids)

    @property
    def proposed(self) -> int:
        """Return how many candidates there were; constraints come without being proposed."""
        return sum(line.rank != 0 for line in self.lines) + sum(self.unlisted.values())
