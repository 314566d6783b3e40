"""What a request to forget names, of all that is kept of a user: memories, and turns of their conversations.

Everything is held against the request, page by page. A recall would not do: it ends at a limit, and of what says the
same it shows one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.english.people.kin import Kin, NamedKin, kin_named, said_by_user
from langchain_agentmem.english.people.namesakes import are_namesakes
from langchain_agentmem.english.people.whose import names_in
from langchain_agentmem.english.reading.statements import named_so
from langchain_agentmem.english.requests.asked_apart import named_apart
from langchain_agentmem.english.requests.forget_request import Wanted
from langchain_agentmem.english.requests.other_names import by_other_names, same_names
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.types import Memory, Scope, Status
from langchain_agentmem.types.paging import MAX_LIMIT

FORGETTABLE: Final[tuple[Status, ...]] = ("active", "pending", "superseded")
"""What is not forgotten yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What is named.

    Args:
        what: In the user's words; `None`: everything.
        called: What the user may be called, besides what a memory tells.
        statuses: Of memories.
        with_turns: Turns of conversations, too: of every conversation, whichever the scope names.
        said_in: Ids of messages: what was taken from them, and no words, is meant.
        is_of_all: What is told of others is meant as well, where something of the user's own is.
        is_last: Only what the user said last is meant, of all that is named.
        is_taken_back: They say that it never was so: what it had ended holds again.
    """

    what: str | None
    called: Collection[str] = ()
    statuses: tuple[Status, ...] = FORGETTABLE
    with_turns: bool = True
    said_in: frozenset[str] = frozenset()
    is_of_all: bool = False
    is_last: bool = False
    is_taken_back: bool = False


class Found(NamedTuple):
    """What a request names.

    Attributes:
        memories: Those that are named, and after them turns; none where several may be meant, of whom one is.
        is_unclear: Somebody is named who may be one or another.
        is_partly: Several are named apart, and of one of them nothing is kept.
        also: The same in words by other names of whom is named, as memory was told that they are one.
    """

    memories: list[Memory]
    is_unclear: bool
    is_partly: bool = False
    also: tuple[str, ...] = ()


class _Sources(NamedTuple):
    """What memories that are named were taken from, in whatever words: "I'm a nurse" has no word of "my job".

    Attributes:
        said: What supports them, each with the ids of messages.
    """

    said: tuple[tuple[str, frozenset[str]], ...]

    @classmethod
    def of(cls, memories: Iterable[Memory], named: Named) -> _Sources:
        """Return those of memories; none where the request names none in words, but what was said."""
        return cls(() if named.what is None or named.said_in else tuple(_said(memories)))

    def holds(self, turn: Memory) -> bool:
        """Whether a turn says what one of them was taken from."""
        ids = turn.provenance.message_ids
        return any(not said.isdisjoint(ids) and evidence in turn.content for evidence, said in self.said)


def _said(memories: Iterable[Memory]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what supports memories, each with the ids of messages."""
    for told in (it.provenance for it in memories):
        if told.evidence:
            yield told.evidence, frozenset(told.message_ids)


class _Turns(NamedTuple):
    """Which turns are named: by their words, by what was taken from them, or by whom they tell of."""

    named: Named
    sources: _Sources
    people: tuple[Kin, ...]

    def chosen(self, turns: list[Memory]) -> list[Memory]:
        """Return those of some turns."""
        meant = {it.id for it in _without_others(_meant(self.named, turns), self.named)}
        return [it for it in turns if it.id in meant or self.sources.holds(it) or self._is_of_them(it)]

    def _is_of_them(self, turn: Memory) -> bool:
        return any(it.is_told_of_by(turn) for it in self.people)


class Naming:
    """Finds what a request names.

    Args:
        long_term: Where memories are.
        episodes: Where turns of conversations are; `None`: none are looked for.
    """

    def __init__(self, long_term: LongTermFlows, episodes: EpisodeFlows | None = None) -> None:
        """Compose; nothing is read yet."""
        self._long_term = long_term
        self._episodes = episodes

    def named_flow(self, named: Named, scope: Scope) -> Flow[list[Memory]]:
        """Return every memory that is named and seen in this scope, and after them every turn, as a memory each."""
        return (yield from self.found_flow(named, scope)).memories

    def found_flow(self, named: Named, scope: Scope) -> Flow[Found]:
        """Return what is named, and whether more may be meant; see `named_flow`."""
        if named.what is None or named.said_in:
            return (yield from self._found(named, scope))
        each: dict[str, Memory] = {}
        is_unclear = is_partly = False
        same = yield from self._same_names(named, scope)
        also: dict[str, None] = {}
        for what in named_apart(named.what):
            is_any = False
            also |= dict.fromkeys(others := by_other_names(what, same))
            for it in (what, *others):
                found = yield from self._found(replace(named, what=it), scope)
                each.update((memory.id, memory) for memory in found.memories)
                is_unclear |= found.is_unclear
                is_any |= bool(found.memories) or found.is_unclear
            is_partly |= not is_any
        memories = sorted(each.values(), key=lambda it: it.id.startswith(PREFIX))
        return Found(memories, is_unclear, is_partly=is_partly and bool(memories), also=tuple(also))

    def _same_names(self, named: Named, scope: Scope) -> Flow[list[tuple[str, str]]]:
        """Return which names memory was told to be one."""

        def telling(memories: Iterable[Memory]) -> Iterable[Memory]:
            return (it for it in memories if [*same_names([it])])

        found = yield from self._memories(telling, replace(named, statuses=("active",)), scope)
        return [*same_names(found)]

    def _found(self, named: Named, scope: Scope) -> Flow[Found]:
        found = yield from self._memories(partial(_meant, named), named, scope)
        own = _without_others(found, named)
        named = named if own else replace(named, is_of_all=True)
        found = own or found
        sources = _Sources.of(found, named)
        kin = _kin(named, found)
        if kin.is_open or _are_namesakes(named, found):
            return Found([], is_unclear=True)
        told = (yield from self._told_of(kin.people, named, scope)) if kin.people else []
        further = [it for it in told if it.id not in {known.id for known in found}]
        people = kin.people if (yield from self._are_they(kin.people, named, scope)) else ()
        if people:
            found += further
            sources = _Sources((*sources.said, *_said(told)))
        if named.with_turns:
            found += yield from self._turns(_Turns(named, sources, people).chosen, scope)
        found = _said_last(found, named) if named.is_last else found
        return Found(found, is_unclear=bool(further) and not people)

    def end_turns_flow(self, ids: Iterable[str], scope: Scope, reason: str) -> Flow[Sequence[Memory]]:
        """Take out for good, all at once, those of what was found that are turns; return what is left of them.

        Raises:
            RetentionError: A legal hold stands: a turn goes for good, and nothing may.
        """
        turns = [it for it in ids if it.startswith(PREFIX)]
        if not turns or self._episodes is None:
            return []
        return (yield from self._episodes.forget_each(turns, scope, reason))

    def _told_of(self, kin: Collection[Kin], named: Named, scope: Scope) -> Flow[list[Memory]]:
        """Return what is kept of whoever may be meant."""

        def told(memories: Iterable[Memory]) -> Iterable[Memory]:
            return (it for it in memories if any(each.is_told_of_in(it) for each in kin))

        return (yield from self._memories(told, named, scope))

    def _are_they(self, kin: Sequence[Kin], named: Named, scope: Scope) -> Flow[bool]:
        """Whether what is told of these names is told of them: where a name is another's too, it may not be."""

        def others(memories: Iterable[Memory]) -> Iterable[Memory]:
            return (it for it in memories if any(each.is_another_in(it) for each in kin))

        if not kin or (yield from self._memories(others, named, scope)):
            return False
        return not (named.with_turns and (yield from self._turns(lambda turns: [*others(turns)], scope)))

    def _memories(
        self, choose: Callable[[Iterable[Memory]], Iterable[Memory]], named: Named, scope: Scope
    ) -> Flow[list[Memory]]:
        found: list[Memory] = []
        query = ListQuery(statuses=named.statuses, limit=MAX_LIMIT)
        while True:
            page = yield from self._long_term.select(query, scope)
            found += yield from work(lambda memories: [*choose(memories)], page)
            if page.cursor is None:
                return found
            query = replace(query, cursor=page.cursor)

    def _turns(self, choose: Callable[[list[Memory]], list[Memory]], scope: Scope) -> Flow[list[Memory]]:
        """Return the turns that are chosen, of every conversation."""
        found: list[Memory] = []
        if self._episodes is None:
            return found
        cursor: str | None = None
        scope = replace(scope, session_id=None)
        while True:
            page = yield from self._episodes.list(scope, MAX_LIMIT, cursor)
            found += yield from work(choose, [it.as_memory() for it in page])
            if (cursor := page.cursor) is None:
                return found


def _kin(named: Named, found: Sequence[Memory]) -> NamedKin:
    """Return whom a request names, by what holds; by what held once, where nothing else tells."""
    if named.what is None or named.said_in:
        return NamedKin()
    return kin_named(named.what, _holding(found) or found, named.called)


def _are_namesakes(named: Named, found: Sequence[Memory]) -> bool:
    """Whether a name alone may be one person's or another's, by what holds."""
    is_of_one = named.what is not None and not named.said_in and not named.is_of_all
    return is_of_one and are_namesakes(named.what or "", _holding(found))


def _holding(found: Sequence[Memory]) -> list[Memory]:
    return [it for it in found if it.status != "superseded"]


def _without_others(memories: Iterable[Memory], named: Named) -> list[Memory]:
    """Return memories but those that tell what is named of others alone; of a turn, all that the user says of it."""
    what = named.what
    if what is None or named.said_in or named.is_of_all:
        return [*memories]
    wanted = Wanted.of(what)

    def is_of_others(memory: Memory) -> bool:
        told, names = [memory.content], names_in(memory).union(named.called)
        if memory.kind == "episode":
            told = [it for it in said_by_user(memory) if wanted.means(it, names)]
        return bool(told) and all(wanted.is_of_others_in(it, names) and not named_so(it, what) for it in told)

    return [it for it in memories if not is_of_others(it)]


def _said_last(found: Sequence[Memory], named: Named) -> list[Memory]:
    """Return what the user said last of what is named, with the turn in which they did; nothing that others said."""
    wanted = Wanted.of(named.what or "")
    own = [it for it in found if it.provenance.speaker == "user" and _is_said_by_user(it, wanted, named)]
    last = max(own, key=lambda it: it.created_at, default=None)
    ids = set() if last is None else set(last.provenance.message_ids)
    return [it for it in own if it is last or not ids.isdisjoint(it.provenance.message_ids)]


def _is_said_by_user(memory: Memory, wanted: Wanted, named: Named) -> bool:
    if memory.kind != "episode":
        return True
    names = names_in(memory).union(named.called)
    return any(wanted.means(it, names) for it in said_by_user(memory))


def says(memory: Memory, wanted: Wanted, called: Collection[str] = ()) -> bool:
    """Whether a memory says what is wanted; a turn of a conversation, in one of its sentences, or by its answer.

    Args:
        memory: Of the user.
        wanted: What they asked for.
        called: What the user may be called, besides what the memory tells.
    """
    names = names_in(memory).union(called)
    if memory.kind == "episode":
        return wanted.is_said_in(memory.content, names)
    return wanted.means_told(memory, names)


def _meant(named: Named, memories: Iterable[Memory]) -> list[Memory]:
    if named.said_in:
        return [it for it in memories if not named.said_in.isdisjoint(it.provenance.message_ids)]
    if named.what is None:
        return list(memories)
    wanted = Wanted.of(named.what)
    return [it for it in memories if says(it, wanted, named.called)]
