"""Skills as one tool: an agent runs them step by step, with their checks and under the policies."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.types.procedures import Skill

RUN_SKILL: Final = "run_skill"
_DESCRIPTION: Final = (
    "Carry out a skill that you were shown, step by step, by its name. Its safety checks are made first, and every "
    "step is held to the policies. Returns what came of each step; where it failed, at which step and why."
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
        graph_of: Makes the graph of one.
    """

    active: Callable[[], Flow[tuple[Skill, ...]]]
    graph_of: Callable[[Skill], CompiledStateGraph[Any, Any, Any, Any]]

    def run_flow(self, given: SkillArguments, config: RunnableConfig) -> Flow[str]:
        """Return what came of a skill, as JSON.

        Raises:
            ToolException: It failed, or there is no such skill; what the model reads.
        """
        try:
            graph = self.graph_of(_named(given.name, (yield from self.active())))
        except AgentMemError as error:
            raise ToolException(str(error)) from error
        asked = {"inputs": given.inputs}
        ran: Any = yield from step(partial(graph.invoke, asked, config), partial(graph.ainvoke, asked, config))
        told = json.dumps({name: ran[name] for name in _TOLD if ran.get(name)}, ensure_ascii=False, default=str)
        if ran["status"] != "completed":
            raise ToolException(told)
        return told


def make_skill_tool(calls: SkillCalls) -> BaseTool:
    """Return the tool, in both colours."""

    def call(config: RunnableConfig, **arguments: Any) -> str:
        return run(calls.run_flow(SkillArguments(**arguments), config))

    async def acall(config: RunnableConfig, **arguments: Any) -> str:
        return await arun(calls.run_flow(SkillArguments(**arguments), config))

    return StructuredTool.from_function(
        call,
        coroutine=acall,
        name=RUN_SKILL,
        description=_DESCRIPTION,
        args_schema=SkillArguments,
        handle_tool_error=True,
    )


def _named(name: str, skills: tuple[Skill, ...]) -> Skill:
    active = {skill.name: skill for skill in skills if skill.status == "active"}
    if name not in active:
        msg = f"there is no active skill {name!r}; there is: {', '.join(sorted(active)) or 'none'}"
        raise ToolException(msg)
    return active[name]
