"""What a request that names nothing points to, of what was said before it in its conversation: "scrap that"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.english.requests.intent import Intent, is_small_talk
from langchain_agentmem.english.requests.pointing import points_to_task
from langchain_agentmem.extraction.record.conversation import is_injected, message_ids, speaker_of, tools_read
from langchain_agentmem.long_term.forget_requests import Named, Naming
from langchain_agentmem.nodes.intent import intent_of, noted
from langchain_agentmem.nodes.turn import Failure, MemoryParts, Turn, attempt
from langchain_agentmem.types import Episode
from langchain_agentmem.types.paging import MAX_LIMIT, every_flow

OF_TASK: Final = Intent(needs_memory=True, reason="the message is about what the user wanted done")


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user; `ids` find what was taken from it."""

    text: str
    ids: frozenset[str]


def said_before_flow(memory: MemoryParts, turn: Turn) -> Flow[list[Said]]:
    """Return what the user said last before this turn, the latest first, as much as their request points to.

    Their answers to a question count, small talk does not. What the state of the graph has no more, or never had, is
    read from the turns that are kept of the conversation.
    """
    count = intent_of(turn).forget_last
    earlier = (
        it for it in reversed(turn.messages[: turn.new_from]) if speaker_of(it) == "user" and not is_injected(it)
    )
    found = [Said(it.text, frozenset(message_ids(it))) for it in earlier if not is_small_talk(it.text)][:count]
    if len(found) >= count or turn.scope.session_id is None:
        return found
    known = {id_ for it in turn.messages for id_ in message_ids(it)}
    kept = yield from _kept(memory, turn)
    more = [it for it in reversed(kept) if known.isdisjoint(it.message_ids) and not is_small_talk(it.text)]
    return [*found, *(Said(it.text, frozenset(it.message_ids)) for it in more)][:count]


def _kept(memory: MemoryParts, turn: Turn) -> Flow[list[Episode]]:
    return (yield from every_flow(partial(flows_of(memory.episodes).list, turn.scope, MAX_LIMIT)))


def pointed_flow(memory: MemoryParts, turn: Turn) -> Flow[Turn]:
    """Return the turn, with its intent as it is to be read after what was said before."""
    if not intent_of(turn).is_bare or not turn.may_write:
        return turn
    is_of_task = yield from attempt(_is_of_task, memory, turn)
    is_left = isinstance(is_of_task, Failure) or not is_of_task
    return turn if is_left else turn.after(turn.update(intent=noted(OF_TASK)))


def _is_of_task(memory: MemoryParts, turn: Turn) -> Flow[bool]:
    said = yield from said_before_flow(memory, turn)
    if not said:
        return False  # nothing is meant, which the model is told
    if tools_read(_since(turn, said[0])):
        return True  # what came of it is nearer than what was told
    named = Named(what=None, said_in=said[0].ids, with_turns=False)
    learned = (
        (yield from Naming(flows_of(memory.long_term), flows_of(memory.episodes)).named_flow(named, turn.scope))
        if named.said_in
        else []
    )
    evidence = [it.provenance.evidence or "" for it in learned]
    return points_to_task(said[0].text, evidence, is_of_things=intent_of(turn).is_of_things)


def _since(turn: Turn, said: Said) -> list[BaseMessage]:
    """Return what came behind a message, before this turn."""
    earlier = turn.messages[: turn.new_from]
    place = next((at for at, it in enumerate(earlier) if not said.ids.isdisjoint(message_ids(it))), len(earlier))
    return earlier[place:]
