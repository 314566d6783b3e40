"""Where the files of skills and policies may be, and what becomes of those that are elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from dulwich import porcelain

from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.procedural.documents import MAX_FILE_BYTES
from langchain_agentmem.procedural.service import ProceduralMemory
from tests.conftest import Call
from tests.unit_tests.procedural.conftest import AUTHOR, Open, put
from tests.unit_tests.procedural.test_documents import POLICY, SKILL

FILE = "policies/staging-first.yaml"


def move(folder: Path, old: str, new: str) -> None:
    """Rename a file with git, and commit it."""
    (folder / new).parent.mkdir(parents=True, exist_ok=True)
    (folder / old).rename(folder / new)
    porcelain.add(str(folder), [str(folder / old), str(folder / new)])
    porcelain.commit(str(folder), message=b"moved", author=AUTHOR, committer=AUTHOR)


def is_bound(memory: ProceduralMemory) -> bool:
    """Whether the policy is enforced: nothing is deployed to production before staging."""
    return not memory.check_action({"name": "deploy", "args": {"target": "production"}}).allowed


@pytest.mark.parametrize("new", ["policies/prod/a.yaml", "policies/a/b/c/d.yml", "policies/A.YAML", "policies/p/A.Yml"])
@pytest.mark.parametrize("kind", ["bare", "tree"])
async def test_a_policy_is_in_force_at_any_depth(opened: Open, folder: Path, new: str, kind: str, call: Call) -> None:
    """It is moved into a folder, or ends in capitals: it binds as before, and is followed and saved where it is."""
    move(folder, FILE, new)
    copy = folder.with_name(kind)
    porcelain.clone(str(folder), str(copy), bare=kind == "bare").close()
    memory = opened(copy).procedural
    assert is_bound(memory)
    assert (await call(memory, "problems")) == ()
    known = await call(memory, "policy", "staging-first")
    await call(memory, "save", known.model_copy(update={"rationale": "because"}))
    assert [it.version for it in await call(memory, "history", "staging-first")] == [2, 1, 1]
    assert f"+++ {new}@" in await call(memory, "diff", "staging-first", 1, 2)
    assert (await call(memory, "rollback", "staging-first", 1)).rationale == ""
    assert memory._library.current().get("staging-first").file == new


@pytest.mark.parametrize("new", ["policies/staging-first.yml.txt", "policies/prod/staging-first", "policies/p/x.yaml~"])
def test_a_policy_under_a_name_that_is_not_read_stays_in_force(opened: Open, folder: Path, new: str) -> None:
    """Who was open keeps it and is told; who opens now is refused: a policy must not be missing unnoticed."""
    memory = opened(folder).procedural
    assert is_bound(memory)
    move(folder, FILE, new)
    assert is_bound(memory)
    assert f"{new}, line 1: this is no YAML file by its name" in memory.problems()[0].message
    with pytest.raises(ConfigurationError, match=rf"{new}, .* end the name with \.yaml, or move the file out"):
        opened(folder).procedural.policies()
    move(folder, new, "policies/prod/any.yaml")
    assert is_bound(memory)
    assert memory.problems() == ()


def test_what_is_no_skill_is_a_problem_among_skills(opened: Open, folder: Path) -> None:
    """Skills in subfolders are read; another file beside them is named, also by who opens now, and stops nothing."""
    put(folder, "skills/sub/deep/release.yaml", SKILL)
    put(folder, "skills/sub/release.sh", b"#" * (MAX_FILE_BYTES + 1))
    memory = opened(folder).procedural
    assert memory.skill("release").version == 1
    (problem,) = memory.problems()
    assert problem.message.startswith("skills/sub/release.sh, line 1: this is no YAML file by its name")


@pytest.mark.parametrize("name", ["README", "readme.md", ".gitkeep", ".old.yaml", "prod/README.md", ".trash/x.yaml"])
def test_notes_for_people_are_no_problem(opened: Open, folder: Path, tmp_path: Path, name: str) -> None:
    """Nor is what git and editors put there under a name that begins with a dot."""
    put(folder, f"policies/{name}", b"Read this")
    porcelain.clone(str(folder), str(tmp_path / "bare"), bare=True).close()
    for where in (folder, tmp_path / "bare"):
        memory = opened(where).procedural
        assert (len(memory.policies()), memory.problems()) == (2, ())


def test_one_name_in_two_folders_is_one_record(opened: Open, folder: Path) -> None:
    """The file that had it first keeps it; from the beginning nobody has."""
    memory = opened(folder).procedural
    memory.policies()
    put(folder, "policies/a/staging-first.yaml", POLICY + b"status: draft\n")
    (problem,) = memory.problems()
    assert (problem.file, is_bound(memory)) == ("policies/a/staging-first.yaml", True)
    assert f"is that of {FILE}" in problem.message
    with pytest.raises(ConfigurationError, match=r"is that of policies/a/staging-first\.yaml"):
        opened(folder).procedural.policies()


def test_a_linked_subfolder_is_told_of_and_not_written_through(opened: Open, folder: Path, tmp_path: Path) -> None:
    """What was read before it became a link stays in force."""
    move(folder, FILE, "policies/prod/staging-first.yaml")
    memory = opened(folder).procedural
    known = memory.policy("staging-first")
    (folder / "policies" / "prod").rename(tmp_path / "outside")
    (folder / "policies" / "prod").symlink_to(tmp_path / "outside")
    assert is_bound(memory)
    assert "policies/prod, line 1: this is no regular file; links" in memory.problems()[0].message
    with pytest.raises(StorageError, match=r"'policies/prod' in .* is a link"):
        memory.save(known.model_copy(update={"rationale": "again"}))
    assert (tmp_path / "outside" / "staging-first.yaml").read_bytes() == POLICY
