"""The user's profile in a request: what is known of them whatever they ask, in a text that seldom changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.context.cutting import sections_cut
from langchain_agentmem.context.tiers import WHOLE
from langchain_agentmem.english.reading.profile_fields import PREFERENCES, shown
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import RecalledMemory
from langchain_agentmem.nodes.turn import Failure, Turn, attempt
from langchain_agentmem.profiles.model import FieldState

SHARE: Final = 4
"""The profile has a quarter of the budget: it is there in every turn, what is recalled is for the one at hand."""

PROFILE: Final = "profile"
"""Part that marks what the profile shows in the report's `recalled`."""


class Standing(NamedTuple):
    """A profile as the model is shown it.

    Attributes:
        text: Empty where there is none. `shown`: the memories that say it. `contents`: their words, by id.
        cut: Names of the sections of which something had no room.
        status: `degraded: …` where it could not be read.
    """

    text: str = ""
    shown: tuple[RecalledMemory, ...] = ()
    contents: Mapping[str, str] = {}
    cut: tuple[str, ...] = ()
    status: str | None = None


class Profiled:
    """Reads the profile of a turn's user.

    Args:
        memory: An `AgentMemory`; one without profiles has none.
        settings: Whether it is shown, for which purpose, and the budget.
    """

    def __init__(self, memory: object, settings: NodeSettings) -> None:
        """Compose; nothing is opened yet."""
        self._memory: Any = memory
        self._settings = settings

    def read_flow(self, turn: Turn) -> Flow[Standing]:
        """Return the profile, as far as the budget goes; where it fails, what failed."""
        if not self._settings.profile or not hasattr(self._memory, "profiles"):
            return Standing()
        found = yield from attempt(self._read, turn)
        return Standing(status=found.status) if isinstance(found, Failure) else found

    def _read(self, turn: Turn) -> Flow[Standing]:
        profile = yield from flows_of(self._memory.profiles).get(turn.scope, self._settings.query.purpose, turn.mode)
        budget = max(1, self._settings.budget // SHARE)
        text = profile.to_context(budget)
        whole = profile.to_context(WHOLE)
        there = [it for it in (*profile.fields.values(), *profile.told) if _is_in(it.value, text)]
        entries = tuple(map(_entry, there))
        return Standing(text, entries, {it.memory_id: _said(it) for it in there}, sections_cut(PROFILE, whole, text))


def is_of_profile(entry: RecalledMemory) -> bool:
    """Whether a memory of the report was shown by the profile."""
    return PROFILE in entry["parts"]


def _entry(state: FieldState) -> RecalledMemory:
    """Return a memory that had room, for the report: an answer that repeats it is an echo, like one of any other."""
    return {
        "id": state.memory_id,
        "kind": "fact" if state.field == "facts" else "preference",
        "status": "active",
        "score": 1.0,
        "parts": {PROFILE: 1.0},
        "receipt_id": None,
        "is_constraint": False,
        "action": None,
    }


def _said(state: FieldState) -> str:
    """Return what the profile says of a memory: a fact as it is, the value of a field behind its name."""
    told = shown(state.value)
    return told if state.field == "facts" else f"{state.field.removeprefix(PREFERENCES)}: {told}"


def _is_in(value: object, text: str) -> bool:
    """Whether a profile's text shows a value; what is no text is short, and is taken to be there if anything is."""
    if not text or not isinstance(value, str):
        return bool(text)
    return re.search(rf"(?<!\w){re.escape(escape(' '.join(value.split())))}(?!\w)", text) is not None
