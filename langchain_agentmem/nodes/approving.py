"""A person's word on what a turn would have remembered: the run waits for it, and goes on with what they decide.

What the run waits with has the shape of LangChain's `HumanInTheLoopMiddleware`, so that one screen serves both:

```python
{
    "action_requests": [
        {
            "name": "remember",
            "args": {"content": "Alice's limit is 500 euros", "kind": "constraint"},
            "description": "…",
            "approval": {"id": "…", "evidence": "…", "would_supersede": [{"id": "…", "content": "…"}], …},
        }
    ],
    "review_configs": [{"action_name": "remember", "allowed_decisions": ["approve", "edit", "reject"]}],
}
```

and so has what it goes on with: `{"decisions": [{"type": "approve"}, {"type": "reject", "message": "…"},
{"type": "edit", "edited_action": {"name": "remember", "args": {"content": "…"}}}]}`, one for each request in its order,
or any of them with its `id`. What cannot be read is asked for once more, with what is wrong under `error`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol, runtime_checkable

from langgraph.types import interrupt

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.long_term.write.approval_flows import ApprovalFlows
from langchain_agentmem.long_term.write.approvals import Approvals
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import Asked, Decided
from langchain_agentmem.nodes.turn import Failure, MemoryNode, Turn, attempt
from langchain_agentmem.types import Approval, ApprovalDecision, ApprovalOutcome, Memory

MAX_ASKED: Final = 50
"""Memories that a person is asked about at once; what waits beyond them is asked about in a later turn."""

REMEMBER: Final = "remember"
"""Name of the action that is asked about."""

_VERDICTS: Final = ("approve", "edit", "reject")
_GONE: Final = "It waits no more: it was decided, changed, or taken out meanwhile."
_CHANGED: Final[Mapping[str, str]] = {"verdict": "changed", "rule": "approval", "reason": _GONE}
_OPEN: Final[Mapping[str, str]] = {"verdict": "pending", "rule": "approval", "reason": "Nothing was decided about it."}


@runtime_checkable
class ApprovingParts(Protocol):
    """What approving needs of an `AgentMemory`."""

    @property
    def approvals(self) -> Approvals:
        """What waits for a person, and their word on it."""
        ...


class Ask(MemoryNode):
    """Notes all of the user's memories that wait for a person, of whichever turn, for `Approve` to ask about.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, and in which mode.
    """

    name = "ask"

    def __init__(self, memory: ApprovingParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._approvals = flows_of(memory.approvals)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        if not turn.may_write:
            return turn.update()
        found = yield from attempt(waiting_flow, self._approvals, turn)
        if isinstance(found, Failure):
            return turn.update(status=found.status)
        known = turn.report["asking"]
        ids = {it["id"] for it in known}
        return turn.update(asking=[*known, *(it for it in found if it["id"] not in ids)][:MAX_ASKED])


class Approve(MemoryNode):
    """Interrupts the run with all that waits for a person since this turn, and goes on with what they decide.

    The run needs a checkpointer. Who decides is the user of the run that goes on. Nothing is written before that, and
    what was decided meanwhile, elsewhere, is left alone: so the node may run as often as LangGraph likes.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, and in which mode.
    """

    name = "approve"

    def __init__(self, memory: ApprovingParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._approvals = flows_of(memory.approvals)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        return turn.update(**(yield from approve_flow(self._approvals, turn, turn.report["asking"])))


def waiting_flow(approvals: ApprovalFlows, turn: Turn) -> Flow[list[Asked]]:
    """Return what of the user's waits for a person, the latest first."""
    page = yield from approvals.list(turn.scope, MAX_ASKED)
    return [{"id": it.id, "version": it.version} for it in page]


def approve_flow(approvals: ApprovalFlows, turn: Turn, asking: Sequence[Asked]) -> Flow[dict[str, Any]]:
    """Ask a person, and return what of the turn's report changes by what they decide."""
    if not asking or not turn.may_write:
        return {}
    found = yield from attempt(approvals.waiting, [it["id"] for it in asking], turn.scope)
    if isinstance(found, Failure):
        return {"status": found.status}
    known = {it["id"]: found[it["id"]] for it in asking if _is_as_asked(found.get(it["id"]), it)}
    if not known:
        return {}
    decisions = _answered(asking, known)
    wanted = [it for it in decisions if it.id in known]
    actor = turn.actor or turn.scope
    outcomes = yield from attempt(_decided, approvals, wanted, turn, actor.user_id)
    if isinstance(outcomes, Failure):
        return {"status": outcomes.status}
    told = {it.id: it for it in outcomes}
    superseded = [*turn.report["superseded"], *(id_ for it in outcomes for id_ in it.superseded)]
    return {"decided": [_told(it["id"], told, known) for it in asking], "superseded": superseded}


def _decided(
    approvals: ApprovalFlows, decisions: Sequence[ApprovalDecision], turn: Turn, who: str
) -> Flow[Sequence[ApprovalOutcome]]:
    if not decisions:
        return []
    return (yield from approvals.decide(decisions, turn.scope, who, turn.mode))


def _is_as_asked(approval: Approval | None, asked: Asked) -> bool:
    return approval is not None and approval.version <= asked["version"]


def _told(memory_id: str, told: Mapping[str, ApprovalOutcome], known: Mapping[str, Approval]) -> Decided:
    outcome = told.get(memory_id)
    if outcome is not None:
        return {"id": memory_id, "verdict": outcome.verdict, "rule": outcome.rule, "reason": outcome.reason}
    left = _OPEN if memory_id in known else _CHANGED
    return {"id": memory_id, "verdict": left["verdict"], "rule": left["rule"], "reason": left["reason"]}


def _answered(asking: Sequence[Asked], known: Mapping[str, Approval]) -> list[ApprovalDecision]:
    """Interrupt until the answer can be read.

    There is a request for each memory, also for one that waits no more: the answers are told apart by their places, and
    a run that comes back finds as many as it left.
    """
    payload: dict[str, Any] = {
        "action_requests": [_request(it, known.get(it["id"])) for it in asking],
        "review_configs": [{"action_name": REMEMBER, "allowed_decisions": [*_VERDICTS]}],
    }
    while True:
        answer = interrupt(payload)
        try:
            return read_decisions(answer, asking)
        except ConfigurationError as error:
            payload = {**payload, "error": str(error)}


def _request(asked: Asked, approval: Approval | None) -> dict[str, Any]:
    if approval is None:
        return {"name": REMEMBER, "args": {}, "description": _GONE, "approval": {"id": asked["id"]}}
    memory = approval.memory
    return {
        "name": REMEMBER,
        "args": {"content": memory.content, "kind": memory.kind},
        "description": approval.reason,
        "approval": {
            "id": approval.id,
            "rule": approval.rule,
            "evidence": approval.evidence,
            "confidence": memory.confidence,
            "source": memory.source,
            "would_supersede": list(map(_shown, approval.would_supersede)),
            "proposed_by": {
                "agent_id": approval.proposed_by.agent_id,
                "run_id": approval.proposed_by.run_id,
                "session_id": approval.proposed_by.session_id,
                "speaker": approval.proposed_by.speaker,
            },
            "asked_at": _written(approval.asked_at),
            "expires_at": _written(approval.expires_at),
        },
    }


def _shown(memory: Memory) -> dict[str, Any]:
    return {"id": memory.id, "kind": memory.kind, "content": memory.content, "valid_at": _written(memory.valid_at)}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def read_decisions(answer: object, asking: Sequence[Asked]) -> list[ApprovalDecision]:
    """Return what a person decided, of the answer that a run goes on with.

    Raises:
        ConfigurationError: It cannot be read, or leaves open what it is about; it quotes nothing of it.
    """
    given = answer.get("decisions") if isinstance(answer, Mapping) else answer
    if not isinstance(given, list) or not all(isinstance(it, Mapping) for it in given):
        msg = 'answer with {"decisions": [{"type": "approve"}, …]}, one for each of the requests'
        raise ConfigurationError(msg)
    versions = {it["id"]: it["version"] for it in asking}
    named = [it.get("id") for it in given]
    if not any(named):
        if len(given) != len(asking):
            msg = f"there are {len(asking)} requests and {len(given)} decisions; decide each, or give each its id"
            raise ConfigurationError(msg)
        named = [*versions]
    if len({*named}) != len(named) or not {*named} <= versions.keys():
        msg = "each decision names one of the requests by its approval's id, and each at most once"
        raise ConfigurationError(msg)
    return [_decision(str(id_), it, versions[str(id_)]) for id_, it in zip(named, given, strict=True)]


def _decision(memory_id: str, given: Mapping[str, Any], version: int) -> ApprovalDecision:
    verdict = given.get("type")
    if verdict not in _VERDICTS:
        msg = f"the type of a decision is one of {', '.join(_VERDICTS)}"
        raise ConfigurationError(msg)
    content = _content(given) if verdict == "edit" else None
    return ApprovalDecision(
        id=memory_id, verdict=verdict, content=content, reason=given.get("message") or None, version=version
    )


def _content(given: Mapping[str, Any]) -> str:
    action = given.get("edited_action")
    args = action.get("args") if isinstance(action, Mapping) else given
    content = args.get("content") if isinstance(args, Mapping) else None
    if not isinstance(content, str):
        msg = 'an edit says what is remembered: {"type": "edit", "edited_action": {"args": {"content": "…"}}}'
        raise ConfigurationError(msg)
    return content
