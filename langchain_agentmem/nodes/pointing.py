"""What a bare "scrap that" asks of memory, by what was said before it."""

from __future__ import annotations

from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction.conversation import is_injected, speaker_of
from langchain_agentmem.long_term.naming import Named, Naming
from langchain_agentmem.nodes.intent import intent_of, noted
from langchain_agentmem.nodes.turn import Failure, MemoryParts, Turn, attempt
from langchain_agentmem.policies.intent import Intent
from langchain_agentmem.policies.pointing import points_to_task

OF_TASK: Final = Intent(needs_memory=True, reason="the message is about what the user wanted done")


def said_before(turn: Turn) -> BaseMessage | None:
    """Return what the user said last before this turn, in this conversation; their answers to a question count."""
    earlier = (it for it in reversed(turn.messages[: turn.new_from]) if speaker_of(it) == "user")
    return next((it for it in earlier if not is_injected(it)), None)


def messages_of(message: BaseMessage | None) -> frozenset[str]:
    """Return the id of a message, by which is found what was taken from it."""
    return frozenset(filter(None, (None if message is None else message.id,)))


def pointed_flow(memory: MemoryParts, turn: Turn) -> Flow[Turn]:
    """Return the turn, with its intent as it is to be read after what was said before."""
    if not intent_of(turn).is_bare or not turn.may_write:
        return turn
    is_of_task = yield from attempt(_is_of_task, memory, turn)
    is_left = isinstance(is_of_task, Failure) or not is_of_task
    return turn if is_left else turn.after(turn.update(intent=noted(OF_TASK)))


def _is_of_task(memory: MemoryParts, turn: Turn) -> Flow[bool]:
    last = said_before(turn)
    if last is None:
        return False  # nothing is meant, which the model is told
    named = Named(what=None, said_in=messages_of(last), with_turns=False)
    learned = (yield from Naming(memory.long_term, memory.episodes).named_flow(named, turn.scope)) if last.id else []
    return points_to_task(last.text, [it.provenance.evidence or "" for it in learned])
