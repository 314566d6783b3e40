"""What a skill needs to be run: its tools, which take what it gives them, and a model for steps in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.procedural.placeholders import wrong_placeholder
from langchain_agentmem.types.procedures import Skill, SkillStep


def check_tools(skill: Skill, tools: Mapping[str, BaseTool]) -> None:
    """Raise `ConfigurationError` unless every tool is there and takes the arguments written for it.

    What stands in these for a result must be a step that comes before.
    """
    missing = [name for name in skill.tools if name not in tools]
    if missing:
        known = ", ".join(sorted(tools)) or "none"
        needed = ", ".join(map(repr, missing))
        msg = f"skill {skill.name!r} needs the tool{'s' if len(missing) > 1 else ''} {needed}; there is: {known}"
        raise ConfigurationError(msg)
    for where, items in (("step", skill.steps), ("safety check", skill.safety_checks)):
        for item in items:
            if item.tool is not None:
                _check_args(f"a {where} of skill {skill.name!r}", tools[item.tool], item.args)
    for place, step in enumerate(skill.steps):
        _check_placeholders(f"step {step.name!r} of skill {skill.name!r}", step.args, skill.steps[:place])
    for check in skill.safety_checks:
        _check_placeholders(f"a safety check of skill {skill.name!r}", check.args, ())
    for example in skill.examples:
        for call in example.calls:
            if call.tool not in tools:
                msg = f"an example of skill {skill.name!r} calls {call.tool!r}, which is not among its tools"
                raise ConfigurationError(msg)
            _check_args(f"an example of skill {skill.name!r}", tools[call.tool], call.args)


def _check_placeholders(where: str, args: Mapping[str, Any], before: Sequence[SkillStep]) -> None:
    why = wrong_placeholder(args, [step.name for step in before])
    if why:
        msg = f"{where}: {why}"
        raise ConfigurationError(msg)


def _check_args(where: str, tool: BaseTool, args: Mapping[str, Any]) -> None:
    fields = getattr(tool.tool_call_schema, "model_fields", None)
    if fields is None:  # described by a JSON schema: the tool itself checks
        return
    unknown = sorted(set(args) - set(fields))
    missing = sorted(name for name, field in fields.items() if field.is_required() and name not in args)
    if unknown or missing:
        why = f"gives {unknown[0]!r}, which it does not take" if unknown else f"does not give {missing[0]!r}"
        msg = f"{where} calls {tool.name!r} and {why}; it takes: {', '.join(fields) or 'nothing'}"
        raise ConfigurationError(msg)


def bound(skill: Skill, model: BaseChatModel | None, tools: Mapping[str, BaseTool]) -> Runnable[Any, Any] | None:
    """Return the model as it acts on steps in words, with the tools.

    Raises:
        ConfigurationError: A step is in words, and there is no model, or none that calls tools.
    """
    words = [item.name for item in skill.steps if item.tool is None]
    if words and model is None:
        msg = f"step {words[0]!r} of skill {skill.name!r} names no tool; name one, or pass a model that acts on words"
        raise ConfigurationError(msg)
    if model is None or not tools:
        return model
    try:
        return model.bind_tools(list(tools.values()))
    except NotImplementedError as error:
        msg = f"{type(model).__name__} cannot call tools; pass a model that implements bind_tools"
        raise ConfigurationError(msg) from error
