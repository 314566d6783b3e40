"""What a user asked to forget, held against what is told later: words of turns that began before, and end after it.

A turn that waits for a person, or for a worker, was said before the request; what it would leave is not learned any
more. What is said in a turn that begins after it is, as anything new.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from langchain_agentmem.english.people.whose import names_in
from langchain_agentmem.english.requests.asked_apart import named_apart
from langchain_agentmem.english.requests.attribute_request import Names, Spelling
from langchain_agentmem.english.requests.forget_request import Wanted
from langchain_agentmem.policies.rulings import Ruling, refuse
from langchain_agentmem.types import Candidate, Memory, Scope

KEPT_FOR: Final = timedelta(days=90)
"""So long a turn may be open, or wait, and is still held against what was asked meanwhile."""

FORGOTTEN_MEANWHILE: Final[Ruling] = refuse(
    "forgotten_meanwhile", "The user asked to forget this after the turn began; said again, it is remembered."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a user asked to forget; nothing keeps its words.

    Args:
        what: In the user's words, or in those of a memory; `None`: everything.
        in_turns: What of it turns of conversations are held against; `None`: they are not meant.
        is_memory: It is what a memory said: who says a part of that, or more, says the same.
        session_id: Only what was said in this conversation is meant.
        of_every_agent: Not only what is seen by who asks.
        names: What the user is called, where a memory says it; `None`: whoever stands there by name may be the user.
    """

    what: str | None = field(default=None, repr=False)
    in_turns: str | None = field(default=None, repr=False)
    is_memory: bool = False
    session_id: str | None = None
    of_every_agent: bool = False
    names: frozenset[str] | None = field(default=None, repr=False)

    @classmethod
    def words(cls, what: str) -> Asked:
        """Return a request in the user's own words."""
        return cls(what=what, in_turns=what)

    @classmethod
    def each(cls, what: str) -> tuple[Asked, ...]:
        """Return a request in the user's own words, for each part that it names by itself."""
        return tuple(map(cls.words, named_apart(what)))

    @classmethod
    def memory(cls, memory: Memory) -> Asked:
        """Return the request that a memory be forgotten: it names the memory, and no turn of a conversation."""
        return cls(what=memory.content, is_memory=True, names=names_in(memory))

    @classmethod
    def erased(cls, memory: Memory) -> Asked:
        """Return the request that nothing be left of a memory; in turns the user says "I" for their name."""
        said = memory.content.replace(memory.subject, "user") if memory.subject else memory.content
        return cls(what=memory.content, in_turns=said, is_memory=True, of_every_agent=True, names=names_in(memory))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it is kept; see `Asked`.

    Attributes:
        wanted: In digests; `None`: everything is meant. `in_turns` likewise, where turns are meant.
        agent_id: Who was asked; it concerns what this agent sees.
    """

    wanted: Wanted | None
    in_turns: Wanted | None
    is_memory: bool
    session_id: str | None
    of_every_agent: bool
    agent_id: str | None

    @classmethod
    def made(cls, asked: Asked, agent_id: str | None, spelling: Spelling) -> Request:
        """Return what is kept of a request."""
        return cls(
            wanted=None if asked.what is None else Wanted.of(asked.what, spelling, asked.names),
            in_turns=None if asked.in_turns is None else Wanted.of(asked.in_turns, spelling, asked.names),
            is_memory=asked.is_memory,
            session_id=asked.session_id,
            of_every_agent=asked.of_every_agent,
            agent_id=agent_id,
        )

    def means(self, told: Candidate | str, scope: Scope, names: Names = None) -> bool:
        """Whether it means a statement that was made in a conversation, by a user who is called by `names`."""
        content = told if isinstance(told, str) else told.content
        if not self._concerns(scope) or self.wanted is None:
            return self._concerns(scope)
        if self.is_memory:
            return self.wanted.shares(content, names)
        if isinstance(told, str):
            return self.wanted.kind is None and self.wanted.means(content, names)
        return self.wanted.means_told(told, names)

    def means_turn(self, spoken: str, scope: Scope) -> bool:
        """Whether it means a turn of a conversation."""
        if not self._concerns(scope) or self.wanted is None:
            return self._concerns(scope)
        return self.in_turns is not None and self.in_turns.is_said_in(spoken, (scope.user_id,))

    def _concerns(self, scope: Scope) -> bool:
        is_seen = self.of_every_agent or scope.agent_id in {None, self.agent_id}
        return is_seen and self.session_id in {None, scope.session_id}


def is_forgotten(requests: Iterable[Request], told: Candidate | str, scope: Scope, names: Names = None) -> bool:
    """Whether any request means what may become a memory, or its words, of a user who is called by `names`."""
    return any(it.means(told, scope, names) for it in requests)


def is_turn_forgotten(requests: Iterable[Request], spoken: str, scope: Scope) -> bool:
    """Whether any request means a turn of a conversation."""
    return any(it.means_turn(spoken, scope) for it in requests)
