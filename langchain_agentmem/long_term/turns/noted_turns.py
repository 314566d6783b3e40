"""Turns of chat histories, noted before they are stored: what fails, or is killed, in between is taken up later."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import LedgerWriter, consent_of
from langchain_agentmem.ledger.codec import EPOCH, from_micros, to_micros
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.said.turns import BATCH
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.long_term.turns.ingesting import Manner
from langchain_agentmem.policies.consent import limits_of, narrowed
from langchain_agentmem.types import ConsentState, MemoryMode, Scope

NOTED_JOB: Final = "noted_turn"
"""Takes the turns of some messages of a chat history, should whoever stored them not have done so."""

GRACE: Final = timedelta(minutes=1)
"""Longer than it takes to store messages and to embed what they say: until then a turn is its own process's."""

AT_ONCE: Final = 10
"""Earlier turns that one turn takes up at most; the others are left to the next, or to a worker."""

MOST_MISSED: Final = 1_000
"""Calls kept in this process that could not be noted, at about 100 bytes each; of more the oldest are let go of."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


class _Call(NamedTuple):
    """Messages of one call: their ids, whose they are, and when they were said."""

    ids: tuple[str, ...]
    scope: Scope
    at: datetime


class Noted(NamedTuple):
    """What was noted of a call: its job, where the database took one, and jobs of the user's that were left before."""

    job_id: int | None = None
    earlier: tuple[tuple[int, Mapping[str, Any]], ...] = ()


class NotedTurns:
    """Sees that every turn that is stored becomes searchable, once, whatever fails meanwhile.

    Before messages are stored, a job is queued that names them; it goes with the transaction that keeps their turns.
    What is left of a failure, or of a killed process, is done by `memory.jobs`, or with the user's next turn. Where the
    database is away while a conversation on Redis goes on, this process remembers the ids until it is back.

    Args:
        parts: Of long-term memory.
        episodes: Where turns are kept.
        new_id: Gives the id of a message that has none.
    """

    def __init__(self, parts: Parts, episodes: EpisodeFlows, new_id: Callable[[], str]) -> None:
        """Nothing is missed yet."""
        self._new_id = new_id
        self._parts = parts
        self._episodes = episodes
        self._missed: list[_Call] = []

    @property
    def handlers(self) -> dict[str, Handler]:
        """What does the jobs."""
        return {NOTED_JOB: self._do}

    def note(self, messages: Sequence[BaseMessage], scope: Scope, mode: MemoryMode | None) -> Flow[Noted | None]:
        """Queue a job for messages that are about to be stored; `None`: their turns are not to be kept.

        It never fails: nothing holds up who stores messages. One without an id is given one, on the object itself, so
        that the same call can be repeated after an error.
        """
        call = None
        try:
            if not self._episodes.are_kept or self._parts.effective_mode(scope, mode) != "on":
                return None
            call = _Call(tuple(self._named(messages)), scope, self._parts.clock())
            if not call.ids or not self._allows((yield from self._parts.ledger.read(scope, consent_of))):
                return None
            missed = [it for it in self._missed if _owner(it.scope) == _owner(scope)]
            noted = yield from self._parts.ledger.append(scope, partial(self._queue, calls=[*missed, call]))
            for it in missed:
                with suppress(ValueError):  # another thread's turn has noted it as well
                    self._missed.remove(it)
        except Exception as error:  # noqa: BLE001  (whatever a database, a clock or a rule of the application's raises)
            if call is None or not isinstance(error, StorageError):
                LOGGER.warning("a turn is stored, and kept for no search: %s", type(error).__name__)
                return None
            self._missed.append(call)
            del self._missed[:-MOST_MISSED]
            LOGGER.warning("a turn is noted with the user's next one: %s", type(error).__name__)
            return Noted()
        return noted

    def take(self, noted: Noted, messages: Sequence[BaseMessage], scope: Scope, mode: MemoryMode | None) -> Flow[None]:
        """Keep the turns of messages that are stored now, and then those that were left before; it never fails."""
        is_short = len(messages) <= BATCH

        def done(writer: LedgerWriter) -> None:
            if is_short and noted.job_id is not None:  # of more, the first transaction is not the last
                writer.drop_job(noted.job_id)

        manner = Manner(mode=mode, is_asked_for=False, check=done)
        try:
            report = yield from self._episodes.index_end(messages, scope, manner)
            if not (report.kept and is_short):
                yield from self.drop(noted, scope)
            for job_id, payload in noted.earlier:
                yield from self._take_up(payload, scope, None)
                yield from self.drop(Noted(job_id), scope)
        except Exception as error:  # noqa: BLE001  (whatever an embedder or a database raises)
            LOGGER.warning(
                "a turn is stored and no episode yet: %s; memory.jobs takes it, or the user's next turn",
                type(error).__name__,
            )

    def drop(self, noted: Noted | None, scope: Scope) -> Flow[None]:
        """Take a job back: nothing is left to do. It never fails: a job that stays finds nothing to do."""
        job_id = None if noted is None else noted.job_id
        try:
            if job_id is not None:
                yield from self._parts.ledger.append(scope, lambda writer: writer.drop_job(job_id))
        except Exception as error:  # noqa: BLE001  (whatever a database raises)
            LOGGER.warning("a job that is done is left to memory.jobs: %s", type(error).__name__)

    def _named(self, messages: Sequence[BaseMessage]) -> Iterator[str]:
        """Give the ids of messages; what is none is left to who stores them, and refuses it."""
        for message in messages if isinstance(messages, (list, tuple)) else ():
            if isinstance(message, BaseMessage):
                message.id = message.id or self._new_id()
                yield message.id

    def _queue(self, writer: LedgerWriter, calls: Sequence[_Call]) -> Noted | None:
        consent = writer.head.consent
        if not self._allows(consent):
            return None
        now, job_id = self._parts.clock(), 0
        earlier = list(_left(writer.waiting_jobs(NOTED_JOB), now - GRACE))
        for call in calls:
            payload = {
                "session": call.scope.session_id,
                "agent": call.scope.agent_id,
                "at": to_micros(call.at),
                "began": writer.head.seq,
                "consent": self._parts.consent_mode,
                **limits_of(consent),
            }
            words = json.dumps(call.ids).encode()
            job_id = writer.enqueue(NOTED_JOB, payload, call.at + GRACE, words)
        return Noted(job_id, tuple(earlier[:AT_ONCE]))

    def _do(self, job: Job) -> Flow[None]:
        """Do a job of a worker's."""
        if job.scope is not None:
            yield from self._take_up(job.payload, job.scope, job)

    def _take_up(self, payload: Mapping[str, Any], owner: Scope, job: Job | None) -> Flow[None]:
        """Keep the turns of messages that a job names, under the consent and the requests that hold for them."""
        scope = replace(owner, agent_id=payload["agent"], session_id=payload["session"])
        words, consent = yield from self._parts.ledger.read(
            scope, lambda reader: (reader.unsealed(payload), reader.head.consent)
        )
        manner = Manner(
            is_asked_for=False,
            purposes=narrowed(payload, consent)["episode"],
            consent=payload["consent"],
            check=None if job is None else lambda writer: writer.check_job(job.id, job.lease),
            began=payload["began"],
        )
        said_at = from_micros(payload["at"]) or EPOCH
        yield from self._episodes.index_noted(frozenset(json.loads(words)), scope, manner, said_at)

    def _allows(self, consent: ConsentState) -> bool:
        return self._parts.refusal(consent, kind="episode") is None


def _left(
    waiting: Sequence[tuple[int, Mapping[str, Any]]], before: datetime
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the jobs of turns that were said so long ago that nobody is storing them any more."""
    latest = to_micros(before) or 0
    return ((job_id, payload) for job_id, payload in waiting if payload["at"] <= latest)


def _owner(scope: Scope) -> tuple[str | None, str | None]:
    return scope.tenant_id, scope.user_id
