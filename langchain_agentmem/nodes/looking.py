"""A look at memory before an action: what is known of it, and whether it may run.

Every place that runs tools takes the same look: the node `Act`, and `MemoryMiddleware` around each call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from langchain_core.messages import ToolCall, ToolMessage

from langchain_agentmem._checks import given
from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction.record.conversation import MARK
from langchain_agentmem.extraction.record.quarantine import plain
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.nodes.recalled import entries, without
from langchain_agentmem.nodes.state import AddedToReport
from langchain_agentmem.nodes.turn import MAX_QUERY_CHARS, Failure, Turn, attempt
from langchain_agentmem.types import Recall, RecallQuery

BeforeAction: TypeAlias = Callable[[str, Recall], str | None]
"""Given an action and what memory knows about it, returns `None`, where it may run, or why it must not, as a text."""

HELD: Final = (
    "Not run yet: memory holds something about this action that you had not seen. It now stands among the memories. "
    "Take it into account, then call the tool again, call another one, or answer."
)

UNDECIDED: Final = "Not run: whether it may run could not be decided, because the check before actions failed."


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What came of looking at memory before one call.

    Attributes:
        verdict: Whether it may run; else how its answer is marked. `memory`: a tool of memory, of which nobody has one.
    """

    call: ToolCall
    action: str
    verdict: Literal["run", "hold", "block", "memory"]
    reason: str = ""
    fresh: Recall = field(default_factory=Recall)
    receipt_id: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookout:
    """Looks at memory before actions.

    For each call the past failures of the action and every constraint in force are recalled. What of it the model has
    not been shown in this turn holds the call, at most once per action and turn, so that a loop ends.

    Args:
        long_term: Where to look.
        query: What every recall is asked with.
        before_action: May forbid a call: returns why, or `None`.
        unguarded: Names of tools that run without a look at memory.
    """

    long_term: LongTermFlows
    query: RecallQuery
    before_action: BeforeAction | None = None
    unguarded: frozenset[str] = frozenset()

    def look(self, turn: Turn, call: ToolCall) -> Flow[Look]:
        """Return whether a call may run now, and what the model is to be shown or told where it may not."""
        action = describe_action(call)
        found: Recall | Failure = Recall(status="skipped")
        if turn.may_read and call["name"] not in self.unguarded:
            query = replace(self.query, text="", action=action)
            found = yield from attempt(self.long_term.recall, query, turn.scope, turn.mode)
        recall = Recall(status="degraded") if isinstance(found, Failure) else found
        status = found.status if isinstance(found, Failure) else None
        look = partial(Look, call=call, action=action, receipt_id=recall.receipt_id, status=status)
        objection = yield from attempt(work, self._objection, action, recall)
        if isinstance(objection, Failure):
            return look(verdict="block", reason=UNDECIDED, status=status or objection.status)
        if objection is not None:
            return look(verdict="block", reason=objection)
        fresh = without(recall, [entry["id"] for entry in turn.report["recalled"]])
        if (fresh.hits or fresh.constraints) and action not in turn.report["held"]:
            return look(verdict="hold", reason=HELD, fresh=fresh)
        return look(verdict="run")

    def _objection(self, action: str, recall: Recall) -> str | None:
        """Return why an action must not run.

        Raises:
            ConfigurationError: `before_action` answered with something else, such as `True`: that is a yes to one and
                a no to another, and the call does not run.
        """
        said: object = None if self.before_action is None else self.before_action(action, recall)
        if said is None or (isinstance(said, str) and said.strip()):
            return said
        msg = (
            f"before_action must return None, where the call may run, or why it must not as a text, got {given(said)}; "
            "for example return 'not on Fridays' if it is Friday, else None"
        )
        raise ConfigurationError(msg)


def describe_action(call: ToolCall) -> str:
    """Return a call as the text that memory is asked about."""
    arguments = ", ".join(f"{name}={json.dumps(value, default=str)}" for name, value in call["args"].items())
    return plain(f"{call['name']}({arguments})")[:MAX_QUERY_CHARS]


def memory_tool_names(tools: Iterable[Any]) -> set[str]:
    """Return the names of this package's tools: they read and write memory, and are no actions to learn from."""
    return {tool.name for tool in tools if is_memory_tool(tool)}


def is_memory_tool(tool: object) -> bool:
    """Whether a tool is one of this package's."""
    return MARK in (getattr(tool, "metadata", None) or {})


def refused_call(call: ToolCall, mark: str, reason: str) -> ToolMessage:
    """Return the answer to a call that did not run; marked, so that nobody learns from it."""
    return ToolMessage(
        reason, tool_call_id=call["id"] or "", name=call["name"], status="error", additional_kwargs={MARK: mark}
    )


def looked(turn: Turn, looks: Sequence[Look]) -> AddedToReport:
    """Return what looks add to the turn's report."""
    recalled = list(turn.report["recalled"])
    known = len(recalled)
    for look in looks:
        fresh = without(look.fresh, [entry["id"] for entry in recalled])
        receipts = {hit.memory.id: look.receipt_id for hit in (*fresh.constraints, *fresh.hits)}
        recalled += entries(fresh, receipts, action=look.action)
    return {
        "recalled": recalled[known:],
        "receipt_ids": [look.receipt_id for look in looks if look.receipt_id],
        "held": [look.action for look in looks if look.verdict == "hold"],
    }
