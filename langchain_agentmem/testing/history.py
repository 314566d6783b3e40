"""The history suite: what whatever stores conversations has to promise.

Subclass `HistorySuite` in a test module run by pytest, and give it a fixture `sessions` with an empty adapter of the
port `langchain_agentmem.sessions.base.Sessions`, whose clock is the fixture `clock` that the suite has:

```python
import pytest

from langchain_agentmem.testing import HistorySuite


class TestAcme(HistorySuite):
    @pytest.fixture
    def sessions(self, clock):
        return AcmeSessions("acme://…", clock=clock)
```

Every law is run through the blocking methods and through the awaited ones, as users call them: by a
`SessionChatMessageHistory` over the adapter, which is all a backend needs to be a LangChain history.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, RemoveMessage, ToolMessage

from langchain_agentmem.chat_history.stored import SessionChatMessageHistory, session_scope
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.testing.laws import Call, Laws, StillClock, drive, law
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed

ALICE: Final = Scope("alice")
BOB: Final = Scope("bob")
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
LOOK_ALIKES: Final = (
    *("a", "a ", "A", "a/b", "a/", "ab", "{a}", "a:b", "a%", "a_"),
    *("*", "\u0430", "a\u200b", "default", "\uff41", "'a'", "a\n"),
)
"""Names of users and sessions of which a careless backend takes one for another."""


def opened(sessions: Sessions, session_id: str = "s", scope: Scope | None = ALICE) -> SessionChatMessageHistory:
    """Return a history of one conversation."""
    return SessionChatMessageHistory(sessions, session_scope(session_id, scope))


def texts(messages: Sequence[BaseMessage]) -> list[object]:
    """Return what the messages say."""
    return [message.content for message in messages]


def check_writers(found: Sequence[BaseMessage], *, writers: int, each: int) -> None:
    """Fail unless each writer's messages are all there, once and in its order."""
    for writer in range(writers):
        mine = [str(it.content) for it in found if str(it.content).startswith(f"{writer} ")]
        assert mine == [f"{writer} {number}" for number in range(each)]
    assert len(found) == writers * each


class HistorySuite(Laws):
    """Laws of stored conversations; see the module's text for how to run them."""

    # ----------------------------------------------------------------------------------------------- reading and adding
    @law
    async def test_messages_come_back_whole_and_in_order(self, sessions: Sessions, call: Call) -> None:
        """What is added is read back equal, oldest first, also through another object."""
        calls = [{"name": "f", "args": {"x": [1, None]}, "id": "c1"}]
        added = [
            HumanMessage([{"type": "text", "text": "hi"}, {"type": "image", "url": "u"}], name="al"),
            AIMessage("", tool_calls=calls, usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
            ToolMessage("no", tool_call_id="c1", artifact={"at": START, "ids": {1, 2}}, status="error"),
        ]
        await call(opened(sessions), "add_messages", added)
        assert await call(opened(sessions), "get_messages") == added == opened(sessions).messages

    @law
    async def test_an_unknown_session_is_empty(self, sessions: Sessions, call: Call) -> None:
        """Reading what was never written is no error."""
        assert await call(opened(sessions), "get_messages") == await call(opened(sessions), "last", 3) == []
        assert await call(opened(sessions), "count") == 0
        assert (await call(opened(sessions), "page")).messages == ()
        await call(opened(sessions), "clear")

    @law
    async def test_adding_nothing_begins_no_session(self, sessions: Sessions, call: Call) -> None:
        """A session begins with its first message."""
        await call(opened(sessions), "add_messages", [])
        assert await drive(call, sessions.conversations(ALICE)) == []

    @law
    async def test_the_last_messages_come_oldest_first(self, sessions: Sessions, call: Call) -> None:
        """The tail is in the order of the conversation, and no longer than it."""
        await call(opened(sessions), "add_messages", [HumanMessage(str(i)) for i in range(10)])
        assert texts(await call(opened(sessions), "last", 3)) == ["7", "8", "9"]
        assert len(await call(opened(sessions), "last", 99)) == await call(opened(sessions), "count") == 10

    @law
    async def test_pages_hold_every_message_once(self, sessions: Sessions, call: Call) -> None:
        """Following `next_after` reads the whole session, although it grows and holds ids that came twice."""
        added = [HumanMessage(str(i)) for i in range(7)]
        await call(opened(sessions), "add_messages", [*added[:3], added[0], *added[3:]])
        found: list[BaseMessage] = []
        after: int | None = 0
        while after is not None:
            page = await call(opened(sessions), "page", after=after, limit=2)
            found, after = [*found, *page.messages], page.next_after
            if len(found) == 2:
                await call(opened(sessions), "add_messages", [HumanMessage("late")])
        assert texts(found) == [*map(str, range(7)), "late"]

    @pytest.mark.parametrize("bad", [0, -1, True, "3", None, 1.0])
    @law
    async def test_a_number_that_is_none_is_refused(self, sessions: Sessions, call: Call, bad: object) -> None:
        """How many must be an int of at least one."""
        with pytest.raises(ConfigurationError, match="must be an int"):
            await call(opened(sessions), "page", limit=bad)
        with pytest.raises(ConfigurationError, match="must be an int"):
            await call(opened(sessions), "last", bad)

    # -------------------------------------------------------------------------------------------------------------- ids
    @law
    async def test_a_message_without_an_id_is_given_one(self, sessions: Sessions, call: Call) -> None:
        """The id is on the object too, so that the same call can be repeated."""
        message, chunk = HumanMessage("hi"), AIMessageChunk(content="there")
        await call(opened(sessions), "add_messages", [message, chunk])
        assert [it.id for it in await call(opened(sessions), "get_messages")] == [message.id, chunk.id]
        assert None not in {message.id, chunk.id}
        assert message.id != chunk.id

    @law
    async def test_adding_again_doubles_nothing(self, sessions: Sessions, call: Call) -> None:
        """An id the session holds is ignored, alone, in a batch, or twice in one batch; what is new is kept."""
        old, new = HumanMessage("old"), HumanMessage("new")
        await call(opened(sessions), "add_messages", [old, old])
        await call(opened(sessions), "add_messages", [old])
        await call(opened(sessions), "add_messages", [old, new, HumanMessage("other words", id=old.id)])
        assert texts(await call(opened(sessions), "get_messages")) == ["old", "new"]

    @law
    async def test_an_id_belongs_to_its_session(self, sessions: Sessions, call: Call) -> None:
        """The same id in another session, or of another user, is another message."""
        message = HumanMessage("hi", id="1")
        for open_history in (opened(sessions, "s"), opened(sessions, "t"), opened(sessions, "s", BOB)):
            await call(open_history, "add_messages", [message])
            assert await call(open_history, "count") == 1

    # -------------------------------------------------------------------------------------------------------- bad input
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
    @law
    async def test_what_is_no_storable_message_is_refused_before_anything_is_written(
        self, sessions: Sessions, call: Call, bad: BaseMessage
    ) -> None:
        """One bad message refuses the whole call."""
        with pytest.raises(ConfigurationError):
            await call(opened(sessions), "add_messages", [HumanMessage("good"), bad])
        assert await call(opened(sessions), "count") == 0

    @law
    async def test_any_text_survives(self, sessions: Sessions, call: Call) -> None:
        """NUL, lone surrogates and a megabyte are text like any other, in the title too."""
        said = ["\x00\ud83d \udc00 \ud83d\ude00 \u2028 'x\"", "é" * 500_000]
        await call(opened(sessions), "add_messages", [HumanMessage(text) for text in said])
        assert texts(await call(opened(sessions), "get_messages")) == said
        found = await drive(call, sessions.conversations(ALICE))
        assert [it.title for it in found] == [said[0]]

    # -------------------------------------------------------------------------------------------------------- isolation
    @law
    async def test_look_alike_sessions_and_users_never_mix(self, sessions: Sessions, call: Call) -> None:
        """Prefixes, cases, separators, wildcards and look-alike letters are other sessions and other users."""
        scopes = [Scope(user, tenant_id=tenant) for user in LOOK_ALIKES for tenant in ("default", "a")]
        pairs = [(session, scope) for scope in scopes for session in LOOK_ALIKES[:6]]
        for session, scope in pairs:
            await call(opened(sessions, session, scope), "add_messages", [HumanMessage(repr((session, scope)), id="1")])
        for session, scope in pairs:
            assert texts(await call(opened(sessions, session, scope), "get_messages")) == [repr((session, scope))]
        for scope in scopes:
            found = await drive(call, sessions.conversations(scope))
            assert {it.session_id for it in found} == set(LOOK_ALIKES[:6])

    @law
    async def test_a_session_without_a_user_is_its_own(self, sessions: Sessions, call: Call) -> None:
        """A visitor sees one session: not a user's of the same name, and no other visitor's."""
        for session, scope in (("s", None), ("t", None), ("s", ALICE)):
            await call(opened(sessions, session, scope), "add_messages", [HumanMessage(f"{session} of {scope}")])
        assert texts(await call(opened(sessions, "s", Scope.anonymous("s")), "get_messages")) == ["s of None"]
        found = await drive(call, sessions.conversations(Scope.anonymous("s")))
        assert [(it.session_id, it.title) for it in found] == [("s", "s of None")]

    @law
    async def test_clearing_removes_that_session_only(self, sessions: Sessions, call: Call) -> None:
        """Its messages, its title and its ids are gone; every other session is as it was."""
        everyone = [
            opened(sessions, "s"),
            opened(sessions, "t"),
            opened(sessions, "s", BOB),
            opened(sessions, "s", None),
        ]
        for each in everyone:
            await call(each, "add_messages", [HumanMessage("hi", id="1")])
        await call(everyone[0], "clear")
        assert [len(each.messages) for each in everyone] == [0, 1, 1, 1]
        found = await drive(call, sessions.conversations(ALICE))
        assert [it.session_id for it in found] == ["t"]
        await call(everyone[0], "add_messages", [HumanMessage("again", id="1")])
        assert texts(everyone[0].messages) == ["again"]

    # ---------------------------------------------------------------------------------------------------------- listing
    @law
    async def test_conversations_are_listed_by_last_use(
        self, sessions: Sessions, clock: StillClock, call: Call
    ) -> None:
        """Last used first, with title, times and number of messages, page by page."""
        begun = clock.now
        for session in ("s1", "s2", "s3", "s1"):
            clock.forward(minutes=1)
            await call(opened(sessions, session), "add_messages", [HumanMessage(f"of {session}"), AIMessage("ok")])
        first = await drive(call, sessions.conversations(ALICE, limit=2))
        rest = await drive(call, sessions.conversations(ALICE, before=LastUsed.of(first[-1])))
        listed = [(it.session_id, it.title, it.message_count) for it in [*first, *rest]]
        assert listed == [("s1", "of s1", 4), ("s3", "of s3", 2), ("s2", "of s2", 2)]
        assert (first[0].created_at, first[0].last_used_at) == (begun + timedelta(minutes=1), clock.now)

    @law
    async def test_the_title_is_the_beginning_of_what_the_user_said_first(self, sessions: Sessions, call: Call) -> None:
        """Eighty characters of the first human message with text; neither the model's nor an injected one."""
        injected = HumanMessage("recalled", additional_kwargs={"lc_source": "agentmem"})
        picture = HumanMessage([{"type": "image", "url": "u"}])
        await call(opened(sessions), "add_messages", [AIMessage("welcome"), injected, picture])
        await call(opened(sessions), "add_messages", [HumanMessage([{"type": "text", "text": "x" * 100}])])
        await call(opened(sessions), "add_messages", [HumanMessage("later")])
        found = await drive(call, sessions.conversations(ALICE))
        assert [it.title for it in found] == ["x" * 80]

    # ----------------------------------------------------------------------------------------------------------- search
    @law
    async def test_a_search_finds_every_word_in_any_case(self, sessions: Sessions, call: Call) -> None:
        """Newest first, in any order of the words, inside longer ones, and in the text of content blocks."""
        blocks = AIMessage([{"type": "text", "text": "the STRASSE of Staging"}])
        said = [HumanMessage(it) for it in ("deploy to Staging", "to production", "staging, then straße 5")]
        added = [*said[:2], blocks, said[2]]
        await call(opened(sessions), "add_messages", added)
        assert await call(opened(sessions), "search", "Straße  STAGING") == [added[3], added[2]]
        assert await call(opened(sessions), "search", "stag") == [added[3], added[2], added[0]]
        assert await call(opened(sessions), "search", "stag", limit=1) == [added[3]]
        assert await call(opened(sessions), "search", "elsewhere") == []
        assert await call(opened(sessions, "t"), "search", "staging") == []

    @pytest.mark.parametrize(("text", "limit"), [("", 1), (" \n", 1), (None, 1), (["a"], 1), ("a", 0), ("a", "3")])
    @law
    async def test_a_search_for_nothing_is_refused(self, sessions: Sessions, call: Call, text: str, limit: int) -> None:
        """It needs a word, and how many to find."""
        with pytest.raises(ConfigurationError, match=r"text|limit"):
            await call(opened(sessions), "search", text, limit=limit)

    # ------------------------------------------------------------------------------------------------------ concurrency
    def test_threads_of_one_session_lose_and_double_nothing(self, sessions: Sessions) -> None:
        """Eight writers of twenty-five messages: two hundred, each writer's in its order."""

        def write(writer: int) -> None:
            for number in range(25):
                opened(sessions).add_messages([HumanMessage(f"{writer} {number}")])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        check_writers(opened(sessions).messages, writers=8, each=25)
