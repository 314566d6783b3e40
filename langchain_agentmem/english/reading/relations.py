"""Relations as data: how many objects each has at a time, and what sort of thing stands on either side.

The conflict policy and the entity graph read the same declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem._checks import check_choice, check_text
from langchain_agentmem.english.reading.statements import FUNCTIONAL_RELATIONS, canonical_relation
from langchain_agentmem.english.words.lexicon import ROLES
from langchain_agentmem.errors import ConfigurationError

__all__ = [
    "CARDINALITIES",
    "DIFFERENT_FROM",
    "ORGANISATION",
    "PERSON",
    "PLACE",
    "ROLES",
    "SAME_AS",
    "VALUES",
    "Cardinality",
    "Relations",
    "canonical_role",
    "type_of_object",
    "type_of_subject",
]

Cardinality: TypeAlias = Literal["one", "many"]
CARDINALITIES: Final[tuple[Cardinality, ...]] = get_args(Cardinality)

SAME_AS: Final = "same_as"
"""Of two names of one entity. `DIFFERENT_FROM`: of two that are told apart, whatever a rule says."""

DIFFERENT_FROM: Final = "different_from"

PERSON: Final = "person"
PLACE: Final = "place"
ORGANISATION: Final = "organisation"

VALUES: Final[frozenset[str]] = frozenset(
    """
    age birthday deadline height weight price budget salary email phone timezone version port limit timeout quota
    works_as is is_a color colour diet goal marital_status
    """.split()
)
"""Relations to something said of a subject, and not to another entity."""

_PERSON_SUBJECTS: Final = frozenset(
    """
    lives_in works_at works_as works_with partner manages reports_to knows birthday age birthplace origin studies_at
    teaches_at speaks met allergic_to graduated_from
    """.split()
)
_RANGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("lives_in", "birthplace", "located_in"), PLACE),
    **dict.fromkeys(("works_at", "studies_at", "teaches_at", "founded", "graduated_from"), ORGANISATION),
    **dict.fromkeys(("partner", "knows", "works_with", "reports_to", "met", *sorted(ROLES)), PERSON),
}


@dataclass(frozen=True)
class Relations:
    """How many objects a subject has by each relation: the package's own declarations, and an application's.

    Args:
        declared: `one` (a later object replaces the one before, unless both may hold) or `many`, by relation; "Blood
            type" and `blood_type` are one. What is not declared has many.

    Raises:
        ConfigurationError: A relation is no text, or is declared as something else.

    Example:
        >>> Relations({"blood type": "one"}).cardinality("blood_type")
        'one'
    """

    declared: Mapping[str, Cardinality] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the declarations, and name each relation as it is judged."""
        if not isinstance(self.declared, Mapping):
            msg = f"relations must be a dict, got {type(self.declared).__name__}; for example {{'mentor': 'one'}}"
            raise ConfigurationError(msg)
        for name, cardinality in self.declared.items():
            check_text("relations", name, max_chars=200)
            check_choice(f"relations[{name!r}]", cardinality, CARDINALITIES)
        named = {canonical_relation(name): it for name, it in self.declared.items()}
        object.__setattr__(self, "declared", named)

    @cached_property
    def functional(self) -> frozenset[str]:
        """Relations of which a subject has one object at a time."""
        own = {name for name, it in self.declared.items() if it == "one"}
        return (FUNCTIONAL_RELATIONS - self.declared.keys()) | own

    @cached_property
    def several(self) -> frozenset[str]:
        """Relations that the application declared to have many objects: one contradicts no other."""
        return frozenset(name for name, it in self.declared.items() if it == "many")

    def cardinality(self, relation: str) -> Cardinality:
        """Return how many objects a subject has by a relation at a time."""
        return "one" if canonical_relation(relation) in self.functional else "many"


def canonical_role(name: str) -> str:
    """Return the one name of what somebody is to somebody: "Mum" is `mother`, "wife" is `partner`."""
    return canonical_relation(name)


def type_of_subject(relation: str) -> str | None:
    """Return what has such a relation, where only one sort of thing can."""
    return PERSON if relation in _PERSON_SUBJECTS or relation in ROLES else None


def type_of_object(relation: str) -> str | None:
    """Return what such a relation leads to, where it is always one sort of thing."""
    return _RANGES.get(relation)
