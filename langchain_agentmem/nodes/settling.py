"""What follows from a turn, as a job: judged, extracted and written behind the answer, by any process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, Protocol

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.identity import resolve_run_id, resolve_user_name
from langchain_agentmem.jobs import TakenIn
from langchain_agentmem.jobs.taken_in import taken_in
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.turns.background_flows import CONTEXT
from langchain_agentmem.long_term.turns.turn_queue import QueuedTurn, TurnFlows, TurnQueue
from langchain_agentmem.long_term.write.changing import Left
from langchain_agentmem.nodes.evaluate import Evaluate, telling_of
from langchain_agentmem.nodes.forget import Forget
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.resting import rest_flow
from langchain_agentmem.nodes.state import MovedMemory, new_report
from langchain_agentmem.nodes.turn import MemoryParts, Turn
from langchain_agentmem.nodes.update import outcome_of, signals_in
from langchain_agentmem.nodes.write import objection_to, of_run, propose
from langchain_agentmem.types import Candidate, Decision

_PARTS: Final = ("evaluate", "write", "update", "forget")
"""What follows from a turn, in this order."""


class SettlingParts(MemoryParts, Protocol):
    """What settling a turn needs of an `AgentMemory`."""

    @property
    def turns(self) -> TurnQueue:
        """Where turns wait."""
        ...


_EARLIER: Final = ("evaluate", "write", "update")
"""What follows from a turn that an earlier release queued, which noted what is due only where something failed."""


def due_of(turn: Turn) -> list[str]:
    """Return what follows from a turn and is not done yet; nothing is to be forgotten unless the user asks for it."""
    done = {*turn.report["done"]} if intent_of(turn).is_forget_request else {*turn.report["done"], "forget"}
    return [it for it in _PARTS if it not in done or it in turn.report["left"]]


def queue_turn(queue: TurnFlows, turn: Turn, due: Collection[str], ignore: Collection[str] = ()) -> Flow[bool]:
    """Queue what follows from a turn; return whether the user's consent allowed it.

    Args:
        queue: Where it waits.
        turn: As it stands after the answer.
        due: What of it is not done.
        ignore: Names of tools whose results are no outcomes.
    """
    note = {
        "report": turn.report,
        "due": [*due],
        "ignore": sorted(ignore),
        "told": telling_of(turn, CONTEXT),
        "user_name": resolve_user_name(turn.config),
        "run_id": resolve_run_id(),
    }
    return (yield from queue.put(turn.messages, turn.new_from, note, turn.scope))


def settle_turn(memory: SettlingParts, job: Job) -> Flow[TakenIn]:
    """Do what follows from a turn that was queued, and return what it left; what fails is raised: it is tried again.

    Of a turn that was written at once it is what failed then, or was left out. Models are asked first. Then its
    messages are kept for search, which may be done twice, and then all that it leaves is written together with the end
    of the job.
    """
    turns = flows_of(memory.turns)
    queued = yield from turns.read(job)
    return (yield from turns.queued(queued, _settle(memory, job, queued)))


def _settle(memory: SettlingParts, job: Job, queued: QueuedTurn) -> Flow[TakenIn]:
    turn = _as_turn(queued)
    due = {*(queued.note.get("due") or turn.report.get("left") or _EARLIER)}
    if "evaluate" in due:
        judging = Evaluate(memory, ignore=queued.note["ignore"])
        turn = turn.after((yield from judging.evaluate_flow(turn)))
    found = (yield from _found(memory, turn, queued)) if "write" in due else ()
    objected = [it for it in found if isinstance(it, Decision)]
    candidates = [it for it in found if isinstance(it, Candidate)]
    forgotten: list[MovedMemory] = []
    if "write" in due and not intent_of(turn).is_forget_request:
        new = turn.messages[turn.new_from :]
        yield from flows_of(memory.episodes).keep(new, turn.scope, queued.manner(job), queued.said.said_at)
    if "forget" in due:
        yield from Forget(memory).forget_flow(turn, forgotten)
    decisions = yield from flows_of(memory.turns).settle(job, queued, _left(turn, due, candidates))
    yield from rest_flow(memory, turn.scope, queued.said.consent)
    return taken_in(turn.scope, [*objected, *decisions], [it["id"] for it in forgotten])


def _left(turn: Turn, due: Collection[str], candidates: Sequence[Candidate]) -> Left:
    """Return what is to be written: of outcomes and signals, those that were not learned from at once."""
    if not {"evaluate", "update"} & {*due}:
        return Left(candidates=candidates)
    learned = turn.report.get("learned", 0)
    outcomes, signals = [outcome_of(it) for it in turn.report["outcomes"]], tuple(signals_in(turn))
    return Left(candidates=candidates, outcomes=outcomes[learned:], signals=signals[max(0, learned - len(outcomes)) :])


def _found(memory: SettlingParts, turn: Turn, queued: QueuedTurn) -> Flow[Sequence[Candidate | Decision]]:
    """Return what the turn says, or in its place what stands against it."""
    found = yield from propose(memory, turn, queued.note["user_name"])
    return [objection_to(it, turn) or of_run(it, queued.note["run_id"]) for it in found.candidates]


def _as_turn(queued: QueuedTurn) -> Turn:
    noted: Any = queued.note["report"]
    report: Any = {**new_report(noted["turn"]), **noted}  # an earlier release knew less of a turn
    said, name = queued.said, queued.note["user_name"]
    return Turn(
        id=report["turn"],
        state={"memory_text": {"told": queued.note.get("told", "")}},
        messages=list(said.messages),
        new_from=said.new_from,
        report=report,
        config={"configurable": {"user_name": name}} if name else {},
        mode="on",
        scope=queued.scope,
    )
