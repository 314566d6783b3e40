"""The flows behind `Background`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_choice, check_flag
from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction import Extractor
from langchain_agentmem.extraction.record.attribution import after_reading
from langchain_agentmem.extraction.record.conversation import context_of
from langchain_agentmem.jobs import Handler, TakenIn
from langchain_agentmem.jobs.taken_in import taken_in
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.index.searching import LOG_JOB, Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.listing import Listing
from langchain_agentmem.long_term.remove.ending import INGEST_JOB
from langchain_agentmem.long_term.said.handed import Handed
from langchain_agentmem.long_term.said.turns import begins_turn, id_of
from langchain_agentmem.long_term.turns.episode_flows import (
    EpisodeFlows,
    SaidAt,
    checked_messages,
    time_of,
    with_session,
)
from langchain_agentmem.long_term.turns.ingesting import Manner
from langchain_agentmem.long_term.write.known import known_before
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.consent import limits_of, narrowed
from langchain_agentmem.sessions.messages import check_message
from langchain_agentmem.types import Candidate, Decision, IngestReport, Kind, MemoryMode, Scope

MESSAGES_AT_ONCE: Final = 32
"""In one job, and a few more to the end of a turn: what a model reads in one call, in a fraction of a lease."""

MAX_AT_ONCE: Final = 4 * MESSAGES_AT_ONCE
"""In one job, also where nobody begins a turn."""

CONTEXT: Final = 4
"""Messages before those of a job that explain them: a question, for its answer."""

LOG_WITHIN: Final = timedelta(minutes=1)
"""So long the words of a job that is done may stay in SQLite's write-ahead log while others wait."""

_MODES: Final = ("on", "frozen", "off")
_ID_BYTES: Final = 16


class BackgroundFlows:
    """What `Background` promises, as flows."""

    def __init__(
        self, parts: Parts, searching: Searching, episodes: EpisodeFlows, extractor: Callable[[], Extractor]
    ) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._episodes = episodes
        self._extractor = extractor

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to do these jobs."""
        return {INGEST_JOB: self._take_in}

    def ingest(
        self, messages: Iterable[BaseMessage], scope: Scope, at: SaidAt, settings: dict[str, Any]
    ) -> Flow[IngestReport]:
        """Hand over a conversation; see `Background.ingest`."""
        given = checked_messages(messages)
        when = time_of(at, self._parts.clock)
        times = [to_micros(when(it)) or 0 for it in given]
        told = zip(given, times, strict=True)
        said = [named(it, number, None if at is None else time) for number, (it, time) in enumerate(told)]
        scope = with_session(scope)
        rule, actor = self._parts.objection(scope, settings["mode"]), self._parts.access.other(scope)
        if rule is not None or not said:
            return IngestReport(refused={rule: len(said)} if rule else {})
        payload = {"session": scope.session_id, "agent": scope.agent_id, **settings}

        def queue(writer: LedgerWriter) -> IngestReport:
            if self._parts.refusal(writer.head.consent) is not None:
                writer.append(Draft(type="refused", rule="consent", note={"kind": "episode", "count": len(said)}))
                return IngestReport(refused={"consent": len(said)})
            allowed = {**payload, **limits_of(writer.head.consent), "began": writer.head.seq}
            for part in _parted(said, times):
                handed = replace(part, consent=self._parts.consent_mode, actor=actor)
                writer.enqueue(INGEST_JOB, allowed, None, handed.pack())
            return IngestReport(queued=len(said))

        return (yield from self._parts.ledger.append(scope, queue))

    def _take_in(self, job: Job) -> Flow[TakenIn | None]:
        """Do a job: turns first, which are known by their ids if it is done again, then facts together with its end."""
        if job.scope is None:
            return None
        payload = job.payload
        scope = replace(job.scope, agent_id=payload["agent"], session_id=payload["session"])
        packed, consent = yield from self._parts.ledger.read(
            scope, lambda reader: (reader.unsealed(payload), reader.head.consent)
        )
        handed = Handed.unpack(packed)
        taking = self._take(job, handed, scope, narrowed(payload, consent))
        return taken_in(scope, (yield from self._parts.access.queued(handed.actor, scope, taking)))

    def _take(
        self, job: Job, handed: Handed, scope: Scope, purposes: Mapping[Kind, tuple[str, ...]]
    ) -> Flow[Sequence[Decision]]:
        payload = job.payload
        if payload["episodes"]:
            new = handed.messages[handed.new_from :]
            manner = Manner(
                mode=payload["mode"],
                purposes=purposes["episode"],
                consent=handed.consent,
                check=lambda writer: writer.check_job(job.id, job.lease),
                began=payload.get("began"),  # an earlier release queued without
            )
            yield from self._episodes.ingest(new, scope, manner, at=handed.said_at)
        candidates: list[Candidate] = []
        if payload["facts"]:
            new = handed.messages[handed.new_from :]
            known = yield from known_before(Listing(self._parts).list, new, scope)
            heard, new_from = [*known, *handed.messages], len(known) + handed.new_from
            found = yield from self._extractor().extract_flow(heard, new_from=new_from)
            began = payload.get("began")
            told = after_reading(found.candidates, handed.messages)
            dated = map(handed.dated, told)
            candidates = [replace(it, purposes=purposes[it.kind], began=began) for it in dated]
        if candidates:
            writing = Writing(self._parts.under(handed.consent), self._searching)
            remembering = writing.remember_all(
                candidates, scope, payload["mode"], lambda writer: self._finish(writer, job)
            )
            return (yield from self._parts.watch.write("remember", remembering, scope))
        yield from self._parts.ledger.append(scope, lambda writer: self._finish(writer, job))
        return ()

    def _finish(self, writer: LedgerWriter, job: Job) -> None:
        finish_job(writer, job, self._parts.clock())


def finish_job(writer: LedgerWriter, job: Job, now: datetime) -> None:
    """End a job; its words go from files that only the database writes, with others' or a little later."""
    writer.finish_job(job.id, job.lease)
    if writer.has_log:
        writer.enqueue_once(LOG_JOB, now + LOG_WITHIN if writer.are_jobs_left(job.kind) else None)


def settings_of(mode: MemoryMode | None, *, episodes: bool, facts: bool) -> dict[str, Any]:
    """Return how a conversation is to be taken in, checked."""
    if mode is not None:
        check_choice("mode", mode, _MODES)
    return {"episodes": check_flag("episodes", episodes), "facts": check_flag("facts", facts), "mode": mode}


def named(message: BaseMessage, number: int, at: int | None = None) -> BaseMessage:
    """Return a message with an id that can be kept; `at`: when it was said, where the caller told it."""
    check_message(message)
    if id_of(message) is not None:
        return message
    when = "" if at is None else f"{at}\x00"
    words = f"{when}{number}\x00{message.type}\x00{message.text}".encode("utf-8", "surrogatepass")
    return message.model_copy(update={"id": f"said-{blake2b(words, digest_size=_ID_BYTES).hexdigest()}"})


def _parted(messages: Sequence[BaseMessage], times: Sequence[int]) -> Iterator[Handed]:
    """Cut a conversation into jobs, where somebody begins a turn."""
    start = 0
    for end in range(1, len(messages) + 1):
        size = end - start
        is_over = end == len(messages) or (size >= MESSAGES_AT_ONCE and begins_turn(messages[end]))
        if is_over or size >= MAX_AT_ONCE:
            before = context_of(messages, start, CONTEXT)
            told, at = [messages[it] for it in before], [times[it] for it in before]
            yield Handed(messages=[*told, *messages[start:end]], times=[*at, *times[start:end]], new_from=len(before))
            start = end
