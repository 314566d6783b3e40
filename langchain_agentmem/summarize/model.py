"""A summary by a chat model; where the model fails, sentences are chosen instead, and the failure is counted."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from langchain_agentmem._flow import Flow
from langchain_agentmem._patience import step_within
from langchain_agentmem.errors import ModelOutputError
from langchain_agentmem.extraction.proposing.structured import INTERNAL, MODEL_TIMEOUT_S, conversation
from langchain_agentmem.extraction.record.quarantine import is_injection, plain
from langchain_agentmem.prompts import load_prompt
from langchain_agentmem.summarize.contract import CHARS_PER_TOKEN, MAX_SUMMARY_TOKENS, FlowSummarizer, Summarized
from langchain_agentmem.summarize.extractive import lines, read, written
from langchain_agentmem.summarize.utterances import Utterance, shorten, utterances

MAX_CALL_CHARS: Final = 40_000
"""Of messages that one call reads, about 10,000 tokens: with prompt and answer it fits a window of 16,000."""

WORDS_PER_TOKEN: Final = 0.75
"""The usual rule of thumb for English text."""

_REFUSALS: Final = frozenset({"refusal", "content_filter", "safety", "SAFETY"})
_LANGCHAIN_MARKS: Final = "langchain.agents.middleware.internal_call_transformer"
LOGGER: Final = logging.getLogger("langchain_agentmem")


class ModelSummarizer(FlowSummarizer):
    """Summarizes with a chat model: one call for what is new, more only where that is longer than a call may read.

    The model sees the summary so far and the new messages, as data; memories and hostile text are left out. When a call
    raises, refuses, or answers nothing usable, sentences are chosen without a model, and `failures` grows by one.
    Its tokens are kept out of message streams.

    Args:
        model: Any chat model.
        prompt: Replaces the packaged prompt `summarize`.
        max_tokens: Bound of a summary's length; the model is told, and a longer answer is cut.

    Attributes:
        failures: Calls that failed since this object was made.

    Raises:
        ConfigurationError: `max_tokens` is no int of at least 16.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> from langchain_core.messages import HumanMessage
        >>> summarizer = ModelSummarizer(FakeListChatModel(responses=["The user deploys on Friday."]))
        >>> summarizer.invoke([HumanMessage("I deploy on Friday.")])
        'The user deploys on Friday.'
    """

    def __init__(
        self, model: BaseChatModel, *, prompt: str | None = None, max_tokens: int = MAX_SUMMARY_TOKENS
    ) -> None:
        super().__init__(max_tokens=max_tokens)
        limit = f"Write at most {int(max_tokens * WORDS_PER_TOKEN)} words."
        self._prompt = f"{prompt if prompt is not None else load_prompt('summarize')}\n\n{limit}"
        self._model = model
        self._failures = 0
        self._lock = threading.Lock()

    @property
    def failures(self) -> int:
        """Calls that failed since this object was made."""
        return self._failures

    def summarize_flow(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Flow[Summarized]:
        """Summarize as a flow: one call of the model for each batch of messages."""
        done = Summarized(text=previous)
        failures = 0
        for batch in _batches(list(utterances(messages))):
            done = yield from self._one(batch, done.text)
            failures += done.failures
        text = done.text or written([], self._max_chars)
        return Summarized(text=text, failures=failures, source=done.source)

    @property
    def _max_chars(self) -> int:
        return self.max_tokens * CHARS_PER_TOKEN

    def _one(self, said: Sequence[Utterance], previous: str) -> Flow[Summarized]:
        request = conversation(self._prompt, _render(said, previous))
        try:
            calls = (self._model.invoke, self._model.ainvoke)
            answer = yield from step_within(MODEL_TIMEOUT_S, *calls, request, _internal(), of=self._model)
            return Summarized(text=self._bounded(_usable(answer)), source="model")
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001  (whatever a provider raises, the summary is made without it)
            LOGGER.warning("a summary by the chat model failed: %s", type(error).__name__)
        with self._lock:
            self._failures += 1
        text = written([*read(previous), *lines(said)], self._max_chars)
        return Summarized(text=text, failures=1)

    def _bounded(self, text: str) -> str:
        """Return an answer that is too long without its middle: the goal stands first, what is open last."""
        return shorten(text, self._max_chars)


def _usable(answer: BaseMessage) -> str:
    """Return the text of an answer.

    Raises:
        ModelOutputError: It is empty, a refusal, or tries to instruct whoever reads it.
    """
    text = plain(answer.text).strip()
    if not text or _is_refusal(answer):
        msg = "the model wrote no summary"
        raise ModelOutputError(msg)
    if is_injection(text):
        msg = "the model's summary passes on instructions"
        raise ModelOutputError(msg)
    return text


def _is_refusal(answer: BaseMessage) -> bool:
    told = answer.response_metadata
    reason = told.get("stop_reason") or told.get("finish_reason")
    blocks = [] if isinstance(answer.content, str) else answer.content
    is_block = any(isinstance(block, dict) and block.get("type") == "refusal" for block in blocks)
    return is_block or bool(answer.additional_kwargs.get("refusal")) or reason in _REFUSALS


def _batches(said: list[Utterance]) -> Iterator[list[Utterance]]:
    batch: list[Utterance] = []
    size = 0
    for utterance in said:
        if batch and size + len(utterance.text) > MAX_CALL_CHARS:
            yield batch
            batch, size = [], 0
        batch.append(utterance)
        size += len(utterance.text)
    if batch:
        yield batch


def _render(said: Sequence[Utterance], previous: str) -> str:
    rows = "\n".join(_row(utterance) for utterance in said)
    return f"<summary_so_far>\n{escape(previous)}\n</summary_so_far>\n<new_messages>\n{rows}\n</new_messages>"


def _row(utterance: Utterance) -> str:
    name = f" name={quoteattr(utterance.name)}" if utterance.name else ""
    return f"<message from={quoteattr(utterance.voice)}{name}>{escape(utterance.text)}</message>"


def _internal() -> RunnableConfig:
    """Return the config of a call whose tokens are nobody's answer, also where LangChain has a mark of its own."""
    loaded: Any = sys.modules.get(_LANGCHAIN_MARKS)  # only who loaded it looks for the mark
    marks = loaded.internal_call_metadata() if loaded is not None else {}
    return RunnableConfig(tags=INTERNAL["tags"], metadata={**INTERNAL["metadata"], **marks})
