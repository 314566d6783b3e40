"""Governed memory for LangChain and LangGraph: remembered, corrected, refused, forgotten and explained.

Names are imported when they are first used, so that `import langchain_agentmem` costs nothing and brings no database
driver, no model and no server client along.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from langchain_agentmem._version import __version__
    from langchain_agentmem.access.actor import acting_as
    from langchain_agentmem.chat_history import RedisChatMessageHistory, SQLChatMessageHistory
    from langchain_agentmem.checkpoint import AnsweringGraph, RedisSaver, SQLSaver
    from langchain_agentmem.checkpoint.options import SaverOptions
    from langchain_agentmem.config import MemoryConfig
    from langchain_agentmem.consolidation import ConsolidationReport
    from langchain_agentmem.context.assembly import ContextAssembly
    from langchain_agentmem.context.buffers import MessageBuffer, TokenBuffer
    from langchain_agentmem.context.history import HistoryView
    from langchain_agentmem.context.hybrid import HybridMemory
    from langchain_agentmem.context.runnable import StateKeys
    from langchain_agentmem.context.running_summary import RunningSummary
    from langchain_agentmem.context.summary_buffer import SummaryBuffer, SummaryLimits
    from langchain_agentmem.context.turn import LayerTrace, TurnAssembly, TurnContext
    from langchain_agentmem.entities.graph import EntityGraph
    from langchain_agentmem.entities.records import Entity, EntityRelation
    from langchain_agentmem.errors import (
        AgentMemError,
        ConfigurationError,
        ConflictError,
        ConsentError,
        GovernanceError,
        IntegrityError,
        LostKeysError,
        MigrationError,
        ModelOutputError,
        NotFoundError,
        RetentionError,
        ScopeError,
        StorageError,
    )
    from langchain_agentmem.extraction.proposing.linking import Linker, ModelLinker
    from langchain_agentmem.forgetting.report import ForgetReport
    from langchain_agentmem.graph import GraphOptions, create_memory_graph
    from langchain_agentmem.ledger.verification import Anchor, Verification
    from langchain_agentmem.long_term.recall.explaining import Explanation
    from langchain_agentmem.long_term.recall.listing import ListQuery
    from langchain_agentmem.memory import AgentMemory
    from langchain_agentmem.middleware import ApprovalMiddleware, MemoryMiddleware, MiddlewareOptions
    from langchain_agentmem.nodes.consenting import create_consent_node
    from langchain_agentmem.nodes.working import UpdateWorkingMemory, WorkingChannel, WorkingGraphState, WorkingReport
    from langchain_agentmem.options import MemoryOptions
    from langchain_agentmem.planning.contract import Planner
    from langchain_agentmem.planning.model import ModelPlanner
    from langchain_agentmem.planning.rules import RulePlanner
    from langchain_agentmem.policies.actions import Action
    from langchain_agentmem.policies.approve import ApprovalPolicy
    from langchain_agentmem.policies.consent_request import ConsentRequest
    from langchain_agentmem.policies.enforce import ActionCheck, ActionContext, PastAction
    from langchain_agentmem.policies.forget import ForgettingPolicy
    from langchain_agentmem.policies.forget_fates import Fate
    from langchain_agentmem.policies.querying import Dialogue
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.rulings import Ruling, WriteContext
    from langchain_agentmem.policies.sensitive import RevealRequest, SensitivePolicy
    from langchain_agentmem.policies.settling import ConflictPolicy
    from langchain_agentmem.policies.trust import TrustPolicy
    from langchain_agentmem.policies.write import WritePolicy
    from langchain_agentmem.presidio import PresidioDetector
    from langchain_agentmem.privacy.records import PrivacyReport
    from langchain_agentmem.procedural.options import ProceduralOptions
    from langchain_agentmem.procedural.service import ProceduralMemory
    from langchain_agentmem.profiles.goal import Goal
    from langchain_agentmem.profiles.model import UserProfile
    from langchain_agentmem.retrievers import EntityRetriever, MemoryRetriever
    from langchain_agentmem.sensitive import SensitiveReport
    from langchain_agentmem.sessions.base import Conversation
    from langchain_agentmem.sessions.options import SessionOptions
    from langchain_agentmem.states.options import WorkingOptions
    from langchain_agentmem.store import SQLStore
    from langchain_agentmem.thread_history import ThreadChatMessageHistory
    from langchain_agentmem.types import (
        Approval,
        ApprovalDecision,
        ApprovalOutcome,
        Candidate,
        ConsentState,
        Decision,
        Event,
        GoalProgress,
        Hit,
        Memory,
        Outcome,
        Provenance,
        Recall,
        RecallQuery,
        Receipt,
        ReceiptLine,
        Scope,
    )
    from langchain_agentmem.types.paging import Page, aevery, every
    from langchain_agentmem.types.procedures import Policy, Skill
    from langchain_agentmem.types.working import ToolCallRecord, WorkingDecision, WorkingSession, WorkingState
    from langchain_agentmem.types.working_update import StateUpdate
    from langchain_agentmem.vault import KeyEnvironment, KeyFolder, KeyServer, SubjectVault
    from langchain_agentmem.working.model import ModelRewriter
    from langchain_agentmem.working.rules import RuleRewriter
    from langchain_agentmem.working.service import WorkingMemory

__all__ = [
    "Action",
    "ActionCheck",
    "ActionContext",
    "AgentMemError",
    "AgentMemory",
    "Anchor",
    "AnsweringGraph",
    "Approval",
    "ApprovalDecision",
    "ApprovalMiddleware",
    "ApprovalOutcome",
    "ApprovalPolicy",
    "Candidate",
    "ConfigurationError",
    "ConflictError",
    "ConflictPolicy",
    "ConsentError",
    "ConsentRequest",
    "ConsentState",
    "ConsolidationReport",
    "ContextAssembly",
    "Conversation",
    "Decision",
    "Dialogue",
    "Entity",
    "EntityGraph",
    "EntityRelation",
    "EntityRetriever",
    "Event",
    "Explanation",
    "Fate",
    "ForgetReport",
    "ForgettingPolicy",
    "Goal",
    "GoalProgress",
    "GovernanceError",
    "GraphOptions",
    "HistoryView",
    "Hit",
    "HybridMemory",
    "IntegrityError",
    "KeyEnvironment",
    "KeyFolder",
    "KeyServer",
    "LayerTrace",
    "Linker",
    "ListQuery",
    "LostKeysError",
    "Memory",
    "MemoryConfig",
    "MemoryMiddleware",
    "MemoryOptions",
    "MemoryRetriever",
    "MessageBuffer",
    "MiddlewareOptions",
    "MigrationError",
    "ModelLinker",
    "ModelOutputError",
    "ModelPlanner",
    "ModelRewriter",
    "NotFoundError",
    "Outcome",
    "Page",
    "PastAction",
    "Planner",
    "Policy",
    "PresidioDetector",
    "PrivacyReport",
    "ProceduralMemory",
    "ProceduralOptions",
    "Provenance",
    "Recall",
    "RecallQuery",
    "Receipt",
    "ReceiptLine",
    "RedisChatMessageHistory",
    "RedisSaver",
    "RetentionError",
    "RevealRequest",
    "RulePlanner",
    "RuleRewriter",
    "Ruling",
    "RunningSummary",
    "SQLChatMessageHistory",
    "SQLSaver",
    "SQLStore",
    "SaverOptions",
    "Scope",
    "ScopeError",
    "SensitivePolicy",
    "SensitiveReport",
    "SessionOptions",
    "Skill",
    "StateKeys",
    "StateUpdate",
    "StorageError",
    "SubjectVault",
    "SummaryBuffer",
    "SummaryLimits",
    "ThreadChatMessageHistory",
    "TokenBuffer",
    "ToolCallRecord",
    "TrustPolicy",
    "TurnAssembly",
    "TurnContext",
    "UpdateWorkingMemory",
    "UserProfile",
    "Verification",
    "Weights",
    "WorkingChannel",
    "WorkingDecision",
    "WorkingGraphState",
    "WorkingMemory",
    "WorkingOptions",
    "WorkingReport",
    "WorkingSession",
    "WorkingState",
    "WriteContext",
    "WritePolicy",
    "__version__",
    "acting_as",
    "aevery",
    "create_consent_node",
    "create_memory_graph",
    "every",
]

_MODULES: Final = {
    "Anchor": "ledger.verification",
    "Verification": "ledger.verification",
    "Explanation": "long_term.recall.explaining",
    "Conversation": "sessions.base",
    "Action": "policies.actions",
    "ActionCheck": "policies.enforce",
    "ActionContext": "policies.enforce",
    "AgentMemory": "memory",
    "AnsweringGraph": "checkpoint",
    "ConflictPolicy": "policies.settling",
    "ApprovalMiddleware": "middleware",
    "ApprovalPolicy": "policies.approve",
    "ConsolidationReport": "consolidation",
    "ContextAssembly": "context.assembly",
    "Dialogue": "policies.querying",
    "Entity": "entities.records",
    "EntityGraph": "entities.graph",
    "EntityRelation": "entities.records",
    "EntityRetriever": "retrievers",
    "Fate": "policies.forget_fates",
    "ForgetReport": "forgetting.report",
    "ForgettingPolicy": "policies.forget",
    "Goal": "profiles.goal",
    "GraphOptions": "graph",
    "HistoryView": "context.history",
    "HybridMemory": "context.hybrid",
    "KeyEnvironment": "vault",
    "KeyFolder": "vault",
    "KeyServer": "vault",
    "LayerTrace": "context.turn",
    "Linker": "extraction.proposing.linking",
    "ListQuery": "long_term.recall.listing",
    "MemoryConfig": "config",
    "MemoryMiddleware": "middleware",
    "MemoryOptions": "options",
    "MemoryRetriever": "retrievers",
    "MessageBuffer": "context.buffers",
    "MiddlewareOptions": "middleware",
    "ModelLinker": "extraction.proposing.linking",
    "ModelPlanner": "planning.model",
    "ModelRewriter": "working.model",
    "PastAction": "policies.enforce",
    "Planner": "planning.contract",
    "Policy": "types.procedures",
    "PresidioDetector": "presidio",
    "PrivacyReport": "privacy.records",
    "ProceduralMemory": "procedural.service",
    "ProceduralOptions": "procedural.options",
    "RedisChatMessageHistory": "chat_history",
    "RedisSaver": "checkpoint",
    "RevealRequest": "policies.sensitive",
    "RulePlanner": "planning.rules",
    "RuleRewriter": "working.rules",
    "Ruling": "policies.rulings",
    "RunningSummary": "context.running_summary",
    "SQLChatMessageHistory": "chat_history",
    "SQLSaver": "checkpoint",
    "SQLStore": "store",
    "SaverOptions": "checkpoint.options",
    "SensitivePolicy": "policies.sensitive",
    "SensitiveReport": "sensitive",
    "SessionOptions": "sessions.options",
    "Skill": "types.procedures",
    "StateKeys": "context.runnable",
    "StateUpdate": "types.working_update",
    "SubjectVault": "vault",
    "SummaryBuffer": "context.summary_buffer",
    "SummaryLimits": "context.summary_buffer",
    "ThreadChatMessageHistory": "thread_history",
    "TokenBuffer": "context.buffers",
    "ToolCallRecord": "types.working",
    "TrustPolicy": "policies.trust",
    "TurnAssembly": "context.turn",
    "TurnContext": "context.turn",
    "UpdateWorkingMemory": "nodes.working",
    "UserProfile": "profiles.model",
    "Weights": "policies.rank",
    "WorkingChannel": "nodes.working",
    "WorkingDecision": "types.working",
    "WorkingGraphState": "nodes.working",
    "WorkingMemory": "working.service",
    "WorkingOptions": "states.options",
    "WorkingReport": "nodes.working",
    "WorkingSession": "types.working",
    "WorkingState": "types.working",
    "WriteContext": "policies.rulings",
    "WritePolicy": "policies.write",
    "__version__": "_version",
    "Page": "types.paging",
    "acting_as": "access.actor",
    "aevery": "types.paging",
    "every": "types.paging",
    "create_consent_node": "nodes.consenting",
    "create_memory_graph": "graph",
    "ConsentRequest": "policies.consent_request",
    **dict.fromkeys(
        (
            "Approval",
            "ApprovalDecision",
            "ApprovalOutcome",
            "Candidate",
            "ConsentState",
            "Decision",
            "Event",
            "GoalProgress",
            "Hit",
            "Memory",
            "Outcome",
            "Provenance",
            "Recall",
            "RecallQuery",
            "Receipt",
            "ReceiptLine",
            "Scope",
        ),
        "types",
    ),
}

if not TYPE_CHECKING:
    if importlib.util.find_spec("langchain") is None:  # an extra: what needs it is named to be had, and no part of `*`
        __all__ = [name for name in __all__ if _MODULES.get(name) != "middleware"]

    def __getattr__(name: str) -> object:
        if name not in __all__ and name not in _MODULES:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module = importlib.import_module(f"{__name__}.{_MODULES.get(name, 'errors')}")
        value = getattr(module, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
