"""What moving working states promises, from any store to any other: a fixture `source`, a fixture `target`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from langchain_agentmem import IntegrityError, Scope, transfer
from langchain_agentmem.transfer import WorkingTransfer
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.working.service import WorkingMemory
from tests.conftest import Call

Move: TypeAlias = Callable[..., Any]
ALICE, BOB, VISITOR = Scope("alice"), Scope("bob"), Scope.anonymous("s1")
ENTRIES = {
    "goal": "Größe 🚀",
    "phase": "acting",
    "add_completed": ["one", "two"],
    "set_results": {"n": [1, {"a": None}]},
}


def in_session(session_id: str, scope: Scope = ALICE) -> Scope:
    return replace(scope, session_id=session_id)


def content(state: WorkingState | None) -> WorkingState | None:
    return None if state is None else replace(state, version=0, started_at=None, updated_at=None)


async def fill(working: WorkingMemory, call: Call) -> None:
    """Three tasks of Alice's, and one each of Bob's and a visitor's in conversations of the same name."""
    for name in ("s1", "s2", "s3"):
        await call(working, "update", in_session(name), note=f"alice in {name}", **ENTRIES)
    for scope in (in_session("s1", BOB), VISITOR):
        await call(working, "update", scope, goal="another's")


class WorkingTransferContract:
    """Laws of `copy_working`, `export_working` and `import_working`."""

    @pytest.fixture(params=["copy", "file"])
    def move(self, request: pytest.FixtureRequest, call: Call, tmp_path: Path) -> Move:
        async def by_copy(source: WorkingMemory, target: WorkingMemory, scope: Scope, **more: Any) -> WorkingTransfer:
            done: WorkingTransfer = await call(transfer, "copy_working", source, target, scope=scope, **more)
            return done

        async def by_file(source: WorkingMemory, target: WorkingMemory, scope: Scope, **more: Any) -> WorkingTransfer:
            file = tmp_path / "working.jsonl"
            await call(transfer, "export_working", source, file, scope=scope, sealed=False)  # either may have no vault
            done: WorkingTransfer = await call(transfer, "import_working", target, file, scope=scope, **more)
            return done

        return by_copy if request.param == "copy" else by_file

    async def test_all_of_a_user_is_moved_and_nothing_of_others(
        self, source: WorkingMemory, target: WorkingMemory, move: Move, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every state as it was, in the order in which they were changed; a second run adds nothing."""
        monkeypatch.setattr("langchain_agentmem.transfer.working.MAX_LIMIT", 2)
        await fill(source, call)
        before = await call(source, "sessions", ALICE)
        assert await move(source, target, ALICE, dry_run=True) == WorkingTransfer(found=3, added=3, dry_run=True)
        assert not await call(target, "sessions", ALICE)
        assert await move(source, target, ALICE) == WorkingTransfer(found=3, added=3)
        assert await move(source, target, ALICE) == WorkingTransfer(found=3, present=3)
        for name in ("s1", "s2", "s3"):
            there, here = [await call(it, "get", in_session(name)) for it in (source, target)]
            assert content(here) == content(there)
            assert (here.version, here.scratchpad) == (1, f"alice in {name}")
        assert [it.session_id for it in await call(target, "sessions", ALICE)] == ["s3", "s2", "s1"]
        assert await call(target, "get", in_session("s1", BOB)) is await call(target, "get", VISITOR) is None
        assert [it.version for it in await call(source, "sessions", ALICE)] == [it.version for it in before]

    async def test_a_task_that_went_on_elsewhere_stays_as_it_is_there(
        self, source: WorkingMemory, target: WorkingMemory, move: Move, call: Call
    ) -> None:
        """It is named in the account; the others are moved."""
        await fill(source, call)
        await call(target, "update", in_session("s2"), goal="My own")
        done = await move(source, target, ALICE)
        assert (done.found, done.added, done.refused) == (3, 2, ("s2",))
        assert (await call(target, "get", in_session("s2"))).goal == "My own"

    async def test_a_visitors_task_is_that_of_one_conversation(
        self, source: WorkingMemory, target: WorkingMemory, move: Move, call: Call, tmp_path: Path
    ) -> None:
        """It is moved alone, and a file of others gives a visitor nothing."""
        await fill(source, call)
        assert await move(source, target, VISITOR) == WorkingTransfer(found=1, added=1)
        assert (await call(target, "get", VISITOR)).goal == "another's"
        await call(transfer, "export_working", source, tmp_path / "alice.jsonl", scope=ALICE, sealed=False)
        elsewhere = Scope.anonymous("elsewhere")
        done = await call(transfer, "import_working", target, tmp_path / "alice.jsonl", scope=elsewhere)
        assert (done.added, done.refused) == (0, ("s1", "s2", "s3"))

    async def test_a_file_that_is_not_whole_is_refused_whole(
        self, source: WorkingMemory, target: WorkingMemory, call: Call, tmp_path: Path
    ) -> None:
        """Cut off, changed, or of something else: nothing of it is put."""
        await fill(source, call)
        file = tmp_path / "working.jsonl"
        await call(transfer, "export_working", source, file, scope=ALICE, sealed=False)
        whole = file.read_bytes()
        lines = whole.splitlines(keepends=True)
        for spoilt in (b"", b"{}", b"".join(lines[:-1]), whole.replace(b"acting", b"idling"), b"".join(lines[::-1])):
            file.write_bytes(spoilt)
            with pytest.raises(IntegrityError, match=r"line .* is damaged"):
                await call(transfer, "import_working", target, file, scope=ALICE)
        assert not await call(target, "sessions", ALICE)
