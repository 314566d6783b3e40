"""Checkpointers, other packages' and ours, each in a file, database or server of its own, and a graph of one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias, TypedDict
from uuid import uuid4

from _conversation import text
from _kit import Workshop, module, postgres_bytes, redis_bytes, sqlite_bytes
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import _messages_delta_reducer, add_messages

IN_MEMORY: Final = "InMemorySaver"

Saver: TypeAlias = BaseCheckpointSaver[Any]
Graph: TypeAlias = Any  # a compiled graph: its four type parameters say nothing here


class State(TypedDict):
    """A conversation, as most graphs have it."""

    messages: Annotated[list[AnyMessage], add_messages]


class DeltaState(TypedDict):
    """The same in a channel of LangGraph's (beta) that writes only what is new, and a snapshot now and then."""

    messages: Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How to make a place for a checkpointer, open it there (in any process), and ask for the bytes it keeps."""

    place: Callable[[Workshop, str], str]
    open: Callable[[str, ExitStack], Saver]
    size: Callable[[str, Saver], int]
    state: type = State


def graph(saver: Saver, state: type = State) -> Graph:
    """Return a graph whose one node answers at once."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(state)
    builder.add_node("answer", _answer)
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


def thread(name: str) -> RunnableConfig:
    """Return the configuration of a thread."""
    return {"configurable": {"thread_id": name}}


def turn(compiled: Graph, name: str, number: int) -> None:
    """Say something and get an answer: two new messages. What the turn stores is stored when it ends."""
    asked = {"messages": [HumanMessage(prepared(2 * number))]}
    compiled.invoke(asked, thread(name), durability="sync")


def prepare(turns: int) -> None:
    """Make the texts of that many turns, so that no turn has to."""
    for number in range(2 * turns + 2):
        prepared(number)


@cache
def prepared(number: int) -> str:
    """Return the text of a message."""
    return text(number)


def _answer(state: Any) -> dict[str, Any]:  # noqa: ANN401  (one of two states)
    number = len(state["messages"])
    return {"messages": [AIMessage(prepared(number), id=f"lc_run--{uuid4()}-0")]}  # models give ids, people do not


# ------------------------------------------------------------------------------------------------------------- places
def _nowhere(_bench: Workshop, _name: str) -> str:
    return ""


def file(bench: Workshop, name: str) -> str:
    """Return the path of a file of its own."""
    return str(bench.folder / f"{name}.db")


def database(bench: Workshop, name: str) -> str:
    """Return the URL of a PostgreSQL database of its own."""
    return bench.new_database(name)


def redis(bench: Workshop, _name: str) -> str:
    """Return the URL of a server of its own, without modules."""
    return bench.new_redis()


def _redis_with_modules(bench: Workshop, _name: str) -> str:
    return bench.new_redis(with_modules=True)


# -------------------------------------------------------------------------------------------------------------- bytes
def _bytes_in(value: object) -> int:
    """Return the bytes of the serialised values in nested containers, without what Python adds to each."""
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_bytes_in, value.values()))
    return sum(map(_bytes_in, value)) if isinstance(value, tuple | list) else 0


def _in_memory_bytes(_url: str, saver: Any) -> int:  # noqa: ANN401  (its attributes are its own)
    return sum(map(_bytes_in, (saver.storage, saver.blobs, saver.writes)))


def _file_bytes(path: str, _saver: Saver) -> int:
    return sqlite_bytes(Path(path))()


def _database_bytes(url: str, _saver: Saver) -> int:
    return postgres_bytes(url)()


def _redis_bytes(url: str, _saver: Saver) -> int:
    return redis_bytes(url)()


# -------------------------------------------------------------------------------------------------------------- opened
def _in_memory(_url: str, _stack: ExitStack) -> Saver:
    return InMemorySaver()


def _sqlite(path: str, stack: ExitStack) -> Saver:
    return _set_up(module("langgraph.checkpoint.sqlite").SqliteSaver, path, stack)


def _postgres(url: str, stack: ExitStack) -> Saver:
    return _set_up(module("langgraph.checkpoint.postgres").PostgresSaver, url, stack)


def _redis_saver(url: str, stack: ExitStack) -> Saver:
    return _set_up(module("langgraph.checkpoint.redis").RedisSaver, url, stack)


def _shallow_redis_saver(url: str, stack: ExitStack) -> Saver:
    return _set_up(module("langgraph.checkpoint.redis.shallow").ShallowRedisSaver, url, stack)


def _set_up(cls: Any, url: str, stack: ExitStack) -> Saver:  # noqa: ANN401  (a peer's class)
    saver: Saver = stack.enter_context(cls.from_conn_string(url))
    saver.setup()  # type: ignore[attr-defined]  # every peer that stores something has it; the base class has not
    return saver


def _ours_sql(url: str, stack: ExitStack) -> Saver:
    return _ours("SQLSaver", url, stack)


def _ours_file(path: str, stack: ExitStack) -> Saver:
    return _ours("SQLSaver", f"sqlite:///{path}", stack)


def _ours_file_forking(path: str, stack: ExitStack) -> Saver:
    return _ours("SQLSaver", f"sqlite:///{path}", stack, on_conflict="fork")


def _ours_redis(url: str, stack: ExitStack) -> Saver:
    return _ours("RedisSaver", url, stack)


def _ours(name: str, url: str, stack: ExitStack, **options: Any) -> Saver:
    cls = getattr(module("langchain_agentmem.checkpoint"), name)
    saver: Saver = stack.enter_context(cls.from_url(url, **options))
    return saver


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        IN_MEMORY: Kind(place=_nowhere, open=_in_memory, size=_in_memory_bytes),
        "SqliteSaver": Kind(place=file, open=_sqlite, size=_file_bytes),
        "PostgresSaver": Kind(place=database, open=_postgres, size=_database_bytes),
        "RedisSaver": Kind(place=_redis_with_modules, open=_redis_saver, size=_redis_bytes),
        "ShallowRedisSaver": Kind(place=_redis_with_modules, open=_shallow_redis_saver, size=_redis_bytes),
        "SqliteSaver, DeltaChannel": Kind(place=file, open=_sqlite, size=_file_bytes, state=DeltaState),
        "ours, SQLite": Kind(place=file, open=_ours_file, size=_file_bytes),
        "ours, PostgreSQL": Kind(place=database, open=_ours_sql, size=_database_bytes),
        "ours, Redis": Kind(place=redis, open=_ours_redis, size=_redis_bytes),
    }
)
FORKING: Final[Mapping[str, Kind]] = MappingProxyType(
    {"ours, SQLite, on_conflict='fork'": Kind(place=file, open=_ours_file_forking, size=_file_bytes)}
)
