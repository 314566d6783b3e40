"""A goal, as it is returned and told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from langchain_agentmem.types import GoalProgress, Memory
from langchain_agentmem.types.fitting import Section, fitted

DEFAULT_CONTEXT_TOKENS: Final = 300
"""A goal, its next step and a dozen of steps done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A goal, and how far it has come.

    Attributes:
        memory: As it is remembered; `memory.content` is the goal in words.
    """

    memory: Memory

    @property
    def id(self) -> str:
        """Return the id of the memory."""
        return self.memory.id

    @property
    def text(self) -> str:
        """Return the goal in words."""
        return self.memory.content

    @property
    def progress(self) -> GoalProgress:
        """Return how far it has come; what was said in passing and never worked on is open."""
        return self.memory.goal or GoalProgress()

    def to_context(self, max_tokens: int = DEFAULT_CONTEXT_TOKENS) -> str:
        """Return the goal as delimited data for a prompt: what it is, what comes next, what is done, what is left."""
        progress = self.progress
        said = [f"{self.text} ({progress.status})"]
        next_step = [] if progress.next_step is None else [progress.next_step]
        left = [it for it in progress.left if it != progress.next_step]
        sections = (
            Section("said", said, are_newest_kept=False),
            Section("next_step", next_step),
            Section("completed", progress.completed),
            Section("left", left, are_newest_kept=False),
        )
        flat = [it._replace(lines=[" ".join(line.split()) for line in it.lines]) for it in sections if it.lines]
        return fitted(("<goal>", "</goal>"), flat, max_tokens)
