"""Sensitive data in records and in JSON values: every text of them protected, and what was found collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.types import Candidate, Memory, Scope

_TEXTS: Final = ("content", "subject", "relation", "object", "legal_basis")
_LABELS: Final = ("tags", "purposes")
_NO_TEXT: Final = frozenset(
    "type id index data base64 mime_type media_type source_type signature encrypted_content tool_call_id"
    " file_id".split()
)
"""Keys of LangChain's content blocks whose values are ids, names of formats, or bytes written as text."""

_BYTES: Final = frozenset({"data"})
_BLOCK: Final = frozenset({"type", "source_type", "mime_type", "media_type"})
"""Keys that tell a content block, whose `data` are bytes; anybody else's is a text like every other."""


def holder_of(scope: Scope, layer: Layer = "histories") -> str:
    """Return under which name the values of a conversation are held."""
    return f"{layer}/{scope.session_id}"


class Protector:
    """Protects the texts of one thing in a layer, and collects what was found in them.

    Attributes:
        found: Types, each once. `blocked`: those that may not stand there. `tokens`: what each token stands for.
    """

    def __init__(self, policy: SensitivePolicy, layer: Layer, scope: Scope | None) -> None:
        """Nothing is found yet."""
        self._policy = policy
        self._layer: Layer = layer
        self._scope = scope
        self.found: dict[str, None] = {}
        self.blocked: dict[str, None] = {}
        self.tokens: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text as it may stand there."""
        made = self._policy.protect(text, self._layer, self._scope)
        self.found |= dict.fromkeys(made.found)
        self.blocked |= dict.fromkeys(made.blocked)
        self.tokens |= made.tokens
        return made.text

    def value(self, value: Any) -> Any:  # noqa: ANN401  (any JSON value)
        """Return a JSON-like value with every text in it protected, but for keys, ids and bytes."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            no_text = _NO_TEXT if value.keys() & _BLOCK else _NO_TEXT - _BYTES
            return {key: it if key in no_text and isinstance(it, str) else self.value(it) for key, it in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.value, value)) if type(value) in {list, tuple} else value
        return value

    def fields(self, record: Candidate | Memory) -> dict[str, Any]:
        """Return those fields of a memory that are to be others, with what they are to be."""
        goal, origin = record.goal, record.provenance
        texts = {name: self.text(it) for name in _TEXTS if (it := getattr(record, name))}
        labels = {name: tuple(dict.fromkeys(map(self.text, getattr(record, name)))) for name in _LABELS}
        made: dict[str, Any] = {**texts, **labels, "provenance": origin}
        if goal is not None:
            steps = {name: tuple(map(self.text, getattr(goal, name))) for name in ("steps", "completed")}
            next_step = goal.next_step and self.text(goal.next_step)
            made["goal"] = replace(goal, **steps, next_step=next_step)  # type: ignore[arg-type]  # tuples of texts
        if origin.evidence:  # what is blocked in it alone is redacted: the memory itself does not say it
            blocked = dict(self.blocked)
            made["provenance"] = replace(origin, evidence=self.text(origin.evidence))
            self.blocked = blocked
        return {name: value for name, value in made.items() if value != getattr(record, name)}


class ProtectedCandidate(NamedTuple):
    """A candidate with what was found replaced, what of it must not be kept at all, and what its tokens stand for."""

    candidate: Candidate
    blocked: tuple[str, ...]
    tokens: Mapping[str, str]


def protect_candidate(policy: SensitivePolicy, candidate: Candidate, scope: Scope) -> ProtectedCandidate:
    """Return a candidate with its texts as they may stand among facts; what is blocked is redacted in it."""
    protector = Protector(policy, "facts", scope)
    changes = protector.fields(candidate)
    made = replace(candidate, **changes) if changes else candidate
    return ProtectedCandidate(made, tuple(protector.blocked), protector.tokens)


def found_in(policy: SensitivePolicy, memory: Memory) -> frozenset[str]:
    """Return the types of what may not stand in a fact as it is."""
    protector = Protector(policy, "facts", memory.scope)
    protector.fields(memory)
    return frozenset(protector.found)


def shown_memory(policy: SensitivePolicy, memory: Memory) -> Memory:
    """Return a memory as it may be shown to a model or a caller."""
    if policy.is_idle("shown"):
        return memory
    changes = Protector(policy, "shown", memory.scope).fields(memory)
    return replace(memory, **changes) if changes else memory
