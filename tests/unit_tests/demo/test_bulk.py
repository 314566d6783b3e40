"""Conversations in bulk, by the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from langchain_agentmem import AgentMemory, Scope, cli
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Episode
from tests.unit_tests.demo.conversations import conversation_file, sample


def ingest(file: Path, *options: object) -> Result:
    return ingest_into(file.with_name("agent.db"), file, "--words-only", *options)


def ingest_into(place: object, file: Path, *options: object) -> Result:
    arguments = ["ingest", file, "--into", place, "--user", "alice", *options]
    return CliRunner().invoke(cli.app, [str(each) for each in arguments])


def kept(folder: Path, **scope: Any) -> list[Episode]:
    with AgentMemory.embedded(folder / "agent.db", embeddings=None) as memory:
        return list(memory.episodes.list(scope=Scope("alice", **scope)))


def lines(folder: Path, *messages: dict[str, Any] | str) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("\n".join(it if isinstance(it, str) else json.dumps(it) for it in messages), "utf-8")
    return path


def test_a_locomo_conversation_is_ingested_session_by_session(tmp_path: Path) -> None:
    """Speakers have their names, sessions their times, and sensitive data is masked; again, nothing is added."""
    file = conversation_file(tmp_path, sample())
    first, again = ingest(file, "--locomo", "--consented"), ingest(file, "--locomo")
    listed = kept(tmp_path)
    assert ("3 turns kept, 0 known" in first.output, "0 turns kept, 3 known" in again.output) == (True, True)
    assert [(it.speaker, f"{it.at:%Y-%m-%d}", it.scope.session_id) for it in listed] == [
        ("Ada", "2023-05-08", "conv-1/1"),
        ("Ben", "2023-05-08", "conv-1/1"),
        ("Ben", "2023-07-01", "conv-1/2"),
    ]
    assert "[card]" in listed[1].text


def test_lines_are_ingested_message_by_message(tmp_path: Path) -> None:
    """Each with its role, and where it says so with its name, time, session and id."""
    file = lines(
        tmp_path,
        {
            "session": "a",
            "role": "user",
            "name": "Mel",
            "content": "Nora moved",
            "at": "2026-03-01T09:00:00",
            "id": "1",
        },
        {"session": "a", "role": "assistant", "content": "Where to?"},
        "",
        {"session": "a", "role": "tool", "content": "looked it up"},
        {"session": "b", "role": "human", "content": "To Lisbon"},
    )
    result = ingest(file, "--jsonl", "--consented")
    first, second = kept(tmp_path, session_id="a") + kept(tmp_path, session_id="b")
    assert (result.exit_code, "2 turns kept" in result.output) == (0, True)
    assert (first.speaker, first.text, first.reply) == ("Mel", "Nora moved", "Where to?")
    assert (f"{first.at:%Y-%m-%dT%H:%M:%S%z}", first.message_ids[0]) == ("2026-03-01T09:00:00+0000", "1")
    assert (second.text, "0 turns kept, 2 known" in ingest(file, "--jsonl").output) == ("To Lisbon", True)


def test_each_file_has_lines_of_its_own(tmp_path: Path) -> None:
    """The same words in the same place of another file, or at another time, are kept; the same file adds only more."""
    rome = {"role": "user", "content": "I have moved to Rome now."}
    texts = ([rome], [{**rome, "at": "2026-03-03"}], [rome, {"role": "user", "content": "It is warm."}])
    counts = []
    for name, said in zip(("jan.jsonl", "feb.jsonl", "jan.jsonl"), texts, strict=True):
        file = lines(tmp_path, *said).rename(tmp_path / name)
        for _ in range(2):
            ingest(file, "--jsonl", "--consented")
            counts.append(len(kept(tmp_path)))
    assert counts == [1, 1, 2, 2, 3, 3]


def test_without_consent_nothing_is_kept(tmp_path: Path) -> None:
    """The command says how to go on, and does not end well."""
    result = ingest(conversation_file(tmp_path, sample()), "--locomo")
    assert (result.exit_code, "3 refused (consent)" in result.output, "--consented" in result.output) == (1, True, True)
    assert kept(tmp_path) == []


def test_conversations_go_where_a_url_or_a_configuration_says(tmp_path: Path) -> None:
    """What a configuration says holds, so here without a model; the same database by its URL has all of it."""
    file, configuration = conversation_file(tmp_path, sample()), tmp_path / "agentmem.yaml"
    configuration.write_text("path: agent.db\nembeddings: null\n", "utf-8")
    by_file = ingest_into(configuration, file, "--locomo", "--consented")
    by_url = ingest_into(f"sqlite:///{tmp_path / 'agent.db'}", file, "--locomo", "--words-only")
    assert ("3 turns kept" in by_file.output, "3 known already" in by_url.output) == (True, True)
    assert len(kept(tmp_path)) == 3


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"role": "user"}',
        '{"role": "king", "content": "x"}',
        '{"role": "user", "content": "x", "at": "soon"}',
    ],
)
def test_a_line_that_is_no_message_is_named(tmp_path: Path, line: str) -> None:
    """What came before it is kept, or is not; the error says where to look."""
    file = lines(tmp_path, {"role": "user", "content": "fine"}, line)
    result = ingest(file, "--jsonl", "--consented")
    assert isinstance(result.exception, ConfigurationError)
    assert "line 2" in str(result.exception)


def test_a_line_of_an_unknown_role_names_it(tmp_path: Path) -> None:
    """And no word of what was said."""
    told = str(
        ingest(lines(tmp_path, {"role": "wizard", "content": "abracadabra"}), "--jsonl", "--consented").exception
    )
    assert ("role 'wizard' is none of user" in told, "abracadabra" in told) == (True, False)


@pytest.mark.parametrize(
    ("line", "told"),
    [({"role": "user", "content": "x", "at": "soon"}, "at is no time"), ({"role": "user"}, "no content")],
)
def test_a_line_says_which_field_is_wrong(tmp_path: Path, line: dict[str, Any], told: str) -> None:
    """A time that is none, or what is missing."""
    assert told in str(ingest(lines(tmp_path, line), "--jsonl", "--consented").exception)


def test_a_file_grows_at_either_end(tmp_path: Path) -> None:
    """What was said before is known, also where a line came before it; what is said twice in a file is kept twice."""
    rome, yes, warm = ({"role": "user", "content": it} for it in ("I moved to Rome.", "Yes.", "It is warm."))
    files = ([yes, yes], [rome, yes, yes, warm])
    told = [ingest(lines(tmp_path, *said), "--jsonl", "--consented").output for said in files]
    assert ("2 turns kept, 0 known" in told[0], "2 turns kept, 2 known" in told[1]) == (True, True)


@pytest.mark.parametrize("options", [(), ("--locomo", "--jsonl"), ("--jsonl", "--sample", "1")])
def test_the_format_has_to_be_clear(tmp_path: Path, options: tuple[str, ...]) -> None:
    """One of two; a sample is chosen among LoCoMo's only."""
    assert isinstance(ingest(conversation_file(tmp_path, sample()), *options).exception, ConfigurationError)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the remedy."""
    assert "cannot be read" in str(ingest(tmp_path / "nothing.jsonl", "--jsonl").exception)
