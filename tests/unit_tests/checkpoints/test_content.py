from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Command, Interrupt, Send
from pydantic import BaseModel, SecretStr

from langchain_agentmem.checkpoints import envelope, wording
from langchain_agentmem.checkpoints.content import Codec, Drafting, Resolver, SplitList
from langchain_agentmem.checkpoints.gathering import Gathering
from langchain_agentmem.checkpoints.ranges import MAX_CHUNK
from langchain_agentmem.checkpoints.refs import Packed, Pieces, Shape, write_ref
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.strict import strict_serde
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import NullCipher
from tests.savers import error_of

TEXT = st.text(max_size=40) | st.text(max_size=3).map(lambda it: it * 400)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | TEXT
    | st.binary(max_size=90)
    | st.datetimes(timezones=st.just(UTC))
    | st.uuids()
    | st.decimals(allow_nan=False)
    | st.frozensets(st.integers(0, 9), max_size=3)
)
DATA = st.recursive(
    LEAF, lambda it: st.lists(it, max_size=4) | st.dictionaries(st.text(max_size=9), it, max_size=4), max_leaves=9
)
COMMON: dict[str, Any] = {"content": TEXT | st.lists(st.dictionaries(TEXT, TEXT, max_size=2), max_size=2)}
COMMON |= {"id": st.none() | st.text(max_size=9), "additional_kwargs": st.dictionaries(st.text(max_size=9), TEXT)}
CALLS = st.lists(
    st.fixed_dictionaries(
        {"name": TEXT, "args": st.dictionaries(TEXT, TEXT), "id": TEXT, "type": st.just("tool_call")}
    ),
    max_size=2,
)
MESSAGES = (
    st.builds(HumanMessage, **COMMON, name=st.none() | TEXT)
    | st.builds(AIMessage, **COMMON, tool_calls=CALLS)
    | st.builds(SystemMessage, **COMMON)
    | st.builds(ToolMessage, **COMMON, tool_call_id=TEXT, artifact=DATA)
    | st.builds(ChatMessage, **COMMON, role=TEXT)
    | st.builds(FunctionMessage, **COMMON, name=TEXT)
    | TEXT.map(lambda content: AIMessageChunk(content=content))
    | TEXT.map(lambda id: RemoveMessage(id=id))
)
DOCUMENTS = st.builds(Document, page_content=TEXT, metadata=st.dictionaries(st.text(max_size=9), TEXT, max_size=2))
LISTS = st.lists(MESSAGES, max_size=60) | st.lists(DOCUMENTS | st.dictionaries(TEXT, DATA, max_size=2), max_size=9)
VALUES = DATA | LISTS | LISTS.map(_DeltaSnapshot) | st.dictionaries(st.text(max_size=9), LISTS | DATA, max_size=3)


class Colour(Enum):
    RED = 1


class Point(NamedTuple):
    x: int


class Model(BaseModel):
    x: int = 1


class Store:
    """Numbers contents as a thread does, and keeps them."""

    def __init__(self, codec: Codec | None = None) -> None:
        self.codec = codec or Codec(strict_serde())
        self.seal = Seal(NullCipher(), "t")
        self.known: dict[bytes, int] = {}
        self.stored: dict[int, bytes] = {}

    def numbers(self, pieces: Pieces) -> Sequence[int]:
        return [self._number(digest, pieces, place) for place, digest in enumerate(pieces.digests)]

    def segment(self, runs: bytes) -> int:
        content = envelope.segment(runs)
        return self.numbers(Pieces([self.seal.cipher.fingerprint(content)], [content].__getitem__))[0]

    def write(self, shape: Shape) -> bytes:
        return write_ref(shape, self)

    def read(self, ref: bytes, *, is_shared: bool = False) -> Any:  # noqa: ANN401  (whatever was stored)
        gathering = Gathering(self.seal)
        tree = gathering.add(ref, "it")
        while wanted := gathering.wants():
            gathering.take([(no, self.stored[no]) for numbers in wanted for no in numbers if no in self.stored])
        gathering.finish()
        return Resolver(self.codec, gathering.stored, is_shared=is_shared).value(tree)

    def draft(self, recent: SplitList | None = None) -> Drafting:
        return Drafting(self.codec, self.seal.cipher.fingerprint, self.known, recent)

    def _number(self, digest: bytes, pieces: Pieces, place: int) -> int:
        if digest not in self.known:
            self.known[digest] = no = len(self.known) + 1
            self.stored[no] = self.seal.item(no, pieces.content(place))
        return self.known[digest]


@pytest.fixture
def store() -> Store:
    return Store()


@settings(deadline=None)
@given(VALUES, st.booleans(), st.booleans())
def test_any_value_comes_back(value: object, is_shared: bool, is_passing: bool) -> None:  # noqa: FBT001  (generated)
    """Data, messages of every class, documents and snapshots, kept or passing, are equal when they are read."""
    store = Store()
    draft = store.draft()
    ref = store.write(draft.passing(value) if is_passing else draft.shape(value))
    assert store.read(ref, is_shared=is_shared) == store.codec.serde.loads_typed(store.codec.serde.dumps_typed(value))


@settings(deadline=None)
@given(st.lists(MESSAGES, min_size=1, max_size=30), st.data())
def test_a_growing_list_is_what_it_would_be_from_scratch(messages: list[BaseMessage], data: st.DataObject) -> None:
    """What is remembered of the list before changes how the next is drafted, and nothing of what is stored."""
    store, recent = Store(), None
    for _ in range(4):
        part = messages[data.draw(st.integers(0, 3)) : data.draw(st.integers(1, len(messages)))] or messages
        draft = store.draft(recent)
        ref = store.write(draft.shape(part))
        recent = draft.recent
        assert ref == store.write(store.draft().shape(part))


def test_each_message_is_stored_once(store: Store) -> None:
    """However many lists hold it, and whether it stands in a list or is written alone."""
    messages = [HumanMessage("x" * 300, id=str(place)) for place in range(10)]
    for count in range(1, 11):
        store.write(store.draft().shape(messages[:count]))
    store.write(store.draft().shape(_DeltaSnapshot(messages)))
    store.write(store.draft().shape({"messages": messages, "x": 1}))
    store.write(store.draft().passing(messages[0]))
    assert len(store.known) == 10


def test_messages_without_ids_are_no_items_on_their_way(store: Store) -> None:
    """They are given ids in the channel, so that nothing would ever be equal to them."""
    for value in (HumanMessage("x" * 99), [HumanMessage("x" * 99)], {"messages": [HumanMessage("x" * 99)]}):
        assert isinstance(store.draft().passing(value), Packed)
        assert not isinstance(store.draft().shape(value), Packed)
    assert not isinstance(store.draft().passing([HumanMessage("x" * 5_000)]), Packed)


def test_a_long_list_of_scattered_messages_has_segments(store: Store) -> None:
    """And is read through them."""
    messages = [HumanMessage(str(place), id=str(place)) for place in range(MAX_CHUNK * 8)]
    store.write(store.draft().shape(messages))
    scattered = messages[::2] + messages[1::2][::-1]
    count = len(store.known)
    ref = store.write(store.draft().shape(scattered))
    assert len(store.known) > count
    assert store.read(ref) == scattered


@pytest.mark.parametrize(
    "value",
    [
        Colour.RED,
        Point(1),
        Model(),
        Scope("a"),
        SecretStr("s"),
        [{"a": Point(1)}],
        {"a": [Model()]},
        _DeltaSnapshot([Model()]),
    ],
    ids=lambda it: type(it).__name__,
)
def test_a_class_that_is_not_allowed_is_refused(store: Store, value: object) -> None:
    """It would come back as a dict or a list; the error names it and the remedy."""
    with pytest.raises(ConfigurationError, match=r"allowed_types=\[\w+\]"):
        store.draft().shape(value)


@pytest.mark.parametrize("value", [Colour.RED, Point(1), Model(), Scope("a")], ids=lambda it: type(it).__name__)
def test_a_class_that_is_allowed_comes_back(value: object) -> None:
    """As itself, in a list of messages too."""
    store = Store(Codec(strict_serde([type(value)])))
    assert store.read(store.write(store.draft().shape({"a": [value]}))) == {"a": [value]}


def test_what_langgraph_needs_is_allowed(store: Store) -> None:
    """Sends, interrupts and commands."""
    value = [Send("node", {"a": Decimal(1)}), Interrupt(value="?", id="i"), Command(resume=1)]
    assert repr(store.read(store.write(store.draft().shape(value)))) == repr(value)


def test_a_class_that_cannot_be_imported_is_refused() -> None:
    """It could be stored and never be read."""

    class Local(BaseModel):
        pass

    with pytest.raises(ConfigurationError, match="Local, which cannot be imported"):
        strict_serde([Local])


@given(st.binary(max_size=200) | st.lists(st.sampled_from([*wording._PHRASES, b"\xc1", b"a"])).map(b"".join))
def test_shortened_data_comes_back(data: bytes) -> None:
    """Alone and joined, whatever bytes it holds."""
    assert wording.expand(wording.shorten(data)) == data
    assert wording.expand(wording.escape(data) + wording.shorten(data)) == data + data
    assert wording.inflate(wording.deflate(data)) == data


@given(st.binary(max_size=60))
@example(b"\x0f")  # a kind that is named, and no name
def test_damaged_content_is_an_error(data: bytes) -> None:
    """Any bytes are read or a `ValueError`, never anything else."""
    store = Store()
    for read in (wording.expand, wording.inflate, envelope.unwrap, store.codec.load):
        assert isinstance(error_of(read, data), ValueError | None)
