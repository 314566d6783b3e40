"""From what is said in a conversation to what is asked of memory: a `RecallQuery` for each question.

A plan may add what was said before, and conditions that the user's words make; what they do not say stays open, because
a condition too many loses the answer and one too few costs a place in the order. What the caller's own query says,
wins. English; a message in another language is asked as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.questions import questions_in
from langchain_agentmem.english.time.timing import window_of
from langchain_agentmem.policies.carrying import ASSISTANT, MAX_BACK, MAX_TURN_CHARS, Said, carried
from langchain_agentmem.types import KINDS, Kind, RecallQuery

__all__ = [
    "MAX_ASKED_CHARS",
    "MAX_QUESTIONS",
    "Dialogue",
    "Said",
    "as_it_stands",
    "asked",
    "bound",
    "plan_queries",
    "widened",
]

MAX_QUESTIONS: Final = 5
"""Queries of one message at most. Of a message with more questions the first ones are asked apart, and then the whole
of it, so that none goes unasked."""

MAX_ASKED_CHARS: Final = 2_000
"""Of a message, used to search with: embedding models read about a thousand, and a pasted document is no question."""

MAX_TASK_CHARS: Final = 200

ALWAYS: Final[frozenset[Kind]] = frozenset({"fact", "constraint", "episode"})
"""Kinds that no plan leaves out: anything may have been kept as a fact, or be found in what was said, and a missed rule
is a broken rule."""

_TIMES: Final = ("since", "until", "prefer_since", "prefer_until", "as_of")
_PLANNED: Final = ("kinds", "prefer_since", "prefer_until", "as_of", "task", "action")
_DEFAULTS: Final = RecallQuery()

_UNSTORABLE: Final = lazy_pattern("[\x00\ud800-\udfff]")
_LIKING: Final = lazy_pattern(r"\b(?:prefer(?:red|ences?)?|favou?rites?)\b", re.IGNORECASE)
_AIM: Final = lazy_pattern(r"\b(?:my|our) (?:\w+ ){0,2}(?:goals?|objectives?|resolutions?)\b", re.IGNORECASE)
_ENDED: Final = lazy_pattern(
    r"\b(?:how did|did) (?:the|that|my|our) (?:\w+ ){0,3}(?:deploy\w*|run|build|release|migration|job|attempt|upload"
    r"|import|install\w*)\b[^.?!]{0,30}\b(?:fail|succeed|work|end|go|finish|break)\w*",
    re.IGNORECASE,
)
_KINDS: Final[tuple[tuple[re.Pattern[str], frozenset[Kind]], ...]] = (
    (_AIM, ALWAYS | {"goal", "preference"}),
    (_LIKING, ALWAYS | {"preference", "goal"}),
    (_ENDED, ALWAYS | {"outcome"}),
)
_TASK: Final = lazy_pattern(
    r"\b(?:help me (?:to |with )?|(?:i'm|i am|we're|we are) (?:working on|trying to|planning(?: to)?|preparing(?: for)?"
    r"|writing|building) |(?<!did )(?<!do )i (?:need|want|have) to (?!know|ask|remember|tell|say|be\b))"
    r"(?P<task>[^.?!\n]{3,200})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """What a planner reads: the user's words now, and what was said before them. Nothing of anybody else is in it.

    Args:
        text: What the user says now.
        before: The turns before, oldest first.
        questions: What is asked, one by one, where somebody has read that already; else rules tell questions apart.
        action: What the user wants done, where somebody has read that already.
        at: When it is said; `None`: now.
    """

    text: str = field(repr=False)
    before: tuple[Said, ...] = ()
    questions: tuple[str, ...] = field(default=(), repr=False)
    action: str | None = field(default=None, repr=False)
    at: datetime | None = None


def plan_queries(dialogue: Dialogue, base: RecallQuery = _DEFAULTS) -> tuple[RecallQuery, ...]:
    """Return what is asked of memory: one query for each question, at most `MAX_QUESTIONS`, at least one.

    Args:
        dialogue: What is said. Without `at`, no time is read.
        base: What every query is asked with; its fields that differ from their defaults stay as they are.

    Example:
        >>> [query.text for query in plan_queries(Dialogue(text="Where do I live, and what is my cat called?"))]
        ['Where do I live?', 'what is my cat called?']
    """
    parts = asked(dialogue, base)
    text = _storable(dialogue.text)
    task = _task(dialogue)
    planned: list[RecallQuery] = []
    for place, part in enumerate(parts):
        around = (Said("user", text.replace(part.rstrip("?"), " ", 1)),) if len(parts) > 1 else ()
        before = (*dialogue.before[-MAX_BACK:], *around)
        action = dialogue.action if place == 0 else None
        query = _query(part, before, dialogue.at)
        planned.append(bound(replace(query, task=task, action=_line(action)), base))
    return tuple(planned)


def as_it_stands(dialogue: Dialogue, base: RecallQuery = _DEFAULTS) -> tuple[RecallQuery, ...]:
    """Return a message as one query, with nothing read out of it."""
    return (bound(RecallQuery(text=_storable(dialogue.text), action=_line(dialogue.action)), base),)


def asked(dialogue: Dialogue, base: RecallQuery = _DEFAULTS) -> tuple[str, ...]:
    """Return the questions of a message, each as it stands there; the message itself where it asks one thing."""
    if base.text:
        return (base.text,)
    text = _storable(dialogue.text)
    given = tuple(filter(None, (_storable(question).strip() for question in dialogue.questions)))
    parts = given or questions_in(text)
    if len(parts) > MAX_QUESTIONS:
        return (*parts[: MAX_QUESTIONS - 1], text)
    return parts or (text,)


def bound(planned: RecallQuery, base: RecallQuery) -> RecallQuery:
    """Return a planned query within what the caller set: the caller's fields win, and times are taken as one.

    A plan says what to look for; how much, for which purpose and how certain is the caller's alone.
    """
    is_timed = any(getattr(base, name) is not None for name in _TIMES)
    chosen: dict[str, Any] = {
        name: getattr(planned, name)
        for name in _PLANNED
        if getattr(base, name) == getattr(_DEFAULTS, name) and not (is_timed and name in _TIMES)
    }
    return replace(base, **chosen, text=base.text or planned.text, planned_by=planned.planned_by)


def widened(kinds: Sequence[Kind]) -> tuple[Kind, ...] | None:
    """Return kinds with those that are never left out, in their usual order; `None` where that is all of them."""
    wanted = ALWAYS.union(kinds)
    return None if len(wanted) == len(KINDS) else tuple(kind for kind in KINDS if kind in wanted)


def _query(part: str, before: Sequence[Said], at: datetime | None) -> RecallQuery:
    """Return the query of one question, that stands alone."""
    text = _storable(" ".join((part, *carried(part, before))))
    kinds = next((kinds for pattern, kinds in _KINDS if pattern.search(part)), None)
    earlier = (said.text[:MAX_TURN_CHARS] for said in reversed(before))
    since, until, as_of = (None, None, None) if at is None else window_of(part, earlier, at)
    chosen = None if kinds is None else widened(tuple(kinds))
    return RecallQuery(text=text, kinds=chosen, prefer_since=since, prefer_until=until, as_of=as_of)


def _task(dialogue: Dialogue) -> str | None:
    """Return what the user is at, as they said it last."""
    said = [said.text for said in dialogue.before[-MAX_BACK:] if said.speaker != ASSISTANT]
    for text in (dialogue.text, *reversed(said)):
        found = _TASK.search(_storable(text).replace("\u2019", "'"))
        if found is not None:
            return _line(found["task"])
    return None


def _line(text: str | None) -> str | None:
    return None if text is None else _storable(text)[:MAX_TASK_CHARS].strip() or None


def _storable(text: str) -> str:
    """Return what can be asked of a text: its beginning, without what no database keeps."""
    return _UNSTORABLE.sub("\ufffd", text[:MAX_ASKED_CHARS]).strip()
