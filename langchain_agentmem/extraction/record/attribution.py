"""Whose words human messages are: the user's came with the input of a run, others came from tools and agents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langchain_agentmem.extraction.record.calls import has_any, while_waiting
from langchain_agentmem.extraction.record.conversation import MARK, MAX_TOOLS, is_injected, speaker_of, tools_read
from langchain_agentmem.types import Candidate

ASSISTANT: Final = "assistant"

OTHERS: Final = "others"
"""Mark of a human message that is not the user's: it is read by the model, and no evidence of anything."""

_USER_NAMES: Final = frozenset({"user", "human"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a run knows of its user's words.

    Args:
        turn: Id of the message that began the turn, if that is known.
        is_begun: Whether the turn began in this very run: then no later message is its input.
        is_opening: Whether the run begins just now: then the last human message is its input.
        is_over: Whether the run ends just now: then what stands behind a call that nobody answered did not come with
            its answer, and is the input.
        names: What the user is called.
    """

    turn: str = ""
    is_begun: bool = False
    is_opening: bool = False
    is_over: bool = False
    names: frozenset[str] = frozenset()


def attributed(messages: Sequence[BaseMessage], origin: Origin) -> list[BaseMessage]:
    """Return a conversation in which human messages of others are marked, so that nobody takes them for the user's.

    Others' are: what stands behind the message that began the turn, where that is known to go on; what follows answered
    calls of tools without an answer of the model between, because a tool put it there; and what has the name of
    somebody else. A turn goes on in the run that began it, and over each interrupt: what came in beside the answer to a
    call that waited is none of its opening.
    """
    human = [place for place, it in enumerate(messages) if speaker_of(it) == "user" and not is_injected(it)]
    if not human:
        return list(messages)
    named = set(_of_others_names(messages, human, origin.names))
    own = [place for place in human if place not in named]
    foreign = named | set(_added(messages, own, origin))
    return [_marked(it) if place in foreign else it for place, it in enumerate(messages)] if foreign else [*messages]


def after_reading(candidates: Iterable[Candidate], messages: Sequence[BaseMessage]) -> tuple[Candidate, ...]:
    """Return candidates in which what an assistant says names the tools whose answers it had read by then.

    It may only repeat what a page said; so it is believed no more than the least trusted thing before it.
    """
    return tuple(_after_reading(it, messages) if it.provenance.speaker == ASSISTANT else it for it in candidates)


def _after_reading(candidate: Candidate, messages: Sequence[BaseMessage]) -> Candidate:
    said = set(candidate.provenance.message_ids)
    last = max((place for place, it in enumerate(messages) if it.id in said), default=len(messages) - 1)
    tools = (*candidate.provenance.tools, *tools_read(messages[: last + 1]))
    return replace(candidate, provenance=replace(candidate.provenance, tools=tuple(dict.fromkeys(tools))[:MAX_TOOLS]))


def _of_others_names(messages: Sequence[BaseMessage], human: Sequence[int], names: Collection[str]) -> Iterator[int]:
    """Yield the messages with a name that is not the user's; a name that all of them bear is."""
    known = _USER_NAMES | {name.casefold() for name in names}
    borne = _folded(messages[place].name for place in human)
    if borne <= known | {""}:
        return
    agents = _folded(it.name for it in messages if isinstance(it, AIMessage))
    if len(borne) == 1 and not borne & agents:
        return
    for place in human:
        name = (messages[place].name or "").casefold()
        if name and name not in known:
            yield place


def _folded(names: Iterable[str | None]) -> set[str]:
    """Return names in small letters; of thousands of messages few have one."""
    return {(it or "").casefold() for it in set(names)}


def _added(messages: Sequence[BaseMessage], own: Sequence[int], origin: Origin) -> Iterator[int]:
    """Yield the messages that were added while a turn went on."""
    began = next((place for place in own if origin.turn and messages[place].id == origin.turn), None)
    if origin.is_opening:
        began = own[-1] if own else None
    amid = set(_amid_turns(messages, own))
    first = len(messages) if began is None else began
    resumed = {first + it for it in while_waiting(messages[first:], is_over=origin.is_over)}
    for place in own:
        is_later = place > first and (origin.is_begun or place in resumed)
        if place != began and (is_later or place in amid):
            yield place


def _amid_turns(messages: Sequence[BaseMessage], own: Collection[int]) -> Iterator[int]:
    """Yield the messages before which the model last called tools, and every call of it was answered."""
    if not has_any(messages, ToolMessage):
        return
    answered = {it.tool_call_id for it in messages if isinstance(it, ToolMessage)}
    is_amid = False
    for place, message in enumerate(messages):
        if isinstance(message, AIMessage):
            is_amid = bool(message.tool_calls) and {it["id"] for it in message.tool_calls} <= answered
        if is_amid and place in own:
            yield place


def _marked(message: BaseMessage) -> BaseMessage:
    return message.model_copy(update={"additional_kwargs": {**message.additional_kwargs, MARK: OTHERS}})
