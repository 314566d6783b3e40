"""What an agent is doing at the moment: the state of one task in one conversation, bounded in every direction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Self, TypeVar

from langchain_agentmem._checks import check_count, check_flag, check_key, check_text, check_time
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types.fitting import CHARS_PER_TOKEN, Section, fitted, shortened

MAX_GOAL_CHARS: Final = 2_000
MAX_STEP_CHARS: Final = 1_000
"""Of a step, an action, a constraint, or one of the texts of a decision or a tool call: some sentences."""

MAX_RESULT_CHARS: Final = 4_000
"""Of one intermediate result as JSON, about 1,000 tokens: what is larger belongs in a file or a table of its own."""

MAX_NESTED: Final = 50
"""Lists and dicts in each other in a result: what is written in a script is read in a graph, with less of the stack."""

MAX_SCRATCHPAD_CHARS: Final = 8_000  # about 2,000 tokens

MAX_ITEMS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "completed_steps": 200,
        "pending_actions": 100,
        "intermediate_results": 50,
        "decisions": 50,
        "constraints": 100,
        "tool_calls": 50,
    }
)
"""Of each list; an update drops the oldest for a new one."""

MAX_STATE_BYTES: Final = 64 * 1024
"""Of a state as JSON in UTF-8: it is read and written whole with every step."""

SINCE: Final = "since"  # beside a state in a graph's channel: what was written since it was stored
DEFAULT_CONTEXT_TOKENS: Final = 1_000
MAX_COUNT: Final = 2**62
"""No database counts further than 2^63 - 1."""

_MAX_ATTRIBUTE_CHARS: Final = 60  # of a phase as a prompt names it

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingDecision:
    """A question of the task that is settled.

    Args:
        question: What was asked; empty where something was decided that nobody asked for.

    Raises:
        ConfigurationError: A text is longer than a thousand characters, or the answer is empty.
    """

    question: str = field(repr=False)
    answer: str = field(repr=False)
    rationale: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Check the texts."""
        check_optional("question", self.question)
        check_text("answer", self.answer, max_chars=MAX_STEP_CHARS)
        check_optional("rationale", self.rationale)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        return {"question": self.question, "answer": self.answer, "rationale": self.rationale}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRecord:
    """One call of a tool and what came of it.

    Args:
        action: The tool's name with its arguments, in a line.
        succeeded: `None` while it has not answered.
        detail: What it answered, shortened.
        id: Of the call; a record with the id of an earlier one takes its place.

    Raises:
        ConfigurationError: A field is of another type, or a text is longer than a thousand characters.
    """

    action: str = field(repr=False)
    succeeded: bool | None = None
    detail: str = field(default="", repr=False)
    id: str | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        check_text("action", self.action, max_chars=MAX_STEP_CHARS)
        check_optional("detail", self.detail)
        if self.succeeded is not None:
            check_flag("succeeded", self.succeeded)
        if self.id is not None:
            check_key("id", self.id)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        return {"action": self.action, "succeeded": self.succeeded, "detail": self.detail, "id": self.id}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingState:
    """The state of a task: what it is for, how far it is, what is settled, and what is still to do.

    Every text and every list is bounded, and the whole is at most 64 KiB as JSON (`MAX_STATE_BYTES`). An update makes
    room by dropping the oldest of a list; to build a state that is too large is an error.

    Args:
        goal: What the task is for.
        phase: Where it is, in the application's words: `planning`, `acting`, `reviewing`, …
        iteration: How often the agent came round.
        intermediate_results: JSON values by name, kept in the order in which they were set.
        scratchpad: Free notes.
        seen: Key of the last message that was taken in.
        version: Grows by one with each stored change; 0: never stored.
        started_at: When this task was first stored; a task that begins after `clear` is another one.

    Raises:
        ConfigurationError: A field is of another type or too long, or all of it together is.

    Example:
        >>> state = WorkingState(goal="Deploy version 2", pending_actions=("run the tests",))
        >>> print(state.to_context(max_tokens=40))
        <working_memory>
        <goal>
        Deploy version 2
        </goal>
        <pending_actions>
        - run the tests
        </pending_actions>
        </working_memory>
    """

    goal: str = field(default="", repr=False)
    phase: str = field(default="", repr=False)
    current_step: str = field(default="", repr=False)
    iteration: int = 0
    completed_steps: tuple[str, ...] = field(default=(), repr=False)
    pending_actions: tuple[str, ...] = field(default=(), repr=False)
    intermediate_results: Mapping[str, Any] = field(default_factory=dict, repr=False)
    decisions: tuple[WorkingDecision, ...] = field(default=(), repr=False)
    constraints: tuple[str, ...] = field(default=(), repr=False)
    scratchpad: str = field(default="", repr=False)
    tool_calls: tuple[ToolCallRecord, ...] = field(default=(), repr=False)
    seen: str | None = None
    version: int = 0
    started_at: datetime | None = None
    updated_at: datetime | None = None

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        self._check_single()
        for name in ("completed_steps", "pending_actions", "constraints"):
            object.__setattr__(self, name, check_steps(name, getattr(self, name)))
        object.__setattr__(self, "decisions", check_records("decisions", self.decisions, WorkingDecision))
        object.__setattr__(self, "tool_calls", check_records("tool_calls", self.tool_calls, ToolCallRecord))
        object.__setattr__(self, "intermediate_results", check_results(self.intermediate_results))
        for name, most in MAX_ITEMS.items():
            _check_length(name, len(getattr(self, name)), most)
        size = self.size
        if size > MAX_STATE_BYTES:
            msg = (
                f"a working state of {size} bytes is larger than {MAX_STATE_BYTES}; drop what is done, or keep large"
                " results elsewhere and name them here"
            )
            raise ConfigurationError(msg)

    def _check_single(self) -> None:
        check_optional("goal", self.goal, MAX_GOAL_CHARS)
        check_optional("scratchpad", self.scratchpad, MAX_SCRATCHPAD_CHARS)
        for name in ("phase", "current_step"):
            check_optional(name, getattr(self, name))
        for name in ("iteration", "version"):
            check_count(name, getattr(self, name), 0, MAX_COUNT)
        for name in ("started_at", "updated_at"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_time(name, getattr(self, name)))
        if self.seen is not None:
            check_key("seen", self.seen)

    @property
    def size(self) -> int:
        """How many bytes it has as JSON."""
        return size_of(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON knows it: what a graph's state may hold."""
        return {each.name: as_plain(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return the state that `to_dict` was called on, or that a graph's channel holds.

        Raises:
            ConfigurationError: The data is none of `to_dict`.
        """
        plain = {name: it for name, it in data.items() if name != SINCE} if isinstance(data, Mapping) else data
        given = check_mapping("a working state", plain, {each.name for each in fields(cls)})
        times = {name: _time(name, given[name]) for name in ("started_at", "updated_at") if given.get(name) is not None}
        return cls(**{**given, **times})

    def to_context(self, *, max_tokens: int = DEFAULT_CONTEXT_TOKENS) -> str:
        """Return the state as delimited data for a prompt, never longer than `max_tokens` (four characters each).

        What matters least is left out first: calls of tools, then the scratchpad, results, completed steps, decisions,
        pending actions, constraints, and the current step; of each the oldest first, of pending actions the last. The
        goal goes last, and is shortened before. `omitted` says how many lines of a section are missing.

        Raises:
            ConfigurationError: `max_tokens` is no int of at least 1.
        """
        check_count("max_tokens", max_tokens)
        named = {"phase": self.phase, "iteration": str(self.iteration or "")}
        attributes = "".join(f' {name}="{_attribute(value)}"' for name, value in named.items() if value)
        frame = (f"<working_memory{attributes}>", "</working_memory>")
        room = max_tokens * CHARS_PER_TOKEN - len("\n".join([*frame, "<goal>", ' omitted="9999"', "</goal>", ""]))
        goal = shortened(_line(self.goal), room)
        return fitted(frame, [Section("goal", [goal] if goal else []), *self._sections()], max_tokens)

    def _sections(self) -> list[Section]:
        """Return what there is to show beside the goal, the most important first."""
        found = self.intermediate_results.items()
        shown = {name: _line(it) if isinstance(it, str) else json.dumps(it, ensure_ascii=False) for name, it in found}
        results = [f"- {_line(name)}: {it}" for name, it in shown.items()]
        return [
            Section("current_step", [_line(self.current_step)] if self.current_step else []),
            Section("constraints", _listed(self.constraints)),
            Section("pending_actions", _listed(self.pending_actions), are_newest_kept=False),
            Section("decisions", [_decided(each) for each in self.decisions]),
            Section("completed_steps", _listed(self.completed_steps)),
            Section("intermediate_results", results),
            Section("scratchpad", [line for line in self.scratchpad.splitlines() if line.strip()]),
            Section("tool_calls", [_called(each) for each in self.tool_calls]),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSession:
    """A conversation with a working state, in a listing.

    Attributes:
        goal: Its beginning. It is empty, like the phase, where the state was damaged.
        last_used_at: When the state was last changed.
        accesses: How often it was changed, or read in a way that prolonged its life.
    """

    session_id: str
    goal: str = field(repr=False)
    phase: str = field(repr=False)
    version: int
    started_at: datetime
    last_used_at: datetime
    accesses: int


def as_plain(value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """Return a value of a state as JSON knows it."""
    if isinstance(value, (tuple, list)):
        return [as_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (WorkingDecision, ToolCallRecord)):
        return value.to_dict()
    return dict(value) if isinstance(value, Mapping) else value


def size_of(value: object) -> int:
    """Return how many bytes a value of a state has as JSON in UTF-8."""
    return len(json.dumps(as_plain(value), ensure_ascii=False).encode())


def check_optional(name: str, value: object, max_chars: int = MAX_STEP_CHARS) -> str:
    """Return `value` if it is empty, or text that can be kept, else raise `ConfigurationError`."""
    return "" if isinstance(value, str) and not value.strip() else check_text(name, value, max_chars=max_chars)


def check_steps(name: str, values: object) -> tuple[str, ...]:
    """Return texts as a tuple, else raise `ConfigurationError`."""
    return tuple(check_text(name, it, max_chars=MAX_STEP_CHARS) for it in _sequence(name, values, "text"))


def check_records(name: str, values: object, kind: Callable[..., T]) -> tuple[T, ...]:
    """Return records as a tuple, made of mappings where those were given, else raise `ConfigurationError`."""
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]  # of a dataclass
    given = _sequence(name, values, "dict")
    is_one = [isinstance(it, kind) for it in given]  # type: ignore[arg-type]  # it is a class
    made = (it if ready else kind(**check_mapping(name, it, known)) for it, ready in zip(given, is_one, strict=True))
    try:
        return tuple(made)
    except TypeError as error:  # a field without a default is missing
        msg = f"{name} holds a record without all of its fields; give {', '.join(sorted(known))}"
        raise ConfigurationError(msg) from error


def check_results(values: object) -> dict[str, Any]:
    """Return named JSON values, copied, else raise `ConfigurationError`; `None` is a value here."""
    if not isinstance(values, Mapping):
        msg = f"intermediate_results must be a dict of JSON values by name, got {type(values).__name__}"
        raise ConfigurationError(msg)
    return {check_key("the name of a result", name): _result(name, value) for name, value in values.items()}


def check_mapping(what: str, data: object, known: AbstractSet[str]) -> dict[str, Any]:
    """Return a mapping with known names alone, else raise `ConfigurationError`."""
    if not isinstance(data, Mapping):
        msg = f"{what} must be a dict of {', '.join(sorted(known))}, got {type(data).__name__}"
        raise ConfigurationError(msg)
    unknown = [name for name in data if name not in known]
    if unknown:
        msg = f"{what} has no field {str(unknown[0])[:80]!r}; use one of {', '.join(sorted(known))}"
        raise ConfigurationError(msg)
    return dict(data)


def _sequence(name: str, values: object, example: str) -> Sequence[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        msg = f"{name} must be a sequence, got {type(values).__name__}; put one {example} into a list"
        raise ConfigurationError(msg)
    return values


def _check_length(name: str, count: int, most: int) -> None:
    if count > most:
        msg = f"{name} has {count} items; at most {most} are kept, drop the oldest"
        raise ConfigurationError(msg)


def _result(name: str, value: object) -> Any:  # noqa: ANN401  (any JSON value)
    if _is_deeper(value, MAX_NESTED):
        msg = f"the result {name!r} is nested deeper than {MAX_NESTED}; keep it elsewhere and name it here"
        raise ConfigurationError(msg)
    if not _has_names(value):
        msg = f"the result {name!r} holds a dict whose keys are not all text; two of them may become one in JSON"
        raise ConfigurationError(msg)
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()  # a lone surrogate cannot be stored
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"the result {name!r} is no JSON value; give text, numbers, lists and dicts"
        raise ConfigurationError(msg) from error
    if len(written) > MAX_RESULT_CHARS:
        msg = f"the result {name!r} has {len(written)} characters as JSON; at most {MAX_RESULT_CHARS} are kept"
        raise ConfigurationError(msg)
    return json.loads(written)


def _is_deeper(value: object, most: int) -> bool:
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return most == 0 or any(_is_deeper(each, most - 1) for each in inner)


def _has_names(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _has_names(each) for key, each in value.items())
    return not isinstance(value, (list, tuple)) or all(map(_has_names, value))


def _time(name: str, value: object) -> datetime:
    try:
        return value if isinstance(value, datetime) else datetime.fromisoformat(value)  # type: ignore[arg-type]  # caught
    except (TypeError, ValueError) as error:
        msg = f"{name} must be a time in ISO 8601, got {type(value).__name__}"
        raise ConfigurationError(msg) from error


def _listed(texts: Sequence[str]) -> list[str]:
    return [f"- {_line(text)}" for text in texts]


def _decided(decision: WorkingDecision) -> str:
    because = f" (because {_line(decision.rationale)})" if decision.rationale else ""
    asked = f"{_line(decision.question)} → " if decision.question else ""
    return f"- {asked}{_line(decision.answer)}{because}"


def _called(call: ToolCallRecord) -> str:
    how = {True: "succeeded", False: "failed", None: "has not answered"}[call.succeeded]
    return f"- {_line(call.action)} {how}{f': {_line(call.detail)}' if call.detail else ''}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _attribute(value: str) -> str:
    return shortened(_line(value), _MAX_ATTRIBUTE_CHARS).translate({ord(it): f"&#{ord(it)};" for it in '<>&"'})
