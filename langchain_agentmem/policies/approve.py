"""Approval: which memories a person decides on before anything uses them.

A policy is a row of rules. Each says `auto`, `ask` or `refuse` of a candidate, or nothing; the strictest answer counts,
and where no rule has one, the policy's default. So rules can be put together in any order.

Example:
    ```python
    from datetime import timedelta

    from langchain_agentmem.policies.approve import ApprovalPolicy, ByConfidence, ByKind, BySpeaker


    def salaries(candidate, context):
        return "ask" if "salary" in candidate.content.lower() else None


    policy = ApprovalPolicy(
        rules=[ByKind({"constraint": "ask"}), BySpeaker({"tool": "ask"}), ByConfidence(0.8), salaries],
        expires_after=timedelta(days=3),
    )
    ```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final, Literal, TypeAlias

from langchain_agentmem._checks import check_callable, check_choice, check_unit
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.defaults import default_trust
from langchain_agentmem.policies.redact import DEFAULT_DETECTORS, Detector, find_sensitive
from langchain_agentmem.policies.rulings import (
    Rule,
    RuleError,
    Ruling,
    WriteContext,
    check_answer,
    hold,
    refuse,
    texts_of,
)
from langchain_agentmem.policies.write_rules import Banned
from langchain_agentmem.types import KINDS, SOURCES, SPEAKERS, Candidate, Decision, Kind, Memory, Source, Speaker

Tier: TypeAlias = Literal["auto", "ask", "refuse"]

TIERS: Final[tuple[Tier, ...]] = ("auto", "ask", "refuse")
"""From the laxest to the strictest."""

APPROVAL: Final = "approval"
"""Rule by which a memory waits for a person, or is refused by the approval policy."""

SELF_APPROVAL: Final = "self_approval"
"""Rule that the agent which proposed a memory does not approve it."""

DECIDABLE: Final = frozenset({APPROVAL, "contradiction", "conflict_ask"})
"""Rules by which a pending memory waits for a person's word: theirs ends it."""

MAX_EXPIRY: Final = timedelta(days=3_650)


@dataclass(frozen=True, slots=True)
class Assessment:
    """A rule's answer together with its reason, a sentence that never quotes the candidate.

    Raises:
        ConfigurationError: An unknown tier.
    """

    tier: Tier
    reason: str

    def __post_init__(self) -> None:
        """Refuse a tier that is none."""
        check_answer("the tier of the Assessment", self.tier, TIERS)


ApprovalRule: TypeAlias = Callable[[Candidate, WriteContext], Tier | Assessment | None]
"""Says in which tier a candidate is, or nothing."""


@dataclass(frozen=True, slots=True)
class ByKind:
    """By what kind of memory it would be, for example `ByKind({"constraint": "ask"})`."""

    tiers: Mapping[Kind, Tier]
    name: ClassVar[str] = "kind"

    def __post_init__(self) -> None:
        """Check kinds and tiers."""
        _check_tiers("ByKind", self.tiers, KINDS)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Assessment | None:
        """Return what this rule says."""
        return _of(self.tiers.get(candidate.kind), f"it is a {candidate.kind}")


@dataclass(frozen=True, slots=True)
class BySource:
    """By how it was come by: `explicit`, `inferred`, `learned` or `merged`."""

    tiers: Mapping[Source, Tier]
    name: ClassVar[str] = "source"

    def __post_init__(self) -> None:
        """Check sources and tiers."""
        _check_tiers("BySource", self.tiers, SOURCES)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Assessment | None:
        """Return what this rule says."""
        return _of(self.tiers.get(candidate.source), f"its source is {candidate.source}")


@dataclass(frozen=True, slots=True)
class BySpeaker:
    """By whose words it was taken from: `user`, `assistant`, `tool`, `system` or `application`."""

    tiers: Mapping[Speaker, Tier]
    name: ClassVar[str] = "speaker"

    def __post_init__(self) -> None:
        """Check speakers and tiers."""
        _check_tiers("BySpeaker", self.tiers, SPEAKERS)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Assessment | None:
        """Return what this rule says."""
        speaker = candidate.provenance.speaker
        return _of(self.tiers.get(speaker), f"it was said by the {speaker}")


@dataclass(frozen=True, slots=True)
class ByConfidence:
    """What is less certain than `below` is of a tier; the write policy refuses what is less certain still."""

    below: float
    tier: Tier = "ask"
    name: ClassVar[str] = "confidence"

    def __post_init__(self) -> None:
        """Check the bound and the tier."""
        object.__setattr__(self, "below", check_unit("below", self.below))
        check_choice("tier", self.tier, TIERS)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Assessment | None:
        """Return what this rule says."""
        is_below = candidate.confidence < self.below
        return _of(self.tier if is_below else None, f"its confidence is below {self.below:.2f}")


@dataclass(frozen=True, slots=True)
class ByTrust:
    """What comes from a source that is trusted less than `below` is of a tier."""

    below: float
    tier: Tier = "ask"
    name: ClassVar[str] = "trust"

    def __post_init__(self) -> None:
        """Check the bound and the tier."""
        object.__setattr__(self, "below", check_unit("below", self.below))
        check_choice("tier", self.tier, TIERS)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Assessment | None:
        """Return what this rule says."""
        trust = default_trust(candidate) if candidate.trust is None else candidate.trust
        return _of(self.tier if trust < self.below else None, f"its source is trusted less than {self.below:.2f}")


@dataclass(frozen=True, slots=True)
class BySensitivity:
    """What is about one of these topics, or holds what a detector finds, is of a tier.

    The write policy's own rules stand before it: what `sensitive_data` refuses never gets here, unless that rule is
    taken out of the policy.

    Args:
        topics: Words or phrases, matched whole and without case, as by `Banned`.
        tier: Which.
        detectors: Functions from a text to its matches.
    """

    topics: Sequence[str] = ()
    tier: Tier = "ask"
    detectors: Sequence[Detector] = DEFAULT_DETECTORS
    name: ClassVar[str] = "sensitivity"

    def __post_init__(self) -> None:
        """Check topics and tier."""
        object.__setattr__(self, "topics", tuple(Banned(topics=self.topics).topics))
        check_choice("tier", self.tier, TIERS)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Assessment | None:
        """Return what this rule says."""
        is_named = bool(self.topics) and Banned(topics=self.topics)(candidate, context) is not None
        if is_named:
            return Assessment(self.tier, "it is about a sensitive topic")
        is_found = any(find_sensitive(text, self.detectors) for text in texts_of(candidate))
        return _of(self.tier if is_found else None, "it holds sensitive data")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """Which memories a person decides on before anything uses them.

    Args:
        rules: Functions of a candidate and a `WriteContext` that say `auto`, `ask` or `refuse`, an `Assessment` with a
            reason, or `None`. The strictest answer counts.
        default: Where no rule has an answer.
        expires_after: How long a memory waits before it can no longer be decided; `None`: for ever.

    Raises:
        ConfigurationError: A rule cannot be called, the default is no tier, or the time is not positive.
    """

    rules: Sequence[ApprovalRule] = ()
    default: Tier = "auto"
    expires_after: timedelta | None = field(default_factory=lambda: timedelta(days=7))

    def __post_init__(self) -> None:
        """Check what can be checked before anything is decided."""
        if isinstance(self.rules, str) or not isinstance(self.rules, Sequence):
            msg = (
                f"rules must be a list, got {type(self.rules).__name__}; for example [ByKind({{'constraint': 'ask'}})]"
            )
            raise ConfigurationError(msg)
        for rule in self.rules:
            if isinstance(rule, type):
                msg = f"a rule must be a function of a candidate and a context, got {rule!r}; make one of it first"
                raise ConfigurationError(msg)
            check_callable("rules", rule, "ByKind({'constraint': 'ask'})")
        check_choice("default", self.default, TIERS)
        after = self.expires_after
        if after is not None and not (isinstance(after, timedelta) and timedelta(0) < after <= MAX_EXPIRY):
            msg = (
                f"expires_after must be a positive timedelta of up to ten years, or None, got {after!r}; for example"
                " timedelta(days=7)"
            )
            raise ConfigurationError(msg)
        object.__setattr__(self, "rules", tuple(self.rules))

    def assess(self, candidate: Candidate, context: WriteContext) -> Assessment:
        """Return the strictest of what the rules say, with its reason.

        Raises:
            ConfigurationError: A rule failed, or returned something else; nothing is decided then.
        """
        answers = [it for rule in self.rules if (it := _answer(rule, candidate, context)) is not None]
        stated = Assessment(self.default, "no rule of the approval policy is about it")
        return max(answers, key=lambda it: TIERS.index(it.tier), default=stated)

    def expiry(self, now: datetime) -> datetime | None:
        """Return until when what is asked now can be decided."""
        return None if self.expires_after is None else now + self.expires_after

    def as_rule(self) -> Rule:
        """Return the rule that the write policy asks last."""
        return _Approving(self)


@dataclass(frozen=True, slots=True)
class _Approving:
    """The approval policy as a rule of the write policy."""

    policy: ApprovalPolicy
    name: ClassVar[str] = APPROVAL

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what the approval policy says."""
        found = self.policy.assess(candidate, context)
        if found.tier == "auto":
            return None
        if found.tier == "refuse":
            return refuse(self.name, f"The approval policy refuses it: {found.reason}.")
        return hold(self.name, f"A person has to approve it: {found.reason}.")


def awaits(memory: Memory) -> bool:
    """Whether a memory waits for approval: nothing recalls, shows, counts or replaces by it until then."""
    return memory.status == "pending" and memory.held_by == APPROVAL


def is_decidable(memory: Memory) -> bool:
    """Whether a memory waits for a person's word, be it for approval or because it contradicts what stands."""
    return memory.status == "pending" and memory.held_by in DECIDABLE


def remedy_for(decision: Decision) -> str:
    """Return what a model may do about a memory that waits: of what a person is asked about, nothing."""
    if decision.rule == APPROVAL:
        return "A person is asked to approve it; go on without it, and do not repeat it."
    return "If the user said so, call again and give their exact words as evidence."


def says_nothing_new(candidate: Candidate, known: Memory) -> bool:
    """Whether a revision states nothing that is not remembered already: nobody need approve it again."""
    before = Candidate(content=known.content, kind=known.kind, goal=known.goal, purposes=known.purposes)
    told = (known.subject, known.relation, known.object, known.legal_basis, *texts_of(before))
    new = {*map(in_one_line, texts_of(replace(candidate, tags=())))}
    return candidate.kind == known.kind and new <= {in_one_line(text) for text in told if text is not None}


def _of(tier: Tier | None, reason: str) -> Assessment | None:
    return None if tier is None else Assessment(tier, reason)


def _answer(rule: ApprovalRule, candidate: Candidate, context: WriteContext) -> Assessment | None:
    name = str(getattr(rule, "name", None) or getattr(rule, "__name__", None) or type(rule).__name__)
    try:
        answer = rule(candidate, context)
    except RuleError as error:
        msg = f"approval rule {name!r}: {error}"
        raise RuleError(msg) from error
    except Exception as error:
        msg = f"approval rule {name!r} raised {type(error).__name__}; mend it, or let it return a tier or None"
        raise RuleError(msg) from error  # its own words may quote the candidate
    if answer is None or isinstance(answer, Assessment):
        return answer
    if not isinstance(answer, str) or answer not in TIERS:
        msg = f"approval rule {name!r} returned {type(answer).__name__}; return 'auto', 'ask', 'refuse' or None"
        raise RuleError(msg)
    return Assessment(answer, f"rule {name} says so")


def _check_tiers(name: str, tiers: object, known: Sequence[str]) -> None:
    if not isinstance(tiers, Mapping):
        msg = f"{name} takes a dict, got {type(tiers).__name__}; for example {name}({{{known[0]!r}: 'ask'}})"
        raise ConfigurationError(msg)
    for key, tier in tiers.items():
        check_choice(name, key, known)
        check_choice(f"{name}[{key!r}]", tier, TIERS)
