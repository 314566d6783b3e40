"""The words of a turn made whole: what tools brought up since the recall, or an interrupt lost, is read by its ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.nodes.beside import Beside, BesideMemories, was_told
from langchain_agentmem.nodes.pursuing import Pursued, Pursuing, is_pursued
from langchain_agentmem.nodes.recalled import reread_recall, tokens_told, without, words, words_apart
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.standing import Profiled, is_of_profile
from langchain_agentmem.nodes.state import MemoryText
from langchain_agentmem.nodes.turn import Failure, MemoryParts, Turn, attempt


class Completing:
    """Reads again what a turn was told; what was forgotten meanwhile stays away.

    Args:
        memory: An `AgentMemory`.
        settings: As those of `Retrieve`.
    """

    def __init__(self, memory: MemoryParts, settings: NodeSettings) -> None:
        """Compose; nothing is opened yet."""
        self._long_term = flows_of(memory.long_term)
        self._budget = settings.budget
        self._beside = BesideMemories(memory, settings)
        self._pursuing = Pursuing(memory, settings)
        self._profiled = Profiled(memory, settings)

    def complete_flow(self, turn: Turn) -> Flow[Turn]:
        """Return the turn with the words of all that was recalled."""
        known = cast("MemoryText", turn.state.get("memory_text") or {})
        if turn.mode == "off" or _is_complete(turn, known):
            return turn
        found = yield from attempt(self._again, turn, known)
        if isinstance(found, Failure):
            return turn.after(turn.update(status=found.status))
        return turn.after({**turn.update(), "memory_text": found})

    def _again(self, turn: Turn, known: MemoryText) -> Flow[MemoryText]:
        recalled = turn.report["recalled"]
        apart = {it["id"] for it in recalled if is_of_profile(it) or is_pursued(it)}
        if known:
            return words((yield from reread_recall(self._long_term, turn, {*apart, *known.get("contents", {})})), known)
        beside = (yield from self._beside.read_flow(turn)) if was_told(turn.report) else Beside()
        if not turn.may_read or not recalled:
            return beside.lent(self._budget - beside.tokens).text
        recall = yield from reread_recall(self._long_term, turn, apart)
        profile = yield from self._profiled.read_flow(turn)
        pursued = (yield from self._pursuing.read_flow(turn)) if any(map(is_pursued, recalled)) else Pursued()
        told = words_apart(recall, profile.text)
        contents = {**profile.contents, **pursued.contents, **told["contents"]}
        first = without(recall, [it["id"] for it in recalled if it["action"] is not None])  # the others come on top
        beside = beside.lent(self._budget - beside.tokens - pursued.tokens - tokens_told(first))
        return cast("MemoryText", {**beside.text, **told, "contents": contents, "goal": pursued.text})


def _is_complete(turn: Turn, known: MemoryText) -> bool:
    """Whether the words of all that was shown are at hand."""
    contents: Mapping[str, Any] = known.get("contents", {})
    recalled = turn.report["recalled"]
    is_whole = all(it["id"] in contents or is_of_profile(it) or is_pursued(it) for it in recalled)
    return is_whole if known else not recalled and not was_told(turn.report)
