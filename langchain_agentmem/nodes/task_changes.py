"""What tools change of the state of the task: a change that cannot be is left out, and the model is told why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction.record.conversation import note_of, with_note, without_note
from langchain_agentmem.policies.working import merge_working

_CHANNEL: Final = "working"
_REFUSED: Final = "\n\nNote: the working memory was not changed by this call: {reason}"


def with_possible_changes(result: Any, ids: Collection[str | None]) -> Any:  # noqa: ANN401  (what a ToolNode or a tool returns)
    """Return what tools returned without changes of the task that its channel would refuse: they have run.

    Args:
        result: As a ToolNode or a tool returns it.
        ids: Of the calls: their answers say what was refused.
    """
    if isinstance(result, list):
        return [with_possible_changes(it, ids) for it in result]
    if not (isinstance(result, Command) and isinstance(result.update, Mapping) and _CHANNEL in result.update):
        return result
    try:
        merge_working(None, result.update[_CHANNEL])
    except ConfigurationError as error:
        kept = {name: it for name, it in result.update.items() if name != _CHANNEL}
        kept["messages"] = [_told(it, ids, str(error)) for it in kept.get("messages", ())]
        return replace(result, update=kept)
    return result


def _told(message: Any, ids: Collection[str | None], reason: str) -> Any:  # noqa: ANN401  (a message, as a tool gives it)
    if not isinstance(message, ToolMessage) or message.tool_call_id not in ids:
        return message
    note = (note_of(message) or "") + _REFUSED.format(reason=reason)
    told = without_note(message)
    return with_note(told if isinstance(told, ToolMessage) else message, note)
