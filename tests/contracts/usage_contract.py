"""The contract of sizes: rows and bytes, layer by layer, of one user where a user is asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import arun
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types.runs import RunStep
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice")
BOB = Scope("bob")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID: list[BaseMessage] = [HumanMessage("I sold my boat in Kiel", id="h"), AIMessage("Noted.", id="a")]


class UsageContract:
    """Subclass it beside a fixture `sql_url`, and where conversations and threads are on Redis, a fixture `redis`."""

    @pytest.fixture
    def redis(self) -> RedisDatabase | None:
        return None

    @pytest.fixture
    async def memory(self, sql_url: str, redis: RedisDatabase | None) -> AsyncIterator[AgentMemory]:
        store = {"subject": lambda namespace: Scope(namespace[1], tenant_id=namespace[0])}
        options = MemoryOptions(consent="assumed", store=store)
        database = Database(sql_url)
        async with AgentMemory(database, redis=redis, embeddings=WordEmbeddings(), options=options) as memory:
            yield memory

    async def test_usage_is_of_one_user(self, memory: AgentMemory, call: Call) -> None:
        """What is stored of others moves no number, whatever they do."""
        await self._use(memory, ALICE, call)
        before = (await call(memory.metrics, "usage", ALICE)).layers
        for scope in (BOB, replace(ALICE, tenant_id="other"), Scope("alice ")):
            await self._use(memory, scope, call)
        assert (await call(memory.metrics, "usage", ALICE)).layers == before
        of_bob = (await call(memory.metrics, "usage", BOB)).layers
        assert {name: size.rows for name, size in of_bob.items()} == {name: size.rows for name, size in before.items()}
        nobody = await call(memory.metrics, "usage", Scope("carol"))
        assert (nobody.rows, nobody.bytes, nobody.users) == (0, 0, 0)

    async def test_the_totals_are_of_all_users(self, memory: AgentMemory, call: Call) -> None:
        """They are the sum of every user's, layer by layer."""
        for scope in (ALICE, BOB):
            await self._use(memory, scope, call)
        each = [await call(memory.metrics, "usage", scope) for scope in (ALICE, BOB)]
        totals = await call(memory.metrics, "totals")
        assert totals.users == 2
        assert totals.layers == {
            name: tuple(map(sum, zip(*(it.layers[name] for it in each), strict=True))) for name in totals.layers
        }

    async def test_every_layer_is_measured(self, memory: AgentMemory, call: Call) -> None:
        """Each has rows, and bytes of what is in them."""
        await self._use(memory, ALICE, call)
        layers = (await call(memory.metrics, "usage", ALICE)).layers
        assert {name for name, size in layers.items() if not (size.rows and size.bytes)} == set()

    async def test_a_layer_that_fills_suddenly_has_moved(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It grew in the last hour and not in the one before; the others did not, and nobody else's."""
        for hour in range(3):
            monkeypatch.setattr(memory.metrics, "_clock", lambda hour=hour: NOW + timedelta(hours=hour))
            for number in range(12 if hour == 2 else 0):
                await call(memory.long_term, "remember", f"The user owns boat number {number}", scope=ALICE)
            of_alice, of_bob = [await call(memory.metrics, "growth", scope) for scope in (ALICE, BOB)]
        usage = await call(memory.metrics, "usage", ALICE)
        assert {name: it.rows.now.by for name, it in of_alice.items()} == {
            name: size.rows for name, size in usage.layers.items()
        }
        assert {name for name, it in of_alice.items() if it.has_moved} == {"memories", "vectors", "log"}
        assert not any(it.has_moved for it in of_bob.values())

    async def test_what_is_erased_is_not_counted(self, memory: AgentMemory, call: Call) -> None:
        """A memory that is gone takes no row and no byte of its layer; the log says that it was."""
        kept = (await call(memory.profiles, "add_fact", "Alice owns a boat", scope=ALICE)).memory
        await call(memory.profiles, "get", scope=ALICE)
        before = await call(memory.metrics, "usage", ALICE)
        await call(memory.long_term, "erase", kept.id, scope=ALICE)
        after = await call(memory.metrics, "usage", ALICE)
        grown = after.since(before)
        assert after.layers.get("profiles", (0, 0)) == (0, 0)
        assert (grown["memories"].rows, grown["vectors"].rows, grown["log"].rows) == (-1, -1, 1)
        assert grown["memories"].bytes == -before.layers["memories"].bytes

    async def test_what_is_gone_from_a_conversation_is_not_counted(self, memory: AgentMemory, call: Call) -> None:
        """A conversation that was cleared takes no row and no byte, whichever place it was in."""
        talk = replace(ALICE, session_id="talk")
        history = memory.history(talk)
        await history.aadd_messages(SAID)
        assert (await call(memory.metrics, "usage", ALICE)).layers["conversations"].rows == 2
        await history.aclear()
        assert (await call(memory.metrics, "usage", ALICE)).layers["conversations"] == (0, 0)

    async def test_copies_of_profiles_are_measured(
        self, memory: AgentMemory, redis: RedisDatabase | None, call: Call
    ) -> None:
        """Where they are on Redis: one for all agents of a user, one for each; beside the ledger there is none."""
        await call(memory.profiles, "add_fact", "Alice owns a boat", scope=ALICE)
        for scope in (ALICE, replace(ALICE, agent_id="coder")):
            await call(memory.profiles, "get", scope=scope)
        for found in (await call(memory.metrics, "usage", ALICE), await call(memory.metrics, "totals")):
            size = found.layers.get("profiles")
            assert size is None if redis is None else size is not None and size.rows == 2 and size.bytes > 0

    @pytest.mark.parametrize("scope", [None, "alice", Scope.anonymous("s"), replace(ALICE, agent_id="coder")])
    async def test_usage_needs_a_whole_user(self, memory: AgentMemory, call: Call, scope: Any) -> None:  # noqa: ANN401
        """No user by mistake is not all users, and an agent does not learn what another one keeps."""
        with pytest.raises(ScopeError):
            await call(memory.metrics, "usage", scope)

    async def _use(self, memory: AgentMemory, scope: Scope, call: Call) -> None:
        """Leave something in every layer."""
        begun = RunStep(no=1, kind="began", at=NOW, body={"name": "chat"})
        await arun(memory._parts[0].ledger.append(scope, lambda writer: writer.runs.put("run", [begun])))
        talk = replace(scope, session_id=f"{scope.tenant_id}-{scope.user_id}")
        await call(memory.long_term, "remember", "The user owns a boat", scope=scope)
        await call(memory.long_term, "recall", "boat", scope=scope)
        await call(memory.profiles, "add_fact", "The user sails to Kiel", scope=scope)
        await call(memory.profiles, "get", scope=scope)
        await call(memory.episodes, "ingest", SAID, scope=talk)
        await memory.history(talk).aadd_messages(SAID)
        whose = {"user_id": scope.user_id, "tenant_id": scope.tenant_id}
        thread: RunnableConfig = {"configurable": {"thread_id": talk.session_id, "checkpoint_ns": "", **whose}}
        checkpoint = {**empty_checkpoint(), "channel_values": {"messages": SAID}, "channel_versions": {"messages": "1"}}
        await memory.checkpointer.aput(thread, cast("Checkpoint", checkpoint), {}, {"messages": "1"})
        await memory.store.aput((scope.tenant_id, scope.user_id), "boat", {"name": "Kiel"})
        await memory.working.aupdate(talk, goal="Sell the boat")
        queued = memory.long_term._flows._parts.ledger.append(
            scope, lambda writer: writer.enqueue("of_a_test", {"for": "later"}, NOW)
        )
        await arun(queued)
