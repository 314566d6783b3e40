"""`AgentMemory`: one object that puts the parts together. It holds no logic of its own.

Parts are imported where they are put together, so that importing this module costs as little as importing messages.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from langchain_agentmem._checks import check_choice
from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.options import MemoryOptions, read_options

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from langchain_core.vectorstores import VectorStore

    from langchain_agentmem.chat_history import SessionChatMessageHistory
    from langchain_agentmem.checkpoint.stored import StoredSaver
    from langchain_agentmem.context.hybrid import HybridMemory
    from langchain_agentmem.evaluation import Evaluator
    from langchain_agentmem.extraction import Extractor
    from langchain_agentmem.index.base import Index
    from langchain_agentmem.jobs import Round
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.long_term.embedder import Embedder
    from langchain_agentmem.long_term.service import LongTermMemory
    from langchain_agentmem.redis.database import RedisDatabase
    from langchain_agentmem.retrievers import MemoryRetriever
    from langchain_agentmem.sessions.base import Conversation, Sessions
    from langchain_agentmem.sql.engine import Database
    from langchain_agentmem.types import Kind, Scope

LOCAL: Final = "local"
"""Embeddings by the local all-MiniLM-L6-v2, loaded when the first text is embedded."""

_FACES: Final = {
    "LocalEmbeddings": "langchain_agentmem.local_embeddings",
    "VectorStoreIndex": "langchain_agentmem.index.vector_store",
    "RuleExtractor": "langchain_agentmem.extraction",
    "ModelExtractor": "langchain_agentmem.extraction",
    "RuleEvaluator": "langchain_agentmem.evaluation",
    "ModelEvaluator": "langchain_agentmem.evaluation",
    "MemoryRetriever": "langchain_agentmem.retrievers",
    "create_memory_tools": "langchain_agentmem.tools",
    "create_history_runnable": "langchain_agentmem.wrapping",
    "SessionChatMessageHistory": "langchain_agentmem.chat_history",
    "SQLSessions": "langchain_agentmem.sessions.sql",
    "RedisSessions": "langchain_agentmem.sessions.redis",
    "SQLSaver": "langchain_agentmem.checkpoint.sql",
    "RedisSaver": "langchain_agentmem.checkpoint.redis",
    "RedisDatabase": "langchain_agentmem.redis.database",
    "HybridMemory": "langchain_agentmem.context.hybrid",
    "HybridParts": "langchain_agentmem.context.hybrid",
    "SummaryBuffer": "langchain_agentmem.context.summary_buffer",
    "ContextAssembly": "langchain_agentmem.context.assembly",
    "resolve_scope": "langchain_agentmem.identity",
}


class AgentMemory:
    """Governed memory on one database.

    Usable at once, and as a sync or async context manager; `close` (or `aclose`) releases everything it opened.

    Attributes:
        long_term: Remember, recall, revise, forget, erase, explain.
        consent: What each user allowed.
        jobs: Work that follows writes; `jobs.run()` does what is due, and removes what has expired once an hour.
    """

    def __init__(
        self,
        database: Database,
        *,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | None = None,
        redis: RedisDatabase | None = None,
        options: MemoryOptions | None = None,
    ) -> None:
        """Compose; see `embedded` and `connect`."""
        from langchain_agentmem.consent import Consent
        from langchain_agentmem.ledger.sql import SQLLedger
        from langchain_agentmem.sql.engine import Database

        if not isinstance(database, Database):
            msg = f"database must be a Database, got {database!r}; use AgentMemory.embedded(path) or .connect(sql=url)"
            raise ConfigurationError(msg)
        self._database = database
        self._redis = redis
        self._options = options = options or MemoryOptions()
        kept = None if options.receipts_days is None else timedelta(days=options.receipts_days)
        ledger = SQLLedger(database, vault=options.vault, key=options.audit_key, clock=options.clock, receipts_for=kept)
        self.long_term = _long_term(ledger, _embedder(embeddings, options), index, options)
        self.consent = Consent(ledger)
        self.jobs = self.long_term.jobs.with_rounds(_rounds(database, redis, options, kept))

    # ------------------------------------------------------------------------------------------------------- open
    @classmethod
    def in_memory(cls, *, embeddings: Embeddings | str | None = LOCAL, **options: Any) -> Self:
        """Return memory that lives as long as the object, shared by its threads.

        Args:
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            options: Fields of `MemoryOptions`.
        """
        return cls(_database("sqlite://"), embeddings=embeddings, options=read_options(options))

    @classmethod
    def embedded(
        cls,
        path: str | os.PathLike[str],
        *,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | None = None,
        durable: bool = False,
        **options: Any,
    ) -> Self:
        """Return memory in one SQLite file, with local embeddings and no server.

        Args:
            path: The file; it is created where it is missing. Any number of processes may share it.
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            index: For scopes beyond about 50,000 memories: builds a LangChain vector store around the embeddings given.
            durable: Survive power loss for every acknowledged write.
            options: Fields of `MemoryOptions`.

        Raises:
            ConfigurationError: The path cannot hold our database, or an option is unknown.
        """
        from langchain_agentmem.sql.engine import sqlite_url

        database = _database(sqlite_url(path), durable=durable)
        return cls(database, embeddings=embeddings, index=index, options=read_options(options))

    @classmethod
    def connect(
        cls,
        *,
        sql: str,
        redis: str | None = None,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | None = None,
        **options: Any,
    ) -> Self:
        """Return memory on a SQL server, on Redis, and on a vector store where one scope outgrows memory.

        Args:
            sql: `postgresql://user@host/name` (psycopg 3), or a SQLite URL.
            redis: Where conversations and threads are, in place of the SQL database: `redis://host:port/db`,
                `rediss://…`, or `redis+cluster://host:port`. Plain Redis will do.
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            index: Builds a LangChain vector store around the embeddings given, for example
                `lambda embeddings: Chroma(collection_name="memories", embedding_function=embeddings)`; for a class
                whose filters are unknown, a `VectorStoreIndex` with `filter=` and `cosine=`.
            options: Fields of `MemoryOptions`.

        Raises:
            ConfigurationError: The URL is malformed, the store's filter is unknown, or an option is unknown.
        """
        given = read_options(options)
        fast = None if redis is None else _face("RedisDatabase")(redis)
        return cls(_database(sql), embeddings=embeddings, index=index, redis=fast, options=given)

    # ------------------------------------------------------------------------------------------------------- faces
    @property
    def extractor(self) -> Extractor:
        """Return what proposes memories from conversations: the model's, or rules."""
        extractor: Extractor = self._by_model("Extractor")
        return extractor

    @property
    def evaluator(self) -> Evaluator:
        """Return what judges how a turn went: the model's, or rules."""
        evaluator: Evaluator = self._by_model("Evaluator")
        return evaluator

    def retriever(
        self, *, scope: Scope | None = None, k: int = 5, kinds: Sequence[Kind] | None = None
    ) -> MemoryRetriever:
        """Return a LangChain retriever; without a scope, user and session come from the run's context or config."""
        retriever: MemoryRetriever = _face("MemoryRetriever")(long_term=self.long_term, scope=scope, k=k, kinds=kinds)
        return retriever

    def tools(self, *, scope: Scope | None = None) -> list[BaseTool]:
        """Return tools for an agent: search, manage, and "what do you remember about me"."""
        tools: list[BaseTool] = _face("create_memory_tools")(self, scope=scope)
        return tools

    def wrap(self, runnable: Runnable[Any, Any], **keys: Any) -> Runnable[Any, Any]:
        """Return a chain with a conversation: `RunnableWithMessageHistory`, user and session from the config.

        LangChain deprecates that class for its 2.0; a graph with `checkpointer` is what comes after it.

        Args:
            runnable: The chain.
            keys: `input_messages_key`, `history_messages_key` and `output_messages_key`, as LangChain names them; and
                `context`, what the chain is to see of a long conversation, for example `memory.context()`.
        """
        wrapped: Runnable[Any, Any] = _face("create_history_runnable")(runnable, self.sessions, **keys)
        return wrapped

    def context(self, *, max_tokens: int = 100_000) -> HybridMemory:
        """Return what a model is to see: last messages, running summary and recalled memories, under one budget.

        A runnable, for a chain, for a graph, and for `wrap(context=…)`; or by hand: `add` a turn, `read` the prompt.
        The summary is kept with the conversation.
        """
        parts = _face("HybridParts")(sessions=self.sessions, long_term=self.long_term, extractor=self.extractor)
        hybrid: HybridMemory = _face("HybridMemory")(
            parts,
            buffer=_face("SummaryBuffer")(self._options.model),
            assembly=_face("ContextAssembly")(max_tokens=max_tokens),
            scope_of=_face("resolve_scope"),
        )
        return hybrid

    def history(self, scope: Scope) -> SessionChatMessageHistory:
        """Return the chat history of a scope's session.

        Raises:
            ScopeError: The scope names no session.
        """
        history: SessionChatMessageHistory = _face("SessionChatMessageHistory")(self.sessions, scope)
        return history

    def conversations(self, scope: Scope, *, limit: int = 100) -> list[Conversation]:
        """Return a user's conversations, the one used last first: title, last use, number of messages."""
        return run(self.sessions.conversations(scope, limit=limit))

    async def aconversations(self, scope: Scope, *, limit: int = 100) -> list[Conversation]:
        """Return a user's conversations; see `conversations`."""
        return await arun(self.sessions.conversations(scope, limit=limit))

    @cached_property
    def sessions(self) -> Sessions:
        """Return where conversations are stored: Redis if there is one, else the SQL database."""
        return _sessions(self._database, self._redis, self._options)

    @cached_property
    def checkpointer(self) -> StoredSaver:
        """Return LangGraph's checkpointer: on Redis if there is one, else in the SQL database."""
        return _saver(self._database, self._redis, self._options)

    def _by_model(self, role: str) -> Any:  # noqa: ANN401  (looked up by name)
        model = self._options.model
        return _face(f"Rule{role}")() if model is None else _face(f"Model{role}")(model)

    # ------------------------------------------------------------------------------------------------------- lifetime
    def open(self) -> Self:
        """Open the database and apply pending migrations now rather than with the first call."""
        run(self._database.open())
        return self

    async def aopen(self) -> Self:
        """Open the database now; see `open`."""
        await arun(self._database.open())
        return self

    def close(self) -> None:
        """Release every connection."""
        self._database.close()
        if self._redis is not None:
            self._redis.close()

    async def aclose(self) -> None:
        """Release every connection."""
        await self._database.aclose()
        if self._redis is not None:
            await self._redis.aclose()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await self.aopen()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _database(url: str, *, durable: bool = False) -> Database:
    from langchain_agentmem.sql.engine import Database

    return Database(url, durable=durable)


def _sessions(database: Database, redis: RedisDatabase | None, options: MemoryOptions) -> Sessions:
    made: Callable[..., Sessions] = _face("SQLSessions" if redis is None else "RedisSessions")
    return made(redis or database, vault=options.vault, **{"clock": options.clock, **options.sessions})


def _saver(database: Database, redis: RedisDatabase | None, options: MemoryOptions) -> StoredSaver:
    made: Callable[..., StoredSaver] = _face("SQLSaver" if redis is None else "RedisSaver")
    return made(redis or database, **{"clock": options.clock, "vault": options.vault, **options.threads})


def _rounds(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, receipts_for: timedelta | None
) -> list[Round]:
    """Return what is done once an hour: made anew for each turn, so that no round keeps a memory alive."""
    from langchain_agentmem.jobs import Sweeps

    sweeps = Sweeps(
        database=database,
        sessions=partial(_sessions, database, redis, options),
        saver=partial(_saver, database, redis, options),
        is_apart=redis is not None,
        receipts_for=receipts_for,
        clock=options.clock,
    )
    return sweeps.rounds()


def _long_term(
    ledger: SQLLedger,
    embedder: Embedder | None,
    index: Callable[[Embeddings], VectorStore] | Index | None,
    options: MemoryOptions,
) -> LongTermMemory:
    """Put long-term memory together."""
    from langchain_agentmem.index.view_cache import ScopeViewIndex
    from langchain_agentmem.ledger.sql.jobs import SQLJobs
    from langchain_agentmem.ledger.sql.models import SQLModels
    from langchain_agentmem.long_term.parts import Parts
    from langchain_agentmem.long_term.searching import Searching, load_from
    from langchain_agentmem.long_term.service import LongTermMemory
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.write import WritePolicy

    name = embedder.name if embedder else None
    models = SQLModels(ledger.database, options.clock)
    view = ScopeViewIndex(load_from(ledger), model=name)
    used = view if index is None else _fed_index(index, name)
    searching = Searching(ledger, (used, view), SQLJobs(ledger.database, options.clock), models, name)
    parts = Parts(
        ledger=ledger,
        index=used,
        clock=options.clock,
        new_id=options.new_id,
        embedder=embedder,
        policy=options.policy or WritePolicy(),
        weights=options.weights or Weights(),
        consent_mode=options.consent,
        mode=options.mode,
    )
    return LongTermMemory(parts, searching, models)


def _embedder(embeddings: Embeddings | str | None, options: MemoryOptions) -> Embedder | None:
    from langchain_agentmem.long_term.embedder import Embedder

    if embeddings is None:
        return None
    if not isinstance(embeddings, str):
        if not hasattr(embeddings, "embed_query"):
            msg = f"embeddings must be 'local', LangChain Embeddings or None, got {type(embeddings).__name__}"
            raise ConfigurationError(msg)
        return Embedder(embeddings, name=options.embedding_name)
    check_choice("embeddings", embeddings, (LOCAL,))
    return Embedder(_face("LocalEmbeddings")(), name=options.embedding_name)


def _fed_index(index: Callable[[Embeddings], VectorStore] | Index, name: str | None) -> Index:
    from langchain_agentmem.index.base import Index

    if name is None:
        msg = "index needs embeddings; pass embeddings='local' or any LangChain Embeddings beside it"
        raise ConfigurationError(msg)
    if isinstance(index, Index):
        return index
    if not callable(index):
        msg = f"index must build a vector store, got {index!r}; for example lambda e: Chroma(embedding_function=e)"
        raise ConfigurationError(msg)
    built: Index = _face("VectorStoreIndex")(index, name)
    return built


def _face(name: str) -> Any:  # noqa: ANN401  (looked up by name)
    """Import what not everyone needs, when it is first asked for."""
    return getattr(importlib.import_module(_FACES[name]), name)
