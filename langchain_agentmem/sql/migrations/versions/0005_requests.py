"""What users asked to forget, for turns that began before and have not ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the table of requests."""
    subject = sa.ForeignKey("agentmem_subjects.subject_id")
    op.create_table(
        "agentmem_requests",
        sa.Column("subject_id", _ID, subject, primary_key=True, autoincrement=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("agentmem_requests_expiry", "agentmem_requests", ["expires_at"])
