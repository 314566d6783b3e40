"""Conversations with questions about them, from files in the published formats of LoCoMo, BEAM and LongMemEval.

Sources: Maharana et al., *Evaluating Very Long-Term Conversational Memory of LLM Agents* (arXiv 2402.17753); Tavakoli
et al., *Beyond a Million Tokens* (arXiv 2510.27246); Wu et al., *LongMemEval* (arXiv 2410.10813).
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

LOCOMO_DATE: Final = "%I:%M %p on %d %B, %Y"
BEAM_DATE: Final = "%B-%d-%Y"
LONGMEMEVAL_DATE: Final = "%Y/%m/%d %H:%M"
CATEGORIES: Final = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial"}
ABSTENTION: Final = "abstention"
_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
_MARKS: Final = re.compile(r"\s*->->\s*[\d,]+\s*$")
_SESSION: Final = re.compile(r"session_\d+")
_CHAT_DIGITS: Final = 8  # of the numbers that folders are named by, for their order
_PROBING: Final = "probing_questions.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Consecutive messages of one day; `at` is `None` where the file does not say when."""

    id: str
    at: datetime | None
    messages: tuple[BaseMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the ids of the messages that answer it; none where nothing does.

    Attributes:
        asked_at: The time of the last message where the file does not say.
        stale: Where the question is about something that was updated: the ids of what was said first.
        updated: The ids of what was said of it later.
    """

    text: str
    category: str
    evidence: frozenset[str]
    asked_at: datetime | None = None
    stale: frozenset[str] = frozenset()
    updated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One user's sessions in order, and what is asked about them."""

    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...] = field(repr=False)

    @property
    def speakers(self) -> tuple[str, ...]:
        """Return the names of those who speak, in the order in which they do; none where nobody has a name."""
        named = (message.name for session in self.sessions for message in session.messages if message.name)
        return tuple(dict.fromkeys(named))

    @property
    def message_ids(self) -> frozenset[str]:
        """Return the ids of all messages."""
        return frozenset(str(message.id) for session in self.sessions for message in session.messages)


# ----------------------------------------------------------------------------------------------------------- LoCoMo
def read_locomo(path: Path) -> list[Conversation]:
    """Return the conversations of a file of LoCoMo; a unit is one turn."""
    samples = json.loads(_text(path))
    every = samples if isinstance(samples, list) else [samples]
    return [_locomo(sample, number) for number, sample in enumerate(every, 1)]


def _locomo(sample: Mapping[str, Any], number: int) -> Conversation:
    talk = sample["conversation"]
    numbers = sorted(int(key[8:]) for key, turns in talk.items() if _SESSION.fullmatch(key) and isinstance(turns, list))
    sessions = _all_dated([_locomo_session(talk, it) for it in numbers])
    name = str(sample.get("sample_id") or f"conversation-{number}")
    conversation = Conversation(id=name, sessions=sessions, questions=())
    known, last = conversation.message_ids, max((it.at for it in sessions if it.at), default=None)
    asked = (_locomo_question(it, known, last) for it in sample.get("qa") or ())
    return replace(conversation, questions=tuple(it for it in asked if it is not None))


def _locomo_question(asked: Mapping[str, Any], known: frozenset[str], last: datetime | None) -> Question | None:
    named = _EVIDENCE.findall(" ".join(_flat(asked.get("evidence"))))
    evidence = frozenset(f"D{int(session)}:{int(turn)}" for session, turn in named) & known
    text, category = str(asked.get("question") or ""), str(asked.get("category", ""))
    if not evidence or not text.strip():
        return None
    return Question(text=text, category=CATEGORIES.get(category, category), evidence=evidence, asked_at=last)


def _locomo_session(talk: Mapping[str, Any], number: int) -> Session:
    at = _date(str(talk.get(f"session_{number}_date_time") or ""), LOCOMO_DATE)
    messages = []
    for place, turn in enumerate(talk[f"session_{number}"], 1):
        caption = turn.get("blip_caption")
        words = f"{turn.get('text') or ''}{f' [shares {caption}]' if caption else ''}"
        name = turn.get("dia_id") or f"D{number}:{place}"
        messages.append(HumanMessage(words, name=turn.get("speaker"), id=str(name)))
    return Session(id=f"S{number}", at=at, messages=tuple(messages))


# ------------------------------------------------------------------------------------------------------------- BEAM
def read_beam(folder: Path) -> list[Conversation]:
    """Return the chats below a folder of BEAM, whatever stands between; a unit is one exchange, a session one batch."""
    files = sorted(folder.rglob("chat.json"), key=lambda path: [part.zfill(_CHAT_DIGITS) for part in path.parts])
    return [_beam(path, folder) for path in files]


def _beam(path: Path, folder: Path) -> Conversation:
    sessions = _all_dated(list(_beam_sessions(json.loads(_text(path)))))
    name = path.parent.resolve().name if path.parent == folder else path.parent.relative_to(folder).as_posix()
    conversation = Conversation(id=name, sessions=sessions, questions=())
    known, last = conversation.message_ids, next((it.at for it in reversed(sessions) if it.at), None)
    asked = [
        _beam_question(one, category, known, last)
        for category, every in _probing(path.parent).items()
        for one in _records(every, "question")
    ]
    return replace(conversation, questions=tuple(it for it in asked if it is not None))


def _probing(folder: Path) -> Mapping[str, Any]:
    """Return the questions about a chat, by ability; none where it has no such file."""
    files = sorted(folder.rglob(_PROBING))
    found: Mapping[str, Any] = json.loads(_text(files[0])) if files else {}
    return found


def _beam_question(
    one: Mapping[str, Any], category: str, known: frozenset[str], last: datetime | None
) -> Question | None:
    named, text = one.get("source_chat_ids"), str(one["question"] or "")
    evidence = frozenset(_flat(named)) & known
    if not text.strip() or not (evidence or category == ABSTENTION):
        return None
    first, then = _updates(named, known)
    return Question(text=text, category=category, evidence=evidence, asked_at=last, stale=first, updated=then)


def _beam_sessions(batches: object) -> Iterator[Session]:
    at = None
    for number, batch in enumerate(_records(batches, "turns"), 1):
        at = _date(str(batch.get("time_anchor") or ""), BEAM_DATE) or at
        messages: list[BaseMessage] = []
        for place, said in enumerate(_records(batch["turns"], "content")):
            at = _date(str(said.get("time_anchor") or ""), BEAM_DATE) or at
            words = _MARKS.sub("", str(said["content"] or ""))
            cls = HumanMessage if said.get("role") == "user" else AIMessage
            messages.append(cls(words, id=str(said.get("id", f"{number}.{place}"))))
        yield Session(id=f"B{number}", at=at, messages=tuple(messages))


def _updates(named: object, known: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    if not isinstance(named, dict) or "original_info" not in named:
        return frozenset(), frozenset()
    return frozenset(_flat(named["original_info"])) & known, frozenset(_flat(named.get("updated_info"))) & known


# ------------------------------------------------------------------------------------------------------ LongMemEval
def read_longmemeval(path: Path) -> list[Conversation]:
    """Return one conversation per question of a file of LongMemEval; a unit is one exchange."""
    return [_longmemeval(entry) for entry in json.loads(_text(path))]


def _longmemeval(entry: Mapping[str, Any]) -> Conversation:
    sessions, evidence = [], set()
    columns = zip(entry["haystack_session_ids"], entry["haystack_sessions"], entry["haystack_dates"], strict=True)
    for session_id, turns, date in columns:
        messages: list[BaseMessage] = []
        for number, turn in enumerate(turns):
            message_id = f"{session_id}_{number + 1}"
            cls = HumanMessage if turn["role"] == "user" else AIMessage
            messages.append(cls(turn["content"], id=message_id))
            if turn.get("has_answer") and turn["role"] == "user":
                evidence.add(message_id)
        sessions.append(Session(id=session_id, at=_weekday_date(date), messages=tuple(messages)))
    is_unanswerable = "_abs" in entry["question_id"]
    question = Question(
        text=entry["question"],
        category=ABSTENTION if is_unanswerable else entry["question_type"],
        evidence=frozenset() if is_unanswerable else frozenset(evidence),
        asked_at=_weekday_date(entry["question_date"]),
    )
    return Conversation(id=entry["question_id"], sessions=tuple(sessions), questions=(question,))


def _weekday_date(text: str) -> datetime | None:
    return _date(re.sub(r" \(\w+\)", "", text), LONGMEMEVAL_DATE)


def _date(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
    except ValueError:
        return None


def _all_dated(sessions: Sequence[Session]) -> tuple[Session, ...]:
    """Return sessions with the date of the one before where they have none, the first ones with that of the next."""
    last = next((session.at for session in sessions if session.at), None)
    dated = []
    for session in sessions:
        last = session.at or last
        dated.append(replace(session, at=last))
    return tuple(dated)


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (lzma.decompress(content) if path.suffix == ".xz" else content).decode()


def _records(value: object, key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings that have a key, in order, however deep they stand in lists and other mappings."""
    if isinstance(value, Mapping) and key in value:
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _records(inner, key)


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _flat(inner)
    elif value is not None:
        yield str(value)
