"""What governance adds: legal holds and erasures that are going on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what each part of governance needs."""
    _add_privacy()


def _add_privacy() -> None:
    """Add to each subject whether a legal hold stands, and whether it is being erased."""
    for name in ("is_held", "is_erasing"):
        op.add_column("agentmem_subjects", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
