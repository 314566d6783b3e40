"""Skills as one tool: an agent runs them step by step, with their checks and under the policies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command
from pydantic import BaseModel, Field

from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.procedural.left import LEFT, Left, key_of, left_of
from langchain_agentmem.procedural.running import SkillParts, build_skill_graph, warnings_of
from langchain_agentmem.procedural.schemas import fingerprint
from langchain_agentmem.types.procedures import Skill

RUN_SKILL: Final = "run_skill"
_DESCRIPTION: Final = (
    "Carry out a skill that you were shown, step by step, by its name. Its safety checks are made first, and every "
    "step is held to the policies. Returns what came of each step; where it failed, at which step and why. Called "
    "again with the same inputs, it goes on at that step."
)
_TOLD: Final = ("status", "results", "completed_steps", "failed_at_step", "error")


class SkillArguments(BaseModel):
    """What a model gives."""

    name: str = Field(description="Name of the skill.")
    inputs: dict[str, Any] = Field(default_factory=dict, description="What its steps refer to as {inputs.…}, by name.")


@dataclass(frozen=True, slots=True)
class SkillCalls:
    """Runs skills.

    Args:
        active: Reads the skills that may be used.
        parts_of: Gives what one is run with.
    """

    active: Callable[[], Flow[tuple[Skill, ...]]]
    parts_of: Callable[[Skill], SkillParts]

    def run_flow(
        self, given: SkillArguments, config: RunnableConfig, runtime: ToolRuntime[Any, Any] | None
    ) -> Flow[str | Command[Any]]:
        """Return what came of a skill, as JSON; in an agent that can note it, with how far it came.

        Raises:
            ToolException: It failed, or there is no such skill; what the model reads.
        """
        state = getattr(runtime, "state", None)
        known = state if isinstance(state, Mapping) and "memory" in state else None
        key = key_of(given.name, given.inputs, _owner_in(known or {}))
        left = None if known is None or _is_taken(known, runtime, key) else (known.get(LEFT) or {}).get(key)
        try:
            skill = _named(given.name, (yield from self.active()))
            graph = build_skill_graph(replace(self.parts_of(skill), left=left))
        except AgentMemError as error:
            raise ToolException(str(error)) from error
        asked = {"inputs": given.inputs}
        ran: Any = yield from _asking_once(
            step(partial(graph.invoke, asked, config), partial(graph.ainvoke, asked, config))
        )
        warned = {"warnings": warnings_of(ran)} if warnings_of(ran) else {}
        told = {**{name: ran[name] for name in _TOLD if ran.get(name)}, **warned, **_since(left, skill)}
        text = json.dumps(told, ensure_ascii=False, default=str)
        new = left_of(ran)
        if runtime is not None and known is not None and (new or left):
            return _noted(text, ran, runtime.tool_call_id, Left({key: new}))
        if ran["status"] != "completed":
            raise ToolException(text)
        return text


def _asking_once(running: Flow[Any]) -> Flow[Any]:
    """Run a graph within another one: each question of a call that has a step of its own comes from its node, too."""
    try:
        return (yield from running)
    except GraphInterrupt as asked:
        questions = {it.id: it for it in asked.args[0]}
        raise GraphInterrupt([*questions.values()]) from asked


def make_skill_tool(calls: SkillCalls) -> BaseTool:
    """Return the tool, in both colours."""

    def call(config: RunnableConfig, runtime: ToolRuntime[Any, Any] = None, **arguments: Any) -> Any:  # type: ignore[assignment]  # noqa: ANN401  # `| None` would show the parameter to the model
        return run(calls.run_flow(SkillArguments(**arguments), config, runtime))

    async def acall(config: RunnableConfig, runtime: ToolRuntime[Any, Any] = None, **arguments: Any) -> Any:  # type: ignore[assignment]  # noqa: ANN401  # as above
        return await arun(calls.run_flow(SkillArguments(**arguments), config, runtime))

    return StructuredTool.from_function(
        call,
        coroutine=acall,
        name=RUN_SKILL,
        description=_DESCRIPTION,
        args_schema=SkillArguments,
        handle_tool_error=True,
    )


def _is_taken(state: Mapping[str, Any], runtime: ToolRuntime[Any, Any] | None, key: str) -> bool:
    """Whether the same message asks for the same run before: that call goes on, and this one is a run of its own."""
    own = None if runtime is None else runtime.tool_call_id
    for message in reversed(state.get("messages") or ()):
        calls = message.tool_calls if isinstance(message, AIMessage) else []
        if any(call["id"] == own for call in calls):
            owner = _owner_in(state)
            same = [call["id"] for call in calls if call["name"] == RUN_SKILL and _key_in(call["args"], owner) == key]
            return own != next(iter(same), own)
    return False


def _key_in(arguments: Mapping[str, Any], owner: str) -> str:
    return key_of(str(arguments.get("name")), arguments.get("inputs") or {}, owner)


def _owner_in(state: Mapping[str, Any]) -> str:
    """Return whose turn it is: a thread that several users share leaves none of them the run of another."""
    return str((state.get("memory") or {}).get("owner", ""))


def _since(left: Mapping[str, Any] | None, skill: Skill) -> dict[str, str]:
    """Return what is told of the run before: that this one goes on where it failed, or why it cannot."""
    if left is None:
        return {}
    now = f"{skill.name}@{skill.version}"
    if (left["skill"], left["text"]) == (now, fingerprint(skill)):
        return {"resumed_at": str(left["failed_at_step"])}
    return {
        "begun_anew": f"the skill has changed since it failed at {left['failed_at_step']!r}: {left['skill']}, now {now}"
    }


def _noted(text: str, ran: Mapping[str, Any], call_id: str | None, left: Left) -> Command[Any]:
    is_done = ran["status"] == "completed"
    answer = ToolMessage(text, tool_call_id=call_id or "", name=RUN_SKILL, status="success" if is_done else "error")
    return Command(update={"messages": [answer], LEFT: left})


def _named(name: str, skills: tuple[Skill, ...]) -> Skill:
    active = {skill.name: skill for skill in skills if skill.status == "active"}
    if name not in active:
        msg = f"there is no active skill {name!r}; there is: {', '.join(sorted(active)) or 'none'}"
        raise ToolException(msg)
    return active[name]
