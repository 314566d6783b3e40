from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from typing import NamedTuple
from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessageChunk,
    HumanMessage,
    HumanMessageChunk,
    SystemMessage,
    ToolMessage,
    ToolMessageChunk,
)
from pydantic import BaseModel

from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.sessions.messages import CLASSES, as_stored, check_message, decode, encode, title_of
from tests.contracts.message_strategies import ANYTHING, CALLS, USAGE, VALUE, message


class Nowhere(tzinfo):
    """A zone that knows nothing."""

    def utcoffset(self, at: datetime | None, /) -> timedelta:
        raise RuntimeError

    dst = utcoffset

    def tzname(self, at: datetime | None, /) -> str:
        raise RuntimeError


class Colour(Enum):
    RED = "red"


class Point(BaseModel):
    x: int = 0


@dataclass
class Pair:
    left: int
    right: object


class Spot(NamedTuple):
    x: int
    y: object = ()


@dataclass(frozen=True)
class Mark:
    x: int


class Mixed(Enum):
    SET = frozenset({1})
    LIST = [1]  # noqa: RUF012  (a member of an enumeration)
    DOCUMENT = Document("x")


class Moody(Sequence[int]):
    def __len__(self) -> int:
        return 1

    def __getitem__(self, place: int) -> int:  # type: ignore[override]  # no slices
        msg = "a secret"
        raise RuntimeError(msg)


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError


@given(message)
def test_every_message_comes_back_whole(original: BaseMessage) -> None:
    """Whatever class and fields, extra ones included: equal, of the same class, also the second time."""
    found = decode(encode(original))
    assert type(found) is type(original)
    assert found == original
    assert found.model_extra == original.model_extra
    assert decode(encode(found)) == original


@given(st.text(st.characters(categories=["Cs", "Cc", "Lu"]), max_size=10))
def test_text_is_never_changed(text: str) -> None:
    """Pairs of lone surrogates stay two, and control characters what they are."""
    assert decode(encode(HumanMessage(text))).content == text


@pytest.mark.parametrize(
    "chunk",
    [
        AIMessageChunk(
            content="hi", id="1", tool_call_chunks=[{"name": "f", "args": '{"a": 1}', "id": "c", "index": 0}]
        ),
        HumanMessageChunk(content="hi", id="1"),
        ChatMessageChunk(content="hi", role="boss", id="1"),
        ToolMessageChunk(content="hi", tool_call_id="c", artifact={1: 2}, id="1"),
    ],
    ids=lambda chunk: type(chunk).__name__,
)
def test_a_chunk_becomes_its_message(chunk: BaseMessage) -> None:
    """What streaming hands over is stored as the message, its parsed tool calls and extra fields with it."""
    chunk.seen = True  # type: ignore[attr-defined]  # messages take extra fields
    found = decode(encode(chunk))
    assert type(found) is type(chunk).__mro__[1]
    assert (found.content, found.id, found.model_extra) == (chunk.content, "1", {"seen": True})
    assert getattr(found, "tool_calls", None) == getattr(chunk, "tool_calls", None)


def test_numbers_that_are_none_survive() -> None:
    """Log-probabilities are sometimes infinite, or not a number."""
    found = decode(encode(AIMessage("", response_metadata={"p": [math.inf, -math.inf, math.nan]}))).response_metadata[
        "p"
    ]
    assert found[:2] == [math.inf, -math.inf]
    assert math.isnan(found[2])


@pytest.mark.parametrize(
    ("artifact", "found"),
    [
        (Colour.RED, "red"),
        (Point(x=3), {"x": 3}),
        (Pair(1, Point()), {"left": 1, "right": {"x": 0}}),
        (OrderedDict(a=1), {"a": 1}),
        (range(3), [0, 1, 2]),
        (np.array([[1.5], [2.5]]), [[1.5], [2.5]]),
        (np.float64(2.5), 2.5),
        (np.int64(2), 2),
        (bytearray(b"x"), b"x"),
        ({Spot(1, Spot(2)): Spot(3)}, {(1, (2, ())): [3, ()]}),
        ({Spot(1), 2}, {(1, ()), 2}),
        (frozenset({range(2), (range(1),)}), frozenset({(0, 1), ((0,),)})),
        ({Mark(1)}, {(("x", 1),)}),
        ({Mark(1): {Mark(2)}}, {(("x", 1),): {(("x", 2),)}}),
        (set(Mixed), {frozenset({1}), (1,), repr(Document("x"))}),
        (Moody(), {"not_stored": f"{__name__}.Moody", "repr": ANY}),
        (datetime(2026, 1, 1, tzinfo=Nowhere()), {"not_stored": "datetime.datetime", "repr": ANY}),
        (Shy(), {"not_stored": f"{__name__}.Shy", "repr": "<its repr raised RuntimeError>"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_object_of_another_class_becomes_plain_data(artifact: object, found: object) -> None:
    """What only a program can hold is stored as what it holds, or as its name: never is the message lost."""
    stored = decode(encode(ToolMessage("text", tool_call_id="1", artifact=artifact)))
    assert isinstance(stored, ToolMessage)
    assert (stored.content, stored.artifact) == ("text", found)


def test_what_holds_itself_is_refused() -> None:
    """A circle has no end to be stored."""
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(ConfigurationError, match="within itself"):
        encode(ToolMessage("text", tool_call_id="1", artifact=circle))


def test_a_class_of_ones_own_is_stored_as_the_one_it_extends() -> None:
    """Its own fields come back as extra fields: no class is ever constructed by its name."""

    class OwnMessage(AIMessage):
        mood: str = "fine"

    found = decode(encode(OwnMessage(content="hi", mood="good")))
    assert type(found) is AIMessage
    assert found.model_extra == {"mood": "good"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"human",
        b"human\n",
        b"human\n[]",
        b"human\n{}",
        b"remove\n{}",
        b"os.system\n{}",
        b"\xff\n{}",
        b'human\n{"content": 1}',
        b'human\n{"content": "x", "a": {"agentmem:type": ["eval", "1"]}}',
        b'human\n{"content": "x", "a": {"agentmem:type": 3}}',
        b'ai\n{"content": "x", "tool_calls": [7]}',
        b'ai\n{"content": "x", "additional_kwargs": "y"}',
        b"human\n" + b"[" * 100_000,
    ],
    ids=lambda data: repr(data[:30]),
)
def test_damaged_bytes_are_an_integrity_error(data: bytes) -> None:
    """What `encode` did not write is never half a message, and runs nothing."""
    with pytest.raises(IntegrityError):
        decode(data)


def test_a_message_of_an_unknown_type_is_refused() -> None:
    """Only what can be read again is stored."""

    class Odd(BaseMessage):
        type: str = "odd"

    with pytest.raises(ConfigurationError, match="'odd'"):
        check_message(Odd(content="x"))


def test_empty_fields_cost_nothing() -> None:
    """What a message does not say is not stored."""
    assert json.loads(encode(AIMessage("hi", id="1")).partition(b"\n")[2]) == {"content": "hi", "id": "1"}


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (HumanMessage("  hi\n"), "hi"),
        (HumanMessage(" "), None),
        (HumanMessageChunk(content="x" * 81), "x" * 80),
        (HumanMessage([{"type": "image", "url": "u"}, {"type": "text", "text": "look"}]), "look"),
        (AIMessage("hi"), None),
        (SystemMessage("hi"), None),
    ],
)
def test_a_title_is_what_a_user_said(said: BaseMessage, title: str | None) -> None:
    """The beginning of a human message's text, if it has any."""
    assert title_of(said) == title


def test_decimals_are_exact() -> None:
    """Money in an artifact keeps every digit."""
    prices = {"at": datetime(2026, 1, 1, tzinfo=UTC), "price": Decimal("0.10")}
    found = decode(encode(ToolMessage("x", tool_call_id="1", artifact=prices)))
    assert isinstance(found, ToolMessage)
    assert str(found.artifact["price"]) == "0.10"


ODD = st.none() | st.integers() | st.text(max_size=3) | st.lists(VALUE, max_size=2) | ANYTHING | CALLS | USAGE


@given(message, st.sampled_from(sorted({*AIMessage.model_fields, *ToolMessage.model_fields, "role"} - {"id"})), ODD)
def test_whatever_is_encoded_can_be_read_back(changed: BaseMessage, name: str, value: object) -> None:
    """A field set to anything, of a message or to one more: it is stored as it will be read, or it is refused."""
    setattr(changed, name, value)
    try:
        data, stored = as_stored(changed)
    except ConfigurationError:
        return
    assert decode(data) == stored
    assert type(stored) in CLASSES.values()


@pytest.mark.parametrize("name", ["usage_metadata", "response_metadata"])
def test_metadata_that_does_not_fit_is_left_out_and_the_message_kept(name: str) -> None:
    """LangChain's cache copies an answer with a usage that is none, and no validator sees it."""
    said = AIMessage("pong", id="1", name="bot", tool_calls=[{"name": "f", "args": {}, "id": "c"}])
    odd = {"usage_metadata": {"total_cost": 0}, "response_metadata": "none"}
    data, stored = as_stored(said.model_copy(update={name: odd[name]}))
    assert decode(data) == stored == said


def test_metadata_that_fits_stays_beside_what_does_not() -> None:
    """Only what cannot be read back is left out."""
    said = AIMessage("pong", response_metadata={"model_name": "m"}).model_copy(update={"usage_metadata": {}})
    assert as_stored(said)[1].response_metadata == {"model_name": "m"}


@pytest.mark.parametrize(("name", "value"), [("content", 3), ("tool_calls", "f()"), ("name", 3)])
def test_what_a_message_says_is_never_left_out(name: str, value: object) -> None:
    """A message without it would be another one: it is refused."""
    with pytest.raises(ConfigurationError, match="does not take"):
        as_stored(AIMessage("pong").model_copy(update={name: value, "usage_metadata": {"total_cost": 0}}))
