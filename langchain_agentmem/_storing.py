"""How what stores is made: each is imported when it is put in its place."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from langchain_agentmem._faces import face
from langchain_agentmem.vault.base import NullVault

if TYPE_CHECKING:
    from langchain_agentmem.access.access import Access
    from langchain_agentmem.checkpoint.stored import StoredSaver
    from langchain_agentmem.items.sql import SQLItems
    from langchain_agentmem.jobs import Handler, Round
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.long_term.ending import ExpiredEpisodes
    from langchain_agentmem.long_term.episodes import Episodes
    from langchain_agentmem.long_term.indexing import Conversations
    from langchain_agentmem.long_term.kept_copies import KeptCopies
    from langchain_agentmem.long_term.kept_threads import KeptThreads, Saver
    from langchain_agentmem.long_term.noted_turns import NotedTurns
    from langchain_agentmem.long_term.parts import Parts
    from langchain_agentmem.long_term.searching import Searching
    from langchain_agentmem.options import MemoryOptions
    from langchain_agentmem.privacy.composing import Backend
    from langchain_agentmem.redis.database import RedisDatabase
    from langchain_agentmem.sensitive import SensitiveData
    from langchain_agentmem.sessions.base import RewritableSessions, Sessions
    from langchain_agentmem.sql.engine import Database
    from langchain_agentmem.states.base import States
    from langchain_agentmem.store.sql import SQLStore
    from langchain_agentmem.sweeps import Sweeps
    from langchain_agentmem.types import Scope


_LOGGER: Final = logging.getLogger("langchain_agentmem")
_warned: Final = set[str]()
"""What was warned of; once for each process is enough."""


def warn_if_plain(database: Database, options: MemoryOptions) -> None:
    """Warn, once per process, where what is stored can be read by whoever has the file or the server."""
    if options.vault is None and not database.is_memory and not _warned:
        _warned.add("plain")
        _LOGGER.warning("memory is stored in the clear: pass vault=SubjectVault(KeyFolder(…)); see docs/vault.md")


def hush_plain() -> None:
    """Do not warn of it in this process: it says so itself."""
    _warned.add("plain")


def make_sessions(
    database: Database,
    redis: RedisDatabase | None,
    options: MemoryOptions,
    access: Access | None = None,
    follower: KeptCopies | None = None,
) -> Sessions:
    """Return where conversations are stored: Redis if there is one, else the SQL database.

    `follower` lets go of what was copied of those on Redis.
    """
    made: Sessions = make_stored_sessions(database, redis, options, follower)
    policy = options.sensitive
    if policy is not None and not (policy.is_idle("histories") and policy.is_idle("shown")):
        new_id = options.sessions.get("new_id") or options.new_id
        made = face("ProtectedSessions")(made, policy, make_ledger(database, options), new_id)
    return made if access is None else cast("Sessions", face("guarded_sessions")(made, access))


def make_stored_sessions(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, follower: KeptCopies | None = None
) -> RewritableSessions:
    """Return where conversations are stored, as they are stored."""
    settings: dict[str, Any] = {"vault": options.vault, "clock": options.clock, **options.sessions}
    if redis is None:
        return cast("RewritableSessions", face("SQLSessions")(database, **settings))
    return cast("RewritableSessions", face("RedisSessions")(redis, follower=follower, **settings))


def make_conversations(
    sessions: Callable[[], Sessions], redis: RedisDatabase | None, options: MemoryOptions
) -> Conversations:
    """Return where conversations are stored, and what memory makes of them."""
    settings = {"are_kept": options.episodes, "copies_for": options.episodes_for}
    made: Conversations = face("Conversations")(sessions=sessions, are_pointed_at=redis is None, **settings)
    return made


class Following(NamedTuple):
    """What lets go of turns with their conversations, and sees that none of them is left out.

    `copies` is of conversations on Redis; `None`: there is none.
    """

    threads: KeptThreads
    copies: KeptCopies | None
    turns: NotedTurns

    def handlers(self, databases: tuple[Database, RedisDatabase | None], options: MemoryOptions) -> dict[str, Handler]:
        """Return what looks after conversations, made anew for each look."""

        def saver(_scope: Scope) -> StoredSaver:
            return make_saver(*databases, options)

        looks = self.threads.handlers(saver)
        if self.copies is not None:
            live: Callable[..., Saver] = face("LiveConversations")
            looks |= self.copies.handlers(
                lambda scope: live(scope, make_stored_sessions(*databases, options), saver(scope))
            )
        return looks


def make_following(parts: Parts, episodes: Episodes, redis: RedisDatabase | None, options: MemoryOptions) -> Following:
    """Return what follows conversations, wherever they are stored."""
    made: Callable[..., Any] = face("KeptThreads")
    threads = made(episodes, parts.ledger, options.threads.get("ttl"), options.clock)
    copies = None
    if redis is not None:
        ttl = options.sessions["ttl"] if "ttl" in options.sessions else face("REDIS_TTL")
        copies = face("KeptCopies")(episodes, parts.ledger, ttl, options.clock)
    new_id = options.sessions.get("new_id") or options.new_id
    return Following(threads, copies, face("NotedTurns")(parts, episodes, new_id))


def make_states(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, access: Access | None = None
) -> States:
    """Return where working states are: Redis if there is one, else the SQL database."""
    made, policy = make_stored_states(database, redis, options), options.sensitive
    if policy is not None and not (policy.is_idle("working") and policy.is_idle("shown")):
        made = face("ProtectedStates")(made, policy, make_ledger(database, options))
    return made if access is None else cast("States", face("guarded_states")(made, access))


def make_stored_states(database: Database, redis: RedisDatabase | None, options: MemoryOptions) -> States:
    """Return where working states are, as they are stored."""
    made: Callable[..., States] = face("SQLStates" if redis is None else "RedisStates")
    return made(redis or database, vault=options.vault, **{"clock": options.clock, **options.working})


def make_sensitive(
    made: tuple[Parts, Searching],
    episodes: Episodes,
    databases: tuple[Database, RedisDatabase | None],
    options: MemoryOptions,
    store: Callable[[], SQLStore],
) -> SensitiveData:
    """Return what scans for sensitive data, and reveals it: in the SQL database, and on Redis where there is one."""

    def scans() -> list[Any]:
        parts, (database, redis) = made[0], databases
        ledger, vault = getattr(parts.ledger, "bare", parts.ledger), options.vault or NullVault()
        places = [(database, it) for it in dict.fromkeys((None, redis))]
        return [
            face("FactScan")(*made),
            *(face("HistoryScan")(parts, make_stored_sessions(*it, options), episodes) for it in places),
            face("EpisodeScan")(parts, episodes),
            *(face("WorkingScan")(parts, make_stored_states(*it, options)) for it in places),
            *(face("ThreadScan")(parts, make_saver(*it, options)) for it in places),
            face("StoreScan")(parts, store),
            face("RowScan")("receipts", ledger, vault),
            face("RowScan")("runs", ledger, vault),
            face("JobScan")(ledger, vault),
        ]

    data: SensitiveData = face("SensitiveData")(made[0], scans)
    return data


def make_store_settings(options: MemoryOptions) -> dict[str, Any]:
    """Return how LangGraph's store keeps items, as far as the options say it."""
    settings = {"clock": options.clock, "vault": options.vault, **options.store}
    policy = options.sensitive
    if policy is not None and "redact" not in settings:
        settings["redact"] = face("value_protector")(policy)
    return settings


def make_saver(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, access: Access | None = None
) -> StoredSaver:
    """Return LangGraph's checkpointer: on Redis if there is one, else in the SQL database."""
    made: Callable[..., StoredSaver] = face("SQLSaver" if redis is None else "RedisSaver")
    saver = made(redis or database, **{"clock": options.clock, "vault": options.vault, **options.threads})
    if access is None or not access.is_asked:
        return saver
    return saver.guarded_by(lambda threads: face("GuardedThreads")(threads, access))


def make_ledger(database: Database, options: MemoryOptions, receipts_for: timedelta | None = None) -> SQLLedger:
    """Return the ledger on a database."""
    vault, key, clock = options.vault, options.audit_key, options.clock
    ledger: SQLLedger = face("SQLLedger")(database, vault=vault, key=key, clock=clock, receipts_for=receipts_for)
    return ledger


def make_expired_episodes(database: Database, options: MemoryOptions) -> ExpiredEpisodes:
    """Return what takes out copies of conversations that were kept long enough."""
    models = face("SQLModels")(database, options.clock)
    expired: ExpiredEpisodes = face("ExpiredEpisodes")(make_ledger(database, options), models, options.clock)
    return expired


def make_items(database: Database) -> SQLItems:
    """Return where the items of LangGraph's store are."""
    items: SQLItems = face("SQLItems")(database)
    return items


def make_rounds(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, receipts_for: timedelta | None
) -> list[Round]:
    """Return what is done once an hour: made anew for each turn, so that no round keeps a memory alive."""
    sweeps: Sweeps = face("Sweeps")(
        database=database,
        sessions=partial(make_sessions, database, redis, options),
        saver=partial(make_saver, database, redis, options),
        episodes=partial(make_expired_episodes, database, options),
        items=partial(make_items, database),
        states=partial(make_states, database, redis, options),
        is_apart=redis is not None,
        receipts_for=receipts_for,
        clock=options.clock,
    )
    return sweeps.rounds()


class Guarded(NamedTuple):
    """A ledger, and what asks the application before anybody reads or writes it."""

    access: Access
    ledger: SQLLedger


def make_guarded_ledger(database: Database, options: MemoryOptions, receipts_for: timedelta | None) -> Guarded:
    """Return the ledger, behind what asks who may do what and notes each no in it."""
    warn_if_plain(database, options)
    ledger = make_ledger(database, options, receipts_for)
    access: Access = face("Access")(options.authorize, ledger=ledger, actor_of=_actor_of_run)
    return Guarded(access, face("GuardedLedger")(ledger, access) if access.is_asked else ledger)


def _actor_of_run() -> str | None:
    actor: str | None = face("resolve_actor")()
    return actor


def make_backend(database: Database, redis: RedisDatabase | None, options: MemoryOptions) -> Backend:
    """Return where conversations, states and threads are stored, for the rights of users."""
    makers = (make_sessions, make_states, make_saver)
    sessions, states, saver = (make(database, redis, options) for make in makers)
    backend: Backend = face("Backend")(sessions=sessions, states=states, saver=saver)
    return backend


def make_bare_store(database: Database, options: MemoryOptions) -> SQLStore:
    """Return LangGraph's store as it is stored, without embeddings."""
    settings = {"clock": options.clock, "vault": options.vault, **options.store}
    store: SQLStore = face("SQLStore")(database, **settings)
    return store
