"""What a stored chat history promises, on every database and in both colours."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from sqlalchemy import Connection, Table, select

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.chat_history import SQLChatMessageHistory
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError, StorageError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MESSAGES, SESSIONS
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher
from tests.conftest import Call

ALICE, BOB = Scope("alice"), Scope("bob")
START = datetime(2026, 1, 1, tzinfo=UTC)
LOOK_ALIKES = ("a", "a ", "A", "a/b", "a/", "ab", "a:b", "a%", "a_", "*", "а", "a\u200b", "default", "ａ", "'a'", "a\n")
Open = Callable[..., SQLChatMessageHistory]


class Reversing:
    """A cipher that one can see working: bytes backwards, behind the row they belong to."""

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        return identity.encode() + b"\n" + plaintext[::-1]

    def open(self, sealed: bytes, identity: str) -> bytes:
        name, _, reversed_ = sealed.partition(b"\n")
        if name != identity.encode():
            msg = "moved from another row"
            raise IntegrityError(msg)
        return reversed_[::-1]


class ReversingVault:
    def cipher(self, scope: Scope) -> Flow[Cipher]:
        yield from ()
        return Reversing()


def texts(messages: list[BaseMessage]) -> list[object]:
    return [message.content for message in messages]


def every_row(connection: Connection, table: Table) -> Sequence[object]:
    return connection.execute(select(table)).all()


class HistoryContract:
    """Laws of `SQLChatMessageHistory`."""

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    def history(self, database: Database) -> Open:
        """Open a history: of alice's session `s` unless told otherwise; the clock ticks once a second."""
        ticks = count()

        def clock() -> datetime:
            return START + timedelta(seconds=next(ticks))

        def open_history(session_id: str = "s", scope: Scope | None = ALICE) -> SQLChatMessageHistory:
            return SQLChatMessageHistory(session_id, scope=scope, database=database, clock=clock)

        return open_history

    # ------------------------------------------------------------------------------------------------ reading, adding
    async def test_messages_come_back_whole_and_in_order(self, history: Open, call: Call) -> None:
        """What is added is read back equal, oldest first, also through another object."""
        calls = [{"name": "f", "args": {"x": [1, None]}, "id": "c1"}]
        added = [
            HumanMessage([{"type": "text", "text": "hi"}, {"type": "image", "url": "u"}], name="al"),
            AIMessage("", tool_calls=calls, usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
            ToolMessage("no", tool_call_id="c1", artifact={"at": START, "ids": {1, 2}}, status="error"),
        ]
        await call(history(), "add_messages", added)
        assert await call(history(), "get_messages") == added == history().messages

    async def test_an_unknown_session_is_empty(self, history: Open, call: Call) -> None:
        """Reading what was never written is no error."""
        assert await call(history(), "get_messages") == await call(history(), "last", 3) == []
        assert await call(history(), "count") == 0
        assert (await call(history(), "page")).messages == ()
        await call(history(), "clear")

    async def test_adding_nothing_begins_no_session(self, history: Open, call: Call, database: Database) -> None:
        """A session begins with its first message."""
        await call(history(), "add_messages", [])
        assert await call(SQLChatMessageHistory, "conversations", ALICE, database=database) == []

    async def test_the_last_messages_come_oldest_first(self, history: Open, call: Call) -> None:
        """The tail is in the order of the conversation, and no longer than it."""
        await call(history(), "add_messages", [HumanMessage(str(i)) for i in range(10)])
        assert texts(await call(history(), "last", 3)) == ["7", "8", "9"]
        assert len(await call(history(), "last", 99)) == await call(history(), "count") == 10

    async def test_pages_hold_every_message_once(self, history: Open, call: Call) -> None:
        """Following `next_after` reads the whole session, although it grows and holds ids that came twice."""
        added = [HumanMessage(str(i)) for i in range(7)]
        await call(history(), "add_messages", [*added[:3], added[0], *added[3:]])
        found: list[BaseMessage] = []
        after: int | None = 0
        while after is not None:
            page = await call(history(), "page", after=after, limit=2)
            found, after = [*found, *page.messages], page.next_after
            if len(found) == 2:
                await call(history(), "add_messages", [HumanMessage("late")])
        assert texts(found) == [*map(str, range(7)), "late"]

    @pytest.mark.parametrize("bad", [0, -1, True, "3", None, 1.0])
    async def test_a_number_that_is_none_is_refused(self, history: Open, call: Call, bad: object) -> None:
        """How many must be an int of at least one."""
        with pytest.raises(ConfigurationError, match="at least 1"):
            await call(history(), "page", limit=bad)
        if bad is not None:
            with pytest.raises(ConfigurationError, match="at least 1"):
                await call(history(), "last", bad)

    # ------------------------------------------------------------------------------------------------------------ ids
    async def test_a_message_without_an_id_is_given_one(self, history: Open, call: Call) -> None:
        """The id is on the object too, so that the same call can be repeated."""
        message, chunk = HumanMessage("hi"), AIMessageChunk(content="there")
        await call(history(), "add_messages", [message, chunk])
        assert [it.id for it in await call(history(), "get_messages")] == [message.id, chunk.id]
        assert None not in {message.id, chunk.id}
        assert message.id != chunk.id

    async def test_adding_again_doubles_nothing(self, history: Open, call: Call) -> None:
        """An id the session holds is ignored, alone, in a batch, or twice in one batch; what is new is kept."""
        old, new = HumanMessage("old"), HumanMessage("new")
        await call(history(), "add_messages", [old, old])
        await call(history(), "add_messages", [old])
        await call(history(), "add_messages", [old, new, HumanMessage("other words", id=old.id)])
        assert texts(await call(history(), "get_messages")) == ["old", "new"]

    async def test_an_id_belongs_to_its_session(self, history: Open, call: Call) -> None:
        """The same id in another session, or of another user, is another message."""
        message = HumanMessage("hi", id="1")
        for open_history in (history("s"), history("t"), history("s", BOB)):
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
        self, history: Open, call: Call, bad: BaseMessage
    ) -> None:
        """One bad message refuses the whole call."""
        with pytest.raises(ConfigurationError):
            await call(history(), "add_messages", [HumanMessage("good"), bad])
        assert await call(history(), "count") == 0

    async def test_any_text_survives(self, history: Open, call: Call, database: Database) -> None:
        """NUL, lone surrogates and a megabyte are text like any other, in the title too."""
        said = ["\x00\ud83d \udc00 \ud83d\ude00 \u2028 'x\"", "é" * 500_000]
        await call(history(), "add_messages", [HumanMessage(text) for text in said])
        assert texts(await call(history(), "get_messages")) == said
        found = await call(SQLChatMessageHistory, "conversations", ALICE, database=database)
        assert [it.title for it in found] == [said[0]]

    def test_constructing_opens_nothing(self) -> None:
        """A history of a database that nobody can reach can be made, but not used."""
        history = SQLChatMessageHistory("s", url="sqlite:////no/such/folder/x.db")
        with pytest.raises(ConfigurationError, match="folder"):
            history.add_user_message("hi")

    # ------------------------------------------------------------------------------------------------------ isolation
    async def test_look_alike_sessions_and_users_never_mix(self, history: Open, call: Call, database: Database) -> None:
        """Prefixes, cases, separators, wildcards and look-alike letters are other sessions and other users."""
        scopes = [Scope(user, tenant_id=tenant) for user in LOOK_ALIKES for tenant in ("default", "a")]
        pairs = [(session, scope) for scope in scopes for session in LOOK_ALIKES[:6]]
        for session, scope in pairs:
            await call(history(session, scope), "add_messages", [HumanMessage(repr((session, scope)), id="1")])
        for session, scope in pairs:
            assert texts(await call(history(session, scope), "get_messages")) == [repr((session, scope))]
        for scope in scopes:
            found = await call(SQLChatMessageHistory, "conversations", scope, database=database)
            assert {it.session_id for it in found} == set(LOOK_ALIKES[:6])

    async def test_a_session_without_a_user_is_its_own(self, history: Open, call: Call, database: Database) -> None:
        """A visitor sees one session: not a user's of the same name, and no other visitor's."""
        for session, scope in (("s", None), ("t", None), ("s", ALICE)):
            await call(history(session, scope), "add_messages", [HumanMessage(f"{session} of {scope}")])
        assert texts(await call(history("s", Scope.anonymous("s")), "get_messages")) == ["s of None"]
        found = await call(SQLChatMessageHistory, "conversations", Scope.anonymous("s"), database=database)
        assert [(it.session_id, it.title) for it in found] == [("s", "s of None")]

    async def test_clearing_removes_that_session_only(self, history: Open, call: Call, database: Database) -> None:
        """Its messages, its title and its ids are gone; every other session is as it was."""
        everyone = [history("s"), history("t"), history("s", BOB), history("s", None)]
        for each in everyone:
            await call(each, "add_messages", [HumanMessage("hi", id="1")])
        await call(everyone[0], "clear")
        assert [len(each.messages) for each in everyone] == [0, 1, 1, 1]
        found = await call(SQLChatMessageHistory, "conversations", ALICE, database=database)
        assert [it.session_id for it in found] == ["t"]
        await call(everyone[0], "add_messages", [HumanMessage("again", id="1")])
        assert texts(everyone[0].messages) == ["again"]

    def test_two_names_of_one_session_must_agree(self, history: Open) -> None:
        """A scope about another session is refused; a malformed id too."""
        assert history("s", Scope("alice", session_id="s")).scope.session_id == "s"
        for session, scope in (("s", Scope("alice", session_id="t")), ("s", Scope.anonymous("t")), ("", None)):
            with pytest.raises(ScopeError):
                history(session, scope)

    # -------------------------------------------------------------------------------------------------------- listing
    async def test_conversations_are_listed_by_last_use(self, history: Open, call: Call, database: Database) -> None:
        """Last used first, with title, times and number of messages, page by page."""
        for session in ("s1", "s2", "s3", "s1"):
            await call(history(session), "add_messages", [HumanMessage(f"of {session}"), AIMessage("ok")])
        first = await call(SQLChatMessageHistory, "conversations", ALICE, database=database, limit=2)
        rest = await call(SQLChatMessageHistory, "conversations", ALICE, database=database, before=first[-1])
        listed = [(it.session_id, it.title, it.message_count) for it in [*first, *rest]]
        assert listed == [("s1", "of s1", 4), ("s3", "of s3", 2), ("s2", "of s2", 2)]
        assert (first[0].created_at, first[0].last_used_at) == (START, START + timedelta(seconds=3))

    async def test_the_title_is_the_beginning_of_what_the_user_said_first(
        self, history: Open, call: Call, database: Database
    ) -> None:
        """Eighty characters of the first human message with text; neither the model's nor an injected one."""
        injected = HumanMessage("recalled", additional_kwargs={"lc_source": "agentmem"})
        await call(
            history(), "add_messages", [AIMessage("welcome"), injected, HumanMessage([{"type": "image", "url": "u"}])]
        )
        await call(history(), "add_messages", [HumanMessage([{"type": "text", "text": "x" * 100}])])
        await call(history(), "add_messages", [HumanMessage("later")])
        found = await call(SQLChatMessageHistory, "conversations", ALICE, database=database)
        assert [it.title for it in found] == ["x" * 80]

    # ---------------------------------------------------------------------------------------------------------- vault
    async def test_messages_and_titles_pass_through_the_vault(self, call: Call, database: Database) -> None:
        """Nothing that was said stands in a table as it was said, and it all comes back."""
        history = SQLChatMessageHistory("s", scope=ALICE, database=database, vault=ReversingVault())
        await call(history, "add_messages", [HumanMessage("secret"), AIMessage("secret too")])
        stored = [run(database.read(partial(every_row, table=table))) for table in (SESSIONS, MESSAGES)]
        assert [len(rows) for rows in stored] == [1, 2]
        assert "secret" not in repr(stored)
        assert texts(await call(history, "get_messages")) == ["secret", "secret too"]
        found = await call(SQLChatMessageHistory, "conversations", ALICE, database=database, vault=ReversingVault())
        assert [it.title for it in found] == ["secret"]

    async def test_a_message_that_was_moved_or_damaged_is_an_error(self, call: Call, database: Database) -> None:
        """A sealed message belongs to its place, and what cannot be read is never skipped."""
        history = SQLChatMessageHistory("s", scope=ALICE, database=database, vault=ReversingVault())
        await call(history, "add_messages", [HumanMessage("1"), HumanMessage("2")])
        run(database.write(lambda c: c.exec_driver_sql("UPDATE agentmem_messages SET seq = seq + 10")))
        with pytest.raises(IntegrityError):
            await call(history, "get_messages")
        with pytest.raises(IntegrityError):
            await call(SQLChatMessageHistory("s", scope=ALICE, database=database), "last", 1)

    # -------------------------------------------------------------------------------------------------------- failure
    async def test_a_database_that_fails_is_a_storage_error(
        self, history: Open, call: Call, database: Database
    ) -> None:
        """Whatever the driver raises is ours when it arrives, and nothing is half written."""
        await call(history(), "add_messages", [HumanMessage("kept")])
        run(database.write(lambda c: c.exec_driver_sql("ALTER TABLE agentmem_messages RENAME TO hidden")))
        for name, arguments in (("add_messages", ([HumanMessage("lost")],)), ("get_messages", ()), ("last", (1,))):
            with pytest.raises(StorageError):
                await call(history(), name, *arguments)
        run(database.write(lambda c: c.exec_driver_sql("ALTER TABLE hidden RENAME TO agentmem_messages")))
        assert texts(history().messages) == ["kept"]

    # ---------------------------------------------------------------------------------------------------- concurrency
    def test_threads_of_one_session_lose_and_double_nothing(self, history: Open) -> None:
        """Eight writers of twenty-five messages: two hundred, each writer's in its order."""

        def write(writer: int) -> None:
            for number in range(25):
                history().add_messages([HumanMessage(f"{writer} {number}")])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        check_writers(history().messages, writers=8, each=25)


class SharedHistoryContract:
    """Laws of several processes; `shared_url` names an empty database that they can share."""

    def test_processes_of_one_session_lose_and_double_nothing(self, shared_url: str) -> None:
        """Four processes begin one session together, each adding pairs twice: every pair once and unbroken."""
        script = textwrap.dedent(f"""
            import sys
            from langchain_core.messages import AIMessage, HumanMessage
            from langchain_agentmem.chat_history import SQLChatMessageHistory
            for number in range(10):
                with SQLChatMessageHistory("s", url={shared_url!r}) as history:
                    one, two = (f"{{sys.argv[1]}} {{2 * number + part}}" for part in range(2))
                    pair = [HumanMessage(one), AIMessage(two)]
                    history.add_messages(pair)
                    history.add_messages(pair)
        """)
        writers = [subprocess.Popen([sys.executable, "-W", "error", "-c", script, str(writer)]) for writer in range(4)]
        assert [writer.wait(120) for writer in writers] == [0, 0, 0, 0]
        with SQLChatMessageHistory("s", url=shared_url) as history:
            found = history.messages
        check_writers(found, writers=4, each=20)
        pairs = zip(found[::2], found[1::2], strict=True)
        assert all(human.type == "human" and ai.type == "ai" for human, ai in pairs)

    async def test_histories_of_one_url_share_it_until_one_is_closed(self, shared_url: str, call: Call) -> None:
        """Each object sees what the others wrote, and one that is used after `close` opens the database again."""
        one, two = (SQLChatMessageHistory("s", url=shared_url) for _ in range(2))
        await call(one, "add_messages", [HumanMessage("1")])
        await call(one, "close")
        await call(two, "add_messages", [HumanMessage("2")])
        assert texts(await call(one, "get_messages")) == ["1", "2"]
        found = await call(SQLChatMessageHistory, "conversations", Scope.anonymous("s"), url=shared_url)
        assert [it.message_count for it in found] == [2]
        await call(two, "close")


def check_writers(found: list[BaseMessage], *, writers: int, each: int) -> None:
    """Each writer's messages are all there, once and in its order."""
    for writer in range(writers):
        mine = [str(it.content) for it in found if str(it.content).startswith(f"{writer} ")]
        assert mine == [f"{writer} {number}" for number in range(each)]
    assert len(found) == writers * each
