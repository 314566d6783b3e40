"""What a stored chat history promises, on every database and in both colours."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, RemoveMessage, ToolMessage

from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError, StorageError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.contracts.history_backends import ALICE, BOB, START, Backend, ReversingVault, SQLBackend
from tests.contracts.message_strategies import message as every_message

LOOK_ALIKES = (
    *("a", "a ", "A", "a/b", "a/", "ab", "{a}", "a:b", "a%", "a_"),
    *("*", "а", "a\u200b", "default", "ａ", "'a'", "a\n"),
)
EXAMPLES = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts(messages: list[BaseMessage]) -> list[object]:
    return [message.content for message in messages]


class OnSQL:
    """The database of `sql_url` as backend."""

    @pytest.fixture
    def backend(self, sql_url: str) -> Iterator[Backend]:
        database = Database(sql_url)
        yield SQLBackend(database)
        database.close()


class HistoryContract:
    """Laws of every stored history; a fixture `backend` says where."""

    # ------------------------------------------------------------------------------------------------ reading, adding
    async def test_messages_come_back_whole_and_in_order(self, backend: Backend, call: Call) -> None:
        """What is added is read back equal, oldest first, also through another object."""
        calls = [{"name": "f", "args": {"x": [1, None]}, "id": "c1"}]
        added = [
            HumanMessage([{"type": "text", "text": "hi"}, {"type": "image", "url": "u"}], name="al"),
            AIMessage("", tool_calls=calls, usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
            ToolMessage("no", tool_call_id="c1", artifact={"at": START, "ids": {1, 2}}, status="error"),
        ]
        await call(backend.history(), "add_messages", added)
        assert await call(backend.history(), "get_messages") == added == backend.history().messages

    @EXAMPLES
    @given(st.lists(every_message, min_size=1, max_size=4))
    def test_messages_of_every_class_come_back_equal(self, backend: Backend, added: list[BaseMessage]) -> None:
        """Whatever class, content, metadata and artifacts: of the same class, equal, and in order."""
        history = backend.history()
        history.clear()
        for number, one in enumerate(added):
            one.id = str(number)
        history.add_messages(added)
        found = history.messages
        assert [type(one) for one in found] == [type(one) for one in added]
        assert found == added == history.last(9) == list(history.page().messages)

    async def test_an_unknown_session_is_empty(self, backend: Backend, call: Call) -> None:
        """Reading what was never written is no error."""
        assert await call(backend.history(), "get_messages") == await call(backend.history(), "last", 3) == []
        assert await call(backend.history(), "count") == 0
        assert (await call(backend.history(), "page")).messages == ()
        await call(backend.history(), "clear")

    async def test_adding_nothing_begins_no_session(self, backend: Backend, call: Call) -> None:
        """A session begins with its first message."""
        await call(backend.history(), "add_messages", [])
        assert await call(backend.history_class, "conversations", ALICE, **backend.place) == []

    async def test_the_last_messages_come_oldest_first(self, backend: Backend, call: Call) -> None:
        """The tail is in the order of the conversation, and no longer than it."""
        await call(backend.history(), "add_messages", [HumanMessage(str(i)) for i in range(10)])
        assert texts(await call(backend.history(), "last", 3)) == ["7", "8", "9"]
        assert len(await call(backend.history(), "last", 99)) == await call(backend.history(), "count") == 10

    async def test_pages_hold_every_message_once(self, backend: Backend, call: Call) -> None:
        """Following `next_after` reads the whole session, although it grows and holds ids that came twice."""
        added = [HumanMessage(str(i)) for i in range(7)]
        await call(backend.history(), "add_messages", [*added[:3], added[0], *added[3:]])
        found: list[BaseMessage] = []
        after: int | None = 0
        while after is not None:
            page = await call(backend.history(), "page", after=after, limit=2)
            found, after = [*found, *page.messages], page.next_after
            if len(found) == 2:
                await call(backend.history(), "add_messages", [HumanMessage("late")])
        assert texts(found) == [*map(str, range(7)), "late"]

    @pytest.mark.parametrize("bad", [0, -1, True, "3", None, 1.0])
    async def test_a_number_that_is_none_is_refused(self, backend: Backend, call: Call, bad: object) -> None:
        """How many must be an int of at least one."""
        with pytest.raises(ConfigurationError, match="at least 1"):
            await call(backend.history(), "page", limit=bad)
        if bad is not None:
            with pytest.raises(ConfigurationError, match="at least 1"):
                await call(backend.history(), "last", bad)

    # ------------------------------------------------------------------------------------------------------------ ids
    async def test_a_message_without_an_id_is_given_one(self, backend: Backend, call: Call) -> None:
        """The id is on the object too, so that the same call can be repeated."""
        message, chunk = HumanMessage("hi"), AIMessageChunk(content="there")
        await call(backend.history(), "add_messages", [message, chunk])
        assert [it.id for it in await call(backend.history(), "get_messages")] == [message.id, chunk.id]
        assert None not in {message.id, chunk.id}
        assert message.id != chunk.id

    async def test_adding_again_doubles_nothing(self, backend: Backend, call: Call) -> None:
        """An id the session holds is ignored, alone, in a batch, or twice in one batch; what is new is kept."""
        old, new = HumanMessage("old"), HumanMessage("new")
        await call(backend.history(), "add_messages", [old, old])
        await call(backend.history(), "add_messages", [old])
        await call(backend.history(), "add_messages", [old, new, HumanMessage("other words", id=old.id)])
        assert texts(await call(backend.history(), "get_messages")) == ["old", "new"]

    async def test_an_id_belongs_to_its_session(self, backend: Backend, call: Call) -> None:
        """The same id in another session, or of another user, is another message."""
        message = HumanMessage("hi", id="1")
        for open_history in (backend.history("s"), backend.history("t"), backend.history("s", BOB)):
            await call(open_history, "add_messages", [message])
            assert await call(open_history, "count") == 1

    # ----------------------------------------------------------------------------------------------------- bad input
    @pytest.mark.parametrize(
        "bad",
        [
            RemoveMessage(id="1"),
            "text",
            None,
            {"role": "user"},
            HumanMessage("x", id="\x00"),
            HumanMessage("x", id="\ud800"),
        ],
        ids=repr,
    )
    async def test_what_is_no_storable_message_is_refused_before_anything_is_written(
        self, backend: Backend, call: Call, bad: BaseMessage
    ) -> None:
        """One bad message refuses the whole call."""
        with pytest.raises(ConfigurationError):
            await call(backend.history(), "add_messages", [HumanMessage("good"), bad])
        assert await call(backend.history(), "count") == 0

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("id", 5),
            ("content", None),
            ("content", [7]),
            ("name", 3),
            ("additional_kwargs", "x"),
            ("tool_calls", [{"name": "f"}]),
            ("tool_calls", "f"),
            ("tool_calls", [7]),
            ("usage_metadata", {"input_tokens": "many"}),
            ("usage_metadata", {"input_tokens": 1}),
        ],
    )
    async def test_a_field_that_was_set_to_what_cannot_be_read_back_is_refused(
        self, backend: Backend, call: Call, name: str, value: object
    ) -> None:
        """Before anything is stored, whole or as a chunk: one message never makes its conversation unreadable."""
        for odd in (AIMessage("x"), AIMessageChunk(content="x")):
            setattr(odd, name, value)
            with pytest.raises(ConfigurationError):
                await call(backend.history(), "add_messages", [HumanMessage("good"), odd])
        tool = ToolMessage("x", tool_call_id="c", artifact={1})
        tool.status = "weird"  # type: ignore[assignment]  # that is the point
        with pytest.raises(ConfigurationError):
            await call(backend.history(), "add_messages", [tool])
        assert await call(backend.history(), "get_messages") == []

    async def test_any_text_survives(self, backend: Backend, call: Call) -> None:
        """NUL, lone surrogates and a megabyte are text like any other, in the title too."""
        said = ["\x00\ud83d \udc00 \ud83d\ude00 \u2028 'x\"", "é" * 500_000]
        await call(backend.history(), "add_messages", [HumanMessage(text) for text in said])
        assert texts(await call(backend.history(), "get_messages")) == said
        found = await call(backend.history_class, "conversations", ALICE, **backend.place)
        assert [it.title for it in found] == [said[0]]

    @pytest.mark.parametrize("bad", ["", "x" * 10_000, "a\x00b", "\ud800", None, 7], ids=lambda bad: repr(bad)[:12])
    async def test_a_malformed_session_is_refused_before_anything_is_asked(self, backend: Backend, bad: str) -> None:
        """An empty id, ten kilobytes, NUL, a lone surrogate and what is no text name no session."""
        for scope in (ALICE, None):
            with pytest.raises(ScopeError):
                backend.history(bad, scope)

    # ------------------------------------------------------------------------------------------------------ isolation
    async def test_look_alike_sessions_and_users_never_mix(self, backend: Backend, call: Call) -> None:
        """Prefixes, cases, separators, wildcards and look-alike letters are other sessions and other users."""
        scopes = [Scope(user, tenant_id=tenant) for user in LOOK_ALIKES for tenant in ("default", "a")]
        pairs = [(session, scope) for scope in scopes for session in LOOK_ALIKES[:6]]
        for session, scope in pairs:
            await call(backend.history(session, scope), "add_messages", [HumanMessage(repr((session, scope)), id="1")])
        for session, scope in pairs:
            assert texts(await call(backend.history(session, scope), "get_messages")) == [repr((session, scope))]
        for scope in scopes:
            found = await call(backend.history_class, "conversations", scope, **backend.place)
            assert {it.session_id for it in found} == set(LOOK_ALIKES[:6])

    async def test_a_session_without_a_user_is_its_own(self, backend: Backend, call: Call) -> None:
        """A visitor sees one session: not a user's of the same name, and no other visitor's."""
        for session, scope in (("s", None), ("t", None), ("s", ALICE)):
            await call(backend.history(session, scope), "add_messages", [HumanMessage(f"{session} of {scope}")])
        assert texts(await call(backend.history("s", Scope.anonymous("s")), "get_messages")) == ["s of None"]
        found = await call(backend.history_class, "conversations", Scope.anonymous("s"), **backend.place)
        assert [(it.session_id, it.title) for it in found] == [("s", "s of None")]

    async def test_clearing_removes_that_session_only(self, backend: Backend, call: Call) -> None:
        """Its messages, its title and its ids are gone; every other session is as it was."""
        everyone = [backend.history("s"), backend.history("t"), backend.history("s", BOB), backend.history("s", None)]
        for each in everyone:
            await call(each, "add_messages", [HumanMessage("hi", id="1")])
        await call(everyone[0], "clear")
        assert [len(each.messages) for each in everyone] == [0, 1, 1, 1]
        found = await call(backend.history_class, "conversations", ALICE, **backend.place)
        assert [it.session_id for it in found] == ["t"]
        await call(everyone[0], "add_messages", [HumanMessage("again", id="1")])
        assert texts(everyone[0].messages) == ["again"]

    def test_two_names_of_one_session_must_agree(self, backend: Backend) -> None:
        """A scope about another session is refused; a malformed id too."""
        assert backend.history("s", Scope("alice", session_id="s")).scope.session_id == "s"
        for session, scope in (("s", Scope("alice", session_id="t")), ("s", Scope.anonymous("t")), ("", None)):
            with pytest.raises(ScopeError):
                backend.history(session, scope)

    # -------------------------------------------------------------------------------------------------------- listing
    async def test_conversations_are_listed_by_last_use(self, backend: Backend, call: Call) -> None:
        """Last used first, with title, times and number of messages, page by page."""
        for session in ("s1", "s2", "s3", "s1"):
            await call(backend.history(session), "add_messages", [HumanMessage(f"of {session}"), AIMessage("ok")])
        first = await call(backend.history_class, "conversations", ALICE, **backend.place, limit=2)
        rest = await call(backend.history_class, "conversations", ALICE, **backend.place, before=first[-1])
        listed = [(it.session_id, it.title, it.message_count) for it in [*first, *rest]]
        assert listed == [("s1", "of s1", 4), ("s3", "of s3", 2), ("s2", "of s2", 2)]
        assert (first[0].created_at, first[0].last_used_at) == (START, START + timedelta(seconds=3))

    async def test_the_title_is_the_beginning_of_what_the_user_said_first(self, backend: Backend, call: Call) -> None:
        """Eighty characters of the first human message with text; neither the model's nor an injected one."""
        injected = HumanMessage("recalled", additional_kwargs={"lc_source": "agentmem"})
        picture = HumanMessage([{"type": "image", "url": "u"}])
        await call(backend.history(), "add_messages", [AIMessage("welcome"), injected, picture])
        await call(backend.history(), "add_messages", [HumanMessage([{"type": "text", "text": "x" * 100}])])
        await call(backend.history(), "add_messages", [HumanMessage("later")])
        found = await call(backend.history_class, "conversations", ALICE, **backend.place)
        assert [it.title for it in found] == ["x" * 80]

    # ---------------------------------------------------------------------------------------------------------- vault
    async def test_messages_and_titles_pass_through_the_vault(self, backend: Backend, call: Call) -> None:
        """Nothing that was said stands in the store as it was said, and it all comes back."""
        history = backend.history(vault=ReversingVault())
        await call(history, "add_messages", [HumanMessage("secret"), AIMessage("secret too")])
        assert "terces" in backend.stored()
        assert "secret" not in backend.stored()
        assert texts(await call(history, "get_messages")) == ["secret", "secret too"]
        found = await call(backend.history_class, "conversations", ALICE, **backend.place, vault=ReversingVault())
        assert [it.title for it in found] == ["secret"]

    async def test_a_message_that_was_moved_or_damaged_is_an_error(self, backend: Backend, call: Call) -> None:
        """A sealed message belongs to its place, and what cannot be read is never skipped."""
        history = backend.history(vault=ReversingVault())
        await call(history, "add_messages", [HumanMessage("1", id="m1"), HumanMessage("2", id="m2")])
        with pytest.raises(IntegrityError):
            await call(backend.history(), "last", 1)
        backend.displace()
        for name in ("get_messages", "page"):
            with pytest.raises(IntegrityError):
                await call(history, name)

    # -------------------------------------------------------------------------------------------------------- failure
    async def test_a_store_that_fails_is_a_storage_error(self, backend: Backend, call: Call) -> None:
        """Whatever the driver raises is ours when it arrives, and nothing is half written."""
        lost = HumanMessage("lost at first")
        await call(backend.history(), "add_messages", [HumanMessage("kept")])
        with backend.broken():
            for name, arguments in (("add_messages", ([lost],)), ("get_messages", ()), ("last", (1,))):
                with pytest.raises(StorageError):
                    await call(backend.history(), name, *arguments)
        assert texts(backend.history().messages) == ["kept"]
        await call(backend.history(), "add_messages", [lost])
        assert texts(backend.history().messages) == ["kept", "lost at first"]

    # ---------------------------------------------------------------------------------------------------- concurrency
    def test_threads_of_one_session_lose_and_double_nothing(self, backend: Backend) -> None:
        """Eight writers of twenty-five messages: two hundred, each writer's in its order."""

        def write(writer: int) -> None:
            for number in range(25):
                backend.history().add_messages([HumanMessage(f"{writer} {number}")])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        check_writers(backend.history().messages, writers=8, each=25)


def check_writers(found: list[BaseMessage], *, writers: int, each: int) -> None:
    """Each writer's messages are all there, once and in its order."""
    for writer in range(writers):
        mine = [str(it.content) for it in found if str(it.content).startswith(f"{writer} ")]
        assert mine == [f"{writer} {number}" for number in range(each)]
    assert len(found) == writers * each
