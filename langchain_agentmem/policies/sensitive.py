"""Which sensitive data may stand where: a strategy for each type, in each layer of memory.

Example:
    ```python
    from langchain_agentmem.policies.sensitive import SensitivePolicy

    policy = SensitivePolicy(rules={"email": "mask"}, layers={"histories": "redact"})
    policy.protect("write to alice@example.org", "facts").text  # 'write to *****@*******.***'
    ```
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from langchain_agentmem._checks import check_callable, check_choice, check_secret
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.detect_identity import IDENTITY_DETECTORS
from langchain_agentmem.policies.protecting import (
    STRATEGIES,
    Protected,
    Strategy,
    replace_spans,
    spans_of,
    type_named,
)
from langchain_agentmem.policies.redact import DEFAULT_DETECTORS, Detector, find_sensitive
from langchain_agentmem.types import Scope

Layer: TypeAlias = Literal[
    "facts", "episodes", "histories", "working", "threads", "store", "receipts", "runs", "jobs", "shown"
]
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)
Rules: TypeAlias = Mapping[str, Strategy]

ANY: Final = "*"
"""Stands for every type that is not named."""

ALL_DETECTORS: Final[tuple[Detector, ...]] = (*DEFAULT_DETECTORS, *IDENTITY_DETECTORS)
"""What is found by default, and addresses of machines, dates of birth and national ids."""

DEFAULTS: Final[Mapping[Layer, Strategy]] = MappingProxyType(
    {
        "facts": "block",
        "episodes": "redact",
        "histories": "keep",
        "working": "keep",
        "threads": "keep",
        "store": "keep",
        "receipts": "redact",
        "runs": "keep",
        "jobs": "keep",
        "shown": "keep",
    }
)
"""What holds where nothing is said: a conversation is the user's own record, and is kept as it was."""

_FOUND: Final = "email card iban ssn secret passport phone ip mac birth_date national_id".split()
"""What each of all detectors finds."""

_NAMED: Final[Mapping[str, tuple[Detector, ...]]] = {"default": DEFAULT_DETECTORS, "all": ALL_DETECTORS}
_WITHOUT_TOKENS: Final = frozenset({"store", "receipts", "runs", "jobs", "shown"})
"""What is read there, is soon gone, or has no owner that is known; a general rule to tokenise redacts there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealRequest:
    """Somebody wants the value of a token.

    Attributes:
        actor: Who asks, as the application knows them; `None`: it did not say.
        type: What kind of data it is.
        reason: As it was given.
    """

    scope: Scope
    token: str
    type: str
    actor: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivePolicy:
    """What becomes of sensitive data, by type and by layer.

    A strategy is `keep`, `block` (it may not stand there: the write is refused), `redact` (`[card]`), `mask`
    (`**** ****`), `hash` (`[card#…]`: equal for equal values of one user), or `tokenise` (`[card:…]`: the value is kept
    sealed beside it, and `memory.sensitive.reveal` gives it back to who may have it).

    Args:
        rules: A strategy per type, in every layer that is written; `*`: all other types. Names are ours (`email`,
            `phone`, `card`, `iban`, `ssn`, `secret`, …), Presidio's or LangChain's.
        layers: What differs in a layer: a strategy for all types, or one per type. Layers are `facts`, `episodes`,
            `histories`, `working`, `store`, `receipts`, and `shown`: what recalls and listings return; and, for scans
            alone, `threads`, `runs` (what agents did) and `jobs` (turns that wait).
        detectors: `default`; `all`: also IP and MAC addresses, dates of birth and national ids; or functions
            from a text to its matches, ours or in the shape of LangChain's `PIIMiddleware`. One that says which `types`
            it finds lets rules for others be refused.
        key: For `hash` and `tokenise`: at least 16 bytes, kept outside the database.
        may_reveal: Whether a `RevealRequest` is granted; `None`: none is.

    Raises:
        ConfigurationError: A strategy, layer or detector is unknown, a rule is for a type that no detector finds, or a
            key is missing.
    """

    rules: Rules = field(default_factory=dict)
    layers: Mapping[str, Strategy | Rules] = field(default_factory=dict)
    detectors: Sequence[Detector] | str = "default"
    key: bytes | None = field(default=None, repr=False)
    may_reveal: Callable[[RevealRequest], bool] | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        object.__setattr__(self, "rules", _checked_rules("rules", self.rules))
        object.__setattr__(self, "layers", _checked_layers(self.layers))
        object.__setattr__(self, "detectors", _checked_detectors(self.detectors))
        named: dict[str, Any] = {"rules": self.rules, **{f"layers[{it!r}]": own for it, own in self.layers.items()}}
        detectors: Any = self.detectors  # checked: functions
        _check_found(named, detectors)
        if self.key is not None:
            check_secret("key", self.key)
        if self.may_reveal is not None:
            check_callable("may_reveal", self.may_reveal, "lambda request: request.actor in SUPPORT")
        keyed = sorted({it for layer in LAYERS for it in self._strategies(layer)} & {"hash", "tokenise"})
        if keyed and self.key is None:
            msg = f"strategy {keyed[0]!r} needs a key; pass key=… of at least 16 bytes, kept outside the database"
            raise ConfigurationError(msg)

    def strategy(self, layer: Layer, type: str) -> Strategy:
        """Return what becomes of a type in a layer."""
        own = self.layers.get(layer, {})
        for rules in (own, {} if layer == "shown" else self.rules):
            found: Strategy | None = rules.get(type) or rules.get(ANY)  # type: ignore[union-attr]  # checked: mappings
            if found is not None:
                return "redact" if found == "tokenise" and layer in _WITHOUT_TOKENS else found
        return DEFAULTS[layer]

    def is_idle(self, layer: Layer) -> bool:
        """Whether everything may stand in a layer as it is."""
        return self._strategies(layer) <= {"keep"}

    def tokenises(self, layer: Layer) -> bool:
        """Whether values of a layer are kept apart from it."""
        return "tokenise" in self._strategies(layer)

    def protect(self, text: str, layer: Layer, *, scope: Scope | None = None) -> Protected:
        """Return a text as it may stand in a layer of a user's memory; protecting it again changes nothing."""
        if not text or self.is_idle(layer):
            return Protected(text=text)
        detectors: Any = self.detectors  # checked: functions
        spans = spans_of(text, find_sensitive(text, detectors), lambda type: self.strategy(layer, type))
        return replace_spans(text, spans, self.key, scope) if spans else Protected(text=text)

    def _strategies(self, layer: Layer) -> set[Strategy]:
        """Return every strategy that may be used in a layer."""
        types = {*self.rules, *self.layers.get(layer, ()), ANY}
        return {self.strategy(layer, type) for type in types}


def _checked_layers(given: object) -> dict[str, Rules]:
    if not isinstance(given, Mapping):
        msg = f"layers must be a dict, got {type(given).__name__}; for example {{'histories': 'redact'}}"
        raise ConfigurationError(msg)
    checked: dict[str, Rules] = {}
    for layer, rules in given.items():
        check_choice("layers", layer, LAYERS)
        checked[layer] = _checked_rules(f"layers[{layer!r}]", {ANY: rules} if isinstance(rules, str) else rules)
        if layer in _WITHOUT_TOKENS and "tokenise" in checked[layer].values():
            msg = f"layers[{layer!r}] cannot tokenise: nobody owns what stands there; use 'hash', 'mask' or 'redact'"
            raise ConfigurationError(msg)
    return checked


def _checked_rules(name: str, given: object) -> dict[str, Strategy]:
    if not isinstance(given, Mapping) or not all(isinstance(it, str) and it.strip() for it in given):
        msg = (
            f"{name} must be a dict of strategies by type, got {type(given).__name__}; for example {{'card': 'block'}}"
        )
        raise ConfigurationError(msg)
    for type_, strategy in given.items():
        check_choice(f"{name}[{type_!r}]", strategy, STRATEGIES)
    return {type_ if type_ == ANY else type_named(type_): strategy for type_, strategy in given.items()}


def _check_found(rules: Mapping[str, Rules], detectors: Sequence[Detector]) -> None:
    """Refuse a rule that would protect nothing: one for a type that nothing finds."""
    types = [_types_of(it) for it in detectors]
    if None in types:
        return  # a function of somebody's may find anything
    known = {ANY, *(name for found in types if found is not None for name in found)}
    for where, own in rules.items():
        if lost := sorted(own.keys() - known):
            more = "; detectors='all' finds it" if lost[0] in _FOUND else ""
            msg = (
                f"{where} names {lost[0]!r}, which no detector in use finds; known are {', '.join(sorted(known))}{more}"
            )
            raise ConfigurationError(msg)


def _types_of(detector: Detector) -> Collection[str] | None:
    ours = [name for it, name in zip(ALL_DETECTORS, _FOUND, strict=True) if it is detector]
    types: Collection[str] | None = ours or getattr(detector, "types", None)
    return types


def _checked_detectors(given: object) -> tuple[Detector, ...]:
    if isinstance(given, str):
        check_choice("detectors", given, tuple(_NAMED))
        return _NAMED[given]
    if not isinstance(given, (list, tuple)) or not given or not all(map(callable, given)):
        msg = f"detectors must be 'default', 'all' or a list of functions, got {type(given).__name__}"
        raise ConfigurationError(msg)
    return tuple(given)
