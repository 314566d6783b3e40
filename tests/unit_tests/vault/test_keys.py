"""Where keys are: a folder, the environment, a service; and what is said where one is wrong, short, lost or open."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem import (
    AgentMemory,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    KeyEnvironment,
    KeyFolder,
    KeyServer,
    LostKeysError,
    Scope,
    StorageError,
    SubjectVault,
)
from langchain_agentmem._flow import arun, run
from langchain_agentmem.index.backends import chosen_index
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.vault import Cipher
from langchain_agentmem.vault.keyring import KeyRing
from langchain_agentmem.vault.masters import LocalKeys
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE, BOB = Scope("alice"), Scope("bob")
KEY, OTHER = "00" * 32, "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE="


def cipher_of(vault: SubjectVault, scope: Scope = ALICE) -> Cipher:
    return run(vault.cipher(scope))


def sealed_by(vault: SubjectVault, scope: Scope = ALICE) -> bytes:
    return cipher_of(vault, scope).seal(b"x", "row")


def opens(vault: SubjectVault, sealed: bytes, scope: Scope = ALICE) -> bool:
    return cipher_of(vault, scope).open(sealed, "row") == b"x"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys"


@pytest.fixture
def vault(keys: Path) -> SubjectVault:
    return SubjectVault(KeyFolder(keys))


def test_a_folder_keeps_keys_for_every_process(vault: SubjectVault, keys: Path) -> None:
    """What one vault sealed another one opens from the same folder, which no name of a user stands in."""
    sealed = sealed_by(vault)
    assert opens(SubjectVault(KeyFolder(keys)), sealed)
    assert "alice" not in " ".join(str(it) for it in keys.rglob("*"))


def test_key_files_are_their_owners_alone(vault: SubjectVault, keys: Path) -> None:
    """No file of the folder can be read by others."""
    sealed_by(vault)
    modes = {it.stat().st_mode & 0o077 for it in keys.rglob("*.key")} | {
        it.stat().st_mode & 0o077 for it in (keys / "subjects").glob("*/*")
    }
    assert modes == {0}


def test_an_open_key_file_is_warned_of(vault: SubjectVault, keys: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A key file that others may read works, and is named in a warning."""
    sealed = sealed_by(vault)
    for file in [it for it in keys.rglob("*") if it.is_file() and not it.name.startswith(".")]:
        caplog.clear()
        file.chmod(0o644)
        with caplog.at_level(logging.WARNING, "langchain_agentmem"):
            assert opens(SubjectVault(KeyFolder(keys)), sealed)
        assert f"{file.name} can be read by others (mode 644); chmod 600 it" in caplog.text
        file.chmod(0o600)


async def test_destroyed_keys_open_nothing_in_any_process(keys: Path, call: Call) -> None:
    """Once destroyed, no vault opens what they sealed, not even one that had them at hand; others' keys stay."""
    here, there = SubjectVault(KeyFolder(keys)), SubjectVault(KeyFolder(keys))
    sealed, of_bob = sealed_by(here), sealed_by(here, BOB)
    assert opens(there, sealed)
    await arun(here.destroy(ALICE))
    assert not await call(here, "holds", ALICE)
    for vault in (here, there):
        with pytest.raises(IntegrityError, match="destroyed with an erasure"):
            opens(vault, sealed)
        assert opens(vault, of_bob, BOB)
    await arun(here.destroy(ALICE))
    assert opens(there, sealed_by(here))


def test_threads_that_meet_get_one_key(keys: Path) -> None:
    """Eight vaults that meet a new user at once all get the same key."""
    sealed: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: sealed.append(sealed_by(SubjectVault(KeyFolder(keys))))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(opens(SubjectVault(KeyFolder(keys)), it) for it in sealed)
    assert len(sealed) == 8


async def test_the_master_key_is_rotated_under_readers(vault: SubjectVault, keys: Path, call: Call) -> None:
    """After a rotation everything opens for everybody, and nothing with the master key of before."""
    sealed, of_bob = sealed_by(vault), sealed_by(vault, BOB)
    before = (keys / "master.key").read_bytes()
    assert await call(SubjectVault(KeyFolder(keys)), "rotate_master") == 2
    assert before.strip() not in (keys / "master.key").read_bytes()
    assert opens(vault, sealed)
    assert opens(SubjectVault(KeyFolder(keys)), of_bob, BOB)
    (keys / "master.key").write_bytes(before)
    with pytest.raises(IntegrityError, match="rotated out"):
        opens(SubjectVault(KeyFolder(keys)), sealed)


def test_a_killed_rotation_goes_on(vault: SubjectVault, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rotation that was broken off between two users leaves all readable, and the next one ends it."""
    sealed = [sealed_by(vault, scope) for scope in (ALICE, BOB)]
    wrap, count = LocalKeys.wrap, iter(range(100))

    def failing(self: LocalKeys, given: bytes, about: bytes) -> bytes:
        if next(count) == 1:
            raise KeyboardInterrupt
        return wrap(self, given, about)

    monkeypatch.setattr(LocalKeys, "wrap", failing)
    with pytest.raises(KeyboardInterrupt):
        vault.rotate_master()
    monkeypatch.setattr(LocalKeys, "wrap", wrap)
    assert opens(SubjectVault(KeyFolder(keys)), sealed[0])
    assert opens(SubjectVault(KeyFolder(keys)), sealed[1], BOB)
    assert len((keys / "master.key").read_text().split()) == 2
    assert vault.rotate_master() == 1
    assert len((keys / "master.key").read_text().split()) == 1
    assert opens(SubjectVault(KeyFolder(keys)), sealed[0])


def test_a_killed_process_leaves_whole_keys(keys: Path) -> None:
    """A process that is killed while it makes and rotates keys leaves nothing that does not open."""
    script = f"""
import os, threading, time
from langchain_agentmem import KeyFolder, Scope, SubjectVault
from langchain_agentmem._flow import run
vault = SubjectVault(KeyFolder({str(keys)!r}))
threading.Thread(target=lambda: (time.sleep(0.15), os.kill(os.getpid(), 9)), daemon=True).start()
for number in range(10**9):
    run(vault.cipher(Scope(str(number % 40))))
    vault.rotate(Scope(str(number % 40)))
    if number % 10 == 9:
        vault.rotate_master()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    vault = SubjectVault(KeyFolder(keys))
    vault.rotate_master()
    for number in range(40):
        assert opens(vault, sealed_by(vault, Scope(str(number))), Scope(str(number)))


# ---------------------------------------------------------------------------------------------------- bad key stores
def test_a_lost_master_key_is_missed(vault: SubjectVault, keys: Path) -> None:
    """Without its master key a folder is no new folder: it says what is missing."""
    sealed_by(vault)
    (keys / "master.key").unlink()
    with pytest.raises(ConfigurationError, match=r"master\.key' is missing"):
        cipher_of(SubjectVault(KeyFolder(keys)))


def test_lost_names_are_missed(vault: SubjectVault, keys: Path) -> None:
    """Without the key that names files a folder is no new folder either."""
    sealed_by(vault)
    (keys / "names.key").unlink()
    with pytest.raises(ConfigurationError, match=r"names\.key' is missing"):
        cipher_of(SubjectVault(KeyFolder(keys)))


@pytest.mark.parametrize("content", ["", "00" * 31, "not a key", "00" * 32 + "\n" + "zz"])
def test_a_short_master_key_is_refused(vault: SubjectVault, keys: Path, content: str) -> None:
    """A key file that holds no key is an error that names the line, and repeats nothing of it."""
    sealed_by(vault)
    (keys / "master.key").write_text(content)
    with pytest.raises(ConfigurationError, match=r"line \d of .* holds no key of 32 bytes") as refused:
        cipher_of(SubjectVault(KeyFolder(keys)))
    assert not content or content.split(maxsplit=1)[0] not in str(refused.value)


def test_a_new_key_is_advised_where_there_is_none_to_lose(keys: Path, vault: SubjectVault) -> None:
    """Whoever follows the advice for a file of a folder in use overwrites no key of which something is left."""
    sealed_by(vault)
    for name in ("master.key", "names.key"):
        kept = (keys / name).read_bytes()
        (keys / name).write_bytes(kept[:20])
        with pytest.raises(ConfigurationError, match="put it back from its backup") as refused:
            cipher_of(SubjectVault(KeyFolder(keys)))
        assert "secrets" not in str(refused.value)
        (keys / name).write_bytes(kept)


@pytest.mark.parametrize("rest", [b"", b"damaged"])
async def test_a_damaged_key_file_stops_nobody_else(keys: Path, call: Call, rest: bytes) -> None:
    """The others are wrapped anew, and the damaged one named; until it is put back the master key before stays."""
    vault = SubjectVault(KeyFolder(keys))
    sealed = {scope: sealed_by(vault, scope) for scope in (ALICE, BOB, Scope("carol"))}
    one, *others = sorted((keys / "subjects").glob("*/*"))
    whole, before = one.read_bytes(), (keys / "master.key").read_text().strip()
    one.write_bytes(whole[:-9] if rest else rest)
    with pytest.raises(
        IntegrityError, match=f"2 key files were wrapped anew, and 1 could not be: .*{one.name}"
    ) as told:
        await call(vault, "rotate_master")
    assert not any(it.name in str(told.value) for it in others)
    with pytest.raises(IntegrityError, match="0 key files were wrapped anew, and 1 could not be"):
        await call(vault, "rotate_master")
    assert before in (keys / "master.key").read_text()
    one.write_bytes(whole)
    assert await call(vault, "rotate_master") == 1
    assert before not in (keys / "master.key").read_text()
    assert all(opens(SubjectVault(KeyFolder(keys)), it, scope) for scope, it in sealed.items())


def test_a_damaged_key_file_keeps_nobodys_keys_from_being_destroyed(
    keys: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where every erasure begins another epoch, too: a warning names the file that was left."""
    vault = SubjectVault(KeyFolder(keys, rekeys=True))
    sealed_by(vault)
    [one] = (keys / "subjects").glob("*/*")
    of_bob = sealed_by(vault, BOB)
    sealed_by(vault, Scope("carol"))
    one.write_bytes(one.read_bytes()[:60])
    with caplog.at_level(logging.WARNING, "langchain_agentmem"):
        run(vault.destroy(Scope("carol")))
    assert (f"1 could not be: '{one}'" in caplog.text, vault.holds(Scope("carol"))) == (True, False)
    assert opens(SubjectVault(KeyFolder(keys)), of_bob, BOB)


def test_a_damaged_key_file_is_refused(vault: SubjectVault, keys: Path) -> None:
    """Keys of another user, and keys cut short, are not taken for one's own."""
    sealed_by(vault, BOB)
    [one] = (keys / "subjects").glob("*/*")
    sealed_by(vault)
    [other] = set((keys / "subjects").glob("*/*")) - {one}
    content, sealed = other.read_bytes(), sealed_by(vault, BOB)
    for damaged in (content, one.read_bytes()[:-1], content[:3], b"", b"\xff" * 90):
        one.write_bytes(damaged)
        for use in (sealed_by, lambda vault, scope: opens(vault, sealed, scope)):
            with pytest.raises(LostKeysError, match=f"{one.name}' is damaged.*put it back"):
                use(SubjectVault(KeyFolder(keys)), BOB)
        assert sealed_by(SubjectVault(KeyFolder(keys)))


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """A path that cannot be a folder is refused before anything is opened."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="is a file"):
        KeyFolder(tmp_path / "file")
    with pytest.raises(StorageError, match="cannot be made"):
        cipher_of(SubjectVault(KeyFolder(tmp_path / "file" / "keys")))


@pytest.mark.parametrize("keys", [None, 5, "keys", KeyFolder])
def test_what_keeps_no_keys_is_refused(keys: object) -> None:
    """A vault takes a key store, and names one."""
    with pytest.raises(ConfigurationError, match="must be a KeyFolder or a KeyEnvironment"):
        SubjectVault(keys)  # type: ignore[arg-type]  # (what is refused)


# ------------------------------------------------------------------------------------------------------- environment
def test_a_key_of_the_environment_wraps_a_folders_keys(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder alone opens nothing; another key is refused; an earlier one opens until all is wrapped anew."""
    monkeypatch.setenv("ONE", KEY)
    monkeypatch.setenv("TWO", OTHER)
    sealed = sealed_by(SubjectVault(KeyFolder(keys, master=KeyEnvironment("ONE"))))
    assert not (keys / "master.key").exists()
    with pytest.raises(IntegrityError, match="rotated out, or this is another key"):
        cipher_of(SubjectVault(KeyFolder(keys, master=KeyEnvironment("TWO"))))
    both = SubjectVault(KeyFolder(keys, master=KeyEnvironment("TWO", "ONE")))
    assert opens(both, sealed)
    assert both.rotate_master() == 1
    assert opens(SubjectVault(KeyFolder(keys, master=KeyEnvironment("TWO"))), sealed)


def test_another_master_key_wraps_nobodys_keys(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside keys that it does not open it is refused for a new user too; a damaged file alone keeps nobody out."""
    monkeypatch.setenv("ONE", KEY)
    monkeypatch.setenv("TWO", OTHER)
    vault = SubjectVault(KeyFolder(keys, master=KeyEnvironment("ONE")))
    for name in ("alice", "bob"):
        run(vault.cipher(Scope(name)))
    with pytest.raises(IntegrityError, match=r"which the environment \(TWO\) does not have"):
        run(SubjectVault(KeyFolder(keys, master=KeyEnvironment("TWO"))).cipher(Scope("carol")))
    first, *_ = sorted(it for it in (keys / "subjects").rglob("*") if it.is_file())
    first.write_bytes(first.read_bytes()[:-1])
    run(SubjectVault(KeyFolder(keys, master=KeyEnvironment("ONE"))).cipher(Scope("carol")))
    assert sum(it.is_file() for it in (keys / "subjects").rglob("*")) == 3


def test_a_key_store_has_a_name_of_its_own(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rotation changes it, no other store has it, and no key can be read from it."""
    monkeypatch.setenv("ONE", KEY)
    monkeypatch.setenv("TWO", OTHER)
    vault = SubjectVault(KeyFolder(keys))
    name = run(vault.name())
    vault.rotate_master()
    assert run(SubjectVault(KeyFolder(keys)).name()) == name
    assert run(SubjectVault(KeyEnvironment("TWO", "ONE")).name()) == run(SubjectVault(KeyEnvironment("ONE")).name())
    names = {run(SubjectVault(it).name()) for it in (KeyFolder(keys), KeyEnvironment("ONE"), KeyEnvironment("TWO"))}
    assert len(names) == 3
    assert not any(name in it.read_text("latin-1") for it in keys.rglob("*") if it.is_file())


async def test_a_key_of_the_environment_alone_cannot_forget_one_user(
    monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """Keys that are derived from one key work without any file; to destroy or rotate one's own is refused, and why."""
    monkeypatch.setenv("ONE", KEY)
    monkeypatch.setenv("TWO", OTHER)
    vault = SubjectVault(KeyEnvironment("ONE"))
    sealed = sealed_by(vault)
    assert opens(SubjectVault(KeyEnvironment("TWO", "ONE")), sealed)
    assert cipher_of(SubjectVault(KeyEnvironment("TWO", "ONE"))).fingerprint(b"x") == cipher_of(vault).fingerprint(b"x")
    assert await call(vault, "holds", ALICE)
    with pytest.raises(ConfigurationError, match=r"no user alone can be rid of its keys; use SubjectVault\(KeyFolder"):
        run(vault.destroy(ALICE))
    with pytest.raises(ConfigurationError, match="given another key"):
        await call(vault, "rotate", ALICE)
    with pytest.raises(ConfigurationError, match="wrapped by another key"):
        await call(vault, "rotate_master")


@pytest.mark.parametrize("value", [None, "", "short", "00" * 31, "g" * 64])
def test_a_variable_without_a_key_is_refused(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    """A variable that is not set, or holds no key, is refused at once, and never repeated."""
    monkeypatch.delenv("ONE", raising=False)
    if value is not None:
        monkeypatch.setenv("ONE", value)
    with pytest.raises(ConfigurationError, match="the variable 'ONE'") as refused:
        KeyEnvironment("ONE")
    assert not value or value not in str(refused.value)


@pytest.mark.parametrize("pasted", [KEY, "ab" * 32, "ab" * 20, "x" * 42 + "A=", "x-y z", "a9+/" * 10 + "aaA="])
def test_a_key_where_the_name_of_a_variable_belongs_is_not_shown(pasted: str) -> None:
    """Nor what may be one, or a part of one; what can only be a name is named."""
    with pytest.raises(ConfigurationError, match="give its name, such as 'AGENTMEM_KEY'") as refused:
        KeyEnvironment(pasted)
    assert pasted not in str(refused.value)
    with pytest.raises(ConfigurationError, match="the variable 'DEAD_BEEF' is not set"):
        KeyEnvironment("DEAD_BEEF")


# ----------------------------------------------------------------------------------------------------------- service
class Service:
    """A key service of a test: keeps what it wrapped, and forgets it where it is told to."""

    def __init__(self) -> None:
        self.kept: dict[bytes, tuple[bytes, Mapping[str, str]]] = {}
        self.awaited = 0

    def wrap(self, keys: bytes, about: Mapping[str, str]) -> bytes:
        name = f"wrapped {len(self.kept)}".encode()
        self.kept[name] = (keys, about)
        return name

    def unwrap(self, wrapped: bytes, about: Mapping[str, str]) -> bytes:
        keys, known = self.kept[wrapped]
        assert known == about
        return keys

    async def aunwrap(self, wrapped: bytes, about: Mapping[str, str]) -> bytes:
        self.awaited += 1
        return self.unwrap(wrapped, about)


async def test_a_service_wraps_keys(keys: Path) -> None:
    """A service is asked once per user, by its own coroutine where it has one, and never sees a memory."""
    service = Service()
    folder = KeyFolder(keys, master=KeyServer(service.wrap, service.unwrap, aunwrap=service.aunwrap))
    vault = SubjectVault(folder)
    cipher = await arun(vault.cipher(ALICE))
    assert (await arun(vault.cipher(ALICE))) is cipher
    assert service.awaited == 1
    assert len(service.kept) == 1
    assert await vault.arotate_master() == 1
    assert opens(SubjectVault(folder), cipher.seal(b"x", "row"))


def test_a_service_that_fails_is_named(keys: Path) -> None:
    """A service that cannot be reached is a retryable error without its words; one that answers nonsense is refused."""
    service = Service()
    away = KeyFolder(keys, master=KeyServer(service.wrap, service.unwrap))
    sealed_by(SubjectVault(away))
    service.kept.clear()
    with pytest.raises(StorageError, match=r"could not unwrap a key \(KeyError\)") as refused:
        cipher_of(SubjectVault(away))
    assert refused.value.is_retryable
    with pytest.raises(ConfigurationError, match="must return bytes, got str"):
        cipher_of(SubjectVault(KeyFolder(keys, master=KeyServer(service.wrap, lambda *_: "text"))))  # type: ignore[arg-type]  # (what is refused)
    with pytest.raises(ConfigurationError, match=r"KeyFolder\(path, master=KeyServer"):
        SubjectVault(KeyServer(service.wrap, service.unwrap))  # type: ignore[arg-type]  # (likewise)


@pytest.mark.parametrize("answer", ["no keys", "another user's", "changed"])
def test_a_service_that_answers_for_another_key_loses_nobodys(keys: Path, answer: str) -> None:
    """It is told as the service's fault, to be tried again, and never as a reason to erase; set right, all opens."""
    service = Service()
    sealed = sealed_by(SubjectVault(KeyFolder(keys, master=KeyServer(service.wrap, service.unwrap))))
    [(right, _)] = service.kept.values()
    wrong = {"no keys": b"x" * 32, "another user's": KeyRing.new().packed(), "changed": right[:-1]}[answer]
    misled = SubjectVault(KeyFolder(keys, master=KeyServer(service.wrap, lambda *_: wrong)))
    for scope in (ALICE, BOB):  # of whom there are no keys yet
        with pytest.raises(IntegrityError, match="see that it is the service that wrapped them") as told:
            cipher_of(misled, scope)
        assert told.value.is_retryable
        assert (type(told.value), "privacy.erase" in str(told.value)) == (IntegrityError, False)
    assert opens(SubjectVault(KeyFolder(keys, master=KeyServer(service.wrap, service.unwrap))), sealed)


def test_a_key_that_a_service_answers_wrong_for_hinders_nobody_else(keys: Path) -> None:
    """Others read on, new users come, and `rotate_master` wraps the others anew, and names the file."""
    service = Service()
    vault = SubjectVault(KeyFolder(keys, master=KeyServer(service.wrap, service.unwrap)))
    sealed = sealed_by(vault, ALICE), sealed_by(vault, BOB)
    [wrong, *_] = service.kept
    service.kept[wrong] = b"x" * 32, service.kept[wrong][1]
    again = SubjectVault(KeyFolder(keys, master=KeyServer(service.wrap, service.unwrap)))
    assert opens(again, sealed_by(again, Scope("carol")), Scope("carol"))
    assert opens(again, sealed[1], BOB)
    with pytest.raises(IntegrityError, match="answers for another key") as told:
        cipher_of(again, ALICE)
    assert "privacy.erase" not in str(told.value)
    with pytest.raises(IntegrityError, match="2 key files were wrapped anew, and 1 could not be"):
        again.rotate_master()


# ------------------------------------------------------------------------------------------------------------- options
def test_a_configuration_names_a_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder beside the file, with a master key of the environment or its own; or a key of the environment alone."""
    monkeypatch.setenv("ONE", KEY)
    file = tmp_path / "agentmem.yaml"
    for said, kept in (("keys", True), ("{folder: keys, variable: ONE}", True), ("{variable: ONE}", False)):
        file.write_text(f"path: {said[1:5]}.db\nconsent: assumed\nembeddings: null\nvault: {said}\n")
        with AgentMemory.from_config(file) as memory:
            memory.long_term.remember("I like tea", scope=ALICE)
        assert (tmp_path / "keys" / "subjects").exists() == kept
        shutil.rmtree(tmp_path / "keys", ignore_errors=True)


@pytest.mark.parametrize(
    ("said", "why"), [("{}", "neither a folder nor a variable"), ("{variable: NOT_SET}", "the variable 'NOT_SET'")]
)
def test_a_vault_without_keys_is_refused(tmp_path: Path, said: str, why: str) -> None:
    """A configuration whose vault has no keys is refused when the memory is made."""
    (tmp_path / "agentmem.yaml").write_text(f"path: a.db\nvault: {said}\n")
    with pytest.raises(ConfigurationError, match=why):
        AgentMemory.from_config(tmp_path / "agentmem.yaml")


def test_vectors_in_the_clear_are_a_choice(keys: Path) -> None:
    """An index of one's own beside a vault is refused, unless its vectors may be read."""
    vault = SubjectVault(KeyFolder(keys))
    shared: dict[str, Any] = {"vault": vault, "embeddings": WordEmbeddings(dim=8), "index": InMemoryVectorStore}
    with pytest.raises(ConfigurationError, match="allow_plain_vectors=True"):
        AgentMemory.connect(sql="sqlite://", **shared)
    AgentMemory.connect(sql="sqlite://", allow_plain_vectors=True, **shared).close()


def test_names_in_an_index_are_keyed_by_the_vault(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can compute a user's name there; it is the same in every process, and after every rotation."""

    def made(vault: object, **options: Any) -> VectorStoreIndex:
        index = chosen_index(VectorStoreIndex(InMemoryVectorStore, "m", **options), "m", {}, vault)
        assert isinstance(index, VectorStoreIndex)
        return index

    vault = SubjectVault(KeyFolder(keys))
    first = made(vault)._names.subject(ALICE)
    assert first != made(None)._names.subject(ALICE)
    vault.rotate_master()
    assert made(SubjectVault(KeyFolder(keys)))._names.subject(ALICE) == first
    assert made(SubjectVault(KeyFolder(keys.with_name("other"))))._names.subject(ALICE) != first
    assert made(vault, key=b"own" * 8)._names.subject(ALICE) == made(None, key=b"own" * 8)._names.subject(ALICE)
    monkeypatch.setenv("MASTER", "11" * 32)
    derived = made(SubjectVault(KeyEnvironment("MASTER")))._names.subject(ALICE)
    assert derived == made(SubjectVault(KeyEnvironment("MASTER")))._names.subject(ALICE) != first
    with pytest.raises(ConfigurationError, match="key=…"):
        made(object())


def test_keys_know_whether_they_are_kept(vault: SubjectVault, keys: Path) -> None:
    """Rotated keys seal on; destroyed ones seal nothing, though their user has others by now."""
    late = cipher_of(vault)
    other = SubjectVault(KeyFolder(keys))
    other.rotate(ALICE)
    other.rotate_master()
    assert cipher_of(vault).open(late.seal(b"on its way", "row"), "row") == b"on its way"
    run(other.destroy(ALICE))
    for _ in range(2):
        with pytest.raises(ConflictError, match="erased while this was on its way"):
            late.seal(b"on its way", "row")
        with pytest.raises(ConflictError):
            late.of_thread("t").seal(b"on its way", "row")
        cipher_of(other)
