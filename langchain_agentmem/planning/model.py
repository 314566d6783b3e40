"""Plans by a chat model: it proposes questions and conditions, and the user's words must bear each of them out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from langchain_core.language_models import BaseChatModel
from pydantic import Field

from langchain_agentmem._flow import Flow
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.words.calendar_words import MONTH, SEASON, WEEKDAY
from langchain_agentmem.english.words.patterns import LONG_CAPITALIZED
from langchain_agentmem.extraction.proposing.structured import Answer, Method, RecordModel
from langchain_agentmem.extraction.record.quarantine import is_injection, plain
from langchain_agentmem.planning.contract import FlowPlanner
from langchain_agentmem.planning.rules import RulePlanner
from langchain_agentmem.policies.carrying import MAX_BACK, MAX_TURN_CHARS, Said
from langchain_agentmem.policies.querying import (
    MAX_ASKED_CHARS,
    MAX_QUESTIONS,
    MAX_TASK_CHARS,
    Dialogue,
    bound,
    widened,
)
from langchain_agentmem.prompts import load_prompt
from langchain_agentmem.types import KINDS, Kind, RecallQuery

MODEL: Final = "model"
"""Name of the plans that a model makes."""

_MIN_QUOTE_CHARS: Final = 3  # a letter or two stands in every message and supports nothing
_NAMES_AND_NUMBERS: Final = lazy_pattern(rf"(?<![\w']){LONG_CAPITALIZED}|\d+(?:[.,:]\d+)*")
_TIME_WORDS: Final = lazy_pattern(
    r"\d|\b(?:today|yesterday|tonight|ago|since|until|before|after|then|time|day|week|month|year|last|past|recent\w*"
    rf"|{WEEKDAY}s?|{MONTH}|{SEASON})s?\b",
    re.IGNORECASE,
)


class PlannedQuestion(Answer):
    """One thing to look up."""

    text: str = Field(description="what to look for, standing alone, in the user's own words")
    kinds: list[str] = Field(
        default_factory=list,
        description="only these sorts of memory; empty: all",
        json_schema_extra={"items": {"type": "string", "enum": list(KINDS)}},
    )
    since: str | None = Field(default=None, description="only what was said or done at or after, ISO 8601")
    until: str | None = Field(default=None, description="only what was said or done before, ISO 8601")
    as_of: str | None = Field(default=None, description="how things stood at this past time, ISO 8601")
    because: str = Field(default="", description="the user's words that ask for kinds or a time, copied exactly")
    task: str | None = Field(default=None, description="what the user is working at, in their words")
    action: str | None = Field(default=None, description="what the user wants done now, in their words")


class PlannedQuestions(Answer):
    """What to look up for the user's message."""

    questions: list[PlannedQuestion] = Field(default_factory=list)


class ModelPlanner(FlowPlanner):
    """Plans with a chat model that supports structured output; rules verify what it proposes.

    The model sees the conversation and the time, and no memory. A question of it stands only with names and numbers
    that the conversation holds; a condition (kinds, a time) only with the user's own words for it; a task and an action
    only in the conversation's words. Facts, constraints and conversations are never left out. What the user asks and
    the model passes over is asked as rules plan it. When the model cannot plan, the rules do, and the failure is
    counted. Its tokens are kept out of message streams.

    Args:
        model: Any chat model with `with_structured_output`.
        prompt: Replaces the packaged prompt `plan`.
        max_retries: Further attempts after an answer that did not fit.
        method: How the model is made to answer with a record; `None`: as it does by default.

    Attributes:
        failures: Answers that were unusable, and calls that failed, since this object was made.

    Raises:
        ConfigurationError: `max_retries` is below 0.
    """

    def __init__(
        self, model: BaseChatModel, *, prompt: str | None = None, max_retries: int = 1, method: Method | None = None
    ) -> None:
        instructions = load_prompt("plan") if prompt is None else prompt
        self._model = RecordModel(model, PlannedQuestions, instructions, max_retries=max_retries, method=method)
        self._rules = RulePlanner()

    @property
    def failures(self) -> int:
        """Answers that were unusable, and calls that failed, since this object was made."""
        return self._model.failures

    def plan_flow(self, dialogue: Dialogue, base: RecallQuery) -> Flow[Sequence[RecallQuery]]:
        """Plan as a flow: one call of the model, `max_retries` more at most; none where there is nothing to plan."""
        ruled = yield from self._rules.plan_flow(dialogue, base)
        dialogue = _readable(dialogue)
        if base.text or not _says_something(dialogue) or is_injection(dialogue.text):
            return ruled
        asked = yield from self._model.ask(_render(dialogue))
        planned = [] if asked.answer is None else list(_borne_out(asked.answer.questions, dialogue, ruled))
        if not planned:
            return ruled
        return _complete([bound(query, base) for query in planned], ruled)


def _borne_out(
    proposed: Sequence[PlannedQuestion], dialogue: Dialogue, ruled: Sequence[RecallQuery]
) -> Iterator[RecallQuery]:
    """Yield what the conversation bears out of a model's plan, as queries."""
    heard = _fold(" ".join((dialogue.text, *(said.text for said in dialogue.before))))
    known = set(tokenize(heard))
    for place, question in enumerate(proposed[:MAX_QUESTIONS]):
        text = _clean(question.text)[:MAX_ASKED_CHARS]
        if not known.intersection(tokenize(text)) or not _is_known(text, known):
            continue
        query = _narrowed(RecallQuery(text=text, planned_by=MODEL), question, dialogue)
        action = ruled[0].action if place == 0 and ruled else None
        yield replace(
            query,
            task=_in_words_of(question.task, heard) or (ruled[0].task if ruled else None),
            action=_in_words_of(question.action, heard) or action,
        )


def _narrowed(query: RecallQuery, question: PlannedQuestion, dialogue: Dialogue) -> RecallQuery:
    """Return a query with the conditions for which the user's message has words."""
    quote = _fold(question.because)
    if len(quote) < _MIN_QUOTE_CHARS or quote not in _fold(dialogue.text) or not tokenize(quote):
        return query
    kinds: list[Kind] = [kind for kind in question.kinds if kind in KINDS]
    query = replace(query, kinds=widened(kinds) if kinds else None)
    if dialogue.at is None or _TIME_WORDS.search(quote) is None:
        return query
    since, until, as_of = (_moment(it) for it in (question.since, question.until, question.as_of))
    if since is not None and (since >= dialogue.at or (until is not None and since >= until)):
        since = until = None
    as_of = as_of if as_of is not None and as_of < dialogue.at else None
    return replace(query, prefer_since=since, prefer_until=until, as_of=as_of)


def _complete(planned: list[RecallQuery], ruled: Sequence[RecallQuery]) -> tuple[RecallQuery, ...]:
    """Return a model's queries, and the rules' for what no query of the model asks."""
    terms = [set(tokenize(query.text)) for query in planned]
    wanted = [(query, tokenize(query.text)) for query in ruled]
    missed = [query for query, words in wanted if words and all(own.isdisjoint(words) for own in terms)]
    return (*planned[: MAX_QUESTIONS - len(missed)], *missed)


def _is_known(text: str, known: set[str]) -> bool:
    """Whether every name and number of a text is in the conversation; the first word is capital whatever it is."""
    named = [
        match.group() for match in _NAMES_AND_NUMBERS.finditer(text) if match.start() or match.group()[0].isdigit()
    ]
    return all(set(tokenize(name)) <= known for name in named)


def _in_words_of(text: str | None, heard: str) -> str | None:
    """Return a text that stands in the conversation word for word."""
    words = _clean(text or "")[:MAX_TASK_CHARS].strip()
    return words if words and _fold(words) in heard and tokenize(words) else None


def _moment(text: str | None) -> datetime | None:
    """Return a time of ISO 8601, UTC where it names no zone."""
    try:
        moment = datetime.fromisoformat((text or "").strip())
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _render(dialogue: Dialogue) -> str:
    rows = "\n".join(f"<turn from={quoteattr(said.speaker)}>{escape(said.text)}</turn>" for said in dialogue.before)
    clock = f"<clock>{dialogue.at.isoformat(timespec='minutes')}</clock>\n" if dialogue.at is not None else ""
    return f"{clock}<before>\n{rows}\n</before>\n<now>\n{escape(dialogue.text)}\n</now>"


def _readable(dialogue: Dialogue) -> Dialogue:
    """Return what the model is shown: the end of the conversation, without hostile text."""
    said = [(said.speaker, _clean(said.text[:MAX_TURN_CHARS])) for said in dialogue.before[-MAX_BACK:]]
    before = tuple(Said(speaker, text) for speaker, text in said if not is_injection(text))
    return replace(dialogue, text=_clean(dialogue.text[:MAX_ASKED_CHARS]), before=before)


def _says_something(dialogue: Dialogue) -> bool:
    """Whether there is something to plan: "and when was that?" says it only after something else."""
    is_worded = dialogue.before and re.search(r"\w", dialogue.text) is not None
    return bool(tokenize(dialogue.text) or is_worded)


def _clean(text: str) -> str:
    return " ".join(plain(text).replace("\x00", " ").split())


def _fold(text: str) -> str:
    return _clean(text).casefold()
