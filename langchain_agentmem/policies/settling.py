"""Which of two statements that contradict each other stands: rules of records, chosen by the application.

The packaged ones agree in two things. What the user, or the application for them, expressly corrects is replaced: that
is their answer, however they are asked. And `confident` and `trusted` let no source replace what a more trusted one
said; who chooses `newest`, or writes a policy of their own, has chosen otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem._checks import check_choice, check_text
from langchain_agentmem.english.reading.statements import canonical_relation, parse_statement
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.defaults import SAID, default_trust
from langchain_agentmem.policies.trust import is_own_word
from langchain_agentmem.types import KINDS, Candidate, Memory

Strategy: TypeAlias = Literal["confident", "newest", "trusted", "ask", "keep_both"]
Resolution: TypeAlias = Literal["replace", "wait", "ask", "keep_both"]
Settling: TypeAlias = Callable[[Candidate, Memory], Resolution]
"""Decides between a new statement and one that is remembered; see `ConflictPolicy.resolve`."""

STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)
RESOLUTIONS: Final[tuple[Resolution, ...]] = get_args(Resolution)
DEFAULT: Final[Strategy] = "confident"

_MAX_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictPolicy:
    """What becomes of two statements that contradict each other; also by kind, and by relation.

    Args:
        default: `confident`: the more trusted stands, of equals the more confident, of equals the newer; what loses
            waits. What the user says outright (0.9) is as confident as anything. `trusted`: the more trusted, of equals
            the newer, however confident. `newest`: the newer, whoever said it. `ask`: the new one waits for an
            approval, and names what it would replace. `keep_both`: both stand, and each names the other.
        kinds: Another one for a kind of memory. `relations`: for a relation, which counts before the kind.

    Raises:
        ConfigurationError: A strategy or a kind is unknown, or a relation is no text.

    Example:
        >>> ConflictPolicy(default="newest", relations={"works at": "ask"}).strategy_for("fact", "works_at")
        'ask'
    """

    default: Strategy = DEFAULT
    kinds: Mapping[str, Strategy] = field(default_factory=dict)
    relations: Mapping[str, Strategy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check every name."""
        check_choice("conflicts", self.default, STRATEGIES)
        for kind, chosen in self.kinds.items():
            check_choice("conflicts.kinds", kind, KINDS)
            check_choice(f"conflicts[{kind!r}]", chosen, STRATEGIES)
        for relation, chosen in self.relations.items():
            check_text("conflicts.relations", relation, max_chars=_MAX_NAME_CHARS)
            check_choice(f"conflicts[{relation!r}]", chosen, STRATEGIES)
        named = {canonical_relation(name): it for name, it in self.relations.items()}
        object.__setattr__(self, "relations", named)

    def strategy_for(self, kind: str, relation: str | None) -> Strategy:
        """Return what is chosen for statements of a kind and a relation."""
        by_kind = self.kinds.get(kind, self.default)
        return by_kind if relation is None else self.relations.get(canonical_relation(relation), by_kind)

    def resolve(self, candidate: Candidate, old: Memory) -> Resolution:
        """Return what becomes of a new statement that contradicts a remembered one.

        Returns:
            `replace`: the old one is superseded. `wait`: the new one is pending until it is supported. `ask`: it is
            pending until somebody approves, and is meant to replace the old one. `keep_both`: both are in force.
        """
        strategy = self.strategy_for(candidate.kind, self._relation_of(candidate, old))
        if candidate.is_correction and is_own_word(candidate):
            return "replace"
        if strategy in {"ask", "keep_both"}:
            return "ask" if strategy == "ask" else "keep_both"
        return "replace" if _WINS[strategy](candidate, old) else "wait"

    def _relation_of(self, candidate: Candidate, old: Memory) -> str | None:
        """Return the relation that is named, or else one for which something is chosen that rules read in the words."""
        named = candidate.relation or old.relation
        if named is not None or not self.relations:
            return named
        facts = parse_statement(candidate.content, subject=candidate.subject).facts
        return next((it.relation for it in facts if it.relation in self.relations), None)


def read_conflicts(given: Strategy | Mapping[str, Strategy] | ConflictPolicy | Settling) -> Settling:
    """Return what decides, from an option: a strategy, one by kind, relation or `default`, or a policy of one's own.

    Raises:
        ConfigurationError: It names an unknown strategy, or is none of these.
    """
    if isinstance(given, ConflictPolicy):
        return given.resolve
    if isinstance(given, str):
        check_choice("conflicts", given, STRATEGIES)
        return ConflictPolicy(default=given).resolve
    if isinstance(given, Mapping):
        return _by_name(given).resolve
    if not callable(given) or isinstance(given, type):
        msg = f"conflicts must be one of {', '.join(STRATEGIES)}, a dict or a ConflictPolicy, got {given!r}"
        raise ConfigurationError(msg)
    return _checked(given)


def _by_name(given: Mapping[str, Strategy]) -> ConflictPolicy:
    others = {name: it for name, it in given.items() if name != "default"}
    return ConflictPolicy(
        default=given.get("default", DEFAULT),
        kinds={name: it for name, it in others.items() if name in KINDS},
        relations={name: it for name, it in others.items() if name not in KINDS},
    )


def _checked(settling: Settling) -> Settling:
    """Return a policy of somebody's own that says what it may say; its errors tell nothing of the statements."""

    def resolve(candidate: Candidate, old: Memory) -> Resolution:
        try:
            said = settling(candidate, old)
        except Exception as error:
            msg = f"the conflict policy raised {type(error).__name__}; let it return one of {', '.join(RESOLUTIONS)}"
            raise ConfigurationError(msg) from error
        if said not in RESOLUTIONS:
            msg = f"the conflict policy returned {type(said).__name__}; return one of {', '.join(RESOLUTIONS)}"
            raise ConfigurationError(msg)
        return said

    return resolve


def _is_surer(candidate: Candidate, old: Memory) -> bool:
    """Trust before confidence before time; that something was often said or used makes it no truer than what is new."""
    trust = default_trust(candidate)
    if trust != old.trust:
        return trust > old.trust
    needed = min(old.confidence, SAID) if is_own_word(candidate) else old.confidence
    return candidate.confidence >= needed or old.status == "pending"


def _is_as_trusted(candidate: Candidate, old: Memory) -> bool:
    return default_trust(candidate) >= old.trust


def _is_newer(candidate: Candidate, old: Memory) -> bool:
    """Told later, unless it says itself that it held before the other did."""
    return candidate.valid_at is None or candidate.valid_at >= (old.valid_at or candidate.valid_at)


_WINS: Final[Mapping[Strategy, Callable[[Candidate, Memory], bool]]] = {
    "confident": _is_surer,
    "trusted": _is_as_trusted,
    "newest": _is_newer,
}
