"""What no index of a user names any more, as Redis evicted it or somebody deleted it, is theirs all the same."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import MessagesState, StateGraph

from langchain_agentmem import AgentMemory, Scope, SubjectVault
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.chat_history import RedisChatMessageHistory
from langchain_agentmem.checkpoints.redis.thread import thread_keys
from langchain_agentmem.errors import StorageError
from langchain_agentmem.privacy.held_layers import ProfileLayer
from langchain_agentmem.privacy.redis_layers import RedisIds
from langchain_agentmem.redis.address import Node
from langchain_agentmem.redis.keys import name_key, owner_tag, tag_of
from langchain_agentmem.redis.routes import Routes
from langchain_agentmem.redis.wire import Command
from tests.conftest import Call
from tests.contracts.redis_backend import READERS
from tests.vaults import MemoryKeys

PREFIX: Final = "agentmem"
ALICE: Final = Scope("u1")
LIKE_ALICE: Final = [
    *(
        Scope("u10"),
        Scope("u"),
        Scope("u?"),
        Scope("u*"),
        Scope("*"),
        Scope("[u]1"),
        Scope("U1"),
        Scope("u1}:session:x"),
    ),
    *(Scope("u1", tenant_id="default2"), Scope("u1", tenant_id="*"), Scope("default", tenant_id="u1")),
]
ODD: Final = "a*[b]?:{c}\\é 100%"
"""A name of a conversation and a thread in which nothing stands for anything else."""

Dump: TypeAlias = Mapping[bytes, object]
Sent: TypeAlias = list[tuple[Node, Sequence[Command]]]


@pytest.fixture
def is_sealed() -> bool:
    return False


@pytest.fixture
def memory(redis_url: str, tmp_path: Path, is_sealed: bool) -> Iterator[AgentMemory]:  # noqa: FBT001  (a parameter)
    vault = SubjectVault(MemoryKeys()) if is_sealed else None
    settings: dict[str, Any] = {"embeddings": None, "consent": "assumed", "vault": vault}
    with AgentMemory.connect(sql=f"sqlite:///{tmp_path / 'agent.db'}", redis=redis_url, **settings) as memory:
        yield memory


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """What was sent together to which server, in order."""
    send, sent = Routes._send, list[tuple[Node, Sequence[Command]]]()

    def noting(routes: Routes, node: Node, commands: Sequence[Command]) -> Flow[list[Any]]:
        sent.append((node, commands))
        return send(routes, node, commands)

    monkeypatch.setattr(Routes, "_send", noting)
    return sent


def looks(sent: Sent) -> set[int]:
    """Return how often each server began to tell its keys."""
    counts = Counter(node for node, commands in sent for it in commands if it[:2] == ("SCAN", 0))
    return set(counts.values())


def ask(memory: AgentMemory, *command: Any) -> Any:  # noqa: ANN401  (whatever the server answers)
    assert memory._redis is not None
    return run(memory._redis.write(command))[0]


def dump(memory: AgentMemory) -> Dump:
    """Return everything on Redis, but whether it is sealed, and who may still come late with a profile."""
    assert memory._redis is not None
    keys = [it for it in run(memory._redis.scan(b"*")) if not it.endswith((b"{sealed}", b":profile"))]
    readers = {it: READERS[ask(memory, "TYPE", it)] for it in keys}
    return {it: ask(memory, name, it, *more) for it, (name, *more) in readers.items()}


def replying(memory: AgentMemory) -> Any:  # noqa: ANN401  (a graph)
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda _: {"messages": [AIMessage("so")]})
    graph.set_entry_point("answer")
    return graph.compile(checkpointer=memory.checkpointer)


def thread_of(user: Scope, name: str) -> str:
    return f"{user.tenant_id}/{user.user_id}/{name}"


def say(memory: AgentMemory, user: Scope, *names: str) -> None:
    """Begin conversations, working states and threads of these names."""
    for name in names:
        session = Scope(user.user_id, tenant_id=user.tenant_id, session_id=name)
        memory.history(session).add_messages([HumanMessage("quokka", id="m1")])
        memory.working.update(session, goal="find the quokka")
        who = {"thread_id": thread_of(user, name), "user_id": user.user_id, "tenant_id": user.tenant_id}
        replying(memory).invoke({"messages": [HumanMessage("quokka", id="t1")]}, {"configurable": who})


def indexes(user: Scope) -> list[bytes]:
    """Return the keys by which a user's conversations, states and threads are listed."""
    parts = (("sessions",), ("working",), ("owner", "ids"), ("owner", "marks"))
    return [name_key(PREFIX, owner_tag(user), *it) for it in parts]


def lose(memory: AgentMemory, *keys: bytes) -> None:
    for key in keys:
        assert ask(memory, "DEL", key) == 1, key


EITHER: Final = pytest.mark.parametrize("is_sealed", [False, True], ids=["plain", "vault"])


@EITHER
async def test_an_erasure_finds_what_no_index_names(
    memory: AgentMemory, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    """Not a key of the user is left, not one of others with a similar name is touched, and the log says how many."""
    for user in LIKE_ALICE:
        say(memory, user, "s")
    before = dump(memory)
    say(memory, ALICE, "s", ODD)
    lose(memory, *indexes(ALICE))
    with caplog.at_level(logging.WARNING, "langchain_agentmem"):
        report = await call(memory.privacy, "erase", ALICE)
    told = {it.name: it.before for it in report.layers if it.name.endswith("_redis")}
    assert told == {"conversations_redis": 2, "working_redis": 2, "threads_redis": 2, "profiles_redis": 0}
    assert (report.status, report.is_empty) == ("erased", True)
    assert dump(memory) == before
    for layer in ("conversations_redis", "working_redis", "threads_redis"):
        assert f"{layer}: no index named 2 of" in caplog.text


async def test_an_erasure_finds_what_an_index_that_began_anew_leaves_out(memory: AgentMemory, call: Call) -> None:
    """A write after the loss begins an index with what it is of: the rest is found all the same, counted once each."""
    say(memory, ALICE, "s", "t")
    lose(memory, *indexes(ALICE))
    say(memory, ALICE, "u")
    report = await call(memory.privacy, "erase", ALICE)
    told = {it.name: it.before for it in report.layers}
    assert [told[it] for it in ("conversations_redis", "working_redis", "threads_redis")] == [3] * 3
    assert report.is_empty
    assert dump(memory) == {}


def meta(name: str) -> bytes:
    """Return the key that says whose a thread of Alice's is, and what labels it has."""
    return thread_keys(PREFIX, thread_of(ALICE, name))[0]


LOST: Final[Mapping[str, Sequence[bytes]]] = {
    "ids": [indexes(ALICE)[2]],
    "marks": [indexes(ALICE)[3]],
    "meta": [meta("s")],
    "ids and meta": [indexes(ALICE)[2], meta("s")],
    "marks and meta": [indexes(ALICE)[3], meta("s")],
    "a thread": thread_keys(PREFIX, thread_of(ALICE, "s")),
    "a thread and ids": [*thread_keys(PREFIX, thread_of(ALICE, "s")), indexes(ALICE)[2]],
    "a thread and its index": [*thread_keys(PREFIX, thread_of(ALICE, "s")), *indexes(ALICE)[2:]],
}
"""What may be lost of one user's threads without all of it being lost that tells whose they are."""


@EITHER
@pytest.mark.parametrize("lost", LOST)
async def test_whichever_key_was_lost_an_erasure_leaves_no_other(memory: AgentMemory, call: Call, lost: str) -> None:
    """Neither content nor an id in any index, the shared ones too; of others all is as it was."""
    for user in LIKE_ALICE:
        say(memory, user, "s")
    before = dump(memory)
    say(memory, ALICE, "s", "t")
    lose(memory, *LOST[lost])
    report = await call(memory.privacy, "erase", ALICE)
    assert (report.is_empty, [it for it in report.remains if "lost what says" in it]) == (True, [])
    assert dump(memory) == before


@pytest.mark.parametrize("part", ["ids", "marks"])
async def test_half_of_a_shared_index_hides_no_entry_of_the_other(memory: AgentMemory, call: Call, part: str) -> None:
    """Of the index of all threads, or of labels, one key was lost: the other one keeps no id of a user's."""
    say(memory, ALICE, "s", "t")
    shared = [it for it in dump(memory) if tag_of(it).startswith(("threads", "labels-")) and it.endswith(part.encode())]
    lose(memory, *shared, meta("s"))
    say(memory, Scope("u2"), "s")
    assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert thread_of(ALICE, "") not in repr(dump(memory))


async def test_an_id_that_only_an_index_names_is_told_and_erased(memory: AgentMemory, call: Call) -> None:
    """Nothing else is left of the thread: the id is something of the user's all the same."""
    say(memory, ALICE, "s")
    lose(memory, indexes(ALICE)[2], *thread_keys(PREFIX, thread_of(ALICE, "s")))
    report = await call(memory.privacy, "erase", ALICE)
    assert next(it.before for it in report.layers if it.name == "threads_redis") == 1
    assert (report.is_empty, dump(memory)) == (True, {})


async def test_of_nobody_it_is_said_wrongly_that_nothing_is_stored(memory: AgentMemory, call: Call) -> None:
    """Where the log knows nothing of a user, or an erasure, what no index names is looked for as well."""
    history = RedisChatMessageHistory("s", scope=ALICE, database=memory._redis, vault=memory._options.vault)
    said: list[tuple[str, bool]] = []
    for _ in range(2):
        await call(history, "add_messages", [HumanMessage("late", id="m1")])
        lose(memory, indexes(ALICE)[0])
        report = await call(memory.privacy, "report", ALICE)
        said.append((report.status, report.is_empty))
        await call(memory.privacy, "erase", ALICE)
    assert said == [("stored", False), ("erased", False)]
    assert (await call(memory.privacy, "report", Scope("nobody"))).status == "unknown"


@pytest.mark.parametrize("part", [":messages", ":ids", ":meta"])
async def test_an_erasure_finds_a_part_that_no_index_names(memory: AgentMemory, call: Call, part: str) -> None:
    """Of a conversation that was evicted in part, with the index of its user, the rest goes too."""
    say(memory, ALICE, "s")
    lose(memory, *indexes(ALICE), name_key(PREFIX, owner_tag(ALICE), "session", "s") + part.encode())
    assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert dump(memory) == {}


async def test_what_is_whole_is_erased_without_a_word(
    memory: AgentMemory, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the indexes name everything, nothing is said of them."""
    say(memory, ALICE, "s")
    assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert "index" not in caplog.text


@EITHER
async def test_an_export_has_what_no_index_names(memory: AgentMemory, call: Call) -> None:
    """The same records as before the loss, the times of conversations too."""

    async def exported() -> list[str]:
        export = await call(memory.privacy, "export", ALICE, sealed=False)
        told = (json.loads(line) for line in export.data.splitlines())
        return sorted(json.dumps(it["data"]) for it in told if it.get("layer", "").endswith("_redis"))

    say(memory, ALICE, "s", ODD)
    before = await exported()
    lose(memory, *indexes(ALICE))
    assert (len(before), await exported()) == (6, before)


async def test_a_report_tells_of_threads_that_nobody_can_say_whose_they_are(
    memory: AgentMemory, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    """Without its index, and without what says whose it is, a thread may be anybody's: it is counted, and named."""
    say(memory, ALICE, "s", "t")
    sentence = "lost what says whose they are"
    assert not any(sentence in it for it in (await call(memory.privacy, "report", ALICE)).remains)
    lose(memory, *indexes(ALICE), thread_keys(PREFIX, thread_of(ALICE, "s"))[0])
    report = await call(memory.privacy, "erase", ALICE)
    assert [it.split()[0] for it in report.remains if sentence in it] == ["1"]
    assert f"{sentence}: {[thread_of(ALICE, 's')]}" in caplog.text


@pytest.mark.parametrize("lost", [False, True], ids=["indexed", "lost"])
async def test_one_look_serves_all_layers(memory: AgentMemory, call: Call, sent: Sent, *, lost: bool) -> None:
    """An export scans each server once; an erasure twice, the second time to see that nothing is left."""
    say(memory, ALICE, "s", "t")
    if lost:
        lose(memory, *indexes(ALICE))
    for name, times in (("export", 1), ("erase", 2), ("report", 1)):
        sent.clear()
        await call(memory.privacy, name, ALICE)
        assert looks(sent) == {times}, name


async def test_what_an_index_named_as_it_was_looked_is_erased(
    memory: AgentMemory, call: Call, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that Redis evicts during the erasure hides nothing of what was there before, and costs no other look."""
    say(memory, ALICE, "s", "t")
    delete, times = RedisIds.delete, iter([True])

    def evicted(ids: RedisIds, scope: Scope) -> Flow[None]:
        lose(memory, *indexes(ALICE) * next(times, False))
        yield from delete(ids, scope)

    sent.clear()
    with monkeypatch.context() as patched:
        patched.setattr(RedisIds, "delete", evicted)
        assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert (looks(sent), dump(memory)) == ({2}, {})


async def test_what_no_index_names_since_the_look_is_erased_too(
    memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn on its way wrote it, and Redis evicted its index: the second look finds it, and all is erased again."""
    say(memory, ALICE, "s")
    history = RedisChatMessageHistory("late", scope=ALICE, database=memory._redis, vault=memory._options.vault)
    drop, late = ProfileLayer.erase, iter([True])

    def erase(layer: ProfileLayer, scope: Scope) -> Flow[None]:
        if next(late, False):
            history.add_messages([HumanMessage("quokka", id="m1")])
            lose(memory, indexes(ALICE)[0])
        yield from drop(layer, scope)

    monkeypatch.setattr(ProfileLayer, "erase", erase)
    assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert (next(late, False), dump(memory)) == (False, {})


async def test_a_thread_that_is_another_users_since_the_look_is_theirs(
    memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was seen as one that no index names, and was deleted and begun anew before its turn came."""
    say(memory, ALICE, "s")
    lose(memory, *indexes(ALICE))
    drop, bob = RedisIds.delete, {"thread_id": thread_of(ALICE, "s"), "user_id": "bob"}

    def delete(ids: RedisIds, scope: Scope) -> Flow[None]:
        ask(memory, "DEL", *thread_keys(PREFIX, bob["thread_id"]))
        replying(memory).invoke({"messages": [HumanMessage("mine", id="t1")]}, {"configurable": bob})
        yield from drop(ids, scope)

    with monkeypatch.context() as patched:
        patched.setattr(RedisIds, "delete", delete)
        assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert replying(memory).get_state({"configurable": bob}).values["messages"][0].text == "mine"


async def test_a_look_asks_a_thread_of_another_user_once(memory: AgentMemory, call: Call, sent: Sent) -> None:
    """Whose it is, and nothing of what it holds, however its keys are come upon."""
    names, other = "abcdefgh", Scope("u2")
    say(memory, other, *names)
    keys = {key for it in names for key in thread_keys(PREFIX, thread_of(other, it))}
    sent.clear()
    await call(memory.privacy, "report", ALICE)
    assert [it[0] for _, commands in sent for it in commands if keys.intersection(it)] == ["HGET"] * len(names)


async def test_threads_that_are_nobodys_are_asked_many_at_a_time(memory: AgentMemory, call: Call, sent: Sent) -> None:
    """However many have nothing that says whose they are, each is no round trip of its own."""
    report, many = await call(memory.privacy, "report", ALICE), 400
    for number in range(many):
        ask(memory, "SET", thread_keys(PREFIX, f"t{number}")[1], "items")
    sent.clear()
    report = await call(memory.privacy, "report", ALICE)
    assert [it.split()[0] for it in report.remains or report.problems] == [str(many)]
    assert len(sent) < many / 2


async def test_keys_of_somebody_else_hinder_no_erasure(memory: AgentMemory, call: Call) -> None:
    """What stands where a thread would have what says whose it is, and is none of ours, is passed over."""
    ask(memory, "SET", thread_keys(PREFIX, "foreign")[0], "text")
    say(memory, ALICE, "s")
    lose(memory, *indexes(ALICE))
    assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert list(dump(memory)) == [thread_keys(PREFIX, "foreign")[0]]


async def test_an_erasure_that_cannot_look_is_not_done(
    memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that does not say which keys it has: the erasure is begun, fails as one to be repeated, and goes on."""
    say(memory, ALICE, "s")
    lose(memory, *indexes(ALICE))
    assert memory._redis is not None

    def away(_pattern: bytes, **_options: object) -> Any:  # noqa: ANN401  (a flow)
        msg = "away"
        raise StorageError(msg, is_retryable=True)
        yield

    with monkeypatch.context() as patched:
        patched.setattr(memory._redis, "scan", away)
        patched.setattr(memory._redis, "each_scanned", away)
        with pytest.raises(StorageError):
            await call(memory.privacy, "erase", ALICE)
    assert (await call(memory.privacy, "erase", ALICE)).is_empty
    assert dump(memory) == {}
