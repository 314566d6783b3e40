"""The benchmark of recall reads any file in the published formats, and prints what it says it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.meta_tests.package import ROOT

FIELDS: Final = {"data", "mode", "category", "n", "R@5", "R@10", "R@20", "session_hit@5", "ci95_R@10"}
NOTHING: Final = {"precision", "recall", "n", "threshold"}

Turn = dict[str, Any]


def turn(number: str, speaker: str, text: str | None, **fields: Any) -> Turn:
    return {"dia_id": f"D{number}", "speaker": speaker, "text": text, **fields}


def locomo(name: str, what: str) -> dict[str, Any]:
    """A conversation with all that a published file may lack or write in another way."""
    talk = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1": [
            turn("1:1", "Ann", f"I prefer {what} over coffee."),
            turn("1:2", "Bo", None, blip_caption="a cup"),
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            turn("2:1", "Bo", f"My {what} shop opened today."),
            {"speaker": "Ann", "text": "Congratulations!"},
        ],
        "session_3_date_time": "2:00 pm on 9 May, 2023",
    }
    questions = [
        {"question": f"What does Ann prefer, {what}?", "evidence": ["D1:1; D1:02"], "category": "4"},
        {"question": "Which shop opened?", "evidence": ["D2:1"], "category": 2, "answer": 7},
        {"question": "What did Ann open?", "evidence": "D:2:1", "category": 5},
        {"question": "Who sings?", "evidence": None, "category": 3},
        {"question": "Who dances?", "category": 1, "evidence": ["D9:9"]},
    ]
    return {"sample_id": name, "conversation": talk, "qa": questions}


def beam() -> tuple[list[Any], dict[str, Any]]:
    """A chat without dates at first, with plans around its batches, and questions with and without sources."""
    said = [
        {"role": "user", "id": 0, "content": "The budget of the launch is 500 euros.  ->-> 1,2"},
        {"role": "assistant", "id": 1, "content": "Noted."},
        {
            "role": "user",
            "id": 2,
            "content": "The budget of the launch was raised to 700 euros.",
            "time_anchor": "May-01-2024",
        },
        {"role": "assistant", "content": "Understood."},
    ]
    chat = [{"plan-1": [{"batch_number": 1, "turns": [said[:2]]}, {"batch_number": 2, "turns": [said[2:]]}]}]
    probing = {
        "knowledge_update": [
            {
                "question": "What is the budget of the launch?",
                "source_chat_ids": {"original_info": [0], "updated_info": [2]},
            }
        ],
        "abstention": [{"question": "Who paid for the launch?"}],
        "summarization": [{"question": "What was said?", "source_chat_ids": [[0], {"more": "2"}]}, {"question": None}],
    }
    return chat, probing


def longmemeval() -> dict[str, Any]:
    """A question with its own haystack of one session."""
    said = [
        {"role": "user", "content": "My dentist is Dr. Ober.", "has_answer": True},
        {"role": "assistant", "content": "Noted."},
    ]
    return {
        "question_id": "q1",
        "question": "Who is my dentist?",
        "question_type": "single-session-user",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [said],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
    }


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with every data set, the chats somewhere below it, one of them without questions."""
    (tmp_path / "locomo.json").write_text(json.dumps([locomo("one", "tea"), locomo("two", "rye")]), "utf-8")
    (tmp_path / "longmemeval.json").write_text(json.dumps([longmemeval()]), "utf-8")
    chat, probing = beam()
    for number in ("1", "2"):
        folder = tmp_path / "beam" / "chats" / "100K" / number
        (folder / "probing_questions").mkdir(parents=True)
        (folder / "chat.json").write_text(json.dumps(chat), "utf-8")
    (folder.with_name("1") / "probing_questions" / "probing_questions.json").write_text(json.dumps(probing), "utf-8")
    return tmp_path


def printed(*options: str) -> dict[tuple[str, str], dict[str, Any]]:
    command = [sys.executable, str(ROOT / "benchmarks" / "retrieval.py"), "--no-model", *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {(line["data"], line["category"]): line for line in lines}


def test_every_line_has_its_fields(files: Path) -> None:
    """All and each category of every data set; updates, unanswerable questions and facts beside them."""
    more = ("--longmemeval", str(files / "longmemeval.json"))
    lines = printed("--locomo", str(files / "locomo.json"), "--beam", str(files / "beam"), "--facts", *more)
    for data in ("locomo", "beam", "longmemeval"):
        assert lines[data, "all"].keys() >= FIELDS
        assert lines[data, "facts"].keys() >= {"n", "n_all", "share_of_all", "R@10"}
    assert lines["beam", "all"].keys() >= {"update_in_top5", "update_above_stale"}
    for key in (("beam", "abstention"), ("locomo", "abstention/adversarial"), ("locomo", "abstention/foreign")):
        assert lines[key].keys() >= NOTHING
    counts = {category: lines["locomo", category]["n"] for category in ("all", "single-hop", "temporal", "adversarial")}
    assert counts == {"all": 4, "single-hop": 2, "temporal": 2, "adversarial": 2}
    assert (lines["beam", "all"]["n"], lines["beam", "abstention"]["n"]) == (2, 1)
