"""What a turn asks of memory: whether to recall at all, and whether something is to be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.english.requests.intent import Intent, agreed_intent, detect_intent
from langchain_agentmem.extraction.record.conversation import is_injected, speaker_of
from langchain_agentmem.nodes.abandoned import answered_flow
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import MemoryReport, new_report
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, Turn, attempt, began_flow, owner_of

Detector: TypeAlias = Callable[[str], Intent]


class DetectIntent(MemoryNode):
    """Begins a turn: a new report, and in it what the user's message asks of memory.

    Where the user types on while a call of a tool waits for an answer, the call is answered as not run, what ran beside
    it by its own answer, and what nobody can know as one that may have run: `messages` are then given anew, which takes
    LangGraph's reducer of messages, as `MessagesState` and `MemoryState` have it.

    Args:
        detector: Reads the intent from the user's words; by rules, unless replaced (by a call of a model, say). If it
            fails, the rules decide.
        settings: For whom, and in which mode.
        memory: An `AgentMemory`: where its log stands is noted here. `None`: `Retrieve` notes it.
    """

    name = "detect_intent"
    is_opening = True

    def __init__(
        self,
        *,
        detector: Detector = detect_intent,
        settings: NodeSettings | None = None,
        memory: MemoryParts | None = None,
    ) -> None:
        super().__init__(settings)
        self._detector = detector
        self._memory = memory

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        report = yield from opened_flow(turn, self._memory)
        intent = yield from read_intent(self._detector, turn)
        answered = yield from answered_flow(turn)
        return {"memory": {**report, "intent": intent}, "memory_text": {}, **answered}


def opened_flow(turn: Turn, memory: MemoryParts | None) -> Flow[MemoryReport]:
    """Return the report with which a turn begins."""
    report: MemoryReport = {**new_report(turn.id), "status": turn.status, "shown_before": _shown_before(turn)}
    if turn.actor is not None and not turn.actor.is_anonymous:
        report["owner"] = owner_of(turn.actor)
    if memory is not None:
        report = {**report, **(yield from began_flow(memory, replace(turn, report=report)))}
    return report


def read_intent(detector: Detector, turn: Turn) -> Flow[dict[str, Any]]:
    """Return what the user's message asks of memory, for the report; where the detector fails, the rules' reading.

    A "yes" to the question which a request to forget led to asks for what was asked about.
    """
    agreed = agreed_intent(*_said_before(turn), turn.text)
    if agreed is not None:
        return noted(agreed)
    intent = yield from attempt(work, detector, turn.text)
    return noted(detect_intent(turn.text) if isinstance(intent, Failure) else intent)


def with_intent(detector: Detector, turn: Turn) -> Flow[Turn]:
    """Return a turn of which is known what it asks of memory; it is read where no node did."""
    if turn.report["intent"]:
        return turn
    return turn.after(turn.update(intent=(yield from read_intent(detector, turn))))


def intent_of(turn: Turn) -> Intent:
    """Return the intent this turn was found to have; without a node that looked, the rules' reading."""
    known = turn.report["intent"]
    if known:
        return as_intent(known)
    return agreed_intent(*_said_before(turn), turn.text) or detect_intent(turn.text)


def as_intent(known: Mapping[str, Any]) -> Intent:
    """Return an intent as a report has it."""
    return Intent(**{**known, "questions": tuple(known["questions"]), "kinds": tuple(known.get("kinds", ()))})


def noted(intent: Intent) -> dict[str, Any]:
    """Return an intent as a report has it; see `as_intent`."""
    fields = asdict(intent)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _said_before(turn: Turn) -> tuple[str, str]:
    """Return what the user said last before this turn, and the last that the assistant said to it."""
    told = ""
    for it in reversed(turn.messages[: turn.new_from]):
        speaker = None if is_injected(it) else speaker_of(it)
        if speaker == "user":
            return it.text, told
        if speaker == "assistant":
            told = told or it.text
    return "", ""


def _shown_before(turn: Turn) -> list[str]:
    """Return what the turn before was shown: "that's wrong" is about its answer."""
    before = turn.state.get("memory") or {}
    return [entry["id"] for entry in before.get("recalled", ())]
