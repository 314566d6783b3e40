"""Stored conversations become searchable: what of a history is no episode yet becomes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.said.turns import Turn, Turns, begins_turn, turns_of
from langchain_agentmem.long_term.turns.ingesting import Ingesting, Manner, Progress
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.types import IngestReport, MemoryMode, Scope
from langchain_agentmem.types.paging import LastUsed

PAGE: Final = 500
"""Messages read at a time: about as many turns as are kept in one transaction."""

LOOK_BACK: Final = 50
"""Messages in which the beginning of a turn is looked for that is added in parts; an agent's calls lie between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """Where conversations are stored, and what memory makes of them.

    Args:
        sessions: Gives the store.
        are_pointed_at: They are in the memory's own database: episodes point at their messages.
        are_kept: Memory makes episodes of them by itself, turn by turn.
        copies_for: How long copies are kept after they were said; `None`: until they are forgotten.
    """

    sessions: Callable[[], Sessions]
    are_pointed_at: bool
    are_kept: bool = True
    copies_for: timedelta | None = None


class Indexing:
    """Takes turns out of stored conversations, as they are stored: redacted, and under their messages' ids."""

    def __init__(self, parts: Parts, ingesting: Ingesting, conversations: Conversations) -> None:
        """Compose."""
        self._parts = parts
        self._ingesting = ingesting
        self._conversations = conversations

    def index(self, scope: Scope, mode: MemoryMode | None, progress: Progress | None) -> Flow[IngestReport]:
        """Take what is new in the scope's session, or in every one of the user's."""
        manner = Manner(mode=mode, is_pointer=self._conversations.are_pointed_at)
        if scope.session_id is not None:
            return (yield from self._session(scope, manner, IngestReport(), progress))
        report = IngestReport()
        last: LastUsed | None = None
        while page := (yield from self._sessions.conversations(scope, before=last)):
            for conversation in page:
                session = replace(scope, session_id=conversation.session_id)
                report = yield from self._session(session, manner, report, progress)
            last = LastUsed.of(page[-1])
        return report

    def index_end(self, messages: Sequence[BaseMessage], scope: Scope, manner: Manner) -> Flow[IngestReport]:
        """Take the turns that messages added just now belong to."""
        size = len(messages) + (0 if begins_turn(messages[0]) else LOOK_BACK)
        record = yield from self._sessions.read(scope, last=size)
        added = {it.id for it in messages}
        turns = list(turns_of(_from_turn(record, added, is_whole=len(record) < size), self._now))
        return (yield from self._take(turns, added, scope, manner))

    def index_noted(
        self, message_ids: AbstractSet[str], scope: Scope, manner: Manner, at: datetime
    ) -> Flow[IngestReport]:
        """Take the turns that some messages belong to, wherever they stand; they were said at a known time."""
        if not (yield from self._sessions.pick(scope, message_ids)):
            return IngestReport()
        found: list[Turn] = []
        turns, after = Turns(lambda _: at), 0
        while True:
            page = yield from self._sessions.page(scope, after=after, limit=PAGE)
            ended = [turns.add(message) for message in page.messages]
            if page.next_after is None:
                ended.append(turns.end())
            found += [it for it in ended if it is not None and any(each.id in message_ids for each in it.messages)]
            if page.next_after is None:
                return (yield from self._take(found, message_ids, scope, manner))
            after = page.next_after

    def _take(
        self, turns: Sequence[Turn], added: AbstractSet[str | None], scope: Scope, manner: Manner
    ) -> Flow[IngestReport]:
        """Keep turns that consist of messages which were added, or that went on with them."""
        taken: list[Turn] = []
        for turn in turns:
            is_begun = turn.messages[0].id in added or scope.is_anonymous
            taken += [turn] if is_begun else (yield from self._continued(turn, added, scope))
        placed = replace(manner, is_pointer=self._conversations.are_pointed_at)
        return (yield from self._ingesting.ingest(taken, scope, placed))

    def _continued(self, turn: Turn, added: AbstractSet[str | None], scope: Scope) -> Flow[list[Turn]]:
        """Return a turn that goes on, as far as it is kept: an answer does not bring in what was left out before it."""
        episode_id = turn.id_in(scope)
        stored = yield from self._parts.ledger.read(scope, lambda reader: reader.episodes.get([episode_id]))
        if episode_id not in stored:
            return []
        kept = {*stored[episode_id].episode.message_ids, *added}
        return [replace(turn, messages=tuple(it for it in turn.messages if it.id in kept))]

    @property
    def _sessions(self) -> Sessions:
        return self._conversations.sessions()

    def _now(self, _message: BaseMessage) -> datetime:
        return self._parts.clock()

    def _session(
        self, scope: Scope, manner: Manner, report: IngestReport, progress: Progress | None
    ) -> Flow[IngestReport]:
        turns, after = Turns(self._now), 0
        while True:
            page = yield from self._sessions.page(scope, after=after, limit=PAGE)
            ended: list[Turn | None] = [turns.add(message) for message in page.messages]
            if page.next_after is None:
                ended.append(turns.end())
            report += yield from self._ingesting.ingest(filter(None, ended), scope, manner)
            if progress is not None:
                progress(report)
            if page.next_after is None:
                return report
            after = page.next_after


def _from_turn(record: Sequence[BaseMessage], ids: set[str | None], *, is_whole: bool) -> Sequence[BaseMessage]:
    """Return the end of a conversation, from the beginning of the turn on that the first of some messages belongs to.

    Where that beginning is further back than was read, the turn is left to a look at the whole conversation.
    """
    first = next((place for place, message in enumerate(record) if message.id in ids), len(record))
    begins = [place for place, message in enumerate(record) if begins_turn(message)]
    before = [place for place in begins if place <= first]
    if before:
        return record[before[-1] :]
    return record if is_whole else record[begins[0] :] if begins else ()
