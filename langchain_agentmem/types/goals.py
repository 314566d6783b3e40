"""How far a goal has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem._checks import check_choice, check_text
from langchain_agentmem.errors import ConfigurationError

GoalStatus: TypeAlias = Literal["open", "active", "blocked", "done", "abandoned"]

GOAL_STATUSES: Final[tuple[GoalStatus, ...]] = get_args(GoalStatus)
MAX_STEPS: Final = 200
"""Steps of a goal that lives for weeks, several a day; a longer list is a project, and its parts are goals."""

MAX_STEP_CHARS: Final = 500
"""A step is a sentence or two, and all of them are read with the goal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalProgress:
    """How far a goal has come.

    Args:
        status: `open` (nobody has begun), `active`, `blocked`, `done` or `abandoned`.
        steps: The plan, in order, where there is one.
        completed: What was done, in the order in which it was.
        next_step: What comes next, in words that another session understands.

    Raises:
        ConfigurationError: A field is outside its set, or too long.
    """

    status: GoalStatus = "open"
    steps: tuple[str, ...] = field(default=(), repr=False)
    completed: tuple[str, ...] = field(default=(), repr=False)
    next_step: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check every field."""
        check_choice("status", self.status, GOAL_STATUSES)
        for name in ("steps", "completed"):
            object.__setattr__(self, name, _checked_steps(name, getattr(self, name)))
        if self.next_step is not None:
            check_text("next_step", self.next_step, max_chars=MAX_STEP_CHARS)

    @property
    def is_over(self) -> bool:
        """Whether nothing is to be done any more."""
        return self.status in {"done", "abandoned"}

    @property
    def left(self) -> tuple[str, ...]:
        """The steps of the plan that are not completed."""
        return tuple(step for step in self.steps if step not in self.completed)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that it says, each text once: the plan, what was completed, and what comes next."""
        said = (*self.steps, *self.completed, *([] if self.next_step is None else [self.next_step]))
        return tuple(dict.fromkeys(said))

    def without(self, is_told: Callable[[str], bool]) -> GoalProgress:
        """Return it without each text that tells something; after a next step that goes comes what is left."""
        kept = {name: tuple(it for it in getattr(self, name) if not is_told(it)) for name in ("steps", "completed")}
        made = replace(self, **kept)  # type: ignore[arg-type]  # tuples of texts
        if self.next_step is None or not is_told(self.next_step):
            return made
        return replace(made, next_step=next(iter(made.left), None))


def _checked_steps(name: str, steps: object) -> tuple[str, ...]:
    if isinstance(steps, str) or not isinstance(steps, Sequence):
        msg = f"{name} must be a sequence of str, got {type(steps).__name__}; for example ('read chapter 1',)"
        raise ConfigurationError(msg)
    if len(steps) > MAX_STEPS:
        msg = f"{name} has {len(steps)} items; at most {MAX_STEPS}: finish this goal and begin another for the rest"
        raise ConfigurationError(msg)
    checked = (check_text(name, step, max_chars=MAX_STEP_CHARS) for step in steps)
    return tuple(dict.fromkeys(checked))
