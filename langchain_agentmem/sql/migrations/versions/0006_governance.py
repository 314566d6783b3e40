"""What governance adds: holds, erasures, values that tokens stand for, steps of runs, and marks of what is sealed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add what each part of governance needs."""
    _add_privacy()
    _add_sensitive()
    _add_runs()
    _add_vault()


def _add_privacy() -> None:
    """Add to each subject whether a legal hold stands, and whether it is being erased."""
    for name in ("is_held", "is_erasing"):
        op.add_column("agentmem_subjects", sa.Column(name, sa.Integer, nullable=False, server_default="0"))


def _add_sensitive() -> None:
    """Add the table of values that tokens stand for."""
    subject = sa.ForeignKey("agentmem_subjects.subject_id")
    op.create_table(
        "agentmem_tokens",
        sa.Column("subject_id", _ID, subject, primary_key=True, autoincrement=False),
        sa.Column("token", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, primary_key=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_tokens_holder", "agentmem_tokens", ["subject_id", "holder"])


def _add_runs() -> None:
    """Add the table of the steps of agents' runs."""
    subject = sa.ForeignKey("agentmem_subjects.subject_id")
    op.create_table(
        "agentmem_run_steps",
        sa.Column("subject_id", _ID, subject, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("agent_id", sa.Text),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_run_steps_at", "agentmem_run_steps", ["subject_id", "at"])


def _add_vault() -> None:
    """Add the table that says which parts are sealed."""
    op.create_table(
        "agentmem_marks", sa.Column("part", sa.Text, primary_key=True), sa.Column("state", sa.Text, nullable=False)
    )
