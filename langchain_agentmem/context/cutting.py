"""What was cut from a prompt, by name: a trace that only counts does not say what the model was not told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.context.tiers import LISTED, SHRINKING, ContextParts, Entry, Items, whole
from langchain_agentmem.types import Hit

_SECTION: Final = lazy_pattern(
    r'^<(?P<name>\w+)(?: omitted="\d+")?>\n(?P<body>.*?)\n</(?P=name)>$', re.DOTALL | re.MULTILINE
)
"""A section of what says itself, as `types.fitting` writes it."""


def cut_of(parts: ContextParts, taken: ContextParts) -> dict[str, tuple[str, ...]]:
    """Return what of some parts is not among those taken, by tier.

    Memories and messages are named by their ids, texts with a name by that, others by their place: `#1`. Of what says
    itself shorter, the sections that lack something are named; a summary and a system prompt have none but themselves.
    """
    lost = {name: _items(name, getattr(parts, name), len(getattr(taken, name))) for name in LISTED}
    said = {name: (whole(getattr(parts, name)), whole(getattr(taken, name))) for name in SHRINKING}
    lost |= {name: sections_cut(name, *texts) for name, texts in said.items()}
    lost["messages"] = tuple(_messages(parts.messages, taken.messages))
    lost |= {name: (name,) for name in ("summary", "system") if getattr(parts, name) != getattr(taken, name)}
    return {name: names for name, names in lost.items() if names}


def _items(name: str, items: Items, kept: int) -> tuple[str, ...]:
    """Return the names of items beyond those kept: of scratch the newest are, else the first."""
    named = [_name(item, place) for place, item in enumerate(items, 1)]
    return tuple(named[: len(items) - kept] if name == "scratch" else named[kept:])


def _name(item: str | Entry | Hit, place: int) -> str:
    if isinstance(item, Hit):
        return item.memory.id
    return item.name if isinstance(item, Entry) else f"#{place}"


def _messages(messages: Sequence[BaseMessage], kept: Sequence[BaseMessage]) -> Iterator[str]:
    stay = set(map(id, kept))
    for place, message in enumerate(messages, 1):
        if id(message) not in stay:
            yield message.id or f"#{place}"


def sections_cut(name: str, text: str, shown: str) -> tuple[str, ...]:
    """Return the sections of a text that lack something where it is shown shorter; `name` where it has none."""
    if text == shown:
        return ()
    said = _bodies(shown)
    return tuple(it for it, body in _bodies(text).items() if said.get(it) != body) or (name,)


def _bodies(text: str) -> dict[str, str]:
    """Return what each section within a frame says."""
    return {it["name"]: it["body"] for it in _SECTION.finditer(text.partition("\n")[2])}
