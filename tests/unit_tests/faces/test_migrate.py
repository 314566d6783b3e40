from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.load import dumpd
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
    convert_to_openai_messages,
    message_to_dict,
    messages_to_dict,
)
from langgraph.checkpoint.memory import InMemorySaver
from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import create_async_engine

from langchain_agentmem import migrate as moved
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.migrate import Migration
from langchain_agentmem.migrate.forms import UnreadableError, read_message
from langchain_agentmem.thread_history import ThreadChatMessageHistory
from tests.conftest import Call
from tests.contracts.migrate_contract import TALK, Fill, Migrate, MigrateContract, community, plain

EVERY: tuple[BaseMessage, ...] = (
    *TALK,
    ChatMessage(content="hi", role="bard", id="1"),
    FunctionMessage(content="1", name="f", id="2"),
    ToolMessage([{"type": "text", "text": "x"}], tool_call_id="c", artifact={"a": [1]}, status="error", id="3"),
    AIMessage("ok", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}, name="bot", id="4"),
)


class TestCommunitySQL(MigrateContract):
    """The contract over langchain-community's table in SQLite."""

    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        url = f"sqlite:///{tmp_path / 'theirs.db'}"
        community("SQLChatMessageHistory")("s", connection=url).engine.dispose()
        return url

    @pytest.fixture
    def fill(self, url: str) -> Fill:
        def fill(session_id: str, messages: Sequence[BaseMessage]) -> None:
            history = community("SQLChatMessageHistory")(session_id, connection=url)
            history.add_messages(messages)
            history.session_maker.remove()
            history.engine.dispose()

        return fill

    @pytest.fixture
    def migrate(self, url: str, call: Call) -> Migrate:
        async def migrate(into: Callable[[str], Any], **options: Any) -> Migration:
            done: Migration = await call(moved, "from_community_sql", url, into, **options)
            return done

        return migrate

    async def test_a_row_that_is_no_message_is_refused(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], Any], url: str
    ) -> None:
        """The others of its session are moved, and the reason quotes nothing."""
        fill("s", [HumanMessage("hi"), HumanMessage("ho")])
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE message_store SET message = 'my secret' WHERE id = 1")
        engine.dispose()
        done = await migrate(into)
        assert (done.found, done.added, [refusal.place for refusal in done.refused]) == (2, 1, [1])
        assert done.refused[0].reason == "it is no JSON"

    async def test_a_row_of_no_session_is_counted_and_refused(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], Any], url: str
    ) -> None:
        """Where all sessions are moved; where some are named, it is none of them."""
        fill("s", [HumanMessage("hi"), HumanMessage("ho"), HumanMessage("hu")])
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE message_store SET session_id = NULL WHERE id > 1")
        engine.dispose()
        named = await migrate(into, session_ids=["s"], dry_run=True)
        assert (named.found, named.added, named.refused) == (1, 1, ())
        done = await migrate(into)
        assert (done.sessions, done.found, done.added) == (1, 3, 1)
        assert [(it.session_id, it.place, it.reason) for it in done.refused] == [
            ("", place, "it names no session") for place in (1, 2)
        ]

    async def test_engines_work_like_urls(self, fill: Fill, url: str, into: Callable[[str], Any]) -> None:
        """A given engine is used and stays open; an awaitable one can only be awaited."""
        fill("s", [HumanMessage("hi")])
        engine, awaitable = create_engine(url), create_async_engine(url.replace("sqlite:", "sqlite+aiosqlite:"))
        assert moved.from_community_sql(engine, into).added == 1
        assert (await moved.afrom_community_sql(engine, into)).present == 1
        assert (await moved.afrom_community_sql(awaitable, into)).present == 1
        with pytest.raises(ConfigurationError, match="await"):
            moved.from_community_sql(awaitable, into)
        engine.dispose()
        await awaitable.dispose()

    async def test_a_database_that_is_not_theirs_is_named(self, call: Call, url: str, tmp_path: Path) -> None:
        """A file or a table that is not there is an error, and no file is made."""
        missing = tmp_path / "missing.db"
        places = (f"sqlite:///{missing}", "no url", "postgresql://host:port/name")
        for place, options in (*((it, {}) for it in places), (url, {"table": "other"})):
            with pytest.raises(ConfigurationError):
                await call(moved, "from_community_sql", place, lambda _: None, **options)
        assert not missing.exists()


def thread() -> ThreadChatMessageHistory:
    return ThreadChatMessageHistory(InMemorySaver(), "t")


FORMS: dict[str, Callable[[BaseMessage], Any]] = {
    "message_to_dict": message_to_dict,
    "dumpd": dumpd,
    "model_dump": lambda message: message.model_dump(mode="json"),
    "message": lambda message: message,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("message", EVERY, ids=lambda message: message.type)
def test_a_message_in_langchains_forms_is_read_whole(message: BaseMessage, form: Callable[[BaseMessage], Any]) -> None:
    """Whatever LangChain writes is read back as what it was."""
    assert read_message(form(message)) == message


@given(st.sampled_from(sorted(FORMS)), st.text(), st.dictionaries(st.text(), st.integers() | st.text()))
def test_reading_undoes_writing(form: str, text: str, extra: dict[str, Any]) -> None:
    """Any text, and anything in `additional_kwargs`, comes back."""
    for cls in (HumanMessage, AIMessage, SystemMessage):
        message = cls(text, additional_kwargs={"extra": extra}, id="1")
        assert read_message(FORMS[form](message)) == message


def test_openais_form_is_read() -> None:
    """Roles, tool calls and content parts; what LangChain has no field for is kept beside."""
    assert plain(map(read_message, convert_to_openai_messages(TALK))) == plain(TALK)
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    message = read_message({"role": "assistant", "content": None, "tool_calls": [call], "refusal": "no"})
    assert isinstance(message, AIMessage)
    assert (message.tool_calls[0]["args"], message.additional_kwargs) == ({"x": 1}, {"refusal": "no"})
    assert read_message({"role": "developer", "content": "be brief"}).type == "system"


def test_arguments_that_are_no_json_become_an_invalid_tool_call() -> None:
    """The message is not lost for it."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}
    message = read_message({"role": "assistant", "content": "", "tool_calls": [call]})
    assert isinstance(message, AIMessage)
    assert (message.tool_calls, message.invalid_tool_calls[0]["args"]) == ([], "{")


def test_a_chunk_becomes_a_message() -> None:
    """Streams were stored chunk by chunk."""
    chunk = AIMessageChunk(content="hi", id="1")
    for form in (message_to_dict(chunk), dumpd(chunk)):
        assert read_message(form) == AIMessage("hi", id="1")


@pytest.mark.parametrize(
    "form",
    [
        None,
        "text",
        [],
        {},
        {"content": "secret"},
        {"type": "human"},
        {"type": "wizard" * 20, "data": {"content": "secret"}},
        {"type": "chat", "data": {"content": "secret"}},
        {"type": "human", "data": {"content": {"secret": 1}}},
        {"type": 1, "data": {}},
        {"role": "wizard", "content": "secret"},
        {"role": "user", "content": 17},
        {"role": "assistant", "tool_calls": 5},
        {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"command": "secret"}},
        {"lc": 1, "type": "not_implemented", "id": ["x", "HumanMessage"]},
        dumpd(Document("secret")),
        message_to_dict(RemoveMessage(id="1")),
        {"type": "human", "data": {"content": "secret", "id": "x" * 1_000}},
    ],
)
def test_what_is_no_message_is_refused(form: object) -> None:
    """The reason says what is wrong and quotes nothing of it."""
    with pytest.raises(UnreadableError) as refused:
        read_message(form)
    assert str(refused.value)
    assert "secret" not in str(refused.value)


def test_no_class_is_constructed_by_its_name() -> None:
    """An object within a message stays what it is in JSON."""
    inner = dumpd(Document("x"))
    message = read_message({"type": "tool", "data": {"content": "", "tool_call_id": "c", "artifact": inner}})
    assert isinstance(message, ToolMessage)
    assert message.artifact == inner


FILES: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "list": json.dumps,
    "object": lambda forms: json.dumps({"messages": forms}),
    "lines": lambda forms: "\n".join(map(json.dumps, forms)) + "\n\n",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
async def test_a_file_is_read_as_a_list_or_line_by_line(
    text: Callable[[list[dict[str, Any]]], str], call: Call, tmp_path: Path
) -> None:
    """All three give the same messages; a second file of them adds nothing."""
    file, history = tmp_path / "talk.json", thread()
    file.write_text(text(messages_to_dict(TALK)))
    assert (await call(moved, "from_json", file, history)).added == len(TALK)
    assert (await call(moved, "from_json", messages_to_dict(TALK), history)).present == len(TALK)
    assert plain(history.messages) == plain(TALK)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_a_line_ends_where_the_file_says_and_nowhere_else(end: str, call: Call, tmp_path: Path) -> None:
    """Not at the separators of Unicode that JSON text may hold; a byte order mark before the first is no text."""
    said = ["one\u2028two", "three\u2029\x85", "four"]
    lines = [json.dumps({"role": "user", "content": text}, ensure_ascii=False) for text in said]
    (tmp_path / "talk.jsonl").write_bytes(("\ufeff" + end.join(lines) + end).encode())
    history = thread()
    assert (await call(moved, "from_json", tmp_path / "talk.jsonl", history)).refused == ()
    assert [message.content for message in history.messages] == said


async def test_a_broken_line_is_refused_alone(call: Call, tmp_path: Path) -> None:
    """A file that was cut off gives what is whole in it."""
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, messages_to_dict(TALK)))[:-20])
    done = await call(moved, "from_json", file, thread())
    assert (done.found, done.added, done.refused[0].place) == (6, 5, 6)


async def test_tool_results_without_a_call_are_counted(call: Call) -> None:
    """Sources that lose tool calls leave conversations that a provider may refuse."""
    done = await call(moved, "from_json", [TALK[5], TALK[4], TALK[5]], thread())
    assert done.unanswered == 1


async def test_the_oldest_messages_may_go_at_the_source(call: Call) -> None:
    """A message is known by its content, not by its place."""
    history = thread()
    await call(moved, "from_json", TALK, history)
    assert (await call(moved, "from_json", TALK[2:], history)).added == 0


@given(st.lists(st.sampled_from([*messages_to_dict(TALK), "junk", {"type": "human"}]), max_size=12))
def test_every_message_is_accounted_for(forms: list[Any]) -> None:
    """Found is the sum of added, present and refused, in the first run and in the second."""
    history = thread()
    for _ in range(2):
        done = moved.from_json(forms, history)
        assert done.found == len(forms) == done.added + done.present + len(done.refused)
    assert done.added == 0


@pytest.mark.parametrize("messages", [{"role": "user", "content": "hi"}, 5, None, b"[]"])
async def test_what_is_no_list_of_messages_is_refused(messages: Any, call: Call) -> None:  # noqa: ANN401
    """One message alone, for example."""
    with pytest.raises(ConfigurationError, match="messages must be"):
        await call(moved, "from_json", messages, thread())


async def test_a_file_that_cannot_be_read_is_named(call: Call, tmp_path: Path) -> None:
    """A missing file is an error, not an empty conversation."""
    with pytest.raises(StorageError, match="check the path"):
        await call(moved, "from_json", "a\0b", thread())
    with pytest.raises(StorageError, match="nowhere"):
        await call(moved, "from_json", tmp_path / "nowhere.json", thread())


async def test_a_session_is_moved_whole_or_not_at_all(call: Call) -> None:
    """An error of the target is the caller's, and a second run goes on."""

    class Full(ThreadChatMessageHistory):
        def add_messages(self, messages: Sequence[BaseMessage]) -> None:
            msg = "full"
            raise StorageError(msg)

        async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
            self.add_messages(messages)

    saver = InMemorySaver()
    with pytest.raises(StorageError):
        await call(moved, "from_json", TALK, Full(saver, "t"))
    done = await call(moved, "from_json", TALK, ThreadChatMessageHistory(saver, "t"))
    assert done.added == len(TALK)


async def test_another_message_with_a_used_id_is_moved_under_its_own(call: Call) -> None:
    """Two messages with one id are both moved, once however often it is done; the same message twice is one."""
    history = thread()
    talk = [{"role": "user", "content": text, "id": "1"} for text in ("first", "second", "first", "third", "second")]
    done = await call(moved, "from_json", talk, history)
    assert (done.found, done.added, done.present, done.refused) == (5, 3, 2, ())
    again = await call(moved, "from_json", talk, history)
    assert (again.found, again.added, again.present) == (5, 0, 5)
    assert [message.content for message in history.messages] == ["first", "second", "third"]
