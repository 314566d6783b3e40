"""What of a memory middleware can be chosen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from langchain_agentmem._checks import check_choice, check_count, check_flag, check_instance
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.nodes import BeforeAction, NodeSettings
from langchain_agentmem.nodes.intent import Detector
from langchain_agentmem.nodes.stopping import MAX_REFUSALS
from langchain_agentmem.nodes.turn import MAX_SKILLS
from langchain_agentmem.nodes.working import check_rewriter
from langchain_agentmem.policies.intent import detect_intent
from langchain_agentmem.types import MemoryMode, RecallQuery, Scope
from langchain_agentmem.working.contract import Rewriter

Writes: TypeAlias = Literal["background", "inline"]

MAX_TOKENS: Final = 6_000
"""Of recalled memories in a request: room for the hundred constraints that are recalled at most, and for what is
recalled beside them; a sixteenth of a window of 100,000."""

WAIT_S: Final = 5.0
"""As long as somebody waits for an answer without wondering; the turns before are usually done by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiddlewareOptions:
    """Every default works.

    Args:
        mode: `frozen` reads only, `off` does neither; a turn may be stricter with `memory_mode` in its context or
            `configurable`.
        delegated: The same for runs that a tool of another agent starts. What a "user" says there was written by a
            model: by default nothing is learned from it.
        agent_id: The agent that acts; with it, its own memories and those shared by the user's agents.
        scope: Fixes the user, for an agent that serves one only.
        on_missing_user: `raise` a `ScopeError`, or go on as for an `anonymous` visitor.
        query: What every recall is asked with: kinds, limit, purpose.
        max_tokens: Of memories in a request, constraints first, and what stands beside them: of it, skills have a
            quarter at most, and working memory an eighth. `query.max_tokens` overrides it. The profile has a quarter as
            much of its own.
        profile: Put the user's profile into the system message, where there is one.
        prompt: Replaces the packaged prompt `agent`, which tells the model what memories are.
        detector: Reads the intent of a message; by rules unless replaced.
        before_action: May forbid a tool's call, given what memory knows about the action.
        unguarded: Names of tools that run without a look at memory.
        max_refusals: How often the same call may be refused for the same reason before the turn ends with that.
        skills: How many skills of procedural memory the model is shown at most, found by what the user asks; 0: none.
        goal: Show the model the goal that the user pursues, and how far it has come, in every turn.
        working: Keep working memory: the state of the conversation's task is shown to the model, and rewritten and
            stored when it has answered; in the agent's state as `working` and `working_report`.
        rewriter: Rewrites it, for example a `ModelRewriter`; by rules unless given.
        tools: Whether the agent gets the tools that search and manage memory.
        writes: `background`: what follows from the answer waits as a durable job. `inline`: it is done before the run
            ends, and the report lists it. A turn in which the user asks to forget something is always done inline.
        read_your_writes: Before a recall, do what still waits of the user's earlier turns. Before a request to forget
            that is done in any case.
        wait_s: After so many seconds none of it is begun, and none waited for.
        raise_on_error: Raise what goes wrong with memory after the answer, in place of a status in the report.
    """

    mode: MemoryMode = "on"
    delegated: MemoryMode = "frozen"
    agent_id: str | None = None
    scope: Scope | None = None
    on_missing_user: Literal["raise", "anonymous"] = "raise"
    query: RecallQuery = field(default_factory=RecallQuery)
    max_tokens: int = MAX_TOKENS
    profile: bool = True
    prompt: str | None = None
    detector: Detector = detect_intent
    before_action: BeforeAction | None = None
    unguarded: Collection[str] = ()
    max_refusals: int = MAX_REFUSALS
    skills: int = MAX_SKILLS
    goal: bool = True
    working: bool = False
    rewriter: Rewriter | None = None
    tools: bool = True
    writes: Writes = "background"
    read_your_writes: bool = True
    wait_s: float = WAIT_S
    raise_on_error: bool = False

    def __post_init__(self) -> None:
        """Check what can be checked before anything is opened."""
        check_choice("writes", self.writes, ("background", "inline"))
        check_count("max_tokens", self.max_tokens, 1)
        check_count("max_refusals", self.max_refusals)
        check_rewriter(self.rewriter, is_used=self.working)
        check_instance("query", self.query, RecallQuery)
        for name in ("profile", "tools", "read_your_writes", "raise_on_error"):
            check_flag(name, getattr(self, name))
        for name in ("detector", "before_action"):
            _check_callable(name, getattr(self, name))
        if isinstance(self.unguarded, str):
            msg = f"unguarded must be a list of names of tools, got {self.unguarded!r}; for example ['search']"
            raise ConfigurationError(msg)
        if isinstance(self.wait_s, bool) or not isinstance(self.wait_s, (int, float)) or not self.wait_s >= 0:
            msg = f"wait_s must be a number of seconds, at least 0, got {self.wait_s!r}; for example {WAIT_S}"
            raise ConfigurationError(msg)
        self.settings()

    def settings(self) -> NodeSettings:
        """Return what the nodes are to know of it."""
        budget = self.query.max_tokens if self.query.max_tokens is not None else self.max_tokens
        return NodeSettings(
            mode=self.mode,
            delegated=self.delegated,
            agent_id=self.agent_id,
            scope=self.scope,
            query=replace(self.query, max_tokens=budget),
            on_missing_user=self.on_missing_user,
            skills=self.skills,
            goal=self.goal,
            working=self.working,
        )


def _check_callable(name: str, value: object) -> None:
    if value is not None and not callable(value):
        msg = f"{name} must be callable, got {type(value).__name__}; leave it out for the default"
        raise ConfigurationError(msg)
