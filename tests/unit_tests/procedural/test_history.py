"""The commits of a record are found by its name, whatever became of its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from dulwich import porcelain
from dulwich.object_store import commit_tree_changes
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.repo import Repo

from langchain_agentmem.errors import ConflictError
from langchain_agentmem.procedural.service import ProceduralMemory
from tests.conftest import Call
from tests.unit_tests.procedural.conftest import AUTHOR, Open, policy, put, skill
from tests.unit_tests.procedural.test_documents import POLICY

Made: TypeAlias = Callable[..., ObjectID]
OLD: Final = "policies/old.yaml"
NEW: Final = "policies/new.yaml"


def said(version: int, name: str = "staging-first") -> bytes:
    """The file of a policy, in some version."""
    return POLICY.replace(b"staging-first", name.encode()) + b"version: %d\n" % version


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repo]:
    with Repo.init_bare(str(tmp_path / "bare.git"), mkdir=True) as repo:
        yield repo


@pytest.fixture
def commit(repo: Repo) -> Made:
    """Commit files, `None` where one is to be gone, on top of other commits, at some time of somebody's clock."""

    def make(message: str, files: Mapping[str, bytes | None], *parents: ObjectID, at: int = 1_000) -> ObjectID:
        blobs = {path: None if raw is None else Blob.from_string(raw) for path, raw in files.items()}
        for blob in filter(None, blobs.values()):
            repo.object_store.add_object(blob)
        changes = [(it.encode(), None if blob is None else 0o100644, blob and blob.id) for it, blob in blobs.items()]
        commit, base = Commit(), repo.object_store[parents[0]].tree if parents else Tree()
        commit.tree, commit.parents = commit_tree_changes(repo.object_store, base, changes), list(parents)
        commit.author = commit.committer = AUTHOR
        commit.author_time = commit.commit_time = at
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = message.encode()
        repo.object_store.add_object(commit)
        repo.refs[b"HEAD"] = commit.id
        return commit.id

    return make


@pytest.fixture
def memory(opened: Open, repo: Repo) -> ProceduralMemory:
    return opened(Path(repo.path)).procedural


async def test_a_renamed_file_keeps_its_history(memory: ProceduralMemory, commit: Made, call: Call) -> None:
    """Also where it was changed in the same commit; its earlier versions can be compared and brought back."""
    first = commit("one", {OLD: said(1)})
    commit("moved", {OLD: None, NEW: said(2) + b"rationale: because\n"}, first)
    found = await call(memory, "history", "staging-first")
    assert [(it.version, it.message) for it in found] == [(2, "moved"), (1, "one")]
    assert "+rationale: because" in await call(memory, "diff", "staging-first", 1)
    back = await call(memory, "rollback", "staging-first", 1)
    assert (back.version, back.rationale, memory.problems()) == (3, "", ())


def test_a_file_that_became_another_record_is_none_of_its_history(memory: ProceduralMemory, commit: Made) -> None:
    """Each name has its own commits, though both were in one file."""
    first = commit("one", {OLD: said(1)})
    commit("renamed", {OLD: said(1, "other")}, first)
    assert [it.message for it in memory.history("other")] == ["renamed"]
    assert [(it.message, it.version) for it in memory.history("staging-first")] == [("renamed", None), ("one", 1)]


async def test_a_deleted_record_is_brought_back(memory: ProceduralMemory, commit: Made, call: Call) -> None:
    """Whatever its file was called."""
    first = commit("one", {OLD: said(1), NEW: said(1, "other")})
    commit("gone", {OLD: None}, first)
    assert [it.message for it in await call(memory, "history", "staging-first")] == ["gone", "one"]
    assert (await call(memory, "rollback", "staging-first", 1)).version == 2
    assert {it.name for it in memory.policies()} >= {"staging-first", "other"}


def test_no_commit_comes_before_those_after_it(memory: ProceduralMemory, commit: Made) -> None:
    """Whatever clocks said, also where branches met."""
    first = commit("one", {OLD: said(1)}, at=3_000)
    side = commit("two", {OLD: said(2)}, first, at=2_000)
    main = commit("beside", {NEW: said(1, "other")}, first, at=2_500)
    commit("merge", {OLD: said(2)}, main, side, at=1_000)
    assert [it.message for it in memory.history("staging-first")] == ["two", "one"]
    assert "+version: 2" in memory.diff("staging-first", 1)


def test_a_branch_that_was_given_up_in_a_merge_is_not_followed(memory: ProceduralMemory, commit: Made) -> None:
    """The last version is the one in force, and not that of a branch of which nothing was taken."""
    first = commit("one", {OLD: said(1)})
    main = commit("ours", {OLD: said(2)}, first)
    side = commit("theirs", {OLD: said(3)}, first)
    commit("merge", {}, main, side)
    assert [it.message for it in memory.history("staging-first")] == ["ours", "one"]
    both = commit("both", {OLD: said(4)}, main, side)
    assert memory.history("staging-first")[0].commit == both.decode()
    assert {it.message for it in memory.history("staging-first")} == {"both", "ours", "theirs", "one"}


def test_a_file_of_another_record_is_not_saved_over(opened: Open, folder: Path) -> None:
    """A file may be called like a record that is new: what is in it stays in force."""
    put(folder, "policies/other.yaml", (folder / "policies/staging-first.yaml").read_bytes())
    (folder / "policies/staging-first.yaml").unlink()
    memory = opened(folder).procedural
    new = memory.policy("staging-first").model_copy(update={"name": "other"})
    with pytest.raises(ConflictError, match=r"is the file of 'staging-first'; rename it"):
        memory.save(new)
    assert memory.policy("staging-first").version == 1
    memory.save(skill("other-skill"))


def test_lines_that_end_otherwise_are_no_change(opened: Open, folder: Path) -> None:
    """Where git writes files with the ends of lines of Windows, they can be saved."""
    file = folder / "policies/staging-first.yaml"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    memory = opened(folder).procedural
    saved = memory.save(memory.policy("staging-first").model_copy(update={"rationale": "because"}))
    assert (saved.version, memory.policy("staging-first").rationale) == (2, "because")


async def test_a_number_is_given_once(opened: Open, folder: Path, call: Call) -> None:
    """What is saved after its file was removed is a new version: the old number says what it said."""
    memory = opened(folder).procedural
    for text in ("one", "two"):
        await call(memory, "save", policy(description=text))
    porcelain.remove(str(folder), [str(folder / "policies/no-friday.yaml")])
    porcelain.commit(str(folder), message=b"gone", author=AUTHOR, committer=AUTHOR)
    assert (await call(memory, "save", policy(description="three"))).version == 3
    assert (await call(memory, "rollback", "no-friday", 1)).description == "one"


def test_true_is_another_value_than_one(opened: Open, folder: Path) -> None:
    """Values that Python calls equal and a rule does not are a change."""
    memory = opened(folder).procedural
    for version, value in enumerate((1, True, 1.0), 1):
        memory.save(policy(exceptions=[{"tool": "release", "args": {"confirm": value}}], version=max(1, version - 1)))
    assert [it.version for it in memory.history("no-friday")] == [3, 2, 1]


async def test_a_shipped_policy_is_brought_back(opened: Open, folder: Path, call: Call) -> None:
    """Its shipped text is its first version, which no commit has."""
    memory = opened(folder).procedural
    before = memory.policy("destructive-commands")
    await call(memory, "deprecate", before.name)
    assert "-status: active" in await call(memory, "diff", before.name, 1, 2)
    after = await call(memory, "rollback", before.name, 1)
    assert after == before.model_copy(update={"version": 3})
