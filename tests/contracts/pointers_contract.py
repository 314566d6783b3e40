"""What holds where conversations and episodes are in one database: episodes point, and end with their messages."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from sqlalchemy import select

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import EPISODES
from langchain_agentmem.types import IngestReport
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, sql
from tests.talks import OTHER_TALK, TALK, remains, talk, turn

CARD = "4111 1111 1111 1111"


def echo(messages: list[BaseMessage]) -> AIMessage:
    """Answer by what was asked."""
    return AIMessage(f"You said: {messages[-1].text}")


class Pointing:
    """A memory whose conversations are in its own database; subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        """How conversations are kept."""
        return {"ttl": timedelta(days=7)}

    @pytest.fixture
    async def memory(
        self, database: Database, clock: Clock, embeddings: WordEmbeddings, settings: dict[str, Any], own_call: Call
    ) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=clock, sessions=settings, episodes_for=timedelta(days=1))
        async with AgentMemory(database, embeddings=embeddings, options=options) as memory:
            await own_call(memory.consent, "grant", ALICE)
            yield memory


class PointersContract(Pointing):
    """Laws of conversations that are kept whole."""

    async def test_what_is_stored_can_be_searched(self, memory: AgentMemory, call: Call) -> None:
        """Each turn of a chat history, with its words, its time, and the ids of its messages."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon", "I like tea"))
        found = await call(memory.long_term, "recall", "Where did Nora move?", scope=ALICE, limit=1)
        [listed, _] = await call(memory.episodes, "list", scope=TALK)
        assert found[0].memory.content == "user: Nora moved to Lisbon\nassistant: I see, Nora moved to Lisbon"
        assert found[0].memory.provenance.message_ids == ("h0", "a0")
        assert (listed.as_memory(), listed.expires_at) == (found[0].memory, None)

    async def test_no_word_is_stored_twice(self, memory: AgentMemory, database: Database, call: Call) -> None:
        """An episode holds the ids of its messages, hashes and a vector."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon"))
        rows = run(database.read(lambda connection: connection.execute(select(EPISODES)).all()))
        assert [row.session_ref is not None for row in rows] == [True]
        assert b"Lisbon" not in repr(rows).encode()

    async def test_a_turn_that_is_stored_in_parts_is_one_turn(self, memory: AgentMemory, call: Call) -> None:
        """As an agent stores it: words, calls, results and the answer, one by one."""
        history = memory.history(TALK)
        await call(history, "add_messages", [HumanMessage("Deploy it", id="h")])
        for number in range(5):
            await call(history, "add_messages", [AIMessage("", id=f"c{number}", tool_calls=[])])
        await call(history, "add_messages", [AIMessage("Deployed", id="a")])
        [kept] = await call(memory.episodes, "list", scope=ALICE)
        assert (kept.text, kept.reply, kept.message_ids) == ("Deploy it", "Deployed", ("h", "a"))

    async def test_sensitive_data_is_masked_on_reading_too(
        self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """The conversation keeps what was said; recall, listing and embedding do not see it."""
        await call(memory.history(TALK), "add_messages", turn(1, f"My card is {CARD}", "Noted"))
        found = await call(memory.long_term, "recall", "What is my card?", scope=ALICE)
        [listed] = await call(memory.episodes, "list", scope=ALICE)
        assert found[0].memory.content.startswith("user: My card is [card]")
        assert listed.text == "My card is [card]"
        assert not any("4111" in text for text in embeddings.texts)

    async def test_an_answer_widens_no_purpose(self, memory: AgentMemory, call: Call) -> None:
        """What was said for one purpose serves that one, whatever the user allows when it is answered."""
        history = memory.history(TALK)
        await call(memory.consent, "grant", ALICE, purposes=["support"])
        await call(history, "add_messages", turn(1, "Nora moved to Lisbon"))
        await call(memory.consent, "grant", ALICE)
        await call(history, "add_messages", [AIMessage("Lovely", id="a1")])
        await call(memory.consent, "grant", ALICE, purposes=["ads"])
        await call(history, "add_messages", [AIMessage("Want to go?", id="b1")])
        [kept] = await call(memory.episodes, "list", scope=ALICE)
        assert (kept.reply, kept.purposes) == ("Lovely", ("support",))

    async def test_an_answer_brings_in_nothing_that_was_said_without_consent(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """What the user said while it was withdrawn, or was told then, is taken only by an index that is asked for."""
        history = memory.history(TALK)
        await call(history, "add_messages", turn(1, "Nora moved to Lisbon"))
        await call(memory.consent, "withdraw", ALICE)
        await call(history, "add_messages", [AIMessage("To Lisbon?", id="a1"), *turn(2, "She is ill")])
        await call(memory.consent, "grant", ALICE)
        await call(history, "add_messages", [AIMessage("I am sorry", id="a2")])
        listed = await call(memory.episodes, "list", scope=ALICE)
        assert [(it.text, it.reply) for it in listed] == [("Nora moved to Lisbon", "")]
        assert (await call(memory.episodes, "index", scope=TALK)).kept == 2

    async def test_an_answer_joins_what_is_kept_of_its_turn(self, memory: AgentMemory, call: Call) -> None:
        """Of a turn that was answered in part while consent was withdrawn, that part stays out."""
        history = memory.history(TALK)
        await call(history, "add_messages", turn(1, "Nora moved to Lisbon"))
        await call(memory.consent, "withdraw", ALICE)
        await call(history, "add_messages", [AIMessage("Is she ill?", id="a1")])
        await call(memory.consent, "grant", ALICE)
        await call(history, "add_messages", [AIMessage("Lovely", id="b1")])
        [kept] = await call(memory.episodes, "list", scope=ALICE)
        assert (kept.text, kept.reply) == ("Nora moved to Lisbon", "Lovely")

    async def test_a_wrapped_chain_can_be_searched(self, memory: AgentMemory, call: Call) -> None:
        """Its turns by themselves; not those of a frozen call, and not those of another user."""
        chain = memory.wrap(RunnableLambda(echo))
        config = {"configurable": {"user_id": "alice", "session_id": "talk"}}
        frozen = {"configurable": {**config["configurable"], "memory_mode": "frozen"}}
        await call(chain, "invoke", [HumanMessage("Nora moved to Lisbon")], config)
        await call(chain, "invoke", [HumanMessage("Do not keep this")], frozen)
        await call(chain, "invoke", [HumanMessage("I like tea")], config)
        listed = await call(memory.episodes, "list", scope=ALICE)
        assert [(it.text, it.reply) for it in listed] == [
            ("Nora moved to Lisbon", "You said: Nora moved to Lisbon"),
            ("I like tea", "You said: I like tea"),
        ]

    # ----------------------------------------------------------------------------------------------------------- index
    async def test_what_was_left_out_is_taken_later(
        self, memory: AgentMemory, embeddings: WordEmbeddings, caplog: pytest.LogCaptureFixture, call: Call
    ) -> None:
        """A failing model costs no turn; `index` takes what it left, in its place, and nothing twice."""
        history = memory.history(TALK)
        await call(history, "add_messages", turn(1, "one", "1"))
        embeddings.fails_with = RuntimeError("Nora")
        with caplog.at_level(logging.WARNING):
            await call(history, "add_messages", turn(2, "two", "2"))
        embeddings.fails_with = None
        await call(history, "add_messages", turn(3, "three", "3"))
        told: list[IngestReport] = []
        report = await call(memory.episodes, "index", scope=TALK, progress=told.append)
        listed = await call(memory.episodes, "list", scope=ALICE)
        assert (report, told) == (IngestReport(kept=1, known=2), [report])
        assert [it.text for it in listed] == ["one", "two", "three"]
        assert "Nora" not in caplog.text

    async def test_all_conversations_can_be_taken_at_once(
        self, memory: AgentMemory, database: Database, clock: Clock, call: Call
    ) -> None:
        """What was stored before the user agreed, or by other means; again, it adds nothing."""
        sessions = SQLSessions(database, clock=clock)
        for number in range(3):
            run(sessions.append(Scope("alice", session_id=f"s{number}"), talk("one", "two")))
        first = await call(memory.episodes, "index", scope=ALICE)
        assert first == IngestReport(kept=6)
        assert await call(memory.episodes, "index", scope=ALICE) == IngestReport(known=6)

    async def test_a_turn_across_pages_is_one(self, memory: AgentMemory, database: Database, call: Call) -> None:
        """A history is read some hundred messages at a time, and cut where people speak."""
        replies = [AIMessage(f"{it}", id=f"a{it}") for it in range(700)]
        run(SQLSessions(database).append(TALK, [HumanMessage("count", id="h"), *replies, *turn(9, "enough")]))
        report = await call(memory.episodes, "index", scope=TALK)
        listed = await call(memory.episodes, "list", scope=ALICE)
        assert (report.kept, [len(it.message_ids) for it in listed]) == (2, [701, 1])

    async def test_without_consent_a_history_is_a_history(self, memory: AgentMemory, call: Call) -> None:
        """Nothing is kept of it, and no log begins."""
        carol = Scope("carol", session_id="talk")
        await call(memory.history(carol), "add_messages", talk("Carol lives in Rome"))
        assert not await call(memory.episodes, "list", scope=carol)
        assert (await call(memory.long_term, "verify", scope=carol)).events == 0
        assert await call(memory.episodes, "index", scope=carol) == IngestReport(refused={"consent": 1})

    async def test_keeping_can_be_turned_off(self, database: Database, call: Call) -> None:
        """By one option; asked for, it works all the same."""
        memory = AgentMemory(database, embeddings=None, options=MemoryOptions(consent="assumed", episodes=False))
        await call(memory.history(TALK), "add_messages", talk("one"))
        assert not await call(memory.episodes, "list", scope=ALICE)
        assert (await call(memory.episodes, "index", scope=TALK)).kept == 1

    # ------------------------------------------------------------------------------------------------------------- end
    async def test_a_cleared_conversation_is_gone_from_search(
        self, memory: AgentMemory, database: Database, call: Call
    ) -> None:
        """With its words go terms and vectors; another conversation stays, and the same one may be told anew."""
        for scope in (TALK, OTHER_TALK):
            await call(memory.history(scope), "add_messages", talk("Nora moved to Lisbon"))
        await call(memory.history(TALK), "clear")
        assert [it.scope for it in await call(memory.episodes, "list", scope=ALICE)] == [OTHER_TALK]
        assert remains(database) == []
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon"))
        assert len(await call(memory.episodes, "list", scope=TALK)) == 1

    async def test_a_view_of_another_process_follows(
        self, memory: AgentMemory, database: Database, clock: Clock, call: Call
    ) -> None:
        """What a history without a memory ends, the memory does not propose any more."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon"))
        assert len(await call(memory.long_term, "recall", "Where did Nora move?", scope=ALICE)) == 1
        run(SQLSessions(database, clock=clock).clear(TALK))
        found = await call(memory.long_term, "recall", "Where did Nora move?", scope=ALICE)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert (len(found), receipt.lines, remains(database)) == (0, (), [])

    async def test_an_expired_conversation_is_gone_at_once(
        self, memory: AgentMemory, database: Database, clock: Clock, call: Call
    ) -> None:
        """Before it is swept, what points into it is not returned; a sweep leaves nothing."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon", "I like tea"))
        clock.now += timedelta(days=8)
        found = await call(memory.long_term, "recall", "Where did Nora move?", scope=ALICE, limit=1)
        assert (len(found), [*await call(memory.episodes, "list", scope=ALICE)]) == (0, [])
        await call(memory.history(TALK), "sweep")
        assert remains(database) == []

    async def test_a_conversation_that_begins_anew_has_none_of_the_old_turns(
        self, memory: AgentMemory, database: Database, clock: Clock, call: Call
    ) -> None:
        """The next message after an expiry ends what was before it."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon"))
        clock.now += timedelta(days=8)
        await call(memory.history(TALK), "add_messages", turn(7, "Good morning", "Hello"))
        assert [it.text for it in await call(memory.episodes, "list", scope=ALICE)] == ["Good morning"]
        assert remains(database) == []

    async def test_what_a_message_was_taken_from_by_hand_is_dropped(
        self, memory: AgentMemory, database: Database, call: Call
    ) -> None:
        """A pointer at nothing is never returned, and is taken out when it is met."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon"))
        [kept] = await call(memory.episodes, "list", scope=ALICE)
        sql(database, "DELETE FROM agentmem_messages WHERE message_id = 'a0'")
        assert len(await call(memory.long_term, "recall", "Where did Nora move?", scope=ALICE)) == 0
        assert await call(memory.episodes, "get", kept.id, scope=ALICE) is None
        assert remains(database) == []

    async def test_forgetting_a_turn_leaves_the_conversation(self, memory: AgentMemory, call: Call) -> None:
        """It is not searched any more, and an index does not bring it back."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon"))
        [kept] = await call(memory.episodes, "list", scope=ALICE)
        await call(memory.episodes, "forget", [kept.id], scope=ALICE)
        assert len(await call(memory.history(TALK), "get_messages")) == 2
        assert await call(memory.episodes, "index", scope=TALK) == IngestReport(known=1)

    async def test_an_agent_does_not_bring_back_what_was_forgotten(self, memory: AgentMemory, call: Call) -> None:
        """Nor does it list what all agents share twice; what is new to all of them it takes."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon", "I like tea"))
        gone = next(it.id for it in await call(memory.episodes, "list", scope=ALICE) if "Nora" in it.text)
        await call(memory.episodes, "forget", [gone], scope=ALICE)
        helper = Scope("alice", agent_id="helper", session_id="talk")
        report = await call(memory.episodes, "index", scope=helper)
        await call(memory.history(helper), "add_messages", turn(9, "Good night"))
        listed = await call(memory.episodes, "list", scope=helper)
        assert (report, [it.text for it in listed]) == (IngestReport(known=2), ["I like tea", "Good night"])

    async def test_another_model_reads_conversations(
        self, memory: AgentMemory, database: Database, clock: Clock, call: Call
    ) -> None:
        """Words are read where they are; what points at nothing is no obstacle."""
        await call(memory.history(TALK), "add_messages", talk("Nora moved to Lisbon", "I like tea"))
        sql(database, "DELETE FROM agentmem_messages WHERE message_id = 'h1'")
        other = AgentMemory(database, embeddings=WordEmbeddings("other"), options=MemoryOptions(clock=clock))
        report = await call(other.long_term, "reindex")
        found = await call(other.long_term, "recall", "Where did Nora move?", scope=ALICE)
        assert (report.embedded, ["vector" in hit.parts for hit in found]) == (1, [True])


class TrimmedPointersContract(Pointing):
    """Laws of conversations that keep their last four messages."""

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"ttl": timedelta(days=7), "max_messages": 4}

    async def test_what_made_room_is_gone_from_search(
        self, memory: AgentMemory, database: Database, call: Call
    ) -> None:
        """A turn ends with the first of its messages."""
        history = memory.history(TALK)
        for number, said in enumerate(("one", "two", "three")):
            await call(history, "add_messages", turn(number, said, f"You said {said}"))
        assert [it.text for it in await call(memory.episodes, "list", scope=ALICE)] == ["two", "three"]
        await call(history, "add_messages", turn(9, "four"))
        assert [it.text for it in await call(memory.episodes, "list", scope=ALICE)] == ["three", "four"]
        assert remains(database) == []
