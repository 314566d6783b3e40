"""The state of a turn: what happened to memory, in ids and numbers; never the words of a memory.

`memory` is the report and may be checkpointed. `memory_text` holds words for the time of one run: LangGraph never
stores an untracked value, so that no checkpoint keeps what is later forgotten or erased.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict, cast

from langchain_core.messages import AnyMessage
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.graph.message import add_messages

from langchain_agentmem.types import Status


class RecalledMemory(TypedDict):
    """A memory that was shown to the model in this turn; `action` where it is about a planned action.

    `status` is `active`, `pending`, or `superseded`: a turn of a conversation that something later gives another value.
    """

    id: str
    kind: str
    status: Status
    score: float
    parts: dict[str, float]
    receipt_id: str | None
    is_constraint: bool
    action: str | None


class KeptMemory(TypedDict):
    """A new memory: `verdict` is `written`, or `pending` where it waits for support."""

    id: str
    kind: str
    verdict: str
    rule: str
    reason: str


class Refusal(TypedDict):
    """What was not kept, and by which rule; never its text."""

    kind: str
    rule: str
    reason: str


class MovedMemory(TypedDict):
    """A memory that was confirmed, whose confidence moved, or that was forgotten, and why."""

    id: str
    kind: str
    confidence: float
    reason: str


class ActionOutcome(TypedDict):
    """How an action of this turn ended."""

    action: str
    succeeded: bool
    detail: str
    memory_ids: list[str]
    message_ids: list[str]
    evidence: str | None


class MemoryReport(TypedDict, total=False):
    """What memory did in a turn. Every list is of this turn only.

    Attributes:
        turn: Id of the user's message that began it.
        status: `ok`; `frozen`, `off`, `anonymous` or `no_consent`; or `degraded: …` where something failed.
        intent: What the user's message asks of memory, and the reason for recalling or not.
        shown_before: Ids the turn before was shown; what the user says now may be about them.
        receipt_ids: Receipts of every recall, declined ones included.
        forgetting: Ids the user asked to forget; forgotten when the answer is given.
        held: Actions that waited once, because memory had something to say about them.
        iteration: Calls of the model so far.
        used, confirmed, contradicted: Ids of recalled memories, as judged after the answer.
        episodes: Turns that can be searched from now on: this one, where it was kept.
        failures: Model calls of extraction and evaluation that failed.
    """

    turn: str
    status: str
    intent: dict[str, Any]
    recalled: list[RecalledMemory]
    shown_before: list[str]
    receipt_ids: list[str]
    forgetting: list[str]
    held: list[str]
    iteration: int
    outcomes: list[ActionOutcome]
    used: list[str]
    confirmed: list[str]
    contradicted: list[str]
    answered: bool | None
    written: list[KeptMemory]
    refused: list[Refusal]
    superseded: list[str]
    updated: list[MovedMemory]
    forgotten: list[MovedMemory]
    episodes: int
    failures: int


class MemoryText(TypedDict, total=False):
    """Words for the time of one run.

    Attributes:
        contents: By memory id, for whoever shows the turn.
        prompt: Recalled memories as the model is shown them. `forgetting`: those the user asked to forget.
    """

    contents: dict[str, str]
    prompt: str
    forgetting: str


def new_report(turn: str) -> MemoryReport:
    """Return the report of a turn in which nothing has happened yet."""
    return {
        "turn": turn,
        "status": "ok",
        "intent": {},
        "recalled": [],
        "shown_before": [],
        "receipt_ids": [],
        "forgetting": [],
        "held": [],
        "iteration": 0,
        "outcomes": [],
        "used": [],
        "confirmed": [],
        "contradicted": [],
        "answered": None,
        "written": [],
        "refused": [],
        "superseded": [],
        "updated": [],
        "forgotten": [],
        "episodes": 0,
        "failures": 0,
    }


def merge_reports(known: MemoryReport | None, update: MemoryReport) -> MemoryReport:
    """Return the report with a node's changes; those of another turn begin a new one."""
    turn = update.get("turn", "")
    base = known if known and known.get("turn") == turn else new_report(turn)
    return cast("MemoryReport", {**base, **update})


def report_of(state: Mapping[str, Any], turn: str) -> MemoryReport:
    """Return the report of this turn; one of an earlier turn is none."""
    known = state.get("memory")
    return merge_reports(known, {"turn": turn})


class MemoryState(TypedDict):
    """State of a graph with memory; extend it for a graph of your own."""

    messages: Annotated[list[AnyMessage], add_messages]
    memory: NotRequired[Annotated[MemoryReport, merge_reports]]
    memory_text: NotRequired[Annotated[MemoryText, UntrackedValue]]


class MemoryInput(TypedDict):
    """What a turn begins with: messages. Nothing else of the state can be set from outside."""

    messages: Annotated[list[AnyMessage | dict[str, Any] | tuple[str, str]], add_messages]
