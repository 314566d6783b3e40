"""What of a message its speaker says themselves, as readers are shown it, with the way back to its words."""

from __future__ import annotations

from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem.english.requests.not_keeping import without_unkept
from langchain_agentmem.english.text.contractions import in_place
from langchain_agentmem.english.text.folding import Folded
from langchain_agentmem.extraction.record.quarantine import is_injection, spoken_only

MAX_READ_CHARS: Final = 20_000
"""Of a message; what is longer was pasted, and this bounds the work on it."""

KEPT_MESSAGES: Final = 64
"""Of so many messages what was read is kept: each is read as new, and again before the turns that follow it."""


@of_texts(KEPT_MESSAGES)
def spoken(original: str, user_name: str | None) -> Folded | None:
    """Return what of a message its speaker says themselves, as readers are shown it; `None` where it is hostile."""
    shown = in_place(beginning_of(original))
    said = through(shown, in_place(spoken_only(shown.text, user_name=user_name)))
    return None if is_injection(said.text) else said


@of_texts(KEPT_MESSAGES)
def kept(said: str) -> Folded:
    """Return what the user does not ask to leave out of memory, as readers are shown it."""
    return in_place(without_unkept(said))


def through(outer: Folded, inner: Folded) -> Folded:
    """Return what was made of a text with its places in what that text was made of."""
    is_unmoved = isinstance(inner.places, range)
    return Folded(inner.text, outer.places if is_unmoved else tuple(outer.places[it] for it in inner.places))


def beginning_of(text: str) -> str:
    """Return the beginning of a long text, up to the end of a sentence: half a sentence says something else."""
    if len(text) <= MAX_READ_CHARS:
        return text
    beginning = text[:MAX_READ_CHARS]
    return beginning[: max(beginning.rfind(end) for end in (". ", "! ", "? ", "\n")) + 1]
