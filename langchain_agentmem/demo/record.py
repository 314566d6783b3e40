"""What a turn did, in words for a reader: read from the graph's state, whose report holds ids and numbers only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langchain_agentmem.demo.story import Category
from langchain_agentmem.extraction import is_injected
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term import LongTermMemory
from langchain_agentmem.nodes.standing import is_of_profile
from langchain_agentmem.nodes.state import MemoryReport
from langchain_agentmem.types import Decision, Scope

RELEVANCE: Final = "relevance"
SHARES: Final = (RELEVANCE, "vector", "lexical", "confidence", "recency", "frequency")
"""Parts of a score worth a reader's time, in the order in which they count."""

STANDING: Final = {
    "complete": "constraints come complete, relevant or not",
    "listed": "all of its kind were asked for",
    "pursued": "the goal that is open stays in view, relevant or not",
}
"""Why a memory came without being found."""

SIGNALS: Final = {"said": "by words", "block": "by the words around it", "block_vector": "by meaning"}
"""Of a turn: what says that it answers, in standard deviations above the user's other turns, and how that is called."""

LEGEND: Final = (
    "Scores and their parts lie in [0, 1]. Of what was said in conversation it is told how far it stands above the "
    "rest of it, in standard deviations."
)
_LEAST: Final = 0.05
"""What is rounded to less says nothing to a reader."""

ERASED: Final = "(erased)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that happened: to what kind of memory, which one, and how or why."""

    category: Category
    kind: str
    text: str
    detail: str = ""

    def mentions(self, words: str) -> bool:
        """Whether the line shows these words, in any case."""
        return words.casefold() in f"{self.kind} {self.text} {self.detail}".casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A turn as the reader sees it; `before` led to the answer, `after` came of it."""

    answer: str
    before: tuple[Line, ...]
    after: tuple[Line, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Everything, the answer included."""
        return (*self.before, Line(category="answer", kind="", text=self.answer), *self.after)


class Recorder:
    """Reads what the report's ids stand for, in one user's memory."""

    def __init__(self, long_term: LongTermMemory, scope: Scope) -> None:
        self._long_term = long_term
        self._scope = scope

    def record(self, state: Mapping[str, Any], new_from: int, asked: Sequence[Line] = ()) -> TurnRecord:
        """Return what the turn that began with `messages[new_from]` did; `asked`: what policies asked in it."""
        messages: Sequence[BaseMessage] = state["messages"][new_from:]
        report: MemoryReport = state["memory"]
        answers = [each.text for each in messages if isinstance(each, AIMessage) and not each.tool_calls]
        return TurnRecord(
            answer=answers[-1] if answers else "",
            before=(*self._recalled(report), *_skills(report), *asked, *_actions(messages)),
            after=(*self._kept(report), *self._changed(report), *_status(report)),
        )

    def decided(self, decisions: Iterable[Decision]) -> list[Line]:
        """Return what was decided on memories beside a turn."""
        return [
            self.line("written", it.memory.id, "" if it.verdict == "written" else it.verdict)
            if it.memory is not None
            else Line(category="refused", kind="", text=f"rule {it.rule}", detail=it.reason)
            for it in decisions
        ]

    def _recalled(self, report: MemoryReport) -> Iterator[Line]:
        profile = sum(map(is_of_profile, report["recalled"]))
        if profile:
            yield Line(category="profile", kind="user", text=f"{profile} of its memories stand in every prompt")
        for entry in report["recalled"]:
            if is_of_profile(entry):
                continue
            about = f"before {entry['action']}: " if entry["action"] else ""
            about += "superseded by what was said later; " if entry["status"] == "superseded" else ""
            yield self.line("recalled", entry["id"], about + score_parts(entry["score"], entry["parts"]))
        for action in report["held"]:
            yield Line(category="held", kind="action", text=action, detail="waited, because memory speaks of it")

    def _kept(self, report: MemoryReport) -> Iterator[Line]:
        for kept in report["written"]:
            how = "" if kept["verdict"] == "written" else f"{kept['verdict']}: {kept['reason']}"
            yield self.line("written", kept["id"], how)
        for refusal in report["refused"]:
            yield Line(
                category="refused", kind=refusal["kind"], text=f"rule {refusal['rule']}", detail=refusal["reason"]
            )

    def _changed(self, report: MemoryReport) -> Iterator[Line]:
        for memory_id in report["superseded"]:
            yield self.line("superseded", memory_id, "kept as history, not recalled any more")
        for moved in {each["id"]: each for each in report["updated"]}.values():
            yield self.line("updated", moved["id"], f"{moved['reason']}; now {moved['confidence']:.0%} sure")
        for gone in report["forgotten"]:
            yield self.line("forgotten", gone["id"], gone["reason"])

    def line(self, category: Category, memory_id: str, detail: str) -> Line:
        """Return what happened to a memory, in its own words."""
        memory = self._long_term.get(memory_id, scope=self._scope)
        gone = "episode" if memory_id.startswith(PREFIX) else ""
        kind, text = (memory.kind, memory.content) if memory else (gone, ERASED)
        return Line(category=category, kind=kind, text=text, detail=detail)


def score_parts(score: float, parts: Mapping[str, float]) -> str:
    """Return a score with its parts, those that are nothing left out; or why a memory came whatever its score."""
    standing = [why for name, why in STANDING.items() if name in parts]
    if standing and (RELEVANCE not in parts or "complete" in parts):
        return standing[0]
    shares = SHARES if SIGNALS.keys().isdisjoint(parts) else (RELEVANCE,)  # of a turn, signals are no shares
    made_of = [f"{name} {parts[name]:.2f}" for name in shares if round(parts.get(name, 0.0), 2)]
    above = [f"{parts[name]:.1f} {called}" for name, called in SIGNALS.items() if parts.get(name, 0.0) >= _LEAST]
    if above:
        made_of.append(f"above the rest {', '.join(above)}")
    return f"score {score:.2f}: {', '.join(made_of)}" if made_of else f"score {score:.2f}"


def _skills(report: MemoryReport) -> Iterator[Line]:
    for name in report["skills"]:
        yield Line(category="skill", kind="procedure", text=name, detail="found by what is asked; its steps are told")


def _actions(messages: Sequence[BaseMessage]) -> Iterator[Line]:
    """Yield what tools did; what memory itself refused through a tool is shown as a refusal."""
    calls = {call["id"]: call for each in messages if isinstance(each, AIMessage) for call in each.tool_calls}
    for message in messages:
        call = calls.get(message.tool_call_id) if isinstance(message, ToolMessage) else None
        if call is None or is_injected(message):
            continue
        decision = _decision(message.text)
        arguments = ", ".join(dict.fromkeys(map(str, call["args"].values())))
        result = str(decision.get("result", message.text))
        yield Line(category="action", kind="tool", text=f"{call['name']}({arguments})", detail=result)
        if result == "refused":
            yield Line(category="refused", kind="", text=f"rule {decision['rule']}", detail=decision["reason"])


def _decision(answer: str) -> Mapping[str, Any]:
    """Return what a tool of this package decided; of any other tool nothing."""
    try:
        found = json.loads(answer)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and {"result", "rule", "reason"} <= found.keys() else {}


def _status(report: MemoryReport) -> Iterator[Line]:
    if report["status"] != "ok":
        yield Line(category="status", kind="memory", text=report["status"])
