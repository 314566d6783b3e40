"""What can be chosen of an agent's turns: once, for nodes of a graph of one's own and for every kind of agent."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from langchain_agentmem._checks import check_choice, check_count, check_flag, check_id, check_instance
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.identity import MODES
from langchain_agentmem.types import MemoryMode, RecallQuery, Scope

Writes: TypeAlias = Literal["background", "inline"]

MAX_TOKENS: Final = 6_000
"""Of recalled memories in a request: room for the hundred constraints that are recalled at most, and for what is
recalled beside them; a sixteenth of a window of 100,000."""

MAX_SKILLS: Final = 2
"""Shown in a turn: the one that is meant, and the next best where two are alike."""

WAIT_S: Final = 5.0
"""As long as somebody waits for an answer without wondering; the turns before are usually done by then."""

_FLAGS: Final = ("goal", "profile", "working", "read_your_writes", "raise_on_error")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """For whom the nodes of a graph work, what they show the model, and when they write. Every default works.

    Args:
        mode: `frozen` reads only, `off` does neither; a turn may be stricter (`memory_mode` of its context or
            `configurable`), never laxer.
        delegated: The same for runs that a tool of another agent starts. What a "user" says there was written by a
            model: by default nothing is learned from it.
        agent_id: The agent that acts; with it, its own memories and those shared by the user's agents.
        scope: Fixes the user, for an agent that serves one only.
        on_missing_user: Go on as for an `anonymous` visitor, without long-term memory, as the report's status says; or
            `raise` a `ScopeError`, where every run is to name its user.
        query: What every recall is asked with: kinds, limit, purpose.
        purpose: What memory is used for in these turns, where the query names none; `None`: as the memory says.
        max_tokens: Of memories in a request, constraints first, and what stands beside them: of it, skills are sure of
            a quarter, working memory of an eighth, and have what memories leave; the goal has a sixteenth at most.
            `query.max_tokens` overrides it. The profile has a quarter as much of its own. The report's `cut` names what
            had no room.
        profile: Show the model the user's profile, where there is one.
        goal: Show the model the goal that the user pursues, and how far it has come, in every turn.
        skills: How many skills of procedural memory the model is shown at most, found by what the user asks; 0: none.
        working: Show the model the working memory of its conversation: the state of the task at hand.
        writes: `background`: what follows from the answer waits as a durable job. `inline`: it is done before the run
            ends, and the report lists it; what fails then waits as a job. A turn in which the user asks to forget
            something is always done inline.
        read_your_writes: Before a recall, do what still waits of the user's earlier turns. Before a request to forget
            that is done in any case.
        wait_s: After so many seconds none of it is begun, and none waited for.
        raise_on_error: Raise what can neither be written after the answer nor wait, in place of a status in the report.

    Raises:
        ConfigurationError: A choice is unknown, or a value cannot work.
        ScopeError: `agent_id` is empty, or otherwise none.
    """

    mode: MemoryMode = "on"
    delegated: MemoryMode = "frozen"
    agent_id: str | None = None
    scope: Scope | None = None
    on_missing_user: Literal["raise", "anonymous"] = "anonymous"
    query: RecallQuery = field(default_factory=RecallQuery)
    purpose: str | None = None
    max_tokens: int = MAX_TOKENS
    profile: bool = True
    goal: bool = True
    skills: int = MAX_SKILLS
    working: bool = False
    writes: Writes = "background"
    read_your_writes: bool = True
    wait_s: float = WAIT_S
    raise_on_error: bool = False

    def __post_init__(self) -> None:
        """Check the closed sets and the numbers, before anything is opened."""
        check_choice("mode", self.mode, MODES)
        check_choice("delegated", self.delegated, MODES)
        check_choice("on_missing_user", self.on_missing_user, ("raise", "anonymous"))
        check_choice("writes", self.writes, ("background", "inline"))
        check_instance("query", self.query, RecallQuery)
        if self.agent_id is not None:
            check_id("agent_id", self.agent_id)
        if self.purpose is not None and self.query.purpose is None:
            object.__setattr__(self, "query", replace(self.query, purpose=self.purpose))
        check_count("max_tokens", self.max_tokens)
        check_count("skills", self.skills, 0)
        for name in _FLAGS:
            check_flag(name, getattr(self, name))
        if isinstance(self.wait_s, bool) or not isinstance(self.wait_s, (int, float)) or not self.wait_s >= 0:
            msg = f"wait_s must be a number of seconds, at least 0, got {self.wait_s!r}; for example {WAIT_S}"
            raise ConfigurationError(msg)

    @property
    def budget(self) -> int:
        """Tokens of all that memory has for a turn, the profile apart."""
        return self.query.max_tokens if self.query.max_tokens is not None else self.max_tokens

    @property
    def asked(self) -> RecallQuery:
        """What every recall is asked with, the budget included."""
        return replace(self.query, max_tokens=self.budget)


def check_names(name: str, value: Collection[str]) -> None:
    """Raise `ConfigurationError` for one name in place of several: its letters would be taken for names."""
    if isinstance(value, str):
        msg = f"{name} must be a list of names of tools, got {value!r}; for example ['search']"
        raise ConfigurationError(msg)
