"""How far runs of skills came that failed: noted in an agent's state, so that the next call goes on there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

LEFT: Final = "memory_skills"
"""Key of the state under which it is noted: of this package alone, and set from no input."""

MAX_LEFT: Final = 8
"""Runs that are noted, the last ones; one that is not goes from its beginning."""

_KEPT: Final = ("skill", "text", "started_with", "status", "results", "completed_steps", "failed_at_step", "past")
_KEY_BYTES: Final = 8


class Left(dict[str, Any]):
    """What the tool that runs skills notes; what another tool gives under the same name is not taken over."""


def join_left(known: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is noted with what is new; a run that came to its end is noted no more."""
    joined = {**{key: it for key, it in (known or {}).items() if key not in new}, **new}
    return dict([*((key, it) for key, it in joined.items() if it is not None)][-MAX_LEFT:])


def key_of(name: str, inputs: Mapping[str, Any], owner: str) -> str:
    """Return what tells runs of a skill with other inputs, or of another user of the same thread, apart."""
    given = json.dumps([owner, inputs], sort_keys=True, default=str).encode()
    return f"{name}/{blake2b(given, digest_size=_KEY_BYTES).hexdigest()}"


def left_of(ran: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is noted of a run: `None` of one that is completed, or of which no step was done."""
    if ran.get("status") != "failed" or not ran.get("completed_steps"):
        return None
    return {name: ran[name] for name in _KEPT if name in ran}
