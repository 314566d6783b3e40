"""Policies around tools: every call is checked before it runs, whoever runs it.

A person's approval is LangGraph's `interrupt()`. Its value says what is to be done and why it is asked; it is answered
by `Command(resume={"decision": "approve", "approval_id": …})`, with `reason` and `by` if wanted. Whoever agrees names
the `approval_id`, so that no answer to another question or call counts for this one; a plain `"reject"` needs none.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Literal, Protocol

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import interrupt

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.extraction.record.conversation import (
    executed,
    is_injected,
    looks_like_error,
    said_by_tool,
    with_mark,
    with_note,
)
from langchain_agentmem.policies.actions import Action
from langchain_agentmem.policies.enforce import ActionCheck, ActionContext, Finding, PastAction, strictest
from langchain_agentmem.procedural.arguments import Reader
from langchain_agentmem.procedural.events import Applied, Ending
from langchain_agentmem.types import Scope

WARNED: Final = "agentmem_policies"
"""Key in `additional_kwargs` of a tool's answer: names of the soft policies that the model was told of with it."""

UNREADABLE: Final = "Not run: the policies cannot be read, so nothing can be said to be allowed."
NOBODY: Final = "Not run: a person has to agree to it first, and nobody can be asked here (no checkpointer)."
REJECTED: Final = "Not run: a person was asked and did not agree."
REPEATED: Final = "Not run: another call of this message has the same id. Call the tool again, with an id of its own."
UNKNOWN_BEFORE: Final = (
    "What succeeded in earlier runs of this agent is not known here: it is a node of another graph, and no "
    "checkpointer that can be read has kept it."
)
SHOWN_CHARS: Final = 2_000
"""Of the arguments, in what a person is asked."""

FINGERPRINT_CHARS: Final = 16
"""64 bits: one in 10 ** 13 that any two of a thousand calls have the same."""

_CHECKPOINTER: Final = "__pregel_checkpointer"
_RESUMING: Final = "__pregel_resuming"  # while LangGraph runs what an interrupt, or a failure, has cut short
_ID_CHARS: Final = 16
_BY_CHARS: Final = 200
_DECISIONS: Final[Mapping[Any, bool]] = {"approve": True, "approved": True, "reject": False, "rejected": False}

LOGGER: Final = logging.getLogger("langchain_agentmem")


class Checks(Protocol):
    """What the guard needs of the flows of procedural memory."""

    def check(self, action: Action, context: ActionContext | None = None) -> Flow[ActionCheck]:
        """Return what the policies say to an action."""
        ...

    def log(self, applied: Sequence[Applied], scope: Scope) -> Flow[None]:
        """Log what was applied."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Under which circumstances tools are called.

    Args:
        scope: For whom. `config`: of the run.
        messages: The thread so far.
        turn: Name of this turn.
        ran: What `fingerprint` gave for each call that a guard saw run, and in which turn: of the messages these count.
        done: Actions of the thread that no message shows.
        earlier: Reads more of `ran`, where the state at hand may not have all of it; `None`: nobody can tell.
        is_logged: Whether the user's log may be written.
    """

    scope: Scope
    config: RunnableConfig
    messages: Sequence[BaseMessage] = ()
    turn: str = ""
    ran: Mapping[str, str] = field(default_factory=dict)
    done: tuple[PastAction, ...] = ()
    earlier: Callable[[], Flow[Mapping[str, str] | None]] | None = None
    is_logged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """What becomes of one call: `block` with a reason for the model, or `run`, and what to tell it with the answer.

    `failure` says `degraded: …` where the policies could not be read.
    """

    verdict: Literal["run", "block"]
    reason: str = ""
    check: ActionCheck = field(default_factory=ActionCheck)
    warnings: tuple[Finding, ...] = ()
    by: str | None = None
    failure: str | None = None

    def explained(self, note: str) -> Guarded:
        """Return it with more of why a call is blocked, where something has to succeed first."""
        is_premature = self.verdict == "block" and any(it.is_premature for it in self.check.findings)
        return replace(self, reason=f"{self.reason} {note}") if is_premature else self

    def told(self, answer: ToolMessage) -> ToolMessage:
        """Return a tool's answer with the warnings added to its text, as words that the tool has not said."""
        marked = with_mark(answer, WARNED, [finding.policy for finding in self.warnings])
        notes = "\n".join(f"Note: {finding.reason}" for finding in self.warnings)
        return with_note(marked, f"\n\n{notes}" if notes else "")


class Guard:
    """Checks calls against policies, asks where approval is needed, and logs what was applied.

    Where policies cannot be read, no call runs: what may forbid must not be missing unnoticed.

    Args:
        checks: Says what the policies say, and logs it.
        tools: By name; arguments are checked as they are written and as the tool reads them, with its defaults.
    """

    def __init__(self, checks: Checks, tools: Mapping[str, Any] | None = None) -> None:
        self._checks = checks
        self._tools = dict(tools or {})
        self._readers: dict[str, Reader] = {}

    def judge_flow(self, calls: Sequence[ToolCall], context: CallContext) -> Flow[list[Guarded]]:
        """Return what becomes of each call; may interrupt the graph to ask. Run nothing before this returns.

        Everything is checked and asked before anything is logged. What is run again, because a tool has interrupted the
        graph, is logged once.
        """
        checked = yield from self._checked(calls, context)
        if context.earlier is not None and any(it.is_premature for each in checked for it in each.check.findings):
            known = yield from context.earlier()
            if known is None:
                checked = [it.explained(UNKNOWN_BEFORE) for it in checked]
            elif known.items() - context.ran.items():
                checked = yield from self._checked(calls, replace(context, ran={**known, **context.ran}))
        settled = [
            _asked(call, it, context.config) if it.verdict == "run" and it.check.needs_approval else it
            for call, it in zip(calls, checked, strict=True)
        ]
        if context.is_logged and not context.scope.is_anonymous:
            yield from self._log(calls, settled, context)
        return settled

    def _checked(self, calls: Sequence[ToolCall], context: CallContext) -> Flow[list[Guarded]]:
        """Return what the policies say to each call; nobody was asked yet."""
        preceding = (*context.done, *past_actions(context))
        checked: list[Guarded] = []
        for place, call in enumerate(calls):
            is_repeated = any(
                call["id"] == other["id"] for other in calls[:place]
            )  # its answer could not be told apart
            checked.append(
                Guarded(verdict="block", reason=REPEATED)
                if is_repeated
                else (yield from self._check(call, preceding, context))
            )
        return checked

    def _check(self, call: ToolCall, preceding: tuple[PastAction, ...], context: CallContext) -> Flow[Guarded]:
        scope = context.scope
        circumstances = ActionContext(agent_id=scope.agent_id, user_id=scope.user_id or None, tenant_id=scope.tenant_id)
        actions = self._read(Action(tool=call["name"], args=call["args"]))
        past = [self._read(done.action) for done in preceding]
        checks: list[ActionCheck] = []
        try:
            for way, action in enumerate(actions):  # like with like: as written, and as the tools read it
                done = tuple(replace(it, action=read[way]) for it, read in zip(preceding, past, strict=True))
                checks.append((yield from self._checks.check(action, replace(circumstances, preceding=done))))
        except Exception as error:  # noqa: BLE001  (whatever a disk or a repository raises: unread policies forbid)
            failure = _failure(error)
            LOGGER.warning("policies cannot be read: %s", failure)
            return Guarded(
                verdict="block", reason=UNREADABLE, failure=f"degraded: the policies cannot be read: {failure}"
            )
        check = strictest(checks)
        if check.violations:
            return Guarded(verdict="block", reason=f"Not run. {check.reason}", check=check)
        told = set(_told_before(context.messages))
        warnings = tuple(finding for finding in check.warnings if finding.policy not in told)
        return Guarded(verdict="run", check=check, warnings=warnings)

    def _read(self, action: Action) -> list[Action]:
        if action.tool not in self._readers:
            self._readers[action.tool] = Reader(self._tools.get(action.tool))
        return [Action(tool=action.tool, args=args) for args in self._readers[action.tool].read(action.args)]

    def _log(self, calls: Sequence[ToolCall], settled: Sequence[Guarded], context: CallContext) -> Flow[None]:
        applied = [
            _applied(call, finding, it, context)
            for call, it in zip(calls, settled, strict=True)
            for finding in it.check.findings
        ]
        try:
            yield from self._checks.log(applied, context.scope)
        except Exception as error:  # noqa: BLE001  (what was decided stands; only the trace of it is missing)
            LOGGER.warning("policies were applied and could not be logged: %s", type(error).__name__)


def _failure(error: Exception) -> str:
    """Return an error in words; those of others may quote what they were given."""
    return f"{type(error).__name__}: {error}" if isinstance(error, AgentMemError) else type(error).__name__


def past_actions(context: CallContext) -> list[PastAction]:
    """Return the actions that a guard saw run and whose answers the conversation shows, oldest first.

    A call and an answer alone prove nothing: whoever calls the agent, and whatever tool, can put both into a thread.
    """
    calls: dict[str | None, ToolCall] = {}
    found: list[PastAction] = []
    for message in context.messages if context.ran else ():
        if isinstance(message, AIMessage):
            calls |= {call["id"]: call for call in reversed(message.tool_calls)}
        if not isinstance(message, ToolMessage) or is_injected(message):
            continue
        call = executed(message, calls.get(message.tool_call_id))
        if call is None:
            continue
        turn = context.ran.get(fingerprint(call, message))
        if turn is None:
            continue
        text = said_by_tool(message, call)
        is_done = getattr(message, "status", "success") != "error" and not looks_like_error(text)
        action = Action(tool=call["name"], args=call["args"])
        found.append(PastAction(action=action, succeeded=is_done, result=text, is_of_turn=turn == context.turn))
    return found


def fingerprint(call: ToolCall, answer: ToolMessage) -> str:
    """Return what stands for a call and its answer; it changes with a word of either."""
    told = [call["id"], call["name"], call["args"], said_by_tool(answer, call), answer.status]
    return sha256(json.dumps(told, default=str, sort_keys=True).encode()).hexdigest()[:FINGERPRINT_CHARS]


def _told_before(messages: Sequence[BaseMessage]) -> Iterator[str]:
    for message in messages:
        yield from message.additional_kwargs.get(WARNED, ())


def _applied(call: ToolCall, finding: Finding, guarded: Guarded, context: CallContext) -> Applied:
    """Return what is logged of a policy; its key is the same when LangGraph runs the same call again."""
    ending = _ending(finding, guarded)
    configurable = context.config.get("configurable", {})
    place = _message_of(call, context.messages) or configurable.get("checkpoint_ns")
    what = [call["id"], call["name"], call["args"]]  # one id may stand for two calls: the model's, and what ran for it
    named = [context.scope.session_id, context.turn, place, what, finding.policy, finding.version, ending]
    return Applied(
        finding=finding,
        tool=call["name"],
        ending=ending,
        by=guarded.by,
        key=sha256(json.dumps(named, default=str).encode()).hexdigest()[:_ID_CHARS] if place else None,
        is_again=bool(configurable.get(_RESUMING)),
    )


def _message_of(call: ToolCall, messages: Sequence[BaseMessage]) -> str | None:
    """Return the id of the message that makes a call."""
    asking = (it for it in reversed(messages) if isinstance(it, AIMessage) and call["id"] in _call_ids(it))
    return next((message.id for message in asking), None)


def _call_ids(message: AIMessage) -> set[str | None]:
    return {call["id"] for call in message.tool_calls}


def _ending(finding: Finding, guarded: Guarded) -> Ending:
    if finding.effect == "forbid":
        return "blocked"
    if finding.effect == "warn":
        return "warned" if guarded.verdict == "run" else "blocked"
    if finding.effect == "ask":
        return "approved" if guarded.verdict == "run" else "rejected" if guarded.by is not None else "blocked"
    return "allowed"


# ------------------------------------------------------------------------------------------------------------ approval
def _asked(call: ToolCall, guarded: Guarded, config: RunnableConfig) -> Guarded:
    """Ask a person, and return what becomes of the call after that."""
    if not can_ask(config):
        return replace(guarded, verdict="block", reason=f"{NOBODY} {guarded.check.reason}")
    request = approval_request(call, guarded.check)
    while True:
        answer = interrupt(request)
        decision = _decision(answer, request["approval_id"])
        if decision is not None:
            break
        request = {**request, "note": "answer with decision ('approve' or 'reject') and approval_id"}
    given = answer if isinstance(answer, Mapping) else {}
    by, why = str(given.get("by") or "")[:_BY_CHARS], str(given.get("reason") or "")[:SHOWN_CHARS]
    if decision:
        return replace(guarded, by=by)
    return replace(guarded, verdict="block", reason=f"{REJECTED} {why}".strip(), by=by)


def can_ask(config: RunnableConfig) -> bool:
    """Whether a graph with a checkpointer runs, which can be interrupted and goes on with an answer."""
    return config.get("configurable", {}).get(_CHECKPOINTER) is not None


def approval_request(call: ToolCall, check: ActionCheck) -> dict[str, Any]:
    """Return what a person is asked, as plain data."""
    args = json.dumps(call["args"], default=str, ensure_ascii=False, sort_keys=True)
    policies = [{"name": it.policy, "version": it.version, "reason": it.reason} for it in check.needs_approval]
    identity = json.dumps([call["id"], call["name"], args, [[it["name"], it["version"]] for it in policies]])
    return {
        "type": "approval",
        "approval_id": sha256(identity.encode()).hexdigest()[:_ID_CHARS],
        "tool": call["name"],
        "args": call["args"],
        "action": f"{call['name']}({args[:SHOWN_CHARS]})",
        "policies": policies,
        "answers": ["approve", "reject"],
    }


def _decision(answer: object, approval_id: str) -> bool | None:
    """Return whether a person agreed; `None` where the answer says neither, or not for certain to this call.

    An interrupt is known by its place alone: a yes that names no call may be the answer to what a tool has asked.
    """
    said = _said(answer)
    named = answer.get("approval_id") if isinstance(answer, Mapping) else None
    if named is None:
        return None if said else said
    return said if named == approval_id else None


def _said(answer: object) -> bool | None:
    said = answer.get("decision", answer.get("type")) if isinstance(answer, Mapping) else answer
    return _DECISIONS.get(said) if isinstance(said, str) else said if isinstance(said, bool) else None


def confirmed(question: Mapping[str, Any], config: RunnableConfig) -> str | None:
    """Ask a person to confirm something; return `None` where they do, else why it is not confirmed."""
    if not can_ask(config):
        return "a person has to confirm it, and nobody can be asked here (no checkpointer)"
    request = {**question, "answers": ["approve", "reject"]}
    while (decision := _said(interrupt(request))) is None:
        request = {**request, "note": "answer with 'approve' or 'reject'"}
    return None if decision else "a person was asked and did not confirm it"
