"""How what stores is made: each is imported when it is put in its place."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from langchain_agentmem import _faces
from langchain_agentmem._flow import flows_of
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.vault.base import vault_of

if TYPE_CHECKING:
    from langchain_agentmem._flow import Flow
    from langchain_agentmem.access.flows import AccessFlows
    from langchain_agentmem.access.guards import GuardedLedger
    from langchain_agentmem.checkpoint.flows import SaverFlows
    from langchain_agentmem.checkpoint.stored import StoredSaver
    from langchain_agentmem.items.sql import SQLItems
    from langchain_agentmem.jobs import Handler, Round
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.long_term.index.searching import Searching
    from langchain_agentmem.long_term.parts import Parts
    from langchain_agentmem.long_term.remove.ending import ExpiredEpisodes
    from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
    from langchain_agentmem.long_term.turns.indexing import Conversations
    from langchain_agentmem.long_term.turns.kept_copies import KeptCopies
    from langchain_agentmem.long_term.turns.kept_threads import KeptThreads, Saver
    from langchain_agentmem.long_term.turns.noted_turns import NotedTurns
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


LOGGER: Final = logging.getLogger("langchain_agentmem")
_warned: Final = set[str]()
"""What was warned of; once for each process is enough."""


def warn_if_plain(database: Database, options: MemoryOptions) -> None:
    """Warn, once per process, where what is stored can be read by whoever has the file or the server."""
    if options.vault is None and not database.is_memory and not _warned:
        _warned.add("plain")
        LOGGER.warning("memory is stored in the clear: pass vault=SubjectVault(KeyFolder(…)); see docs/vault.md")


def hush_plain() -> None:
    """Do not warn of it in this process: it says so itself."""
    _warned.add("plain")


def make_sessions(
    database: Database,
    redis: RedisDatabase | None,
    options: MemoryOptions,
    access: AccessFlows | None = None,
    follower: KeptCopies | None = None,
) -> Sessions:
    """Return where conversations are stored: Redis if there is one, else the SQL database.

    `follower` lets go of what was copied of those on Redis.
    """
    made: Sessions = make_stored_sessions(database, redis, options, follower)
    policy = options.sensitive
    if policy is not None and not (policy.is_idle("histories") and policy.is_idle("shown")):
        new_id = options.sessions.get("new_id") or options.new_id
        made = _faces.ProtectedSessions(made, policy, make_ledger(database, options), new_id)
    return made if access is None else _faces.guarded_sessions(made, access)


def make_stored_sessions(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, follower: KeptCopies | None = None
) -> RewritableSessions:
    """Return where conversations are stored, as they are stored."""
    settings: dict[str, Any] = {"vault": options.vault, "clock": options.clock, **options.sessions}
    if redis is None:
        return cast("RewritableSessions", _faces.SQLSessions(database, **settings))
    return cast("RewritableSessions", _faces.RedisSessions(redis, follower=follower, **settings))


def make_conversations(
    sessions: Callable[[], Sessions], redis: RedisDatabase | None, options: MemoryOptions
) -> Conversations:
    """Return where conversations are stored, and what memory makes of them."""
    return _faces.Conversations(
        sessions=sessions,
        are_pointed_at=redis is None,
        are_kept=options.episodes,
        copies_for=options.episodes_for,
    )


class Following(NamedTuple):
    """What lets go of turns with their conversations, and sees that none of them is left out.

    `copies` is of conversations on Redis; `None`: there is none.
    """

    threads: KeptThreads
    copies: KeptCopies | None
    turns: NotedTurns

    def handlers(self, databases: tuple[Database, RedisDatabase | None], options: MemoryOptions) -> dict[str, Handler]:
        """Return what looks after conversations, made anew for each look."""

        def saver(_scope: Scope) -> SaverFlows:
            return flows_of(make_saver(*databases, options))

        looks = self.threads.handlers(saver)
        if self.copies is not None:
            live: Callable[..., Saver] = _faces.LiveConversations
            looks |= self.copies.handlers(
                lambda scope: live(scope, make_stored_sessions(*databases, options), saver(scope))
            )
        return looks


def make_following(
    parts: Parts, episodes: EpisodeFlows, redis: RedisDatabase | None, options: MemoryOptions
) -> Following:
    """Return what follows conversations, wherever they are stored."""
    made: Callable[..., Any] = _faces.KeptThreads
    threads = made(episodes, parts.ledger, options.threads.get("ttl"), options.clock)
    copies = None
    if redis is not None:
        ttl = options.sessions.get("ttl", _faces.REDIS_TTL)
        copies = _faces.KeptCopies(episodes, parts.ledger, ttl, options.clock)
    new_id = options.sessions.get("new_id") or options.new_id
    return Following(threads, copies, _faces.NotedTurns(parts, episodes, new_id))


def make_states(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, access: AccessFlows | None = None
) -> States:
    """Return where working states are: Redis if there is one, else the SQL database."""
    made, policy = make_stored_states(database, redis, options), options.sensitive
    if policy is not None and not (policy.is_idle("working") and policy.is_idle("shown")):
        made = _faces.ProtectedStates(made, policy, make_ledger(database, options))
    return made if access is None else _faces.guarded_states(made, access)


def make_stored_states(database: Database, redis: RedisDatabase | None, options: MemoryOptions) -> States:
    """Return where working states are, as they are stored."""
    made: Callable[..., States] = _faces.SQLStates if redis is None else _faces.RedisStates
    return made(redis or database, vault=options.vault, **{"clock": options.clock, **options.working})


def make_sensitive(
    made: tuple[Parts, Searching],
    episodes: EpisodeFlows,
    databases: tuple[Database, RedisDatabase | None],
    options: MemoryOptions,
    store: Callable[[], SQLStore],
) -> SensitiveData:
    """Return what scans for sensitive data, and reveals it: in the SQL database, and on Redis where there is one."""

    def scans() -> list[Any]:
        parts, (database, redis) = made[0], databases
        ledger, vault = cast("SQLLedger", getattr(parts.ledger, "bare", parts.ledger)), vault_of(options.vault)
        places = [(database, it) for it in dict.fromkeys((None, redis))]
        return [
            _faces.FactScan(*made),
            *(_faces.HistoryScan(parts, make_stored_sessions(*it, options), episodes) for it in places),
            _faces.EpisodeScan(parts, episodes),
            *(_faces.WorkingScan(parts, make_stored_states(*it, options)) for it in places),
            *(_faces.ThreadScan(parts, make_saver(*it, options)) for it in places),
            _faces.StoreScan(parts, store),
            _faces.RowScan("receipts", ledger, vault),
            _faces.RowScan("runs", ledger, vault),
            _faces.JobScan(ledger, vault),
        ]

    return _faces.SensitiveData(made[0], scans)


def make_store_settings(options: MemoryOptions) -> dict[str, Any]:
    """Return how LangGraph's store keeps items, as far as the options say it."""
    settings = {"clock": options.clock, "vault": options.vault, **options.store}
    policy = options.sensitive
    if policy is not None and "redact" not in settings:
        settings["redact"] = _faces.value_protector(policy)
    return settings


def make_saver(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, access: AccessFlows | None = None
) -> StoredSaver:
    """Return LangGraph's checkpointer: on Redis if there is one, else in the SQL database."""
    made: Callable[..., StoredSaver] = _faces.SQLSaver if redis is None else _faces.RedisSaver
    saver = made(redis or database, **{"clock": options.clock, "vault": options.vault, **options.threads})
    if access is None or not access.is_asked:
        return saver
    return saver.guarded_by(lambda threads: _faces.GuardedThreads(threads, access))


def make_ledger(database: Database, options: MemoryOptions, receipts_for: timedelta | None = None) -> SQLLedger:
    """Return the ledger on a database."""
    vault, key, clock = options.vault, options.audit_key, options.clock
    return _faces.SQLLedger(database, vault=vault, key=key, clock=clock, receipts_for=receipts_for)


def make_expired_episodes(database: Database, options: MemoryOptions) -> ExpiredEpisodes:
    """Return what takes out copies of conversations that were kept long enough."""
    models = _faces.SQLModels(database, options.clock)
    return _faces.ExpiredEpisodes(make_ledger(database, options), models, options.clock)


def make_items(database: Database) -> SQLItems:
    """Return where the items of LangGraph's store are."""
    return _faces.SQLItems(database)


def make_rounds(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, receipts_for: timedelta | None
) -> list[Round]:
    """Return what is done once an hour: made anew for each turn, so that no round keeps a memory alive."""
    sweeps: Sweeps = _faces.Sweeps(
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

    access: AccessFlows
    ledger: SQLLedger | GuardedLedger

    def may_read(self, scope: Scope) -> Flow[None]:
        """Ask whether who acts may read what is of a scope's user."""
        return self.access.check("read", scope)


def make_guarded_ledger(database: Database, options: MemoryOptions, receipts_for: timedelta | None) -> Guarded:
    """Return the ledger, behind what asks who may do what and notes each no in it."""
    warn_if_plain(database, options)
    ledger = make_ledger(database, options, receipts_for)
    access: AccessFlows = _faces.AccessFlows(options.authorize, ledger=ledger, actor_of=_actor_of_run)
    return Guarded(access, _faces.GuardedLedger(ledger, access) if access.is_asked else ledger)


def _actor_of_run() -> str | None:
    return _faces.resolve_actor()


def make_backend(database: Database, redis: RedisDatabase | None, options: MemoryOptions) -> Backend:
    """Return where conversations, states and threads are stored, for the rights of users."""
    made = (database, redis, options)
    return _faces.Backend(sessions=make_sessions(*made), states=make_states(*made), saver=make_saver(*made))


def make_bare_store(database: Database, options: MemoryOptions) -> SQLStore:
    """Return LangGraph's store as it is stored, without embeddings."""
    settings = {"clock": options.clock, "vault": options.vault, **options.store}
    return _faces.SQLStore(database, **settings)


def redis_at(url: str | None, prefix: str | None) -> Any:  # noqa: ANN401  (a `RedisDatabase`, or `None`)
    """Return the Redis of a memory, opened with its first use; every key of it begins with `prefix`.

    Raises:
        ConfigurationError: The URL or the prefix cannot work, or there is a prefix for no Redis.
    """
    if url is None:
        if prefix is not None:
            msg = f"redis_prefix {prefix!r} is for keys on Redis; name one with redis, or leave redis_prefix out"
            raise ConfigurationError(msg)
        return None
    return _faces.RedisDatabase(url) if prefix is None else _faces.RedisDatabase(url, prefix=prefix)
