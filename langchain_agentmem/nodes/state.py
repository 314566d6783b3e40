"""The state of a turn: what happened to memory, in ids and numbers; never the words of a memory.

`memory` is the report and may be checkpointed. `memory_text` holds words for the time of one run: an untracked value,
and one that has no words where it is stored all the same, so that no checkpoint keeps what is later forgotten or
erased; and who streams, prints or traces the state sees that there are some, not which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, NotRequired, Self, cast

from langchain_core.messages import AnyMessage, BaseMessage, ToolCall
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.graph.message import add_messages
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict  # pydantic, which makes the schemas, asks for it below Python 3.12

from langchain_agentmem.errors import RetentionError
from langchain_agentmem.procedural.left import join_left
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
    """A new memory: `verdict` is `written`, or `pending` where it waits for support, or for a person (`approval`)."""

    id: str
    kind: str
    verdict: str
    rule: str
    reason: str


class Asked(TypedDict):
    """A memory about which a person is asked; `version` as of an `Approval`: what was said of it later is not asked."""

    id: str
    version: int


class Decided(TypedDict):
    """What became of a memory about which a person was asked: as of an `ApprovalOutcome`, or `changed`."""

    id: str
    verdict: str
    rule: str
    reason: str


FORGET_REQUEST: Final = "forget_request"
"""Rule under which the report lists what a request to forget would otherwise have taught, and kind of a request that
was refused."""


class Refusal(TypedDict):
    """What was not kept, or not forgotten, and by which rule; never its text."""

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
    tools: NotRequired[list[str]]


class AddedToReport(TypedDict, total=False):
    """What calls of tools and nodes that run at once add to the report, each without knowing of the others."""

    recalled: list[RecalledMemory]
    receipt_ids: list[str]
    held: list[str]
    ran: list[str]
    replaced: list[ToolCall]
    done: list[str]


class MemoryReport(TypedDict, total=False):
    """What memory did in a turn. Every list is of this turn only.

    Attributes:
        turn: Id of the user's message that began it.
        owner: Digest of the user whose turn it is; nobody else may go on with it. Missing for a visitor.
        began: Where the user's log stood when it began: what they asked to forget since, nothing that the turn says
            brings back. 0 where that could not be read; missing where memory was not to be read.
        full: Whether the conversation had written as many memories as it may (`session_cap`), as the turn was recalled
            for: nothing new is kept in it any more, and the model is told so.
        status: `ok`; `frozen`, `off`, `anonymous` or `no_consent`; or `degraded: …` where something failed.
        intent: What the user's message asks of memory, and the reason for recalling or not.
        shown_before: Ids the turn before was shown; what the user says now may be about them.
        written: New memories, also those that wait. `superseded`: ids of what was replaced, or ended by words that are
            no memory themselves: "you can call me before nine again".
        receipt_ids: Receipts of every recall, declined ones included.
        forgetting: Ids the user asked to forget; forgotten when the answer is given. `sought`: that memory was searched
            for them; where it was not, it is as the turn ends.
        held: Actions that waited once, because memory had something to say about them.
        ran: Ids of the calls that the middleware saw reach their tools, also of those that raised; what was answered
            without is no outcome. `replaced`: those that were not as the model made them.
        iteration: Calls of the model so far.
        used, confirmed, contradicted: Ids of recalled memories, as judged after the answer.
        supported: Whether what the answer says of the user was told to the assistant; `None`: nobody can tell.
        unsupported: What was not: the answer's own words.
        episodes: Turns that can be searched from now on: this one, where it was kept.
        failures: Model calls of extraction and evaluation that failed.
        asking: What waits for a person since this turn. `decided`: what became of it before the turn ended.
        queued: Whether what follows from the answer waits as a job, or the rest of it: what is in no list here.
        done: What follows from the answer and was done at once: of `evaluate`, `write`, `update` and `forget`.
        left: What of it failed.
        learned: Outcomes and signals that were learned from before that.
        skills: Names and versions of the skills that the model was shown, as `name@version`.
        working_version: Of the working memory that it was shown; `None`: none was.
        cut: By layer, what had no room in the budget: ids of memories, names of skills, and of `profile`, `goal` and
            `working` the sections that were shortened or left out. What one recall left out is in its receipt.
        added: In an update only: what joins the lists that are there.
    """

    turn: str
    owner: str
    began: int
    full: bool
    status: str
    intent: dict[str, Any]
    recalled: list[RecalledMemory]
    shown_before: list[str]
    receipt_ids: list[str]
    forgetting: list[str]
    sought: bool
    held: list[str]
    ran: list[str]
    replaced: list[ToolCall]
    iteration: int
    outcomes: list[ActionOutcome]
    used: list[str]
    confirmed: list[str]
    contradicted: list[str]
    answered: bool | None
    supported: bool | None
    unsupported: list[str]
    written: list[KeptMemory]
    refused: list[Refusal]
    superseded: list[str]
    updated: list[MovedMemory]
    forgotten: list[MovedMemory]
    episodes: int
    failures: int
    asking: list[Asked]
    decided: list[Decided]
    queued: bool
    done: list[str]
    left: list[str]
    learned: int
    skills: list[str]
    working_version: int | None
    cut: dict[str, list[str]]
    added: AddedToReport


class MemoryText(TypedDict, total=False):
    """Words for the time of one run.

    Attributes:
        contents: By memory id, for whoever shows the turn.
        prompt: What was recalled for this turn, as the model is shown it. `forgetting`: what the user asked to forget.
        standing: What stays the same from turn to turn: the profile, and every constraint.
        told: What the application tells the model, as far as an answer is judged by it.
        working: The state of the task at hand. `skills`: how what is asked for is done. `goal`: what the user pursues.
    """

    contents: dict[str, str]
    standing: str
    prompt: str
    forgetting: str
    told: str
    working: str
    skills: str
    goal: str


def new_report(turn: str) -> MemoryReport:
    """Return the report of a turn in which nothing has happened yet; nobody's, and begun nowhere."""
    return {
        "turn": turn,
        "full": False,
        "status": "ok",
        "intent": {},
        "recalled": [],
        "shown_before": [],
        "receipt_ids": [],
        "forgetting": [],
        "sought": False,
        "held": [],
        "ran": [],
        "replaced": [],
        "iteration": 0,
        "outcomes": [],
        "used": [],
        "confirmed": [],
        "contradicted": [],
        "answered": None,
        "supported": None,
        "unsupported": [],
        "written": [],
        "refused": [],
        "superseded": [],
        "updated": [],
        "forgotten": [],
        "episodes": 0,
        "failures": 0,
        "asking": [],
        "decided": [],
        "queued": False,
        "done": [],
        "left": [],
        "learned": 0,
        "skills": [],
        "working_version": None,
        "cut": {},
    }


def merge_reports(known: MemoryReport | None, update: MemoryReport) -> MemoryReport:
    """Return the report with a node's changes; those of another turn begin a new one."""
    turn = update.get("turn", "")
    base = known if known and known.get("turn") == turn else new_report(turn)
    changes: dict[str, Any] = {name: value for name, value in update.items() if name != "added"}
    for name, items in update.get("added", {}).items():
        known_items: Any = base.get(name, [])
        changes[name] = [*known_items, *(it for it in cast("list[Any]", items) if not _is_in(it, known_items))]
    return cast("MemoryReport", {**base, **changes})


def is_forget_refused(report: MemoryReport) -> bool:
    """Whether the user's request to forget was refused, whole."""
    return any(it["kind"] == FORGET_REQUEST for it in report.get("refused", ()))


def refused_request(held: RetentionError) -> Refusal:
    """Return for the report what stands against the user's request to forget."""
    return {"kind": FORGET_REQUEST, "rule": held.rule, "reason": str(held)}


def _is_in(item: Any, items: list[Any]) -> bool:  # noqa: ANN401  (an id, or an entry with one)
    return (item["id"] in {it["id"] for it in items}) if isinstance(item, dict) else item in items


def report_of(state: Mapping[str, Any], turn: str) -> MemoryReport:
    """Return the report of this turn, whole whatever of it a state has; one of an earlier turn is none."""
    known = merge_reports(state.get("memory"), {"turn": turn})
    return cast("MemoryReport", {**new_report(turn), **known})


RAN: Final = "memory_ran"
"""Key of the state under which is noted which calls of tools ran: of this package alone, and set from no input."""

MAX_RAN: Final = 200
"""Calls that are noted: ten kilobytes of a checkpoint. A policy that requires an older one wants it done again."""


def join_ran(known: list[str] | None, new: list[str]) -> list[str]:
    """Return the calls that ran, the last ones, each once."""
    return list(dict.fromkeys([*(known or ()), *new]))[-MAX_RAN:]


class Unshown(str):
    """Words for the time of one run. Who streams, prints, traces or stores the state has only that there are some.

    LangGraph stores all that a subgraph is given, untracked values too: of this, the text that it is, and no word more.

    Attributes:
        text: What memory has for the turn.
        opening: The user's message that began it, in case a summary takes its place.
    """

    __slots__ = ("opening", "text")

    text: MemoryText
    opening: tuple[BaseMessage, ...]

    def __new__(cls, text: MemoryText, opening: Iterable[BaseMessage] = ()) -> Self:
        """Hold words."""
        held = super().__new__(cls, "<words of memory>")
        held.text = text
        held.opening = tuple(opening)
        return held

    def __getitem__(self, name: str) -> Any:  # type: ignore[override]  # noqa: ANN401  (of the field)
        """Return a field of the text, for whoever shows the turn."""
        return self.text[name]  # type: ignore[literal-required]  # a KeyError where there is none

    def __repr__(self) -> str:
        return str(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> CoreSchema:
        """Return the schema of what is stored of it."""
        return core_schema.str_schema()


def unwrapped(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a state whose words of memory can be read; what a checkpoint has of them is none."""
    words = state.get("memory_text")
    return {**state, "memory_text": getattr(words, "text", None)} if isinstance(words, str) else state


def wrapped(update: Any) -> Any:  # noqa: ANN401  (an update, or several, of any node)
    """Return an update of the state whose words of memory are not shown."""
    if isinstance(update, list):
        return [wrapped(item) for item in update]
    words = update.get("memory_text") if isinstance(update, Mapping) else None
    return update if words is None or isinstance(words, Unshown) else {**update, "memory_text": Unshown(words)}


class MemoryOutput(TypedDict):
    """What a turn ends with: `output_schema` of a graph with memory."""

    messages: Annotated[list[AnyMessage], add_messages]
    memory: NotRequired[Annotated[MemoryReport, merge_reports]]
    memory_text: NotRequired[Annotated[Unshown, UntrackedValue(Unshown, guard=False)]]  # of several at once, the last


class MemoryState(MemoryOutput):
    """State of a graph with memory; extend it for a graph of your own.

    Without `memory_ran` no policy finds done what it requires first, and without `memory_skills` no skill that failed
    goes on. Both are the graph's own notes, in no input and, with `output_schema=MemoryOutput`, in no output.
    """

    memory_ran: NotRequired[Annotated[list[str], join_ran]]
    memory_skills: NotRequired[Annotated[dict[str, Any] | None, join_left]]  # none is stored where nothing failed


class MemoryInput(TypedDict):
    """What a turn begins with: messages. Nothing else of the state can be set from outside."""

    messages: Annotated[list[AnyMessage | dict[str, Any] | tuple[str, str]], add_messages]
