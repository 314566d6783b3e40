"""Sensitive data in records and in JSON values: every text of them protected, and what was found collected."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final, NamedTuple, TypeVar

from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.types import (
    ApprovalOutcome,
    Candidate,
    Decision,
    Episode,
    Event,
    GoalProgress,
    Memory,
    Provenance,
    Scope,
)

Result = TypeVar("Result", Decision, ApprovalOutcome)

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
        made = self._policy.protect(text, self._layer, scope=self._scope)
        self.found |= dict.fromkeys(made.found)
        self.blocked |= dict.fromkeys(made.blocked)
        self.tokens |= made.tokens
        return made.text

    def value(self, value: Any) -> Any:  # noqa: ANN401  (any JSON value)
        """Return a JSON-like value with every text in it protected, keys as well, but for ids and bytes."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            no_text = _NO_TEXT if value.keys() & _BLOCK else _NO_TEXT - _BYTES
            return self.mapping(value, {key for key in no_text & value.keys() if isinstance(value[key], str)})
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.value, value)) if type(value) in {list, tuple} else value
        return value

    def mapping(self, value: Mapping[Any, Any], names: Container[Any]) -> dict[Any, Any]:
        """Return a mapping with its keys and values protected, but for the values of some keys; no two keys are one."""
        made = {key: self.text(key) for key in value if isinstance(key, str)}
        taken = {key for key in value if made.get(key, key) == key}
        for key, text in made.items():
            if text != key:
                made[key] = next(it for it in _numbered(text) if it not in taken)
                taken.add(made[key])
        return {made.get(key, key): it if key in names else self.value(it) for key, it in value.items()}

    def fields(self, record: Candidate | Memory) -> dict[str, Any]:
        """Return those fields of a memory that are to be others, with what they are to be."""
        made = {name: self.field(name, getattr(record, name)) for name in (*_TEXTS, *_LABELS, "goal", "provenance")}
        return {name: value for name, value in made.items() if value != getattr(record, name)}

    def field(self, name: str, value: Any) -> Any:  # noqa: ANN401  (as in `Memory`)
        """Return one field of a memory as it may stand there."""
        if name in _LABELS:
            return tuple(dict.fromkeys(map(self.text, value)))
        if name in _TEXTS and value:
            return self.text(value)
        if isinstance(value, GoalProgress):
            steps = {name: tuple(map(self.text, getattr(value, name))) for name in ("steps", "completed")}
            next_step = value.next_step and self.text(value.next_step)
            return replace(value, **steps, next_step=next_step)  # type: ignore[arg-type]  # tuples of texts
        if (
            isinstance(value, Provenance) and value.evidence
        ):  # what is blocked in it alone is redacted: no memory says it
            blocked = dict(self.blocked)
            made = replace(value, evidence=self.text(value.evidence))
            self.blocked = blocked
            return made
        return value


def _numbered(text: str) -> Iterator[str]:
    yield text
    yield from (f"{text} {number}" for number in count(2))


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


def shown_result(policy: SensitivePolicy, result: Result) -> Result:
    """Return what became of a memory whose words the caller did not say, with that memory as it may be shown."""
    return result if result.memory is None else replace(result, memory=shown_memory(policy, result.memory))


def shown_field(policy: SensitivePolicy, name: str, value: Any, scope: Scope) -> Any:  # noqa: ANN401  (as in `Memory`)
    """Return one field of a memory as it may be shown."""
    return value if policy.is_idle("shown") else Protector(policy, "shown", scope).field(name, value)


def shown_event(policy: SensitivePolicy, event: Event, scope: Scope) -> Event:
    """Return an event of the log as it may be shown; its digest is that of what is stored."""
    if policy.is_idle("shown"):
        return event
    return replace(event, payload=Protector(policy, "shown", scope).value(event.payload))


def shown_episode(policy: SensitivePolicy, episode: Episode) -> Episode:
    """Return a turn of a conversation as it may be shown."""
    if policy.is_idle("shown"):
        return episode
    show = Protector(policy, "shown", episode.scope).text
    return replace(episode, speaker=show(episode.speaker), text=show(episode.text), reply=show(episode.reply))
