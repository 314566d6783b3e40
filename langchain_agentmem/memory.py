"""`AgentMemory`: one object that puts the parts together. It holds no logic of its own.

Parts are imported where they are put together, so that importing this module costs as little as importing messages.
"""

from __future__ import annotations

import importlib
import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from langchain_agentmem._checks import check_choice, check_instance, check_text
from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import ConfigurationError

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from langchain_core.vectorstores import VectorStore

    from langchain_agentmem.chat_history import SessionChatMessageHistory
    from langchain_agentmem.evaluation import Evaluator
    from langchain_agentmem.extraction import Extractor
    from langchain_agentmem.index.base import Index
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.long_term.embedder import Embedder
    from langchain_agentmem.long_term.parts import ConsentMode, ModeChoice
    from langchain_agentmem.long_term.service import LongTermMemory
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.write import WritePolicy
    from langchain_agentmem.retrievers import MemoryRetriever
    from langchain_agentmem.sessions.base import Conversation
    from langchain_agentmem.sessions.sql import SQLSessions
    from langchain_agentmem.sql.engine import Database
    from langchain_agentmem.types import Kind, Scope
    from langchain_agentmem.vault.base import Vault

LOCAL: Final = "local"
"""Embeddings by the local all-MiniLM-L6-v2, loaded when the first text is embedded."""

MAX_RECEIPTS_DAYS: Final = 36_500
"""A hundred years; what is to be kept longer is kept for ever."""

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
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions:
    """How memory is governed and measured; every default works.

    Args:
        consent: `required`: nothing long-term is kept before `memory.consent.grant(scope)`; `assumed`: the application
            has asked its users itself.
        mode: `on`, `frozen` (read-only) or `off`, for all or by a callable per scope.
        policy: The write policy. `weights`: the order of a recall.
        vault: Encrypts what is stored. `audit_key`: authenticates the log's heads, at least 16 bytes, kept elsewhere.
        model: A chat model for extraction and evaluation; without one, rules.
        receipts_days: How long receipts of recalls are kept; `None`: for ever.
        embedding_name: Recorded with the vectors instead of the embeddings' own name.
        clock: Gives the time, aware UTC. `new_id`: gives ids.
    """

    consent: ConsentMode = "required"
    mode: ModeChoice = "on"
    policy: WritePolicy | None = None
    weights: Weights | None = None
    vault: Vault | None = None
    audit_key: bytes | None = None
    model: Any = None
    receipts_days: float | None = 90.0
    embedding_name: str | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex

    def __post_init__(self) -> None:
        """Check what can be checked before anything is opened."""
        check_choice("consent", self.consent, ("required", "assumed"))
        if not callable(self.mode):
            check_choice("mode", self.mode, ("on", "frozen", "off"))
        if self.audit_key is not None:
            check_instance("audit_key", self.audit_key, bytes)
        if self.embedding_name is not None:
            check_text("embedding_name", self.embedding_name)
        for name in ("clock", "new_id"):
            if not callable(getattr(self, name)):
                msg = f"{name} must be callable without arguments, got {type(getattr(self, name)).__name__}"
                raise ConfigurationError(msg)
        _check_days(self.receipts_days)


class AgentMemory:
    """Governed memory on one database.

    Usable at once, and as a sync or async context manager; `close` (or `aclose`) releases everything it opened.

    Attributes:
        long_term: Remember, recall, revise, forget, erase, explain.
        consent: What each user allowed.
        jobs: Work that follows writes; `jobs.run()` does what is due.
    """

    def __init__(
        self,
        database: Database,
        *,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | None = None,
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
        self._options = options = options or MemoryOptions()
        kept = None if options.receipts_days is None else timedelta(days=options.receipts_days)
        ledger = SQLLedger(database, vault=options.vault, key=options.audit_key, clock=options.clock, receipts_for=kept)
        self.long_term = _long_term(ledger, _embedder(embeddings, options), index, options)
        self.consent = Consent(ledger)
        self.jobs = self.long_term.jobs

    # ------------------------------------------------------------------------------------------------------- open
    @classmethod
    def in_memory(cls, *, embeddings: Embeddings | str | None = LOCAL, **options: Any) -> Self:
        """Return memory that lives as long as the object, shared by its threads.

        Args:
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            options: Fields of `MemoryOptions`.
        """
        return cls(_database("sqlite://"), embeddings=embeddings, options=_options(options))

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
        return cls(database, embeddings=embeddings, index=index, options=_options(options))

    @classmethod
    def connect(
        cls,
        *,
        sql: str,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | None = None,
        **options: Any,
    ) -> Self:
        """Return memory on a SQL server, and on a vector store where one scope outgrows memory.

        Args:
            sql: `postgresql://user@host/name` (psycopg 3), or a SQLite URL.
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            index: Builds a LangChain vector store around the embeddings given, for example
                `lambda embeddings: Chroma(collection_name="memories", embedding_function=embeddings)`; for a class
                whose filters are unknown, a `VectorStoreIndex` with `filter=` and `cosine=`.
            options: Fields of `MemoryOptions`.

        Raises:
            ConfigurationError: The URL is malformed, the store's filter is unknown, or an option is unknown.
        """
        return cls(_database(sql), embeddings=embeddings, index=index, options=_options(options))

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

        Args:
            runnable: The chain.
            keys: `input_messages_key`, `history_messages_key` and `output_messages_key`, as LangChain names them.
        """
        wrapped: Runnable[Any, Any] = _face("create_history_runnable")(runnable, self._sessions(), **keys)
        return wrapped

    def history(self, scope: Scope) -> SessionChatMessageHistory:
        """Return the chat history of a scope's session.

        Raises:
            ScopeError: The scope names no session.
        """
        history: SessionChatMessageHistory = _face("SessionChatMessageHistory")(self._sessions(), scope)
        return history

    def conversations(self, scope: Scope, *, limit: int = 100) -> list[Conversation]:
        """Return a user's conversations, the one used last first: title, last use, number of messages."""
        return run(self._sessions().conversations(scope, limit=limit))

    async def aconversations(self, scope: Scope, *, limit: int = 100) -> list[Conversation]:
        """Return a user's conversations; see `conversations`."""
        return await arun(self._sessions().conversations(scope, limit=limit))

    def _sessions(self) -> SQLSessions:
        sessions: SQLSessions = _face("SQLSessions")(
            self._database, vault=self._options.vault, clock=self._options.clock
        )
        return sessions

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

    async def aclose(self) -> None:
        """Release every connection."""
        await self._database.aclose()

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


def _check_days(days: object) -> None:
    if days is None:
        return
    if isinstance(days, bool) or not isinstance(days, (int, float)) or not 0 <= days <= MAX_RECEIPTS_DAYS:
        msg = f"receipts_days must be from 0 to {MAX_RECEIPTS_DAYS}, or None for ever, got {days!r}; for example 90"
        raise ConfigurationError(msg)


def _options(given: dict[str, Any]) -> MemoryOptions:
    try:
        return MemoryOptions(**given)
    except TypeError as error:
        known = ", ".join(MemoryOptions.__dataclass_fields__)
        unknown = sorted(set(given) - set(MemoryOptions.__dataclass_fields__))
        msg = f"unknown option {unknown[0]!r}; use one of {known}"
        raise ConfigurationError(msg) from error


def _database(url: str, *, durable: bool = False) -> Database:
    from langchain_agentmem.sql.engine import Database

    return Database(url, durable=durable)


def _long_term(
    ledger: SQLLedger,
    embedder: Embedder | None,
    index: Callable[[Embeddings], VectorStore] | Index | None,
    options: MemoryOptions,
) -> LongTermMemory:
    """Put long-term memory together."""
    from langchain_agentmem.index.view_cache import ScopeViewIndex
    from langchain_agentmem.ledger.sql_jobs import SQLJobs
    from langchain_agentmem.ledger.sql_models import SQLModels
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
