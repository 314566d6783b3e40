"""What a request to forget means, held against memory: before the model answers, or as the turn ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.english.requests.asked_kindly import is_one_taken_back
from langchain_agentmem.english.requests.forget_asked import is_of_a_part, is_of_everything, is_unclear
from langchain_agentmem.english.requests.intent import Intent
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.errors import RetentionError
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.forget_requests import Named, Naming
from langchain_agentmem.long_term.remove.ending import TURN_JOB
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.objections import NOTHING_MATCHES, PARTLY_UNKNOWN, UNCLEAR_HOW_MANY, UNCLEAR_WHO
from langchain_agentmem.nodes.pointing import Said, pointed_flow, said_before_flow
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import Refusal, refused_request
from langchain_agentmem.nodes.turn import Failure, MemoryParts, Turn, attempt, names_of
from langchain_agentmem.types import Memory, RecallQuery

MAX_TOLD: Final = 100
"""Memories shown when the user asks what is remembered, or to forget: as many as constraints are shown at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What the user asked to forget, and what is shown of it; `began`: where their log stands since they asked.

    `refused`: what stands against it, or against a part of it. `is_asked`: whether anything was to be forgotten at all.
    """

    memories: Sequence[Memory] = ()
    shown: Sequence[Memory] = ()
    began: int | None = None
    refused: Sequence[Refusal] = ()
    is_asked: bool = True

    def noted(self, turn: Turn) -> dict[str, Any]:
        """Return the changes of the report that say what was found, and that nobody has to look again."""
        return {
            "forgetting": [memory.id for memory in self.memories],
            "refused": [*turn.report["refused"], *self.refused],
            **({} if self.began is None else {"began": self.began}),
            "sought": turn.report["sought"] or self.is_asked,
        }


class Seeking:
    """Finds what is meant by a request to forget; nothing is forgotten yet.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, and what every question is asked with.
    """

    def __init__(self, memory: MemoryParts, settings: NodeSettings) -> None:
        """Compose; nothing is opened yet."""
        self._memory = memory
        self._settings = settings
        self._naming = Naming(flows_of(memory.long_term), flows_of(memory.episodes))

    def is_due(self, turn: Turn) -> bool:
        """Whether something is to be forgotten by a turn, and nothing has looked yet for what that is."""
        is_known = turn.report["sought"] or turn.report["forgetting"]
        return not is_known and intent_of(turn).is_forget_request

    def late_flow(self, turn: Turn) -> Flow[Turn]:
        """Return a turn with what is to be forgotten by it, found as it ends where nothing looked before."""
        if not self.is_due(turn):
            return turn
        turn = yield from pointed_flow(self._memory, turn)
        doomed = yield from self.doomed_flow(turn, intent_of(turn))
        return turn.after(turn.update(**doomed.noted(turn)))

    def doomed_flow(self, turn: Turn, intent: Intent) -> Flow[Doomed]:
        """Return what the user asked to forget; nothing where the turn may not change memory.

        A legal hold that stands against a part of it stands against all of it, before anything is noted. The request is
        noted before it is held against memory once more, for turns that are open: what they write from now on is not
        there to be found.
        """
        if not intent.is_forget_request or not turn.may_write:
            return Doomed(is_asked=False)
        last = (yield from said_before_flow(self._memory, turn)) if intent.forget_last else []
        what = "\n".join(it.text for it in last) or intent.forget_what or ""
        if not (intent.forget_all or what.strip()):
            return Doomed(refused=(NOTHING_MATCHES,))
        is_part = is_of_a_part(turn.text) and any(len(split_sentences(it.text)) > 1 for it in last)
        if is_part or (not last and is_unclear(what)):
            return Doomed(refused=(UNCLEAR_HOW_MANY,))
        named = _named(turn, intent, what, last)
        found = yield from self._naming.found_flow(named, turn.scope)
        if found.is_unclear and not found.memories:
            return Doomed(refused=(UNCLEAR_WHO,))
        refusal = yield from self._refusal(turn, found.memories, is_all=intent.forget_all)
        if refusal is not None:
            return Doomed(refused=(refusal,))
        asked = [it.text for it in last] if last else [*_asked(named, found.memories), *found.also]
        return (yield from self._noted(turn, named, asked))

    def _noted(self, turn: Turn, named: Named, each: Sequence[str | None]) -> Flow[Doomed]:
        """Note what was asked, and return what it means from then on; what this very turn wrote is not meant."""
        began = None
        for asked in each:
            began = yield from flows_of(self._memory.episodes).ask(asked, turn.scope)
        again = yield from self._naming.found_flow(named, turn.scope)
        new = {it["id"] for it in turn.report["written"]}
        memories = [it for it in again.memories if it.id not in new]
        shown = yield from self._shown(turn, memories)
        is_none = named.what is not None and not memories and not again.is_unclear
        noted = ((UNCLEAR_WHO, again.is_unclear), (PARTLY_UNKNOWN, again.is_partly), (NOTHING_MATCHES, is_none))
        refused = [refusal for refusal, is_so in noted if is_so]
        return Doomed(memories=memories, shown=shown, began=began, refused=refused)

    def _refusal(self, turn: Turn, found: Sequence[Memory], *, is_all: bool) -> Flow[Refusal | None]:
        """Return what stands against a request: a legal hold, where a turn of a conversation is meant."""
        is_any_named = any(it.id.startswith(PREFIX) for it in found)
        if not is_all and not is_any_named:
            return None
        try:
            yield from flows_of(self._memory.episodes).check_may_end(turn.scope, is_any_named=is_any_named)
        except RetentionError as held:
            return refused_request(held)
        return None

    def _shown(self, turn: Turn, doomed: Sequence[Memory]) -> Flow[Sequence[Memory]]:
        """Return what may be shown of what is to be forgotten, each text once, and only so many."""
        first: dict[str, str] = {}
        for it in doomed:
            first.setdefault(it.content, it.id)
        ids = [*first.values()][:MAX_TOLD]
        admitted = RecallQuery(
            purpose=self._settings.query.purpose, min_confidence=0.0, include_pending=True, include_superseded=True
        )
        reading = flows_of(self._memory.long_term).get_each
        found = yield from attempt(reading, ids, turn.scope, turn.text, admitted=admitted)
        return () if isinstance(found, Failure) else [*found.values()]  # it is forgotten even where none can be shown


def _asked(named: Named, found: Sequence[Memory]) -> Sequence[str | None]:
    """Return what is asked for in words: of what was said last alone, what it says, where it is learned already."""
    learned = [it.content for it in found if it.kind != "episode"] if named.is_last else []
    return learned or (named.what,)


def catch_up_flow(memory: Any, settings: NodeSettings, turn: Turn) -> Flow[str | None]:  # noqa: ANN401  (with jobs, or without)
    """Do what waits of earlier turns; return the status of a recall that cannot have it."""
    is_due = settings.read_your_writes or intent_of(turn).is_forget_request  # it must not come back after it
    jobs = getattr(memory, "jobs", None)
    if jobs is None or not turn.may_read or not is_due:
        return None
    if turn.report["status"].startswith("degraded"):  # memory was away as the turn began, a moment ago
        return turn.report["status"]
    left = yield from attempt(flows_of(jobs).settle, turn.scope, (TURN_JOB,), settings.wait_s)
    if isinstance(left, Failure):
        return left.status
    return None if left is None else f"degraded: {left}; earlier turns are not all remembered yet"


def _named(turn: Turn, intent: Intent, what: str, last: Sequence[Said]) -> Named:
    return Named(
        what=None if intent.forget_all else what,
        called=names_of(turn.scope.user_id, turn.config),
        with_turns=not intent.forget_all,  # where all is meant, `Forget` clears every conversation
        said_in=frozenset(id_ for it in last for id_ in it.ids),
        is_of_all=is_of_everything(turn.text),
        is_last=is_one_taken_back(turn.text),
    )
