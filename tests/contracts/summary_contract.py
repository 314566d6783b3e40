"""What a session promises about its summary, and what a view makes of it, on every database and in both colours."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.context import HistoryView, SessionHistory, SessionSummaries, SummaryBuffer, SummaryLimits
from langchain_agentmem.context.running_summary import RunningSummary
from langchain_agentmem.context.summaries import summaries_of
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError, StorageError
from langchain_agentmem.sessions.base import KeptSummary, Sessions
from langchain_agentmem.testing.history import texts
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.contracts.history_backends import Backend, ReversingVault
from tests.contracts.history_contract import EXAMPLES
from tests.contracts.retention_contract import HOUR, MOST_OF_IT, numbered

HERE = Scope("alice", session_id="s")
ELSEWHERE = (Scope("alice", session_id="t"), Scope("bob", session_id="s"), Scope.anonymous("s"))
SMALL = SummaryLimits(max_messages=4, keep_messages=2, keep_turns=1)


class Port:
    """What sessions do with summaries in both colours, for `call`."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def summary(self, scope: Scope) -> bytes | None:
        return run(self._sessions.summary(scope))

    async def asummary(self, scope: Scope) -> bytes | None:
        return await arun(self._sessions.summary(scope))

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> bool:
        return run(self._sessions.keep_summary(scope, kept))

    async def akeep_summary(self, scope: Scope, kept: KeptSummary | None) -> bool:
        return await arun(self._sessions.keep_summary(scope, kept))

    def clear(self, scope: Scope) -> int:
        return run(self._sessions.clear(scope))

    async def aclear(self, scope: Scope) -> int:
        return await arun(self._sessions.clear(scope))


class Failing(SessionSummaries):
    """Summaries whose store can be read or written no more."""

    def __init__(self, sessions: Sessions, name: str) -> None:
        super().__init__(sessions)
        setattr(self, name, self._fail)

    def _fail(self, *_: object) -> Flow[Any]:
        yield from ()
        msg = "the needle"
        raise StorageError(msg)


class Tails(SessionHistory):
    """A session as a history, of which only ends may be read."""

    def get_messages(self) -> list[BaseMessage]:
        raise AssertionError

    async def aget_messages(self) -> list[BaseMessage]:
        raise AssertionError


class Interrupted(SummaryBuffer):
    """A view during whose making something else happens."""

    def __init__(self, meanwhile: Any) -> None:  # noqa: ANN401  (a function)
        super().__init__(limits=SMALL)
        self._meanwhile = meanwhile

    def _view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        config: RunnableConfig | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> Flow[Any]:
        view = yield from super()._view(messages, summary=summary, config=config, new=new)
        self._meanwhile()
        return view


def kept(version: int, about: str = "m0", data: bytes = b"") -> KeptSummary:
    return KeptSummary(data=data or b"\x00\xff version %d" % version, version=version, about=about)


def viewing(sessions: Sessions, history: type[SessionHistory] = SessionHistory, **parts: Any) -> HistoryView:
    """A view such as a process that has just begun would make."""
    context = parts.get("context") or SummaryBuffer(limits=SMALL)
    return HistoryView(history(sessions, HERE), context, summaries=parts.get("summaries") or SessionSummaries(sessions))


def loaded(backend: Backend) -> RunningSummary:
    found = run(SessionSummaries(backend.sessions()).load(HERE))
    assert found is not None
    return found


class SummaryContract:
    """Laws of summaries; a fixture `backend` says where."""

    # ------------------------------------------------------------------------------------------------------- the port
    async def test_a_summary_is_kept_beside_its_session(self, backend: Backend, call: Call) -> None:
        """Any bytes come back to any object that asks for this session, and to no other session."""
        run(backend.sessions().append(HERE, numbered(2)))
        assert await call(Port(backend.sessions()), "summary", HERE) is None
        assert await call(Port(backend.sessions()), "keep_summary", HERE, kept(1)) is True
        assert await call(Port(backend.sessions()), "summary", HERE) == b"\x00\xff version 1"
        for scope in ELSEWHERE:
            run(backend.sessions().append(scope, numbered(2)))
            assert await call(Port(backend.sessions()), "summary", scope) is None

    async def test_the_higher_version_wins(self, backend: Backend, call: Call) -> None:
        """A slower process overwrites nothing newer, and of two equal versions the first stays."""
        run(backend.sessions().append(HERE, numbered(1)))
        tried = [kept(2), kept(1), kept(2, data=b"another"), kept(4), kept(3)]
        found = [await call(Port(backend.sessions()), "keep_summary", HERE, each) for each in tried]
        assert found == [True, False, False, True, False]
        assert run(backend.sessions().summary(HERE)) == b"\x00\xff version 4"

    @EXAMPLES
    @given(st.lists(st.integers(1, 9), min_size=1))
    def test_in_whatever_order_they_come_the_highest_stands(self, backend: Backend, versions: list[int]) -> None:
        """And it is the first that came of its version."""
        run(backend.sessions().clear(HERE))
        run(backend.sessions().append(HERE, numbered(1)))
        for place, version in enumerate(versions):
            run(backend.sessions().keep_summary(HERE, kept(version, data=b"%d" % place)))
        assert run(backend.sessions().summary(HERE)) == b"%d" % versions.index(max(versions))

    async def test_a_summary_begins_no_session(self, backend: Backend, call: Call) -> None:
        """Where no session is there is nothing to keep one of."""
        assert await call(Port(backend.sessions()), "keep_summary", HERE, kept(1)) is False
        assert await call(Port(backend.sessions()), "keep_summary", HERE, None) is False
        assert run(backend.sessions().summary(HERE)) is None
        assert run(backend.sessions().conversations(HERE)) == []

    async def test_clearing_a_session_clears_its_summary(self, backend: Backend, call: Call) -> None:
        """Nothing of it is left, and the next session under that name begins with its first version."""
        sessions = Port(backend.sessions())
        for first in (0, 1):
            run(backend.sessions().append(HERE, numbered(1, first)))
            assert run(backend.sessions().keep_summary(HERE, kept(3 - first, f"m{first}", b"needle")))
            await call(sessions, "clear", HERE)
            assert await call(sessions, "summary", HERE) is None
            assert "needle" not in backend.stored()

    async def test_a_summary_of_a_conversation_that_was_cleared_is_not_kept(self, backend: Backend, call: Call) -> None:
        """It comes too late for its session, and the one that began anew does not know its message."""
        run(backend.sessions().append(HERE, numbered(1)))
        run(backend.sessions().clear(HERE))
        run(backend.sessions().append(HERE, numbered(1, 1)))
        assert await call(Port(backend.sessions()), "keep_summary", HERE, kept(9, "m0")) is False
        assert await call(Port(backend.sessions()), "keep_summary", HERE, kept(1, "m1")) is True

    async def test_a_summary_expires_with_its_session(self, backend: Backend, call: Call) -> None:
        """It is gone, none is taken any more, and the session that begins anew has none."""
        sessions = backend.sessions(ttl=HOUR)
        run(sessions.append(HERE, numbered(1)))
        run(sessions.keep_summary(HERE, kept(1)))
        backend.pass_time(2 * HOUR)
        assert await call(Port(sessions), "summary", HERE) is None
        assert await call(Port(sessions), "keep_summary", HERE, kept(2)) is False
        run(sessions.append(HERE, numbered(1)))
        assert await call(Port(sessions), "summary", HERE) is None

    async def test_keeping_a_summary_is_no_use_of_the_session(self, backend: Backend, call: Call) -> None:
        """Neither its expiry nor its last use moves, nor the number of its messages."""
        sessions = backend.sessions(ttl=HOUR)
        run(sessions.append(HERE, numbered(1)))
        before = run(sessions.conversations(HERE))
        backend.pass_time(MOST_OF_IT)
        assert await call(Port(sessions), "keep_summary", HERE, kept(1))
        assert run(sessions.conversations(HERE)) == before
        backend.pass_time(MOST_OF_IT)
        assert run(sessions.count(HERE)) == 0

    async def test_a_summary_outlives_the_messages_it_covers(self, backend: Backend, call: Call) -> None:
        """When they make room for newer ones it is what is left of them, and it can still be extended."""
        sessions = backend.sessions(max_messages=2)
        run(sessions.append(HERE, numbered(2)))
        run(sessions.keep_summary(HERE, kept(1)))
        run(sessions.append(HERE, numbered(5, 2)))
        assert await call(Port(sessions), "summary", HERE) == b"\x00\xff version 1"
        assert await call(Port(sessions), "keep_summary", HERE, kept(2, "m3")) is True

    async def test_none_deletes_a_summary(self, backend: Backend, call: Call) -> None:
        """Whatever its version; the messages stay, and versions begin anew."""
        sessions = Port(backend.sessions())
        run(backend.sessions().append(HERE, numbered(3)))
        run(backend.sessions().keep_summary(HERE, kept(7, data=b"needle")))
        await call(sessions, "keep_summary", HERE, None)
        assert await call(sessions, "summary", HERE) is None
        assert "needle" not in backend.stored()
        assert await call(sessions, "keep_summary", HERE, kept(1))
        assert run(backend.sessions().count(HERE)) == 3

    async def test_summaries_pass_through_the_vault(self, backend: Backend, call: Call) -> None:
        """What was summed up does not stand in the store, and comes back."""
        sessions = backend.sessions(vault=ReversingVault())
        run(sessions.append(HERE, numbered(1)))
        await call(Port(sessions), "keep_summary", HERE, kept(1, data=b"secret"))
        assert "terces" in backend.stored()
        assert "secret" not in backend.stored()
        assert await call(Port(sessions), "summary", HERE) == b"secret"

    @pytest.mark.usefixtures("unmarked")
    async def test_a_summary_sealed_otherwise_is_an_integrity_error(self, backend: Backend, call: Call) -> None:
        """It is not taken for one, and not passed over in silence either."""
        run(backend.sessions().append(HERE, numbered(1)))
        run(backend.sessions().keep_summary(HERE, kept(1)))
        with pytest.raises(IntegrityError):
            await call(Port(backend.sessions(vault=ReversingVault())), "summary", HERE)

    async def test_a_summary_needs_a_session_to_belong_to(self, backend: Backend, call: Call) -> None:
        """A scope that names none is refused, and what is no summary as well."""
        for name, arguments in (("summary", ()), ("keep_summary", (kept(1),)), ("keep_summary", (None,))):
            with pytest.raises(ScopeError, match="names no session"):
                await call(Port(backend.sessions()), name, Scope("alice"), *arguments)
        with pytest.raises(ConfigurationError, match="KeptSummary"):
            await call(Port(backend.sessions()), "keep_summary", HERE, b"bytes")

    # ------------------------------------------------------------------------------------------------------- the view
    async def test_the_next_process_goes_on_from_the_summary(self, backend: Backend, call: Call) -> None:
        """Objects that know nothing of each other make one version after the other, and read only the end."""
        run(backend.sessions().append(HERE, numbered(300)))
        await call(viewing(backend.sessions()), "get_messages")
        assert (loaded(backend).version, loaded(backend).count) == (1, 298)
        for number in range(3):
            run(backend.sessions().append(HERE, numbered(4, 300 + 4 * number)))
            seen = await call(viewing(backend.sessions(), Tails), "get_messages")
            assert (loaded(backend).version, loaded(backend).count) == (number + 2, 302 + 4 * number)
            assert texts(seen[1:]) == [str(302 + 4 * number), str(303 + 4 * number)]

    async def test_a_summary_goes_on_although_all_it_covers_went(self, backend: Backend, call: Call) -> None:
        """What is left of the oldest messages is in the view, and in the version after."""
        sessions = backend.sessions(max_messages=6)
        run(sessions.append(HERE, [*numbered(5), *numbered(1, 5)]))
        await call(viewing(sessions), "get_messages")
        first = loaded(backend)
        for number in range(4):
            run(sessions.append(HERE, numbered(1, 6 + number)))
        run(sessions.append(HERE, numbered(6, 10)))
        seen = await call(viewing(sessions), "get_messages")
        last = loaded(backend)
        assert (last.version, last.count) == (first.version + 1, first.count + 4)
        assert first.text.splitlines()[-1] in str(seen[0].content)
        assert texts(seen[1:]) == ["14", "15"]

    async def test_of_two_views_at_once_the_first_summary_stays(self, backend: Backend, call: Call) -> None:
        """Both views are right, nothing is doubled, and the next one goes on from what is there."""
        run(backend.sessions().append(HERE, numbered(6)))
        both = [viewing(backend.sessions(), context=Interrupted(lambda: viewing(backend.sessions()).messages))]
        both.append(viewing(backend.sessions()))
        assert [texts((await call(each, "get_messages"))[1:]) for each in both] == [["4", "5"]] * 2
        assert (loaded(backend).version, loaded(backend).count) == (1, 4)

    async def test_what_was_cleared_during_a_view_does_not_come_back(self, backend: Backend, call: Call) -> None:
        """Whether the conversation ended or began anew meanwhile, nothing of the old one is kept."""
        for new in ([], numbered(6, 20)):
            run(backend.sessions().append(HERE, numbered(6)))

            def meanwhile(new: list[BaseMessage] = new) -> None:
                run(backend.sessions().clear(HERE))
                run(backend.sessions().append(HERE, new))

            await call(viewing(backend.sessions(), context=Interrupted(meanwhile)), "get_messages")
            assert run(backend.sessions().summary(HERE)) is None

    @pytest.mark.parametrize("next_one", [None, RunningSummary(version=1, text="new", last_id="gone", seen_id="m20")])
    async def test_what_was_cleared_before_the_record_was_read_is_not_seen(
        self, backend: Backend, call: Call, next_one: RunningSummary | None
    ) -> None:
        """A summary that was loaded a moment too early is in no view of the next conversation, nor kept with it."""
        run(backend.sessions().append(HERE, numbered(6)))
        viewing(backend.sessions()).get_messages()

        class Slow(SessionSummaries):
            def load(self, scope: Scope) -> Flow[RunningSummary | None]:
                found = yield from super().load(scope)
                if found is not None and found.text != "new":
                    run(backend.sessions().clear(HERE))
                    run(backend.sessions().append(HERE, numbered(2, 20)))
                    run(self.save(HERE, next_one))
                return found

        view = viewing(backend.sessions(), summaries=Slow(backend.sessions()))
        assert texts(await call(view, "get_messages")) == ["20", "21"]
        assert run(SessionSummaries(backend.sessions()).load(HERE)) == next_one

    @pytest.mark.parametrize(("name", "what"), [("load", "load"), ("save", "keep")])
    async def test_a_summary_that_cannot_be_loaded_or_kept_fails_no_turn(
        self, backend: Backend, call: Call, caplog: pytest.LogCaptureFixture, name: str, what: str
    ) -> None:
        """The view is right, the log names the session and not a word, and what is kept stays as it was."""
        run(backend.sessions().append(HERE, numbered(6)))
        viewing(backend.sessions()).get_messages()
        before = loaded(backend)
        run(backend.sessions().append(HERE, numbered(6, 6)))
        with caplog.at_level(logging.WARNING, "langchain_agentmem"):
            view = viewing(backend.sessions(), summaries=Failing(backend.sessions(), name))
            assert texts((await call(view, "get_messages"))[1:]) == ["10", "11"]
        assert f"could not {what} the summary of session ('default', 'alice', 's'): StorageError" in caplog.text
        assert "needle" not in caplog.text
        assert loaded(backend) == before

    async def test_a_damaged_summary_is_made_anew(self, backend: Backend, call: Call) -> None:
        """One that cannot be read is replaced, whatever its version."""
        run(backend.sessions().append(HERE, numbered(6)))
        for damaged in (b"no json", b"[]", b'{"version": "x"}'):
            run(backend.sessions().keep_summary(HERE, kept(99, data=damaged)))
            assert texts((await call(viewing(backend.sessions()), "get_messages"))[1:]) == ["4", "5"]
            assert (loaded(backend).version, loaded(backend).count) == (1, 4)

    async def test_clearing_a_view_clears_the_session_and_its_summary(self, backend: Backend, call: Call) -> None:
        """Nothing is left of either."""
        run(backend.sessions().append(HERE, numbered(6)))
        view = viewing(backend.sessions())
        await call(view, "get_messages")
        await call(view, "clear")
        assert await call(view, "get_messages") == []
        assert run(backend.sessions().summary(HERE)) is None

    def test_summaries_are_with_the_sessions(self, backend: Backend) -> None:
        """Who keeps conversations here keeps their summaries here."""
        assert isinstance(summaries_of(backend.sessions()), SessionSummaries)

    @pytest.mark.parametrize("bad", [{"data": "text"}, {"version": 0}, {"version": True}, {"about": ""}, {"about": 1}])
    def test_what_is_no_summary_cannot_be_made(self, bad: dict[str, Any]) -> None:
        """Bytes, a version of at least one, and the id of a message."""
        fields: dict[str, Any] = {"data": b"", "version": 1, "about": "m0", **bad}
        with pytest.raises(ConfigurationError, match=next(iter(bad))):
            KeptSummary(**fields)
