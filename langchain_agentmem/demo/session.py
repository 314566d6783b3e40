"""One session of the story: what one process of the demonstration does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem.demo.deployment import create_deploy_tool
from langchain_agentmem.demo.models import failure, name_of
from langchain_agentmem.demo.record import Line, Recorder, TurnRecord
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.demo.responder import OfflineResponder
from langchain_agentmem.demo.story import Grant, Session, Words
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.graph import create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """On what a session is played."""

    memory: AgentMemory
    model: BaseChatModel
    screen: Screen

    @property
    def is_scripted(self) -> bool:
        """Whether the answers are known beforehand, so that all of the story can be checked."""
        return isinstance(self.model, OfflineResponder)


def play(session: Session, number: int, stage: Stage) -> list[str]:
    """Play a session, turn by turn, and return what did not come as the story says."""
    stage.screen.title(f"Session {number} · {session.user} · {session.title}")
    return [problem for step in Playing(session, number, stage).steps() for problem in step]


class Playing:
    """A session under way: one graph, one thread, one user."""

    def __init__(self, session: Session, number: int, stage: Stage) -> None:
        self._session = session
        self._stage = stage
        self._thread = f"session-{number}"
        self._scope = Scope(user_id=session.user, session_id=self._thread)
        self._recorder = Recorder(stage.memory.long_term, self._scope)
        tools = [create_deploy_tool(), *stage.memory.tools()]
        self._graph = create_memory_graph(stage.model, tools, memory=stage.memory, checkpointer=InMemorySaver())
        self._known = 0

    def steps(self) -> Iterator[list[str]]:
        """Play step by step, and yield the problems of each."""
        for step in self._session.steps:
            yield self._grant(step) if isinstance(step, Grant) else self._turn(step)

    def _grant(self, step: Grant) -> list[str]:
        self._stage.memory.consent.grant(self._scope, reason="ticked 'remember me'")
        self._stage.screen.said(self._session.user, "✓ remember me", step.note)
        return []

    def _turn(self, words: Words) -> list[str]:
        screen = self._stage.screen
        screen.said(self._session.user, words.says, words.note)
        record = self._ask(words.says)
        screen.turn(record, name_of(self._stage.model))
        problems = [*self._leaks(words, record)]
        if self._stage.is_scripted:
            problems += unmet(words, record.lines)
        for problem in problems:
            screen.verdict(is_good=False, text=problem)
        return problems

    def _ask(self, says: str) -> TurnRecord:
        state = self._invoke(says)
        record = self._recorder.record(state, self._known)
        self._known = len(state["messages"])
        return record

    def _invoke(self, says: str) -> dict[str, Any]:
        try:
            return self._graph.invoke(
                {"messages": [HumanMessage(says)]},
                config={"configurable": {"thread_id": self._thread}},
                context={"user_id": self._session.user, "user_name": self._session.name},
            )
        except AgentMemError:
            raise
        except Exception as error:  # what a provider raises where a key is wrong or a server away
            raise ConfigurationError(failure(self._stage.model, error)) from error

    def _leaks(self, words: Words, record: TurnRecord) -> Iterator[str]:
        """Yield what was shown and must not be; a chat model may say anything of its own, memory may not."""
        judged = {"recalled", "answer"} if self._stage.is_scripted else {"recalled"}
        shown = [line for line in record.lines if line.category in judged]
        for text in (*self._session.never, *words.never):
            if any(line.mentions(text) for line in shown):
                yield f"{text!r} was shown to {self._session.user}, who must not see it"


def unmet(words: Words, lines: Sequence[Line]) -> list[str]:
    """Return which expectations of a turn are not met."""
    return [
        f"after {words.says!r}, nothing {category} mentions {expected!r}"
        for category, texts in words.expects.items()
        for expected in texts
        if not any(line.category == category and line.mentions(expected) for line in lines)
    ]
