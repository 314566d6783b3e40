"""What really runs of a call: middleware between memory and the tool may have changed it since memory looked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.nodes.guarding import Settled

Judge: TypeAlias = Callable[[ToolCall, BaseTool | None], Flow[Settled]]
"""Says whether a call of a tool may run."""

Refuse: TypeAlias = Callable[[Settled], Any]
"""Returns what a call that may not run is answered; `None` where it may."""

_RUNTIME: Final = "runtime"
"""Name of an argument that LangGraph fills in whatever its type."""


class Watch:
    """Follows one call to its tool: whatever reaches the tool is judged, and what ran is known.

    Args:
        judge: Judges a call; each call is judged once, however often it is tried.
        refuse: Words a refusal.
        note: Is called with what was said to a call that reaches its tool.

    Attributes:
        ran: What was said to the call that ran last, `None` where none did. `tool`: what it ran.
    """

    def __init__(self, judge: Judge, refuse: Refuse, note: Callable[[Settled], None]) -> None:
        self._judge = judge
        self._refuse = refuse
        self._note = note
        self._judged: dict[str, Settled] = {}
        self.ran: Settled | None = None
        self.tool: BaseTool | None = None

    def judge_flow(self, call: ToolCall, tool: BaseTool | None) -> Flow[Settled]:
        """Return what becomes of a call; it may interrupt the graph to ask."""
        known = json.dumps([call["name"], call["args"]], default=str, sort_keys=True)
        if known not in self._judged:
            self._judged[known] = yield from self._judge(call, tool)
        return self._judged[known]

    def over(self, tool: BaseTool | None) -> BaseTool | None:
        """Return a tool that runs only what may run; a refusal stands in the place of its answer."""
        if tool is None or _Invoke.is_of(tool):
            return tool
        twin, entrance = copy(tool), _Invoke(self, tool)
        vars(twin).update(invoke=entrance.invoke, ainvoke=entrance.ainvoke)
        return twin

    def admit_flow(self, call: ToolCall, tool: BaseTool) -> Flow[Any]:
        """Return the refusal of a call that is about to run, or `None`, and note that it runs."""
        settled = yield from self.judge_flow(call, tool)
        refusal = self._refuse(settled)
        if refusal is None:
            self.ran, self.tool = settled, tool
            self._note(settled)
        return refusal


@dataclass
class WatchedRequest(ToolCallRequest):
    """A call that is handed on under watch: every tool that is put into it, by whomever, is watched too."""

    watch: Watch

    def __post_init__(self) -> None:
        """Watch the tool that was given."""
        object.__setattr__(self, "tool", self.watch.over(self.tool))

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401  (of any field)
        """Watch a tool that is set later."""
        is_later = name == "tool" and "watch" in vars(self)
        super().__setattr__(name, self.watch.over(value) if is_later else value)


def watched(request: ToolCallRequest, watch: Watch) -> WatchedRequest:
    """Return a request under watch."""
    return WatchedRequest(request.tool_call, request.tool, request.state, request.runtime, watch)


@dataclass(frozen=True, slots=True)
class _Invoke:
    """The way into a tool, of both colours."""

    watch: Watch
    tool: BaseTool

    @classmethod
    def is_of(cls, tool: BaseTool) -> bool:
        """Whether a tool is watched already."""
        return isinstance(getattr(vars(tool).get("invoke"), "__self__", None), cls)

    def invoke(self, given: Any, config: Any = None, **options: Any) -> Any:  # noqa: ANN401  (as a tool takes and returns)
        refusal = run(self._admit(given))
        return self.tool.invoke(given, config, **options) if refusal is None else refusal

    async def ainvoke(self, given: Any, config: Any = None, **options: Any) -> Any:  # noqa: ANN401  (as above)
        refusal = await arun(self._admit(given))
        return await self.tool.ainvoke(given, config, **options) if refusal is None else refusal

    def _admit(self, given: Any) -> Flow[Any]:  # noqa: ANN401  (as above)
        return self.watch.admit_flow(_called(self.tool, given), self.tool)


def _called(tool: BaseTool, given: Any) -> ToolCall:  # noqa: ANN401  (as above)
    """Return a call as the model could have written it: without what LangGraph fills in."""
    is_call = isinstance(given, Mapping) and given.get("type") == "tool_call"
    args = given["args"] if is_call else given
    named = args if isinstance(args, Mapping) else {"input": args}
    hidden = _filled_in(tool)
    plain = {name: value for name, value in named.items() if name not in hidden}
    return ToolCall(name=tool.name, args=plain, id=given.get("id") if is_call else None, type="tool_call")


def _filled_in(tool: BaseTool) -> set[str]:
    """Return the names of the arguments that LangGraph fills in: state, store and runtime."""
    declared, shown = (getattr(it, "model_fields", {}) for it in (tool.get_input_schema(), tool.tool_call_schema))
    return {_RUNTIME, *getattr(tool, "_injected_args_keys", ())} | (set(declared) - set(shown))
