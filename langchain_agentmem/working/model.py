"""A working state rewritten by a chat model; where it fails, rules do it, and the failure is counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from xml.sax.saxutils import escape

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from pydantic import Field

from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction.proposing.structured import Answer, Method, RecordModel
from langchain_agentmem.extraction.record.quarantine import is_injection, plain
from langchain_agentmem.prompts import load_prompt
from langchain_agentmem.summarize.utterances import Utterance, shorten, utterances
from langchain_agentmem.types.working import MAX_ITEMS, MAX_STEP_CHARS, WorkingDecision, WorkingState
from langchain_agentmem.types.working_update import StateUpdate
from langchain_agentmem.working.contract import FlowRewriter, Rewrite
from langchain_agentmem.working.rules import GOAL_CHARS, RuleRewriter

MAX_NEW_CHARS: Final = 40_000
"""Of messages that one call reads, about 10,000 tokens: with prompt and answer it fits a window of 16,000."""

STATE_TOKENS: Final = 2_000
"""Of the notes so far, as the model is shown them."""

NOTE_CHARS: Final = 600
"""Of a note: three sentences."""

_BY_RULES: Final = RuleRewriter()


class ProposedDecision(Answer):
    """A question that was settled."""

    question: str = Field(description="what had to be settled")
    answer: str = Field(description="what was settled")
    rationale: str = Field(default="", description="why, where that was said")


class ProposedState(Answer):
    """What the new messages change in the notes about a task."""

    goal: str | None = Field(default=None, description="what the task is for, where it is new or has changed")
    phase: str | None = Field(default=None, description="one word for where the task stands")
    current_step: str | None = Field(default=None, description="what is being done now")
    completed_steps: list[str] = Field(default_factory=list, description="what was finished in the new messages")
    pending_actions: list[str] | None = Field(default=None, description="everything still to be done, in order")
    decisions: list[ProposedDecision] = Field(default_factory=list, description="questions that were settled")
    constraints: list[str] = Field(default_factory=list, description="limits that the user stated for this task")
    notes: str = Field(default="", description="what else the next step has to know")


class ModelRewriter(FlowRewriter):
    """Rewrites with a chat model that supports structured output.

    Calls of tools are read by rules; goal, steps, decisions and constraints are the model's, bounded in number and
    length, and without text that tries to instruct whoever reads it. An unusable answer is told back once; after that,
    or when the call fails, rules rewrite and the failure is counted. Its tokens are kept out of message streams.

    Args:
        model: Any chat model with `with_structured_output`.
        prompt: Replaces the packaged prompt `working`.
        method: How the model is made to answer with a record; `None`: as it does by default.

    Attributes:
        failures: Answers that were unusable, and calls that failed, since this object was made.
    """

    def __init__(self, model: BaseChatModel, *, prompt: str | None = None, method: Method | None = None) -> None:
        instructions = load_prompt("working") if prompt is None else prompt
        self._model = RecordModel(model, ProposedState, instructions, method=method)

    @property
    def failures(self) -> int:
        """Answers that were unusable, and calls that failed, since this object was made."""
        return self._model.failures

    def rewrite_flow(self, state: WorkingState, messages: Sequence[BaseMessage], *, new_from: int = 0) -> Flow[Rewrite]:
        """Rewrite as a flow: one call of the model, at most one more."""
        by_rules = yield from _BY_RULES.rewrite_flow(state, messages, new_from=new_from)
        said = list(utterances(messages))[len(list(utterances(messages[:new_from]))) :]
        if not said:
            return by_rules
        asked = yield from self._model.ask(_render(state, said))
        if asked.answer is None:
            return replace(by_rules, failures=asked.failures)
        update = _by_model(asked.answer, by_rules.update)
        return Rewrite(update=update, failures=asked.failures, source="model")


def _render(state: WorkingState, said: Sequence[Utterance]) -> str:
    rows = "\n".join(f'<message from="{it.voice}">{escape(it.text)}</message>' for it in _latest(said))
    notes = state.to_context(max_tokens=STATE_TOKENS)
    return f"<notes_so_far>\n{notes}\n</notes_so_far>\n<new_messages>\n{rows}\n</new_messages>"


def _latest(said: Sequence[Utterance]) -> list[Utterance]:
    """Return what was said last, as much of it as one call reads."""
    kept: list[Utterance] = []
    left = MAX_NEW_CHARS
    for utterance in reversed(said):
        left -= len(utterance.text)
        if left < 0 and kept:
            break
        kept.append(utterance)
    return kept[::-1]


def _by_model(told: ProposedState, rules: StateUpdate) -> StateUpdate:
    """Return the model's words within our bounds, with what rules know of the calls of tools."""
    done = tuple(_texts("completed_steps", told.completed_steps))
    pending = None if told.pending_actions is None else tuple(_texts("pending_actions", told.pending_actions))
    return replace(
        rules,
        goal=_text(told.goal, GOAL_CHARS) or None,
        phase=_text(told.phase) or rules.phase,
        current_step=rules.current_step if told.current_step is None else _text(told.current_step),
        note=_text(told.notes, NOTE_CHARS),
        add_completed=(*rules.add_completed, *done),
        pending=pending,
        add_decisions=tuple(_decisions(told.decisions)),
        add_constraints=tuple(_texts("constraints", told.constraints)),
    )


def _decisions(proposed: Iterable[ProposedDecision]) -> Iterator[WorkingDecision]:
    for each in list(proposed)[: MAX_ITEMS["decisions"]]:
        question, answer = _text(each.question), _text(each.answer)
        if answer:
            yield WorkingDecision(question=question, answer=answer, rationale=_text(each.rationale))


def _texts(name: str, texts: Iterable[str]) -> Iterator[str]:
    return filter(None, (_text(it) for it in list(texts)[: MAX_ITEMS[name]]))


def _text(text: str | None, max_chars: int = MAX_STEP_CHARS) -> str:
    """Return a model's words in one line, within a bound, and nothing of what tries to instruct."""
    said = " ".join(plain(text or "").split())
    return "" if is_injection(said) else shorten(said, max_chars)
