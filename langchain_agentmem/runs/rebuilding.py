"""A run's state rebuilt from its steps, and held against what a checkpointer kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage, messages_from_dict
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types.runs import RunStatus, RunStep

_SAID: Final = ("type", "content", "name", "tool_calls", "tool_call_id", "status")
"""Of a message, what an agent goes by; numbers of tokens and the like are no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Where a run stands, as its steps tell it.

    Attributes:
        messages: What the run was given, and what it put into the conversation, in order.
        pending: Calls of tools that were asked for and not answered. `answered`: those that were.
        step: Of the graph. `node`: where it was last.
        failed_at: Number of the step that failed last in a run that failed, and `error`: its class and text.
        lost: Steps that are missing: the state may lack what they told.
        erased: Steps that are there and tell nothing any more: a memory was erased, or a turn, that they may have said.
    """

    run_id: str
    status: RunStatus
    messages: tuple[BaseMessage, ...] = field(default=(), repr=False)
    pending: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    answered: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    step: int = 0
    node: str | None = None
    is_paused: bool = False
    failed_at: int | None = None
    error: str | None = field(default=None, repr=False)
    lost: int = 0
    erased: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run beside the messages of a checkpoint.

    Attributes:
        differences: In words, without what the messages say.
        earlier: How many messages of the checkpoint were there before the run. `later`: how many came after it ended.
    """

    differences: tuple[str, ...] = ()
    earlier: int = 0
    later: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether the checkpoint has what the run told, and nothing in between."""
        return not self.differences


@dataclass(slots=True)
class _Talk:
    """Messages as a graph's state gathers them."""

    known: dict[str, BaseMessage] = field(default_factory=dict)
    messages: list[BaseMessage] = field(default_factory=list)

    def read(self, kept: Iterable[Any]) -> list[BaseMessage]:
        """Return messages of a step; those told before are told by their id."""
        found = [self.known[it["ref"]] if "ref" in it else _message(it) for it in kept if self._is_known(it)]
        self.known |= {it.id: it for it in found if it.id is not None}
        return found

    def add(self, messages: Iterable[BaseMessage]) -> None:
        """Take messages in, as `add_messages` does."""
        for message in messages:
            if isinstance(message, RemoveMessage):
                is_all = message.id == REMOVE_ALL_MESSAGES
                self.messages = [it for it in self.messages if not is_all and it.id != message.id]
                continue
            place = self._place_of(message)
            if place is None:
                self.messages.append(message)
            else:
                self.messages[place] = message

    def _place_of(self, message: BaseMessage) -> int | None:
        """Return which message one replaces: that with its id, or what was given without one and says the same."""
        every = [*enumerate(self.messages)]
        same = [no for no, it in every if message.id is not None and it.id == message.id]
        unnamed = [no for no, it in every if message.id is not None and it.id is None and not _fields(it, message)]
        return next(iter([*same, *unnamed]), None)

    def _is_known(self, kept: Mapping[str, Any]) -> bool:
        return "ref" not in kept or kept["ref"] in self.known


def status_of(steps: Sequence[RunStep]) -> RunStatus:
    """Return how a run stands by its last step."""
    last = steps[-1].kind if steps else "began"
    return "ended" if last == "ended" else "failed" if last == "failed" else "open"


def rebuilt(run_id: str, steps: Sequence[RunStep]) -> RunState:
    """Return the state that steps leave."""
    talk = _Talk()
    moved: list[tuple[tuple[Any, ...], list[BaseMessage]]] = []
    beside: list[BaseMessage] = []
    for step in steps:
        messages = talk.read(step.body.get("messages", ()))
        if step.kind == "began":
            talk.add(messages)
        elif step.kind == "moved" and not step.body.get("within"):
            moved.append((_order(step.body), messages))
        elif step.kind in {"thought", "observation"}:
            beside += messages
    for _, messages in sorted(moved, key=lambda it: it[0]):
        talk.add(messages)
    if not moved:  # no graph: what models and tools said is all there is
        talk.add(beside)
    return _state(run_id, steps, talk.messages)


def _state(run_id: str, steps: Sequence[RunStep], messages: Sequence[BaseMessage]) -> RunState:
    calls = [dict(call) for it in messages if isinstance(it, AIMessage) for call in it.tool_calls]
    done = {it.tool_call_id for it in messages if isinstance(it, ToolMessage)}
    placed = [it.body for it in steps if it.body.get("node")]
    status = status_of(steps)
    failed = _failed(steps) if status == "failed" else None
    return RunState(
        run_id=run_id,
        status=status,
        messages=tuple(messages),
        pending=tuple(it for it in calls if it["id"] not in done),
        answered=tuple(it for it in calls if it["id"] in done),
        step=max((int(it.get("graph_step") or 0) for it in placed), default=0),
        node=str(placed[-1]["node"]) if placed else None,
        is_paused=any(it.kind == "paused" for it in steps),
        failed_at=None if failed is None else failed.no,
        error=None if failed is None else f"{failed.body.get('type')}: {failed.body.get('text')}",
        lost=(steps[-1].no - len(steps)) if steps else 0,
        erased=sum(it.is_erased for it in steps),
    )


def _failed(steps: Sequence[RunStep]) -> RunStep:
    """Return where a run that failed went wrong: the first step that tells of what the run ended with."""
    end = steps[-1]
    every = [it for it in steps if it.kind == "error"]
    same = [it for it in every if _what(it) == _what(end)]
    return (same or every[-1:] or [end])[0]


def _what(step: RunStep) -> tuple[Any, Any]:
    return step.body.get("type"), step.body.get("text")


def compared(state: RunState, kept: Sequence[BaseMessage]) -> Comparison:
    """Return how a checkpoint's messages differ from those of a run, as far as its steps still tell them."""
    told = state.messages
    places = _aligned(told, kept)
    found = [it for it in places if it is not None]
    erased = [f"{state.erased} steps of the run were erased: what they told is not compared"] if state.erased else []
    if not found:
        nothing = ["the checkpoint has none of the run's messages"] if told else []
        return Comparison(differences=(*erased, *nothing), earlier=len(kept))
    first, last = min(found), max(found)
    differences = erased + [
        f"message {it.id or no + 1!r} ({it.type}) of the run is not in the checkpoint"
        if place is None
        else f"message {kept[place].id!r} ({kept[place].type}) differs in {', '.join(_fields(it, kept[place]))}"
        for no, (it, place) in enumerate(zip(told, places, strict=True))
        if place is None or _fields(it, kept[place])
    ]
    inside = [kept[place] for place in range(first, last) if place not in found]
    differences += [f"message {it.id!r} ({it.type}) of the checkpoint was not recorded" for it in inside]
    later = len(kept) - last - 1
    if later and (state.status == "open" or state.lost):
        differences.append(f"the checkpoint goes on by {later} messages after the last one that was recorded")
    return Comparison(differences=tuple(differences), earlier=first, later=later)


def _aligned(told: Sequence[BaseMessage], kept: Sequence[BaseMessage]) -> list[int | None]:
    """Return where a checkpoint has each message of a run: by its id; what a run is given may have none, by its words.

    Of those that say the same, the last one before what follows in the run.
    """
    known: dict[str | None, int] = {it.id: no for no, it in enumerate(kept) if it.id is not None}
    places = [known.get(it.id) for it in told]
    end = len(kept)
    for no in reversed(range(len(told))):
        if told[no].id is None:
            places[no] = next((it for it in reversed(range(end)) if not _fields(told[no], kept[it])), None)
        end = end if places[no] is None else min(end, places[no] or 0)
    return places


def _fields(told: BaseMessage, kept: BaseMessage) -> list[str]:
    """Return in what two messages differ."""
    return [name for name in _SAID if getattr(told, name, None) != getattr(kept, name, None)]


def _order(body: Mapping[str, Any]) -> tuple[Any, ...]:
    path = tuple(f"{it:010d}" if isinstance(it, int) else str(it) for it in body.get("path", ()))
    return int(body.get("graph_step") or 0), path


def _message(kept: Mapping[str, Any]) -> BaseMessage:
    try:
        return messages_from_dict([dict(kept)])[0]
    except (KeyError, TypeError, ValueError) as error:
        msg = "a recorded message cannot be read; the run was changed, or recorded by a newer version"
        raise IntegrityError(msg) from error
