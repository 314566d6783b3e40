"""A chat model that answers with records: one retry with the error told, and nothing that can lose a turn."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar, cast

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ConfigDict, ValidationError

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow
from langchain_agentmem._patience import step_within
from langchain_agentmem.errors import ModelOutputError

INTERNAL: Final = RunnableConfig(tags=[TAG_NOSTREAM], metadata={"lc_source": "agentmem"})
"""Marks a call as not part of the answer: its tokens are kept out of message streams."""

MODEL_TIMEOUT_S: Final = 120.0
"""A small model on a CPU writes a long record in that time; who wants less says so to the model, by its `timeout`."""

_ERROR_CHARS: Final = 500  # of a validation error: its first lines name the field


LOGGER: Final = logging.getLogger(__name__)

Method: TypeAlias = Literal["function_calling", "json_schema", "json_mode"]
"""How a chat model is made to answer with a record; which of them it takes is the provider's."""


def _without_defaults(schema: dict[str, Any]) -> None:
    for named in schema.get("properties", {}).values():
        named.pop("default", None)


class Answer(BaseModel):
    """A record that a model fills in.

    Its schema tells no defaults, for strict schemas may not; a field left out has its default all the same.
    """

    model_config = ConfigDict(extra="ignore", json_schema_extra=_without_defaults)


R = TypeVar("R", bound=BaseModel)


def conversation(prompt: str, data: str) -> list[BaseMessage]:
    """Return the messages of a call: instructions apart from the data they are about."""
    return [SystemMessage(prompt), HumanMessage(data)]


@dataclass(frozen=True, slots=True)
class Asked(Generic[R]):
    """What the model answered, or `None`, and how many of its answers were unusable."""

    answer: R | None
    failures: int = 0


class RecordModel(Generic[R]):
    """A chat model that is asked for one kind of record.

    Args:
        model: Any chat model with `with_structured_output`.
        schema: The record it fills in.
        prompt: Its instructions.
        max_retries: Further attempts after an answer that did not fit.
        method: How the model is made to answer with a record; `None`: as it does by default.

    Raises:
        ConfigurationError: `max_retries` is below 0.
    """

    def __init__(
        self,
        model: BaseChatModel,
        schema: type[R],
        prompt: str,
        *,
        max_retries: int = 1,
        method: Method | None = None,
    ) -> None:
        check_count("max_retries", max_retries, 0)
        self._model = model
        self._schema = schema
        self._prompt = prompt
        self._attempts = 1 + max_retries
        self._chosen: dict[str, Any] = {} if method is None else {"method": method}  # not every model takes the word
        self._failures = 0
        self._lock = threading.Lock()

    @property
    def failures(self) -> int:
        """Answers that were unusable, and calls that failed, since this object was made."""
        return self._failures

    def ask(self, data: str) -> Flow[Asked[R]]:
        """Ask about data; an error of the call is a failure, an unusable answer is told back and retried.

        Some providers' clients check the answer themselves and raise what the schema says of it: unusable as well.
        Cancellation is not a failure: it propagates.
        """
        asked = yield from self._answer(conversation(self._prompt, data))
        with self._lock:
            self._failures += asked.failures
        return asked

    def _answer(self, messages: Sequence[BaseMessage]) -> Flow[Asked[R]]:
        prompt = list(messages)
        for failures in range(self._attempts):
            try:
                structured = self._structured()
                calls = (structured.invoke, structured.ainvoke)
                answer = yield from step_within(MODEL_TIMEOUT_S, *calls, prompt, INTERNAL, of=self._model)
                return Asked(_record(answer, self._schema), failures)
            except (ModelOutputError, OutputParserException, ValidationError) as error:
                prompt = [
                    *messages,
                    HumanMessage(f"{_told(error)}\nAnswer again with one record that fits the schema."),
                ]
            except Exception as error:  # noqa: BLE001  (whatever a provider raises, the turn goes on without it)
                LOGGER.warning("a call of the chat model failed: %s", type(error).__name__)
                return Asked(None, failures + 1)
        fitting = self._schema.__name__
        LOGGER.warning("the chat model's answer did not fit %s after %d attempts", fitting, self._attempts)
        return Asked(None, self._attempts)

    def _structured(self) -> Runnable[LanguageModelInput, dict[str, Any]]:
        structured = self._model.with_structured_output(self._schema, include_raw=True, **self._chosen)
        return cast("Runnable[LanguageModelInput, dict[str, Any]]", structured)


def _record(answer: dict[str, Any], schema: type[R]) -> R:
    """Return the record in an answer.

    Raises:
        ModelOutputError: There is none that fits; the message tells the model why.
    """
    parsed = answer.get("parsed")
    if isinstance(parsed, schema):
        return parsed
    error = answer.get("parsing_error")
    msg = _told(error) if error is not None else "Your last answer could not be used: it held no record"
    raise ModelOutputError(msg, output=answer.get("raw"))


def _told(error: BaseException) -> str:
    """Return what a model is told about its answer."""
    if isinstance(error, ModelOutputError):
        return str(error)
    return f"Your last answer could not be used: {type(error).__name__}: {error}"[:_ERROR_CHARS]
