"""What follows from a turn of an agent, behind the hot path: queued in one transaction, and settled in one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final, TypeVar

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction.record.conversation import with_context
from langchain_agentmem.ledger.base import LedgerWriter, consent_of
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.ending import TURN_JOB
from langchain_agentmem.long_term.said.handed import Handed
from langchain_agentmem.long_term.said.turns import id_of
from langchain_agentmem.long_term.turns.background_flows import CONTEXT, finish_job, named
from langchain_agentmem.long_term.turns.ingesting import Manner
from langchain_agentmem.long_term.write.changing import Changing, Left
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.consent import limits_of, narrowed
from langchain_agentmem.types import ConsentState, Decision, Kind, Scope

T = TypeVar("T")
_KEY_BYTES: Final = 16
"""Two of 2^32 turns of one user collide with a chance below 10^-19."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedTurn:
    """A turn that waits, or is being done.

    Attributes:
        said: Its messages, with a few before them that explain them.
        note: What is known of it besides: JSON values.
        scope: Whose it is, with session and agent.
        purposes: What it may be used for, by kind: what the user allowed when it was queued, and allows now.
    """

    said: Handed
    note: Mapping[str, Any]
    scope: Scope
    purposes: Mapping[Kind, tuple[str, ...]]

    @property
    def began(self) -> int | None:
        """Where the user's log stood when it began; of one that an earlier release queued nobody knows."""
        found: int | None = self.note.get("report", {}).get("began")
        return found

    def manner(self, job: Job) -> Manner:
        """Return how its messages are kept for search."""
        return Manner(
            is_asked_for=False,
            purposes=self.purposes["episode"],
            consent=self.said.consent,
            check=lambda writer: writer.check_job(job.id, job.lease),
            began=self.began,
            is_latest=True,
        )


class TurnFlows:
    """Turns of agents whose consequences are worked out later, by any process that runs `memory.jobs`.

    Those of one user are done one after the other, in their order. What is written for a turn and the end of its job
    are one transaction: it is done once, or anew. A turn is done under the consent and the mode that held where it was
    queued, whatever the options of the process that does it. What waits is sealed like memories, and goes with its
    conversation and with the user's consent.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching

    def put(self, messages: Sequence[BaseMessage], new_from: int, note: Mapping[str, Any], scope: Scope) -> Flow[bool]:
        """Queue a turn, `messages[new_from:]`; return whether the user's consent, and memory's mode, allowed it.

        A turn of a thread is queued once: a run that was killed after that, and is resumed, finds it queued, or done.
        """
        is_on = self._parts.effective_mode(scope, None) == "on"
        if not is_on or not self._allows((yield from self._parts.ledger.read(scope, consent_of))):
            return False
        heard, first = with_context(messages, new_from, CONTEXT)
        now = self._parts.clock()
        told = [named(it, number) for number, it in enumerate(heard)]
        times = [to_micros(now) or 0] * len(told)
        said = Handed(
            messages=told,
            times=times,
            new_from=first,
            consent=self._parts.consent_mode,
            actor=self._parts.access.other(scope),
        )
        words = json.dumps(dict(note)).encode() + b"\n" + said.pack()
        key = _key(messages[new_from:], scope)

        def queue(writer: LedgerWriter) -> bool:
            consent = writer.head.consent
            if not self._allows(consent):
                return False
            payload = {"session": scope.session_id, "agent": scope.agent_id, **limits_of(consent)}
            writer.enqueue(TURN_JOB, payload, None, words, key=key)
            return True

        return (yield from self._parts.ledger.append(scope, queue))

    def read(self, job: Job) -> Flow[QueuedTurn]:
        """Return the turn that a job is about.

        Raises:
            IntegrityError: Its words were changed.
        """
        payload = job.payload
        owner = job.scope or Scope.anonymous(job.kind)
        scope = replace(owner, agent_id=payload["agent"], session_id=payload["session"])
        words, consent = yield from self._parts.ledger.read(
            scope, lambda reader: (reader.unsealed(payload), reader.head.consent)
        )
        note, _, packed = words.partition(b"\n")
        purposes = narrowed(payload, consent)
        said = Handed.unpack(packed).by(self._parts.clock())
        return QueuedTurn(said=said, note=json.loads(note), scope=scope, purposes=purposes)

    def queued(self, turn: QueuedTurn, flow: Flow[T]) -> Flow[T]:
        """Do something for a turn, as who queued it.

        Raises:
            GovernanceError: They may not write any more.
        """
        return self._parts.access.queued(turn.said.actor, turn.scope, flow)

    def settle(self, job: Job, turn: QueuedTurn, left: Left) -> Flow[Sequence[Decision]]:
        """Write what a turn leaves, and end its job.

        Raises:
            ConflictError: The job was cancelled, or is another worker's; nothing was written.
        """
        told = [turn.said.dated(it) for it in left.candidates]
        dated = [replace(it, purposes=turn.purposes[it.kind], began=turn.began) for it in told]
        outcomes = [replace(it, began=turn.began) for it in left.outcomes]
        parts = self._parts.under(turn.said.consent)
        changing = Changing(parts, self._searching, Writing(parts, self._searching))
        settling = changing.settle(
            replace(left, candidates=dated, outcomes=outcomes),
            turn.scope,
            None,
            lambda writer: finish_job(writer, job, self._parts.clock()),
        )
        return (yield from self._parts.watch.write("remember", settling, turn.scope))

    def _allows(self, consent: ConsentState) -> bool:
        return self._parts.refusal(consent) is None


class TurnQueue:
    """Turns of agents whose consequences are worked out later, by any process that runs `memory.jobs`.

    It has no method of its own: agents queue, `memory.jobs` shows what waits, and works it off.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose; made by `AgentMemory`."""
        self._flows = TurnFlows(parts, searching)


def _key(new: Sequence[BaseMessage], scope: Scope) -> str | None:
    """Return what tells a turn of a thread from every other; `None` where nothing does."""
    ids = [id_of(message) for message in new]
    if scope.session_id is None or not ids or None in ids:
        return None
    return blake2b(json.dumps([scope.session_id, scope.agent_id, *ids]).encode(), digest_size=_KEY_BYTES).hexdigest()
