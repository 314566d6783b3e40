"""What a stored history promises about what it keeps: expiry, length, redaction; and about searching it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.messages import answer_of, calls_of
from langchain_agentmem.testing.history import texts
from tests.conftest import Call
from tests.contracts.history_backends import ALICE, BOB, Backend, ReversingVault
from tests.contracts.history_contract import EXAMPLES

HOUR = timedelta(hours=1)
MOST_OF_IT = timedelta(minutes=50)


def numbered(count: int, start: int = 0) -> list[BaseMessage]:
    return [HumanMessage(str(number), id=f"m{number}") for number in range(start, start + count)]


def calling(*ids: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": id} for id in ids])


@st.composite
def conversations(draw: st.DrawFn) -> list[list[BaseMessage]]:
    """Batches of a conversation in which tools are called, and answer sooner, later or never.

    Some models number their calls anew in each turn, so that an id is used again.
    """
    batches: list[list[BaseMessage]] = [[]]
    is_numbered_anew = draw(st.booleans())
    waiting: list[str] = []
    for number, what in enumerate(draw(st.lists(st.sampled_from("hacrrr|"), max_size=25))):
        if what == "|":
            batches.append([])
        elif what == "r" and waiting:
            id = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
            batches[-1].append(ToolMessage("done", tool_call_id=id))
        elif what == "c":
            turn = "" if is_numbered_anew else number
            ids = [f"c{turn}.{part}" for part in range(draw(st.integers(1, 2)))]
            waiting += [id for id in ids if id not in waiting]
            batches[-1].append(calling(*ids))
        else:
            batches[-1].append((HumanMessage if what == "h" else AIMessage)(str(number)))
    return batches


class Model:
    """The law of a limited length, said once more: the oldest go, and with calls their results, late ones too.

    A result is that of the nearest call before it.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.record: list[BaseMessage] = []
        self.gone: set[str] = set()

    def add(self, batch: list[BaseMessage]) -> None:
        record = [*self.record, *self._with_calls(self.record, batch)]
        excess = max(0, len(record) - self.most)
        self.gone |= {id for message in record[:excess] for id in calls_of(message)}
        self.record = self._with_calls([], record[excess:])

    def _with_calls(self, before: list[BaseMessage], messages: list[BaseMessage]) -> list[BaseMessage]:
        """Return messages without the results whose calls went."""
        there = {id for message in before for id in calls_of(message)}
        kept = []
        for message in messages:
            there |= calls_of(message)
            if answer_of(message) not in self.gone - there:
                kept.append(message)
        return kept


class RetentionContract:
    """Laws of expiry, length, redaction and search; a fixture `backend` says where."""

    # --------------------------------------------------------------------------------------------------------- expiry
    async def test_an_expired_session_is_as_if_it_were_not_there(self, backend: Backend, call: Call) -> None:
        """Nothing reads it, counts it, finds it, lists it or clears it; another session lives on."""
        history, other = backend.history(ttl=HOUR), backend.history("t", ttl=3 * HOUR)
        for each in (history, other):
            await call(each, "add_messages", numbered(3))
        backend.pass_time(2 * HOUR)
        found = [
            await call(history, "get_messages"),
            await call(history, "last", 2),
            await call(history, "search", "1"),
        ]
        assert found == [[], [], []]
        assert (await call(history, "page")).messages == ()
        assert await call(history, "count") == run(backend.sessions().clear(history.scope)) == 0
        assert [it.session_id for it in run(backend.sessions().conversations(ALICE))] == ["t"]
        assert await call(other, "count") == 3

    async def test_an_expired_session_begins_anew(self, backend: Backend, call: Call) -> None:
        """Its title, its times, its positions and its ids are new."""
        history = backend.history(ttl=HOUR)
        await call(history, "add_messages", numbered(3))
        backend.pass_time(2 * HOUR)
        await call(history, "add_messages", [HumanMessage("new", id="m1")])
        assert texts(await call(history, "get_messages")) == ["new"]
        [listed] = run(backend.sessions().conversations(ALICE))
        assert (listed.title, listed.message_count) == ("new", 1)
        assert listed.created_at == listed.last_used_at
        assert texts(list((await call(history, "page", limit=1)).messages)) == ["new"]

    async def test_writing_prolongs_and_reading_does_not(self, backend: Backend, call: Call) -> None:
        """A session lives as long as its lifetime after the last write, a repeated one included."""
        history = backend.history(ttl=HOUR)
        for _ in range(3):
            await call(history, "add_messages", numbered(1))
            backend.pass_time(MOST_OF_IT)
        assert await call(history, "count") == len(await call(history, "get_messages")) == 1
        backend.pass_time(MOST_OF_IT)
        assert await call(history, "count") == 0

    @pytest.mark.parametrize(
        ("name", "arguments"), [("get_messages", ()), ("last", (1,)), ("page", ()), ("search", ("0",))]
    )
    async def test_reading_prolongs_where_that_is_wanted(
        self, backend: Backend, call: Call, name: str, arguments: tuple[Any, ...]
    ) -> None:
        """With `refresh_on_read` every way of reading messages prolongs, and none revives."""
        history = backend.history(ttl=HOUR, refresh_on_read=True)
        await call(history, "add_messages", numbered(1))
        for _ in range(3):
            backend.pass_time(MOST_OF_IT)
            assert await call(history, name, *arguments)
        backend.pass_time(2 * HOUR)
        await call(history, name, *arguments)
        assert await call(history, "count") == 0
        assert run(backend.sessions().conversations(ALICE)) == []

    async def test_without_a_lifetime_a_session_is_kept(self, backend: Backend, call: Call) -> None:
        """Only clearing ends it, also where it once had an expiry."""
        await call(backend.history(ttl=HOUR), "add_messages", numbered(1))
        await call(backend.history(ttl=None), "add_messages", numbered(2))
        backend.pass_time(timedelta(days=3_650))
        assert await call(backend.history(refresh_on_read=True), "count") == 2
        assert [it.message_count for it in run(backend.sessions().conversations(ALICE))] == [2]

    async def test_sweeping_leaves_nothing_of_what_expired(self, backend: Backend, call: Call) -> None:
        """Whoever it belonged to; what has not expired stays whole."""
        for number, scope in enumerate([ALICE, BOB, ALICE, None]):
            await call(backend.history(f"old {number}", scope, ttl=HOUR), "add_messages", numbered(3, 100))
        await call(backend.history("young", ttl=3 * HOUR), "add_messages", numbered(2))
        await call(backend.history("eternal", BOB, ttl=None), "add_messages", numbered(2))
        backend.pass_time(2 * HOUR)
        await call(backend.history(), "sweep")
        assert "m100" not in backend.stored()
        assert await call(backend.history(), "sweep") == 0
        assert backend.history("young").count() == backend.history("eternal", BOB).count() == 2

    @pytest.mark.parametrize(
        "bad",
        [
            {"ttl": timedelta(0)},
            {"ttl": timedelta(seconds=-1)},
            {"ttl": timedelta(days=40_000)},
            {"ttl": 3_600},
            {"max_messages": 0},
            {"max_messages": True},
            {"max_messages": "9"},
            {"refresh_on_read": "no"},
            {"redact": "all"},
            {"clock": None},
            {"maximum": 3},
        ],
        ids=repr,
    )
    def test_a_setting_that_cannot_work_is_refused_at_once(self, backend: Backend, bad: dict[str, Any]) -> None:
        """A history with it cannot be made."""
        with pytest.raises(ConfigurationError, match=next(iter(bad))):
            backend.history(**bad)

    # --------------------------------------------------------------------------------------------------------- length
    @pytest.mark.usefixtures("unmarked")
    @EXAMPLES
    @given(conversations(), st.integers(1, 6), st.none() | st.just(ReversingVault()))
    def test_a_limited_session_is_the_end_of_the_conversation(
        self, backend: Backend, batches: list[list[BaseMessage]], most: int, vault: ReversingVault | None
    ) -> None:
        """At most so many messages, the last ones; a result goes with its call, wherever it stands."""
        backend.history().clear()
        history = backend.history(max_messages=most, vault=vault)
        model = Model(most)
        for batch in batches:
            history.add_messages(batch)
            model.add(batch)
            assert history.messages == model.record
        assert history.count() == len(model.record) <= most
        assert history.last(2) == model.record[-2:]
        assert list(history.page(limit=9).messages) == model.record

    async def test_results_go_with_their_call(self, backend: Backend, call: Call) -> None:
        """Those that follow it, and the one that came late; what was said between stays."""
        history = backend.history(max_messages=4)
        results = [ToolMessage(id, tool_call_id=id) for id in "abc"]
        await call(history, "add_messages", [calling("a", "b", "c"), results[0], results[1], HumanMessage("1")])
        await call(history, "add_messages", [results[2], HumanMessage("2")])
        assert texts(await call(history, "get_messages")) == ["1", "2"]
        assert texts(await call(history, "last", 2)) == ["1", "2"]
        assert await call(history, "count") == 2
        await call(history, "add_messages", numbered(3, 3))
        assert texts(await call(history, "last", 9)) == ["2", "3", "4", "5"]

    async def test_a_result_whose_call_went_is_not_stored(self, backend: Backend, call: Call) -> None:
        """However small the limit: a history never shows a result without its call, also when it is told twice."""
        history = backend.history(max_messages=2)
        results = [ToolMessage(id, tool_call_id=id) for id in "abc"]
        for message in (calling("a", "b", "c"), *results, results[2], AIMessage("so"), results[0]):
            await call(history, "add_messages", [message])
        assert texts(await call(history, "get_messages")) == ["so"]
        await call(history, "add_messages", [ToolMessage("other", tool_call_id="d")])
        assert texts(await call(history, "get_messages")) == ["so", "other"]

    async def test_an_id_that_is_used_again_is_the_next_calls(self, backend: Backend, call: Call) -> None:
        """Its result is stored, although an earlier call of that id went without one, before it or for it."""
        history, result = backend.history(max_messages=4), ToolMessage("done", tool_call_id="1")
        await call(history, "add_messages", [calling("1"), *numbered(4)])
        await call(history, "add_messages", [calling("1"), result])
        assert texts(await call(history, "get_messages")) == ["2", "3", "", "done"]
        await call(backend.history("t"), "add_messages", [calling("1"), *numbered(1), calling("1"), *numbered(1, 1)])
        await call(backend.history("t", max_messages=4), "add_messages", [result, *numbered(1, 2)])
        assert texts(await call(backend.history("t"), "get_messages")) == ["", "1", "done", "2"]

    async def test_a_call_that_stays_keeps_its_result_when_one_of_its_id_goes(
        self, backend: Backend, call: Call
    ) -> None:
        """The result that follows answers the later of the two, and has its call before it."""
        history = backend.history(max_messages=3)
        await call(history, "add_messages", [calling("a", "1"), calling("1"), ToolMessage("done", tool_call_id="1")])
        await call(history, "add_messages", numbered(1))
        assert texts(await call(history, "get_messages")) == ["", "done", "0"]

    async def test_a_repeated_call_brings_no_result_back(self, backend: Backend, call: Call) -> None:
        """A call that went before it was answered is not there, although the message is told again with its result."""
        history, asked = backend.history(max_messages=2), calling("1")
        await call(history, "add_messages", [asked, *numbered(2)])
        await call(history, "add_messages", [asked, ToolMessage("late", tool_call_id="1")])
        assert texts(await call(history, "get_messages")) == ["0", "1"]

    async def test_a_class_of_ones_own_calls_tools_too(self, backend: Backend, call: Call) -> None:
        """A result goes with its call, whatever the classes that extend LangChain's are called."""

        class OwnMessage(AIMessage):
            type: str = "custom"  # type: ignore[assignment]  # a field of a literal type

        own = OwnMessage(content="", tool_calls=calling("a").tool_calls)
        said = [own, ToolMessage("a", tool_call_id="a"), HumanMessage("1")]
        await call(backend.history(max_messages=2), "add_messages", said)
        assert texts(await call(backend.history(), "get_messages")) == ["1"]

    async def test_pages_go_on_where_they_were_while_the_oldest_go(self, backend: Backend, call: Call) -> None:
        """A position belongs to its message, whatever went before it."""
        history = backend.history(max_messages=10)
        await call(history, "add_messages", numbered(10))
        first = await call(history, "page", limit=4)
        await call(history, "add_messages", numbered(3, 10))
        second = await call(history, "page", after=first.next_after, limit=4)
        await call(history, "add_messages", numbered(7, 13))
        third = await call(history, "page", after=second.next_after, limit=99)
        assert texts([*first.messages, *second.messages]) == [str(number) for number in range(8)]
        assert texts(list(third.messages)) == [str(number) for number in range(10, 20)]
        assert third.next_after is None

    async def test_a_message_that_went_does_not_come_back(self, backend: Backend, call: Call) -> None:
        """Repeating a call adds nothing, although there is no room for its messages any more; its text is gone."""
        history = backend.history(max_messages=3)
        await call(history, "add_messages", [HumanMessage("needle", id="n"), *numbered(8)])
        await call(history, "add_messages", [HumanMessage("needle", id="n"), *numbered(2)])
        assert texts(await call(history, "get_messages")) == ["5", "6", "7"]
        assert await call(history, "count") == 3
        [listed] = run(backend.sessions().conversations(ALICE))
        assert (listed.title, listed.message_count) == ("needle", 3)

    async def test_only_the_latest_ids_are_remembered(
        self, backend: Backend, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What a session holds is bounded, ids included; a very late retry is a new message."""
        backend.set(monkeypatch, "KEPT_IDS", 5)
        history = backend.history(max_messages=2)
        for batch in (numbered(10, 100), numbered(10, 110)):
            await call(history, "add_messages", batch)
        assert "m103" not in backend.stored()
        await call(history, "add_messages", numbered(1, 114))
        assert texts(await call(history, "get_messages")) == ["118", "119"]
        await call(history, "add_messages", numbered(1, 103))
        assert texts(await call(history, "get_messages")) == ["119", "103"]

    @pytest.mark.parametrize("between", [0, 1, 3])
    async def test_a_large_call_can_be_repeated(
        self, backend: Backend, call: Call, monkeypatch: pytest.MonkeyPatch, between: int
    ) -> None:
        """Of a call with more messages than ids are kept, all are known: its repeat brings none of them back."""
        backend.set(monkeypatch, "KEPT_IDS", 5)
        history = backend.history(max_messages=4)
        await call(history, "add_messages", numbered(30))
        for number in range(between):
            await call(history, "add_messages", numbered(1, 100 + number))
        before = await call(history, "get_messages")
        await call(history, "add_messages", numbered(30))
        assert await call(history, "get_messages") == before
        for number in range(60):
            await call(history, "add_messages", numbered(1, 200 + number))
        assert "m28" not in backend.stored()

    async def test_a_conversation_can_be_told_from_its_beginning_each_time(
        self, backend: Backend, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What the latest call named is known, however long ago it came first."""
        backend.set(monkeypatch, "KEPT_IDS", 5)
        history = backend.history(max_messages=4)
        for length in range(1, 40):
            await call(history, "add_messages", numbered(length))
            if not length % 7:
                await call(backend.history(max_messages=4), "add_messages", numbered(1, 100 + length))
        assert texts(await call(history, "get_messages")) == ["35", "36", "37", "38"]

    async def test_a_limit_can_be_lowered(self, backend: Backend, call: Call) -> None:
        """The next write by a history with a limit makes the session fit."""
        await call(backend.history(), "add_messages", numbered(250))
        await call(backend.history(max_messages=5), "add_messages", numbered(2, 250))
        assert texts(await call(backend.history(), "get_messages")) == ["247", "248", "249", "250", "251"]

    # ------------------------------------------------------------------------------------------------------ redaction
    async def test_what_is_stored_is_what_the_hook_returns(self, backend: Backend, call: Call) -> None:
        """Content, title and search know the redacted text only; ids and the caller's objects stay as they were."""

        def redact(message: BaseMessage) -> BaseMessage:
            message.content = str(message.content).replace("4711", "[pin]")
            message.id = None
            return message

        history, said = backend.history(redact=redact), HumanMessage("my pin is 4711")
        await call(history, "add_messages", [said])
        await call(history, "add_messages", [said])
        [found] = await call(history, "get_messages")
        assert (found.content, found.id, said.content) == ("my pin is [pin]", said.id, "my pin is 4711")
        assert "is 4711" not in backend.stored()
        assert run(backend.sessions().conversations(ALICE))[0].title == "my pin is [pin]"

    @pytest.mark.parametrize("answer", [None, "text", ValueError("no")], ids=repr)
    async def test_a_hook_that_fails_lets_nothing_be_stored(
        self, backend: Backend, call: Call, answer: BaseMessage | ValueError
    ) -> None:
        """One message it cannot redact refuses the whole call, and its error is the caller's."""

        def redact(message: BaseMessage) -> BaseMessage:
            if message.content == "good":
                return message
            if isinstance(answer, ValueError):
                raise answer
            return answer

        with pytest.raises(ValueError, match=r"no|must be"):
            await call(backend.history(redact=redact), "add_messages", [HumanMessage("good"), HumanMessage("bad")])
        assert await call(backend.history(), "count") == 0

    # --------------------------------------------------------------------------------------------------------- search
    @pytest.mark.parametrize("limit", [1, 4, 100])
    async def test_a_search_reads_page_by_page(
        self, backend: Backend, call: Call, monkeypatch: pytest.MonkeyPatch, limit: int
    ) -> None:
        """However many pages it takes, each message is found once."""
        backend.set(monkeypatch, "SEARCH_PAGE", 3)
        await call(backend.history(), "add_messages", numbered(10))
        await call(backend.history(), "add_messages", [AIMessage("between"), *numbered(10, 10)])
        found = texts(await call(backend.history(), "search", "1", limit=limit))
        assert found == [str(number) for number in (*range(19, 9, -1), 1)][:limit]
