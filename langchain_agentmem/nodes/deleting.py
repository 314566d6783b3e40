"""Deletes for a tool what the user asks to forget: a memory, and with it the turns that say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.requests.asked_kindly import is_one_taken_back
from langchain_agentmem.english.requests.forget_agreed import agreed_to
from langchain_agentmem.english.requests.forget_asked import is_of_everything, takes_back
from langchain_agentmem.english.requests.forget_request import is_meant, wanted_apart
from langchain_agentmem.english.requests.intent import Intent, detect_intent
from langchain_agentmem.english.requests.pointing import points_to
from langchain_agentmem.extraction.record.conversation import Passage, passages, said_before
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.long_term.forget_requests import Named, Naming, says
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.nodes.leaving import Asked, forget_flow
from langchain_agentmem.types import Memory, Scope


@dataclass(frozen=True, slots=True)
class Deleting:
    """Holds a deletion against the user's own words, and carries it out as a request in words is.

    Args:
        long_term: Where memories are.
        episodes: Where turns of conversations are; `None`: none are looked for.
    """

    long_term: LongTermFlows
    episodes: EpisodeFlows | None = None

    def asked_flow(
        self, messages: Sequence[BaseMessage], evidence: str | None, memory: Memory, scope: Scope
    ) -> Flow[Named | None]:
        """Return what the user asks to forget in a message that the evidence points to, where it means a memory."""
        for passage, before in quoted(messages, evidence):
            intent = detect_intent(passage.text)
            for it in said_before(messages, passage, intent.forget_last):
                if points_to(memory, it.original, it.message_ids, intent):
                    is_taken_back = takes_back(passage.text)
                    return Named(what=None, said_in=frozenset(it.message_ids), is_taken_back=is_taken_back)
            agreed = agreed_to(before, passage.text)
            if intent.forget_all or (agreed is not None and is_meant(memory.content, agreed)):  # all that it says
                return Named(what=_own_words(memory))
            named = _named(intent, passage.text)
            if named is not None and (yield from self._is_named(named, memory, scope)):
                return named
        return None

    def delete_flow(self, memory: Memory, named: Named, scope: Scope, reason: str) -> Flow[Memory]:
        """Archive a memory, or end a turn; other turns that say what was asked go first, for good.

        What it says of others than was asked is kept by itself.

        Raises:
            RetentionError: A legal hold stands and a turn is meant: nothing is done.
        """
        if self.episodes is not None:
            naming = Naming(self.long_term, self.episodes)
            found = yield from naming.named_flow(named, scope)
            turns = [it.id for it in found if it.id.startswith(PREFIX)]
            if turns:
                yield from self.episodes.check_may_end(scope, is_any_named=True)
            if named.what is not None:
                yield from self.episodes.ask(named.what, scope, reason)
            yield from naming.end_turns_flow([it for it in turns if it != memory.id], scope, reason)
        asked = Asked(named.what, is_taken_back=named.is_taken_back)
        forgotten, _ = yield from forget_flow(self.long_term, memory.id, scope, reason, asked)
        return forgotten

    def _is_named(self, named: Named, memory: Memory, scope: Scope) -> Flow[bool]:
        """Return whether a request names a memory, by what it says or by whom it is about."""
        episodes = self.episodes if named.is_last else None
        found = yield from Naming(self.long_term, episodes).found_flow(replace(named, is_of_all=False), scope)
        if found.is_unclear and not found.memories:
            return False
        is_said = not named.is_last and any(says(memory, it) for it in wanted_apart(named.what or ""))
        return is_said or memory.id in {it.id for it in found.memories}


def quoted(messages: Sequence[BaseMessage], evidence: str | None) -> Iterator[tuple[Passage, str]]:
    """Yield what the user said that has the evidence in it, each with what the assistant had said right before."""
    wanted, before = evidence or "", ""
    for passage in passages(messages) if wanted.strip() else ():
        if passage.speaker == "user" and passage.holds(wanted):
            yield passage, before
        before = passage.text if passage.speaker == "assistant" else ""


def _named(intent: Intent, text: str) -> Named | None:
    """Return what a request names in words, or `None` where it has none for it."""
    if not intent.forget_what:
        return None
    return Named(
        what=intent.forget_what,
        is_of_all=is_of_everything(text),
        is_last=is_one_taken_back(text),
        is_taken_back=takes_back(text),
    )


def _own_words(memory: Memory) -> str:
    """Return what a memory says as turns do, in which nobody tells of themselves by name."""
    return memory.content.replace(memory.subject, "user") if memory.subject else memory.content
