"""`AgentMemory`: one object that puts the parts together. It holds no logic of its own.

Parts are imported where they are put together, so that importing this module costs as little as importing messages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

from langchain_agentmem import _faces, _storing, composition
from langchain_agentmem._checks import check_options
from langchain_agentmem._flow import arun, flows_of, run
from langchain_agentmem._governed import Governed
from langchain_agentmem._storing import redis_at
from langchain_agentmem.composition import LOCAL
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.options import MemoryOptions, read_options
from langchain_agentmem.sessions.base import conversations_page

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from langchain_core.vectorstores import VectorStore

    from langchain_agentmem.access.access import Access
    from langchain_agentmem.chat_history import SessionChatMessageHistory
    from langchain_agentmem.checkpoint.stored import StoredSaver
    from langchain_agentmem.config import MemoryConfig
    from langchain_agentmem.consent import Consent
    from langchain_agentmem.context.hybrid import HybridMemory
    from langchain_agentmem.context.turn import TurnAssembly, TurnContext
    from langchain_agentmem.entities.service import Entities
    from langchain_agentmem.evaluation import Evaluator
    from langchain_agentmem.extraction import Extractor
    from langchain_agentmem.index.base import Index
    from langchain_agentmem.jobs import Jobs
    from langchain_agentmem.long_term.service import LongTermMemory
    from langchain_agentmem.long_term.turns.background import Background
    from langchain_agentmem.long_term.turns.episodes import Episodes
    from langchain_agentmem.long_term.turns.turn_queue import TurnQueue
    from langchain_agentmem.middleware import MemoryMiddleware
    from langchain_agentmem.privacy.service import Privacy
    from langchain_agentmem.procedural.service import ProceduralMemory
    from langchain_agentmem.profiles.goals import Goals
    from langchain_agentmem.profiles.service import Profiles
    from langchain_agentmem.redis.database import RedisDatabase
    from langchain_agentmem.retrievers import MemoryRetriever
    from langchain_agentmem.runs import AgentRuns
    from langchain_agentmem.sessions.base import Conversation, Sessions
    from langchain_agentmem.sql.engine import Database
    from langchain_agentmem.store.sql import SQLStore
    from langchain_agentmem.types import Kinds, Scope
    from langchain_agentmem.types.paging import Page
    from langchain_agentmem.working.service import WorkingMemory


class AgentMemory(Governed):
    """Governed memory on one database.

    Usable at once, and as a sync or async context manager; `close` (or `aclose`) releases everything it opened.

    Attributes:
        long_term: Remember, recall, revise, forget, erase, explain.
        episodes: Conversations as something that can be searched, beside facts.
        background: Takes whole conversations, to be taken in behind the hot path by the processes that run `jobs`.
        consent: What each user allowed. `access`: asks the application's `authorize` who may do what.
        entities: Who and what a user's memories are about, as a graph.
        quarantine: What was stopped as an attack or for its source, and what waits.
        profiles: Who each user is. `goals`: what each pursues. Both are projections of long-term memory.
        procedural: Skills and policies: how things are done, and what binds.
        privacy: The rights of users: export, import, erase everything, legal hold, report.
        sensitive: Finds sensitive data in what is stored, and reveals what tokens stand for.
        metrics: What this process counts, what the database holds, and whether it moves.
        consolidation: Tidies up what conversations left, now or once they rest.
        vault: Rotates keys, and seals what was written in the clear.
        approvals: What waits for a person's word, and their word on it.
        runs: What agents did, step by step, where a run was given `runs.recorder()`.
        timeline: What happened, what was believed when, and the way back.
        forgetting: What fades, goes to the archive and is erased by itself, and why; foreseen, or done.
        turns: Turns of agents whose consequences wait, among the `jobs`.
        jobs: Work that follows writes; `jobs.run()` does what is due and what was handed over, and removes what has
            expired once an hour.
    """

    def __init__(
        self,
        database: Database,
        *,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | str | None = None,
        redis: RedisDatabase | None = None,
        options: MemoryOptions | None = None,
    ) -> None:
        """Compose; see `embedded` and `connect`."""
        from langchain_agentmem.sql.engine import Database

        if not isinstance(database, Database):
            msg = f"database must be a Database, got {database!r}; use AgentMemory.embedded(path) or .connect(sql=url)"
            raise ConfigurationError(msg)
        options = check_options(options, MemoryOptions)
        self._database, self._redis, self._options = database, redis, options
        kept = None if options.receipts_days is None else timedelta(days=options.receipts_days)
        guarded = _storing.make_guarded_ledger(database, options, kept)
        self.access: Access = _faces.Access(guarded.access)
        self.metrics = composition.make_metrics(database, redis, options, guarded.may_read)
        views, own = composition.make_views(guarded, redis, options), composition.make_embedder(embeddings, options)
        parts, searching, models = composition.make_parts(guarded, own, index, options, self.metrics, views=views)
        parts = replace(parts, tasks=partial(_storing.make_stored_states, database, redis, options))
        self._parts, self._views, self._embedder = (parts, searching), views, parts.embedder
        conversations = _storing.make_conversations(lambda: self._sessions, redis, options)
        self.long_term: LongTermMemory = _faces.LongTermMemory(parts, searching, models)
        self.episodes: Episodes = _faces.Episodes(parts, searching, models, conversations)
        self.consent: Consent = _faces.Consent(parts, searching)
        extractor = partial(composition.make_extractor, options)
        self.background: Background = _faces.Background(parts, searching, flows_of(self.episodes), extractor)
        self.turns: TurnQueue = _faces.TurnQueue(parts, searching)
        self.consolidation, self.forgetting = upkeep = composition.make_upkeep(self._parts, database, redis, options)
        settling = composition.make_settling(self.long_term, self.episodes, self.turns, upkeep, options)
        rounds = _storing.make_rounds(database, redis, options, kept) + self.forgetting.rounds
        erasing = composition.make_privacy_handlers(self._parts, views, redis, options)
        self._following = _storing.make_following(parts, flows_of(self.episodes), redis, options)
        looks = self._following.handlers((database, redis), options) | self.approvals.handlers
        noted = self._following.turns.handlers
        handlers = {**self.background.handlers, **self.consent.handlers, **settling, **noted, **erasing}
        self.jobs: Jobs = _faces.Jobs(searching.jobs.with_rounds(rounds, handlers, looks, asked=guarded.may_read))

    def __repr__(self) -> str:
        """Return where it is kept; a password stays out."""
        from langchain_agentmem.sql.url import shown_url

        beside = "" if self._redis is None else ", with Redis"
        return f"<AgentMemory at {shown_url(self._database.url)}{beside}>"

    # ------------------------------------------------------------------------------------------------------- open
    @classmethod
    def in_memory(cls, *, embeddings: Embeddings | str | None = LOCAL, **options: Any) -> Self:
        """Return memory that lives as long as the object, shared by its threads.

        Args:
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            options: Fields of `MemoryOptions`.
        """
        given = read_options(options, cls.in_memory)
        return cls(composition.open_database("sqlite://", given), embeddings=embeddings, options=given)

    @classmethod
    def embedded(
        cls,
        path: str | os.PathLike[str],
        *,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | str | None = None,
        durable: bool = False,
        **options: Any,
    ) -> Self:
        """Return memory in one SQLite file, with local embeddings and no server.

        Args:
            path: The file; it is created where it is missing. Any number of processes may share it.
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            index: For users with more memories than `index_above`: builds a LangChain vector store around embeddings.
            durable: Survive power loss for every acknowledged write.
            options: Fields of `MemoryOptions`.

        Raises:
            ConfigurationError: The path cannot hold our database, or an option is unknown.
        """
        from langchain_agentmem.sql.url import sqlite_url

        given = read_options(options, cls.embedded)
        database = composition.open_database(sqlite_url(path), given, durable=durable)
        return cls(database, embeddings=embeddings, index=index, options=given)

    @classmethod
    def connect(
        cls,
        *,
        sql: str,
        redis: str | None = None,
        redis_prefix: str | None = None,
        embeddings: Embeddings | str | None = LOCAL,
        index: Callable[[Embeddings], VectorStore] | Index | str | None = None,
        **options: Any,
    ) -> Self:
        """Return memory on a SQL server, on Redis, and on a vector store where one scope outgrows memory.

        Args:
            sql: `postgresql://user@host/name` (psycopg 3), or a SQLite URL.
            redis: Where conversations and threads are, in place of the SQL database: `redis://host:port/db`,
                `rediss://…`, or `redis+cluster://host:port`. Plain Redis will do.
            redis_prefix: What every key there begins with; `None`: `agentmem`. Applications with databases of their own
                that share a Redis take a prefix each: by one, the same user's conversations are the same.
            embeddings: `"local"`, any LangChain `Embeddings`, or `None` to search by words only.
            index: Builds a LangChain vector store around the embeddings given, for example
                `lambda embeddings: Chroma(collection_name="memories", embedding_function=embeddings)`; for a class
                whose filters are unknown, a `VectorStoreIndex` with `filter=` and `cosine=`; or a name, and
                `index_options={…}`: `chroma`, `redis`, `pgvector`, or one that an installed package brings.
            options: Fields of `MemoryOptions`.

        Raises:
            ConfigurationError: The URL is malformed, the store's filter is unknown, or an option is unknown.
        """
        given = read_options(options, cls.connect)
        fast = redis_at(redis, redis_prefix)
        return cls(composition.open_database(sql, given), embeddings=embeddings, index=index, redis=fast, options=given)

    @classmethod
    def from_config(cls, config: str | os.PathLike[str] | Mapping[str, Any] | MemoryConfig, **code: Any) -> Self:
        """Return memory as a YAML file, a dict or a `MemoryConfig` describes it; every key is an option of these.

        Args:
            config: `${NAME}` in its texts stands for a variable of the environment. Paths begin at the file's folder.
            code: What no file can hold, or is to be used in place of what it says: fields of `MemoryOptions` such as
                `vault`, `policy` or `model`, and `embeddings` and `index` as objects. A dict adds to a section of the
                file: `sensitive={"may_reveal": …}`.

        Raises:
            ConfigurationError: A key is unknown (the nearest one is named, and the line), a value cannot work, a
                variable is not set, or a secret stands in the file.
        """
        return cls(**_faces.build_config(config, code))

    # ------------------------------------------------------------------------------------------------------- faces
    @property
    def extractor(self) -> Extractor:
        """Return what proposes memories from conversations: the model's, or rules."""
        return composition.make_extractor(self._options)

    @property
    def evaluator(self) -> Evaluator:
        """Return what judges how a turn went: the model's, or rules."""
        return composition.make_evaluator(self._options)

    def retriever(self, scope: Scope | None = None, *, k: int = 5, kinds: Kinds | None = None) -> MemoryRetriever:
        """Return a LangChain retriever; without a scope, user and session come from the run's context or config."""
        return _faces.MemoryRetriever(long_term=self.long_term, scope=scope, k=k, kinds=kinds)

    def tools(self, scope: Scope | None = None, *, entities: bool = False) -> list[BaseTool]:
        """Return tools for an agent: search, manage, "what do you remember about me"; and one that asks `entities`."""
        tools: list[BaseTool] = _faces.create_memory_tools(self, scope=scope)
        return [*tools, *(_faces.create_entity_tools(self, scope=scope) if entities else ())]

    def middleware(self, **options: Any) -> MemoryMiddleware:
        """Return memory as a middleware for LangChain's `create_agent`.

        Args:
            options: Fields of `MiddlewareOptions`, for example `writes="inline"` or `agent_id="planner"`.

        Raises:
            ConfigurationError: An option is unknown, or impossible; or the extra `agents` is not installed.
        """
        return _faces.create_memory_middleware(self, options)

    def wrap(self, runnable: Runnable[Any, Any], **keys: Any) -> Runnable[Any, Any]:
        """Return a chain with a conversation: `RunnableWithMessageHistory`, user and session from the config.

        LangChain deprecates that class for its 2.0; a graph with `checkpointer` is what comes after it.

        Args:
            runnable: The chain.
            keys: `input_messages_key`, `history_messages_key` and `output_messages_key`, as LangChain names them; and
                `context`, what the chain is to see of a long conversation, for example `memory.context()`.

        Raises:
            ConfigurationError: A key is unknown, or cannot work.
        """
        return _faces.wrap_with_keys(runnable, self._kept_sessions, keys)

    def context(self, *, max_tokens: int = 100_000) -> HybridMemory:
        """Return what a model is to see: last messages, running summary and recalled memories, under one budget.

        A runnable, for a chain, for a graph, and for `wrap(context=…)`; or by hand: `add` a turn, `read` the prompt.
        The summary is kept with the conversation.
        """
        parts = _faces.HybridParts(sessions=self._kept_sessions, long_term=self.long_term, extractor=self.extractor)
        return _faces.HybridMemory(
            parts,
            buffer=_faces.SummaryBuffer(self._options.model),
            assembly=_faces.ContextAssembly(max_tokens=max_tokens),
            scope_of=_faces.resolve_scope,
        )

    def assembly(self, *, max_tokens: int = 100_000) -> TurnAssembly:
        """Return what puts the prompt of each turn together: every layer of memory under one budget, with a trace."""
        buffer = _faces.SummaryBuffer(self._options.model)
        talk = _faces.Dialogues(self._sessions, lambda: self.checkpointer)
        return _faces.make_turn_assembly(self, buffer, max_tokens, talk)

    def assemble(
        self, messages: str | Sequence[BaseMessage], *, scope: Scope, system: str = "", max_tokens: int = 100_000
    ) -> TurnContext:
        """Return what a model is to read in a turn, and what was left out of it; see `TurnAssembly.assemble`."""
        return self.assembly(max_tokens=max_tokens).assemble(messages, scope=scope, system=system)

    async def aassemble(
        self, messages: str | Sequence[BaseMessage], *, scope: Scope, system: str = "", max_tokens: int = 100_000
    ) -> TurnContext:
        """Return what a model is to read in a turn; see `assemble`."""
        return await self.assembly(max_tokens=max_tokens).aassemble(messages, scope=scope, system=system)

    def history(self, scope: Scope) -> SessionChatMessageHistory:
        """Return the chat history of a scope's session.

        Raises:
            ScopeError: The scope names no session.
        """
        return _faces.SessionChatMessageHistory(self._kept_sessions, scope)

    def conversations(self, scope: Scope, *, limit: int = 100, cursor: str | None = None) -> Page[Conversation]:
        """Return a user's conversations, the one used last first: title, last use, number of messages."""
        return run(conversations_page(self._sessions, scope, limit, cursor))

    async def aconversations(self, scope: Scope, *, limit: int = 100, cursor: str | None = None) -> Page[Conversation]:
        """Return a user's conversations; see `conversations`."""
        return await arun(conversations_page(self._sessions, scope, limit, cursor))

    @cached_property
    def profiles(self) -> Profiles[Any]:
        """Return who each user is: a projection of long-term memory, read as `profile=` or as `profiles.as_(Yours)`."""
        talk = _faces.Dialogues(self._sessions, lambda: self.checkpointer)
        return composition.make_profiles(self._parts, self._views.profiles, lambda: talk, self._options)

    @cached_property
    def goals(self) -> Goals:
        """Return what each user pursues for weeks, and how far it has come."""
        return _faces.Goals(*self._parts)

    @cached_property
    def entities(self) -> Entities:
        """Return who and what each user's memories are about, and how that hangs together: a projection of them."""
        return composition.make_entities(self._parts[0], self._views.entities, flows_of(self.long_term), self._options)

    @cached_property
    def procedural(self) -> ProceduralMemory:
        """Return skills and policies: of the repository that `procedural=` names, and the shipped ones."""
        return composition.make_procedural(self._parts[0], self._options)

    @cached_property
    def privacy(self) -> Privacy:
        """Return the rights of users: export, import, erasure of everything, legal hold, report."""
        backends = composition.make_backends(self._parts, self._views, self._redis, self._options)
        ends = {"profile": flows_of(self.profiles).whole, "index": flows_of(self.episodes).index}
        return _faces.create_privacy(backends, flows_of(self.jobs), store=lambda: self.store, **ends)

    @cached_property
    def runs(self) -> AgentRuns:
        """Return what agents did: recorded by callbacks, read step by step, held against checkpoints."""
        return _faces.AgentRuns(self._parts[0], lambda: self.checkpointer)

    @cached_property
    def _sessions(self) -> Sessions:
        """Return where conversations are stored: Redis if there is one, else the SQL database."""
        return _storing.make_sessions(
            self._database, self._redis, self._options, self._parts[0].access, self._following.copies
        )

    @cached_property
    def working(self) -> WorkingMemory:
        """Return the state of each task: on Redis if there is one, else in the SQL database."""
        states = _storing.make_states(self._database, self._redis, self._options, self._parts[0].access)
        return _faces.WorkingMemory(states, long_term=self.long_term, mode=self._options.mode)

    @cached_property
    def checkpointer(self) -> StoredSaver:
        """Return LangGraph's checkpointer, on Redis or in the SQL database; turns end with the threads it deletes."""
        saver = _storing.make_saver(self._database, self._redis, self._options, self._parts[0].access)
        return saver.followed_by(self._following.threads)

    @cached_property
    def store(self) -> SQLStore:
        """Return LangGraph's store in the SQL database, which searches with this memory's embeddings."""
        embed = {} if self._embedder is None else {"embed": self._embedder}
        settings = _storing.make_store_settings(self._options)
        settings["index"] = {**embed, **(settings.get("index") or {})}
        store: SQLStore = _faces.SQLStore(self._database, **settings)
        return store.guarded_by(self._parts[0].access)

    @property
    def _kept_sessions(self) -> Sessions:
        copies, after = self._following.copies, flows_of(self.consolidation).turn
        episodes, turns = flows_of(self.episodes), self._following.turns
        return _faces.KeptSessions(self._sessions, episodes, turns, copies=copies, after=after)
