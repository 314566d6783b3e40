"""What our chat histories promise beside the public suite, on every database and in both colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError, StorageError
from langchain_agentmem.sessions.base import MAX_NUMBER, Sessions
from langchain_agentmem.sessions.stored import content_of
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing import StillClock
from langchain_agentmem.testing.history import texts
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.contracts.history_backends import ALICE, Backend, ReversingVault, SQLBackend
from tests.contracts.message_strategies import message as every_message

CHANGES = {
    "another digit": lambda it: it.replace(b"Paid", b"Said"),
    "cut short": lambda it: it[:-9],
    "cut": lambda it: it[:12],
    "of another class": lambda it: it.replace(b"ai\n", b"human\n"),
}
EXAMPLES = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _flipped(whole: bytes, bit: int, _: bytes) -> bytes:
    return (int.from_bytes(whole, "little") ^ 1 << bit).to_bytes(len(whole), "little")


class OnSQL:
    """The database of `sql_url` as backend."""

    @pytest.fixture
    def backend(self, sql_url: str) -> Iterator[Backend]:
        database = Database(sql_url)
        yield SQLBackend(database)
        database.close()


class OfBackend:
    """The port on the backend, for the public suite."""

    @pytest.fixture
    def sessions(self, backend: Backend, clock: StillClock) -> Sessions:
        return backend.sessions(clock=clock)


class HistoryContract:
    """Laws of our histories beside the public ones; a fixture `backend` says where."""

    # ------------------------------------------------------------------------------------------------ reading, adding
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

    # ----------------------------------------------------------------------------------------------------- bad input
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

    @pytest.mark.parametrize("bad", ["", "x" * 10_000, "a\x00b", "\ud800", None, 7], ids=lambda bad: repr(bad)[:12])
    async def test_a_malformed_session_is_refused_before_anything_is_asked(self, backend: Backend, bad: str) -> None:
        """An empty id, ten kilobytes, NUL, a lone surrogate and what is no text name no session."""
        for scope in (ALICE, None):
            with pytest.raises(ScopeError):
                backend.history(bad, scope)

    def test_two_names_of_one_session_must_agree(self, backend: Backend) -> None:
        """A scope about another session is refused; a malformed id too."""
        assert backend.history("s", Scope("alice", session_id="s")).scope.session_id == "s"
        for session, scope in (("s", Scope("alice", session_id="t")), ("s", Scope.anonymous("t")), ("", None)):
            with pytest.raises(ScopeError):
                backend.history(session, scope)

    @pytest.mark.parametrize("number", [2**31, MAX_NUMBER])
    async def test_a_number_however_large_asks_for_all(self, backend: Backend, call: Call, number: int) -> None:
        """Up to what is refused everywhere: no database has a limit of its own."""
        history = backend.history(max_messages=number)
        await call(history, "add_messages", [HumanMessage("hello", id="1")])
        assert texts(await call(history, "last", number)) == ["hello"]
        assert texts((await call(history, "page", limit=number)).messages) == ["hello"]
        assert (await call(history, "page", after=number, limit=number)).messages == ()
        assert texts(await call(history, "search", "hello", limit=number)) == ["hello"]

    async def test_a_number_that_is_too_large_is_refused(self, backend: Backend, call: Call) -> None:
        """Alike on every database, before anything is asked."""
        for name in ("limit", "after"):
            with pytest.raises(ConfigurationError, match=name):
                await call(backend.history(), "page", **{name: MAX_NUMBER + 1})
        with pytest.raises(ConfigurationError, match="limit must be an int from 1 to 1000"):
            await call(backend.history_class, "conversations", ALICE, **backend.place, limit=1_001)
        with pytest.raises(ConfigurationError, match="max_messages"):
            backend.history(max_messages=MAX_NUMBER + 1)

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

    @pytest.mark.usefixtures("unmarked")
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

    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    async def test_a_message_in_the_clear_that_was_changed_is_named(
        self, backend: Backend, call: Call, change: Callable[[bytes], bytes]
    ) -> None:
        """No changed message is read as whole: the error names it and its session, and no other session is affected."""
        history, other = backend.history(), backend.history("t")
        added = [HumanMessage("Pay 10 to Ann", id="m1"), AIMessage("Paid", id="m2")]
        await call(history, "add_messages", added)
        await call(other, "add_messages", [HumanMessage("hello", id="n1")])
        backend.alter("m2", change)
        for name, *arguments in (("get_messages",), ("last", 1), ("page",), ("search", "needle")):
            with pytest.raises(IntegrityError, match=r"^message 'm2' of session 's' is damaged; restore"):
                await call(history, name, *arguments)
        assert texts(await call(other, "get_messages")) == ["hello"]
        assert await call(history, "count") == 2

    async def test_a_flipped_bit_of_a_message_in_the_clear_is_found(self, backend: Backend) -> None:
        """One flipped bit is found, wherever it is in what is stored of a message."""
        history = backend.history()
        history.add_messages([HumanMessage("Pay 10 to Ann", id="m1")])
        whole = backend.alter("m1", lambda it: it)
        for bit in range(0, 8 * len(whole), 5):
            backend.alter("m1", partial(_flipped, whole, bit))
            with pytest.raises(IntegrityError):
                history.get_messages()
        backend.alter("m1", lambda _: whole)
        assert texts(history.messages) == ["Pay 10 to Ann"]

    async def test_a_message_in_the_clear_is_bound_to_its_place(self, backend: Backend, call: Call) -> None:
        """What is stored of a message is damage in the place of another, and of another session."""
        history = backend.history()
        await call(history, "add_messages", [HumanMessage("1", id="m1"), HumanMessage("2", id="m2")])
        await call(backend.history("t"), "add_messages", [HumanMessage("another", id="m1")])
        of_t = backend.alter("m1", lambda it: it, "t")
        whole = backend.alter("m1", lambda _: of_t)
        with pytest.raises(IntegrityError, match="message 'm1' of session 's' is damaged"):
            await call(history, "get_messages")
        backend.alter("m1", lambda _: whole)
        assert texts(await call(history, "get_messages")) == ["1", "2"]
        backend.displace()
        for name in ("get_messages", "page"):
            with pytest.raises(IntegrityError, match="of session 's' is damaged"):
                await call(history, name)

    async def test_a_message_of_an_earlier_release_is_read(self, backend: Backend, call: Call) -> None:
        """It has no checksum: it is read as it is, redacted, and has one from then on."""
        history = backend.history()
        await call(history, "add_messages", [HumanMessage("Pay 10 to Ann", id="m1"), AIMessage("Paid", id="m2")])
        for id in ("m1", "m2"):
            backend.alter(id, content_of)
        assert "human\\n{" in backend.stored()
        assert "\\x01human\\n{" not in backend.stored()
        assert texts(await call(history, "get_messages")) == ["Pay 10 to Ann", "Paid"]
        assert texts(await call(history, "search", "ann")) == ["Pay 10 to Ann"]
        run(backend.sessions().rewrite(replace(ALICE, session_id="s"), [HumanMessage("Pay", id="m1")]))
        assert "\\x01human\\n{" in backend.stored()
        assert texts(await call(history, "get_messages")) == ["Pay", "Paid"]

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
