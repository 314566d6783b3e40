"""A conversation from a file becomes two users' memories, and questions are answered from them."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from rich.console import Console

from langchain_agentmem import AgentMemory
from langchain_agentmem.demo import asking
from langchain_agentmem.demo.asking import converse
from langchain_agentmem.demo.locomo import Conversation, load_conversation
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.demo.replay import Replayed, asked_of, has_evidence, recall_for, replay, user_of
from tests.unit_tests.demo.conversations import conversation_file, sample


def conversation(folder: Path) -> Conversation:
    return load_conversation(conversation_file(folder, sample()))


def replayed(folder: Path, memory: AgentMemory) -> tuple[Conversation, Replayed]:
    told = conversation(folder)
    return told, replay(told, memory, progress=lambda _talk: None)


def shown(folder: Path, **options: Any) -> str:
    output = io.StringIO()
    given = DemoOptions(file=conversation_file(folder, sample()), **options)
    converse(given, Screen(Console(file=output, width=100)), embeddings=None)
    return output.getvalue()


@pytest.fixture
def memory() -> AgentMemory:
    return AgentMemory.in_memory(embeddings=None)


def test_each_speaker_is_remembered_apart(tmp_path: Path, memory: AgentMemory) -> None:
    """What one says of themselves is in their memory and in no other."""
    replayed(tmp_path, memory)
    assert [kept.content for kept in memory.long_term.list(scope=user_of("Ada"))] == ["Ada is allergic to peanuts"]
    assert [kept.content for kept in memory.long_term.list(scope=user_of("Ben"))] == ["Ben moved to Oslo"]


def test_a_memory_is_dated_by_its_session(tmp_path: Path, memory: AgentMemory) -> None:
    """It is true from the day on which it was said, and names the turn it came from."""
    replayed(tmp_path, memory)
    (kept,) = memory.long_term.list(scope=user_of("Ada"))
    assert kept.valid_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert kept.provenance.message_ids == ("D1:1",)


def test_what_became_of_it_is_counted(tmp_path: Path, memory: AgentMemory) -> None:
    """Written, refused by rule, and superseded, for each speaker."""
    _, done = replayed(tmp_path, memory)
    assert dict(done.tallies["Ada"].verdicts) == {"written": 1}
    assert done.tallies["Ben"].rules == {"sensitive_data": 1}
    assert done.tallies["Ben"].superseded == 1


def test_a_question_is_put_to_those_it_names(tmp_path: Path) -> None:
    """One who is named is asked alone; where nobody is, both are."""
    told = conversation(tmp_path)
    assert asked_of("What is ada allergic to?", told) == ("Ada",)
    assert asked_of("Who moved?", told) == ("Ada", "Ben")


def test_evidence_is_found_by_the_turn_it_stands_in(tmp_path: Path, memory: AgentMemory) -> None:
    """A recalled memory counts when it came from a turn that the question names."""
    told, _ = replayed(tmp_path, memory)
    (question,) = told.questions
    assert has_evidence(question, tuple(recall_for(question.text, told, memory).values()))
    assert not has_evidence(question, tuple(recall_for("Where does Ben live?", told, memory).values()))


def test_a_question_given_is_answered_without_a_prompt(tmp_path: Path) -> None:
    """It shows what is recalled, with its score, and ends."""
    output = shown(tmp_path, ask=["What is Ada allergic to?"])
    assert "Ada is allergic to peanuts" in output
    assert "relevance" in output
    assert "3 turns in" in output


def test_the_questions_of_the_file_are_counted(tmp_path: Path) -> None:
    """Each is shown with the file's own answer, and the sources found are counted."""
    output = shown(tmp_path, questions=5)
    assert "the file's answer: peanuts (its source was recalled)" in output
    assert "for 1 of 1 questions" in output


@pytest.mark.parametrize("end", ["exit\n", ""])
def test_the_prompt_ends_with_exit_or_with_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """Typed questions are answered until then; an empty line asks nothing."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"\nWhere did Ben move?\n{end}"))
    assert shown(tmp_path).count("you ") == 1


def test_a_model_answers_from_what_was_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model its answer stands below the memories."""
    monkeypatch.setattr(asking, "chat_model", lambda _name: FakeListChatModel(responses=["Peanuts, I think."]))
    assert "Peanuts, I think." in shown(tmp_path, model="any:model", ask=["What is Ada allergic to?"])


def test_the_database_is_kept_where_asked(tmp_path: Path) -> None:
    """With `keep` the memories outlive the command."""
    shown(tmp_path, keep=tmp_path / "kept.db", ask=["?"])
    with AgentMemory.embedded(str(tmp_path / "kept.db"), embeddings=None) as memory:
        assert len(memory.long_term.list(scope=user_of("Ada"))) == 1
