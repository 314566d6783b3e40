from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoints.sql import SQLThreads, rows
from langchain_agentmem.checkpoints.sql.ids import pack, unpack
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sql.engine import Database
from tests.contracts.sql_threads_contract import SQLThreadsContract
from tests.threads import Put, put

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
IDS = st.one_of(
    TEXT, st.uuids().map(str), st.uuids().map(lambda it: str(it).upper()), st.uuids().map(lambda it: it.hex)
)


class TestSQLThreads(SQLThreadsContract):
    """The contract on SQLite."""


@given(IDS)
def test_an_id_is_packed_and_unpacked(text: str) -> None:
    """Whatever it looks like, the same text comes back."""
    assert unpack(pack(text)) == text


@given(st.one_of(st.tuples(TEXT, TEXT), st.tuples(st.uuids().map(str), st.uuids().map(str))))
def test_packed_ids_are_in_the_order_of_their_text(pair: tuple[str, str]) -> None:
    """UUIDs among themselves, and all others among themselves."""
    one, two = pair
    assert (pack(one) < pack(two)) == (one < two)


def test_a_thread_that_others_keep_deleting_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loses every race to begin a thread is told to try again."""

    class Never:
        def rows(self, *_: object) -> list[object]:
            return []

    monkeypatch.setattr(rows, "BEGIN", Never())
    with pytest.raises(StorageError, match="retry") as caught:
        run(put(SQLThreads(Database("sqlite://")), Put("1")))
    assert caught.value.is_retryable


def test_a_deleted_thread_is_in_no_file(tmp_path: Path) -> None:
    """Neither the database nor its write-ahead log holds what a thread held."""
    threads = SQLThreads(Database(f"sqlite:///{tmp_path / 'agent.db'}"))
    run(put(threads, Put("1", [b"the needle " * 900])))
    run(threads.delete("t"))
    assert not any(b"needle" in file.read_bytes() for file in tmp_path.iterdir())
    threads.database.close()
