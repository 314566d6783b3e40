"""A conversation in groups that are never cut: what has to stay together for a model to accept it.

A call of tools forms a group with all its results, wherever they stand: parallel calls, results out of order, results
that never came. Everything between a call and its last result belongs to the group, so that the groups are consecutive
parts of the list. Every other message is a group of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from typing import Final, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_agentmem.extraction.record.conversation import is_injected, is_of_user
from langchain_agentmem.summarize.marks import summary_text

DIGEST: Final = "digest-"
"""Begins the key of a message without an id."""

_DIGEST_BYTES: Final = 16


class Group(NamedTuple):
    """Consecutive messages that stay or leave together."""

    messages: tuple[BaseMessage, ...]

    @property
    def is_system(self) -> bool:
        """Whether it holds a system message of the application."""
        return any(is_own_system(message) for message in self.messages)

    @property
    def is_summary(self) -> bool:
        """Whether it is a summary of earlier messages."""
        return len(self.messages) == 1 and summary_text(self.messages[0]) is not None

    @property
    def is_of_user(self) -> bool:
        """Whether it holds something the user said."""
        return any(is_of_user(message) for message in self.messages)

    @property
    def starts_with_human(self) -> bool:
        """Whether a model that wants a human message first can begin here."""
        return isinstance(self.messages[0], HumanMessage)


def split(messages: Sequence[BaseMessage]) -> list[Group]:
    """Return the groups of a conversation; put together again, they are the same list."""
    ends = _ends(messages)
    groups: list[Group] = []
    start = end = 0
    for place in range(len(messages)):
        end = max(end, ends.get(place, place))
        if place == end:
            groups.append(Group(tuple(messages[start : place + 1])))
            start = end = place + 1
    return groups


def flat(groups: Iterable[Group]) -> list[BaseMessage]:
    """Return the messages of groups in one list."""
    return [message for group in groups for message in group.messages]


def is_own_system(message: BaseMessage) -> bool:
    """Whether it is a system message of the application, and no injected memory."""
    return isinstance(message, SystemMessage) and not is_injected(message)


def orphans(messages: Sequence[BaseMessage], here: AbstractSet[int]) -> set[int]:
    """Return the places, of those that are `here`, of results whose call is not: it left, or was never made."""
    calls = _calls_of_results(messages)
    return {place for place in here if isinstance(messages[place], ToolMessage) and calls.get(place) not in here}


def call_ids(message: BaseMessage) -> list[str]:
    """Return the ids of the calls that a message makes, malformed ones too: those are answered as well."""
    if not isinstance(message, AIMessage):
        return []
    return [id_ for call in (*message.tool_calls, *message.invalid_tool_calls) if (id_ := call.get("id")) is not None]


def keys_of(messages: Sequence[BaseMessage]) -> list[str]:
    """Return one key per message, no two the same: its id, or else a digest of what it says.

    A key stays the same while messages are added after it.
    """
    seen: Counter[str] = Counter()
    keys: dict[str, None] = {}
    for message in messages:
        base = key = message.id or _digest(message)
        seen[base] += 1
        while key in keys or (key == base and seen[base] > 1):
            seen[base] += key != base  # an id may look like the key of another message
            key = f"{base}#{seen[base]}"
        keys[key] = None
    return list(keys)


def _ends(messages: Sequence[BaseMessage]) -> dict[int, int]:
    """Return how far the group that begins at a place must reach at least."""
    ends: dict[int, int] = {}
    for place, call in _calls_of_results(messages).items():
        start, end = min(call, place), max(call, place)
        ends[start] = max(end, ends.get(start, start))
    return ends


def _calls_of_results(messages: Sequence[BaseMessage]) -> dict[int, int]:
    """Return by the place of each result that of its call."""
    callers: dict[str, list[int]] = {}
    for place, message in enumerate(messages):
        for id_ in call_ids(message):
            callers.setdefault(id_, []).append(place)
    calls = ((place, _partner(message, place, callers)) for place, message in enumerate(messages))
    return {place: call for place, call in calls if call is not None}


def _partner(message: BaseMessage, place: int, callers: dict[str, list[int]]) -> int | None:
    """Return where the call of a result stands: the nearest before it, or else the first after it."""
    if isinstance(message, FunctionMessage):
        return place - 1 if place else None
    if not isinstance(message, ToolMessage):
        return None
    places = callers.get(message.tool_call_id, [])
    before = [caller for caller in places if caller < place]
    return before[-1] if before else next(iter(places), None)


def _digest(message: BaseMessage) -> str:
    said = message.model_dump_json(include={"type", "content", "name", "tool_calls", "tool_call_id"}, fallback=str)
    return f"{DIGEST}{blake2b(said.encode('utf-8', 'replace'), digest_size=_DIGEST_BYTES).hexdigest()}"
