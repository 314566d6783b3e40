"""Why a request to forget, or to remember nothing, is not done, or not all of it, as the report lists it."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.nodes.state import Refusal

UNCLEAR_WHO: Final[Refusal] = {
    "kind": "fact",
    "rule": "several_meant",
    "reason": "More than one may be meant: what is kept of somebody by their name stays until the user tells which.",
}
"""What of a request to forget somebody is not done, and why: nothing of it is, where memory knows several."""

UNCLEAR_HOW_MANY: Final[Refusal] = {
    "kind": "fact",
    "rule": "how_many_meant",
    "reason": "How much of what was said is meant, or which part, was not told: all of it stays until the user does.",
}
"""Why nothing is done of a request to forget the last few things, or what was said today."""

PARTLY_UNKNOWN: Final[Refusal] = {
    "kind": "fact",
    "rule": "partly_unknown",
    "reason": "Several things were named, and of one of them nothing is remembered: only the others are forgotten.",
}
"""Why a part of a request to forget several things is not done."""

NOTHING_MATCHES: Final[Refusal] = {
    "kind": "fact",
    "rule": "nothing_matches",
    "reason": "Nothing that matches what was to be forgotten is remembered: no memory and no turn was there to forget.",
}
"""Why a request to forget forgets nothing, where it was looked for and not found."""

NOT_HELD: Final[Refusal] = {
    "kind": "fact",
    "rule": "standing_ban",
    "reason": "Memory holds to no request about what will be said; run such turns with `memory_mode` `frozen` or `off`",
}
"""Why a request to remember nothing from now on is not done: what it says of this message is."""
