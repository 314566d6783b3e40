"""What governs memory: each piece adds its own tables and columns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add what each piece needs."""
    _add_runs()


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
