"""Procedural memory as callers see it: skills and policies, their versions, and what they say to an action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from langchain_agentmem._checks import check_count, check_instance, check_text
from langchain_agentmem._flow import Flow, arun, run, work
from langchain_agentmem.errors import ConfigurationError, ConflictError, GovernanceError, NotFoundError
from langchain_agentmem.ledger.base import Ledger
from langchain_agentmem.long_term.embedder import Embedder
from langchain_agentmem.policies.contradictions import Contradiction
from langchain_agentmem.policies.enforce import ActionCheck, ActionContext
from langchain_agentmem.procedural import finding, saving
from langchain_agentmem.procedural.evaluating import RunSkill, SkillEvaluation, evaluate_flow
from langchain_agentmem.procedural.events import Runs, SkillLog, logged_flow
from langchain_agentmem.procedural.finding import SkillMatch
from langchain_agentmem.procedural.flows import Given, PolicyFlows
from langchain_agentmem.procedural.library import Library, LoadProblem
from langchain_agentmem.procedural.options import ProceduralOptions, check_author
from langchain_agentmem.procedural.running import SkillInput, SkillParts, SkillState, ToolLike, build_skill_graph
from langchain_agentmem.procedural.saving import Revision
from langchain_agentmem.procedural.schemas import fingerprint
from langchain_agentmem.procedural.tool import SkillCalls, make_skill_tool
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page
from langchain_agentmem.types.procedures import Policy, Record, Skill
from langchain_agentmem.types.scope import known_user

T = TypeVar("T")


class ProceduralMemory:
    """How things are done (skills), and what binds (policies): YAML files in a git repository, shared by all users.

    Files are read again when they or HEAD change. One that cannot be read leaves its last good version in force, and
    `problems` reports it. The shipped policies are in force, too, unless options say otherwise.

    Raises (every method): `ConfigurationError` where a file cannot be read from the beginning, or the folder cannot be
    opened; `StorageError` where the repository cannot be read.
    """

    def __init__(
        self,
        options: ProceduralOptions,
        ledger: Ledger,
        embedder: Embedder | None,
        clock: Callable[[], datetime],
        runs: Runs,
    ) -> None:
        """Compose; nothing is read yet."""
        self._options = options
        self._ledger = ledger
        self._embedder = embedder
        self._library = Library(options, clock)
        self._runs = runs
        self._flows = PolicyFlows(self._library, ledger, runs)
        self._passed: dict[str, SkillEvaluation] = {}

    # ---------------------------------------------------------------------------------------------------------- read
    def skills(self) -> tuple[Skill, ...]:
        """Return every skill, drafts and deprecated ones included."""
        return run(self._skills())

    async def askills(self) -> tuple[Skill, ...]:
        """Return every skill; see `skills`."""
        return await arun(self._skills())

    def policies(self) -> tuple[Policy, ...]:
        """Return every policy, drafts and deprecated ones included; the active ones are in force."""
        return run(self._policies())

    async def apolicies(self) -> tuple[Policy, ...]:
        """Return every policy; see `policies`."""
        return await arun(self._policies())

    def skill(self, name: str) -> Skill:
        """Return a skill by its name.

        Raises:
            NotFoundError: There is none.
        """
        return run(self._named(name, Skill))

    async def askill(self, name: str) -> Skill:
        """Return a skill by its name; see `skill`."""
        return await arun(self._named(name, Skill))

    def policy(self, name: str) -> Policy:
        """Return a policy by its name.

        Raises:
            NotFoundError: There is none.
        """
        return run(self._named(name, Policy))

    async def apolicy(self, name: str) -> Policy:
        """Return a policy by its name; see `policy`."""
        return await arun(self._named(name, Policy))

    def problems(self) -> tuple[LoadProblem, ...]:
        """Return what could not be read, and what is in force instead."""
        return run(self._problems())

    async def aproblems(self) -> tuple[LoadProblem, ...]:
        """Return what could not be read; see `problems`."""
        return await arun(self._problems())

    def conflicts(self) -> tuple[Contradiction, ...]:
        """Return which active policies cannot be kept together."""
        return run(self._conflicts())

    async def aconflicts(self) -> tuple[Contradiction, ...]:
        """Return which active policies cannot be kept together; see `conflicts`."""
        return await arun(self._conflicts())

    # ---------------------------------------------------------------------------------------------------------- write
    def save(self, record: Record, *, message: str | None = None, author: str | None = None) -> Record:
        """Commit a skill or a policy, and return it with its version.

        A record at the version in force gets the next one; comments in its file are not kept.

        Raises:
            ConflictError: It builds on an older version, or somebody changed the repository meanwhile.
            GovernanceError: A skill with cases is to be active, and has not passed them; see `activate`.
            ConfigurationError: There is no repository, the author is none, or no file can say what the record says.
        """
        return run(self._save(record, message, author))

    async def asave(self, record: Record, *, message: str | None = None, author: str | None = None) -> Record:
        """Commit a skill or a policy; see `save`."""
        return await arun(self._save(record, message, author))

    def deprecate(self, name: str, *, author: str | None = None) -> Record:
        """Take a skill or policy out of force, in a commit; `rollback` brings it back, what is shipped as 1."""
        return run(self._deprecate(name, author))

    async def adeprecate(self, name: str, *, author: str | None = None) -> Record:
        """Take a skill or policy out of force; see `deprecate`."""
        return await arun(self._deprecate(name, author))

    def history(self, name: str) -> list[Revision]:
        """Return the commits of a skill or policy, the newest first.

        Raises:
            NotFoundError: No commit has it.
        """
        return run(work(saving.history, self._library, name))

    async def ahistory(self, name: str) -> list[Revision]:
        """Return the commits of a skill or policy; see `history`."""
        return await arun(work(saving.history, self._library, name))

    def diff(self, name: str, old: int | str, new: int | str | None = None) -> str:
        """Return what changed between two versions (or commits, by the beginning of their ids), as a unified diff.

        Raises:
            NotFoundError: There is no such version.
        """
        return run(work(saving.diff, self._library, name, old, new))

    async def adiff(self, name: str, old: int | str, new: int | str | None = None) -> str:
        """Return what changed between two versions; see `diff`."""
        return await arun(work(saving.diff, self._library, name, old, new))

    def rollback(self, name: str, version: int | str, *, author: str | None = None) -> Record:
        """Commit an earlier version (or commit) anew, under the next number; nothing of the history is lost.

        Raises:
            NotFoundError: There is no such version.
        """
        return run(work(saving.rollback, self._library, name, version, self._author(author)))

    async def arollback(self, name: str, version: int | str, *, author: str | None = None) -> Record:
        """Commit an earlier version anew; see `rollback`."""
        return await arun(work(saving.rollback, self._library, name, version, self._author(author)))

    # -------------------------------------------------------------------------------------------------------- enforce
    def check_action(
        self, action: Given, context: ActionContext | None = None, *, scope: Scope | None = None
    ) -> ActionCheck:
        """Return what the policies in force say to an action; nothing is run or asked.

        Args:
            action: An `Action`, a tool call (of LangChain, OpenAI or Anthropic; see `Action.of`), or words such as a
                command; what a policy says of an argument is then looked for in the words.
            context: What was done before, who acts, and which approvals were given; not given, who acts is `scope`.
            scope: For whom it is to be done: what the policies say is logged there. Without one nothing is logged.

        Raises:
            ConfigurationError: `action` is none of these, or a call with a key that is not known.
            ScopeError: `scope` is none.
        """
        return run(self._flows.checked(action, context, scope))

    async def acheck_action(
        self, action: Given, context: ActionContext | None = None, *, scope: Scope | None = None
    ) -> ActionCheck:
        """Return what the policies in force say to an action; see `check_action`."""
        return await arun(self._flows.checked(action, context, scope))

    def events(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Event]:
        """Return the applications of policies and skills in a user's log, violations too, the newest first.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
            ScopeError: The scope is anonymous.
        """
        return run(logged_flow(self._ledger, known_user(scope), limit, cursor))

    async def aevents(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Event]:
        """Return the applications of policies and skills; see `events`."""
        return await arun(logged_flow(self._ledger, known_user(scope), limit, cursor))

    # ------------------------------------------------------------------------------------------------------- skills
    def find(self, text: str, *, limit: int = 3) -> list[SkillMatch]:
        """Return the active skills that answer a request, the best first; none is a normal answer."""
        return run(self._find(text, limit))

    async def afind(self, text: str, *, limit: int = 3) -> list[SkillMatch]:
        """Return the active skills that answer a request; see `find`."""
        return await arun(self._find(text, limit))

    def to_prompt(self, skill: Skill) -> str:
        """Return a skill as delimited text for a prompt."""
        return finding.to_prompt(check_instance("skill", skill, Skill))

    def evaluate(self, name: str, run: RunSkill) -> SkillEvaluation:
        """Run a skill's cases with a callable of the skill and a case's inputs; see `activate`."""
        return _driven(self._evaluate(name, run))

    async def aevaluate(self, name: str, run: RunSkill) -> SkillEvaluation:
        """Run a skill's cases; the callable may be a coroutine function; see `evaluate`."""
        return await arun(self._evaluate(name, run))

    def activate(self, name: str, run: RunSkill | None = None, *, author: str | None = None) -> Skill:
        """Put a skill into use, in a commit, once it has passed all its cases.

        Args:
            name: Of the skill.
            run: Runs the cases now; without it, they must have passed in this process, for exactly this text.
            author: Of the commit.

        Raises:
            GovernanceError: A case failed, or the cases were not run.
            ConflictError: The skill was changed while they ran.
        """
        return _driven(self._activate(name, run, author))

    async def aactivate(self, name: str, run: RunSkill | None = None, *, author: str | None = None) -> Skill:
        """Put a skill into use once it has passed all its cases; see `activate`."""
        return await arun(self._activate(name, run, author))

    def skill_graph(
        self,
        skill: Skill,
        tools: Sequence[ToolLike] = (),
        model: BaseChatModel | None = None,
        *,
        checkpointer: BaseCheckpointSaver[Any] | bool | None = None,
    ) -> CompiledStateGraph[SkillState, Any, SkillInput, SkillState]:
        """Return a LangGraph graph that runs a skill step by step; usable as a subgraph.

        `invoke({"inputs": {…}})` returns `status` (`completed` or `failed`), `results` by step, `completed_steps`,
        `failed_at_step` and `error`. With a checkpointer, invoking the thread of a failed run again goes on at the
        step that failed. Every call passes the policies.

        Args:
            skill: What to run.
            tools: What it may call; those it requires must be among them.
            model: Acts on steps that are words; without one each step needs a tool.
            checkpointer: Keeps the run.

        Raises:
            ConfigurationError: A tool is missing, arguments do not fit it, or a step needs a model.
        """
        check_instance("skill", skill, Skill)
        return build_skill_graph(self._parts(skill, tools, model), checkpointer=checkpointer)

    def skill_tool(self, tools: Sequence[ToolLike] = (), model: BaseChatModel | None = None) -> BaseTool:
        """Return the tool `run_skill`, by which an agent runs active skills as `skill_graph` does, with these tools."""
        return make_skill_tool(SkillCalls(self._skills, lambda skill: self._parts(skill, tools, model)))

    # ---------------------------------------------------------------------------------------------------------- flows
    def _parts(self, skill: Skill, tools: Sequence[ToolLike], model: BaseChatModel | None) -> SkillParts:
        log = SkillLog(self._ledger, self._runs, self._flows.current)
        return SkillParts(skill=skill, tools=tuple(tools), model=model, checks=self._flows, log=log)

    def _skills(self) -> Flow[tuple[Skill, ...]]:
        return (yield from self._flows.current()).skills

    def _policies(self) -> Flow[tuple[Policy, ...]]:
        return (yield from self._flows.current()).policies

    def _problems(self) -> Flow[tuple[LoadProblem, ...]]:
        return (yield from self._flows.current()).problems

    def _conflicts(self) -> Flow[tuple[Contradiction, ...]]:
        return (yield from self._flows.current()).contradictions

    def _named(self, name: str, kind: type[T]) -> Flow[T]:
        record = (yield from self._flows.current()).get(name).record
        if not isinstance(record, kind):
            msg = f"{name!r} is a {type(record).__name__.lower()}, no {kind.__name__.lower()}"
            raise NotFoundError(msg)
        return record

    def _author(self, author: str | None) -> str:
        return self._options.author if author is None else check_author(author)

    def _save(self, record: Record, message: str | None, author: str | None) -> Flow[Record]:
        if not isinstance(record, Skill | Policy):
            msg = f"record must be a Skill or a Policy, got {type(record).__name__}"
            raise ConfigurationError(msg)
        if message is not None:
            check_text("message", message)
        return (yield from work(saving.save, self._library, record, message, self._author(author)))

    def _deprecate(self, name: str, author: str | None) -> Flow[Record]:
        record = (yield from self._flows.current()).get(name).record
        changed = record.model_copy(update={"status": "deprecated"})
        return (yield from self._save(changed, f"Deprecate {name}", author))

    def _find(self, text: str, limit: int) -> Flow[list[SkillMatch]]:
        if not isinstance(text, str):
            msg = f"text must be a str, got {type(text).__name__}"
            raise ConfigurationError(msg)
        check_count("limit", limit)
        active = [skill for skill in (yield from self._skills()) if skill.status == "active"]
        return (yield from finding.find_skills(active, text, limit, self._options.min_score, self._embedder))

    def _evaluate(self, name: str, run_skill: RunSkill) -> Flow[SkillEvaluation]:
        skill = yield from self._named(name, Skill)
        found = yield from evaluate_flow(skill, run_skill)
        self._passed[fingerprint(skill)] = found
        return found

    def _activate(self, name: str, run_skill: RunSkill | None, author: str | None) -> Flow[Skill]:
        skill = yield from self._named(name, Skill)
        found = self._passed.get(fingerprint(skill)) if run_skill is None else None
        if run_skill is not None:
            found = yield from self._evaluate(name, run_skill)
        if skill.evaluation and found is None:
            names = ", ".join(case.name for case in skill.evaluation)
            msg = f"the cases of skill {name!r} were not run: {names}; pass run=, or call evaluate first"
            raise GovernanceError(msg, rule="evaluation")
        if found is not None:
            found.require()
        mark, current = fingerprint(skill), (yield from self._named(name, Skill))
        if fingerprint(current) != mark:
            msg = f"skill {name!r} was changed while its cases ran; read it, and activate it again"
            raise ConflictError(msg)
        changed = current.model_copy(update={"status": "active", "evaluated": mark if skill.evaluation else ""})
        message = f"Activate {name}: {len(skill.evaluation)} of {len(skill.evaluation)} cases passed"
        yield from self._save(changed, message, author)
        return (yield from self._named(name, Skill))


def _driven(flow: Flow[T]) -> T:
    """Run a flow where a parameter is named `run`."""
    return run(flow)
