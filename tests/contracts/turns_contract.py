"""What is promised of an agent's turns whose consequences wait, on every database and in both colours."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any, Final, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from sqlalchemy import Connection, update

from langchain_agentmem import AgentMemory, Candidate, Scope
from langchain_agentmem._flow import Flow, flows_of, run
from langchain_agentmem.errors import ConflictError
from langchain_agentmem.jobs import PUT_OFF
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.sql.jobs import KEPT_FOR, LEASE_S, SQLJobs
from langchain_agentmem.long_term.remove.ending import TURN_JOB
from langchain_agentmem.long_term.write.changing import Left
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS
from tests.conftest import Call, Colour
from tests.contracts.history_backends import ReversingVault
from tests.contracts.long_term_contract import Clock
from tests.fake_chat_model import ScriptedChatModel
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB, dump

Say: TypeAlias = Callable[..., Any]
GoOn: TypeAlias = Callable[[str | None], Any]
TALK = Scope("alice", session_id="t")
PATIENCE_S: Final = 30.0
"""How long a test waits for what has to happen."""

ROME, OSLO = "I live in Rome.", "Actually, I moved to Oslo."
TEA = "I prefer tea over coffee."
FAILED = "deploy the shop to Rome failed: no quota"
QUESTION = "Where do I live?"


def facts(memory: AgentMemory, scope: Scope = ALICE) -> list[str]:
    """Return what is remembered."""
    return [it.content for it in memory.long_term.list(scope=scope)]


def waiting(memory: AgentMemory) -> list[str]:
    """Return how turns stand that wait."""
    return [it.status for it in memory.jobs.list() if it.kind == TURN_JOB]


class Killed(BaseException):
    """The end of a process."""


def killed_after(put: Callable[..., Flow[bool]], *args: Any) -> Flow[bool]:
    """Queue a turn, and end before anybody knows."""
    yield from put(*args)
    raise Killed


def spoil(connection: Connection) -> None:
    """Make the turns that wait unreadable."""
    spoilt = update(JOBS).where(JOBS.c.kind == TURN_JOB, JOBS.c.status == "queued")
    connection.execute(spoilt.values(payload="{"))


def told(model: ScriptedChatModel) -> str:
    """Return all that the model was told."""
    return "\n".join(it.text for it in model.requests[0])


class TurnsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    async def memory(
        self, database: Database, clock: Clock, embeddings: WordEmbeddings, own_call: Call
    ) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=clock, vault=ReversingVault())
        async with AgentMemory(database, embeddings=embeddings, options=options) as memory:
            await own_call(memory.consent, "grant", ALICE)
            await own_call(memory.consent, "grant", BOB)
            yield memory

    @pytest.fixture
    def other_embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    def other(self, database: Database, clock: Clock, other_embeddings: WordEmbeddings) -> AgentMemory:
        """Another process on the same database."""
        options = MemoryOptions(clock=clock, vault=ReversingVault())
        return AgentMemory(database, embeddings=other_embeddings, options=options)

    @pytest.fixture
    def say(self, memory: AgentMemory, colour: Colour) -> Say:
        """Say something to an agent that answers "Noted.", in this test's colour."""

        async def say(text: str, user: str = "alice", **options: Any) -> tuple[Any, ScriptedChatModel]:
            model = ScriptedChatModel(script=["Noted."])
            agent = create_agent(model, middleware=[memory.middleware(**options)])
            config: Any = {"configurable": {"thread_id": "t", "user_id": user, "user_name": user.title()}}
            given: Any = {"messages": [("user", text)]}
            state = agent.invoke(given, config) if colour == "sync" else await agent.ainvoke(given, config)
            return state, model

        return say

    # ------------------------------------------------------------------------------------------------------------- do
    async def test_any_process_does_what_follows(
        self, memory: AgentMemory, other: AgentMemory, clock: Clock, say: Say, call: Call
    ) -> None:
        """Another one, which never made an agent: the fact is there, with its source, and dated when it was said."""
        state, _ = await say(ROME)
        assert (state["memory"]["queued"], facts(memory), waiting(memory)) == (True, [], ["queued"])
        said = memory.jobs.list()[0].created_at
        clock.now += timedelta(days=1)
        await call(other.jobs, "run")
        [fact] = memory.long_term.list(scope=ALICE)
        assert (fact.content, waiting(memory)) == ("Alice lives in Rome", [])
        assert fact.provenance.message_ids == (state["messages"][0].id,)
        assert fact.valid_at is not None
        assert fact.valid_at <= said
        assert [it.text for it in memory.episodes.list(scope=TALK)] == [ROME]

    async def test_the_next_recall_reads_what_was_said(self, memory: AgentMemory, say: Say) -> None:
        """Nobody ran the jobs; the user's next turn does, first."""
        await say(ROME)
        _, model = await say(QUESTION)
        assert "Alice lives in Rome" in told(model)

    async def test_a_turn_of_a_host_that_is_ahead_is_read_at_once(
        self, memory: AgentMemory, clock: Clock, say: Say
    ) -> None:
        """A clock that was a year ahead when a turn was queued holds up nothing of that user's."""
        clock.now += timedelta(days=365)
        await say(ROME)
        clock.now -= timedelta(days=365)
        state, model = await say(QUESTION)
        assert "Alice lives in Rome" in told(model)
        assert state["memory"]["status"] == "ok"

    async def test_what_waits_for_its_time_is_said_to(
        self, memory: AgentMemory, database: Database, clock: Clock, say: Say
    ) -> None:
        """Of turns that are not due nobody says that another worker was at them."""
        await say(ROME)
        later = to_micros(clock.now + timedelta(days=1))
        run(database.write(lambda it: it.execute(update(JOBS).where(JOBS.c.kind == TURN_JOB).values(run_at=later))))
        state, _ = await say(QUESTION)
        assert PUT_OFF in state["memory"]["status"]

    async def test_it_is_a_choice_to_read_what_was_written(self, memory: AgentMemory, say: Say) -> None:
        """Without it, a turn waits for whoever runs the jobs."""
        await say(ROME)
        _, model = await say(QUESTION, read_your_writes=False)
        assert "Alice lives in Rome" not in told(model)
        assert waiting(memory) == ["queued", "queued"]

    async def test_the_turns_of_others_are_left_alone(self, memory: AgentMemory, say: Say) -> None:
        """Nobody waits for what another user said."""
        await say(ROME, user="bob")
        await say(QUESTION, user="alice")
        assert facts(memory, BOB) == []

    async def test_turns_are_done_in_their_order(self, memory: AgentMemory, other: AgentMemory, say: Say) -> None:
        """What was said later counts, however late both are done."""
        for text in (ROME, OSLO):
            await say(text, read_your_writes=False)
        other.jobs.run()
        assert [it.split()[-1] for it in facts(memory)] == ["Oslo"]

    # ------------------------------------------------------------------------------------------------------------ once
    async def test_a_turn_that_fails_is_tried_again(
        self, memory: AgentMemory, clock: Clock, embeddings: WordEmbeddings, say: Say, call: Call
    ) -> None:
        """The job says why, nothing is half written, and later it is done."""
        await say(ROME, read_your_writes=False)
        embeddings.fails_with = ConnectionError("on the words: I live in Rome")
        report = await call(memory.jobs, "run")
        [job] = [it for it in memory.jobs.list() if it.kind == TURN_JOB]
        assert "Rome" not in str(job.error)
        assert (report.failed, facts(memory), str(job.error).partition(":")[0]) == (1, [], "StorageError")
        embeddings.fails_with = None
        clock.now += timedelta(minutes=1)
        await call(memory.jobs, "run")
        assert facts(memory) == ["Alice lives in Rome"]

    async def test_what_a_lost_worker_did_is_done_once(
        self, memory: AgentMemory, clock: Clock, database: Database, say: Say
    ) -> None:
        """A worker that wakes up after another one did its turn writes nothing: no fact, no confidence moves twice."""
        await say(ROME, read_your_writes=False)
        queue = SQLJobs(database, clock)
        [mine] = run(queue.claim_of(ALICE, [TURN_JOB]))
        held = run(flows_of(memory.turns).read(mine))
        clock.now += timedelta(seconds=2 * LEASE_S)
        memory.jobs.run()
        before = memory.long_term.list(scope=ALICE)
        with pytest.raises(ConflictError):
            run(flows_of(memory.turns).settle(mine, held, Left()))
        assert memory.long_term.list(scope=ALICE) == before

    async def test_what_was_replaced_has_had_its_answer(
        self, memory: AgentMemory, clock: Clock, database: Database, say: Say, call: Call
    ) -> None:
        """A turn that replaces a memory, and denies it too, moves no confidence of what is no more in force."""
        known = memory.long_term.remember("Alice lives in Paris", scope=ALICE).require()
        await say(ROME, read_your_writes=False)
        [mine] = run(SQLJobs(database, clock).claim_of(ALICE, [TURN_JOB]))
        held = run(flows_of(memory.turns).read(mine))
        moved = Candidate(content="Alice lives in Rome", supersedes=(known.id,))
        run(flows_of(memory.turns).settle(mine, held, Left(candidates=[moved], signals=[(known.id, "contradicted")])))
        left = memory.long_term.get(known.id, scope=ALICE)
        why = await call(memory.long_term, "why", known.id, scope=ALICE)
        assert left is not None
        assert (left.status, left.confidence, "contradicted it" in str(why)) == ("superseded", known.confidence, False)

    async def test_a_turn_at_another_worker_is_waited_for(
        self, other: AgentMemory, other_embeddings: WordEmbeddings, say: Say
    ) -> None:
        """It is under way already; the recall comes after it."""
        await say(ROME, read_your_writes=False)
        began, goes_on = threading.Event(), threading.Event()

        def slow() -> None:
            began.set()
            goes_on.wait(PATIENCE_S)

        other_embeddings.before = slow
        worker = threading.Thread(target=other.jobs.run)
        worker.start()
        assert began.wait(PATIENCE_S)
        threading.Timer(0.2, goes_on.set).start()
        _, model = await say(QUESTION, wait_s=30)
        worker.join()
        assert "Alice lives in Rome" in told(model)

    async def test_nobody_waits_for_ever(self, memory: AgentMemory, database: Database, clock: Clock, say: Say) -> None:
        """A worker that says nothing holds an answer up for as long as was chosen."""
        await say(ROME, read_your_writes=False)
        run(SQLJobs(database, clock).claim_of(ALICE, [TURN_JOB]))
        state, _ = await say(QUESTION, wait_s=0.1)
        assert state["messages"][-1].text == "Noted."
        assert facts(memory) == []

    @pytest.fixture
    def go_on(self, memory: AgentMemory, colour: Colour) -> GoOn:
        """Run, or resume, an agent with a thread that is kept; each of its messages is told to be the next one."""
        script: list[Any] = ["Noted.", "Noted again."]
        middleware = memory.middleware(read_your_writes=False)
        agent: Any = create_agent(
            ScriptedChatModel(script=script), middleware=[middleware], checkpointer=InMemorySaver()
        )
        config = {"configurable": {"thread_id": "t", "user_id": "alice", "user_name": "Alice"}}

        async def go_on(text: str | None) -> Any:  # noqa: ANN401  (a state)
            given = None if text is None else {"messages": [("user", text)]}
            if colour == "sync":
                return agent.invoke(given, config, durability="sync")
            return await agent.ainvoke(given, config, durability="sync")

        return go_on

    @pytest.mark.parametrize("is_done", [False, True])
    async def test_a_run_that_was_killed_when_it_had_queued_its_turn_queues_it_once(
        self, memory: AgentMemory, go_on: GoOn, monkeypatch: pytest.MonkeyPatch, *, is_done: bool
    ) -> None:
        """Resumed, it finds the turn queued, or done by somebody meanwhile; the same words said again are another."""
        with monkeypatch.context() as patch:
            patch.setattr(flows_of(memory.turns), "put", partial(killed_after, flows_of(memory.turns).put))
            with pytest.raises(Killed):
                await go_on(ROME)
        assert waiting(memory) == ["queued"]
        if is_done:
            memory.jobs.run()
        before = memory.long_term.list(scope=ALICE)
        assert (await go_on(None))["memory"]["queued"]
        assert waiting(memory) == [] if is_done else ["queued"]
        memory.jobs.run()
        assert facts(memory) == ["Alice lives in Rome"]
        assert memory.long_term.list(scope=ALICE) == before or not is_done
        await go_on(ROME)
        assert waiting(memory) == ["queued"]

    async def test_what_tells_that_a_turn_was_done_is_forgotten(
        self, memory: AgentMemory, clock: Clock, database: Database, say: Say
    ) -> None:
        """Some days later nobody resumes its run; and it never counted as a job."""
        await say(ROME)
        memory.jobs.run()
        assert ([*memory.jobs.list()], memory.jobs.counts(), "done" in repr(dump(database, JOBS))) == ([], {}, True)
        clock.now += KEPT_FOR + timedelta(hours=1)
        memory.jobs.run()
        assert "done" not in repr(dump(database, JOBS))

    # ---------------------------------------------------------------------------------------------------------- erased
    async def test_what_is_erased_does_not_come_back_from_a_turn_that_waits(
        self, memory: AgentMemory, say: Say, call: Call
    ) -> None:
        """In other words, and said again: the turn is not followed up; others of the user are, and of other users."""
        await say(ROME)
        memory.jobs.run()
        [fact] = memory.long_term.list(scope=ALICE)
        for text in ("As I said, Rome is where I live.", TEA):
            await say(text, read_your_writes=False)
        await say(ROME, user="bob", read_your_writes=False)
        await call(memory.long_term, "erase", fact.id, scope=ALICE)
        await call(memory.jobs, "run")
        assert (facts(memory), facts(memory, BOB)) == (["Alice prefers tea over coffee"], ["Bob lives in Rome"])

    async def test_what_is_erased_is_no_explanation_any_more(self, memory: AgentMemory, call: Call) -> None:
        """Of turns that were queued along with one that waits, only that one's words go; how it ended, too."""
        [home, job] = [memory.long_term.remember(it, scope=ALICE).memory for it in ("Alice lives in Rome", FAILED)]
        said = [HumanMessage(ROME, id="1"), AIMessage("Noted.", id="2"), HumanMessage(TEA, id="3")]
        run(flows_of(memory.turns).put(said, 2, {"report": {}, "told": ROME}, TALK))
        ended = {"action": "deploy the shop to Rome", "detail": "no quota"}
        run(flows_of(memory.turns).put([HumanMessage(TEA, id="4")], 0, {"report": {"outcomes": [ended]}}, TALK))
        await call(memory.long_term, "erase", str(home and home.id), scope=ALICE)
        await call(memory.long_term, "erase", str(job and job.id), scope=ALICE)
        queue = SQLJobs(memory._database, memory._options.clock)
        [left] = run(queue.claim_of(ALICE, [TURN_JOB]))
        queued = run(flows_of(memory.turns).read(left))
        turn = queued.said
        assert ([it.id for it in turn.messages], turn.new_from, len(turn.times)) == (["3"], 0, 1)
        assert "Rome" not in str(queued.note)
        assert waiting(memory) == ["running"]

    async def test_a_turn_that_is_being_done_says_nothing_of_what_was_erased(
        self, memory: AgentMemory, clock: Clock, database: Database, say: Say, call: Call
    ) -> None:
        """Its worker has read the words already, and may not write them."""
        decision = memory.long_term.remember("Alice lives in Rome", scope=ALICE)
        await say(ROME, read_your_writes=False)
        [mine] = run(SQLJobs(database, clock).claim_of(ALICE, [TURN_JOB]))
        held = run(flows_of(memory.turns).read(mine))
        await call(memory.long_term, "erase", str(decision.memory and decision.memory.id), scope=ALICE)
        with pytest.raises(ConflictError):
            run(flows_of(memory.turns).settle(mine, held, Left(candidates=[Candidate(content="Alice lives in Rome")])))
        assert (facts(memory), waiting(memory)) == ([], [])

    async def test_a_turn_that_is_forgotten_is_not_followed_up(
        self, memory: AgentMemory, clock: Clock, say: Say, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It can be searched, but what follows from it had failed: it does not come back with the next attempt."""
        await say(ROME, read_your_writes=False)
        with monkeypatch.context() as patch:
            patch.setattr(flows_of(memory.turns), "settle", None)
            memory.jobs.run()
        [episode] = memory.episodes.list(scope=TALK)
        await call(memory.episodes, "forget", [episode.id], scope=TALK)
        clock.now += timedelta(minutes=1)
        await call(memory.jobs, "run")
        assert (facts(memory), [*memory.episodes.list(scope=TALK)], waiting(memory)) == ([], [], [])

    async def test_a_turn_that_cannot_be_read_stands_in_nobodys_way(
        self, memory: AgentMemory, database: Database, say: Say, call: Call
    ) -> None:
        """Consent is withdrawn, a conversation cleared and a memory erased: what nobody can read goes as well."""
        decision = memory.long_term.remember("Alice lives in Rome", scope=ALICE)
        for end in (
            partial(call, memory.long_term, "erase", str(decision.memory and decision.memory.id), scope=ALICE),
            partial(call, memory.episodes, "clear", scope=TALK),
            partial(call, memory.consent, "withdraw", ALICE),
        ):
            await say(TEA, read_your_writes=False)
            run(database.write(spoil))
            await end()
            assert waiting(memory) == []

    # ------------------------------------------------------------------------------------------------------------- end
    @pytest.mark.parametrize("how", ["withdraw", "clear"])
    async def test_a_turn_ends_with_consent_and_conversation(
        self, memory: AgentMemory, say: Say, call: Call, how: str
    ) -> None:
        """What the user allows no more, or wants gone, is not taken in afterwards."""
        await say(ROME, read_your_writes=False)
        if how == "withdraw":
            await call(memory.consent, "withdraw", ALICE)
        else:
            await call(memory.episodes, "clear", scope=TALK)
        await call(memory.jobs, "run")
        assert (waiting(memory), facts(memory)) == ([], [])

    async def test_the_words_that_wait_are_sealed(self, memory: AgentMemory, database: Database, say: Say) -> None:
        """Under a vault no word of a turn stands in the queue, its report's included."""
        await say("Do you remember that my colleague Ada lives in Ghent?")
        queued = repr(dump(database, JOBS))
        assert waiting(memory) == ["queued"]
        assert "Ghent" not in queued

    async def test_purposes_are_those_allowed_at_both_times(self, memory: AgentMemory, say: Say, call: Call) -> None:
        """What was said while all was allowed is kept for what is allowed when it is written."""
        await call(memory.consent, "grant", ALICE, purposes=["support", "ads"])
        await say(ROME, read_your_writes=False)
        await call(memory.consent, "grant", ALICE, purposes=["support"])
        await call(memory.jobs, "run")
        [fact] = memory.long_term.list(scope=ALICE)
        assert fact.purposes == ("support",)
