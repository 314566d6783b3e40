"""A conversation from a file as real input: extracted, held against the write policy, and then asked about."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem.demo.locomo import Conversation, Question, Talk
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Candidate, Decision, Recall, Scope

DATED: Final = ("fact", "preference", "outcome", "goal")
"""Kinds that become true at a time; a constraint is said at one, and holds."""

_ASSISTANT: Final = "the assistant"


@dataclass(slots=True)
class Tally:
    """What became of what one speaker said."""

    verdicts: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    superseded: int = 0

    def add(self, decision: Decision) -> None:
        """Count a decision."""
        self.verdicts[decision.verdict] += 1
        self.superseded += len(decision.superseded)
        if decision.is_refused:
            self.rules[decision.rule] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What became of a conversation, by speaker."""

    tallies: dict[str, Tally]
    seconds: float


def user_of(speaker: str) -> Scope:
    """Return the scope of a speaker: each is a user of their own."""
    return Scope(user_id=speaker)


def replay(conversation: Conversation, memory: AgentMemory, *, progress: Callable[[Talk], None]) -> Replayed:
    """Remember what each speaker says of themselves, session by session, as if both had talked to an agent.

    Args:
        conversation: Who said what, and when.
        memory: Where to; the speakers' consent is recorded first.
        progress: Called after each session.
    """
    started = time.perf_counter()
    tallies = {speaker: Tally() for speaker in conversation.speakers}
    for speaker in conversation.speakers:
        memory.consent.grant(user_of(speaker), reason="replay of a published conversation")
    for talk in conversation.talks:
        for speaker, other in (conversation.speakers, conversation.speakers[::-1]):
            scope = replace(user_of(speaker), session_id=f"{conversation.name}/{talk.number}")
            for candidate in _candidates(talk, speaker, other, memory):
                tallies[speaker].add(memory.long_term.remember(candidate, scope=scope))
        progress(talk)
    return Replayed(tallies=tallies, seconds=time.perf_counter() - started)


def _candidates(talk: Talk, speaker: str, other: str, memory: AgentMemory) -> Iterator[Candidate]:
    """Yield what a speaker says, dated by its session; the other one's words have a memory of their own."""
    for found in memory.extractor.extract(_heard_by(talk, speaker), user_name=speaker):
        if found.provenance.speaker != "user":
            continue
        at = talk.at if found.kind in DATED and found.valid_at is None else found.valid_at
        yield replace(_naming(found, other), valid_at=at)


def _naming(found: Candidate, other: str) -> Candidate:
    """Name whom an extractor takes for the assistant; evidence is then the turn, whose words do not say the name."""
    if _ASSISTANT not in found.content:
        return found
    origin = replace(found.provenance, evidence=None)
    return replace(found, content=found.content.replace(_ASSISTANT, other), provenance=origin)


def _heard_by(talk: Talk, speaker: str) -> Sequence[BaseMessage]:
    """Return a session as that speaker's conversation; the other one takes the place of the assistant."""
    spoken = (turn for turn in talk.turns if turn.text.strip())
    return [
        HumanMessage(turn.text, id=turn.id) if turn.speaker == speaker else AIMessage(turn.text, id=turn.id)
        for turn in spoken
    ]


def asked_of(question: str, conversation: Conversation) -> tuple[str, ...]:
    """Return whose memories a question is about: those named in it, or both speakers."""
    named = tuple(speaker for speaker in conversation.speakers if speaker.casefold() in question.casefold())
    return named or conversation.speakers


def recall_for(question: str, conversation: Conversation, memory: AgentMemory) -> dict[str, Recall]:
    """Return what is recalled for a question, by speaker."""
    return {
        speaker: memory.long_term.recall(question, scope=user_of(speaker))
        for speaker in asked_of(question, conversation)
    }


def has_evidence(question: Question, recalls: Sequence[Recall]) -> bool:
    """Whether a turn that holds the answer is the source of a recalled memory."""
    sources = {id_ for found in recalls for hit in found for id_ in hit.memory.provenance.message_ids}
    return not question.evidence.isdisjoint(sources)
