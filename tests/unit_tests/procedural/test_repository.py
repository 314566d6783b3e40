from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dulwich import porcelain
from dulwich.repo import Repo

from langchain_agentmem.errors import (
    ConfigurationError,
    ConflictError,
    GovernanceError,
    NotFoundError,
    StorageError,
)
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.procedural.files import committed_in
from langchain_agentmem.procedural.repository import GitFolder
from langchain_agentmem.procedural.schemas import write_record
from tests.conftest import Call
from tests.unit_tests.procedural.conftest import Open, policy, put, skill
from tests.unit_tests.procedural.test_documents import POLICY, SKILL

FILE = "policies/staging-first.yaml"
IN_FORCE = {"destructive-commands": "active", "staging-first": "active"}


async def test_a_record_has_versions_history_diff_and_a_way_back(opened: Open, tmp_path: Path, call: Call) -> None:
    """Every change is a commit with its author, and going back is one more."""
    memory = opened(tmp_path / "new", create=True).procedural
    first = await call(memory, "save", policy())
    second = await call(memory, "save", first.model_copy(update={"description": "Never"}), author="Bo <b@c>")
    assert (first.version, second.version) == (1, 2)
    assert "-description: Nothing is released on Fridays" in await call(memory, "diff", "no-friday", 1, 2)
    third = await call(memory, "rollback", "no-friday", 1)
    assert (third.version, third.description) == (3, first.description)
    assert (await call(memory, "deprecate", "no-friday")).status == "deprecated"
    history = await call(memory, "history", "no-friday")
    assert [it.version for it in history] == [4, 3, 2, 1]
    assert history[2].author == "Bo <b@c>"
    assert await call(memory, "policy", "no-friday") == third.model_copy(update={"version": 4, "status": "deprecated"})


async def test_a_bare_repository_is_read_from_its_head(opened: Open, tmp_path: Path, call: Call) -> None:
    """A server needs no working tree: files are read from the last commit, and commits need none either."""
    Repo.init_bare(str(tmp_path / "bare.git"), mkdir=True).close()
    memory = opened(tmp_path / "bare.git").procedural
    saved = await call(memory, "save", skill())
    assert (await call(memory, "skill", "release"), saved.version) == (saved, 1)
    assert (await call(memory, "save", saved.model_copy(update={"description": "x"}))).version == 2


async def test_what_somebody_commits_is_in_force_at_the_next_use(opened: Open, folder: Path, call: Call) -> None:
    """Nothing is restarted: a commit, a pull or an edit is seen by the next question."""
    memory = opened(folder).procedural
    assert (await call(memory, "policy", "staging-first")).enforcement == "hard"
    put(folder, FILE, POLICY + b"enforcement: soft\n")
    assert (await call(memory, "policy", "staging-first")).enforcement == "soft"
    (folder / FILE).write_bytes(POLICY + b"status: draft\n")
    assert (await call(memory, "policy", "staging-first")).status == "draft"
    (folder / FILE).unlink()
    with pytest.raises(NotFoundError, match="no skill or policy 'staging-first'"):
        await call(memory, "policy", "staging-first")


async def test_a_broken_file_leaves_the_last_good_version_in_force(opened: Open, folder: Path, call: Call) -> None:
    """Whoever saves half an edit does not switch a policy off; the problem is reported with its line."""
    memory = opened(folder).procedural
    before = await call(memory, "policies")
    (folder / FILE).write_bytes(POLICY + b"enforcement: [\n")
    put(folder, "policies/new.yaml", b"name: [", commit=False)
    assert await call(memory, "policies") == before
    problems = {it.file: it.message for it in await call(memory, "problems")}
    assert set(problems) == {FILE, "policies/new.yaml"}
    assert "line 7" in problems[FILE]
    assert "version 1 of 'staging-first' stays in force" in problems[FILE]


async def test_a_file_broken_from_the_beginning_is_an_error(opened: Open, folder: Path, call: Call) -> None:
    """Where there is no last good version, a policy must not be missing unnoticed."""
    (folder / FILE).write_bytes(b"name: [")
    with pytest.raises(ConfigurationError, match=rf"{FILE}, line \d"):
        await call(opened(folder).procedural, "policies")


async def test_what_was_saved_is_the_last_good_version(opened: Open, folder: Path, call: Call) -> None:
    """What this process has committed binds, also where its file breaks before anybody has read it again."""
    memory = opened(folder).procedural
    first = await call(memory, "save", policy())
    second = await call(memory, "save", first.model_copy(update={"description": "Never"}))
    (folder / "policies/no-friday.yaml").write_bytes(b"<<<<<<< HEAD\n")
    assert not (await call(memory, "check_action", {"name": "release", "args": {}})).allowed
    assert await call(memory, "policy", "no-friday") == second


async def test_what_others_committed_is_the_last_good_version(opened: Open, folder: Path, call: Call) -> None:
    """A commit of another process binds, also where its file broke, or was renamed, before this one has read it."""
    mine, other = opened(folder).procedural, opened(folder).procedural
    await call(mine, "policies")
    saved = await call(other, "save", policy())
    (folder / "policies/no-friday.yaml").write_bytes(b"rule: [")
    assert await call(mine, "policy", "no-friday") == saved
    stricter = saved.model_copy(update={"version": 2, "description": "Never"})
    put(folder, "policies/no-friday.yaml", write_record(stricter))
    (folder / "policies/no-friday.yaml").rename(folder / "policies/never.yaml")
    (folder / "policies/never.yaml").write_bytes(b"rule: [")
    assert await call(mine, "policy", "no-friday") == stricter


async def test_an_edit_that_was_read_is_the_last_good_version(opened: Open, folder: Path, call: Call) -> None:
    """What is committed counts where it is newer than what was read, and an edit in force is not undone by it."""
    memory = opened(folder).procedural
    await call(memory, "policies")
    (folder / FILE).write_bytes(POLICY + b"enforcement: soft\n")
    edited = await call(memory, "policy", "staging-first")
    (folder / FILE).write_bytes(b"rule: [")
    assert edited.enforcement == "soft"
    assert await call(memory, "policy", "staging-first") == edited


async def test_nothing_runs_where_nobody_knows_what_a_committed_file_said(
    opened: Open, folder: Path, call: Call
) -> None:
    """A policy that came broken by a commit must not be missing unnoticed; once mended, it is in force."""
    memory = opened(folder).procedural
    await call(memory, "policies")
    put(folder, "policies/no-friday.yaml", b"rule: [")
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=r"policies/no-friday.yaml, line 2"):
            await call(memory, "check_action", {"name": "release", "args": {}})
    put(folder, "policies/no-friday.yaml", write_record(policy()))
    assert not (await call(memory, "check_action", {"name": "release", "args": {}})).allowed


def test_what_is_committed_and_damaged_is_known_by_what_was_read(opened: Open, folder: Path) -> None:
    """Where neither the file nor what HEAD has of it can be read, what was read before stays in force."""
    memory = opened(folder).procedural
    before = memory.policies()
    put(folder, FILE, POLICY + b"status: draft\n")
    with Repo(str(folder)) as repo:
        (blob,) = [sha for path, (_, sha) in committed_in(repo, repo.head(), "") if path == FILE]
    damaged = folder / ".git/objects" / blob[:2].decode() / blob[2:].decode()
    damaged.chmod(0o600)
    damaged.write_bytes(b"")
    (folder / FILE).write_bytes(b"rule: [")
    assert memory.policies() == before


async def test_a_name_that_comes_twice_names_both_files(opened: Open, folder: Path) -> None:
    """Two files that claim one name cannot both be in force."""
    memory = opened(folder).procedural
    memory.policies()
    put(folder, "policies/zz.yaml", POLICY)
    (problem,) = memory.problems()
    assert problem.file == "policies/zz.yaml"
    assert FILE in problem.message


async def test_an_uncommitted_change_is_not_overwritten(opened: Open, folder: Path, call: Call) -> None:
    """A dirty file is in force as it stands; saving over it is refused, saving others is not."""
    memory = opened(folder).procedural
    dirty = POLICY + b"enforcement: soft\n"
    put(folder, FILE, dirty, commit=False)
    record = await call(memory, "policy", "staging-first")
    with pytest.raises(ConflictError, match="not committed"):
        await call(memory, "save", record.model_copy(update={"rationale": "because"}))
    await call(memory, "save", policy())
    assert (folder / FILE).read_bytes() == dirty


async def test_who_builds_on_an_old_version_is_told(opened: Open, folder: Path, call: Call) -> None:
    """Of two who change the same version one wins, and the other one reads again."""
    memory = opened(folder).procedural
    mine = await call(memory, "policy", "staging-first")
    theirs = mine.model_copy(update={"rationale": "theirs"})
    await call(opened(folder).procedural, "save", theirs)
    with pytest.raises(ConflictError, match="is at version 2"):
        await call(memory, "save", mine.model_copy(update={"rationale": "mine"}))
    assert (await call(memory, "policy", "staging-first")).rationale == "theirs"


async def test_a_head_that_moves_meanwhile_is_a_conflict(
    opened: Open, folder: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """Between reading and committing somebody else committed: nothing of theirs is lost."""
    memory = opened(folder).procedural
    before = memory._library.current()
    put(folder, "policies/b.yaml", POLICY.replace(b"staging-first", b"theirs"))
    monkeypatch.setattr(memory._library, "current", lambda: before)
    with pytest.raises(ConflictError, match="has moved"):
        await call(memory, "save", policy())


def test_many_who_save_at_once_lose_nothing(opened: Open, folder: Path) -> None:
    """Each commit is there or refused, whatever threads do; whoever is refused saves again."""
    memories = [opened(folder).procedural for _ in range(3)]

    def save(number: int) -> None:
        while True:
            try:
                memories[number % 3].save(policy(f"p{number}"))
            except (ConflictError, StorageError):
                continue
            return

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(save, range(9)))
    names = {it.name for it in opened(folder).procedural.policies()}
    assert {f"p{number}" for number in range(9)} < names
    with Repo(str(folder)) as repo:
        assert len(list(repo.get_walker())) == 10


@pytest.mark.parametrize("name", ["staging-first", "brand-new"])
async def test_a_commit_whose_process_was_killed_counts(
    opened: Open, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: Call
) -> None:
    """It moved HEAD and did not come to write the file: what is committed is in force, and the next save goes on."""
    memory = opened(folder).procedural

    def killed(*_: object) -> None:
        msg = "killed"
        raise RuntimeError(msg)

    with monkeypatch.context() as patch:
        patch.setattr(GitFolder, "_check_out", killed)
        with pytest.raises(RuntimeError, match="killed"):
            await call(memory, "save", policy(name, version=2))
    kept = await call(opened(folder).procedural, "policy", name)
    assert (kept.version, memory.problems()) == (2, ())
    assert (await call(memory, "save", kept.model_copy(update={"rationale": "again"}))).version == 3
    assert (await call(memory, "policy", name)).rationale == "again"
    assert porcelain.status(str(folder)).unstaged == []


async def test_a_detached_head_is_read_and_not_written(opened: Open, folder: Path, call: Call) -> None:
    """A commit that no branch holds would be lost."""
    with Repo(str(folder)) as repo:
        (folder / ".git" / "HEAD").write_bytes(repo.head() + b"\n")
    memory = opened(folder).procedural
    assert (await call(memory, "policy", "staging-first")).version == 1
    with pytest.raises(StorageError, match="detached"):
        await call(memory, "save", policy())


async def test_a_merge_under_way_is_not_written_into(opened: Open, folder: Path, call: Call) -> None:
    """Conflict marks leave the last good version in force, and saving waits for the merge to end."""
    memory = opened(folder).procedural
    before = await call(memory, "policies")
    (folder / ".git" / "MERGE_HEAD").write_bytes(b"0" * 40)
    (folder / FILE).write_bytes(b"<<<<<<< HEAD\n" + POLICY)
    assert await call(memory, "policies") == before
    with pytest.raises(StorageError, match="a merge or rebase is under way"):
        await call(memory, "save", policy())


async def test_diverged_branches_conflict_until_somebody_joins_them(opened: Open, folder: Path, call: Call) -> None:
    """Who was open keeps the last good version; who opens now is told line and remedy; joined, it is in force."""
    memory = opened(folder).procedural
    before = await call(memory, "policies")
    porcelain.branch_create(str(folder), "theirs")
    put(folder, FILE, POLICY.replace(b"after staging", b"after our tests"))
    ours = (folder / FILE).read_bytes()
    porcelain.checkout(str(folder), "theirs")
    put(folder, FILE, POLICY.replace(b"after staging", b"after their tests"))
    assert "their tests" in (await call(memory, "policy", "staging-first")).description
    (folder / ".git" / "MERGE_HEAD").write_bytes(b"0" * 40)
    theirs = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(b"<<<<<<< HEAD\n" + theirs + b"=======\n" + ours + b">>>>>>> master\n")
    assert "their tests" in (await call(memory, "policy", "staging-first")).description
    assert "line 1: a conflict marker of git" in (await call(memory, "problems"))[0].message
    with pytest.raises(
        ConfigurationError, match=r"staging-first\.yaml, line 1: a conflict marker .* git merge --abort"
    ):
        await call(opened(folder).procedural, "policies")
    put(folder, FILE, ours)
    assert "our tests" in (await call(opened(folder).procedural, "policy", "staging-first")).description
    assert len(await call(memory, "policies")) == len(before)


async def test_a_folder_that_vanishes_leaves_what_was_read_in_force(opened: Open, folder: Path, call: Call) -> None:
    """A disk that is unmounted switches no policy off."""
    memory = opened(folder).procedural
    before = await call(memory, "policies")
    shutil.rmtree(folder)
    assert await call(memory, "policies") == before
    assert "stays in force" in (await call(memory, "problems"))[0].message


@pytest.mark.parametrize("kind", ["missing", "no-repository", "no-path", "file"])
async def test_a_folder_that_cannot_be_is_named(opened: Open, tmp_path: Path, kind: str, call: Call) -> None:
    """No folder, no repository around it, or nowhere to write: each says what to do."""
    (tmp_path / "no-repository").mkdir()
    (tmp_path / "file").write_text("x")
    memory = opened(None if kind == "no-path" else tmp_path / kind).procedural
    with pytest.raises(ConfigurationError, match=r"create=True|pass procedural="):
        await call(memory, "save", policy())


def test_a_policy_in_force_is_displaced_by_no_other_file(opened: Open, folder: Path) -> None:
    """Not by one whose name comes first, nor by a skill, nor while its own file is broken or is being renamed."""
    memory = opened(folder).procedural
    memory.policies()
    put(folder, "policies/a.yaml", POLICY + b"status: draft\n")
    put(folder, "skills/x.yaml", SKILL.replace(b"name: release", b"name: destructive-commands"))
    assert {it.file for it in memory.problems()} == {"policies/a.yaml", "skills/x.yaml"}
    (folder / FILE).write_bytes(POLICY.replace(b"rule:", b"rul:"))
    assert {it.name: it.status for it in memory.policies()} == IN_FORCE
    (folder / FILE).rename(folder / "policies" / "renamed.yaml")
    (folder / "policies" / "a.yaml").unlink()
    assert {it.name: it.status for it in memory.policies()} == IN_FORCE
    (folder / "policies" / "renamed.yaml").write_bytes(POLICY)
    assert [it.file for it in memory.problems()] == ["skills/x.yaml"]
    assert memory._library.current().get("staging-first").file == "policies/renamed.yaml"


def test_a_policy_that_takes_the_name_of_another_leaves_its_own_in_force(opened: Open, folder: Path) -> None:
    """The file is refused, and what it said before still counts."""
    put(folder, "policies/other.yaml", POLICY.replace(b"staging-first", b"other"))
    memory = opened(folder).procedural
    memory.policies()
    put(folder, "policies/other.yaml", POLICY)
    assert {"other", "staging-first"} < {it.name for it in memory.policies()}
    assert "version 1 of 'other' stays in force" in memory.problems()[0].message


async def test_a_linked_folder_is_not_followed(opened: Open, folder: Path, tmp_path: Path, call: Call) -> None:
    """Nothing is read or written outside of the repository; what was read before stays in force."""
    memory = opened(folder).procedural
    before = await call(memory, "policies")
    (folder / "policies").rename(tmp_path / "outside")
    (folder / "policies").symlink_to(tmp_path / "outside")
    assert await call(memory, "policies") == before
    with pytest.raises(StorageError, match="is a link"):
        await call(memory, "save", policy())
    assert [it.name for it in (tmp_path / "outside").iterdir()] == ["staging-first.yaml"]
    with pytest.raises(StorageError, match="is a link"):
        await call(opened(folder).procedural, "policies")


def test_what_is_checked_out_counts_and_is_not_saved_over(opened: Open, folder: Path) -> None:
    """A revert that is staged and not committed is somebody's change, and no commit that was cut off."""
    memory = opened(folder).procedural
    saved = memory.save(memory.policy("staging-first").model_copy(update={"rationale": "because"}))
    (folder / FILE).write_bytes(POLICY)
    porcelain.add(str(folder), [str(folder / FILE)])
    assert memory.policy("staging-first").rationale == ""
    with pytest.raises(ConflictError, match="not committed"):
        memory.save(saved.model_copy(update={"rationale": "again"}))
    assert (folder / FILE).read_bytes() == POLICY


@pytest.mark.parametrize(("file", "raw"), [(".git/refs/heads/main", b"x" * 40), (".git/config", b"[core\n\x00=")])
def test_a_damaged_repository_leaves_what_was_read_in_force(opened: Open, folder: Path, file: str, raw: bytes) -> None:
    """Whatever is raised inside of it, it is an error of storage, and switches no policy off."""
    memory = opened(folder).procedural
    before = memory.policies()
    with Repo(str(folder)) as repo:
        branch = repo.refs.follow(b"HEAD")[0][-1].decode()
    full = folder / file.replace("refs/heads/main", branch)
    full.write_bytes(raw)
    (folder / FILE).touch()
    assert memory.policies() == before
    assert "cannot be read" in memory.problems()[0].message
    with pytest.raises(StorageError, match="cannot be read"):
        opened(folder).procedural.policies()


def test_an_empty_object_of_git_is_an_error_of_storage(opened: Open, folder: Path) -> None:
    """As a full disk leaves it."""
    with Repo(str(folder)) as repo:
        head = repo.head().decode()
    full = folder / ".git" / "objects" / head[:2] / head[2:]
    full.chmod(0o644)
    full.write_bytes(b"")
    with pytest.raises(StorageError, match="cannot be read"):
        opened(folder).procedural.policies()


def test_a_name_that_is_no_utf8_is_named(opened: Open, folder: Path) -> None:
    """The problem can be printed."""
    memory = opened(folder).procedural
    memory.policies()
    (folder / "policies" / os.fsdecode(b"caf\xe9.yaml")).write_bytes(POLICY)
    (problem,) = memory.problems()
    assert "the file's name is no UTF-8" in problem.message.encode().decode()


def test_a_link_is_not_followed(opened: Open, folder: Path, tmp_path: Path) -> None:
    """A file of the repository cannot point to another one of the machine."""
    memory = opened(folder).procedural
    memory.policies()
    (tmp_path / "secret.yaml").write_bytes(POLICY.replace(b"staging-first", b"linked"))
    (folder / "policies" / "linked.yaml").symlink_to(tmp_path / "secret.yaml")
    assert [it.file for it in memory.problems()] == ["policies/linked.yaml"]
    assert "linked" not in {it.name for it in memory.policies()}


def test_a_folder_inside_a_repository_sees_its_own_files_only(opened: Open, folder: Path) -> None:
    """A repository may hold an application beside its procedures."""
    (folder / "inner").mkdir()
    memory = opened(folder / "inner").procedural
    memory.save(policy())
    assert [it.name for it in memory.policies()] == ["destructive-commands", "no-friday"]
    assert (folder / "inner" / "policies" / "no-friday.yaml").is_file()
    status = porcelain.status(str(folder))
    assert (status.staged, status.unstaged) == ({"add": [], "delete": [], "modify": []}, [])


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (("save", "text"), ConfigurationError),
        (("history", "nobody"), NotFoundError),
        (("diff", "staging-first", 1, 9), NotFoundError),
        (("rollback", "staging-first", "ffff"), NotFoundError),
        (("skill", "staging-first"), NotFoundError),
        (("deprecate", "nobody"), NotFoundError),
    ],
)
async def test_what_is_not_there_is_named(
    opened: Open, folder: Path, asked: tuple[Any, ...], error: type[Exception], call: Call
) -> None:
    """A name, a version or a commit that does not exist is an error, never a silent nothing."""
    with pytest.raises(error):
        await call(opened(folder).procedural, *asked)


def test_an_author_that_is_none_is_refused(opened: Open, folder: Path) -> None:
    """A line break in an author would forge a commit's header."""
    with pytest.raises(ConfigurationError, match="author must be 'Name <mail>'"):
        opened(folder).procedural.save(policy(), author="x\ncommitter y <z@z>")


def test_one_name_is_one_record(opened: Open, folder: Path) -> None:
    """A skill cannot take the name of a policy."""
    with pytest.raises(ConfigurationError, match="is that of a policy"):
        opened(folder).procedural.save(skill("staging-first"))


def test_a_memory_of_a_command_is_no_command(opened: Open) -> None:
    """To note that somebody once ran `rm -rf` deletes nothing."""
    memory = opened(None).procedural
    assert memory.check_action({"name": "manage_memory", "args": {"content": "Never run rm -rf /"}}).allowed


def test_a_shipped_policy_is_replaced_by_one_of_the_same_name(opened: Open, folder: Path) -> None:
    """What is shipped can be changed or taken out of force, in a commit."""
    memory = opened(folder).procedural
    assert not memory.check_action("rm -rf /").allowed
    assert memory.deprecate("destructive-commands").version == 2
    assert memory.check_action("rm -rf /").allowed


@pytest.mark.parametrize("given", [3, {"paths": "x"}, {"path": 3}, {"author": "x"}, {"create": "yes"}])
def test_options_that_cannot_work_are_refused_at_once(given: object) -> None:
    """Before anything is opened."""
    with pytest.raises(ConfigurationError):
        AgentMemory.in_memory(embeddings=None, procedural=given)


def test_a_skill_with_cases_is_not_saved_as_active(opened: Open, folder: Path) -> None:
    """Only `activate` puts it into use; a file that says so by hand is a draft."""
    memory = opened(folder).procedural
    case = {"name": "c", "expects": "ok"}
    with pytest.raises(GovernanceError, match="activate it"):
        memory.save(skill(evaluation=[case]))
    memory.save(skill(evaluation=[case], status="draft"))
    full = folder / "skills" / "release.yaml"
    full.write_text(full.read_text().replace("status: draft", "status: active"))
    assert memory.skill("release").status == "draft"
    assert "has not passed its cases" in memory.problems()[0].message
