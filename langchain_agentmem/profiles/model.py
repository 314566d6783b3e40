"""The profile of a user as a model: what is known of them, and from which memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, PrivateAttr

from langchain_agentmem._checks import check_count
from langchain_agentmem._copying import Remake, reduced
from langchain_agentmem.english.reading.profile_fields import PREFERENCES, shown
from langchain_agentmem.types import Memory, Source
from langchain_agentmem.types.fitting import Section, fitted

DEFAULT_CONTEXT_TOKENS: Final = 500
"""A name, a dozen of fields and preferences, and twenty facts."""

BASE_FIELDS: Final = frozenset({"name", "preferences", "facts", "last_interaction"})

ProfileStatus: TypeAlias = Literal["ok", "off", "no_consent", "anonymous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldState:
    """Where the value of a field comes from: the memory that says it.

    Attributes:
        field: `name`, a field of your own, `preferences.<key>`, or `facts`.
        since: From when it is true; where that is unknown, when it was learned.
        replaced: Ids of the memories that said otherwise before; `memory.profiles.explain` tells their values.
        contradicts: Ids of memories in force that say otherwise, where neither replaced the other.
    """

    field: str
    memory_id: str
    value: Any = dataclasses.field(repr=False)
    confidence: float
    source: Source
    trust: float
    since: datetime
    replaced: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, value: object, memory: Memory) -> FieldState:
        """Return the state of a field as a memory says it."""
        return cls(
            field=name,
            memory_id=memory.id,
            value=value,
            confidence=memory.confidence,
            source=memory.source,
            trust=memory.trust,
            since=memory.valid_at or memory.created_at,
            replaced=memory.supersedes,
            contradicts=memory.contradicts,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfitField:
    """A stored value that the model does not take: the model has changed, or it was said in passing.

    Attributes:
        expected: What the model takes. `problem`: name of the rule of pydantic that it breaks; never the value.
    """

    field: str
    memory_id: str
    expected: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """What a profile was made of.

    Attributes:
        revision: Content revision of the ledger.
        told: Of each fact of the profile, in their order.
    """

    status: ProfileStatus = "ok"
    revision: int = 0
    fields: Mapping[str, FieldState] = field(default_factory=lambda: MappingProxyType({}))
    told: tuple[FieldState, ...] = ()
    unfit: tuple[UnfitField, ...] = ()

    def __reduce__(self) -> Remake:
        return reduced(self)


class UserProfile(BaseModel):
    """What is known of a user: a projection of the ledger.

    Subclass it for fields of your own, each with a default: a profile begins empty. Read it with
    `memory.profiles.as_(YourProfile).get(scope=…)`.

    Attributes:
        preferences: By key; keys are compared without case.
        facts: Sentences about the user, in the order in which they were learned; the 100 most important ones.
        last_interaction: When a message was last added to a conversation of the user, or one of their threads was last
            written to; `None` where neither is kept.

    Example:
        >>> class Student(UserProfile):
        ...     level: int = 1
        >>> Student(name="Ana").level
        1
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    name: str | None = None
    preferences: dict[str, JsonValue] = {}
    facts: tuple[str, ...] = ()
    last_interaction: datetime | None = None

    _origins: Origins = PrivateAttr(default_factory=Origins)

    @property
    def status(self) -> ProfileStatus:
        """Return `ok`, or why nothing was read."""
        return self._origins.status

    @property
    def revision(self) -> int:
        """Return the content revision of the ledger that this was made from."""
        return self._origins.revision

    @property
    def fields(self) -> Mapping[str, FieldState]:
        """Return, by field, which memory says it, how certain it is, and what it replaced."""
        return self._origins.fields

    @property
    def told(self) -> tuple[FieldState, ...]:
        """Return the same of each fact, in the order of `facts`."""
        return self._origins.told

    @property
    def unfit(self) -> tuple[UnfitField, ...]:
        """Return what is stored and has no place in this model; the fields have their defaults."""
        return self._origins.unfit

    def to_context(self, max_tokens: int = DEFAULT_CONTEXT_TOKENS) -> str:
        """Return the profile as delimited data for a prompt; empty where nothing is known.

        The same bytes as long as the same is known: neither the time nor the last interaction is in it, and a new fact
        comes last. So it belongs at the beginning of a prompt, where a provider's cache keeps it.

        Args:
            max_tokens: At most so many, by estimate. Fields go first, then preferences, then facts, the newest of them;
                what is left out is counted.

        Raises:
            ConfigurationError: `max_tokens` is no int of at least 1.
        """
        check_count("max_tokens", max_tokens)
        fields = {name: value for name, value in self._known().items() if not name.startswith(PREFERENCES)}
        ordered = sorted(fields, key=lambda name: (name != "name", name))
        chosen = sorted(self.preferences.items())
        sections = (
            Section("fields", [f"{name}: {_line(fields[name])}" for name in ordered], are_newest_kept=False),
            Section("preferences", [f"{key}: {_line(value)}" for key, value in chosen], are_newest_kept=False),
            Section("facts", [_line(fact) for fact in self.facts]),
        )
        return fitted(("<profile>", "</profile>"), [it for it in sections if it.lines], max_tokens)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Give nothing of what is known to logs and tracebacks but how much that is."""
        yield from (("status", self.status), ("revision", self.revision), ("fields", len(self.fields)))
        yield "facts", len(self.facts)

    def _known(self) -> dict[str, Any]:
        """Return fields that have another value than their default, preferences and facts apart."""
        told = self.model_dump(mode="json", exclude_defaults=True, exclude=set(BASE_FIELDS - {"name"}))
        return {name: value for name, value in told.items() if value is not None}


def _line(value: object) -> str:
    return " ".join(shown(value).split())
