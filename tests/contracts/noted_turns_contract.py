"""What becomes of a turn when something fails, or is killed, between its storing and its search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from typing import TypeAlias

import pytest
from langchain_core.messages import BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.types import MemoryMode
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE
from tests.talks import OTHER_TALK, TALK, turn

Open: TypeAlias = Callable[..., AgentMemory]
Leave: TypeAlias = Callable[..., Awaitable[None]]
TOLD = turn(1, "Nora moved to Lisbon", "Oh!")
LATER = timedelta(minutes=5)
AWAY = ConnectionError("the model is away")


class NotedTurnsContract:
    """Subclass it beside a fixture `opened` that gives a memory, made with the options it is called with."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    def memory(self, opened: Open, clock: Clock, embeddings: WordEmbeddings) -> Iterator[AgentMemory]:
        memory = opened(embeddings=embeddings, consent="assumed", clock=clock)
        yield memory
        memory.close()

    @pytest.fixture(params=[AWAY, KeyboardInterrupt("killed")], ids=["away", "killed"])
    def trouble(self, request: pytest.FixtureRequest) -> BaseException:
        """The model is away for a moment, or the process dies while it is asked."""
        trouble: BaseException = request.param
        return trouble

    @staticmethod
    def told(memory: AgentMemory) -> list[str]:
        return [it.content for it in memory.episodes.list(scope=ALICE)]

    @staticmethod
    def left(memory: AgentMemory) -> list[str]:
        """Return the jobs that wait, apart from looks at conversations on Redis."""
        return [it.kind for it in memory.jobs.list() if it.kind != "conversation"]

    @pytest.fixture
    def leave(self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call) -> Leave:
        """Give what stores a turn while its words cannot be embedded; whoever stores it hears nothing of that."""

        async def left(trouble: BaseException = AWAY, said: Sequence[BaseMessage] = TOLD) -> None:
            embeddings.fails_with = trouble
            try:
                await call(memory.history(TALK), "add_messages", said)
            except KeyboardInterrupt:
                assert trouble is not AWAY
            embeddings.fails_with = None

        return left

    async def test_a_turn_that_was_left_is_taken_by_a_worker(
        self, memory: AgentMemory, clock: Clock, call: Call, leave: Leave, trouble: BaseException
    ) -> None:
        """Once, when it was said, with its answer; and nothing is left to do."""
        said_at = clock.now
        await leave(trouble)
        assert self.told(memory) == []
        assert self.left(memory) == ["noted_turn"]
        clock.now += LATER
        await call(memory.jobs, "run")
        assert self.told(memory) == ["user: Nora moved to Lisbon\nassistant: Oh!"]
        [episode] = memory.episodes.list(scope=ALICE)
        assert timedelta() <= episode.at - said_at < timedelta(seconds=1)
        assert self.left(memory) == []
        clock.now += LATER
        await call(memory.jobs, "run")
        assert memory.episodes.index(scope=ALICE).kept == 0

    async def test_a_turn_that_was_left_is_taken_with_the_next(
        self, memory: AgentMemory, clock: Clock, call: Call, leave: Leave, trouble: BaseException
    ) -> None:
        """Of the same user, in whichever conversation; nobody has to run a worker."""
        await leave(trouble)
        clock.now += LATER
        await call(memory.history(OTHER_TALK), "add_messages", turn(2, "It rains"))
        assert sorted(it.partition("\n")[0] for it in self.told(memory)) == [
            "user: It rains",
            "user: Nora moved to Lisbon",
        ]
        assert self.left(memory) == []

    async def test_a_turn_is_left_to_who_may_still_be_storing_it(
        self, memory: AgentMemory, call: Call, leave: Leave
    ) -> None:
        """What was noted a moment ago is another process's work: the user's next turn does not take it up."""
        await leave()
        await call(memory.history(OTHER_TALK), "add_messages", turn(2, "It rains"))
        assert [it.partition("\n")[0] for it in self.told(memory)] == ["user: It rains"]
        assert self.left(memory) == ["noted_turn"]

    async def test_an_answer_that_comes_later_is_taken_too(
        self, memory: AgentMemory, clock: Clock, call: Call, leave: Leave
    ) -> None:
        """The turn was left, and its answer is stored by itself."""
        await leave(AWAY, TOLD[:1])
        clock.now += LATER
        await call(memory.history(TALK), "add_messages", TOLD[1:])
        await call(memory.jobs, "run")
        assert self.told(memory) == ["user: Nora moved to Lisbon\nassistant: Oh!"]

    async def test_what_is_repeated_is_taken(self, memory: AgentMemory, clock: Clock, call: Call, leave: Leave) -> None:
        """The same call again, as after an error that came too late: the messages are there, and no turn."""
        await leave()
        await call(memory.history(TALK), "add_messages", TOLD)
        assert self.told(memory) == ["user: Nora moved to Lisbon\nassistant: Oh!"]
        clock.now += LATER
        await call(memory.jobs, "run")
        assert (len(self.told(memory)), self.left(memory)) == (1, [])

    async def test_a_turn_that_was_never_stored_is_no_turn(
        self, memory: AgentMemory, clock: Clock, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The process was killed before its messages were there: the job finds nothing, and ends."""

        def away(*_: object) -> None:
            msg = "the server is away"
            raise StorageError(msg)

        with monkeypatch.context() as patched:
            patched.setattr(type(memory._sessions), "append", away)
            with pytest.raises(StorageError):
                await call(memory.history(TALK), "add_messages", TOLD[:1])
        clock.now += LATER
        assert (await call(memory.jobs, "run")).failed == 0
        assert (self.told(memory), self.left(memory)) == ([], [])

    @pytest.mark.parametrize("wish", ["clear", "withdraw", "end"])
    async def test_a_wish_that_came_meanwhile_holds(
        self, memory: AgentMemory, clock: Clock, call: Call, leave: Leave, wish: str
    ) -> None:
        """What is to be forgotten before it was taken is not taken later, also where consent is given anew."""
        await leave()
        if wish == "clear":
            await call(memory.episodes, "clear", scope=ALICE)
        elif wish == "withdraw":
            await call(memory.consent, "grant", ALICE)
            await call(memory.consent, "withdraw", ALICE)
            await call(memory.consent, "grant", ALICE)
        else:
            await call(memory.history(TALK), "clear")
        clock.now += LATER
        await call(memory.jobs, "run")
        assert (self.told(memory), self.left(memory)) == ([], [])

    async def test_nothing_is_left_of_ordinary_turns(self, memory: AgentMemory, call: Call) -> None:
        """Nor of what is refused, of a turn that is not to be kept, and of who has no name."""
        history = memory.history(TALK)
        await call(history, "add_messages", TOLD)
        await call(history, "add_messages", [HumanMessage(f"Turn {number}") for number in range(300)])
        with pytest.raises(ConfigurationError):
            await call(history, "add_messages", [HumanMessage("fine"), "no message"])
        assert self.left(memory) == []
        assert len(memory.episodes.list(scope=ALICE, limit=1_000)) == 301

    async def test_nothing_is_noted_of_who_has_not_consented(
        self, opened: Open, clock: Clock, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """Nor in a mode that keeps nothing: there is no job, and no log."""
        embeddings.fails_with = AWAY
        with opened(embeddings=embeddings, clock=clock) as asking:
            await call(asking.history(TALK), "add_messages", TOLD[:1])
            assert (self.left(asking), asking.timeline.events(scope=ALICE).items) == ([], ())
        with opened(embeddings=embeddings, clock=clock, consent="assumed", mode="frozen") as frozen:
            await call(frozen.history(TALK), "add_messages", turn(2, "It rains"))
            assert self.left(frozen) == []

    async def test_a_database_that_is_away_for_a_moment_costs_no_turn(
        self, memory: AgentMemory, clock: Clock, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where the conversation goes on all the same, as on Redis: the process notes it with the user's next turn."""

        def away(*_: object) -> None:
            msg = "the server is away"
            raise StorageError(msg)

        with monkeypatch.context() as patched:
            patched.setattr(SQLLedger, "append", away)
            await call(memory.history(TALK), "add_messages", TOLD)
        clock.now += LATER
        await call(memory.history(TALK), "add_messages", turn(2, "It rains"))
        await call(memory.jobs, "run")
        assert self.told(memory) == ["user: Nora moved to Lisbon\nassistant: Oh!", "user: It rains"]
        assert self.left(memory) == []

    async def test_nothing_holds_up_who_stores_a_message(
        self, opened: Open, clock: Clock, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """A rule of the application's that fails costs the turn's search, and nothing else."""

        def mode(_: Scope) -> MemoryMode:
            msg = "the flags are away"
            raise LookupError(msg)

        with opened(embeddings=embeddings, clock=clock, consent="assumed", mode=mode) as memory:
            await call(memory.history(TALK), "add_messages", TOLD)
            assert [it.text for it in memory.history(TALK).messages] == ["Nora moved to Lisbon", "Oh!"]
