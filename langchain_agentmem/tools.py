"""Tools with which an agent searches and manages the memory of the user it talks to, and tells them what it holds.

Whose memory a tool works on comes from the run, never from an argument: a model cannot name a user. What a model
writes is its own claim until the user's words bear it out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Protocol
from xml.sax.saxutils import escape

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from langchain_agentmem._flow import Face, Flow, arun, flows_of, run
from langchain_agentmem.english.people.since import dated
from langchain_agentmem.errors import AgentMemError, ConfigurationError, NotFoundError, ScopeError
from langchain_agentmem.extraction.record.attribution import attributed
from langchain_agentmem.extraction.record.conversation import MARK, tools_read
from langchain_agentmem.identity import resolve_mode, resolve_scope
from langchain_agentmem.long_term import ListQuery, LongTermMemory
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.long_term.recall.asking import united
from langchain_agentmem.long_term.recall.prompt_form import describe, to_prompt
from langchain_agentmem.long_term.said.turns import episode_ids
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.nodes.deleting import Deleting, quoted
from langchain_agentmem.nodes.turn import names_of, origin_of
from langchain_agentmem.planning.dialogue import said_in
from langchain_agentmem.policies.approve import remedy_for
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.types import (
    Candidate,
    Decision,
    GoalProgress,
    Kind,
    Memory,
    MemoryMode,
    Provenance,
    Recall,
    RecallQuery,
    Scope,
    StatedKind,
)
from langchain_agentmem.types.scope import check_scope

MAX_FOUND: Final = 20
"""Memories one search returns at most: more only fills the model's context."""

MAX_TOLD: Final = 100
"""Memories told to a user who asks what is remembered; the answer says when there are more."""

UNCERTAIN: Final = 0.9
"""Confidence of what a model writes: as any statement; that it waits for support is the policy's decision."""

NOT_ASKED: Final = "The user has not asked to forget this."
ASK: Final = "Ask the user, naming what is to be forgotten; then call again and give their exact words as evidence."

_REASON: Final = "asked through a tool"
_NOT_USED: Final = {
    "off": "Memory is off here.",
    "no_consent": "The user has not consented to long-term memory.",
    "anonymous": "The user is not signed in; nothing is remembered.",
}
_FOUND_NOTHING: Final = {
    "skipped": "This reads as small talk, and no memory has these words; ask for what you want to know.",
}


class HasLongTerm(Protocol):
    """What the tools need of an `AgentMemory`."""

    @property
    def long_term(self) -> LongTermMemory:
        """Remembers, recalls and forgets."""
        ...


class SearchArguments(BaseModel):
    """What a model may say about a search."""

    query: str = Field(description="what to look for, in words")
    limit: int = Field(default=5, ge=1, le=MAX_FOUND, description="memories at most")
    kinds: list[Kind] | None = Field(default=None, description="only these kinds")


class ManageArguments(BaseModel):
    """What a model may say about a change."""

    action: Literal["create", "update", "delete"]
    content: str | None = Field(default=None, description="create, update: one sentence in the third person")
    id: str | None = Field(default=None, description="update, delete: id of the memory, as search_memory shows it")
    kind: StatedKind = Field(default="fact", description="create: what sort of memory it is")
    evidence: str | None = Field(
        default=None,
        description="the user's own words that say so, or that ask to forget it, copied exactly from a message",
    )


class NoArguments(BaseModel):
    """Nothing to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """On whose behalf a tool is called, and what was said in the conversation."""

    scope: Scope
    mode: MemoryMode
    messages: list[BaseMessage]


@dataclass(frozen=True, slots=True)
class _Work:
    """What the tools do, each as a flow."""

    long_term: LongTermFlows
    episodes: EpisodeFlows | None = None

    def search(self, calling: Calling, arguments: SearchArguments) -> Flow[tuple[str, list[dict[str, Any]]]]:
        kinds = tuple(arguments.kinds) if arguments.kinds else None  # a model that names none means no restriction
        query = RecallQuery(limit=arguments.limit, kinds=kinds)
        seen = episode_ids(calling.messages, calling.scope)  # the model has them before it
        dialogue = Dialogue(text=arguments.query, before=said_in(calling.messages))
        recalls = yield from self.long_term.recall_each(dialogue, query, calling.scope, calling.mode, without=seen)
        recall = united(recalls, limit=arguments.limit)
        found = [{**_shown(hit.memory), "score": float(hit.score)} for hit in recall]
        return _told(recall), found

    def manage(self, calling: Calling, arguments: ManageArguments) -> Flow[str]:
        if calling.mode != "on":
            rule = "memory_mode"
            return _result(arguments.action, "refused", rule=rule, reason=f"Memory is {calling.mode} in this turn.")
        if arguments.action == "create":
            return (yield from self._create(calling, arguments))
        before = yield from self._known(calling, arguments)
        if arguments.action == "delete":
            deleting = Deleting(self.long_term, self.episodes)
            asked = yield from deleting.asked_flow(calling.messages, arguments.evidence, before, calling.scope)
            if asked is None:
                return _result("delete", "pending", reason=NOT_ASKED, remedy=ASK)
            after = yield from deleting.delete_flow(before, asked, calling.scope, _REASON)
            return _result("delete", "forgotten", before=before, after=self.long_term.shown(after), reason=_REASON)
        return (yield from self._update(calling, arguments, before))

    def about_me(self, calling: Calling, _arguments: NoArguments) -> Flow[str]:
        allowed = yield from self.long_term.recall(RecallQuery(), calling.scope, calling.mode)
        if allowed.status in _NOT_USED:
            return _NOT_USED[allowed.status]
        query = ListQuery(limit=MAX_TOLD, admitted=RecallQuery(min_confidence=0.0))
        page = yield from self.long_term.select(query, calling.scope)
        if not page:
            return "Nothing is remembered about the user."
        more = f"\nThese are the latest {MAX_TOLD}; there are more." if page.cursor else ""
        return f"<memories>\n{escape(describe(page))}\n</memories>{more}"

    def _create(self, calling: Calling, arguments: ManageArguments) -> Flow[str]:
        candidate = dated(_candidate(calling, arguments, arguments.kind), self.long_term.now())
        decision = yield from self.long_term.remember(candidate, calling.scope, calling.mode)
        return _decided("create", self._shown(decision), None)

    def _update(self, calling: Calling, arguments: ManageArguments, before: Memory) -> Flow[str]:
        """Revise what the user's words correct; what only the model says waits beside the memory it would replace."""
        candidate = _candidate(calling, arguments, before.kind, replaces=before.id)
        if candidate.source != "explicit":
            decision = yield from self.long_term.remember(candidate, calling.scope, calling.mode)
            return _decided("update", self._shown(decision), before)
        changes: dict[str, Any] = {"content": candidate.content, "provenance": candidate.provenance}
        revised = yield from self.long_term.revise(before.id, calling.scope, _REASON, changes)
        return _decided("update", self._shown(revised), before)

    def _shown(self, decision: Decision) -> Decision:
        """Return a decision as a model may read it: what it merged into, others may have told."""
        known = decision.memory
        return decision if known is None else replace(decision, memory=self.long_term.shown(known))

    def _known(self, calling: Calling, arguments: ManageArguments) -> Flow[Memory]:
        if not arguments.id:
            msg = f"{arguments.action} needs the id of a memory; search_memory shows ids"
            raise ConfigurationError(msg)
        memory = yield from self.long_term.allowed(arguments.id, calling.scope)
        if memory is None:
            msg = f"no memory has the id {arguments.id!r}; search_memory shows ids"
            raise NotFoundError(msg)
        return memory


def create_search_memory_tool(
    memory: HasLongTerm, *, scope: Scope | None = None, name: str = "search_memory"
) -> BaseTool:
    """Return a tool that recalls; its artifact holds the memories found as records.

    Args:
        memory: An `AgentMemory`.
        scope: Whose memory; `None`: the user of the run, refused where there is none.
        name: What the model calls it.
    """
    description = (
        "Search what is remembered about the user, and what was said in earlier conversations (kind `episode`). "
        "Returns memories with their ids."
    )
    return make_tool(
        name, description, SearchArguments, Calls(scope, _Work(flows_of(memory.long_term)).search), has_artifact=True
    )


def create_manage_memory_tool(
    memory: HasLongTerm, *, scope: Scope | None = None, name: str = "manage_memory"
) -> BaseTool:
    """Return a tool that creates, updates and deletes (forgets) memories.

    It answers with what was decided and by which rule, and with the memory before and after. What the model writes
    waits as pending unless `evidence` stands in a message of the user and bears it out. Nothing is deleted unless
    `evidence` stands in a message in which the user asks to forget it, by what it says, or everything; or agrees to
    it, right after the assistant asked. The turns of conversations that say what they ask to forget go with it.

    Args:
        memory: An `AgentMemory`.
        scope: Whose memory; `None`: the user of the run, refused where there is none.
        name: What the model calls it.
    """
    description = (
        "Create, update or delete a memory about the user. Use it when the user asks you to remember, to correct or to "
        "forget something, and quote their words as evidence."
    )
    episodes: Face[EpisodeFlows] | None = getattr(memory, "episodes", None)
    work = _Work(flows_of(memory.long_term), None if episodes is None else flows_of(episodes))
    return make_tool(name, description, ManageArguments, Calls(scope, work.manage))


def create_about_me_tool(memory: HasLongTerm, *, scope: Scope | None = None, name: str = "list_memories") -> BaseTool:
    """Return a tool that answers "what do you remember about me?" with all of it.

    Args:
        memory: An `AgentMemory`.
        scope: Whose memory; `None`: the user of the run, refused where there is none.
        name: What the model calls it.
    """
    description = "List everything that is remembered about the user. Use it when they ask what you know about them."
    return make_tool(name, description, NoArguments, Calls(scope, _Work(flows_of(memory.long_term)).about_me))


def create_memory_tools(memory: HasLongTerm, *, scope: Scope | None = None) -> list[BaseTool]:
    """Return the three tools: search, manage, and "what do you remember about me"."""
    makers = (create_search_memory_tool, create_manage_memory_tool, create_about_me_tool)
    return [make(memory, scope=scope) for make in makers]


@dataclass(frozen=True, slots=True)
class Calls:
    """Turns a tool call into a flow: for whom, and with errors that a model can read."""

    scope: Scope | None
    work: Callable[[Calling, Any], Flow[Any]]

    def flow(self, arguments: BaseModel, config: RunnableConfig, runtime: ToolRuntime[Any, Any] | None) -> Flow[Any]:
        """Do the work for the run's user.

        Raises:
            ToolException: It failed; what the model reads.
        """
        scope = resolve_scope(config, runtime, explicit=self.scope)
        calling = Calling(
            scope=scope,
            mode=resolve_mode(config, runtime),
            messages=_messages(runtime, names_of(scope.user_id, config)),
        )
        try:
            return (yield from self.work(calling, arguments))
        except (ScopeError, GraphBubbleUp):
            raise
        except AgentMemError as error:
            msg = f"{type(error).__name__}: {error}"
            raise ToolException(msg) from error
        except Exception as error:
            msg = f"Memory is unavailable ({type(error).__name__}); answer without it and say so."
            raise ToolException(msg) from error


def make_tool(
    name: str, description: str, schema: type[BaseModel], calls: Calls, *, has_artifact: bool = False
) -> BaseTool:
    """Return a tool in both colours, whose answer is marked as memory: no evidence for anything new."""
    if calls.scope is not None:
        check_scope(calls.scope)

    def call(config: RunnableConfig, runtime: ToolRuntime[Any, Any] = None, **arguments: Any) -> Any:  # type: ignore[assignment]  # noqa: ANN401  # `| None` would show the parameter to the model
        return run(calls.flow(schema(**arguments), config, runtime))

    async def acall(config: RunnableConfig, runtime: ToolRuntime[Any, Any] = None, **arguments: Any) -> Any:  # type: ignore[assignment]  # noqa: ANN401  # as above
        return await arun(calls.flow(schema(**arguments), config, runtime))

    return StructuredTool.from_function(
        call,
        coroutine=acall,
        name=name,
        description=description,
        args_schema=schema,
        response_format="content_and_artifact" if has_artifact else "content",
        handle_tool_error=True,
        metadata={MARK: "memory"},
    )


def _messages(runtime: ToolRuntime[Any, Any] | None, names: frozenset[str]) -> list[BaseMessage]:
    state = getattr(runtime, "state", None)
    found = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", state)
    origin = origin_of(state if isinstance(state, Mapping) else {}, names)
    return attributed(convert_to_messages(found), origin) if isinstance(found, list) else []


def _candidate(calling: Calling, arguments: ManageArguments, kind: Kind, *, replaces: str | None = None) -> Candidate:
    if not arguments.content:
        msg = f"{arguments.action} needs content: one sentence in the third person"
        raise ConfigurationError(msg)
    origin = _origin(calling, arguments.evidence)
    return Candidate(
        content=arguments.content,
        kind=kind,
        source="explicit" if origin.speaker == "user" else "inferred",
        confidence=UNCERTAIN,
        provenance=origin,
        supersedes=() if replaces is None else (replaces,),
    )


def _origin(calling: Calling, evidence: str | None) -> Provenance:
    """Return the user as the speaker where the evidence stands in their own words; else the assistant."""
    for passage, _ in quoted(calling.messages, evidence):
        if not passage.asks(evidence or ""):
            return Provenance(speaker="user", message_ids=passage.message_ids, evidence=evidence)
    return Provenance(speaker="assistant", tools=tools_read(calling.messages))


def _told(recall: Recall) -> str:
    nothing = _FOUND_NOTHING.get(recall.status, "Nothing relevant is remembered.")
    return _NOT_USED.get(recall.status) or to_prompt(recall) or nothing


def _decided(action: str, decision: Decision, before: Memory | None) -> str:
    told: dict[str, Any] = {} if decision.is_refused else {"before": before, "after": decision.memory}
    if decision.verdict == "pending":
        told["remedy"] = remedy_for(decision)
    return _result(action, decision.verdict, rule=decision.rule, reason=decision.reason, **told)


def _result(action: str, result: str, **details: Any) -> str:
    shown = {name: _shown(value) if isinstance(value, Memory) else value for name, value in details.items()}
    return json.dumps({"action": action, "result": result, **shown}, ensure_ascii=False)


def _shown(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "kind": memory.kind,
        "content": memory.content,
        "confidence": memory.confidence,
        "status": memory.status,
        **_pursued(memory.goal),
    }


def _pursued(goal: GoalProgress | None) -> dict[str, Any]:
    if goal is None:
        return {}
    return {"goal": {"status": goal.status, "completed": list(goal.completed), "next_step": goal.next_step}}
