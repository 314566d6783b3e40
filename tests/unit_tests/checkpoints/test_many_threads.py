"""What is decided about many threads, or about copied ones, without a database."""

from __future__ import annotations

import pytest

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoints.base import ThreadState
from langchain_agentmem.checkpoints.damaged import each_thread
from langchain_agentmem.checkpoints.heads import _Heads
from langchain_agentmem.checkpoints.known import Known
from langchain_agentmem.errors import ConflictError, IntegrityError, LostKeysError, StorageError

SETTING = SQLSaver.from_url("sqlite://")._setting


def test_the_first_error_of_many_threads_is_raised_at_their_end() -> None:
    """Of its own kind, and naming no more threads than can be read."""
    done: list[str] = []

    def fail(thread_id: str) -> Flow[None]:
        yield from ()
        done.append(thread_id)
        raise LostKeysError(thread_id) if thread_id == "00" else IntegrityError(thread_id)

    names = [f"{number:02}" for number in range(12)]
    with pytest.raises(LostKeysError, match=r"^00 \(threads that cannot be read: '00', .*'09' and 2 more; all others"):
        run(each_thread(names, fail))
    assert done == names


def test_another_error_than_damage_ends_it_at_once() -> None:
    """A database that is away is so for every thread."""
    done: list[str] = []

    def fail(thread_id: str) -> Flow[None]:
        yield from ()
        done.append(thread_id)
        msg = "away"
        raise StorageError(msg, is_retryable=True)

    with pytest.raises(StorageError, match="away"):
        run(each_thread(["a", "b"], fail))
    assert done == ["a"]


def test_a_thread_that_went_while_it_was_copied_is_not_begun() -> None:
    """Setting its heads is refused, and can be repeated."""
    draft = _Heads(seal=run(SETTING.seal("t")), known=Known(), wanted={"": "1"}, among={("", "2")})
    with pytest.raises(ConflictError, match="deleted while it was copied") as caught:
        draft.build(ThreadState(is_new=True), ())
    assert caught.value.is_retryable


@pytest.mark.parametrize(("head", "moved"), [("2", {"": "1"}), ("3", {}), ("1", {})])
def test_a_head_is_moved_only_from_what_was_copied(head: str, moved: dict[str, str]) -> None:
    """On the very state that the change is applied to."""
    draft = _Heads(seal=run(SETTING.seal("t")), known=Known(), wanted={"": "1"}, among={("", "2"), ("", "1")})
    assert draft.build(ThreadState(heads={"": head}), ()).heads == moved
