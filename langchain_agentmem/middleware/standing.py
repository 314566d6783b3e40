"""The user's profile in a request: what is known of them whatever they ask, in a text that seldom changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Protocol
from xml.sax.saxutils import escape

from langchain_agentmem._flow import Flow
from langchain_agentmem.nodes.state import RecalledMemory
from langchain_agentmem.nodes.turn import Turn
from langchain_agentmem.profiles.model import UserProfile
from langchain_agentmem.profiles.service import Profiles
from langchain_agentmem.types import RecallQuery

SHARE: Final = 4
"""The profile has a quarter of the budget: it is there in every turn, what is recalled is for the one at hand."""

PROFILE: Final = "profile"
"""Part that marks what the profile shows in the report's `recalled`."""


class HasProfiles(Protocol):
    """What this needs of an `AgentMemory`."""

    @property
    def profiles(self) -> Profiles[Any]:
        """Who each user is."""
        ...


class Standing(NamedTuple):
    """A profile's text, and the memories that say it."""

    text: str = ""
    shown: tuple[RecalledMemory, ...] = ()


def read_profile(memory: HasProfiles, turn: Turn, query: RecallQuery) -> Flow[Standing]:
    """Return the profile of a turn's user, as far as the budget goes."""
    profile = yield from memory.profiles.get_flow(turn.scope, query.purpose, turn.mode)
    budget = max(1, (query.max_tokens or 1) // SHARE)
    text = profile.to_context(budget)
    return Standing(text, tuple(_shown(profile, text)))


def is_of_profile(entry: RecalledMemory) -> bool:
    """Whether a memory of the report was shown by the profile."""
    return PROFILE in entry["parts"]


def _shown(profile: UserProfile, text: str) -> Iterator[RecalledMemory]:
    """Yield the memories that had room: an answer that repeats them is an echo, like one of any memory shown."""
    for state in (*profile.fields.values(), *profile.told):
        if not _is_in(state.value, text):
            continue
        yield {
            "id": state.memory_id,
            "kind": "fact" if state.field == "facts" else "preference",
            "status": "active",
            "score": 1.0,
            "parts": {PROFILE: 1.0},
            "receipt_id": None,
            "is_constraint": False,
            "action": None,
        }


def _is_in(value: object, text: str) -> bool:
    """Whether a profile's text shows a value; what is no text is short, and is taken to be there if anything is."""
    return bool(text) and (not isinstance(value, str) or escape(" ".join(value.split())) in text)
