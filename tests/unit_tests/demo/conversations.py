"""A small conversation of the LoCoMo format, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def sample(**changes: Any) -> dict[str, Any]:
    told = {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I moved to Oslo."}],
        "session_2_date_time": "9:05 am on 1 July, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I am allergic to peanuts. How are you?"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "I live in Bergen. My card is 4111 1111 1111 1111."},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    questions = [{"question": "What is Ada allergic to?", "answer": "peanuts", "evidence": ["D1:1"], "category": 4}]
    return {"sample_id": "conv-1", "conversation": told, "qa": questions, **changes}


def conversation_file(folder: Path, content: object) -> Path:
    path = folder / "conversation.json"
    path.write_text(json.dumps(content), "utf-8")
    return path
