"""What is recorded of an agent's runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

StepKind: TypeAlias = Literal[
    "began", "thought", "action", "observation", "moved", "error", "paused", "lost", "ended", "failed"
]
RunStatus: TypeAlias = Literal["open", "ended", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """One thing that happened in a run.

    Attributes:
        no: Its number in the run, from 1; a gap is what was lost.
        kind: `began` and `ended` or `failed`: the run itself. `thought`: what a model answered. `action`: a tool was
            called; `observation`: what it returned. `moved`: what a node put into the graph's state. `error`: a model,
            a tool or a node failed. `paused`: a node waits for a person. `lost`: steps that could not be kept.
        body: What is told of it; empty where it was erased.
    """

    no: int
    kind: StepKind
    at: datetime
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_erased(self) -> bool:
        """Whether what was told of it is gone."""
        return bool(self.body.get("erased"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """A run, as far as it was recorded.

    Attributes:
        status: `open`: it goes on, or its process ended; what came after the last step was not kept.
        steps: How many were kept; `lost`: how many were not, as far as that is known.
        name: Of the graph or chain. `thread_id`: of the conversation.
    """

    id: str
    began_at: datetime
    last_at: datetime
    status: RunStatus
    steps: int
    lost: int = 0
    name: str = ""
    thread_id: str | None = None
    agent_id: str | None = None
