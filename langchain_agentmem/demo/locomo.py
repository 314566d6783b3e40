"""Conversations of two people from files of the LoCoMo format.

Source of the format: Maharana et al., *Evaluating Very Long-Term Conversational Memory of LLM Agents*
(arXiv 2402.17753). A sample holds `conversation` (`speaker_a`, `speaker_b`, and for each n the turns `session_n` and
their time `session_n_date_time`) and, optionally, questions under `qa`. A file holds one sample or a list of them.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError

DATE_FORMAT: Final = "%I:%M %p on %d %B, %Y"
"""As in "1:56 pm on 8 May, 2023". The format names no time zone: read as UTC."""

T = TypeVar("T")

_SESSION: Final = lazy_pattern(r"session_(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One turn: who said what. The id is what a question names as its evidence."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One session of a conversation; `at` is `None` where the file gives no readable time."""

    number: int
    at: datetime | None
    turns: tuple[Spoken, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that came with the file, its answer, and the ids of the turns that hold it."""

    text: str
    answer: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Two people who talk over months."""

    name: str
    speakers: tuple[str, str]
    talks: tuple[Talk, ...]
    questions: tuple[Question, ...]


def load_conversation(path: Path, sample: int | None = None) -> Conversation:
    """Return one conversation of a file.

    Args:
        path: A JSON file, plain or as `.json.xz`.
        sample: Which one, counted from 1, where the file holds several.

    Raises:
        ConfigurationError: The file is missing, is not JSON or has another shape; or it holds several conversations
            and `sample` names none of them.
    """
    samples = [_conversation(path, place, item) for place, item in enumerate(_samples(path), 1)]
    if sample is None and len(samples) == 1:
        return samples[0]
    if sample is None or not 1 <= sample <= len(samples):
        listed = "; ".join(_listed(place, it) for place, it in enumerate(samples, 1))
        msg = f"{path} holds {len(samples)} conversations, and sample is {sample!r}; choose with --sample N: {listed}"
        raise ConfigurationError(msg)
    return samples[sample - 1]


def _listed(place: int, conversation: Conversation) -> str:
    turns = sum(len(talk.turns) for talk in conversation.talks)
    return f"{place} = {conversation.name} ({' and '.join(conversation.speakers)}, {turns} turns)"


def _samples(path: Path) -> Sequence[Any]:
    try:
        raw = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        found = json.loads(raw)
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a JSON file of the LoCoMo format"
        raise ConfigurationError(msg) from error
    except (ValueError, lzma.LZMAError, RecursionError) as error:
        msg = f"{path} is not JSON ({type(error).__name__}: {error}); name a JSON file of the LoCoMo format"
        raise ConfigurationError(msg) from error
    samples = found if isinstance(found, list) else [found]
    if not samples:
        raise _misshapen(path, "the list is empty")
    return samples


def _conversation(path: Path, place: int, found: object) -> Conversation:
    where = f"{path}, sample {place}"
    sample = _of_type(found, dict, where, "a sample")
    told = _of_type(sample.get("conversation"), dict, where, "'conversation'")
    first, second = (_text(told, key, where) for key in ("speaker_a", "speaker_b"))
    if first == second:
        raise _misshapen(where, f"speaker_a and speaker_b are both {first!r}")
    talks = tuple(_talks(told, where))
    if not talks:
        raise _misshapen(where, "no session_1, session_2, … with turns")
    strangers = sorted({turn.speaker for talk in talks for turn in talk.turns} - {first, second})
    if strangers:
        raise _misshapen(where, f"turns are spoken by {strangers[0]!r}, who is neither speaker_a nor speaker_b")
    questions = _of_type(sample.get("qa", []), list, where, "'qa'")
    return Conversation(
        name=str(sample.get("sample_id") or f"sample {place}"),
        speakers=(first, second),
        talks=talks,
        questions=tuple(_question(it, where) for it in questions),
    )


def _talks(told: Mapping[str, Any], where: Path | str) -> Iterator[Talk]:
    numbers = sorted(int(match[1]) for key in told if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        key = f"session_{number}"
        turns = _of_type(told[key], list, where, f"'{key}'")
        spoken = tuple(_spoken(turn, f"D{number}:{place}", where) for place, turn in enumerate(turns, 1))
        if spoken:
            yield Talk(number=number, at=_moment(told.get(f"{key}_date_time")), turns=spoken)


def _spoken(found: object, default_id: str, where: Path | str) -> Spoken:
    turn = _of_type(found, dict, where, f"turn {default_id}")
    text = turn.get("text", "")
    if not isinstance(text, str):
        raise _misshapen(where, f"the text of turn {default_id} is {type(text).__name__}, not str")
    return Spoken(id=str(turn.get("dia_id") or default_id), speaker=_text(turn, "speaker", where), text=text)


def _question(found: object, where: Path | str) -> Question:
    question = _of_type(found, dict, where, "a question")
    evidence = question.get("evidence") or []
    return Question(
        text=_text(question, "question", where),
        answer=str(question.get("answer", "(not answerable)")),
        evidence=frozenset(map(str, evidence if isinstance(evidence, list) else [evidence])),
    )


def _moment(written: object) -> datetime | None:
    try:
        return datetime.strptime(str(written), DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None


def _text(record: Mapping[str, Any], key: str, where: Path | str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _misshapen(where, f"{key!r} is {value!r}, not text")
    return value


def _of_type(value: object, kind: type[T], where: Path | str, what: str) -> T:
    if not isinstance(value, kind):
        raise _misshapen(where, f"{what} is {type(value).__name__}, not {kind.__name__}")
    return value


def _misshapen(where: Path | str, finding: str) -> ConfigurationError:
    msg = f"{where} has not the shape of a LoCoMo conversation: {finding}"
    return ConfigurationError(msg)
