"""What a process that has no view of a user's memories yet begins with: the view of one that had."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the table of snapshots; views of databases that are there already are kept as they are next built."""
    subject = sa.ForeignKey("agentmem_subjects.subject_id")
    op.create_table(
        "agentmem_snapshots",
        sa.Column("subject_id", _ID, subject, primary_key=True, autoincrement=False),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
