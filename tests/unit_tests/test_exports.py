"""Exports: sealed with their user's key, written and read some lines at a time, and refused by the line."""

from __future__ import annotations

import json
import stat
import tracemalloc
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import HumanMessage
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, ScopeError, transfer
from langchain_agentmem._flow import run
from langchain_agentmem.checkpoint import SQLSaver
from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.ledger.standing import EMBED_JOB
from langchain_agentmem.transfer.lines import Seal
from langchain_agentmem.vault import SubjectVault
from langchain_agentmem.vault.keyring import Subject
from tests.contracts.long_term_contract import Clock
from tests.contracts.privacy_contract import ALICE, BOB, WORD, fill, forge, kept_of, of, records_of, subject, written
from tests.fake_embeddings import WordEmbeddings
from tests.vaults import MemoryKeys

OPTIONS: dict[str, Any] = {"embeddings": WordEmbeddings(dim=16), "store": {"subject": subject}}
Change = Callable[[list[bytes]], list[bytes]]


@pytest.fixture(scope="module")
def vault() -> SubjectVault:
    return SubjectVault(MemoryKeys())


@pytest.fixture(scope="module")
def sealing(vault: SubjectVault) -> Iterator[AgentMemory]:
    """A memory under a vault, of which these tests only read."""
    with AgentMemory.in_memory(**OPTIONS, vault=vault) as memory:
        fill(memory, ALICE, WORD)
        yield memory


@pytest.fixture
def plain() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None) as memory:
        yield memory


@pytest.fixture
def file(plain: AgentMemory, tmp_path: Path) -> Path:
    plain.consent.grant(ALICE)
    plain.long_term.remember("Alice owns a boat", scope=ALICE)
    plain.privacy.export(ALICE, tmp_path / "alice.jsonl")
    return tmp_path / "alice.jsonl"


# -------------------------------------------------------------------------------------------------------------- sealed
def test_a_sealed_export_tells_nothing_but_its_key(sealing: AgentMemory, tmp_path: Path) -> None:
    """Neither words nor whose it is; only its owner may read the file; digests and counts are checked without one."""
    path = tmp_path / "alice.jsonl"
    done = sealing.privacy.export(ALICE, path)
    stored = path.read_bytes()
    assert done.is_sealed
    assert not [word for word in (WORD.encode(), b"alice", b"default") if word in stored]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with AgentMemory.in_memory(embeddings=None) as other:
        seen = other.privacy.verify_export(path)
        counts = {name: count for name, count in done.counts.items() if count}
        assert (seen.sha256, seen.counts) == (done.sha256, counts)
        with pytest.raises(ConfigurationError, match="vault"):
            other.privacy.import_(path, scope=ALICE)
    assert sealing.privacy.verify_export(path, scope=ALICE).counts == done.counts


def test_a_sealed_export_brings_what_a_plain_one_brings(
    sealing: AgentMemory, vault: SubjectVault, tmp_path: Path
) -> None:
    """Into another database with the same keys; the plain copy needs none."""
    sealing.privacy.export(ALICE, tmp_path / "sealed")
    told = sealing.privacy.export(ALICE, tmp_path / "plain", sealed=False)
    assert not told.is_sealed
    for name, keys in (("sealed", vault), ("plain", None)):
        with AgentMemory.in_memory(**OPTIONS, vault=keys) as other:
            other.privacy.import_(tmp_path / name, scope=ALICE, trust_consent=True)
            other.privacy.export(ALICE, tmp_path / "again", sealed=False)
        assert kept_of(tmp_path / "again") == kept_of(tmp_path / "plain")


def test_a_lost_export_of_an_erased_user_cannot_be_read(tmp_path: Path) -> None:
    """Its key went with the user; the copy that they were handed opens still."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", vault=SubjectVault(MemoryKeys())) as memory:
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
        memory.privacy.export(ALICE, tmp_path / "lost")
        memory.privacy.export(ALICE, tmp_path / "own", sealed=False)
        memory.privacy.erase(ALICE)
        with pytest.raises(IntegrityError, match=r"line 2 .* which this user does not have"):
            memory.privacy.import_(tmp_path / "lost", scope=ALICE)
        assert memory.privacy.import_(tmp_path / "own", scope=ALICE).layers["memories"].added == 1


def forged(lines: list[bytes]) -> bytes:
    """Return lines with the digests that they would have, had they been written like that."""
    seal, digest, found = Seal(is_ascii=True), sha256(), list[bytes]()
    for number, line in enumerate(lines, 1):
        body = {name: value for name, value in json.loads(line).items() if name != "digest"}
        if number == len(lines):
            body |= {"lines": number - 1, "sha256": digest.hexdigest()}
        found.append(seal.close(body))
        digest.update(found[-1])
    return b"".join(found)


def test_somebody_elses_sealed_export_is_told_as_such(tmp_path: Path) -> None:
    """Who named the wrong user is told so, and not to erase the one they named; of lost keys it is told what to do."""
    keys = MemoryKeys()
    with AgentMemory.in_memory(embeddings=None, consent="assumed", vault=SubjectVault(keys)) as memory:
        for scope in (ALICE, BOB):
            memory.long_term.remember("I own a boat", scope=scope)
        memory.privacy.export(ALICE, tmp_path / "file")
        for asked in (memory.privacy.import_, memory.privacy.verify_export):
            with pytest.raises(IntegrityError, match=r"line 2 .* it is another user's export, or") as told:
                asked(tmp_path / "file", scope=BOB)
            assert "privacy.erase" not in str(told.value)
        run(keys.destroy(Subject.of(BOB)))
        with pytest.raises(IntegrityError, match=r"line 2 .* put them back from the key store's own backup"):
            memory.privacy.verify_export(tmp_path / "file", scope=BOB)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda it, _: [*it[:5], it[6], it[5], *it[7:]], 6),
        (lambda it, _: [*it[:5], *it[6:]], 6),
        (lambda it, _: [*it[:-3], it[-1]], -1),
        (lambda it, other: [*it[:5], other[5], *it[6:]], 6),
        (lambda it, other: [other[0], *it[1:]], 2),
        (lambda it, _: [*it[:5], it[5].replace(b'"sealed":"', b'"sealed":"AAAA'), *it[6:]], 6),
    ],
    ids=["reordered", "a line is gone", "cut", "a line of another export", "another header", "changed"],
)
def test_who_has_no_key_cannot_forge_a_sealed_export(
    sealing: AgentMemory, tmp_path: Path, change: Callable[[list[bytes], list[bytes]], list[bytes]], line: int
) -> None:
    """Though every digest is right: what each line is sealed as says which line of which export it is."""
    one, other, path = (tmp_path / name for name in ("one", "other", "forged"))
    for it in (one, other):
        sealing.privacy.export(ALICE, it)
    lines = change(one.read_bytes().splitlines(), other.read_bytes().splitlines())
    path.write_bytes(forged(lines))
    with pytest.raises(IntegrityError, match=f"line {line if line > 0 else len(lines)} "):
        sealing.privacy.import_(path, scope=ALICE, as_=BOB)
    assert sealing.privacy.report(BOB).is_empty


def test_without_a_key_a_line_of_no_layer_is_found(sealing: AgentMemory, plain: AgentMemory, tmp_path: Path) -> None:
    """What counts lines of a sealed export by their layers names the line that has none."""
    sealing.privacy.export(ALICE, tmp_path / "file")
    lines = (tmp_path / "file").read_bytes().splitlines()
    (tmp_path / "forged").write_bytes(forged([*lines[:2], b'{"layer":[]}', *lines[3:]]))
    with pytest.raises(IntegrityError, match=r"line 3 .* it is no sealed line"):
        plain.privacy.verify_export(tmp_path / "forged")


def test_without_a_vault_nothing_is_sealed(plain: AgentMemory, tmp_path: Path) -> None:
    """Asking for it is an error, before anything is written."""
    with pytest.raises(ConfigurationError, match="vault"):
        plain.privacy.export(ALICE, tmp_path / "alice.jsonl", sealed=True)
    with pytest.raises(ConfigurationError, match="sealed"):
        plain.privacy.export(ALICE, tmp_path / "alice.jsonl", sealed="yes")  # type: ignore[arg-type]  # what is tried
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------------------- streams
def test_an_export_and_its_import_hold_little_in_memory(tmp_path: Path) -> None:
    """Of a file of some megabytes, at most the lines of one batch, and a few bytes for each record."""
    path, said = tmp_path / "alice.jsonl", "word " * 800
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed", episodes=False) as memory:
        memory.history(of(ALICE, session_id="chat")).add_messages(
            [HumanMessage(said, id=f"m{it}") for it in range(1_200)]
        )
        memory.privacy.export(BOB, tmp_path / "bob.jsonl")  # imports what it needs
        memory.privacy.import_(tmp_path / "bob.jsonl", scope=BOB)
        peaks = [
            peak_of(lambda: memory.privacy.export(ALICE, path)),
            peak_of(lambda: memory.privacy.import_(path, scope=ALICE, as_=BOB)),
        ]
        assert memory.history(of(BOB, session_id="chat")).count() == 1_200
    assert path.stat().st_size > 4_800_000
    assert max(peaks) < path.stat().st_size // 2, peaks


def peak_of(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_export_that_fails_leaves_no_file(plain: AgentMemory, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was there under its name stays as it was, and nothing stands beside it."""
    before = file.read_bytes()
    layer = plain.privacy._parts.moving._layers()[-1]

    def fails(*_: object) -> None:
        msg = "the disk is gone"
        raise OSError(msg)

    monkeypatch.setattr(type(layer), "export", fails)
    with pytest.raises(OSError, match="gone"):
        plain.privacy.export(ALICE, file)
    assert (file.read_bytes(), list(file.parent.iterdir())) == (before, [file])


def test_an_export_that_no_log_tells_of_leaves_no_file(
    plain: AgentMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the event cannot be written, as in a database that can only be read, nobody has a copy."""

    def fails(*_: object) -> None:
        msg = "attempt to write a readonly database"
        raise StorageError(msg)

    monkeypatch.setattr(type(plain.privacy._parts.moving._ledger), "append", fails)
    with pytest.raises(StorageError, match="readonly"):
        plain.privacy.export(ALICE, tmp_path / "copy.jsonl")
    assert list(tmp_path.glob("copy*")) == []


# ------------------------------------------------------------------------------------------------------------- vectors
@pytest.mark.parametrize("is_fed", [False, True])
def test_what_was_imported_is_found_by_meaning(file: Path, *, is_fed: bool) -> None:
    """In the view, and in an index beside the database; every memory has its vector."""
    stores: list[InMemoryVectorStore] = []

    def made(embeddings: Embeddings) -> InMemoryVectorStore:
        stores.append(InMemoryVectorStore(embeddings))
        return stores[-1]

    index: dict[str, Any] = {"index": made, "index_above": 0} if is_fed else {}
    with AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(dim=64), **index) as memory:
        memory.privacy.import_(file, scope=ALICE, trust_consent=True)
        found = memory.long_term.recall("whose boat?", scope=ALICE)
        assert [it.memory.content for it in found] == ["Alice owns a boat"]
        assert memory.privacy.report(ALICE).counts["vectors"] == 1
        assert not memory.jobs.list(scope=ALICE)
        assert [len(it.store) for it in stores] == [1] * is_fed


def test_a_model_that_is_away_stops_no_import(file: Path) -> None:
    """The vectors come when it is back, by whoever runs the jobs."""
    embeddings = WordEmbeddings(dim=64)
    embeddings.fails_with = TimeoutError()
    clock = Clock()
    with AgentMemory.in_memory(embeddings=embeddings, clock=clock) as memory:
        for added in (1, 0):
            assert memory.privacy.import_(file, scope=ALICE, trust_consent=True).layers["memories"].added == added
        assert [it.kind for it in memory.jobs.list(scope=ALICE)] == [EMBED_JOB]
        embeddings.fails_with = None
        clock.now += timedelta(hours=1)
        memory.jobs.run()
        assert memory.privacy.report(ALICE).counts["vectors"] == 1


# ---------------------------------------------------------------------------------------------------------- provenance
def test_an_import_says_where_each_memory_comes_from(plain: AgentMemory, file: Path) -> None:
    """The log names the export, and the event that the memory had there; the memory keeps its own provenance."""
    [told] = plain.long_term.list(scope=ALICE)
    done = plain.privacy.import_(file, scope=ALICE, as_=BOB, trust_consent=True)
    [came] = plain.long_term.list(scope=BOB)
    [event] = [it for it in plain.long_term.why(came.id, scope=BOB).events if it.type == "remembered"]
    assert event.payload is not None
    assert event.payload["note"] == {"export": done.export_id, "event": told.revision}
    assert (came.provenance, came.created_at) == (told.provenance, told.created_at)


# ------------------------------------------------------------------------------------------------------------ versions
def first_version(file: Path) -> None:
    """Write an export as the first release did."""
    user, records = records_of(file)
    named = {"tenant_id": user.tenant_id, "user_id": user.user_id}
    header = {
        "format": "langchain-agentmem/subject",
        "version": 1,
        "subject": named,
        "exported_at": "2026-03-01T12:00Z",
    }
    bodies: list[dict[str, Any]] = [{**header, "counts": {name: len(every) for name, every in records.items()}}]
    bodies += [{"layer": name, "id": it.id, "data": it.data} for name, every in records.items() for it in every]
    lines = b"".join(json.dumps(it, separators=(",", ":")).encode() + b"\n" for it in bodies)
    end = {"lines": len(bodies), "sha256": sha256(lines).hexdigest()}
    file.write_bytes(lines + json.dumps(end, separators=(",", ":")).encode() + b"\n")


def test_an_export_of_the_first_version_is_read(plain: AgentMemory, file: Path) -> None:
    """Yesterday's file comes in today, and is held against its digest."""
    first_version(file)
    assert plain.privacy.verify_export(file).counts["memories"] == 1
    assert plain.privacy.import_(file, scope=ALICE, as_=BOB, trust_consent=True).layers["memories"].added == 1
    file.write_bytes(file.read_bytes().replace(b"a boat", b"a goat"))
    with pytest.raises(IntegrityError, match="digest"):
        plain.privacy.verify_export(file)


@pytest.mark.parametrize("version", [0, 3, "2", None])
def test_another_version_is_refused_by_its_number(plain: AgentMemory, file: Path, version: object) -> None:
    """It names what this release reads."""
    head, rest = file.read_bytes().split(b"\n", 1)
    file.write_bytes(json.dumps({**json.loads(head), "version": version}).encode() + b"\n" + rest)
    with pytest.raises(ConfigurationError, match=f"version {version!r}, this release reads versions 1 and 2"):
        plain.privacy.import_(file, scope=ALICE, as_=BOB)


# ----------------------------------------------------------------------------------------------------------- bad files
@pytest.mark.parametrize(
    "data",
    [
        {"content": "x" * 10_000_000},
        {"content": "NUL \x00"},
        {"tags": "abc"},
        {"supersedes": [7]},
        {"agent_id": 7},
        {"confidence": float("nan")},
        {"life": "merged"},
        {"life": {"by": 7}},
        {"life": {"by": "NUL \x00"}},
        {"life": {"was": "erased"}},
        {"life": {"in_part": "yes"}},
        {"life": {"held": [1]}},
        {"life": {"held": {"valid_at": 10**30}}},
    ],
)
def test_a_record_nobody_wrote_is_refused_by_its_line(plain: AgentMemory, file: Path, data: dict[str, Any]) -> None:
    """Sizes, NUL, types; though every digest is right, and nothing is written."""
    forge(file, "memories", lambda it: it.update(data))
    with pytest.raises(IntegrityError, match=r"line [0-9]+ .*'memories' cannot be read"):
        plain.privacy.import_(file, scope=ALICE, as_=BOB)
    assert plain.privacy.report(BOB).is_empty


@pytest.mark.parametrize("damage", [b"{", b"\x00", b"[" * 100_000, b'"text"', b64encode(bytes(64))])
def test_a_line_that_is_no_json_is_named(plain: AgentMemory, file: Path, damage: bytes) -> None:
    """Wherever it stands; `verify_export` names it, too."""
    lines = file.read_bytes().splitlines()
    file.write_bytes(b"\n".join([*lines[:3], damage, *lines[3:]]))
    for refused in (plain.privacy.verify_export, lambda it: plain.privacy.import_(it, scope=ALICE, as_=BOB)):
        with pytest.raises(IntegrityError, match="line 4 "):
            refused(file)


def test_an_id_that_comes_twice_is_refused(plain: AgentMemory, file: Path) -> None:
    """By the line of the second."""
    user, records = records_of(file)
    written(file, user, {**records, "memories": records["memories"] * 2})
    with pytest.raises(IntegrityError, match="'memories' stands in a line before it"):
        plain.privacy.import_(file, scope=ALICE, as_=BOB)
    assert plain.privacy.report(BOB).is_empty


def test_another_tenants_export_is_refused(plain: AgentMemory, file: Path) -> None:
    """The same user id makes nobody the same user."""
    elsewhere = Scope("alice", tenant_id="acme")
    with pytest.raises(ScopeError, match="of tenant 'default', not of 'alice' of 'acme'"):
        plain.privacy.import_(file, scope=elsewhere)
    with pytest.raises(ScopeError):
        plain.privacy.verify_export(file, scope=elsewhere)
    assert plain.privacy.report(elsewhere).status == "unknown"


def test_a_file_that_changes_while_it_is_read_is_noticed(
    plain: AgentMemory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is held against what was looked through, before any of it is written."""
    moving = plain.privacy._parts.moving
    looked = moving._looked_through

    def changed(*args: Any) -> Any:  # noqa: ANN401  (a flow)
        found = yield from looked(*args)
        file.write_bytes(file.read_bytes().replace(b"a boat", b"a goat"))
        return found

    monkeypatch.setattr(moving, "_looked_through", changed)
    with pytest.raises(IntegrityError, match="changed while it was read"):
        plain.privacy.import_(file, scope=ALICE, as_=BOB)
    assert [*plain.long_term.list(scope=BOB)] == []


# ------------------------------------------------------------------------------------------------------------- threads
def test_a_thread_of_a_vault_is_exported_sealed(sealing: AgentMemory, vault: SubjectVault, tmp_path: Path) -> None:
    """It opens where the thread is bound to its user, and nowhere else; no line can be taken away or moved."""
    path, name = tmp_path / "thread.jsonl", "thread-alice"
    found = transfer.export_thread(sealing.checkpointer, name, path).found
    assert WORD.encode() not in path.read_bytes()
    with SQLSaver.from_url("sqlite://", vault=vault) as target:
        with pytest.raises(ScopeError, match="bind"):
            transfer.import_thread(target, path)
        target.bind(name, scope=BOB)
        with pytest.raises(IntegrityError, match=r"line 2 .*does not open"):
            transfer.import_thread(target, path)
    with SQLSaver.from_url("sqlite://") as plain, pytest.raises(ConfigurationError, match="sealed"):
        transfer.import_thread(plain, path)
    with SQLSaver.from_url("sqlite://", vault=vault) as target:
        target.bind(name, scope=ALICE)
        head, *lines = path.read_bytes().splitlines()
        for change in (
            [head, lines[1], lines[0], *lines[2:]],
            [head.replace(b'checkpoints":3', b'checkpoints":2'), *lines[:2]],
        ):
            (tmp_path / "forged").write_bytes(chained(change))
            with pytest.raises(IntegrityError, match="line 2 "):
                transfer.import_thread(target, tmp_path / "forged")
        assert transfer.import_thread(target, path).added == found


def chained(lines: list[bytes]) -> bytes:
    seal = Seal()
    bodies = [json.loads(line) for line in lines]
    return b"".join(seal.close({name: it[name] for name in it if name != "digest"}) for it in bodies)


def test_a_thread_is_exported_in_plain_text_where_that_is_said(sealing: AgentMemory, tmp_path: Path) -> None:
    """For its user; a checkpointer without a vault seals nothing."""
    transfer.export_thread(sealing.checkpointer, "thread-alice", tmp_path / "t", sealed=False)
    assert WORD.encode() in (tmp_path / "t").read_bytes()
    with SQLSaver.from_url("sqlite://") as plain:
        transfer.import_thread(plain, tmp_path / "t")
        with pytest.raises(ConfigurationError, match="vault"):
            transfer.export_thread(plain, "thread-alice", tmp_path / "u", sealed=True)
