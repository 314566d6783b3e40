"""The first schema: subjects, the log, its projections, jobs and chat sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _subject() -> sa.Column[int]:
    return sa.Column(
        "subject_id", _ID, sa.ForeignKey("agentmem_subjects.subject_id"), primary_key=True, autoincrement=False
    )


def upgrade() -> None:
    """Create every table."""
    _create_log()
    _create_projections()
    _create_search()
    _create_recall()
    _create_jobs()
    _create_sessions()


def _create_log() -> None:
    op.create_table(
        "agentmem_subjects",
        sa.Column("subject_id", _ID, primary_key=True, autoincrement=True),
        sa.Column("tenant_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("genesis_salt", sa.LargeBinary),
        sa.Column("genesis", sa.LargeBinary, nullable=False),
        sa.Column("head_seq", sa.BigInteger, nullable=False),
        sa.Column("head_digest", sa.LargeBinary, nullable=False),
        sa.Column("head_mac", sa.LargeBinary),
        sa.Column("consent_status", sa.Text, nullable=False),
        sa.Column("consent_purposes", sa.Text, nullable=False),
        sa.Column("consent_at", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("tenant_id", "user_id", name="agentmem_subjects_identity"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "agentmem_events",
        _subject(),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("memory_id", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("commitment", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_events_memory", "agentmem_events", ["subject_id", "memory_id", "seq"])
    op.create_table(
        "agentmem_payloads",
        _subject(),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )


def _create_projections() -> None:
    op.create_table(
        "agentmem_memories",
        _subject(),
        sa.Column("memory_id", sa.Text, primary_key=True),
        sa.Column("agent_id", sa.Text),
        sa.Column("session_id", sa.Text),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("confidence", sa.Float(53), nullable=False),
        sa.Column("importance", sa.Float(53), nullable=False),
        sa.Column("trust", sa.Float(53), nullable=False),
        sa.Column("pinned", sa.Integer, nullable=False),
        sa.Column("sightings", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("valid_at", sa.BigInteger),
        sa.Column("invalid_at", sa.BigInteger),
        sa.Column("expired_at", sa.BigInteger),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("terms", sa.LargeBinary, nullable=False),
        sa.Column("labels", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_memories_revision", "agentmem_memories", ["subject_id", "revision"])
    op.create_index("agentmem_memories_session", "agentmem_memories", ["subject_id", "session_id"])
    op.create_index("agentmem_memories_kind", "agentmem_memories", ["subject_id", "kind", "status"])


def _create_search() -> None:
    op.create_table(
        "agentmem_vectors",
        _subject(),
        sa.Column("memory_id", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "agentmem_models",
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("is_current", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    only_current = sa.text("is_current = 1")
    op.create_index(
        "agentmem_models_current",
        "agentmem_models",
        ["is_current"],
        unique=True,
        sqlite_where=only_current,
        postgresql_where=only_current,
    )


def _create_recall() -> None:
    op.create_table(
        "agentmem_access",
        _subject(),
        sa.Column("memory_id", sa.Text, primary_key=True),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("last_used_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "agentmem_receipts",
        _subject(),
        sa.Column("receipt_id", sa.Text, primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_receipts_at", "agentmem_receipts", ["subject_id", "at"])


def _create_jobs() -> None:
    op.create_table(
        "agentmem_jobs",
        sa.Column("job_id", _ID, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject_id", _ID, sa.ForeignKey("agentmem_subjects.subject_id")),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("run_at", sa.BigInteger, nullable=False),
        sa.Column("lease_owner", sa.Text),
        sa.Column("lease_until", sa.BigInteger),
        sa.Column("error", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("agentmem_jobs_due", "agentmem_jobs", ["status", "run_at"])


def _create_sessions() -> None:
    op.create_table(
        "agentmem_sessions",
        sa.Column("session_ref", _ID, primary_key=True, autoincrement=True),
        sa.Column("tenant_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("title", sa.LargeBinary),
        sa.Column("next_seq", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("tenant_id", "user_id", "session_id", name="agentmem_sessions_identity"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "agentmem_messages",
        sa.Column(
            "session_ref", _ID, sa.ForeignKey("agentmem_sessions.session_ref"), primary_key=True, autoincrement=False
        ),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("session_ref", "message_id", name="agentmem_messages_identity"),
    )
