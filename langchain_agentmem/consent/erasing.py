"""Erases what a withdrawn consent had covered: in bounded transactions, and as a job that goes on where it stood."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from langchain_agentmem._checks import check_kinds
from langchain_agentmem._flow import Flow
from langchain_agentmem.consent.answers import Answer
from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter, Page
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.episodes import EpisodePlace
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.standing import CONSENT_JOB
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.ending import Ending
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.types import KINDS, Episode, Kind, Memory, Scope
from langchain_agentmem.types.memories import KEPT_STATUSES

AT_ONCE: Final = 100
"""Memories erased in one transaction, so that writers need not wait long for it."""

LATER: Final = timedelta(minutes=1)
"""After which a job begins: by then whoever recorded the withdrawal is done, or gone."""

REASON: Final = "consent was withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """What was covered by what is withdrawn.

    Args:
        kinds: `None`: every kind.
        purposes: What could be used for these alone; empty: whatever it could be used for.
        until: What was kept later, under another grant, stays: microseconds since 1970.
    """

    kinds: tuple[Kind, ...] | None
    purposes: tuple[str, ...]
    until: int

    def memory(self, memory: Memory) -> bool:
        """Whether a memory was."""
        is_meant = self.kinds is None or memory.kind in self.kinds
        return is_meant and self._ends(memory.purposes) and (to_micros(memory.created_at) or 0) <= self.until

    def episode(self, episode: Episode) -> bool:
        """Whether a turn of a conversation was."""
        return self._ends(episode.purposes)

    @property
    def has_episodes(self) -> bool:
        """Whether conversations were."""
        return self.kinds is None or "episode" in self.kinds

    def _ends(self, purposes: Sequence[str]) -> bool:
        return not self.purposes or (purposes != () and set(purposes) <= set(self.purposes))

    def payload(self) -> dict[str, Any]:
        """Return it as a job has it."""
        kinds = None if self.kinds is None else list(self.kinds)
        return {
            "session": None,
            "agent": None,
            "kinds": kinds,
            "purposes": list(self.purposes),
            "until": self.until,
        }

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Covered:
        """Return what a job is about."""
        kinds = payload["kinds"]
        return cls(
            kinds=None if kinds is None else tuple(kinds),
            purposes=tuple(payload["purposes"]),
            until=payload["until"],
        )


class CoveredErasure:
    """Erases facts and episodes, of every agent of the user."""

    def __init__(self, parts: Parts, changing: Changing, ending: Ending) -> None:
        """Compose."""
        self._parts = parts
        self._changing = changing
        self._ending = ending

    @property
    def handlers(self) -> dict[str, Handler]:
        """Who does the jobs."""
        return {CONSENT_JOB: self._take_up}

    def queue(self, writer: LedgerWriter, answer: Answer) -> Covered:
        """Queue the erasure together with the withdrawal: it is done, whatever becomes of this process.

        Raises:
            GovernanceError: A legal hold stands; nothing is recorded then.
        """
        if writer.head.is_held:
            msg = "a legal hold stands, so that nothing may be erased; withdraw without erase=True, or release the hold"
            raise GovernanceError(msg, rule="legal_hold")
        now = self._parts.clock()
        covered = Covered(
            kinds=check_kinds(answer.kinds, KINDS), purposes=tuple(answer.purposes), until=to_micros(now) or 0
        )
        writer.enqueue(CONSENT_JOB, covered.payload(), now + LATER)
        return covered

    def erase(self, covered: Covered, scope: Scope) -> Flow[int]:
        """Erase it, and what waits to do so; return how many memories and turns there were."""
        user = replace(scope, agent_id=None, session_id=None)
        erased = yield from self._erase(covered, user)
        yield from self._parts.ledger.append(user, _done)
        return erased

    def _take_up(self, job: Job) -> Flow[None]:
        if job.scope is not None:
            yield from self._erase(Covered.of(job.payload), job.scope)

    def _erase(self, covered: Covered, user: Scope) -> Flow[int]:
        agents = yield from self._parts.ledger.read(user, _agents)
        erased = 0
        for agent_id in agents:
            scope = replace(user, agent_id=agent_id)
            erased += yield from self._memories(covered, scope)
            if covered.has_episodes and covered.purposes:
                erased += yield from self._episodes(covered, scope)
        if covered.has_episodes and not covered.purposes:
            erased += yield from self._ending.end_session(user, REASON)
        return erased

    def _memories(self, covered: Covered, scope: Scope) -> Flow[int]:
        page, erased = Page(kinds=covered.kinds, statuses=KEPT_STATUSES, limit=AT_ONCE), 0
        while True:
            batch = yield from self._parts.ledger.read(scope, _reading(page))
            doomed = [it.id for it in batch if covered.memory(it)]
            if doomed:
                erased += len((yield from self._changing.erase_each(doomed, scope, REASON)))
            if len(batch) < AT_ONCE:
                return erased
            page = page.behind(batch)

    def _episodes(self, covered: Covered, scope: Scope) -> Flow[int]:
        last: EpisodePlace | None = None
        erased = 0
        while True:
            stored = yield from self._parts.ledger.read(scope, _turns(last))
            doomed = [it.episode.id for it in stored if covered.episode(it.episode)]
            if doomed:
                erased += yield from self._ending.forget(doomed, scope, REASON)
            if len(stored) < AT_ONCE:
                return erased
            last = EpisodePlace.of(stored[-1].episode)


def _reading(page: Page) -> Callable[[LedgerReader], list[Memory]]:
    return lambda reader: reader.page(page)


def _turns(last: EpisodePlace | None) -> Callable[[LedgerReader], list[Any]]:
    return lambda reader: reader.episodes.page(None, last, AT_ONCE)


def _agents(reader: LedgerReader) -> list[str | None]:
    """Return who has memories or turns of the user: no agent for the shared ones, first."""
    named = {*reader.search_columns(0, None).agent_id, *(it.agent_id for it in reader.episodes.rows(0, None))}
    return [None, *sorted(it for it in named if it is not None)]


def _done(writer: LedgerWriter) -> None:
    writer.cancel_jobs(CONSENT_JOB, None, of_every_agent=True)
