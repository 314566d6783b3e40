"""How far a source is believed: by its class, which the runtime sets, and never by what a text says of itself.

Whatever several sources say together is believed as little as the least trusted of them: a page that a tool read does
not become the user's word because an assistant repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from langchain_agentmem._checks import MAX_TAGS, check_choice, check_text, check_unit
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.defaults import CLASS_TRUST, SOURCE_TRUST
from langchain_agentmem.types import TRUST_CLASSES, Candidate, Memory, Provenance, TrustClass

__all__ = ["CLASS_TRUST", "HOLD_BELOW", "OWN_WORD", "TrustPolicy", "behind", "class_of", "is_own_word", "read_trust"]

HOLD_BELOW: Final = 0.4
"""Just above what a web page is believed, just below what an assistant is: anybody can write a page."""

OWN_WORD: Final[frozenset[TrustClass]] = frozenset({"user", "application"})
"""Who may set rules, correct, and confirm: the user, and the program that serves them."""

_MAX_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustPolicy:
    """Which class a source has, how far each class is believed, and what is not believed enough.

    Args:
        tools: Class of what a tool answers, by its name or a pattern: `{"web_search": "web", "mail_*": "web"}`. Of
            several that fit, the least trusted counts; a tool that none fits is of class `tool`.
        classes: How far a class is believed, in [0, 1], in place of the packaged figures.
        hold_below: What is trusted less waits as pending until somebody who is trusted more says the same.
        refuse_below: What is trusted less is not kept at all.

    Raises:
        ConfigurationError: A class is unknown, a figure is outside its range, or more would be refused than held.

    Example:
        >>> policy = TrustPolicy(tools={"web_*": "web"})
        >>> policy.class_of(Provenance(speaker="assistant", tools=("web_search", "calculator")))
        'web'
    """

    tools: Mapping[str, TrustClass] = field(default_factory=dict)
    classes: Mapping[TrustClass, float] = field(default_factory=dict)
    hold_below: float = HOLD_BELOW
    refuse_below: float = 0.0

    def __post_init__(self) -> None:
        """Check every name and figure."""
        for name in ("tools", "classes"):
            if not isinstance(getattr(self, name), Mapping):
                msg = f"trust.{name} must be a dict, got {type(getattr(self, name)).__name__}"
                raise ConfigurationError(msg)
        for tool, named in self.tools.items():
            check_text("trust.tools", tool, max_chars=_MAX_NAME_CHARS)
            check_choice(f"trust.tools[{tool!r}]", named, TRUST_CLASSES)
        for each, value in self.classes.items():
            check_choice("trust.classes", each, TRUST_CLASSES)
            check_unit(f"trust.classes[{each!r}]", value)
        for name in ("hold_below", "refuse_below"):
            object.__setattr__(self, name, check_unit(f"trust.{name}", getattr(self, name)))
        if self.refuse_below > self.hold_below:
            msg = (
                f"trust.refuse_below {self.refuse_below!r} is above trust.hold_below {self.hold_below!r}; "
                "what is refused is trusted less than what waits"
            )
            raise ConfigurationError(msg)

    def believed(self, named: TrustClass) -> float:
        """Return how far a class is believed, in [0, 1]."""
        return self.classes.get(named, CLASS_TRUST[named])

    def class_of(self, origin: Provenance) -> TrustClass:
        """Return the least trusted class among who speaks, what was said of the source, and the tools behind it."""
        return self._least([class_of(origin), *map(self._of_tool, origin.tools)])

    def settled(self, candidate: Candidate) -> Candidate:
        """Return a candidate with the class of its source, and the trust it has by it; a trust that is given stands."""
        origin, trust = self.classed(candidate.provenance), candidate.trust
        if trust is None:
            trust = min(self.believed(origin.trust_class or origin.speaker), SOURCE_TRUST[candidate.source])
        return replace(candidate, provenance=origin, trust=trust)

    def classed(self, origin: Provenance) -> Provenance:
        """Return a source with its class, where that is not plain from who speaks."""
        named = self.class_of(origin)
        return replace(origin, trust_class=None if named == origin.speaker else named)

    def _of_tool(self, tool: str) -> TrustClass:
        found = [named for glob, named in self.tools.items() if glob == tool or fnmatchcase(tool, glob)]
        return self._least(found) if found else "tool"

    def _least(self, named: Iterable[TrustClass]) -> TrustClass:
        return min(named, key=lambda it: (self.believed(it), TRUST_CLASSES.index(it)))


def class_of(origin: Provenance) -> TrustClass:
    """Return the class of a source, as far as it tells by itself: it is never more trusted than its speaker."""
    speaker: TrustClass = origin.speaker
    return speaker if origin.trust_class is None else min(speaker, origin.trust_class, key=CLASS_TRUST.__getitem__)


def behind(memories: Iterable[Memory]) -> dict[str, Any]:
    """Return what of the provenance of something concluded from memories tells how far it is believed, as fields."""
    origins = [it.provenance for it in memories]
    tools = dict.fromkeys(name for it in origins for name in it.tools)
    named = min(map(class_of, origins), key=CLASS_TRUST.__getitem__)
    return {"tools": tuple(tools)[:MAX_TAGS], "trust_class": None if named in OWN_WORD else named}


def is_own_word(candidate: Candidate) -> bool:
    """Whether the user or the application says it outright, so that it may correct and confirm."""
    return candidate.source == "explicit" and class_of(candidate.provenance) in OWN_WORD


def read_trust(given: TrustPolicy | Mapping[str, object] | None) -> TrustPolicy:
    """Return a policy from its fields.

    Raises:
        ConfigurationError: A field is unknown, or impossible.
    """
    if given is None or isinstance(given, TrustPolicy):
        return given or TrustPolicy()
    if not isinstance(given, Mapping):
        msg = f"trust must be a TrustPolicy or a dict of its fields, got {type(given).__name__}"
        raise ConfigurationError(msg)
    unknown = [name for name in given if name not in TrustPolicy.__dataclass_fields__]
    if unknown:
        msg = f"trust has no field {unknown[0]!r}; use one of {', '.join(TrustPolicy.__dataclass_fields__)}"
        raise ConfigurationError(msg)
    return TrustPolicy(**given)  # type: ignore[arg-type]  # each field is checked there
