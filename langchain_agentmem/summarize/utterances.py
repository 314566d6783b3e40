"""Messages as utterances: who said what, in words; what memory or an attacker put there is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_agentmem.extraction.record.conversation import ToolRun, is_injected, tool_runs, without_note
from langchain_agentmem.extraction.record.quarantine import is_injection, plain
from langchain_agentmem.summarize.marks import summary_text

Voice: TypeAlias = Literal["user", "assistant", "tool", "summary"]
"""Who speaks; `summary` for the text of an earlier summary."""

MAX_SAID_CHARS: Final = 4_000
"""Of one message; what is longer was pasted or fetched: its beginning and its end tell what it is."""

HOSTILE: Final = "(a text that tries to instruct the assistant was left out)"
_TOOL_MARKS: Final = {True: "succeeded", False: "failed"}
_OMITTED: Final = " […] "


class Utterance(NamedTuple):
    """What one message says. `name` is the participant's or the tool's, where it has one."""

    voice: Voice
    text: str
    name: str | None = None


def utterances(messages: Sequence[BaseMessage]) -> Iterator[Utterance]:
    """Yield what messages say, in order. System messages and injected memories say nothing of the conversation."""
    runs = tool_runs(messages)
    for message in messages:
        earlier = summary_text(message)
        if earlier is not None:
            yield Utterance("summary", earlier)
        elif not is_injected(message):
            run = next(runs) if isinstance(message, ToolMessage) else None
            yield from _said(message, run)


def _said(message: BaseMessage, run: ToolRun | None) -> Iterator[Utterance]:
    voice = _voice(message)
    words = _words(message)
    if run is not None:
        yield Utterance("tool", f"{run.action} {_TOOL_MARKS[run.succeeded]}: {words}".rstrip(": "), run.tool)
    elif voice is not None and words:
        yield Utterance(voice, words, message.name)


def _voice(message: BaseMessage) -> Voice | None:
    role = getattr(message, "role", None)
    if isinstance(message, HumanMessage) or role in {"user", "human"}:
        return "user"
    if isinstance(message, AIMessage) or role in {"assistant", "ai"}:
        return "assistant"
    return "tool" if message.type == "function" else None


def _words(message: BaseMessage) -> str:
    text = shorten(plain(without_note(message).text).strip(), MAX_SAID_CHARS)
    if text and is_injection(text):
        text = HOSTILE
    return " ".join(filter(None, [text, _attached(message)]))


def _attached(message: BaseMessage) -> str:
    """Return which blocks of a message are no text, as a note in brackets."""
    if isinstance(message.content, str):
        return ""
    kinds = [str(block.get("type", "")) for block in message.content if isinstance(block, dict)]
    shown = sorted({kind.removesuffix("_url") for kind in kinds} - _UNSHOWN)
    return f"[with {', '.join(shown)}]" if shown else ""


_UNSHOWN: Final = frozenset({"", "text", "tool_use", "tool_call", "thinking", "reasoning", "redacted_thinking"})


def shorten(text: str, limit: int) -> str:
    """Return text of at most `limit` characters: two thirds its beginning, one third its end."""
    if len(text) <= limit:
        return text
    room = max(limit - len(_OMITTED), 3)
    head = room * 2 // 3
    return f"{text[:head].rstrip()}{_OMITTED}{text[len(text) - (room - head) :].lstrip()}"
