"""Files that are written whole: what a writer leaves that was killed, and who removes it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from langchain_agentmem import AgentMemory, KeyFolder, Scope, StorageError, SubjectVault
from langchain_agentmem import _whole_files as whole_files
from langchain_agentmem._flow import run
from langchain_agentmem._whole_files import WholeFile, draft_of
from langchain_agentmem.transfer.sealed import NewFile
from langchain_agentmem.vault import files

ALICE: Final = Scope("alice")
KEYS: Final = b"keys that are to be gone"

has_nameless: Final = sys.platform == "linux"


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file without a name, where this system has them; a draft, where it has not."""
    if request.param == "named":
        monkeypatch.setattr(whole_files, "_opened_nameless", lambda _: None)
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder that has keys of Alice's, in one file."""
    folder = tmp_path / "keys"
    run(SubjectVault(KeyFolder(folder)).cipher(ALICE)).seal(b"x", "row")
    return folder


def names_in(folder: Path) -> list[str]:
    return sorted(it.name for it in folder.iterdir())


def left(draft: Path, content: bytes = KEYS) -> Path:
    """Leave a draft as a writer does that is killed: whole, and locked by nobody."""
    draft.write_bytes(content)
    return draft


def begun(path: Path) -> WholeFile:
    file = WholeFile(path)
    file.write(b"new")
    return file


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_appears_when_it_is_whole(tmp_path: Path, before: bytes | None) -> None:
    """Until then the one before stays, and afterwards it stands there alone, its owner's."""
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    file = begun(path)
    assert (path.read_bytes() if path.exists() else None) == before
    file.finish()
    file.discard()
    assert (path.read_bytes(), names_in(tmp_path)) == (b"new", ["file"])
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("before", [None, b"old"])
def test_what_is_not_finished_leaves_nothing(tmp_path: Path, way: str, before: bytes | None) -> None:
    """Where it is given up nothing is left, and where its process ends nothing but, on some systems, a named draft."""
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    there = names_in(tmp_path)
    begun(path).discard()
    assert names_in(tmp_path) == there
    begun(path)._file.close()  # as the end of a process does
    is_left = way == "named" or not has_nameless
    assert names_in(tmp_path) == sorted([*there, *([".file.agentmem-draft"] if is_left else [])])
    begun(path).discard()
    assert names_in(tmp_path) == there


def test_an_export_removes_what_is_left_of_others(tmp_path: Path) -> None:
    """Of exports to any name in its folder that were killed; a file of another's that looks like one stays."""
    left(draft_of(tmp_path / "of-alice"))
    left(tmp_path / ".notes")
    file = NewFile(tmp_path / "of-bob")
    file.write(b"lines")
    file.finish()
    assert names_in(tmp_path) == [".notes", "of-bob"]


def test_a_draft_that_is_being_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another export leaves it alone, and one to the same name is refused until it is done."""
    monkeypatch.setattr(whole_files, "_opened_nameless", lambda _: None)
    file = begun(tmp_path / "one")
    NewFile(tmp_path / "other").discard()
    with pytest.raises(StorageError, match="another process is writing") as refused:
        NewFile(tmp_path / "one")
    assert refused.value.is_retryable
    file.finish()
    assert (names_in(tmp_path), (tmp_path / "one").read_bytes()) == (["one"], b"new")


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_link_where_a_draft_would_be_harms_nobody(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    """Whoever may put one there does not get another file overwritten."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    link(draft_of(tmp_path / "file"), victim)
    file = NewFile(tmp_path / "file")
    file.write(b"new")
    file.finish()
    file.discard()
    assert (victim.read_bytes(), (tmp_path / "file").read_bytes()) == (b"mine", b"new")


def test_a_file_has_the_longest_name_there_is(tmp_path: Path) -> None:
    """Its draft's is not longer."""
    path = tmp_path / ("é" * 127)
    for _ in range(2):
        begun(path).finish()
    assert names_in(tmp_path) == [path.name]


@pytest.fixture(params=[errno.ENOSPC, errno.EDQUOT])
def full_disk(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[[], None]:
    """Return what fills the disk, or somebody's part of it."""

    def full(_: int) -> None:
        raise OSError(request.param, os.strerror(request.param))

    return lambda: monkeypatch.setattr(os, "fsync", full)


def test_a_full_disk_is_told_of_an_export(tmp_path: Path, full_disk: Callable[[], None]) -> None:
    """Neither its path nor its permissions are wrong: it can be repeated, and nothing is there until then."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Owns a boat", scope=ALICE)
        full_disk()
        with pytest.raises(StorageError, match=r"cannot be written: the disk is full; .* free space") as told:
            memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
    assert told.value.is_retryable
    assert names_in(tmp_path) == []


def test_a_full_disk_is_told_of_keys(folder: Path, full_disk: Callable[[], None]) -> None:
    """Whoever has keys has the same ones afterwards; nobody gets new ones, and no row that these would seal."""
    vault = SubjectVault(KeyFolder(folder))
    sealed, before = (
        run(vault.cipher(ALICE)).seal(b"x", "row"),
        {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()},
    )
    full_disk()
    for call in (vault.rotate_master, lambda: vault.rotate(ALICE), lambda: run(vault.cipher(Scope("bob")))):
        with pytest.raises(StorageError, match=r"key file .* cannot be written: the disk is full") as told:
            call()
        assert told.value.is_retryable
    assert {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()} == before
    assert run(SubjectVault(KeyFolder(folder)).cipher(ALICE)).open(sealed, "row") == b"x"


# ---------------------------------------------------------------------------------------------------------------- keys
def named_now(path: Path) -> Path:
    return draft_of(path)


def named_before(path: Path) -> Path:
    """Return a draft's name in earlier releases."""
    return path.with_name(".fc0f5b797a38797d")


@pytest.mark.parametrize("name", [named_now, named_before])
def test_an_erasure_destroys_keys_in_drafts(folder: Path, name: Callable[[Path], Path]) -> None:
    """A writer of keys that was killed left a copy, which no folder and no reader of the disk has afterwards."""
    [keys] = (folder / "subjects").glob("*/*")
    with left(name(keys), keys.read_bytes()).open("rb") as read:
        run(SubjectVault(KeyFolder(folder)).destroy(ALICE))
        assert not any(read.read())
    assert names_in(keys.parent) == []


@pytest.mark.parametrize("name", [named_now, named_before])
def test_a_rotation_of_the_master_key_destroys_drafts(folder: Path, name: Callable[[Path], Path]) -> None:
    """The key that is to be forgotten stands in one, or opens what does."""
    [keys] = (folder / "subjects").glob("*/*")
    vault, opener = SubjectVault(KeyFolder(folder)), SubjectVault(KeyFolder(folder))
    run(vault.cipher(ALICE))
    for it in (keys, folder / "master.key"):
        left(name(it))
    vault.rotate_master()
    assert (names_in(keys.parent), names_in(folder)) == ([keys.name], [".lock", "master.key", "names.key", "subjects"])
    left(name(folder / "master.key"))
    run(opener.cipher(ALICE))
    assert names_in(folder) == [".lock", "master.key", "names.key", "subjects"], "whoever opens the folder sweeps it"


def test_a_draft_that_a_killed_writer_left_locked_is_destroyed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had forked may hold the file open; while nobody else can change keys, nobody writes it."""
    [keys] = (folder / "subjects").glob("*/*")
    monkeypatch.setattr(whole_files, "_opened_nameless", lambda _: None)
    held = begun(keys)
    run(SubjectVault(KeyFolder(folder)).destroy(ALICE))
    assert names_in(keys.parent) == []
    held.discard()


def test_a_draft_that_cannot_be_destroyed_is_told(folder: Path) -> None:
    """An erasure does not say that keys are gone while a copy of them may be there."""
    [keys] = (folder / "subjects").glob("*/*")
    draft_of(keys).mkdir()
    with pytest.raises(StorageError, match="cannot be swept"):
        run(SubjectVault(KeyFolder(folder)).destroy(ALICE))
    assert files.stamp_of(keys) is not None
