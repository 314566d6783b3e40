"""Conversations are read from files of the LoCoMo format, and anything else is refused with a reason."""

from __future__ import annotations

import json
import lzma
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem.demo.locomo import load_conversation
from langchain_agentmem.errors import ConfigurationError
from tests.unit_tests.demo.conversations import conversation_file, sample


def without(key: str) -> dict[str, Any]:
    told = {name: value for name, value in sample()["conversation"].items() if name != key}
    return sample(conversation=told)


def with_told(**changes: Any) -> dict[str, Any]:
    return sample(conversation={**sample()["conversation"], **changes})


def test_sessions_come_in_order_with_their_time(tmp_path: Path) -> None:
    """Sessions are ordered by number, whatever their place in the file, and dated in UTC."""
    talks = load_conversation(conversation_file(tmp_path, sample())).talks
    assert [talk.number for talk in talks] == [1, 2]
    assert talks[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def test_an_unreadable_date_is_no_date(tmp_path: Path) -> None:
    """A conversation without readable times is read all the same."""
    path = conversation_file(tmp_path, with_told(session_1_date_time="some day", session_2_date_time=None))
    assert [talk.at for talk in load_conversation(path).talks] == [None, None]


def test_one_sample_needs_no_choice(tmp_path: Path) -> None:
    """A file of one sample is the same whether it is a list or not."""
    alone = load_conversation(conversation_file(tmp_path, sample()))
    assert load_conversation(conversation_file(tmp_path, [sample()])) == alone


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    """What ends in .xz is decompressed."""
    path = tmp_path / "conversation.json.xz"
    path.write_bytes(lzma.compress(json.dumps([sample()]).encode()))
    assert load_conversation(path).speakers == ("Ada", "Ben")


def test_several_samples_are_listed_by_name(tmp_path: Path) -> None:
    """Whoever does not choose is told what there is to choose from."""
    path = conversation_file(tmp_path, [sample(), sample(sample_id="conv-2")])
    with pytest.raises(ConfigurationError, match=r"--sample N: 1 = conv-1 \(Ada and Ben, 3 turns\); 2 = conv-2"):
        load_conversation(path)
    assert load_conversation(path, 2).name == "conv-2"


@pytest.mark.parametrize("number", [0, -1, 3])
def test_a_sample_that_does_not_exist_is_refused(tmp_path: Path, number: int) -> None:
    """Samples are counted from one to their number."""
    with pytest.raises(ConfigurationError, match="choose with --sample N"):
        load_conversation(conversation_file(tmp_path, [sample(), sample()]), number)


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        ([], "the list is empty"),
        ("text", "a sample is str, not dict"),
        ({}, "'conversation' is NoneType"),
        (without("speaker_b"), "'speaker_b' is None, not text"),
        (with_told(speaker_b="Ada"), "both 'Ada'"),
        (sample(conversation={"speaker_a": "Ada", "speaker_b": "Ben"}), "no session_1"),
        (with_told(session_1={}), "'session_1' is dict, not list"),
        (with_told(session_1=["hello"]), "turn D1:1 is str, not dict"),
        (with_told(session_1=[{"speaker": "Ada", "text": 1}]), "text of turn D1:1 is int"),
        (with_told(session_1=[{"speaker": "Eve", "text": "hi"}]), "'Eve', who is neither"),
        (sample(qa={}), "'qa' is dict, not list"),
        (sample(qa=[{"answer": "x"}]), "'question' is None, not text"),
    ],
)
def test_another_shape_is_refused_with_what_is_wrong(tmp_path: Path, content: object, finding: str) -> None:
    """The message names what was found, so that the file can be mended."""
    with pytest.raises(ConfigurationError, match=finding):
        load_conversation(conversation_file(tmp_path, content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A path that cannot be read is an error with the reason of the system."""
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_conversation(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("name", "content"), [("a.json", b"{not json"), ("a.json", b"\xff\xfe\x00"), ("a.json.xz", b"no")]
)
def test_what_is_no_json_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    """Text, bytes and broken archives are all told from JSON."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match="is not JSON"):
        load_conversation(tmp_path / name)
