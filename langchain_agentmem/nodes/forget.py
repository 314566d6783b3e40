"""Carries out what the user asked to forget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.english.requests.forget_asked import takes_back
from langchain_agentmem.errors import NotFoundError, RetentionError
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.forget_requests import Naming
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.leaving import Asked, forget_flow
from langchain_agentmem.nodes.seeking import Seeking, catch_up_flow
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import MovedMemory, Refusal, is_forget_refused, refused_request
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, Turn, attempt, names_of
from langchain_agentmem.nodes.write import Written, moved_memory

_FOUND: Final = ("forgetting", "sought", "began", "refused")
"""What of the report changes where what is to be forgotten is found here."""


class Forget(MemoryNode):
    """Forgets what `Retrieve` found the user's request to mean; reversible with `long_term.restore`.

    Where it did not look, because no model was asked or because memory was away then, this node does.

    Turns of conversations are taken out for good: those that say it, or all where everything is to be forgotten.
    They go first: a legal hold that was placed meanwhile refuses them, which the report's `refused` says, and no memory
    has moved.

    Where a memory says something of others as well, what it says of them is kept by itself.

    It is the last node, so that nothing the turn itself wrote or confirmed brings a memory back.

    Args:
        memory: An `AgentMemory`.
        reason: Recorded with each memory.
        settings: For whom, and in which mode.
    """

    name = "forget"

    def __init__(
        self, memory: MemoryParts, *, reason: str = "user asked", settings: NodeSettings | None = None
    ) -> None:
        super().__init__(settings)
        self._memory = memory
        self._long_term = flows_of(memory.long_term)
        self._reason = reason
        self._seeking = Seeking(memory, self._settings)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        if not turn.may_write:
            return turn.update(forgotten=[])
        found = yield from attempt(self._found, turn)
        if isinstance(found, Failure):
            return turn.failed(self.name, found, forgotten=[])
        update = yield from self._carry_out(found)
        changed = {name: it for name, it in found.report.items() if name in _FOUND}
        return {**update, "memory": {**changed, **update["memory"]}}

    def _carry_out(self, turn: Turn) -> Flow[dict[str, Any]]:
        forgotten: list[MovedMemory] = []
        rest = Written()
        done = yield from attempt(self.forget_flow, turn, forgotten, rest)
        if isinstance(done, Failure):
            return turn.failed(self.name, done, forgotten=forgotten)
        if done is not None:
            return turn.did(self.name, forgetting=[], refused=[*turn.report["refused"], done])
        return rest.update(turn, self.name, forgotten=forgotten)

    def _found(self, turn: Turn) -> Flow[Turn]:
        """Return the turn with what is to be forgotten by it; what waits of earlier turns is done before that."""
        if self._seeking.is_due(turn):
            yield from catch_up_flow(self._memory, self._settings, turn)
        return (yield from self._seeking.late_flow(turn))

    def forget_flow(
        self, turn: Turn, forgotten: list[MovedMemory], rest: Written | None = None
    ) -> Flow[Refusal | None]:
        """Carry it out, all turns at once and then one memory after the other; what fails is raised.

        Returns what stands against it, if anything does, and then nothing is done: that no later attempt would change.
        """
        turn = yield from self._seeking.late_flow(turn)
        try:
            yield from self._end_turns(turn, forgotten)
        except RetentionError as held:
            return refused_request(held)
        for memory_id in turn.report["forgetting"]:
            if not memory_id.startswith(PREFIX):
                yield from self._forget(turn, memory_id, forgotten, Written() if rest is None else rest)
        return None

    def _forget(self, turn: Turn, memory_id: str, forgotten: list[MovedMemory], rest: Written) -> Flow[None]:
        called = names_of(turn.scope.user_id, turn.config)
        asked = Asked(intent_of(turn).forget_what or None, called, is_taken_back=takes_back(turn.text))
        try:
            memory, kept = yield from forget_flow(self._long_term, memory_id, turn.scope, self._reason, asked)
        except NotFoundError:
            return  # erased in the meantime: what was asked for has happened
        forgotten.append(moved_memory(memory, self._reason))
        for decision in kept:
            rest.note(memory.kind, decision)

    def _end_turns(self, turn: Turn, forgotten: list[MovedMemory]) -> Flow[None]:
        naming = Naming(self._long_term, flows_of(self._memory.episodes))
        ended = yield from naming.end_turns_flow(turn.report["forgetting"], turn.scope, self._reason)
        forgotten += [moved_memory(it, self._reason) for it in ended]
        yield from self._clear(turn)

    def _clear(self, turn: Turn) -> Flow[int]:
        """Where all is to be forgotten, take out every turn of every conversation too."""
        intent = intent_of(turn)
        if not (intent.is_forget_request and intent.forget_all) or is_forget_refused(turn.report):
            return 0
        user = replace(turn.scope, session_id=None)
        return (yield from flows_of(self._memory.episodes).clear(user, self._reason))
