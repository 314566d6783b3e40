"""Threads, their checkpoints, and the expiry and the summary of chat sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_NAME = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add what short-term memory needs."""
    op.add_column("agentmem_sessions", sa.Column("expires_at", sa.BigInteger))
    op.add_column("agentmem_sessions", sa.Column("summary", sa.LargeBinary))
    op.add_column("agentmem_sessions", sa.Column("summary_version", sa.Integer))
    op.create_index("agentmem_sessions_expiry", "agentmem_sessions", ["expires_at"])
    _create_threads()
    _create_namespaces()
    _create_content()


def _thread() -> sa.Column[int]:
    return sa.Column(
        "thread_ref", _ID, sa.ForeignKey("agentmem_threads.thread_ref"), primary_key=True, autoincrement=False
    )


def _namespace() -> sa.Column[int]:
    return sa.Column("ns_ref", _ID, sa.ForeignKey("agentmem_namespaces.ns_ref"), primary_key=True, autoincrement=False)


def _create_threads() -> None:
    op.create_table(
        "agentmem_threads",
        sa.Column("thread_ref", _ID, primary_key=True, autoincrement=True),
        sa.Column("thread_id", _NAME, nullable=False, unique=True),
        sa.Column("tenant_id", sa.Text),
        sa.Column("user_id", sa.Text),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("next_no", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sqlite_autoincrement=True,
    )
    op.create_index("agentmem_threads_owner", "agentmem_threads", ["tenant_id", "user_id", "thread_id"])
    op.create_index("agentmem_threads_expiry", "agentmem_threads", ["expires_at"])
    op.create_table(
        "agentmem_leases",
        sa.Column("thread_id", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agentmem_thread_labels",
        sa.Column("label", sa.LargeBinary, primary_key=True),
        _thread(),
        sqlite_with_rowid=False,
    )
    op.create_index("agentmem_thread_labels_thread", "agentmem_thread_labels", ["thread_ref"])


def _create_namespaces() -> None:
    op.create_table(
        "agentmem_namespaces",
        sa.Column("ns_ref", _ID, primary_key=True, autoincrement=True),
        sa.Column("thread_ref", _ID, sa.ForeignKey("agentmem_threads.thread_ref"), nullable=False),
        sa.Column("ns", _NAME, nullable=False),
        sa.Column("head", sa.LargeBinary),
        sa.UniqueConstraint("thread_ref", "ns", name="agentmem_namespaces_identity"),
        sqlite_autoincrement=True,
    )


def _create_content() -> None:
    op.create_table(
        "agentmem_checkpoints",
        _namespace(),
        sa.Column("checkpoint_id", sa.LargeBinary, primary_key=True),
        sa.Column("parent_id", sa.LargeBinary),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agentmem_writes",
        _namespace(),
        sa.Column("checkpoint_id", sa.LargeBinary, primary_key=True),
        sa.Column("task_id", sa.LargeBinary, primary_key=True),
        sa.Column("idx", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("task_path", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agentmem_items",
        _thread(),
        sa.Column("no", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
