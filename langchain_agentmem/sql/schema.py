"""The tables, for SQLite and PostgreSQL alike.

Times are integers (microseconds since 1970, UTC), so that both databases keep and compare them exactly. Ids are
compared byte by byte. Columns named `sealed`, `body`, `labels`, `title` and `summary`, and those of terms, pairs,
claims, updates and vectors, pass through the vault. A subject is a (tenant, user); its surrogate number keeps every
index small and every query inside one subject.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from langchain_agentmem.sql.columns import ID, METADATA, NAME, subject
from langchain_agentmem.sql.thread_schema import (
    CHECKPOINTS,
    ITEMS,
    LEASES,
    NAMESPACES,
    THREAD_LABELS,
    THREADS,
    WRITES,
)

__all__ = [
    "ACCESS",
    "CHECKPOINTS",
    "EPISODES",
    "EVENTS",
    "ITEMS",
    "JOBS",
    "LEASES",
    "MARKS",
    "MEMORIES",
    "MESSAGES",
    "METADATA",
    "MODELS",
    "NAMESPACES",
    "PAYLOADS",
    "RECEIPTS",
    "REQUESTS",
    "RUN_STEPS",
    "SESSIONS",
    "SNAPSHOTS",
    "STATES",
    "STORE_ITEMS",
    "STORE_NAMESPACES",
    "SUBJECTS",
    "THREADS",
    "THREAD_LABELS",
    "TOKENS",
    "VECTORS",
    "WRITES",
]

SUBJECTS: Final = Table(
    "agentmem_subjects",
    METADATA,
    Column("subject_id", ID, primary_key=True, autoincrement=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("genesis_salt", LargeBinary),
    Column("genesis", LargeBinary, nullable=False),
    Column("head_seq", BigInteger, nullable=False),
    Column("head_digest", LargeBinary, nullable=False),
    Column("head_mac", LargeBinary),
    Column("consent_status", Text, nullable=False),
    Column("consent_purposes", Text, nullable=False),
    Column("consent_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("episode_revision", BigInteger, nullable=False, server_default="0"),
    Column("is_held", Integer, nullable=False, server_default="0"),
    Column("is_erasing", Integer, nullable=False, server_default="0"),
    UniqueConstraint("tenant_id", "user_id", name="agentmem_subjects_identity"),
    sqlite_autoincrement=True,
)

EVENTS: Final = Table(
    "agentmem_events",
    METADATA,
    subject(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("type", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("memory_id", Text),
    Column("rule", Text),
    Column("commitment", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Index("agentmem_events_memory", "subject_id", "memory_id", "seq"),
)

PAYLOADS: Final = Table(
    "agentmem_payloads",
    METADATA,
    subject(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("sealed", LargeBinary, nullable=False),
)

MEMORIES: Final = Table(
    "agentmem_memories",
    METADATA,
    subject(),
    Column("memory_id", Text, primary_key=True),
    Column("agent_id", Text),
    Column("session_id", Text),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("confidence", Float(53), nullable=False),
    Column("importance", Float(53), nullable=False),
    Column("trust", Float(53), nullable=False),
    Column("pinned", Integer, nullable=False),
    Column("sightings", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("valid_at", BigInteger),
    Column("invalid_at", BigInteger),
    Column("expired_at", BigInteger),
    Column("expires_at", BigInteger),
    Column("revision", BigInteger, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("labels", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("agentmem_memories_revision", "subject_id", "revision"),
    Index("agentmem_memories_session", "subject_id", "session_id"),
    Index("agentmem_memories_kind", "subject_id", "kind", "status"),
)

VECTORS: Final = Table(
    "agentmem_vectors",
    METADATA,
    subject(),
    Column("memory_id", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

MODELS: Final = Table(
    "agentmem_models",
    METADATA,
    Column("model", Text, primary_key=True),
    Column("dimension", Integer, nullable=False),
    Column("is_current", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),  # moves when rows that were there before get vectors
    Index(
        "agentmem_models_current",
        "is_current",
        unique=True,
        sqlite_where=text("is_current = 1"),
        postgresql_where=text("is_current = 1"),
    ),
)

EPISODES: Final = Table(
    "agentmem_episodes",
    METADATA,
    subject(),
    Column("episode_id", Text, primary_key=True),
    Column("agent_id", Text),
    Column("session_id", Text, nullable=False),
    Column("place", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revision", BigInteger, nullable=False),
    Column("event_seq", BigInteger, nullable=False),
    Column("session_ref", BigInteger),
    Column("is_gone", Integer, nullable=False),
    Column("claims", LargeBinary, nullable=False),
    Column("updates", LargeBinary, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("pairs", LargeBinary, nullable=False),
    Column("reply_terms", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("agentmem_episodes_revision", "subject_id", "revision"),
    Index("agentmem_episodes_session", "subject_id", "session_id", "place"),
    Index("agentmem_episodes_history", "session_ref", "place"),
    Index("agentmem_episodes_expiry", "expires_at"),
)

ACCESS: Final = Table(
    "agentmem_access",
    METADATA,
    subject(),
    Column("memory_id", Text, primary_key=True),
    Column("uses", Integer, nullable=False),
    Column("last_used_at", BigInteger, nullable=False),
)

RECEIPTS: Final = Table(
    "agentmem_receipts",
    METADATA,
    subject(),
    Column("receipt_id", Text, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Index("agentmem_receipts_at", "subject_id", "at"),
)

REQUESTS: Final = Table(  # to forget: the number of the event that tells of each
    "agentmem_requests",
    METADATA,
    subject(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Index("agentmem_requests_expiry", "expires_at"),
)

SNAPSHOTS: Final = Table(  # of views of memories, by embedding model
    "agentmem_snapshots",
    METADATA,
    subject(),
    Column("model", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)

TOKENS: Final = Table(  # what stands for a sensitive value, by what names it
    "agentmem_tokens",
    METADATA,
    subject(),
    Column("token", Text, primary_key=True),
    Column("holder", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Index("agentmem_tokens_holder", "subject_id", "holder"),
)

RUN_STEPS: Final = Table(
    "agentmem_run_steps",
    METADATA,
    subject(),
    Column("run_id", Text, primary_key=True),
    Column("no", Integer, primary_key=True, autoincrement=False),
    Column("agent_id", Text),
    Column("kind", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Index("agentmem_run_steps_at", "subject_id", "at"),
)

JOBS: Final = Table(
    "agentmem_jobs",
    METADATA,
    Column("job_id", ID, primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),
    Column("subject_id", ID, ForeignKey("agentmem_subjects.subject_id")),
    Column("payload", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("run_at", BigInteger, nullable=False),
    Column("lease_owner", Text),
    Column("lease_until", BigInteger),
    Column("error", Text),
    Column("created_at", BigInteger, nullable=False),
    Index("agentmem_jobs_due", "status", "run_at"),
    Index("agentmem_jobs_subject", "subject_id", "kind", "job_id"),
    sqlite_autoincrement=True,
)

SESSIONS: Final = Table(
    "agentmem_sessions",
    METADATA,
    Column("session_ref", ID, primary_key=True, autoincrement=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("title", LargeBinary),
    Column("next_seq", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("summary", LargeBinary),
    Column("summary_version", Integer),
    UniqueConstraint("tenant_id", "user_id", "session_id", name="agentmem_sessions_identity"),
    Index("agentmem_sessions_expiry", "expires_at"),
    sqlite_autoincrement=True,
)

MESSAGES: Final = Table(
    "agentmem_messages",
    METADATA,
    Column("session_ref", ID, ForeignKey("agentmem_sessions.session_ref"), primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("message_id", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    UniqueConstraint("session_ref", "message_id", name="agentmem_messages_identity"),
)

STORE_NAMESPACES: Final = Table(
    "agentmem_store_namespaces",
    METADATA,
    Column("ns_ref", ID, primary_key=True, autoincrement=True),
    Column("path", NAME, nullable=False, unique=True),
    Column("tenant_id", Text),
    Column("user_id", Text),
    Column("revision", BigInteger, nullable=False),
    Column("removal", BigInteger, nullable=False),
    Index("agentmem_store_namespaces_owner", "tenant_id", "user_id"),
    sqlite_autoincrement=True,
)

STORE_ITEMS: Final = Table(
    "agentmem_store_items",
    METADATA,
    Column("item_ref", ID, primary_key=True, autoincrement=True),
    Column("ns_ref", ID, ForeignKey("agentmem_store_namespaces.ns_ref"), nullable=False),
    Column("key", NAME, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("ttl", BigInteger),
    Column("expires_at", BigInteger),
    Column("revision", BigInteger, nullable=False),
    Column("terms", LargeBinary),
    Column("sealed", LargeBinary, nullable=False),
    UniqueConstraint("ns_ref", "key", name="agentmem_store_items_identity"),
    Index("agentmem_store_items_updated", "ns_ref", "updated_at", "key", "expires_at"),
    Index("agentmem_store_items_revision", "ns_ref", "revision"),
    Index(
        "agentmem_store_items_expiry",
        "expires_at",
        sqlite_where=text("expires_at IS NOT NULL"),
        postgresql_where=text("expires_at IS NOT NULL"),
    ),
)

STATES: Final = Table(
    "agentmem_states",
    METADATA,
    Column("state_ref", ID, primary_key=True, autoincrement=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("session_id", NAME, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("accesses", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("title", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    UniqueConstraint("tenant_id", "user_id", "session_id", name="agentmem_states_identity"),
    Index("agentmem_states_used", "tenant_id", "user_id", "last_used_at", "session_id"),
    Index("agentmem_states_expiry", "expires_at"),
    sqlite_autoincrement=True,
)

MARKS: Final = Table(  # which parts are sealed, of all users
    "agentmem_marks",
    METADATA,
    Column("part", Text, primary_key=True),
    Column("state", Text, nullable=False),
)
