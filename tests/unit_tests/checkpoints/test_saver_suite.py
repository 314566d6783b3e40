"""The public suite of checkpointers finds checkpointers that break one of its laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.testing import SaverSuite
from langchain_agentmem.testing.savers import config_of


class Folding(SQLSaver):
    """It takes threads for others that are written in other cases."""

    def put(self, config: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        place = config["configurable"]
        return super().put({"configurable": place | {"thread_id": place["thread_id"].lower()}}, *args, **kwargs)


class Cutting(SQLSaver):
    """It lists the first page only."""

    def list(self, *args: Any, **kwargs: Any) -> Iterator[CheckpointTuple]:
        return iter([it for _, it in zip(range(100), super().list(*args, **kwargs), strict=False)])


class Unfiltered(SQLSaver):
    """It knows no filter."""

    def list(self, config: Any, *, filter: Any = None, **kwargs: Any) -> Iterator[CheckpointTuple]:  # noqa: ANN401
        return super().list(config, **kwargs)


class Lossy(SQLSaver):
    """It keeps what a task wrote only where its checkpoint is there already."""

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:  # noqa: ANN401
        if super().get_tuple(config) is not None:
            super().put_writes(config, writes, task_id, task_path)


class Undying(SQLSaver):
    """It deletes nothing."""

    def delete_thread(self, thread_id: str) -> None:
        super().get_tuple(config_of(thread_id))


class Rootless(SQLSaver):
    """It copies the newest checkpoint only."""

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        super().copy_thread(source_thread_id, target_thread_id)
        super().prune([target_thread_id])


class Shallow(SQLSaver):
    """It looks no further back than the parent."""

    def get_delta_channel_history(self, *, config: Any, channels: Sequence[str]) -> Any:  # noqa: ANN401
        found = dict(super().get_delta_channel_history(config=config, channels=channels))
        return {name: {**it, "writes": it["writes"][-1:]} for name, it in found.items()}


def judge(kind: type[SQLSaver], law: str) -> None:
    with kind.from_url("sqlite://") as saver:
        getattr(SaverSuite(), law)(saver=saver, colour="sync")


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        (Folding, "test_look_alike_threads_never_mix"),
        (Undying, "test_look_alike_threads_never_mix"),
        (Undying, "test_langgraphs_suite_passes"),
        (Cutting, "test_a_listing_of_many_pages_is_whole"),
        (Unfiltered, "test_a_filter_is_exact"),
        (Unfiltered, "test_langgraphs_suite_passes"),
        (Lossy, "test_writes_may_come_before_their_checkpoint"),
        (Rootless, "test_a_copy_is_whole_and_its_own"),
        (Shallow, "test_a_history_collects_what_ancestors_wrote"),
    ],
)
def test_the_suite_finds_a_checkpointer_that_breaks_a_law(kind: type[SQLSaver], law: str) -> None:
    """A checkpointer that is wrong in one way only does not pass, and the same without its fault does."""
    judge(SQLSaver, law)
    with pytest.raises(AssertionError):
        judge(kind, law)


class TestNotOurs(SaverSuite):
    """LangGraph's own checkpointer in memory keeps every law of those capabilities that it has."""

    test_a_copy_is_whole_and_its_own = None  # type: ignore[assignment]  # how the suite is told

    @pytest.fixture
    def saver(self) -> InMemorySaver:
        return InMemorySaver()
