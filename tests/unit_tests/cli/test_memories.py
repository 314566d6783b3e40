"""Commands about the memory of one user: inspect, why, list, forget, restore, erase."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from typer.testing import CliRunner

from langchain_agentmem import AgentMemory, Candidate, Provenance, Scope, cli
from langchain_agentmem._checks import utc_now
from langchain_agentmem.errors import StorageError
from langchain_agentmem.long_term.service import LongTermMemory
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE = Scope("alice", session_id="talk")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice prefers [bold] tea", scope=Scope("alice"), kind="preference")
        memory.long_term.remember("Alice lives in Paris", scope=Scope("alice"))
        memory.working.update(ALICE, goal="Book a flight to Rome")
        memory.goals.add("Alice wants to see Rome", scope=ALICE)
    return path


def kept(database: Path) -> set[str]:
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        return {it.content for it in memory.long_term.list(scope=Scope("alice"))}


def test_inspect_shows_layers_and_no_words(database: Path) -> None:
    """Rows, bytes and the last write of each layer; what is remembered stays unsaid."""
    output = run("inspect", database, "--user", "alice").output
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}
    assert (rows["memories"][1], rows["working"][1], rows["memories"][3] != "–") == ("3", "1", True)
    assert ("1 fact, 1 goal, 1 preference" in output, "Paris" in output, "Rome" in output) == (True, False, False)


def test_inspect_can_be_read_by_programs(database: Path) -> None:
    """The same as JSON; of somebody unknown nothing."""
    found = answer("inspect", database, "--user", "alice")
    assert {it["layer"]: it["rows"] for it in found["layers"]}["working"] == 1
    assert {it["rows"] for it in answer("inspect", database, "--user", "bob")["layers"]} == {0}


def test_why_tells_the_life_of_a_memory(database: Path) -> None:
    """Each event with its reason."""
    [memory_id] = [it["id"] for it in answer("list", database, "--user", "alice") if "tea" in it["content"]]
    output = run("why", database, memory_id, "--user", "alice").output
    assert ("Alice prefers [bold] tea" in output, "remembered  No rule objected" in output) == (True, True)
    assert len(re.findall(r"\d\d:\d\d", output)) == 1  # it happened once, and is told once
    told = answer("why", database, memory_id, "--user", "alice")
    assert (told["status"], len(told["events"])) == ("active", 1)
    assert "tea" not in str(told)


def test_a_list_breaks_no_id(database: Path) -> None:
    """However narrow the terminal: what `why` and `--id` take stands there in one piece."""
    ids = [it["id"] for it in answer("list", database, "--user", "alice")]
    shown = CliRunner().invoke(cli.app, ["list", str(database), "--user", "alice"], env={"COLUMNS": "20"}).output
    assert [line.split()[0] for line in shown.splitlines()[::2]] == ids


def test_why_of_an_unknown_memory_is_one_line(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of another user's."""
    assert "nobody" in refusal(monkeypatch, capsys, "why", database, "nobody", "--user", "alice")


def test_a_dry_run_forgets_nothing_and_says_why(database: Path) -> None:
    """What would be forgotten, each with its reason."""
    before = kept(database)
    output = run("forget", database, "--user", "alice", "--about", "Paris", "--dry-run").output
    assert ("Alice lives in Paris" in output, "it says 'Paris'" in output, "tea" in output) == (True, True, False)
    assert kept(database) == before


@pytest.mark.parametrize(("typed", "code", "left"), [("y\n", 0, 2), ("n\n", 1, 3), ("", 1, 3)])
def test_forgetting_asks_first(database: Path, typed: str, code: int, left: int) -> None:
    """Without a yes nothing is forgotten."""
    result = run("forget", database, "--user", "alice", "--about", "Paris", input=typed)
    assert (result.exit_code, len(kept(database))) == (code, left)


def test_everything_can_be_forgotten_without_asking(database: Path) -> None:
    """With `--yes`; the log keeps the reason."""
    ids = {it["id"] for it in answer("list", database, "--user", "alice")}
    done = answer("forget", database, "--user", "alice", "--all", "--yes", "--reason", "left the company")
    assert ({it["id"] for it in done["forgotten"]}, kept(database)) == (ids, set())
    assert "left the company" in str(answer("why", database, ids.pop(), "--user", "alice"))


def test_a_memory_can_be_named_by_its_id(database: Path) -> None:
    """That one, and no other."""
    [memory_id] = [it["id"] for it in answer("list", database, "--user", "alice") if "tea" in it["content"]]
    assert run("forget", database, "--user", "alice", "--id", memory_id, "--yes").exit_code == 0
    assert not [it for it in kept(database) if "tea" in it]
    told = " ".join(run("forget", database, "--user", "alice", "--about", "zebra").output.split())
    assert "nothing of alice is meant: no memory that is not forgotten yet has every word of 'zebra'; what" in told


def test_a_restoring_that_finds_nothing_looked_among_what_was_forgotten(database: Path) -> None:
    """An active memory says the word, and nothing is noted: neither may be denied, or promised."""
    told = " ".join(run("restore", database, "--user", "alice", "--about", "tea", "--yes").output.split())
    assert told == "nothing of alice is meant: no forgotten memory has every word of 'tea'"
    erased = " ".join(run("erase", database, "--user", "alice", "--about", "zebra", "--yes").output.split())
    assert "no memory, forgotten or not, has every word of 'zebra'; what still waits" in erased


def test_what_was_forgotten_can_be_listed_and_restored(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is found as before, and its life tells both; what is remembered needs no restoring."""
    of = (database, "--user", "alice")
    assert run("forget", *of, "--about", "Paris", "--yes").exit_code == 0
    [gone] = answer("list", *of, "--status", "forgotten")
    assert run("restore", *of, "--id", gone["id"], input="n\n").exit_code == 1
    assert (run("restore", *of, "--all", "--yes").exit_code, "Alice lives in Paris" in kept(database)) == (0, True)
    assert [it["type"] for it in answer("why", database, gone["id"], *of[1:])["events"]][1:] == [
        "forgotten",
        "restored",
    ]
    assert "is active" in refusal(monkeypatch, capsys, "restore", *of, "--id", gone["id"])
    assert "use one of" in refusal(monkeypatch, capsys, "list", *of, "--status", "gone")


def test_what_was_forgotten_is_restored_with_what_it_took_along(database: Path) -> None:
    """A merge went with its source, and comes back with it, whichever of them is found first."""
    of, alice = (database, "--user", "alice"), Scope("alice")
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        ids = [memory.long_term.remember(it, scope=alice).require().id for it in ("Alice rows", "Bob sings")]
        both = memory.long_term.merge(ids, "Alice rows and Bob sings", scope=alice).require().id
        memory.long_term.forget(ids[0], scope=alice)
    restored = answer("restore", *of, "--all", "--yes")["restored"]
    assert {it["id"] for it in restored} == {ids[0], both}
    assert "Alice rows and Bob sings" in kept(database)
    assert "Bob sings" not in kept(database)


def test_erasing_asks_first_and_leaves_no_word(database: Path) -> None:
    """Forgotten or not: a dry run shows it, a no keeps it, and then the file does not hold it any more."""
    of = (database, "--user", "alice")
    run("forget", *of, "--about", "Paris", "--yes")
    assert "Alice lives in Paris" in run("erase", *of, "--about", "Paris", "--dry-run").output
    assert run("erase", *of, "--about", "Paris", input="n\n").exit_code == 1
    [gone] = answer("list", *of, "--status", "forgotten")
    assert answer("erase", *of, "--about", "Paris", "--yes")["erased"][0]["id"] == gone["id"]
    assert b"Paris" not in database.read_bytes()
    assert "erased" in run("why", database, gone["id"], "--user", "alice").output
    assert answer("verify", *of)["is_intact"] is True


def ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Run a command as the shell does; return its exit code, and what stands in its output."""
    monkeypatch.setattr("sys.argv", ["agentmem", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return int(left.value.code or 0), capsys.readouterr().out


@pytest.mark.parametrize("command", ["erase", "forget", "restore"])
def test_nothing_is_told_as_done_that_was_refused(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """Whoever keeps the output as proof has none of what is still there; broken off, they have what was done."""
    of = (database, "--user", "alice", "--all", "--yes", "--json")
    done: str = {"erase": "erased", "forget": "forgotten", "restore": "restored"}[command]
    if command == "restore":
        assert run("forget", *of).exit_code == 0
    act, count = getattr(LongTermMemory, command), list[tuple[Any, ...]]()

    def failing(self: LongTermMemory, *given: Any, **named: Any) -> object:
        count.append(given)
        if len(count) % 2:
            return act(self, *given, **named)
        msg = "the database is away; start it"
        raise StorageError(msg)

    monkeypatch.setattr(LongTermMemory, command, failing)
    code, told = ended(monkeypatch, capsys, command, *of)
    assert (code, [it["id"] for it in json.loads(told)[done]]) == (2, [count[0][0]])
    count.append(())
    assert ended(monkeypatch, capsys, command, *of) == (2, "")


def test_what_a_hold_keeps_is_not_told_as_erased(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal stands alone."""
    run("hold", database, "--user", "alice", "--reason", "a case")
    before = kept(database)
    assert ended(monkeypatch, capsys, "erase", database, "--user", "alice", "--all", "--yes", "--json") == (2, "")
    assert kept(database) == before


def test_erasing_takes_turns_along_where_that_is_asked_for(tmp_path: Path) -> None:
    """Those that a memory was taken from, and no others."""
    place, talk = tmp_path / "agent.db", Scope("alice", session_id="monday")
    with AgentMemory.embedded(place, embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest(
            [HumanMessage("I moved to Oslo", id="1"), HumanMessage("I like tea", id="2")], scope=talk
        )
        said = Candidate(content="Alice lives in Oslo", provenance=Provenance(message_ids=("1",)))
        known = memory.long_term.remember(said, scope=talk).require()
    assert run("erase", place, "--user", "alice", "--id", known.id, "--with-sources", "--yes").exit_code == 0
    with AgentMemory.embedded(place, embeddings=None) as memory:
        assert [it.text for it in memory.episodes.list(scope=talk)] == ["I like tea"]
    assert b"Oslo" not in place.read_bytes()


@pytest.mark.parametrize("options", [["--all"], ["--about", "Oslo"]])
def test_turns_of_conversations_are_forgotten_too(database: Path, options: list[str]) -> None:
    """What was only said, and never became a fact, is shown, forgotten, and found no more."""
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest([HumanMessage("My sister moved to Oslo", id="1")], scope=ALICE)
    would = run("forget", database, "--user", "alice", *options, "--dry-run").output
    assert ("sister" in would, "episode" in would) == (True, True)
    assert run("forget", database, "--user", "alice", *options, "--yes").exit_code == 0
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        assert not memory.episodes.list(scope=Scope("alice"))
        assert not memory.long_term.recall("Who moved to Oslo?", scope=Scope("alice"), kinds=["episode"])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "say which are meant"),
        (["--all", "--about", "tea"], "only one of them: --about and --all were given"),
        (["--all", "--json"], "does not ask"),
        (["--id", "unknown"], "unknown here"),
    ],
)
def test_forgetting_what_is_not_clear_is_refused(
    database: Path, options: list[str], why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is forgotten."""
    assert why in refusal(monkeypatch, capsys, "forget", database, "--user", "alice", *options)
    assert len(kept(database)) == 3


def test_a_cycle_of_forgetting_is_shown_before_it_is_done(tmp_path: Path) -> None:
    """With the rule of each and no word of what is remembered; `--dry-run` and a no change nothing."""
    path, this = tmp_path / "agent.db", utc_now().year
    for content, year in (("Alice owns a lute", this - 2), ("Alice lives in Paris", this)):
        then = datetime(year, 1, 1, tzinfo=UTC)
        with AgentMemory.embedded(path, embeddings=None, consent="assumed", clock=lambda then=then: then) as memory:
            memory.long_term.remember(content, scope=Scope("alice"), kind="constraint" if year == this else "fact")
    told = answer("forget-cycle", path, "--user", "alice", "--dry-run", "--every")
    assert [(it["move"], it["rule"]) for it in told["fates"]] == [(None, "lasting"), ("archive", "old_and_rare")]
    told = run("forget-cycle", path, "--user", "alice", input="n\n")
    assert (told.exit_code, "lute" in told.output, len(kept(path))) == (1, False, 2)
    assert "1 archived, of 2" in run("forget-cycle", path, "--user", "alice", "--yes").output
    assert kept(path) == {"Alice lives in Paris"}
    assert "next: erase on" in run("forget-cycle", path, "--user", "alice", "--dry-run", "--every").output
