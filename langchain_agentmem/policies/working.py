"""How changes of a working state are merged: the same rules for the store and for a channel of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final, TypeVar

from langchain_agentmem._checks import check_instance
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.types.working import (
    MAX_COUNT,
    MAX_ITEMS,
    MAX_SCRATCHPAD_CHARS,
    MAX_STATE_BYTES,
    SINCE,
    ToolCallRecord,
    WorkingDecision,
    WorkingState,
    as_plain,
    size_of,
)
from langchain_agentmem.types.working_update import FIELDS, StateUpdate

T = TypeVar("T")

_WHOLE: Final = frozenset(each.name for each in fields(WorkingState)) - FIELDS
"""Fields that only a whole state has: a dict with one of them is none of changes."""

_LISTS: Final = ("completed_steps", "pending_actions", "constraints", "decisions", "tool_calls")

_SCALARS: Final = ("goal", "phase", "current_step", "iteration", "seen")

_DROPPED: Final = ("tool_calls", "scratchpad", "intermediate_results", "completed_steps")
"""What makes room where a state grows too large, in this order: history first, then notes, then what is done."""

_SHED: Final = ("decisions", "pending_actions", "constraints")
"""What makes room at the very last, where nobody can be told that a change is refused."""

_NOTES: Final = ("scratchpad", "note")

_STAMP_BYTES: Final = 256
"""Left for the version and the times of a state, which are known when it is stored."""


class Rewritten(dict[str, Any]):
    """The dict of a whole state, and the state that it was made from, as its writer read it.

    A graph's channel keeps what others wrote meanwhile. As plain data, after a checkpoint, it is a whole state.
    """

    def __init__(self, state: WorkingState, read: WorkingState) -> None:
        """Say what was read, and what came of it."""
        super().__init__(state.to_dict())
        self.state = state
        self.read = read


def merged(state: WorkingState, update: StateUpdate, *, sheds: bool = False) -> WorkingState:
    """Return a state with a change; of a list that is full the oldest item falls out.

    Where all of it together is too large, the oldest calls of tools go, then the beginning of the scratchpad, then the
    oldest results and completed steps; goal, decisions, constraints and pending actions stay.

    Args:
        state: Before the change.
        update: The change.
        sheds: At the very last, of those the oldest go too, but for the goal, and no size is refused.

    Raises:
        ConfigurationError: What has to stay is too large already.
    """
    done = _added(state.completed_steps, update.add_completed)
    given = state.pending_actions if update.pending is None else update.pending
    finished = _without(update.add_completed, update.add_pending)  # a step to be done again keeps its place
    pending = _without(_added(_without(given, finished), update.add_pending), update.drop_pending)
    constraints = _added(_without(state.constraints, update.drop_constraints), update.add_constraints)
    changes = {
        "completed_steps": _last("completed_steps", done),
        "pending_actions": _last("pending_actions", pending),
        "constraints": _last("constraints", constraints),
        "decisions": _last("decisions", _by(_question, (*state.decisions, *update.add_decisions))),
        "tool_calls": _last("tool_calls", _by(_call_id, (*state.tool_calls, *update.add_tool_calls))),
        "intermediate_results": _results(state.intermediate_results, update),
        "scratchpad": _noted(state.scratchpad if update.scratchpad is None else update.scratchpad, update.note),
    }
    for name in _SCALARS:
        value = getattr(update, name)
        changes[name] = getattr(state, name) if value is None else value
    return _with_room(state, changes, (*_DROPPED, *_SHED) if sheds else _DROPPED)


def merge_working(
    known: WorkingState | Mapping[str, Any] | None, update: WorkingState | StateUpdate | Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the value of a graph's channel after one write to it, as `WorkingState.from_dict` reads it.

    What was written since the state was stored stands beside it: should that be cleared meanwhile, this is kept.

    Args:
        known: What the channel holds; nothing yet is an empty state.
        update: The fields of a `StateUpdate`, which are merged by its rules; or a whole state, as a record or as its
            dict, which takes the place of what was there. What `UpdateWorkingMemory` returns takes the place of what it
            read, and what others wrote in the same step stays.

    Raises:
        ConfigurationError: It is neither, or one of its texts or steps is too long. No other size is: of a scratchpad
            the end is kept, and at the very last the oldest decisions, pending actions and constraints make room.
    """
    state = known if isinstance(known, WorkingState) else WorkingState.from_dict(known or {})
    if isinstance(update, Rewritten):
        return _beside(state, update)
    since = _since(known)
    if isinstance(update, WorkingState) or (isinstance(update, Mapping) and _WHOLE & update.keys()):
        whole = update if isinstance(update, WorkingState) else WorkingState.from_dict(update)
        return _channel(whole, replayed(since, state, whole))
    change = update if isinstance(update, StateUpdate) else StateUpdate.from_dict(_shortened(update or {}))
    return _channel(merged(state, change, sheds=True), merged(since, change, sheds=True))


def _shortened(update: object) -> object:
    """Return changes whose notes have room: of what is too long the end is kept, as where a note joins others."""
    if not isinstance(update, Mapping):
        return update
    long = {name: it for name, it in update.items() if name in _NOTES and isinstance(it, str)}
    return {**update, **{name: _noted(text, "") or text[-MAX_SCRATCHPAD_CHARS:] for name, text in long.items()}}


def going_on(
    stored: WorkingState | None, known: WorkingState | Mapping[str, Any] | None, *, is_read: bool
) -> WorkingState:
    """Return what a turn goes on from: the stored state, or the channel's where it is the same with what nodes added.

    Where the stored one was cleared or has expired, it does not come back, neither it nor its messages: what was
    written since then is all.
    """
    if not known:
        return stored or WorkingState()
    channel = known if isinstance(known, WorkingState) else WorkingState.from_dict(known)
    if not is_read:
        return channel
    if stored is None:
        is_over = channel.version > 0
        return replace(_since(known), seen=channel.seen) if is_over else channel
    is_same = (stored.version, stored.started_at) == (channel.version, channel.started_at)
    return channel if is_same else stored


def _since(known: WorkingState | Mapping[str, Any] | None) -> WorkingState:
    """Return what nodes wrote into a channel since the state in it was stored."""
    return WorkingState.from_dict(known.get(SINCE) or {}) if isinstance(known, Mapping) else WorkingState()


def _channel(state: WorkingState, since: WorkingState) -> dict[str, Any]:
    """Return the value of a channel; of a state that was never stored all is new."""
    is_noted = state.version > 0 and since != WorkingState()
    return {**state.to_dict(), SINCE: since.to_dict()} if is_noted else state.to_dict()


def _beside(state: WorkingState, update: Rewritten) -> dict[str, Any]:
    """Return a rewritten state with what others added to the one it was made from."""
    if state == update.read:
        return update.state.to_dict()
    since = replayed(WorkingState(), update.read, state)
    return _channel(replayed(update.state, update.read, state), since)


def without_told(state: WorkingState, is_told: Callable[[str], bool]) -> WorkingState:
    """Return a state without what tells something: each text, step and note that does, whole, but the phase."""
    single = {name: getattr(state, name) for name in ("goal", "current_step")}
    held: dict[str, Any] = {name: "" for name, text in single.items() if text and is_told(text)}
    for name in _LISTS:
        held[name] = tuple(it for it in getattr(state, name) if not is_told(_words(it)))
    results = {name: value for name, value in state.intermediate_results.items() if not is_told(f"{name} {value}")}
    notes = "\n".join(line for line in state.scratchpad.splitlines() if not line.strip() or not is_told(line))
    return replace(state, **held, intermediate_results=results, scratchpad=notes)


def is_blank(state: WorkingState) -> bool:
    """Whether a state tells nothing of its task."""
    kept = ("goal", "current_step", "scratchpad", "intermediate_results", *_LISTS)
    return not any(getattr(state, name) for name in kept)


def _words(item: str | WorkingDecision | ToolCallRecord) -> str:
    if isinstance(item, WorkingDecision):
        return f"{item.question} {item.answer} {item.rationale}"
    return item if isinstance(item, str) else f"{item.action} {item.detail}"


def replayed(onto: WorkingState, old: WorkingState, new: WorkingState) -> WorkingState:
    """Return a state with what leads from `old` to `new`: nothing that others wrote is lost or done twice."""
    rounds = max(0, onto.iteration + new.iteration - old.iteration)
    change = replace(difference(old, new), iteration=min(rounds, MAX_COUNT), seen=None)
    return merged(onto, change, sheds=True)


def difference(old: WorkingState, new: WorkingState) -> StateUpdate:
    """Return the change that leads from one state to another, so that it can be made to a third."""
    changed = {name: getattr(new, name) for name in _SCALARS if getattr(new, name) != getattr(old, name)}
    done = _without(new.completed_steps, old.completed_steps)
    return StateUpdate(
        **changed,
        **_written(old.scratchpad, new.scratchpad),
        add_completed=done,
        add_pending=_without(new.pending_actions, _without(old.pending_actions, done)),  # what is to be done again, too
        drop_pending=_without(old.pending_actions, new.pending_actions),
        add_decisions=_without(new.decisions, old.decisions),
        add_constraints=_without(new.constraints, old.constraints),
        drop_constraints=_without(old.constraints, new.constraints),
        add_tool_calls=_without(new.tool_calls, old.tool_calls),
        set_results={name: it for name, it in new.intermediate_results.items() if _is_new(old, name, it)},
        drop_results=_without(old.intermediate_results, new.intermediate_results),
    )


def stamped(before: WorkingState | None, after: WorkingState, now: datetime) -> WorkingState:
    """Return a state as it is stored after another one: its version, when it began, and when it changed."""
    check_instance("the changed state", after, WorkingState)
    started = now if before is None else before.started_at
    return replace(after, version=before.version + 1 if before else 1, started_at=started, updated_at=now)


def _with_room(state: WorkingState, changes: Mapping[str, Any], dropped: Sequence[str]) -> WorkingState:
    """Return the state with changes, made smaller where it has to be."""
    values = {**{each.name: getattr(state, each.name) for each in fields(state)}, **changes}
    plain = {name: as_plain(value) for name, value in values.items()}
    for name in dropped:
        excess = size_of(plain) - MAX_STATE_BYTES + _STAMP_BYTES
        if excess > 0:
            values[name] = _smaller(values[name], excess)
            plain[name] = as_plain(values[name])
    return WorkingState(**values)


def _smaller(value: Any, excess: int) -> Any:  # noqa: ANN401  (a text, a tuple or a mapping)
    """Return a value without its oldest part, which takes at least so many bytes, or without any."""
    if isinstance(value, str):
        return value[excess:].partition("\n")[2]  # a character takes a byte or more; from the next whole line on
    items = list(value.items()) if isinstance(value, Mapping) else list(value)
    while items and excess > 0:
        excess -= size_of(items.pop(0))
    return dict(items) if isinstance(value, Mapping) else tuple(items)


def _is_new(state: WorkingState, name: str, value: object) -> bool:
    return name not in state.intermediate_results or state.intermediate_results[name] != value


def _written(old: str, new: str) -> dict[str, Any]:
    """Return what was written on a scratchpad: a line more, or something else altogether."""
    if new == old:
        return {}
    start = f"{old}\n" if old else ""
    return {"note": new[len(start) :]} if new.startswith(start) and new != start else {"scratchpad": new}


def _added(known: Iterable[T], added: Iterable[T]) -> tuple[T, ...]:
    """Return items with new ones behind them; what was there keeps its place."""
    return tuple(dict.fromkeys((*known, *added)))


def _without(known: Iterable[T], dropped: Iterable[T]) -> tuple[T, ...]:
    gone = set(dropped)
    return tuple(it for it in known if it not in gone)


def _last(name: str, items: Sequence[T]) -> tuple[T, ...]:
    return tuple(items[-MAX_ITEMS[name] :])


def _by(key: Callable[[T], object], items: Iterable[T]) -> tuple[T, ...]:
    """Return items without those that a later one with the same key stands for."""
    latest: dict[object, T] = {}
    for item in items:
        latest.pop(key(item), None)
        latest[key(item)] = item
    return tuple(latest.values())


def _question(decision: WorkingDecision) -> object:
    return in_one_line(decision.question or decision.answer)


def _call_id(call: ToolCallRecord) -> object:
    return call if call.id is None else call.id


def _results(known: Mapping[str, Any], update: StateUpdate) -> dict[str, Any]:
    kept = {name: it for name, it in known.items() if name not in {*update.set_results, *update.drop_results}}
    items = [*kept.items(), *update.set_results.items()]
    return dict(items[-MAX_ITEMS["intermediate_results"] :])


def _noted(scratchpad: str, note: str) -> str:
    """Return the scratchpad with a line more; of what is too long, the beginning goes."""
    text = "\n".join(filter(None, (scratchpad, note)))
    return text if len(text) <= MAX_SCRATCHPAD_CHARS else text[-MAX_SCRATCHPAD_CHARS:].partition("\n")[2] or note
