"""What follows from a turn, as a job: judged, extracted and written behind the answer, by any process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from langchain_agentmem._flow import Flow
from langchain_agentmem.identity import resolve_run_id, resolve_user_name
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.background import CONTEXT
from langchain_agentmem.long_term.changing import Left
from langchain_agentmem.long_term.turn_queue import QueuedTurn, TurnQueue
from langchain_agentmem.nodes.evaluate import Evaluate, telling_of
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.resting import rest_flow
from langchain_agentmem.nodes.turn import MemoryParts, Turn
from langchain_agentmem.nodes.update import outcome_of, signals_in
from langchain_agentmem.nodes.write import objection_to, of_run, propose
from langchain_agentmem.types import Candidate


class SettlingParts(MemoryParts, Protocol):
    """What settling a turn needs of an `AgentMemory`."""

    @property
    def turns(self) -> TurnQueue:
        """Where turns wait."""
        ...


def queue_turn(queue: TurnQueue, turn: Turn, ignore: Collection[str] = ()) -> Flow[bool]:
    """Queue what follows from a turn; return whether the user's consent allowed it.

    Args:
        queue: Where it waits.
        turn: As it stands after the answer.
        ignore: Names of tools whose results are no outcomes.
    """
    note = {
        "report": turn.report,
        "ignore": sorted(ignore),
        "told": telling_of(turn, CONTEXT),
        "user_name": resolve_user_name(turn.config),
        "run_id": resolve_run_id(),
    }
    return (yield from queue.put_flow(turn.messages, turn.new_from, note, turn.scope))


def settle_turn(memory: SettlingParts, job: Job) -> Flow[None]:
    """Do what follows from a turn that was queued; what fails is raised, for the queue to try again.

    Models are asked first. Then its messages are kept for search, which may be done twice, and then all that it leaves
    is written together with the end of the job.
    """
    queued = yield from memory.turns.read_flow(job)
    turn = _as_turn(queued)
    judging = Evaluate(memory, ignore=queued.note["ignore"], prompt=queued.note.get("told", ""))
    turn = turn.after((yield from judging.evaluate_flow(turn)))
    candidates = yield from _candidates(memory, turn, queued)
    if not intent_of(turn).is_forget_request:
        new = turn.messages[turn.new_from :]
        yield from memory.episodes.keep_flow(new, turn.scope, None, queued.manner(job), queued.said.said_at)
    outcomes = [outcome_of(it) for it in turn.report["outcomes"]]
    left = Left(candidates=candidates, outcomes=outcomes, signals=tuple(signals_in(turn)))
    yield from memory.turns.settle_flow(job, queued, left)
    yield from rest_flow(memory, turn.scope)


def _candidates(memory: SettlingParts, turn: Turn, queued: QueuedTurn) -> Flow[Sequence[Candidate]]:
    found = yield from propose(memory, turn, queued.note["user_name"])
    return [of_run(it, queued.note["run_id"]) for it in found.candidates if objection_to(it, turn) is None]


def _as_turn(queued: QueuedTurn) -> Turn:
    report: Any = queued.note["report"]
    said = queued.said
    return Turn(
        id=report["turn"],
        state={},
        messages=list(said.messages),
        new_from=said.new_from,
        report=report,
        config={},
        mode="on",
        scope=queued.scope,
    )
