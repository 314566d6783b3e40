"""Profiles and goals on PostgreSQL, and with copies of profiles on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import pytest

from langchain_agentmem import AgentMemory, MemoryOptions
from langchain_agentmem._flow import run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.profiles.redis import RedisProfileViews
from langchain_agentmem.profiles.views import ProfileViews
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.goals_contract import GoalsContract
from tests.contracts.history_backends import ReversingVault
from tests.contracts.profiles_contract import ANA, Clock, ProfilesContract
from tests.proxy import proxy
from tests.servers import Server
from tests.whole import ByTurns


class TestGoals(GoalsContract):
    """The whole contract, on PostgreSQL."""

    by_turns: ClassVar[ByTurns] = (GoalsContract, 1)


class TestProfiles(ProfilesContract):
    """The whole contract, on PostgreSQL and Valkey."""

    by_turns: ClassVar[ByTurns] = (ProfilesContract, 1)

    @pytest.fixture
    def redis(self, valkey_url: str) -> Iterator[RedisDatabase]:
        database = RedisDatabase(valkey_url)
        yield database
        database.close()


@pytest.fixture
def redis(redis_url: str) -> Iterator[RedisDatabase]:
    database = RedisDatabase(redis_url)
    yield database
    database.close()


@pytest.fixture
def memory(sql_url: str, redis: RedisDatabase) -> Iterator[AgentMemory]:
    """A memory whose copies can be told to be sealed."""
    options = MemoryOptions(consent="assumed", vault=ReversingVault())
    with AgentMemory(Database(sql_url), redis=redis, embeddings=None, options=options) as memory:
        yield memory


def copies(redis: RedisDatabase) -> dict[bytes, bytes]:
    """All that is kept of profiles, of one user, as it is stored."""
    [name] = [it for it in run(redis.scan(b"*")) if it.endswith(b":profile")]
    [found] = run(redis.read(("HGETALL", name)))
    return dict(zip(found[::2], found[1::2], strict=True))


async def test_a_copy_serves_another_process(memory: AgentMemory, redis: RedisDatabase, call: Call) -> None:
    """A process that begins takes the copy and looks through no memories; an older copy counts for nothing."""
    await call(memory.profiles, "set", "name", "Ana", scope=ANA)
    await call(memory.profiles, "get", scope=ANA)
    remote = RedisProfileViews(redis, vault=ReversingVault())
    kept = run(remote.get(ANA))
    assert kept is not None
    altered = {it.id: replace(it, object="of the copy") for it in kept.memories.values()}
    run(remote.put(ANA, replace(kept, memories=altered)))
    begun = run(ProfileViews(memory._parts[0].ledger, remote).open(ANA))
    assert [it.object for it in begun.memories.values()] == ["of the copy"]
    await call(memory.long_term, "remember", "Ana owns a boat", scope=ANA)
    later = run(ProfileViews(memory._parts[0].ledger, remote).open(ANA))
    assert [it.object for it in later.memories.values()] == ["Ana"]


async def test_what_is_erased_goes_from_the_copies(memory: AgentMemory, redis: RedisDatabase, call: Call) -> None:
    """Of every agent, and a copy that was begun before comes too late; what is kept is sealed and ends by itself."""
    secret = (await call(memory.profiles, "add_fact", "Ana keeps a raven", scope=ANA)).memory
    scopes = (ANA, replace(ANA, agent_id="coder"))
    for scope in scopes:
        await call(memory.profiles, "get", scope=scope)
    stored = copies(redis)
    assert set(stored) == {b"shared", b"agent:coder"}
    assert b"raven" not in b"".join(stored.values())
    assert b"raven"[::-1] in stored[b"shared"]
    remote = RedisProfileViews(redis, vault=ReversingVault())
    begun = run(remote.get(ANA))
    assert begun is not None
    await call(memory.long_term, "erase", secret.id, scope=ANA)
    run(remote.put(ANA, begun))
    assert set(copies(redis)) == {b"floor"}
    [left] = run(redis.read(("PTTL", redis.key("default\0ana", "profile"))))
    assert left > 0


async def test_what_may_not_be_read_is_not_copied(
    memory: AgentMemory, sql_url: str, redis: RedisDatabase, call: Call
) -> None:
    """A withdrawal drops the copies of every agent, and nobody who asks afterwards makes one, until it is granted."""
    await call(memory.profiles, "set", "name", "Ana", scope=ANA)
    await call(memory.profiles, "get", scope=ANA)
    assert set(copies(redis)) == {b"shared"}
    await call(memory.consent, "withdraw", ANA)
    for name, given in (("get", ()), ("set", ("name", "Anna")), ("explain", ("name",))):
        other = AgentMemory(Database(sql_url), redis=redis, embeddings=None, options=memory._options)
        await call(other.profiles, name, *given, scope=ANA)
        await call(other._database, "close")
    assert set(copies(redis)) == {b"floor"}


@pytest.mark.usefixtures("valkey_url")
def test_a_profile_is_read_without_redis(sql_url: str, valkey_server: Server) -> None:
    """Redis away is a slower profile, not an older one; nothing is erased until the states of tasks can be reached."""
    with proxy(valkey_server.port) as line:
        redis = RedisDatabase(f"redis://{valkey_server.host}:{line.port}/0", timeout_s=0.5)
        clock = Clock()
        options = MemoryOptions(consent="assumed", clock=clock)
        with AgentMemory(Database(sql_url), redis=redis, embeddings=None, options=options) as memory:
            kept = memory.profiles.set("name", "Ana", scope=ANA).require()
            assert memory.profiles.get(scope=ANA).name == "Ana"
            line.refuse()
            memory.profiles.set("name", "Anna", scope=ANA)
            profile = memory.profiles.get(scope=ANA)
            assert (profile.name, profile.last_interaction, profile.status) == ("Anna", None, "ok")
            kept_before = memory.long_term.get(kept.id, scope=ANA)
            with pytest.raises(StorageError) as away:  # the states of tasks, which may tell it, are not reached
                memory.long_term.erase(kept.id, scope=ANA)
            assert away.value.is_retryable
            assert memory.long_term.get(kept.id, scope=ANA) == kept_before
            line.heal()
            memory.long_term.erase(kept.id, scope=ANA)
            assert set(copies(redis)) == {b"floor"}


def test_what_is_no_copy_of_ours_is_made_anew(memory: AgentMemory, redis: RedisDatabase) -> None:
    """Bytes that were changed, or are of another form, are no profile; the ledger is read."""
    memory.profiles.set("name", "Ana", scope=ANA)
    memory.profiles.get(scope=ANA)
    name = redis.key("default\0ana", "profile")
    for damaged in (b"garbage", copies(redis)[b"shared"][:-3]):
        run(redis.write(("HSET", name, "shared", damaged)))
        view = run(ProfileViews(memory._parts[0].ledger, RedisProfileViews(redis, vault=ReversingVault())).open(ANA))
        assert [it.object for it in view.memories.values()] == ["Ana"]
        assert copies(redis)[b"shared"] != damaged
