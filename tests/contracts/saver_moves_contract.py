"""What our checkpointers promise of many threads: a moved one stands where it stood, a damaged one stops no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem import transfer
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.base import Change, CheckpointRow
from langchain_agentmem.errors import IntegrityError, ScopeError
from langchain_agentmem.testing.savers import config_of, made
from langchain_agentmem.types import Scope
from langchain_agentmem.vault import SubjectVault
from tests.conftest import Call
from tests.contracts.transfer_contract import Saver
from tests.savers import Open, listed
from tests.threads import NOW, Apply
from tests.vaults import MemoryKeys

NAMES = ("a", "b", "c")
METADATA = {"run_id": "r", "source": "loop", "step": 1}


def named(checkpoint_id: str) -> Checkpoint:
    """A checkpoint of that id, whatever the time is."""
    return {**made({"a": checkpoint_id}), "id": checkpoint_id}


async def branched(saver: Saver, call: Call, ns: str = "") -> None:
    """Put a branch, on purpose, by a machine whose clock is behind that of the first branch."""
    beginning = await call(saver, "put", config_of(ns=ns), named("2"), {}, {"a": "1"})
    await call(saver, "put", beginning, named("3"), {}, {"a": "1"})
    found = await call(saver, "get_tuple", beginning)
    await call(saver, "put", found.config, named("1"), {}, {"a": "1"})


async def stands_at(saver: Saver, call: Call, thread_id: str = "t", ns: str = "") -> str:
    found = await call(saver, "get_tuple", config_of(thread_id, ns=ns))
    at: str = found.checkpoint["id"]
    return at


async def three_threads(saver: StoredSaver, call: Call) -> None:
    """Put threads of two checkpoints, and damage the one in the middle."""
    for name in NAMES:
        first = await call(saver, "put", config_of(name), named("1"), METADATA, {"a": "1"})
        await call(saver, "put", first, named("2"), {**METADATA, "run_id": "another"}, {"a": "1"})
    junk = [CheckpointRow("", it, None, b"junk") for it in ("1", "2")]
    run(saver._setting.threads.change("b", Apply(Change(checkpoints=junk)), at=NOW, expires_at=None))


async def ids_of(saver: StoredSaver, call: Call, names: Sequence[str] = ("a", "c")) -> list[list[str]]:
    return [[it.id for it in await call(saver, "history", name)] for name in names]


class SaverMovesContract:
    """Laws of every checkpointer."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()

    async def test_a_moved_thread_stands_where_it_stood(self, saver: StoredSaver, call: Call, tmp_path: Path) -> None:
        """In each namespace, whatever the ids say, by a file and by a copy, there and back."""
        for ns in ("", "sub"):
            await branched(saver, call, ns)
        await call(transfer, "export_thread", saver, "t", tmp_path / "t.jsonl")
        await call(transfer, "import_thread", saver, tmp_path / "t.jsonl", thread_id="i")
        with SQLSaver.from_url("sqlite://") as other:
            await call(transfer, "copy_checkpoints", saver, other, ["t"])
            await call(saver, "delete_thread", "t")
            await call(transfer, "copy_checkpoints", other, saver, ["t"])
            places = [(saver, "i"), (other, "t"), (saver, "t")]
            found = [await stands_at(it, call, name, ns) for it, name in places for ns in ("", "sub")]
        assert found == ["1"] * 6

    async def test_a_copy_from_elsewhere_stands_where_its_source_stands(self, saver: StoredSaver, call: Call) -> None:
        """LangGraph's checkpointers go by the largest id, also where something was put on top of it since."""
        source = InMemorySaver()
        above = await call(source, "put", config_of(), named("2"), {}, {"a": "1"})
        await call(source, "put", above, named("1"), {}, {"a": "1"})
        await call(transfer, "copy_checkpoints", source, saver)
        assert await stands_at(saver, call) == await stands_at(source, call) == "2"

    async def test_whoever_went_on_in_the_target_keeps_the_head(self, saver: StoredSaver, call: Call) -> None:
        """What was put while a thread was copied is not among what was copied; no thread is begun by it."""
        await branched(saver, call)
        for among, stands in (({("", "2")}, "1"), ({("", "1")}, "2"), ({("", "1")}, "2")):
            run(flows_of(saver).set_heads("t", {"": "2", "none": "1"}, among))
            assert await stands_at(saver, call) == stands
        run(flows_of(saver).set_heads("u", {"": "2"}, {("", "1")}))
        assert [it.thread_id for it in await call(saver, "threads")] == ["t"]

    async def test_copying_refuses_a_damaged_thread_alone(self, saver: StoredSaver, call: Call) -> None:
        """The others are copied; one that was bound and has not begun is no thread to copy."""
        await three_threads(saver, call)
        await call(saver, "bind", "bound", scope=Scope("alice"))
        with SQLSaver.from_url("sqlite://") as target:
            done = await call(transfer, "copy_checkpoints", saver, target)
            assert (done.threads, done.found, done.added) == (2, 4, 4)
            assert [(it.thread_id, "b" in it.reason) for it in done.refused] == [("b", True)]
            assert [it.thread_id for it in await call(target, "threads")] == ["a", "c"]

    async def test_copying_all_threads_leaves_out_what_is_nobodys_under_a_vault(
        self, open_saver: Open, call: Call
    ) -> None:
        """It holds nothing that could be read, as no listing of all threads has it."""
        saver = open_saver(vault=SubjectVault(MemoryKeys()))
        await call(saver, "put", config_of("a", user_id="alice"), named("1"), {}, {"a": "1"})
        row = CheckpointRow("", "1", None, b"junk")
        run(saver._setting.threads.change("b", Apply(Change(checkpoints=[row])), at=NOW, expires_at=None))
        done = await call(transfer, "copy_checkpoints", saver, InMemorySaver())
        assert (done.threads, done.found, done.refused) == (1, 1, ())

    async def test_copying_to_a_damaged_thread_leaves_it_as_it_is(self, saver: StoredSaver, call: Call) -> None:
        """It is refused, not taken away, and the others are copied."""
        await three_threads(saver, call)
        await call(saver, "delete_thread", "c")
        source = InMemorySaver()
        for name in NAMES:
            first = await call(source, "put", config_of(name), named("1"), METADATA, {"a": "1"})
            await call(source, "put", first, named("2"), METADATA, {"a": "1"})
        done = await call(transfer, "copy_checkpoints", source, saver)
        assert (done.threads, done.found, [it.thread_id for it in done.refused]) == (2, 6, ["b"])
        assert [it.thread_id for it in await call(saver, "threads")] == ["a", "b", "c"]

    async def test_a_listing_of_all_threads_tells_of_a_damaged_one_at_its_end(
        self, saver: StoredSaver, call: Call
    ) -> None:
        """All others come before the error, which names it."""
        await three_threads(saver, call)
        seen: list[str] = []

        def note(it: CheckpointTuple) -> None:
            seen.append(it.config["configurable"]["thread_id"])

        async def walk(limit: int | None = None) -> None:
            if call.colour == "sync":
                for it in saver.list(None, limit=limit):
                    note(it)
            else:
                async for it in saver.alist(None, limit=limit):
                    note(it)

        with pytest.raises(IntegrityError, match=r"cannot be read: 'b'; all others come before"):
            await walk()
        assert seen == ["a", "a", "c", "c"]
        await walk(2)
        assert seen[4:] == ["a", "a"]
        with pytest.raises(IntegrityError):
            await listed(call.colour, saver, config_of("b"))

    @pytest.mark.parametrize(("name", "asked"), [("delete_for_runs", ["r"]), ("prune", NAMES)])
    async def test_what_is_removed_is_removed_from_all_threads_but_a_damaged_one(
        self, name: str, asked: Sequence[str], saver: StoredSaver, call: Call
    ) -> None:
        """The error comes last, and says which it was."""
        await three_threads(saver, call)
        with pytest.raises(IntegrityError, match="cannot be read: 'b'; all others that were asked for are done"):
            await call(saver, name, list(asked))
        assert await ids_of(saver, call) == [["2"], ["2"]]
        await call(saver, "prune", ["b"], strategy="delete")
        await call(saver, name, list(asked))

    async def test_another_users_thread_is_refused_before_it_is_opened(self, open_saver: Open, call: Call) -> None:
        """Under a vault the error speaks of whose it is, in whatever way it is asked for, and not of keys."""
        saver = open_saver(vault=SubjectVault(MemoryKeys()))
        first: RunnableConfig = await call(saver, "put", config_of(user_id="alice"), named("1"), {}, {"a": "1"})
        await call(saver, "put", first, named("2"), {}, {"a": "1"})
        bobs, on_top = config_of(user_id="bob"), config_of(checkpoint_id="2", user_id="bob")
        calls: list[tuple[Any, ...]] = [("get_tuple", bobs), ("put", on_top, named("3"), {}, {})]
        for name, *args in calls:
            saver._setting.cache.forget("t")
            with pytest.raises(ScopeError, match="another user"):
                await call(saver, name, *args)
        for config in (bobs, on_top):
            with pytest.raises(ScopeError, match="another user"):
                await call(saver, "get_delta_channel_history", config=config, channels=["a"])
