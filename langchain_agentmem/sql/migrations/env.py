"""Alembic runs migrations on the connection, and inside the transaction, that it is given."""

from __future__ import annotations

from alembic import context

from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.sql.sqlite import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, version_table=VERSION_TABLE
)
with context.begin_transaction():
    context.run_migrations()
