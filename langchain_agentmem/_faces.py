"""Where the parts of a memory are that not everyone needs: each is imported when it is first asked for."""

from __future__ import annotations

import importlib
from typing import Any, Final

from langchain_agentmem.errors import ConfigurationError

_FACES: Final = {
    "LocalEmbeddings": "langchain_agentmem.local_embeddings",
    "chosen_index": "langchain_agentmem.index.backends",
    "RuleExtractor": "langchain_agentmem.extraction",
    "ModelExtractor": "langchain_agentmem.extraction",
    "RuleEvaluator": "langchain_agentmem.evaluation",
    "ModelEvaluator": "langchain_agentmem.evaluation",
    "RulePlanner": "langchain_agentmem.planning.rules",
    "ModelPlanner": "langchain_agentmem.planning.model",
    "ModelLinker": "langchain_agentmem.extraction.linking",
    "MemoryRetriever": "langchain_agentmem.retrievers",
    "create_memory_tools": "langchain_agentmem.tools",
    "wrap_with_keys": "langchain_agentmem.wrapping",
    "SessionChatMessageHistory": "langchain_agentmem.chat_history",
    "SQLSessions": "langchain_agentmem.sessions.sql",
    "RedisSessions": "langchain_agentmem.sessions.redis",
    "REDIS_TTL": "langchain_agentmem.sessions.redis.sessions",
    "SQLSaver": "langchain_agentmem.checkpoint.sql",
    "Dialogues": "langchain_agentmem.checkpoint.dialogues",
    "RedisSaver": "langchain_agentmem.checkpoint.redis",
    "SQLStore": "langchain_agentmem.store.sql",
    "SQLItems": "langchain_agentmem.items.sql",
    "RedisDatabase": "langchain_agentmem.redis.database",
    "HybridMemory": "langchain_agentmem.context.hybrid",
    "HybridParts": "langchain_agentmem.context.hybrid",
    "SummaryBuffer": "langchain_agentmem.context.summary_buffer",
    "ContextAssembly": "langchain_agentmem.context.assembly",
    "make_turn_assembly": "langchain_agentmem.context.turn",
    "resolve_scope": "langchain_agentmem.identity",
    "LongTermMemory": "langchain_agentmem.long_term.service",
    "Episodes": "langchain_agentmem.long_term.episodes",
    "Conversations": "langchain_agentmem.long_term.indexing",
    "Background": "langchain_agentmem.long_term.background",
    "Approvals": "langchain_agentmem.long_term.approvals",
    "TurnQueue": "langchain_agentmem.long_term.turn_queue",
    "Consent": "langchain_agentmem.consent",
    "Access": "langchain_agentmem.access.access",
    "GuardedLedger": "langchain_agentmem.access.guards",
    "GuardedThreads": "langchain_agentmem.access.threads",
    "guarded_sessions": "langchain_agentmem.access.guards",
    "guarded_states": "langchain_agentmem.access.guards",
    "Consolidation": "langchain_agentmem.consolidation",
    "ModelJudge": "langchain_agentmem.extraction.contradicting",
    "Quarantine": "langchain_agentmem.quarantine",
    "Summarising": "langchain_agentmem.consolidation.summarising",
    "Forgetting": "langchain_agentmem.forgetting",
    "SQLOwners": "langchain_agentmem.ledger.sql.owners",
    "settle_turn": "langchain_agentmem.nodes.settling",
    "create_memory_middleware": "langchain_agentmem.middleware",
    "KeptSessions": "langchain_agentmem.long_term.kept_sessions",
    "AgentRuns": "langchain_agentmem.runs",
    "Timeline": "langchain_agentmem.timeline",
    "KeptThreads": "langchain_agentmem.long_term.kept_threads",
    "KeptCopies": "langchain_agentmem.long_term.kept_copies",
    "LiveConversations": "langchain_agentmem.long_term.kept_copies",
    "NotedTurns": "langchain_agentmem.long_term.noted_turns",
    "SQLStates": "langchain_agentmem.states.sql",
    "RedisStates": "langchain_agentmem.states.redis",
    "WorkingMemory": "langchain_agentmem.working.service",
    "PresidioDetector": "langchain_agentmem.presidio",
    "SensitiveData": "langchain_agentmem.sensitive",
    "ProtectedSessions": "langchain_agentmem.sensitive.sessions",
    "ProtectedStates": "langchain_agentmem.sensitive.states",
    "FactScan": "langchain_agentmem.sensitive.facts",
    "HistoryScan": "langchain_agentmem.sensitive.conversations",
    "EpisodeScan": "langchain_agentmem.sensitive.conversations",
    "WorkingScan": "langchain_agentmem.sensitive.conversations",
    **dict.fromkeys(("RowScan", "JobScan"), "langchain_agentmem.sensitive.rows"),
    **dict.fromkeys(("ThreadScan", "StoreScan"), "langchain_agentmem.sensitive.graphs"),
    "value_protector": "langchain_agentmem.sensitive.items",
    "Profiles": "langchain_agentmem.profiles.service",
    "Goals": "langchain_agentmem.profiles.goals",
    "Interactions": "langchain_agentmem.profiles.interactions",
    "relations_of": "langchain_agentmem.profiles.values",
    "ProfileParts": "langchain_agentmem.profiles.writing",
    "ProfileViews": "langchain_agentmem.profiles.views",
    **dict.fromkeys(("KeyEnvironment", "KeyFolder", "SubjectVault"), "langchain_agentmem.vault"),
    "Resealing": "langchain_agentmem.vault.resealing",
    "RedisResealing": "langchain_agentmem.vault.redis_resealing",
    "RedisProfileViews": "langchain_agentmem.profiles.redis",
    "UserProfile": "langchain_agentmem.profiles.model",
    "Entities": "langchain_agentmem.entities.service",
    "EntityParts": "langchain_agentmem.entities.service",
    "EntityViews": "langchain_agentmem.entities.views",
    "EntityRelatives": "langchain_agentmem.entities.relating",
    "EveryCopy": "langchain_agentmem.long_term.copies",
    "RelationExtractor": "langchain_agentmem.extraction.relations",
    "create_entity_tools": "langchain_agentmem.entity_tools",
    "ProceduralMemory": "langchain_agentmem.procedural.service",
    "Runs": "langchain_agentmem.procedural.events",
    "read_procedural": "langchain_agentmem.procedural.options",
    "names_a_user": "langchain_agentmem.identity",
    "resolve_decider": "langchain_agentmem.identity",
    "resolve_mode": "langchain_agentmem.identity",
    "resolve_actor": "langchain_agentmem.identity",
    "anonymous_scope": "langchain_agentmem.identity",
    "Backend": "langchain_agentmem.privacy.composing",
    "Backends": "langchain_agentmem.privacy.composing",
    "privacy_handlers": "langchain_agentmem.privacy.composing",
    "create_privacy": "langchain_agentmem.privacy.composing",
    "build_config": "langchain_agentmem.config",
    "Metrics": "langchain_agentmem.metrics",
    "SQLLedger": "langchain_agentmem.ledger.sql",
    "SQLModels": "langchain_agentmem.ledger.sql.models",
    "ExpiredEpisodes": "langchain_agentmem.long_term.ending",
    "Sweeps": "langchain_agentmem.sweeps",
    "SQLUsage": "langchain_agentmem.ledger.sql.usage",
    "RedisSessionUsage": "langchain_agentmem.sessions.redis.usage",
    "RedisThreadUsage": "langchain_agentmem.checkpoints.redis.usage",
    "RedisStateUsage": "langchain_agentmem.states.redis.usage",
    "RedisProfileUsage": "langchain_agentmem.profiles.usage",
}


def face(name: str) -> Any:  # noqa: ANN401  (looked up by name)
    """Import what not everyone needs, when it is first asked for.

    Raises:
        ConfigurationError: It is for LangChain's agents, and LangChain is not installed.
    """
    try:
        return getattr(importlib.import_module(_FACES[name]), name)
    except ModuleNotFoundError as error:
        if error.name != "langchain":
            raise
        raise ConfigurationError(str(error)) from error


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
    return face("RedisDatabase")(url) if prefix is None else face("RedisDatabase")(url, prefix=prefix)
