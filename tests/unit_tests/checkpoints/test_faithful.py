"""Laws of what a checkpointer stores: it comes back as the class it was, or is refused by name."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum, IntEnum, StrEnum
from operator import itemgetter
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_core.runnables.utils import AddableDict
from langgraph.checkpoint.serde.types import ERROR, _DeltaSnapshot
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Interrupt, Overwrite, Send, interrupt

from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoints.faithful import pack
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.testing.savers import config_of, made
from tests.conftest import Call


class Words(str):
    __slots__ = ()


class Amount(int):
    pass


class Raw(bytes):
    pass


class Pair(tuple[int, int]):
    __slots__ = ()


class Rows(list[int]):
    pass


class Colour(Enum):
    RED = 1


class Shade(StrEnum):
    DARK = "dark"


class Rank(IntEnum):
    HIGH = 9


class Point(NamedTuple):
    x: Any


@dataclass
class Plan:
    steps: Any


LOST: list[tuple[Any, str, str]] = [
    (OrderedDict(a=1), "collections.OrderedDict", "dict"),
    (defaultdict(int, a=1), "collections.defaultdict", "dict"),
    (Counter("aab"), "collections.Counter", "dict"),
    (Pair((1, 2)), f"{__name__}.Pair", "tuple"),
    (Rows([1]), f"{__name__}.Rows", "list"),
    (ValueError("a"), "builtins.ValueError", "repr"),
]
PLACES: list[Any] = [
    lambda it: it,
    lambda it: {"deep": [1, ("x", it)]},
    lambda it: [HumanMessage("a", id="1"), {"beside": it}],
    lambda it: {"messages": [HumanMessage("a", id="1")], "beside": it},
    lambda it: {1: it},
    lambda it: AddableDict(inner=it),
    lambda it: Send("node", it),
    lambda it: Interrupt(value=it, id="i"),
    lambda it: Command(update={"a": it}),
    lambda it: Overwrite([it]),
    lambda it: _DeltaSnapshot([it]),
    lambda it: deque([it]),
    lambda it: Plan(steps=it),
    Point,
]
KEYS = [
    Colour.RED,
    date(2026, 1, 1),
    datetime(2026, 1, 1, tzinfo=UTC),
    UUID(int=1),
    (1, Colour.RED),
]
KEPT: list[Any] = [
    {"a": [1, 2.5, None, True, "x", b"y", {"b": []}], "c": {1: 2, None: 3, (1, "x"): 4, 1.5: 5}},
    {1, 2},
    deque([1]),
    date(2026, 1, 1),
    Send("node", {"a": [HumanMessage("a", id="1")]}),
    Interrupt(value={"a": 1}, id="i"),
    Command(update={"a": 1}),
    _DeltaSnapshot([1]),
    Plan(steps=[Point(1), Colour.RED]),
    [AIMessageChunk(content="a", id="1"), RemoveMessage(id="1"), Document("text", metadata={"a": 1})],
]


@pytest.fixture
def saver() -> Iterator[SQLSaver]:
    saver = SQLSaver.from_url("sqlite://", allowed_types=[Plan, Point, Colour])
    yield saver
    saver.close()


async def stored(saver: SQLSaver, call: Call, value: object) -> Any:  # noqa: ANN401  (whatever comes back)
    await call(saver, "put", config_of(), made({"a": value}), {}, {"a": "1"})
    return (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"]["a"]


@pytest.mark.parametrize(("value", "name", "remedy"), LOST, ids=map(itemgetter(1), LOST))
def test_what_would_come_back_as_another_class_is_refused(value: Any, name: str, remedy: str) -> None:  # noqa: ANN401
    """Wherever it stands; the error names the class and what to store in its place."""
    for wrapped in PLACES:
        with pytest.raises(ConfigurationError, match=rf"{name}, which .*store {remedy}\(value\)"):
            pack(wrapped(value))


def test_a_key_that_would_come_back_as_another_class_is_refused() -> None:
    """A date, or a member of an Enum, is found by nobody under the text that it would become."""
    for key in KEYS:
        for value in ({key: 1}, [{"deep": {1: {key: 1}}}], Send("node", {key: 1})):
            with pytest.raises(ConfigurationError, match="would come back as plain data; store plain keys"):
                pack(value)


async def test_what_langgraph_stores_is_stored(saver: SQLSaver, call: Call) -> None:
    """Plain data, whatever its keys, LangGraph's own records, messages, and classes that are allowed."""
    for value in KEPT:
        found = await stored(saver, call, value)
        assert (type(found), repr(found)) == (type(value), repr(value))


async def test_texts_and_numbers_of_a_class_of_their_own_come_back_plain(saver: SQLSaver, call: Call) -> None:
    """They are equal to what was stored, also as keys, and found by it."""
    values: list[Any] = [Words("a"), Amount(1), Raw(b"a"), np.float64(1)]
    for wrapped in PLACES[:2]:
        for value in values:
            found = await stored(saver, call, wrapped(value))
            assert found == (wrapped(value) if wrapped is PLACES[0] else {"deep": [1, ["x", value]]})
    keyed = await stored(saver, call, {Words("a"): 1, Shade.DARK: 2, Rank.HIGH: 3, Amount(7): 4})
    assert keyed == {"a": 1, "dark": 2, 9: 3, 7: 4}
    assert (keyed[Shade.DARK], keyed[Rank.HIGH]) == (2, 3)


async def test_what_langchain_hands_out_as_data_is_taken_as_that(saver: SQLSaver, call: Call) -> None:
    """The text of a message, output that can be added, and what stands in the fields of a message."""
    added = next(RunnableParallel(a=RunnableLambda(len)).stream("abc"))
    assert await stored(saver, call, [AIMessage("hi").text, added, {AIMessage("hi").text: 1}]) == [
        "hi",
        {"a": 3},
        {"hi": 1},
    ]
    message = ToolMessage("x", tool_call_id="1", id="1", artifact=OrderedDict(a=Words("b")))
    assert (await stored(saver, call, [message]))[0].artifact == {"a": "b"}


async def test_metadata_that_cannot_be_stored_is_named(saver: SQLSaver, call: Call) -> None:
    """The key, and the class that has no form or would be lost."""
    for value, name in ((object(), "builtins.object"), ([OrderedDict()], "collections.OrderedDict"), (2**80, "int")):
        with pytest.raises(ConfigurationError, match=rf"^metadata 'x': .*{name}"):
            await call(saver, "put", config_of(), made(), {"source": "loop", "x": value}, {})


@pytest.mark.parametrize("part", ["id", "ts", "channel_values", "channel_versions", "versions_seen"])
async def test_a_checkpoint_without_a_part_is_refused(saver: SQLSaver, call: Call, part: str) -> None:
    """The error names the part, and nothing is stored."""
    checkpoint: Any = {key: value for key, value in made().items() if key != part}
    with pytest.raises(ConfigurationError, match=f"has no {part};"):
        await call(saver, "put", config_of(), checkpoint, {}, {})
    assert await call(saver, "get_tuple", config_of()) is None


class State(TypedDict, total=False):
    hits: Annotated[Any, lambda _, new: new]


async def test_a_node_that_returns_what_would_be_lost_fails_at_once(saver: SQLSaver) -> None:
    """And not after an interrupt, when what it returned has come back as something else."""
    builder = StateGraph(State)
    builder.add_node("count", lambda state: {"hits": defaultdict(int)})
    builder.add_node("ask", lambda state: {"hits": interrupt("?")})
    builder.add_edge(START, "count")
    builder.add_edge("count", "ask")
    with pytest.raises(ConfigurationError, match=r"'hits': .*defaultdict"):
        builder.compile(checkpointer=saver).invoke({}, config_of())


async def test_the_error_of_a_node_is_kept_in_words(saver: SQLSaver, call: Call) -> None:
    """LangGraph notes it among the writes of the task; in any other channel an error is refused."""
    config = await call(saver, "put", config_of(), made(), {}, {})
    await call(saver, "put_writes", config, [(ERROR, ValueError("told"))], "task")
    assert (await call(saver, "get_tuple", config)).pending_writes == [("task", ERROR, "ValueError('told')")]
    with pytest.raises(ConfigurationError, match=r"'a': .*ValueError"):
        await call(saver, "put_writes", config, [("a", ValueError("told"))], "task")
