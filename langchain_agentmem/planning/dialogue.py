"""What a planner is given to read of a conversation's messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import BaseMessage

from langchain_agentmem.english.requests.intent import planned_action
from langchain_agentmem.extraction.record.conversation import is_injected, speaker_of
from langchain_agentmem.extraction.record.quarantine import is_injection, plain
from langchain_agentmem.policies.carrying import ASSISTANT, MAX_BACK, MAX_TURN_CHARS, Said
from langchain_agentmem.policies.querying import MAX_ASKED_CHARS, Dialogue

__all__ = ["dialogue_of", "said_in"]


def dialogue_of(text: str, before: Sequence[BaseMessage]) -> Dialogue:
    """Return what a planner reads: what the user says now, and the last turns before it."""
    words = plain(text[:MAX_ASKED_CHARS])
    return Dialogue(text=words, before=said_in(before), action=planned_action(words))


def said_in(messages: Sequence[BaseMessage]) -> tuple[Said, ...]:
    """Return the last turns of messages, oldest first: what user and assistant said, and no hostile text."""
    found: list[Said] = []
    for said in _backwards(messages):
        found.append(said)
        if len(found) == MAX_BACK:
            break
    return tuple(reversed(found))


def _backwards(messages: Sequence[BaseMessage]) -> Iterator[Said]:
    for message in reversed(messages):
        speaker = speaker_of(message)
        if speaker is None or is_injected(message):
            continue
        text = plain(message.text[:MAX_TURN_CHARS])
        if text.strip() and not is_injection(text):
            yield Said(ASSISTANT if speaker == "assistant" else "user", text)
