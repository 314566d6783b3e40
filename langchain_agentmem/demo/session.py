"""One session of the story: what one process of the demonstration does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from langchain_agentmem.demo.deployment import create_command_tool, create_deploy_tool
from langchain_agentmem.demo.layers import asked_line, known, missed, task_line
from langchain_agentmem.demo.models import failure, name_of
from langchain_agentmem.demo.record import Line, Recorder, TurnRecord
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.demo.responder import OfflineResponder
from langchain_agentmem.demo.story import Asked, Category, Done, Grant, Opening, Rest, Saved, Session, Step, Words
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.nodes import UpdateWorkingMemory
from langchain_agentmem.types import Outcome, Scope


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
        tools = [create_deploy_tool(), create_command_tool(), *stage.memory.tools()]
        self._graph = create_memory_graph(
            stage.model, tools, stage.memory, checkpointer=InMemorySaver(), options=GraphOptions(writes="inline")
        )
        self._task = UpdateWorkingMemory(stage.memory.working)
        self._known, self._receipt_id = 0, ""

    def steps(self) -> Iterator[list[str]]:
        """Play step by step, and yield the problems of each."""
        for step in self._session.steps:
            yield self._step(step)

    def _step(self, step: Step) -> list[str]:
        match step:
            case Words():
                return self._turn(step)
            case Grant():
                return self._grant(step)
            case Opening():
                return self._opening(step)
            case Done():
                return self._done(step)
            case Saved():
                return self._saved(step)
            case Asked():
                return self._asked(step)
            case Rest():
                return self._rest(step)

    def _grant(self, step: Grant) -> list[str]:
        memory, screen = self._stage.memory, self._stage.screen
        memory.consent.grant(self._scope, reason="ticked 'remember me'")
        if step.is_named:
            memory.profiles.set("name", self._session.name, scope=self._scope)
        screen.said(self._session.user, "✓ remember me", step.note)
        return []

    def _opening(self, step: Opening) -> list[str]:
        """Show what is known before a word is said; the rules of recall hold here, too."""
        lines = tuple(known(self._stage.memory, self._scope))
        self._stage.screen.said(
            "memory", "What the layers hold, without being asked:" if lines else "Nothing is known yet."
        )
        self._stage.screen.lines(lines)
        leaks = [_leak(text, self._session) for text in self._session.never if any(it.mentions(text) for it in lines)]
        return self._told([*leaks, *self._unmet("the opening", step.expects, lines)])

    def _done(self, step: Done) -> list[str]:
        memory, task = self._stage.memory, self._task_scope()
        self._stage.screen.said(self._session.user, "✓ done", step.note)
        done = memory.working.complete(task, Outcome(action=step.action, succeeded=True))
        return self._shown(f"{step.action!r} is done", step.expects, self._recorder.decided(done.decisions))

    def _saved(self, step: Saved) -> list[str]:
        for record in (step.skill, step.policy):
            self._stage.memory.procedural.save(record)
        names = f"✓ saved the skill {step.skill.name} and the policy {step.policy.name}"
        self._stage.screen.said("team", names, step.note)
        return []

    def _asked(self, step: Asked) -> list[str]:
        self._stage.screen.said("reviewer", f"Why was nothing recalled that says “{step.about}”?")
        lines = [missed(self._stage.memory, self._scope, self._receipt_id, step.about)]
        return self._shown(f"asking about {step.about!r}", step.expects, lines)

    def _rest(self, step: Rest) -> list[str]:
        self._stage.screen.said("memory", "The conversation rests, and is tidied up.", step.note)
        found = self._stage.memory.consolidation.run(self._scope)
        lines = [
            self._recorder.line("merged", it.memory_id, f"in the place of {len(it.sources)} that say the same")
            for it in found.merged
            if it.memory_id is not None
        ]
        return self._shown("the conversation rests", step.expects, lines)

    def _shown(self, after: str, expects: Mapping[Category, tuple[str, ...]], lines: Sequence[Line]) -> list[str]:
        self._stage.screen.lines(lines)
        return self._told(self._unmet(after, expects, lines))

    def _turn(self, words: Words) -> list[str]:
        screen = self._stage.screen
        screen.said(self._session.user, words.says, words.note)
        record = self._ask(words)
        screen.turn(record, name_of(self._stage.model))
        return self._told([*self._leaks(words, record), *self._unmet(repr(words.says), words.expects, record.lines)])

    def _told(self, problems: list[str]) -> list[str]:
        for problem in problems:
            self._stage.screen.verdict(is_good=False, text=problem)
        return problems

    def _unmet(self, after: str, expects: Mapping[Category, tuple[str, ...]], lines: Sequence[Line]) -> list[str]:
        return unmet(after, expects, lines) if self._stage.is_scripted else []

    def _ask(self, words: Words) -> TurnRecord:
        state, asked = self._invoke(words)
        record = self._recorder.record(state, self._known, asked)
        if words.is_task:
            record = replace(record, after=(*record.after, *self._work(state["messages"][self._known :])))
        self._known, self._receipt_id = len(state["messages"]), state["memory"]["receipt_ids"][-1]
        return record

    def _work(self, messages: Sequence[BaseMessage]) -> Iterator[Line]:
        """Let the state of the task follow from a turn's messages, by rules."""
        task = self._task_scope()
        self._task.invoke(messages, {"configurable": {"thread_id": task.session_id, "user_id": task.user_id}})
        state = self._stage.memory.working.get(task)
        if state is not None:
            yield task_line(state)

    def _task_scope(self) -> Scope:
        """Return where the task is kept that was worked on last; a new one is kept with this conversation."""
        begun = self._stage.memory.working.sessions(self._scope, limit=1)
        return Scope(self._session.user, session_id=begun[0].session_id) if begun else self._scope

    def _invoke(self, words: Words) -> tuple[dict[str, Any], list[Line]]:
        """Return the state after a turn, and what policies asked in it."""
        asked: list[Line] = []
        state = self._run({"messages": [HumanMessage(words.says)]})
        while questions := state.get("__interrupt__"):
            asked += [asked_line(it.value, words.decides) for it in questions]
            answer = {"decision": words.decides, "by": self._session.user}
            state = self._run(
                Command(resume={it.id: {**answer, "approval_id": it.value["approval_id"]} for it in questions})
            )
        return state, asked

    def _run(self, given: Any) -> dict[str, Any]:  # noqa: ANN401  (what LangGraph takes)
        try:
            return self._graph.invoke(
                given,
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
                yield _leak(text, self._session)


def unmet(after: str, expects: Mapping[Category, tuple[str, ...]], lines: Sequence[Line]) -> list[str]:
    """Return which expectations of a step are not met."""
    return [
        f"after {after}, nothing {category} mentions {expected!r}"
        for category, texts in expects.items()
        for expected in texts
        if not any(line.category == category and line.mentions(expected) for line in lines)
    ]


def _leak(text: str, session: Session) -> str:
    return f"{text!r} was shown to {session.user}, who must not see it"
