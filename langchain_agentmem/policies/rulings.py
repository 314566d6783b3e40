"""What a rule of the write policy sees and what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.trust import TrustPolicy
from langchain_agentmem.types import Candidate, ConsentState, MemoryMode, Scope

ConsentMode: TypeAlias = Literal["required", "assumed"]

Ruled: TypeAlias = Literal["accept", "hold", "refuse", "amend"]
VERDICTS: Final[tuple[Ruled, ...]] = get_args(Ruled)
_MAX_WORD_CHARS: Final = 20


class RuleError(ConfigurationError):
    """A rule of the application's failed, or answered what is no answer; names it, and quotes no candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """Everything besides the candidate that a rule may look at.

    Args:
        consent_mode: `required`: nothing is kept before a grant; `assumed`: the application has asked its users itself.
        writes_in_session: Memories already written in this session, superseded ones included: outcomes for an outcome,
            all others for any other. What others than the user and the application claimed, and nothing used yet, is
            counted for such claims alone.
        sightings: Independent earlier sightings of the same statement.
        is_growth: Whether memory has one more by it; not where it takes the place of another in force, or is known.
        trust: How far sources are believed.
    """

    scope: Scope
    now: datetime
    consent: ConsentState = field(default_factory=ConsentState)
    consent_mode: ConsentMode = "required"
    mode: MemoryMode = "on"
    writes_in_session: int = 0
    sightings: int = 0
    is_growth: bool = True
    trust: TrustPolicy = field(default_factory=TrustPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a rule, or the whole policy, says about a candidate.

    Args:
        verdict: `accept`; `hold`: keep it, but do not recall it until it is supported; `refuse`; `amend`: accept it in
            the form of `candidate`.
        rule: Name of the rule that decided.
        reason: A sentence for the user that names the remedy and never quotes the candidate.
        candidate: The candidate as it may be kept; `None` where it is refused.
        tokens: What tokens in it stand for.

    Raises:
        ConfigurationError: An unknown verdict, or an amendment without a candidate.
    """

    verdict: Ruled
    rule: str
    reason: str
    candidate: Candidate | None = None
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse a verdict that is none, as a candidate must not be kept by a slip, and an amendment of nothing."""
        check_answer(f"rule {self.rule!r}: the verdict", self.verdict, VERDICTS)
        if self.verdict == "amend" and self.candidate is None:
            msg = f"rule {self.rule!r} amends but names no candidate; pass candidate=dataclasses.replace(candidate, …)"
            raise RuleError(msg)


def check_answer(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise `RuleError` unless a rule's answer is one of `choices`; a word is quoted, and no sentence."""
    if isinstance(value, str) and value in choices:
        return
    is_word = isinstance(value, str) and value.isidentifier() and len(value) <= _MAX_WORD_CHARS
    said = repr(value) if is_word else f"of type {type(value).__name__}"
    msg = f"{name} is unknown: it is {said}; use one of {', '.join(choices)}"
    raise RuleError(msg)


Rule: TypeAlias = Callable[[Candidate, WriteContext], Ruling | None]


def refuse(rule: str, reason: str) -> Ruling:
    """Rule that the candidate is not kept."""
    return Ruling(verdict="refuse", rule=rule, reason=reason)


def hold(rule: str, reason: str) -> Ruling:
    """Rule that the candidate waits for support."""
    return Ruling(verdict="hold", rule=rule, reason=reason)


def amend(rule: str, reason: str, candidate: Candidate) -> Ruling:
    """Rule that `candidate` is kept in place of the one given."""
    return Ruling(verdict="amend", rule=rule, reason=reason, candidate=candidate)


def texts_of(candidate: Candidate) -> tuple[str, ...]:
    """Return every text of `candidate` that would be stored, but for its evidence."""
    fields = (candidate.content, candidate.subject, candidate.relation, candidate.object, candidate.legal_basis)
    goal = candidate.goal
    steps = () if goal is None else (*goal.steps, *goal.completed, goal.next_step or "")
    return (*(text for text in (*fields, *steps) if text), *candidate.tags, *candidate.purposes)
