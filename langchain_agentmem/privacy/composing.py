"""How the rights are put together: which layers a memory has, and who erases them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.jobs import Handler, JobFlows
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.ledger.standing import EMBED_JOB, RELEASE_JOB, erase_job, erase_jobs_within
from langchain_agentmem.long_term.index.missing_vectors import Lacking
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.turns.linking import Linking
from langchain_agentmem.privacy.admitting import Admission
from langchain_agentmem.privacy.conversing_layers import sql_conversations, sql_working
from langchain_agentmem.privacy.erasing import Erasure
from langchain_agentmem.privacy.graph_layers import THREAD_TABLES, StoreLayer, ThreadLayer, stored_threads
from langchain_agentmem.privacy.held_layers import IndexLayer, ProfileLayer
from langchain_agentmem.privacy.holding import Holds
from langchain_agentmem.privacy.layers import Layer
from langchain_agentmem.privacy.ledger_layers import Taking, ledger_layers
from langchain_agentmem.privacy.moving import Beside, Moving
from langchain_agentmem.privacy.redis_layers import RedisConversationLayer, RedisThreadLayer, RedisWorkingLayer
from langchain_agentmem.privacy.redis_look import Look, unseen
from langchain_agentmem.privacy.reporting import REDIS, STORE, Reporting
from langchain_agentmem.privacy.service import Privacy, PrivacyParts
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.states.base import States
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.transfer.lines import LineCodec
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Vault
from langchain_agentmem.working.flows import WorkingFlows

NOT_OF_USERS: frozenset[str] = frozenset({"agentmem_marks", "agentmem_models"})
"""Tables that say nothing of any user; every other one is some layer's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Where conversations, working states and threads are: the SQL database, or a Redis."""

    sessions: Sessions
    states: States
    saver: StoredSaver


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """Everything that a memory stores something in.

    Attributes:
        ledger: And the SQL database that it is in.
        profiles: Drops copies of profiles on Redis.
        here: Where things are in the SQL database. `fast`: where they are on Redis, if there is one.
        store: Gives LangGraph's store.
        allowed_types: Classes that may stand in threads.
    """

    ledger: SQLLedger
    vault: Vault
    parts: Parts
    searching: Searching
    profiles: Callable[[Scope], Flow[None]]
    here: Backend
    fast: Backend | None
    redis: RedisDatabase | None
    store: Callable[[], SQLStore]
    allowed_types: tuple[type, ...]
    clock: Callable[[], datetime]

    def layers(self, looking_for: Scope | None = None) -> list[Layer]:
        """Make every layer; see `Layers`."""
        database, codec = self.ledger.database, self._codec
        stored = stored_threads(database)
        found: list[Layer] = [
            IndexLayer(self.searching.index, database, STORE),
            *ledger_layers(self.ledger, self.vault, self._taking),
            sql_conversations(database, self.here.sessions),
            sql_working(database, WorkingFlows(self.here.states)),
            ThreadLayer("threads", self.here.saver, codec, stored=stored, tables=THREAD_TABLES),
            StoreLayer(database, self.store, self.vault),
        ]
        if self.redis is not None and self.fast is not None:
            look = unseen if looking_for is None else Look(self.redis, owner_of(looking_for))
            found += [
                RedisConversationLayer(self.redis, self.fast.sessions, REDIS, look),
                RedisWorkingLayer(self.redis, WorkingFlows(self.fast.states), REDIS, look),
                RedisThreadLayer(self.redis, self.fast.saver, codec, REDIS, look),
                ProfileLayer(self.redis, self.profiles, REDIS),
            ]
        return found

    def erasure(self) -> Erasure:
        """Return what erases users."""
        kind = erase_job(has_index=self.searching.index.is_fed, has_redis=self.redis is not None)
        return Erasure(self.ledger, self.vault, self.layers, self._forget, self.clock, kind=kind)

    def lacking(self) -> Lacking:
        """Return what gives vectors to what was imported."""
        return Lacking(self.parts, self.searching, SQLModels(self.ledger.database, self.clock))

    @property
    def _taking(self) -> Taking:
        admission = Admission(consented=self.parts.consented, sensitive=self.parts.sensitive)
        link = Linking(self.parts.episodes.claims).link
        relations = self.parts.relations
        return Taking(queue=self._queue, link=link, admission=admission, ends=self._ends, relations=relations)

    def _ends(self) -> datetime | None:
        policy = self.parts.approval
        return None if policy is None else policy.expiry(self.clock())

    def _codec(self) -> LineCodec:
        return LineCodec(self.allowed_types)

    def _queue(self, writer: LedgerWriter, memory_id: str) -> None:
        self.searching.queue(writer, memory_id)

    def _forget(self, scope: Scope) -> Flow[None]:
        """Drop what this process holds of a user, and copies elsewhere."""
        self.parts.episodes.forget(scope)
        self.parts.forget_words()
        yield from self.searching.forget(scope)


def privacy_handlers(backends: Callable[[], Backends], erasing: str) -> dict[str, Handler]:
    """Return what a process needs to erase users, to end holds whose time has come, and to embed what was imported.

    It is made anew for each job.

    Args:
        backends: Makes everything that it stores something in.
        erasing: The kind of erasure that reaches what this process was opened with; those that reach less come along.
    """

    def erase(job: Job) -> Flow[None]:
        return backends().erasure().do(job)

    def release(of: Backends) -> Holds:
        return Holds(of.ledger, of.clock)

    return {
        **dict.fromkeys(erase_jobs_within(erasing), erase),
        RELEASE_JOB: lambda job: release(backends()).do(job),
        EMBED_JOB: lambda job: backends().lacking().do(job),
    }


def create_privacy(
    backends: Backends,
    jobs: JobFlows,
    *,
    profile: Callable[[Scope], Flow[Any]],
    index: Callable[[Scope], Flow[Any]],
    store: Callable[[], SQLStore],
) -> Privacy:
    """Return the rights of users.

    Args:
        backends: Everything that a memory stores something in.
        jobs: Run the erasures.
        profile: Reads a user's profile.
        index: Makes episodes of conversations.
        store: Gives the store in use, whose caches are dropped.
    """

    def told(scope: Scope) -> Flow[Mapping[str, Any]]:
        try:
            return dict((yield from profile(scope)).model_dump(mode="json"))
        except AgentMemError:
            return {}

    layers, ledger, clock = backends.layers, backends.ledger, backends.clock
    lacking, parts = backends.lacking(), backends.parts
    beside = Beside(
        profile=told,
        index=index,
        embed=lambda scope: lacking.follow(scope, jobs),
        clock=clock,
        new_id=parts.new_id,
        is_silence_consent=parts.consent_mode == "assumed",
    )
    return Privacy(
        PrivacyParts(
            erasure=backends.erasure(),
            holds=Holds(ledger, clock),
            moving=Moving(ledger, backends.vault, layers, beside),
            reporting=Reporting(ledger, backends.vault, layers, clock),
            jobs=jobs,
            access=parts.access,
            watch=parts.watch,
            clock=clock,
            forget=lambda scope: flows_of(store()).erase(scope),
            may_write=lambda scope: parts.effective_mode(scope, None) == "on",
        )
    )
