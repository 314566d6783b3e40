"""The tables of LangGraph's threads; see `schema`."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text, UniqueConstraint

from langchain_agentmem.sql.columns import ID, METADATA, NAME, namespace, thread

THREADS: Final = Table(
    "agentmem_threads",
    METADATA,
    Column("thread_ref", ID, primary_key=True, autoincrement=True),
    Column("thread_id", NAME, nullable=False, unique=True),
    Column("tenant_id", Text),
    Column("user_id", Text),
    Column("generation", BigInteger, nullable=False),
    Column("next_no", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Index("agentmem_threads_owner", "tenant_id", "user_id", "thread_id"),
    Index("agentmem_threads_expiry", "expires_at"),
    sqlite_autoincrement=True,
)

LEASES: Final = Table(
    "agentmem_leases",
    METADATA,
    Column("thread_id", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

THREAD_LABELS: Final = Table(
    "agentmem_thread_labels",
    METADATA,
    Column("label", LargeBinary, primary_key=True),
    thread(),
    Index("agentmem_thread_labels_thread", "thread_ref"),
    sqlite_with_rowid=False,
)

NAMESPACES: Final = Table(
    "agentmem_namespaces",
    METADATA,
    Column("ns_ref", ID, primary_key=True, autoincrement=True),
    Column("thread_ref", ID, ForeignKey("agentmem_threads.thread_ref"), nullable=False),
    Column("ns", NAME, nullable=False),
    Column("head", LargeBinary),
    UniqueConstraint("thread_ref", "ns", name="agentmem_namespaces_identity"),
    sqlite_autoincrement=True,
)

CHECKPOINTS: Final = Table(
    "agentmem_checkpoints",
    METADATA,
    namespace(),
    Column("checkpoint_id", LargeBinary, primary_key=True),
    Column("parent_id", LargeBinary),
    Column("sealed", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

WRITES: Final = Table(
    "agentmem_writes",
    METADATA,
    namespace(),
    Column("checkpoint_id", LargeBinary, primary_key=True),
    Column("task_id", LargeBinary, primary_key=True),
    Column("idx", Integer, primary_key=True, autoincrement=False),
    Column("task_path", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

ITEMS: Final = Table(
    "agentmem_items",
    METADATA,
    thread(),
    Column("no", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
