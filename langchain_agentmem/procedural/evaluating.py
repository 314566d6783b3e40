"""A skill's cases: run, judged, and asked for before the skill is used."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeGuard

from langchain_agentmem._flow import Flow, in_executor, step
from langchain_agentmem.errors import ConfigurationError, GovernanceError
from langchain_agentmem.policies.actions import holds
from langchain_agentmem.types.procedures import EvaluationCase, Skill

RunSkill: TypeAlias = Callable[[Skill, Mapping[str, Any]], Any]
"""Runs a skill on the inputs of a case and returns what came of it; it may be a coroutine function for `aevaluate`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCase:
    """A case that a skill did not pass, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillEvaluation:
    """How a skill did on its cases."""

    skill: str
    version: int
    passed: tuple[str, ...] = ()
    failed: tuple[FailedCase, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether no case failed."""
        return not self.failed

    def require(self) -> None:
        """Raise `GovernanceError` unless every case passed."""
        if self.failed:
            told = "; ".join(f"{case.name}: {case.reason}" for case in self.failed)
            msg = f"skill {self.skill!r}, version {self.version}, failed {len(self.failed)} of its cases: {told}"
            raise GovernanceError(msg, rule="evaluation")


def evaluate_flow(skill: Skill, run: RunSkill) -> Flow[SkillEvaluation]:
    """Run every case and hold its result against what it expects; a run that raises has failed its case."""
    if not callable(run):
        msg = f"run must be a callable of a skill and its inputs, got {type(run).__name__}"
        raise ConfigurationError(msg)
    passed: list[str] = []
    failed: list[FailedCase] = []
    for case in skill.evaluation:
        reason = yield from _reason(skill, case, run)
        if reason is None:
            passed.append(case.name)
        else:
            failed.append(FailedCase(name=case.name, reason=reason))
    return SkillEvaluation(skill=skill.name, version=skill.version, passed=tuple(passed), failed=tuple(failed))


def _reason(skill: Skill, case: EvaluationCase, run: RunSkill) -> Flow[str | None]:
    try:
        result = yield from step(partial(_blocking, run), partial(_awaited, run), skill, dict(case.inputs))
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001  (whatever a skill's tools raise is the case's outcome)
        return f"it raised {type(error).__name__}"
    if _is_run(result) and result.get("status", "completed") != "completed":
        return f"the run ended as {result['status']!r}"
    return None if holds(case.expects, _text(result)) else f"the result does not hold {case.expects!r}"


def _blocking(run: RunSkill, skill: Skill, inputs: Mapping[str, Any]) -> Any:  # noqa: ANN401  (what a skill returns)
    result = run(skill, inputs)
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        msg = "run is a coroutine function; await aevaluate or aactivate, or pass a function"
        raise ConfigurationError(msg)
    return result


async def _awaited(run: RunSkill, skill: Skill, inputs: Mapping[str, Any]) -> Any:  # noqa: ANN401  (as above)
    if inspect.iscoroutinefunction(run):
        return await run(skill, inputs)
    result = await in_executor(run, skill, inputs)
    return await result if isinstance(result, Awaitable) else result


def _is_run(result: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(result, Mapping) and "results" in result


def _text(result: object) -> str:
    """Return a result as text; of a skill's run, its results and status."""
    if _is_run(result):
        told = "\n".join(map(str, result["results"].values()))
        return f"{told}\nstatus: {result.get('status')}"
    return str(result)
