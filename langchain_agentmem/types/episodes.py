"""Episodes: turns of conversations as something that can be searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from langchain_agentmem._checks import MAX_CONTENT_CHARS, MAX_LABEL_CHARS, MAX_TAGS
from langchain_agentmem.types.memories import Memory, Provenance
from langchain_agentmem.types.scope import Scope
from langchain_agentmem.types.showing import briefly

MAX_EPISODE_CHARS: Final = 200_000
"""Of a turn's text and of its reply, each; a longer message stays in its conversation, and is not searched whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One turn of a conversation: what a person said, and what was replied.

    Attributes:
        id: Made from the session and the first message, so that the same turn is never kept twice.
        scope: Whose it is; `session_id` names the conversation.
        place: Position in its session as it was kept: tells the order of what was said at one moment.
        at: When it was said.
        speaker: Name of who said it; `user` where the message names none.
        text: What the person said. `reply`: what the assistant answered; empty where nobody did.
        message_ids: The messages it consists of.
        purposes: What it may be used for: those that the user's consent was limited to when it was kept; empty: all. A
            reply that comes later adds none.
        expires_at: When it is to be forgotten in any case.
        superseded_by: Id of the last episode that surely gives another value to what it says. `updates`: ids of those
            to which it does so. Told by a recall: how sure it is depends on all that was said.
        revision: The state of the user's episodes in which it was written.
    """

    __repr__ = briefly()

    id: str
    scope: Scope
    place: int
    at: datetime
    speaker: str = field(repr=False)
    text: str = field(repr=False)
    reply: str = field(default="", repr=False)
    message_ids: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    expires_at: datetime | None = None
    superseded_by: str | None = None
    updates: tuple[str, ...] = ()
    revision: int = 0

    @property
    def content(self) -> str:
        """Return both sides as lines, each with its speaker."""
        said = f"{self.speaker}: {self.text}"
        return f"{said}\nassistant: {self.reply}" if self.reply else said

    def as_memory(self, shown: str | None = None) -> Memory:
        """Return the episode in the form in which a recall returns what it found.

        Its content is cut at 10,000 characters, and it names 64 of its messages at most, as any memory.

        Args:
            shown: What is shown of a long one, in place of how it begins.
        """
        is_stale = self.superseded_by is not None
        named = [it for it in self.message_ids if len(it) <= MAX_LABEL_CHARS][:MAX_TAGS]
        return Memory(
            id=self.id,
            scope=self.scope,
            kind="episode",
            content=(self.content if shown is None else shown)[:MAX_CONTENT_CHARS],
            confidence=1.0,
            importance=0.0,
            source="explicit",
            status="superseded" if is_stale else "active",
            subject=self.speaker,
            purposes=self.purposes,
            provenance=Provenance(speaker="user" if self.text else "assistant", message_ids=tuple(named)),
            valid_at=self.at,
            created_at=self.at,
            expires_at=self.expires_at,
            supersedes=self.updates,
            links=() if self.superseded_by is None else (self.superseded_by,),
            revision=self.revision,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of turns that were offered.

    Attributes:
        kept: Episodes written now. `known`: turns that were there already. `queued`: messages that are taken in later.
        refused: By name of the rule, how many were not kept: `consent`, `memory_mode`, `anonymous_scope`,
            `injected_text` (written for the machine), `already_expired`, `forgotten_meanwhile` (the user asked to
            forget it while it waited).
    """

    kept: int = 0
    known: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    queued: int = 0

    @property
    def offered(self) -> int:
        """Return how many turns were offered."""
        return self.kept + self.known + self.queued + sum(self.refused.values())

    def __add__(self, other: IngestReport) -> IngestReport:
        """Return the sum of two reports."""
        rules = {*self.refused, *other.refused}
        refused = {rule: self.refused.get(rule, 0) + other.refused.get(rule, 0) for rule in sorted(rules)}
        queued = self.queued + other.queued
        return IngestReport(kept=self.kept + other.kept, known=self.known + other.known, refused=refused, queued=queued)
