"""What memory rests on, each with a switch that is thrown in the middle of its life: databases, embeddings, a model."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, Literal, TypeAlias, TypeVar

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import ConfigDict, Field
from sqlalchemy import Connection

from langchain_agentmem import _patience
from langchain_agentmem._flow import Flow, step
from langchain_agentmem._patience import MAX_REST_S
from langchain_agentmem.errors import StorageError
from langchain_agentmem.extraction.proposing import structured
from langchain_agentmem.sql.driver import Mode
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.summarize import model
from tests.fake_embeddings import WordEmbeddings

T = TypeVar("T")

SLOW_S: Final = 0.05
"""What is slow here takes longer than that: as long as anything may take."""

NEVER_S: Final = 20.0
"""Nothing waits that long, or it would wait for ever; a test that does so fails."""

ANSWER: Final = "Here is my answer."
AWAY: Final = "the database is away; start it"

LATE: Final = "the database has not answered in time; look after it"

Fault: TypeAlias = Literal["down", "read-only", "dies", "slow"]


class FaultyDatabase(Database):
    """A database that is away; takes no writes; does not answer; or dies after `lives` more transactions, in a turn."""

    def __init__(self, url: str) -> None:
        super().__init__(url, busy_timeout_s=SLOW_S)
        self.fault: Fault | None = None
        self.lives = 0
        self.failures = 0

    def break_(self, fault: Fault, lives: int = 0) -> None:
        self.fault, self.lives = fault, lives

    def read(self, body: Callable[[Connection], T]) -> Flow[T]:
        yield from self._meet("read")
        return (yield from super().read(body))

    def write(self, body: Callable[[Connection], T]) -> Flow[T]:
        yield from self._meet("write")
        return (yield from super().write(body))

    def directly(self, body: Callable[[Connection], T], mode: Mode) -> Flow[T]:
        yield from self._meet(mode)
        return (yield from super().directly(body, mode))

    def read_prepared(self, body: Callable[[Any], T], *, singly: bool = False) -> Flow[T]:
        yield from self._meet("read")
        return (yield from super().read_prepared(body, singly=singly))

    def write_prepared(self, body: Callable[[Any], T], *, singly: bool = False) -> Flow[T]:
        yield from self._meet("write")
        return (yield from super().write_prepared(body, singly=singly))

    def _meet(self, mode: str) -> Flow[None]:
        """Raise, where the fault says so."""
        self.lives -= 1
        is_dead = self.fault == "dies" and self.lives < 0
        if self.fault == "down" or is_dead or (self.fault == "read-only" and mode == "write"):
            self.failures += 1
            raise StorageError(AWAY, is_retryable=True)
        if self.fault == "slow":
            with self._breaker.watched():
                yield from self._wait()

    def _wait(self) -> Flow[None]:
        """Wait in vain, unless somebody has waited just now."""
        self.failures += 1
        if not self._breaker.is_resting:
            yield from step(time.sleep, asyncio.sleep, SLOW_S)
        raise StorageError(LATE, is_retryable=True) from TimeoutError()


class FaultyEmbeddings(WordEmbeddings):
    """Embeddings that raise, quoting what they were given; never answer; or have another size all at once."""

    def __init__(self) -> None:
        super().__init__("steady")
        self.fault: Literal["raises", "slow", "another size"] | None = None
        self.answer = threading.Event()

    def break_(self, fault: Literal["raises", "slow", "another size"]) -> None:
        self.answer.clear()
        self.fault = fault

    def _embed(self, text: str) -> list[float]:
        if self.fault == "raises":
            msg = f"cannot embed {text!r}"
            raise ConnectionError(msg)
        if self.fault == "slow":
            self.answer.wait(NEVER_S)
        vector = super()._embed(text)
        return vector[:-1] if self.fault == "another size" else vector


class FaultyModel(BaseChatModel):
    """The memory's own chat model: it finds nothing to say, raises with what it was given, or never answers."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    switch: Any = None

    @property
    def _llm_type(self) -> str:
        return "faulty"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        fault = self.switch.fault
        if fault == "slow":
            self.switch.answer.wait(NEVER_S)
        if fault == "raises":
            msg = f"cannot read {messages[-1].text!r}"
            raise ConnectionError(msg)
        return ChatResult(generations=[ChatGeneration(message=AIMessage("no record"))])


class Switch:
    """Of the chat model."""

    def __init__(self) -> None:
        self.fault: Literal["raises", "slow"] | None = None
        self.answer = threading.Event()

    def break_(self, fault: Literal["raises", "slow"]) -> None:
        self.answer.clear()
        self.fault = fault


class AnsweringModel(BaseChatModel):
    """The agent's own model: it calls a tool first where it is to, and answers the same, always; keeps what it saw."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    seen: list[list[BaseMessage]] = Field(default_factory=list)
    calls_tool: bool = False

    @property
    def _llm_type(self) -> str:
        return "answering"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.seen.append(messages)
        is_first = self.calls_tool and messages[-1].type != "tool"
        calls = [{"name": "deploy", "args": {"target": "eu"}, "id": "c1"}] if is_first else []
        return ChatResult(generations=[ChatGeneration(message=AIMessage("" if calls else ANSWER, tool_calls=calls))])


class Ahead:
    """A clock that goes ahead of the machine's."""

    def __init__(self) -> None:
        self.by_s = 0.0

    def __call__(self) -> float:
        return monotonic() + self.by_s

    def rest(self) -> None:
        """Let what did not answer have its rest."""
        self.by_s += MAX_REST_S


AHEAD: Final = Ahead()


@contextmanager
def impatient() -> Iterator[None]:
    """Let the memory's own model have no more time than anything else here; `AHEAD` is the clock of rests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "MODEL_TIMEOUT_S", SLOW_S)
        patch.setattr(model, "MODEL_TIMEOUT_S", SLOW_S)
        patch.setattr(_patience, "monotonic", AHEAD)
        patch.setattr(_patience, "REST_RATIO", MAX_REST_S / SLOW_S)
        yield
