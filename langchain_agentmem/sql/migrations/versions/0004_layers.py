"""What the other layers keep: working states."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_NAME = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables of the layers beside conversations and long-term memory."""
    _create_states()


def _create_states() -> None:
    op.create_table(
        "agentmem_states",
        sa.Column("state_ref", _ID, primary_key=True, autoincrement=True),
        sa.Column("tenant_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("session_id", _NAME, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("accesses", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("title", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("tenant_id", "user_id", "session_id", name="agentmem_states_identity"),
        sqlite_autoincrement=True,
    )
    listed = ["tenant_id", "user_id", "last_used_at", "session_id"]
    op.create_index("agentmem_states_used", "agentmem_states", listed)
    op.create_index("agentmem_states_expiry", "agentmem_states", ["expires_at"])
