"""A working state kept without a model: the first request is the goal, calls of tools are the steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.intent import detect_intent
from langchain_agentmem.extraction.record.conversation import (
    Passage,
    ToolRun,
    action_of,
    is_injected,
    passages,
    speaker_of,
    tool_runs,
)
from langchain_agentmem.extraction.record.quarantine import is_injection
from langchain_agentmem.extraction.rules import RuleExtractor
from langchain_agentmem.extraction.words.cues import is_hedged
from langchain_agentmem.summarize.utterances import shorten
from langchain_agentmem.types import Candidate
from langchain_agentmem.types.working import MAX_STEP_CHARS, ToolCallRecord, WorkingDecision, WorkingState
from langchain_agentmem.types.working_update import StateUpdate
from langchain_agentmem.working.contract import FlowRewriter, Rewrite

GOAL_CHARS: Final = 500
"""Of a first request: some sentences; what is longer was pasted, its beginning and end tell what it is about."""

ANSWER_CHARS: Final = 300
"""Of a question and of its answer: a longer reply than some sentences does not answer one question."""

MAX_ID_CHARS: Final = 200
"""Of the id of a call; providers' have some thirty."""

READ_CHARS: Final = 4_000
"""Of one message, looked at for a request: what is longer was pasted, its beginning asks for something."""

_MIN_GOAL_WORDS: Final = 3  # "hi there" and "thanks" ask for nothing
_QUESTION: Final = lazy_pattern(r"[^.!?\n]+\?(?=\W*$)")
_IDLE_QUESTION: Final = lazy_pattern(
    r"\b(?:how|what) (?:can|may|could) I (?:help|do)|anything else|how are you", re.IGNORECASE
)
_BECAUSE: Final = lazy_pattern(r"\b(?:because|since|so that)\s+(?P<why>.+)", re.IGNORECASE | re.DOTALL)
_NEW_TASK: Final = lazy_pattern(
    r"(?:ok(?:ay)?[,.]? |now,? |and now,? )?(?:(?:the )?(?:new|next) (?:task|job|topic|goal)\b(?: is)?[:,]? (?:to )?"
    r"|(?:let's|let us) (?:now )?(?:move on to|switch to|turn to|do something else:?) )",
    re.IGNORECASE,
)
_DECISION: Final = "decision"  # the tag by which the rules of extraction mark what was chosen

_EXTRACTOR: Final = RuleExtractor()


class RuleRewriter(FlowRewriter):
    """Rewrites by rules alone.

    The goal is the user's first request, and a later one where they name a new task. A tool that answered without an
    error is a completed step, a call without an answer is pending. Limits the user states are constraints; what they
    say was chosen, and short answers to the assistant's questions, are decisions.

    Example:
        >>> from langchain_core.messages import HumanMessage
        >>> RuleRewriter().rewrite(WorkingState(), [HumanMessage("Deploy the billing service to staging.")]).goal
        'Deploy the billing service to staging.'
    """

    def rewrite_flow(self, state: WorkingState, messages: Sequence[BaseMessage], *, new_from: int = 0) -> Flow[Rewrite]:
        """Rewrite as a flow that never waits."""
        found = yield from _EXTRACTOR.extract_flow(messages, new_from=new_from)
        return Rewrite(update=_update(state, messages, new_from, found.candidates))


def _update(
    state: WorkingState, messages: Sequence[BaseMessage], new_from: int, found: Sequence[Candidate]
) -> StateUpdate:
    runs = [_record(it) for it in tool_runs(messages, new_from=new_from)]
    answered = [it.action for it in runs]
    waiting = list(_unanswered(messages, new_from))
    before = passages(messages[:new_from])[-1:]
    said = passages(messages[new_from:])
    return StateUpdate(
        goal=_goal(state, said),
        phase=_phase(messages, waiting),
        current_step=waiting[-1] if waiting else ("" if state.current_step in answered else None),
        iteration=state.iteration + 1,
        add_completed=tuple(it.action for it in runs if it.succeeded),
        add_pending=tuple(waiting),
        drop_pending=tuple(answered),
        add_decisions=(*_chosen(found), *_answers([*before, *said])),
        add_constraints=tuple(_bounded(it.content) for it in found if it.kind == "constraint"),
        add_tool_calls=tuple(runs),
    )


def _record(run: ToolRun) -> ToolCallRecord:
    """Return a call as it is kept; what tries to instruct whoever reads it is not quoted."""
    action = run.tool if is_injection(run.action) else run.action
    detail = "" if is_injection(run.detail) else run.detail
    id = run.call_id if run.call_id.strip() and len(run.call_id) <= MAX_ID_CHARS else None
    return ToolCallRecord(action=_bounded(action), succeeded=run.succeeded, detail=_bounded(detail), id=id)


def _unanswered(messages: Sequence[BaseMessage], new_from: int) -> Iterator[str]:
    """Yield the new calls of tools that nothing answered yet."""
    new = messages[new_from:]
    answered = {it.tool_call_id for it in new if isinstance(it, ToolMessage)}
    for message in new:
        if isinstance(message, AIMessage) and not is_injected(message):
            for call in message.tool_calls:
                if call["id"] not in answered:
                    action = action_of(call["name"], call["args"])
                    yield _bounded(call["name"] if is_injection(action) else action)


def _goal(state: WorkingState, said: Sequence[Passage]) -> str | None:
    """Return what the user asks for first, or where they name a new task; `None`: the goal stays."""
    goal = None
    for passage in said:
        asked = _own_words(passage) if passage.speaker == "user" else ""
        begun = _NEW_TASK.match(asked)
        if begun is not None:
            goal = asked[begun.end() :]
        elif not (state.goal or goal) and _is_request(asked):
            goal = asked
    return shorten(goal, GOAL_CHARS) if goal else None


def _own_words(passage: Passage) -> str:
    """Return what was said with its quotes, unless those are hostile."""
    said = passage.original[:READ_CHARS]
    return " ".join((passage.text[:READ_CHARS] if is_injection(said) else said).split())


def _is_request(text: str) -> bool:
    return len(text.split()) >= _MIN_GOAL_WORDS and detect_intent(text).reason != "small talk"


def _phase(messages: Sequence[BaseMessage], waiting: Sequence[str]) -> str | None:
    """Return where the turn stands: the model is at work, tools are, or it has answered."""
    last = messages[-1] if messages else None
    if waiting or isinstance(last, ToolMessage):
        return "acting"
    speaker = None if last is None else speaker_of(last)
    return {"user": "planning", "assistant": "reviewing"}.get(speaker or "")


def _chosen(found: Sequence[Candidate]) -> Iterator[WorkingDecision]:
    """Yield what the user says was chosen."""
    for candidate in found:
        if _DECISION in candidate.tags:
            yield WorkingDecision(question="", answer=_bounded(candidate.content), rationale=_why(candidate.content))


def _answers(said: Sequence[Passage]) -> Iterator[WorkingDecision]:
    """Yield the assistant's questions that the user answered in a few words."""
    for asked, answered in pairwise(said):
        found = _QUESTION.search(asked.text[-ANSWER_CHARS:]) if asked.speaker == "assistant" else None
        answer = _own_words(answered)
        is_answer = answered.speaker == "user" and 0 < len(answer) <= ANSWER_CHARS and not answer.endswith("?")
        if found and is_answer and not is_hedged(answer) and not _IDLE_QUESTION.search(found[0]):
            question = _bounded(" ".join(found[0].split()))
            yield WorkingDecision(question=question, answer=answer, rationale=_why(answer))


def _why(text: str) -> str:
    found = _BECAUSE.search(text)
    return _bounded(found["why"]) if found else ""


def _bounded(text: str) -> str:
    return shorten(text, MAX_STEP_CHARS)
