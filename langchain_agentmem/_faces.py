"""Where the parts of a memory are that not everyone needs: each is imported when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_agentmem._lazy import lazily
from langchain_agentmem.errors import ConfigurationError

if TYPE_CHECKING:
    from langchain_agentmem.access.access import Access as Access
    from langchain_agentmem.access.flows import AccessFlows as AccessFlows
    from langchain_agentmem.access.guards import GuardedLedger as GuardedLedger
    from langchain_agentmem.access.guards import guarded_sessions as guarded_sessions
    from langchain_agentmem.access.guards import guarded_states as guarded_states
    from langchain_agentmem.access.threads import GuardedThreads as GuardedThreads
    from langchain_agentmem.chat_history import SessionChatMessageHistory as SessionChatMessageHistory
    from langchain_agentmem.checkpoint.dialogues import Dialogues as Dialogues
    from langchain_agentmem.checkpoint.redis import RedisSaver as RedisSaver
    from langchain_agentmem.checkpoint.sql import SQLSaver as SQLSaver
    from langchain_agentmem.checkpoints.redis.usage import RedisThreadUsage as RedisThreadUsage
    from langchain_agentmem.config import build_config as build_config
    from langchain_agentmem.consent import Consent as Consent
    from langchain_agentmem.consolidation import Consolidation as Consolidation
    from langchain_agentmem.consolidation.summarising import Summarising as Summarising
    from langchain_agentmem.context.assembly import ContextAssembly as ContextAssembly
    from langchain_agentmem.context.hybrid import HybridMemory as HybridMemory
    from langchain_agentmem.context.hybrid import HybridParts as HybridParts
    from langchain_agentmem.context.summary_buffer import SummaryBuffer as SummaryBuffer
    from langchain_agentmem.context.turn import make_turn_assembly as make_turn_assembly
    from langchain_agentmem.entities.flows import EntityParts as EntityParts
    from langchain_agentmem.entities.relating import EntityRelatives as EntityRelatives
    from langchain_agentmem.entities.service import Entities as Entities
    from langchain_agentmem.entities.views import EntityViews as EntityViews
    from langchain_agentmem.entity_tools import create_entity_tools as create_entity_tools
    from langchain_agentmem.evaluation import ModelEvaluator as ModelEvaluator
    from langchain_agentmem.evaluation import RuleEvaluator as RuleEvaluator
    from langchain_agentmem.extraction import ModelExtractor as ModelExtractor
    from langchain_agentmem.extraction import RuleExtractor as RuleExtractor
    from langchain_agentmem.extraction.proposing.contradicting import ModelJudge as ModelJudge
    from langchain_agentmem.extraction.proposing.linking import ModelLinker as ModelLinker
    from langchain_agentmem.extraction.proposing.relations import RelationExtractor as RelationExtractor
    from langchain_agentmem.forgetting import Forgetting as Forgetting
    from langchain_agentmem.forgetting.flows import ForgettingFlows as ForgettingFlows
    from langchain_agentmem.identity import anonymous_scope as anonymous_scope
    from langchain_agentmem.identity import names_a_user as names_a_user
    from langchain_agentmem.identity import resolve_actor as resolve_actor
    from langchain_agentmem.identity import resolve_decider as resolve_decider
    from langchain_agentmem.identity import resolve_mode as resolve_mode
    from langchain_agentmem.identity import resolve_scope as resolve_scope
    from langchain_agentmem.index.backends import chosen_index as chosen_index
    from langchain_agentmem.items.sql import SQLItems as SQLItems
    from langchain_agentmem.jobs import Jobs as Jobs
    from langchain_agentmem.ledger.sql import SQLLedger as SQLLedger
    from langchain_agentmem.ledger.sql.models import SQLModels as SQLModels
    from langchain_agentmem.ledger.sql.owners import SQLOwners as SQLOwners
    from langchain_agentmem.ledger.sql.usage import SQLUsage as SQLUsage
    from langchain_agentmem.local_embeddings import LocalEmbeddings as LocalEmbeddings
    from langchain_agentmem.long_term.index.copies import EveryCopy as EveryCopy
    from langchain_agentmem.long_term.remove.ending import ExpiredEpisodes as ExpiredEpisodes
    from langchain_agentmem.long_term.service import LongTermMemory as LongTermMemory
    from langchain_agentmem.long_term.turns.background import Background as Background
    from langchain_agentmem.long_term.turns.episodes import Episodes as Episodes
    from langchain_agentmem.long_term.turns.indexing import Conversations as Conversations
    from langchain_agentmem.long_term.turns.kept_copies import KeptCopies as KeptCopies
    from langchain_agentmem.long_term.turns.kept_copies import LiveConversations as LiveConversations
    from langchain_agentmem.long_term.turns.kept_sessions import KeptSessions as KeptSessions
    from langchain_agentmem.long_term.turns.kept_threads import KeptThreads as KeptThreads
    from langchain_agentmem.long_term.turns.noted_turns import NotedTurns as NotedTurns
    from langchain_agentmem.long_term.turns.turn_queue import TurnQueue as TurnQueue
    from langchain_agentmem.long_term.write.approvals import Approvals as Approvals
    from langchain_agentmem.metrics import Metrics as Metrics
    from langchain_agentmem.middleware import create_memory_middleware as create_memory_middleware
    from langchain_agentmem.nodes.settling import settle_turn as settle_turn
    from langchain_agentmem.planning.model import ModelPlanner as ModelPlanner
    from langchain_agentmem.planning.rules import RulePlanner as RulePlanner
    from langchain_agentmem.presidio import PresidioDetector as PresidioDetector
    from langchain_agentmem.privacy.composing import Backend as Backend
    from langchain_agentmem.privacy.composing import Backends as Backends
    from langchain_agentmem.privacy.composing import create_privacy as create_privacy
    from langchain_agentmem.privacy.composing import privacy_handlers as privacy_handlers
    from langchain_agentmem.procedural.events import Runs as Runs
    from langchain_agentmem.procedural.options import read_procedural as read_procedural
    from langchain_agentmem.procedural.service import ProceduralMemory as ProceduralMemory
    from langchain_agentmem.profiles.goals import Goals as Goals
    from langchain_agentmem.profiles.interactions import Interactions as Interactions
    from langchain_agentmem.profiles.model import UserProfile as UserProfile
    from langchain_agentmem.profiles.redis import RedisProfileViews as RedisProfileViews
    from langchain_agentmem.profiles.service import Profiles as Profiles
    from langchain_agentmem.profiles.usage import RedisProfileUsage as RedisProfileUsage
    from langchain_agentmem.profiles.values import relations_of as relations_of
    from langchain_agentmem.profiles.views import ProfileViews as ProfileViews
    from langchain_agentmem.profiles.writing import ProfileParts as ProfileParts
    from langchain_agentmem.quarantine import Quarantine as Quarantine
    from langchain_agentmem.redis.database import RedisDatabase as RedisDatabase
    from langchain_agentmem.retrievers import MemoryRetriever as MemoryRetriever
    from langchain_agentmem.runs import AgentRuns as AgentRuns
    from langchain_agentmem.sensitive import SensitiveData as SensitiveData
    from langchain_agentmem.sensitive.conversations import EpisodeScan as EpisodeScan
    from langchain_agentmem.sensitive.conversations import HistoryScan as HistoryScan
    from langchain_agentmem.sensitive.conversations import WorkingScan as WorkingScan
    from langchain_agentmem.sensitive.facts import FactScan as FactScan
    from langchain_agentmem.sensitive.graphs import StoreScan as StoreScan
    from langchain_agentmem.sensitive.graphs import ThreadScan as ThreadScan
    from langchain_agentmem.sensitive.items import value_protector as value_protector
    from langchain_agentmem.sensitive.rows import JobScan as JobScan
    from langchain_agentmem.sensitive.rows import RowScan as RowScan
    from langchain_agentmem.sensitive.sessions import ProtectedSessions as ProtectedSessions
    from langchain_agentmem.sensitive.states import ProtectedStates as ProtectedStates
    from langchain_agentmem.sessions.redis import RedisSessions as RedisSessions
    from langchain_agentmem.sessions.redis.sessions import REDIS_TTL as REDIS_TTL
    from langchain_agentmem.sessions.redis.usage import RedisSessionUsage as RedisSessionUsage
    from langchain_agentmem.sessions.sql import SQLSessions as SQLSessions
    from langchain_agentmem.states.redis import RedisStates as RedisStates
    from langchain_agentmem.states.redis.usage import RedisStateUsage as RedisStateUsage
    from langchain_agentmem.states.sql import SQLStates as SQLStates
    from langchain_agentmem.store.sql import SQLStore as SQLStore
    from langchain_agentmem.sweeps import Sweeps as Sweeps
    from langchain_agentmem.timeline import Timeline as Timeline
    from langchain_agentmem.tools import create_memory_tools as create_memory_tools
    from langchain_agentmem.vault import KeyEnvironment as KeyEnvironment
    from langchain_agentmem.vault import KeyFolder as KeyFolder
    from langchain_agentmem.vault import SubjectVault as SubjectVault
    from langchain_agentmem.vault.redis_resealing import RedisResealing as RedisResealing
    from langchain_agentmem.vault.resealing import Resealing as Resealing
    from langchain_agentmem.working.service import WorkingMemory as WorkingMemory
    from langchain_agentmem.wrapping import wrap_with_keys as wrap_with_keys

MODULES: Final = {
    "Access": "langchain_agentmem.access.access",
    "AccessFlows": "langchain_agentmem.access.flows",
    "AgentRuns": "langchain_agentmem.runs",
    "Approvals": "langchain_agentmem.long_term.write.approvals",
    "Backend": "langchain_agentmem.privacy.composing",
    "Backends": "langchain_agentmem.privacy.composing",
    "Background": "langchain_agentmem.long_term.turns.background",
    "Consent": "langchain_agentmem.consent",
    "Consolidation": "langchain_agentmem.consolidation",
    "ContextAssembly": "langchain_agentmem.context.assembly",
    "Conversations": "langchain_agentmem.long_term.turns.indexing",
    "Dialogues": "langchain_agentmem.checkpoint.dialogues",
    "Entities": "langchain_agentmem.entities.service",
    "EntityParts": "langchain_agentmem.entities.flows",
    "EntityRelatives": "langchain_agentmem.entities.relating",
    "EntityViews": "langchain_agentmem.entities.views",
    "EpisodeScan": "langchain_agentmem.sensitive.conversations",
    "Episodes": "langchain_agentmem.long_term.turns.episodes",
    "EveryCopy": "langchain_agentmem.long_term.index.copies",
    "ExpiredEpisodes": "langchain_agentmem.long_term.remove.ending",
    "FactScan": "langchain_agentmem.sensitive.facts",
    "Forgetting": "langchain_agentmem.forgetting",
    "ForgettingFlows": "langchain_agentmem.forgetting.flows",
    "Goals": "langchain_agentmem.profiles.goals",
    "GuardedLedger": "langchain_agentmem.access.guards",
    "GuardedThreads": "langchain_agentmem.access.threads",
    "HistoryScan": "langchain_agentmem.sensitive.conversations",
    "HybridMemory": "langchain_agentmem.context.hybrid",
    "HybridParts": "langchain_agentmem.context.hybrid",
    "Interactions": "langchain_agentmem.profiles.interactions",
    "Jobs": "langchain_agentmem.jobs",
    "JobScan": "langchain_agentmem.sensitive.rows",
    "KeptCopies": "langchain_agentmem.long_term.turns.kept_copies",
    "KeptSessions": "langchain_agentmem.long_term.turns.kept_sessions",
    "KeptThreads": "langchain_agentmem.long_term.turns.kept_threads",
    "KeyEnvironment": "langchain_agentmem.vault",
    "KeyFolder": "langchain_agentmem.vault",
    "LiveConversations": "langchain_agentmem.long_term.turns.kept_copies",
    "LocalEmbeddings": "langchain_agentmem.local_embeddings",
    "LongTermMemory": "langchain_agentmem.long_term.service",
    "MemoryRetriever": "langchain_agentmem.retrievers",
    "Metrics": "langchain_agentmem.metrics",
    "ModelEvaluator": "langchain_agentmem.evaluation",
    "ModelExtractor": "langchain_agentmem.extraction",
    "ModelJudge": "langchain_agentmem.extraction.proposing.contradicting",
    "ModelLinker": "langchain_agentmem.extraction.proposing.linking",
    "ModelPlanner": "langchain_agentmem.planning.model",
    "NotedTurns": "langchain_agentmem.long_term.turns.noted_turns",
    "PresidioDetector": "langchain_agentmem.presidio",
    "ProceduralMemory": "langchain_agentmem.procedural.service",
    "ProfileParts": "langchain_agentmem.profiles.writing",
    "ProfileViews": "langchain_agentmem.profiles.views",
    "Profiles": "langchain_agentmem.profiles.service",
    "ProtectedSessions": "langchain_agentmem.sensitive.sessions",
    "ProtectedStates": "langchain_agentmem.sensitive.states",
    "Quarantine": "langchain_agentmem.quarantine",
    "REDIS_TTL": "langchain_agentmem.sessions.redis.sessions",
    "RedisDatabase": "langchain_agentmem.redis.database",
    "RedisProfileUsage": "langchain_agentmem.profiles.usage",
    "RedisProfileViews": "langchain_agentmem.profiles.redis",
    "RedisResealing": "langchain_agentmem.vault.redis_resealing",
    "RedisSaver": "langchain_agentmem.checkpoint.redis",
    "RedisSessionUsage": "langchain_agentmem.sessions.redis.usage",
    "RedisSessions": "langchain_agentmem.sessions.redis",
    "RedisStateUsage": "langchain_agentmem.states.redis.usage",
    "RedisStates": "langchain_agentmem.states.redis",
    "RedisThreadUsage": "langchain_agentmem.checkpoints.redis.usage",
    "RelationExtractor": "langchain_agentmem.extraction.proposing.relations",
    "Resealing": "langchain_agentmem.vault.resealing",
    "RowScan": "langchain_agentmem.sensitive.rows",
    "RuleEvaluator": "langchain_agentmem.evaluation",
    "RuleExtractor": "langchain_agentmem.extraction",
    "RulePlanner": "langchain_agentmem.planning.rules",
    "Runs": "langchain_agentmem.procedural.events",
    "SQLItems": "langchain_agentmem.items.sql",
    "SQLLedger": "langchain_agentmem.ledger.sql",
    "SQLModels": "langchain_agentmem.ledger.sql.models",
    "SQLOwners": "langchain_agentmem.ledger.sql.owners",
    "SQLSaver": "langchain_agentmem.checkpoint.sql",
    "SQLSessions": "langchain_agentmem.sessions.sql",
    "SQLStates": "langchain_agentmem.states.sql",
    "SQLStore": "langchain_agentmem.store.sql",
    "SQLUsage": "langchain_agentmem.ledger.sql.usage",
    "SensitiveData": "langchain_agentmem.sensitive",
    "SessionChatMessageHistory": "langchain_agentmem.chat_history",
    "StoreScan": "langchain_agentmem.sensitive.graphs",
    "SubjectVault": "langchain_agentmem.vault",
    "Summarising": "langchain_agentmem.consolidation.summarising",
    "SummaryBuffer": "langchain_agentmem.context.summary_buffer",
    "Sweeps": "langchain_agentmem.sweeps",
    "ThreadScan": "langchain_agentmem.sensitive.graphs",
    "Timeline": "langchain_agentmem.timeline",
    "TurnQueue": "langchain_agentmem.long_term.turns.turn_queue",
    "UserProfile": "langchain_agentmem.profiles.model",
    "WorkingMemory": "langchain_agentmem.working.service",
    "WorkingScan": "langchain_agentmem.sensitive.conversations",
    "anonymous_scope": "langchain_agentmem.identity",
    "build_config": "langchain_agentmem.config",
    "chosen_index": "langchain_agentmem.index.backends",
    "create_entity_tools": "langchain_agentmem.entity_tools",
    "create_memory_middleware": "langchain_agentmem.middleware",
    "create_memory_tools": "langchain_agentmem.tools",
    "create_privacy": "langchain_agentmem.privacy.composing",
    "guarded_sessions": "langchain_agentmem.access.guards",
    "guarded_states": "langchain_agentmem.access.guards",
    "make_turn_assembly": "langchain_agentmem.context.turn",
    "names_a_user": "langchain_agentmem.identity",
    "privacy_handlers": "langchain_agentmem.privacy.composing",
    "read_procedural": "langchain_agentmem.procedural.options",
    "relations_of": "langchain_agentmem.profiles.values",
    "resolve_actor": "langchain_agentmem.identity",
    "resolve_decider": "langchain_agentmem.identity",
    "resolve_mode": "langchain_agentmem.identity",
    "resolve_scope": "langchain_agentmem.identity",
    "settle_turn": "langchain_agentmem.nodes.settling",
    "value_protector": "langchain_agentmem.sensitive.items",
    "wrap_with_keys": "langchain_agentmem.wrapping",
}

if not TYPE_CHECKING:
    _take = lazily(__name__, MODULES)

    def __getattr__(name: str) -> object:
        """Import what not everyone needs, when it is first asked for.

        Raises:
            ConfigurationError: It is for LangChain's agents, and LangChain is not installed.
        """
        try:
            return _take(name)
        except ModuleNotFoundError as error:
            if error.name != "langchain":
                raise
            raise ConfigurationError(str(error)) from error
