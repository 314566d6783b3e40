"""What a turn is shown beside its memories: the state of the task at hand, and skills for what is asked.

All of it shares one budget: the task's state and the skills are sure of a share each, and what they take is taken from
what may be recalled. What neither memories nor they need goes first to the task, then to skills that were cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow, flows_of, step
from langchain_agentmem.context.cutting import sections_cut
from langchain_agentmem.context.tiers import WHOLE
from langchain_agentmem.identity import resolve_session_id
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import MemoryReport, MemoryText
from langchain_agentmem.nodes.turn import Failure, Turn, attempt
from langchain_agentmem.nodes.working import known_state
from langchain_agentmem.procedural.finding import SkillMatch, to_prompt
from langchain_agentmem.states.base import StoredState
from langchain_agentmem.types.fitting import tokens_of
from langchain_agentmem.types.working import WorkingState

WORKING_SHARE: Final = 8
"""An eighth for the state of the task: with the default budget 750 tokens, its goal and some thirty lines."""

SKILLS_SHARE: Final = 4
"""A quarter for skills: with the default budget 1,500 tokens, two skills of a dozen steps each."""

WORKING_LEAD: Final = "The state of the task at hand, as data:"
SKILLS_LEAD: Final = (
    "How such a request is carried out here. Follow it where it fits the request; what the user wants and what the "
    "policies say comes first."
)


class Beside(NamedTuple):
    """What a turn is shown beside its memories.

    Attributes:
        text: For `memory_text`. `noted`: for the report. `tokens`: what it takes.
        cut: By layer, what had no room: names of skills, and of sections of the task's state.
        status: `degraded: …` where one of them could not be read.
        state: Of the task, and what `task` says of it. `matches`: skills that were found. `shown`: which are shown.
    """

    text: MemoryText = MemoryText()
    noted: Mapping[str, Any] = {}
    tokens: int = 0
    cut: Mapping[str, Sequence[str]] = {}
    status: str | None = None
    state: WorkingState = WorkingState()
    task: str = ""
    matches: Sequence[SkillMatch] = ()
    shown: Sequence[SkillMatch] = ()

    def lent(self, spare: int) -> Beside:
        """Return it with up to so many tokens more, which nobody else needs."""
        if spare <= 0 or not any(self.cut.values()):
            return self
        task, shown = self.task, list(self.shown)
        room = tokens_of(self.text["working"]) + spare - tokens_of(f"{WORKING_LEAD}\n")
        longer = self.state.to_context(max_tokens=max(1, room))
        if tokens_of(task) < tokens_of(longer) <= room:
            task = longer
        left = spare + self.tokens - _told(self.state, task, self.matches, shown).tokens
        left -= 0 if shown else tokens_of(f"{SKILLS_LEAD}\n")
        shown += _fitting([it for it in self.matches if it not in shown], left)
        ordered = [it for it in self.matches if it in shown]
        return _told(self.state, task, self.matches, ordered)._replace(status=self.status)


class BesideMemories:
    """Reads what a turn is shown beside its memories. It needs no consent: nothing of it is kept of anybody.

    Args:
        memory: An `AgentMemory`; what it has not is not shown.
        settings: How many skills, whether the state of the task, and the budget.
    """

    def __init__(self, memory: object, settings: NodeSettings) -> None:
        """Compose; nothing is opened yet."""
        self._memory: Any = memory
        self._settings = settings
        self._budget = settings.budget

    def read_flow(self, turn: Turn) -> Flow[Beside]:
        """Return what there is; a layer that fails costs itself, and the status says so."""
        if turn.mode == "off":
            return Beside()
        stored = (yield from attempt(self._stored, turn)) if self._settings.working else None
        state = yield from attempt(self._state, turn, stored)
        known = WorkingState() if isinstance(state, Failure) else state
        found = yield from attempt(self._found, turn, known.goal)
        matches = () if isinstance(found, Failure) else found
        failed = [it.status for it in (stored, state, found) if isinstance(it, Failure)]
        task = known.to_context(max_tokens=max(1, self._budget // WORKING_SHARE))
        shown = [*_fitting(matches, self._budget // SKILLS_SHARE)]
        return _told(known, task, matches, shown)._replace(status=next(iter(failed), None))

    def _stored(self, turn: Turn) -> Flow[StoredState | None]:
        """Return the state of the task in this conversation; a run that names none has none."""
        is_named = resolve_session_id(turn.config) is not None or getattr(self._settings.scope, "session_id", None)
        if not is_named:
            return None
        stored: StoredState | None = yield from flows_of(self._memory.working).load(turn.scope, turn.mode)
        return stored

    def _state(self, turn: Turn, stored: StoredState | Failure | None) -> Flow[WorkingState]:
        """Return the state to show; where it could not be read, what the graph's own state has."""
        yield from ()  # nothing to wait for
        return known_state(stored, turn.state.get("working")) if self._settings.working else WorkingState()

    def _found(self, turn: Turn, goal: str) -> Flow[Sequence[SkillMatch]]:
        """Return skills for what is asked; where it names none ("go on"), for what the task is about."""
        procedural = getattr(self._memory, "procedural", None)
        if procedural is None or not self._settings.skills or intent_of(turn).is_forget_request:
            return ()
        for text in filter(str.strip, (turn.text, goal)):
            find = partial(procedural.find, text, limit=self._settings.skills)
            matches: Sequence[SkillMatch] = yield from step(
                find, partial(procedural.afind, text, limit=self._settings.skills)
            )
            if matches:
                return matches
        return ()


def was_told(report: MemoryReport) -> bool:
    """Whether a turn was shown anything beside its memories."""
    return bool(report.get("skills")) or report.get("working_version") is not None


def _told(state: WorkingState, task: str, matches: Sequence[SkillMatch], shown: Sequence[SkillMatch]) -> Beside:
    working = f"{WORKING_LEAD}\n{task}" if task else ""
    skills = "\n".join([SKILLS_LEAD, *(to_prompt(match.skill) for match in shown)]) if shown else ""
    return Beside(
        text={"working": working, "skills": skills},
        noted={"skills": [_named(it) for it in shown], "working_version": state.version if task else None},
        tokens=tokens_of(working) + tokens_of(skills),
        cut={
            "skills": [_named(it) for it in matches if it not in shown],
            "working": sections_cut("working", state.to_context(max_tokens=WHOLE), task),
        },
        state=state,
        task=task,
        matches=matches,
        shown=shown,
    )


def _fitting(matches: Sequence[SkillMatch], left: int) -> Iterator[SkillMatch]:
    """Yield the skills that have room, each whole or not at all: half a procedure is worse than none."""
    for match in matches:
        cost = tokens_of(f"\n{to_prompt(match.skill)}")
        if cost <= left:
            left -= cost
            yield match


def _named(match: SkillMatch) -> str:
    return f"{match.skill.name}@{match.skill.version}"
