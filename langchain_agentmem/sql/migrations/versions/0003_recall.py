"""Episodes of conversations, items of LangGraph's store, and jobs found by their user."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_NAME = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add what recall over conversations needs."""
    op.add_column("agentmem_subjects", sa.Column("episode_revision", sa.BigInteger, nullable=False, server_default="0"))
    op.create_index("agentmem_jobs_subject", "agentmem_jobs", ["subject_id", "kind", "job_id"])
    _create_episodes()
    _create_store()


def _subject() -> sa.Column[int]:
    return sa.Column(
        "subject_id", _ID, sa.ForeignKey("agentmem_subjects.subject_id"), primary_key=True, autoincrement=False
    )


def _create_episodes() -> None:
    op.create_table(
        "agentmem_episodes",
        _subject(),
        sa.Column("episode_id", sa.Text, primary_key=True),
        sa.Column("agent_id", sa.Text),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("event_seq", sa.BigInteger, nullable=False),
        sa.Column("session_ref", sa.BigInteger),
        sa.Column("is_gone", sa.Integer, nullable=False),
        sa.Column("claims", sa.LargeBinary, nullable=False),
        sa.Column("updates", sa.LargeBinary, nullable=False),
        sa.Column("terms", sa.LargeBinary, nullable=False),
        sa.Column("pairs", sa.LargeBinary, nullable=False),
        sa.Column("reply_terms", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_episodes_revision", "agentmem_episodes", ["subject_id", "revision"])
    op.create_index("agentmem_episodes_session", "agentmem_episodes", ["subject_id", "session_id", "place"])
    op.create_index("agentmem_episodes_history", "agentmem_episodes", ["session_ref", "place"])
    op.create_index("agentmem_episodes_expiry", "agentmem_episodes", ["expires_at"])


def _create_store() -> None:
    op.create_table(
        "agentmem_store_namespaces",
        sa.Column("ns_ref", _ID, primary_key=True, autoincrement=True),
        sa.Column("path", _NAME, nullable=False, unique=True),
        sa.Column("tenant_id", sa.Text),
        sa.Column("user_id", sa.Text),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("removal", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("agentmem_store_namespaces_owner", "agentmem_store_namespaces", ["tenant_id", "user_id"])
    op.create_table(
        "agentmem_store_items",
        sa.Column("item_ref", _ID, primary_key=True, autoincrement=True),
        sa.Column("ns_ref", _ID, sa.ForeignKey("agentmem_store_namespaces.ns_ref"), nullable=False),
        sa.Column("key", _NAME, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("ttl", sa.BigInteger),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("terms", sa.LargeBinary),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("ns_ref", "key", name="agentmem_store_items_identity"),
    )
    listed = ["ns_ref", "updated_at", "key", "expires_at"]
    op.create_index("agentmem_store_items_updated", "agentmem_store_items", listed)
    op.create_index("agentmem_store_items_revision", "agentmem_store_items", ["ns_ref", "revision"])
    is_limited = sa.text("expires_at IS NOT NULL")
    op.create_index(
        "agentmem_store_items_expiry",
        "agentmem_store_items",
        ["expires_at"],
        sqlite_where=is_limited,
        postgresql_where=is_limited,
    )
