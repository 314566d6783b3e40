"""The nouns of governed memory: records without behaviour beyond their own validity.

All are frozen; an instance that exists is valid. Times are aware UTC datetimes, confidences and scores lie in [0, 1].
Source of the four time fields: Snodgrass, *Developing Time-Oriented Database Applications in SQL*, chapter 10
(valid time: when it is true of the world; transaction time: when this system believed it).
"""

from langchain_agentmem.types.approvals import Approval, ApprovalDecision, ApprovalOutcome, Proposer
from langchain_agentmem.types.consent import Allowance, ConsentState
from langchain_agentmem.types.episodes import Episode, IngestReport
from langchain_agentmem.types.goals import GOAL_STATUSES, GoalProgress, GoalStatus
from langchain_agentmem.types.log import Event
from langchain_agentmem.types.memories import (
    KINDS,
    SOURCES,
    SPEAKERS,
    STATED_KINDS,
    STATUSES,
    TRUST_CLASSES,
    Candidate,
    Decision,
    Kind,
    Kinds,
    Memory,
    Outcome,
    Provenance,
    Source,
    Speaker,
    StatedKind,
    Status,
    TrustClass,
    Verdict,
)
from langchain_agentmem.types.recall import (
    Hit,
    MemoryMode,
    Recall,
    RecallQuery,
    RecallStatus,
    Receipt,
    ReceiptLine,
)
from langchain_agentmem.types.scope import Scope

__all__ = [
    "GOAL_STATUSES",
    "KINDS",
    "SOURCES",
    "SPEAKERS",
    "STATED_KINDS",
    "STATUSES",
    "TRUST_CLASSES",
    "Allowance",
    "Approval",
    "ApprovalDecision",
    "ApprovalOutcome",
    "Candidate",
    "ConsentState",
    "Decision",
    "Episode",
    "Event",
    "GoalProgress",
    "GoalStatus",
    "Hit",
    "IngestReport",
    "Kind",
    "Kinds",
    "Memory",
    "MemoryMode",
    "Outcome",
    "Proposer",
    "Provenance",
    "Recall",
    "RecallQuery",
    "RecallStatus",
    "Receipt",
    "ReceiptLine",
    "Scope",
    "Source",
    "Speaker",
    "StatedKind",
    "Status",
    "TrustClass",
    "Verdict",
]
