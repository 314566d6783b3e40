from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from langchain_agentmem import transfer
from langchain_agentmem.checkpoint import SQLSaver
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.testing.savers import config_of
from langchain_agentmem.testing.savers import made as made_checkpoint
from langchain_agentmem.thread_history import ThreadChatMessageHistory
from langchain_agentmem.transfer.copying import Glance, in_order
from langchain_agentmem.transfer.lines import LineCodec, Seal, said_in
from tests.conftest import Call, Colour
from tests.contracts.thread_contract import CONFIG
from tests.contracts.transfer_contract import Saver, TransferContract, rich_graph, rich_thread


@pytest.fixture
async def sqlite(tmp_path: Path, colour: Colour) -> AsyncIterator[Saver]:
    """LangGraph's checkpointer on SQLite, of the test's colour."""
    file = str(tmp_path / "threads.db")
    if colour == "sync":
        with SqliteSaver.from_conn_string(file) as saver:
            yield saver
    else:
        async with AsyncSqliteSaver.from_conn_string(file) as asaver:
            yield asaver


class TestFromMemoryToSqlite(TransferContract):
    """The contract between LangGraph's own checkpointers."""

    @pytest.fixture
    def source(self) -> Saver:
        return InMemorySaver()

    @pytest.fixture
    def target(self, sqlite: Saver) -> Saver:
        return sqlite


class TestFromSqliteToMemory(TransferContract):
    """The contract the other way."""

    @pytest.fixture
    def source(self, sqlite: Saver) -> Saver:
        return sqlite

    @pytest.fixture
    def target(self) -> Saver:
        return InMemorySaver()


class TestFromSqliteToSQLSaver(TransferContract):
    """The contract into our checkpointer."""

    @pytest.fixture
    def source(self, sqlite: Saver) -> Saver:
        return sqlite

    @pytest.fixture
    def target(self, sql_url: str) -> Iterator[Saver]:
        with SQLSaver.from_url(sql_url) as saver:
            yield saver


class TestFromSQLSaverToMemory(TransferContract):
    """The contract out of our checkpointer."""

    @pytest.fixture
    def source(self, sql_url: str) -> Iterator[Saver]:
        with SQLSaver.from_url(sql_url) as saver:
            yield saver

    @pytest.fixture
    def target(self) -> Saver:
        return InMemorySaver()


@dataclass
class Cart:
    """A class of somebody's state."""

    items: list[str]


def put(saver: InMemorySaver, value: object) -> None:
    """Put a thread of one checkpoint whose channel `it` holds a value."""
    config: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    checkpoint = {**empty_checkpoint(), "channel_values": {"it": value}, "channel_versions": {"it": 1}}
    saver.put(config, checkpoint, {"source": "update", "step": 0}, {"it": 1})  # type: ignore[arg-type]  # of one shape


def value_of(saver: InMemorySaver) -> object:
    found = saver.get_tuple(CONFIG)
    return None if found is None else found.checkpoint["channel_values"]["it"]


def sealed(*bodies: dict[str, Any]) -> bytes:
    """A file as whoever forges one would make it."""
    seal = Seal()
    return b"".join(seal.close(body) for body in bodies)


def header(**changes: object) -> dict[str, Any]:
    return {"format": "langchain-agentmem/thread", "version": 1, "thread_id": "t", "checkpoints": 1, **changes}


def line(**changes: object) -> dict[str, Any]:
    checkpoint = {"v": 4, "ts": "", "channel_versions": {"it": 1}, "versions_seen": {}, "updated_channels": None}
    body: dict[str, Any] = {
        "ns": "",
        "id": "1",
        "parent": None,
        "checkpoint": checkpoint,
        "metadata": {},
        "values": {},
        "writes": [],
    }
    return {**body, **changes}


VALUES: Sequence[object] = (
    {"ä": [1, 2.5, None, True, "\ud800\x00\u2028"], "agentmem:type": ["typed", []]},
    [(1, ("a", [2])), {3: "x"}, {1, 2}, b"bytes", datetime(2026, 1, 1, tzinfo=UTC), float("inf")],
    [HumanMessage("hi", id="1"), AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "c", "type": "tool_call"}])],
    ToolMessage("3", tool_call_id="c", artifact={"document": Document("x", metadata={"n": 1}), "pair": (1, 2)}),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
async def test_a_value_comes_out_of_a_file_as_it_was(value: object, call: Call, tmp_path: Path) -> None:
    """Of every kind that a strict checkpointer keeps."""
    source, target = InMemorySaver(), InMemorySaver()
    put(source, value)
    await call(transfer, "export_thread", source, "t", tmp_path / "t.jsonl")
    await call(transfer, "import_thread", target, tmp_path / "t.jsonl")
    assert value_of(target) == value_of(source)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=10,
)


@given(JSON)
def test_reading_undoes_writing(value: object) -> None:
    """Data comes back as what it was, tuples as tuples."""
    codec = LineCodec()
    text = json.dumps(codec.to_json(value))
    assert codec.from_json(json.loads(text)) == value


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=4), st.lists(JSON, max_size=4))
def test_a_list_is_written_as_what_is_new_in_it(shared: list[Any], before: list[Any], after: list[Any]) -> None:
    """Whatever was before it, it comes back whole."""
    codec, old, new = LineCodec(), [*shared, *before], [*shared, *after]
    form = json.loads(json.dumps(codec._grown(new, old)))
    assert repr(codec.read_values({"it": form}, {"it": old})) == repr({"it": new})


def test_a_file_can_be_read_and_grows_with_what_is_new(tmp_path: Path) -> None:
    """A line holds the new messages in plain words; it is no longer after many than after few."""
    saver = InMemorySaver()
    history = ThreadChatMessageHistory(saver, "t")
    for number in range(60):
        history.add_messages([HumanMessage(f"über {number:03}")])
    transfer.export_thread(saver, "t", tmp_path / "t.jsonl")
    lines = (tmp_path / "t.jsonl").read_text("utf-8").splitlines()
    assert all(text.count("über") == 1 and f"über {number:03}" in text for number, text in enumerate(lines[1:]))
    assert len(lines[-1]) - len(lines[10]) < 20


async def test_classes_that_a_checkpointer_was_given_are_exported_with_it(call: Call, tmp_path: Path) -> None:
    """And imported: they need not be said again, and one that it was not given is still refused."""
    place, file, made = config_of(), tmp_path / "t.jsonl", made_checkpoint({"it": [Cart(["apple"])]})
    with (
        SQLSaver.from_url("sqlite://", allowed_types=[Cart]) as source,
        SQLSaver.from_url("sqlite://", allowed_types=[Cart]) as target,
        SQLSaver.from_url("sqlite://") as other,
    ):
        await call(source, "put", place, made, {}, {"it": "1"})
        await call(transfer, "export_thread", source, "t", file)
        await call(transfer, "import_thread", target, file)
        found = await call(target, "get_tuple", place)
        assert found.checkpoint["channel_values"] == {"it": [Cart(["apple"])]}
        with pytest.raises(ConfigurationError, match=r"Cart.*allowed_types"):
            await call(transfer, "import_thread", other, file)


async def test_a_class_is_exported_and_imported_only_where_it_is_allowed(call: Call, tmp_path: Path) -> None:
    """The error names it and the remedy, and neither a file nor a thread is left."""
    source, target, file = InMemorySaver(), InMemorySaver(), tmp_path / "t.jsonl"
    put(source, [Cart(["apple"])])
    with pytest.raises(ConfigurationError, match=r"Cart.*allowed_types"):
        await call(transfer, "export_thread", source, "t", file)
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240  (a test)
    await call(transfer, "export_thread", source, "t", file, allowed_types=[Cart])
    with pytest.raises(ConfigurationError, match=r"Cart.*allowed_types"):
        await call(transfer, "import_thread", target, file)
    assert value_of(target) is None
    await call(transfer, "import_thread", target, file, allowed_types=[Cart])
    assert value_of(target) == [Cart(["apple"])]


@pytest.mark.parametrize(
    ("number", "bodies"),
    [
        (1, [{"hello": "world"}]),
        (2, [header(), {"hello": "world"}]),
        (2, [header(), line(values={"it": {"agentmem:type": ["parent", None]}})]),
        (2, [header(), line(values={"it": {"agentmem:type": ["typed", ["pickle", "gASVAA=="]]}})]),
        (2, [header(), line(values={"it": {"agentmem:type": ["typed", ["msgpack", "!"]]}})]),
        (2, [header(), line(values={"it": {"agentmem:type": ["os.system", "true"]}})]),
        (2, [header(), line(writes=[["task"]])]),
        (3, [header(checkpoints=2), line(), line()]),
        (3, [header(checkpoints=2), line()]),
    ],
)
async def test_a_forged_file_is_refused_by_its_line(
    number: int, bodies: list[dict[str, Any]], call: Call, tmp_path: Path
) -> None:
    """Whoever computes the digests still constructs nothing, and leaves nothing half imported."""
    file, target = tmp_path / "t.jsonl", InMemorySaver()
    file.write_bytes(sealed(*bodies))
    with pytest.raises(IntegrityError, match=rf"line {number} of"):
        await call(transfer, "import_thread", target, file)
    assert not target.storage["t"]


@pytest.mark.parametrize(
    "changes", [{"id": 5}, {"id": None}, {"ns": 5}, {"parent": ["0"]}, {"metadata": 5}, {"head": 1}], ids=str
)
async def test_a_forged_line_is_damage_and_not_another_error(
    changes: dict[str, Any], call: Call, tmp_path: Path
) -> None:
    """Ids that are no text, metadata that is no object: no saver is given them."""
    (tmp_path / "t.jsonl").write_bytes(sealed(header(), line(**changes)))
    target = InMemorySaver()
    with pytest.raises(IntegrityError, match="line 2 of"):
        await call(transfer, "import_thread", target, tmp_path / "t.jsonl")
    assert not target.storage["t"]


async def test_a_header_nested_beyond_reading_is_damage(call: Call, tmp_path: Path) -> None:
    """Whoever wrote the file, the error is one of ours."""
    plain = b'{"format":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    digest = sha256(plain).hexdigest().encode()
    (tmp_path / "t.jsonl").write_bytes(plain[:-1] + b',"digest":"' + digest + b'"}\n')
    with pytest.raises(IntegrityError, match="line 1 of"):
        await call(transfer, "import_thread", InMemorySaver(), tmp_path / "t.jsonl")


@pytest.mark.parametrize("is_dry", [True, False])
async def test_nothing_is_put_before_the_last_value_is_read(is_dry: bool, call: Call, tmp_path: Path) -> None:  # noqa: FBT001
    """Also into a thread that has a part of the file already, and in a dry run."""
    whole, later = line(), line(id="2", parent="1")
    bad = line(id="3", parent="2", values={"it": {"agentmem:type": ["typed", ["pickle", "gA=="]]}})
    target = InMemorySaver()
    (tmp_path / "t.jsonl").write_bytes(sealed(header(), whole))
    await call(transfer, "import_thread", target, tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl").write_bytes(sealed(header(checkpoints=3), whole, later, bad))
    with pytest.raises(IntegrityError, match="line 4 of"):
        await call(transfer, "import_thread", target, tmp_path / "t.jsonl", dry_run=is_dry)
    assert list(target.storage["t"][""]) == ["1"]


async def test_a_file_of_a_later_release_is_refused(call: Call, tmp_path: Path) -> None:
    """It is not damaged: the remedy is an upgrade."""
    (tmp_path / "t.jsonl").write_bytes(sealed(header(version=2), line()))
    with pytest.raises(ConfigurationError, match="upgrade"):
        await call(transfer, "import_thread", InMemorySaver(), tmp_path / "t.jsonl")


async def test_a_file_that_cannot_be_opened_is_named(call: Call, tmp_path: Path) -> None:
    """To read, and to write."""
    source = InMemorySaver()
    put(source, 1)
    with pytest.raises(StorageError, match="nowhere"):
        await call(transfer, "import_thread", source, tmp_path / "nowhere")
    with pytest.raises(StorageError, match="nowhere"):
        await call(transfer, "export_thread", source, "t", tmp_path / "nowhere" / "t.jsonl")
    for name in ("", "/", "a\0b"):
        with pytest.raises(StorageError, match="check the path"):
            await call(transfer, "export_thread", source, "t", name)
        with pytest.raises(StorageError, match="check the path"):
            await call(transfer, "import_thread", source, name)
    for function in ("export_thread", "import_thread"):
        with pytest.raises(ConfigurationError, match="file"):
            await call(transfer, function, source, *(["t"] if function == "export_thread" else []), None)


async def test_any_name_that_a_file_can_have_is_written(call: Call, tmp_path: Path) -> None:
    """The longest too, although it is written under another name first."""
    source = InMemorySaver()
    put(source, 1)
    file = tmp_path / ("x" * 255)
    await call(transfer, "export_thread", source, "t", file)
    assert list(tmp_path.iterdir()) == [file]  # noqa: ASYNC240  (a test)


class Picky(InMemorySaver):
    """A checkpointer that takes no second checkpoint."""

    def put(self, config: RunnableConfig, *others: Any) -> RunnableConfig:
        if self.storage["t"]:
            msg = "a value holds shop.Cart"
            raise ConfigurationError(msg)
        return super().put(config, *others)

    async def aput(self, config: RunnableConfig, *others: Any) -> RunnableConfig:
        return self.put(config, *others)


async def test_a_thread_that_the_target_refuses_is_taken_away_again(call: Call, tmp_path: Path) -> None:
    """A copy counts it, an import raises; of neither there is half a thread."""
    source, target = InMemorySaver(), Picky()
    ThreadChatMessageHistory(source, "t").add_user_message("one")
    ThreadChatMessageHistory(source, "t").add_user_message("two")
    done = await call(transfer, "copy_checkpoints", source, target)
    assert (done.threads, done.added, done.found, done.refused[0].checkpoints) == (0, 0, 2, 2)
    assert "Cart" in done.refused[0].reason
    await call(transfer, "export_thread", source, "t", tmp_path / "t.jsonl")
    with pytest.raises(ConfigurationError, match="Cart"):
        await call(transfer, "import_thread", target, tmp_path / "t.jsonl")
    assert not target.storage["t"]


@given(st.lists(st.tuples(st.sampled_from(["", "a:1"]), st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=20))
def test_parents_come_before_their_children(rows: list[tuple[str, int, int | None]]) -> None:
    """Whatever the ids say, and every checkpoint comes once; circles are no reason to hang."""
    found = {(ns, str(id)): Glance(None if up is None else str(up), {}, 0) for ns, id, up in rows}
    order = in_order(found)
    assert sorted(order) == sorted(found)
    acyclic = [key for key in found if int(found[key].parent_id or -1) < int(key[1])]
    if len(acyclic) == len(found):
        place = {key: number for number, key in enumerate(order)}
        assert all(place.get((ns, found[ns, id].parent_id or ""), -1) < place[ns, id] for ns, id in found)


async def test_a_file_without_paths_and_heads_is_imported(call: Call, tmp_path: Path) -> None:
    """Earlier releases wrote none: what stands in the file keeps its order, and what was put last is the head."""
    with SQLSaver.from_url("sqlite://") as source, SQLSaver.from_url("sqlite://") as target:
        graph = await rich_thread(source, call)
        await call(transfer, "export_thread", source, "t", tmp_path / "t.jsonl")
        first, *lines = map(said_in, (tmp_path / "t.jsonl").read_bytes().splitlines())
        for name in ("paths", "head"):
            popped = [line.pop(name, None) for line in lines]
            assert any(popped)
        (tmp_path / "t.jsonl").write_bytes(sealed(first, *lines))
        await call(transfer, "import_thread", target, tmp_path / "t.jsonl")
        assert (await call(rich_graph(target), "get_state", CONFIG)).values == (
            await call(graph, "get_state", CONFIG)
        ).values
