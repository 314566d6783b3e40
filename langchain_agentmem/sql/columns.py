"""What the tables share: their register, and columns that point at others."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, Text

METADATA: Final = MetaData()

ID: Final = BigInteger().with_variant(Integer, "sqlite")  # SQLite auto-increments INTEGER only
NAME: Final = Text().with_variant(Text(collation="C"), "postgresql")  # in the order of code points, by their index


def subject() -> Column[int]:
    """Return the column of whose a row is, a part of its key."""
    return Column("subject_id", ID, ForeignKey("agentmem_subjects.subject_id"), primary_key=True, autoincrement=False)


def thread() -> Column[int]:
    """Return the column of the thread a row belongs to, a part of its key."""
    return Column("thread_ref", ID, ForeignKey("agentmem_threads.thread_ref"), primary_key=True, autoincrement=False)


def namespace() -> Column[int]:
    """Return the column of the namespace of a thread, a part of its key."""
    return Column("ns_ref", ID, ForeignKey("agentmem_namespaces.ns_ref"), primary_key=True, autoincrement=False)
