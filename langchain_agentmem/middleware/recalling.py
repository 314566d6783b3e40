"""What memory has for an agent's turn: recalled when the model is first asked, and again where it was lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from langchain_agentmem._flow import Flow
from langchain_agentmem.jobs import Jobs
from langchain_agentmem.long_term.ending import TURN_JOB
from langchain_agentmem.middleware.options import MiddlewareOptions
from langchain_agentmem.middleware.standing import HasProfiles, Standing, is_of_profile, read_profile
from langchain_agentmem.nodes import NodeSettings, Retrieve
from langchain_agentmem.nodes.beside import Beside, BesideMemories, was_told
from langchain_agentmem.nodes.intent import read_intent
from langchain_agentmem.nodes.recalled import reread_recall, words, words_apart
from langchain_agentmem.nodes.settling import SettlingParts
from langchain_agentmem.nodes.state import MemoryText
from langchain_agentmem.nodes.turn import Failure, Turn, attempt


class MiddlewareParts(SettlingParts, HasProfiles, Protocol):
    """What the middleware needs of an `AgentMemory`."""

    @property
    def jobs(self) -> Jobs:
        """Does what follows from turns."""
        ...


class TurnRecall:
    """Recalls for a turn, once; what tools brought up since, or an interrupt lost, is read again by its ids."""

    def __init__(self, memory: MiddlewareParts, options: MiddlewareOptions, settings: NodeSettings) -> None:
        self._memory = memory
        self._options = options
        self._query = settings.query
        self._beside = BesideMemories(memory, settings)
        self._retrieve = Retrieve(memory, standing_apart=True, settings=settings)

    def recall(self, turn: Turn) -> Flow[Turn]:
        """Return the turn with what memory has for it."""
        if not turn.report["intent"]:
            return (yield from self._first(turn))
        known = cast("MemoryText", turn.state.get("memory_text") or {})
        if turn.mode == "off" or _is_complete(turn, known):
            return turn
        found = yield from attempt(self._again, turn, known)
        if isinstance(found, Failure):
            return turn.after(turn.update(status=found.status))
        return turn.after({**turn.update(), "memory_text": found})

    def _first(self, turn: Turn) -> Flow[Turn]:
        intent = yield from read_intent(self._options.detector, turn)
        turn = turn.after(turn.update(intent=intent))
        is_due = self._options.read_your_writes or intent["is_forget_request"]  # what waits must not come back after it
        if turn.may_read and is_due:  # where that fails, the recall will tell
            yield from attempt(self._memory.jobs.settle_flow, turn.scope, (TURN_JOB,), self._options.wait_s)
        turn = turn.after((yield from self._retrieve.work_flow(turn)))
        if not turn.may_read or not _is_recalled(turn):
            return turn
        profile = yield from self._profile(turn)
        if isinstance(profile, Failure):
            return turn.after(turn.update(status=profile.status))
        shown = [it for it in profile.shown if it["id"] not in turn.report["forgetting"]]
        text = _with_profile(turn.state["memory_text"], profile.text)
        return turn.after({**turn.update(added={"recalled": shown}), "memory_text": text})

    def _again(self, turn: Turn, known: MemoryText) -> Flow[MemoryText]:
        if not turn.may_read:
            return (yield from self._beside.read_flow(turn)).text
        shown = [entry["id"] for entry in turn.report["recalled"] if is_of_profile(entry)]
        recall = yield from reread_recall(self._memory.long_term, turn, {*shown, *known.get("contents", {})})
        if known:
            return words(recall, known)
        profile = yield from self._profile(turn)
        beside = (yield from self._beside.read_flow(turn)) if was_told(turn.report) else Beside()
        told = cast("MemoryText", {**beside.text, **words_apart(recall)})
        return _with_profile(told, "" if isinstance(profile, Failure) else profile.text)

    def _profile(self, turn: Turn) -> Flow[Standing | Failure]:
        if not self._options.profile:
            return Standing()
        return (yield from attempt(read_profile, self._memory, turn, self._query))


def _is_recalled(turn: Turn) -> bool:
    """Whether memory could be asked, and the user has not forbidden it."""
    return "contents" in turn.state["memory_text"] and turn.report["status"] not in {"off", "no_consent"}


def _is_complete(turn: Turn, known: MemoryText) -> bool:
    """Whether the words of all that was recalled are at hand."""
    contents: Mapping[str, Any] = known.get("contents", {})
    return bool(known) and all(it["id"] in contents or is_of_profile(it) for it in turn.report["recalled"])


def _with_profile(text: MemoryText, profile: str) -> MemoryText:
    standing = "\n\n".join(filter(None, [profile, text.get("standing", "")]))
    return {**text, "standing": standing}
