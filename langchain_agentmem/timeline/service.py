"""Time travel as callers see it: what happened, what was believed when, what changed, and the way back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Unpack

from langchain_agentmem._checks import MAX_COUNT, check_count, check_flag, check_key, check_time
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.long_term.checked import checked_reason
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.returning import Rules
from langchain_agentmem.timeline.looking import (
    MOMENT,
    EventChoice,
    EventQuery,
    Look,
    check_moment,
    chosen_kinds,
    difference,
    page_of,
    snapshot,
)
from langchain_agentmem.timeline.records import Difference, Moment, Reversal, Snapshot
from langchain_agentmem.timeline.reverting import Planning, Reverting, Rollback, Rule
from langchain_agentmem.timeline.showing import Showing
from langchain_agentmem.timeline.undoing import Undo
from langchain_agentmem.types import Event, Kinds, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page
from langchain_agentmem.types.scope import known_user


class Timeline:
    """The log of each user as a line of time: to be read, looked back along, and gone back on.

    A moment is an aware datetime, or the number of an event: the state it left. Nothing rewrites the log: what is taken
    back is taken back by `reverted` events, which can be undone like any other. What is erased stays erased.

    Raises (every method): `ScopeError` for anything but the scope of a known user, `StorageError` when the database
    fails.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose; made by `AgentMemory`."""
        self._parts = parts
        self._reverting = Reverting(parts, searching)

    # ---------------------------------------------------------------------------------------------------- look
    def events(
        self,
        scope: Scope,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        **about: Unpack[EventChoice],
    ) -> Page[Event]:
        """Return what happened, the oldest first; the payloads of what was erased are gone.

        Args:
            scope: Whose. Of an agent's scope, events of its memories, of the shared ones, and of none.
            since: From this time on, or behind the event with this number.
            until: Before this time, or up to the event with this number.
            limit: Events at most, 1 to 1,000.
            cursor: Of the page before.
            about: `memory_id`: of this memory only. `types`: of these types only, for example `("remembered",
                "reverted")`.

        Raises:
            ConfigurationError: An argument is outside its range.
        """
        query = EventQuery(since=since, until=until, limit=limit, cursor=cursor, **about)
        return run(self._events(query, scope))

    async def aevents(
        self,
        scope: Scope,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        **about: Unpack[EventChoice],
    ) -> Page[Event]:
        """Return what happened; see `events`."""
        query = EventQuery(since=since, until=until, limit=limit, cursor=cursor, **about)
        return await arun(self._events(query, scope))

    def as_of(
        self, t: Moment, *, scope: Scope, kinds: Kinds | None = None, valid_at: datetime | None = None
    ) -> Snapshot:
        """Return the memories that were believed at a time, as they were then, the one learned last first.

        Args:
            t: When it was believed.
            scope: Whose.
            kinds: Kinds to return, one alone or several; `None`: all.
            valid_at: What was held, at `t`, to be true of the world at this time; `None`: what was in force.

        Raises:
            ConfigurationError: The log has no such event, or an argument is outside its range.
        """
        return run(self._as_of(t, scope, kinds, valid_at))

    async def aas_of(
        self, t: Moment, *, scope: Scope, kinds: Kinds | None = None, valid_at: datetime | None = None
    ) -> Snapshot:
        """Return the memories that were believed at a time; see `as_of`."""
        return await arun(self._as_of(t, scope, kinds, valid_at))

    def diff(self, t1: Moment, t2: Moment | None = None, *, scope: Scope) -> Difference:
        """Return what is believed at the later time and was not at the earlier one, what changed, and what ended.

        Args:
            t1: The earlier time.
            t2: The later one; `None`: now.
            scope: Whose.

        Raises:
            ConfigurationError: `t1` is after `t2`, or the log has no such event.
        """
        return run(self._diff(t1, t2, scope))

    async def adiff(self, t1: Moment, t2: Moment | None = None, *, scope: Scope) -> Difference:
        """Return what changed between two times; see `diff`."""
        return await arun(self._diff(t1, t2, scope))

    # ---------------------------------------------------------------------------------------------------- go back
    def rollback(
        self, scope: Scope, *, to: Moment | str, reason: str = "rolled back", dry_run: bool = False
    ) -> Reversal:
        """Make every memory that the scope sees what it was at a moment; what was not there then is forgotten.

        One transaction of compensating events. It can be undone, whole, by `undo` of any of them.

        Args:
            scope: Whose. Memories of other agents stay as they are.
            to: A time; the number of the last event whose effect is to stay; or the id of a run: to before the first
                memory that it wrote.
            reason: For the log.
            dry_run: Only say what would be done.

        Raises:
            ConfigurationError: The log has no such event, or the time is yet to come.
            NotFoundError: The run wrote nothing.
            GovernanceError: Memory is frozen or off; `ConsentError`: the user does not consent to it.
            ConflictError: Memories were changed meanwhile; the call may be repeated.
        """
        return run(self._rollback(scope, to, reason, dry_run=dry_run))

    async def arollback(
        self, scope: Scope, *, to: Moment | str, reason: str = "rolled back", dry_run: bool = False
    ) -> Reversal:
        """Make every memory what it was at a moment; see `rollback`."""
        return await arun(self._rollback(scope, to, reason, dry_run=dry_run))

    def undo(
        self, event: int, *, scope: Scope, reason: str = "undone", with_later: bool = False, dry_run: bool = False
    ) -> Reversal:
        """Take one event back, and what was written with it: what a new memory replaced is believed again.

        Of a `reverted` event the whole rollback or undo is taken back.

        Args:
            event: Its number.
            scope: Whose.
            reason: For the log.
            with_later: Take later events that build upon it back as well; without it, they are a reason to refuse. What
                was said later stands by its own word, and ends what this one had ended, or both are marked.
            dry_run: Only say what would be done.

        Raises:
            NotFoundError: There is no such event in this scope.
            ConfigurationError: The event changed no memory.
            GovernanceError: It is about consent (rule `consent`), what it was about is erased (`erased`), was cleaned
                of sensitive data (`sensitive_data`), has expired (`expired`) or went along with what is forgotten still
                (`forgotten`); another agent's word stands for it (`other_agent`), later events build upon it
                (`later_events`), or memory is frozen or off.
            ConflictError: Memories were changed meanwhile; the call may be repeated.
        """
        return run(self._undo(event, scope, reason, with_later=with_later, dry_run=dry_run))

    async def aundo(
        self, event: int, *, scope: Scope, reason: str = "undone", with_later: bool = False, dry_run: bool = False
    ) -> Reversal:
        """Take one event back; see `undo`."""
        return await arun(self._undo(event, scope, reason, with_later=with_later, dry_run=dry_run))

    # ---------------------------------------------------------------------------------------------------- flows
    def _events(self, query: EventQuery, scope: Scope) -> Flow[Page[Event]]:
        known_user(scope)
        page = yield from self._parts.ledger.read(scope, lambda reader: page_of(reader, query, scope))
        return page.each(Showing(self._parts.sensitive, scope).event)

    def _as_of(self, t: Moment, scope: Scope, kinds: Kinds | None, valid_at: datetime | None) -> Flow[Snapshot]:
        known_user(scope)
        of_world = None if valid_at is None else check_time("valid_at", valid_at)
        look = Look(moment=check_moment("t", t), kinds=chosen_kinds(kinds), valid_at=of_world)
        told = yield from self._parts.ledger.read(scope, lambda reader: snapshot(reader, look, scope))
        show = Showing(self._parts.sensitive, scope)
        return replace(told, memories=tuple(map(show.memory, told)))

    def _diff(self, t1: Moment, t2: Moment | None, scope: Scope) -> Flow[Difference]:
        known_user(scope)
        since, until = check_moment("t1", t1), None if t2 is None else check_moment("t2", t2)
        found = yield from self._parts.ledger.read(scope, lambda reader: difference(reader, since, until, scope))
        return Showing(self._parts.sensitive, scope).difference(found)

    def _rollback(self, scope: Scope, to: Moment | str, reason: str, *, dry_run: bool) -> Flow[Reversal]:
        moment = check_key("to", to) if isinstance(to, str) else check_moment("to", to, f"{MOMENT}, or the id of a run")
        planning = Rollback(to=moment, scope=known_user(scope), clock=self._parts.clock)
        return self._go_back(planning, scope, reason, "rollback", dry_run=dry_run)

    def _undo(self, event: int, scope: Scope, reason: str, *, with_later: bool, dry_run: bool) -> Flow[Reversal]:
        seq, with_later = check_count("event", event, 1, MAX_COUNT), check_flag("with_later", with_later)
        planning = Undo(
            seq=seq,
            scope=known_user(scope),
            clock=self._parts.clock,
            with_later=with_later,
            rules=Rules.of(self._parts),
        )
        return self._go_back(planning, scope, reason, "undo", dry_run=dry_run)

    def _go_back(self, planning: Planning, scope: Scope, reason: str, rule: Rule, *, dry_run: bool) -> Flow[Reversal]:
        told = checked_reason(reason)
        if check_flag("dry_run", dry_run):
            done = yield from self._reverting.foresee(planning, scope, told)
        else:
            reverting = self._reverting.revert(planning, scope, told, rule)
            done = yield from self._parts.watch.write("restore", reverting, scope, rule=rule)
        return Showing(self._parts.sensitive, scope).reversal(done)
