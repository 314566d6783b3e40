"""What our parts ask of a Redis: what a managed service of version 6.2 allows, and keys that are documented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from redis import Redis

from langchain_agentmem import AgentMemory, KeyFolder, Scope, SubjectVault
from tests import servers
from tests.meta_tests.package import ROOT
from tests.savers import answering

HOUR = timedelta(hours=1)
ALICE, TALK, VISITOR = Scope("alice"), Scope("alice", session_id="talk"), Scope.anonymous("visitor")
LIMITED: Final = ("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-@admin", "-@dangerous")
OLDEST: Final = (6, 2)
OURS_ALONE: Final = {"acl|log", "command|docs", "config|resetstat", "flushall", "info"}
"""What this test asks itself, as somebody who may."""
IGNORED: Final = {"client|setinfo", "client|maint_notifications"}
"""What the driver says of itself to each server; it goes on where that is not known."""
IN_LUA: Final = re.compile(r"\bcall\(\s*'([A-Z]+)'")
PAGE: Final = ROOT / "docs" / "conversations.md"
HEADING: Final = "## Keys in Redis"
TAGS: Final = {
    "{tenant%00user}": r"\{default%00alice\}|\{default%00%00visitor\}",
    "{thread}": r"\{t\}|\{u\}|\{bound\}",
    "{labels-NN}": r"\{labels-[0-9a-f]+\}",
}
"""What stands in the braces of the page's table, as it is here."""
NAMES: Final = {"sorted set": "zset", "list": "list", "hash": "hash", "string": "string"}


@contextmanager
def opened(url: str, folder: Path) -> Iterator[AgentMemory]:
    memory = AgentMemory.connect(
        sql=f"sqlite:///{folder / 'memory.db'}",
        redis=url,
        embeddings=None,
        consent="assumed",
        vault=SubjectVault(KeyFolder(folder / "keys")),
        threads={"ttl": HOUR, "refresh_on_read": True},
        sessions={"ttl": HOUR, "refresh_on_read": True, "max_messages": 4},
    )
    with memory:
        yield memory


def use_threads(memory: AgentMemory) -> None:
    saver, graph = memory.checkpointer, answering(memory.checkpointer)
    config: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}, "metadata": {"run_id": "one"}}
    for text in ("hello", "again"):
        graph.invoke({"messages": [HumanMessage(text)]}, config)
    graph.update_state(config, {"messages": [HumanMessage("by hand")]})
    saver.copy_thread("t", "u")
    saver.copy_thread("t", "gone")
    saver.prune(["t"], keep_last=2)
    saver.rollback("t", saver.history("t")[-1].id)
    saver.delete_for_runs(["one"])
    graph.invoke({"messages": [HumanMessage("once more")]}, config)
    saver.put_writes({"configurable": {**graph.get_state(config).config["configurable"]}}, [("a", 1)], "task")
    assert list(saver.list(None, filter={"source": "loop"}))
    saver.bind("bound", scope=ALICE)
    saver.delete_thread("gone")
    assert {it.thread_id for it in saver.threads(ALICE)} == {"t", "u", "bound"}
    saver.sweep()


def use_conversations(memory: AgentMemory) -> None:
    call = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "c"}])
    for scope in (TALK, Scope("alice", session_id="cleared"), VISITOR):
        history = memory.history(scope)
        history.add_messages([HumanMessage("hello"), call, ToolMessage("1", tool_call_id="c"), AIMessage("one")])
        history.add_messages([HumanMessage("and then?"), AIMessage("two")])
        assert history.messages
        assert history.last(1) + history.search("then") + list(history.page(limit=1).messages)
        assert history.count() == 3
    history.sweep()
    memory.history(Scope("alice", session_id="cleared")).clear()
    assert [it.session_id for it in memory.conversations(ALICE)] == ["talk"]
    context = memory.context(max_tokens=3_000)
    context.add([HumanMessage("I live in Faro."), AIMessage("Noted.")], scope=TALK)


def use_the_rest(memory: AgentMemory) -> None:
    for scope in (TALK, Scope("alice", session_id="done"), VISITOR):
        memory.working.update(scope, goal="A boat")
        assert memory.working.get(scope)
    memory.working.clear(Scope("alice", session_id="done"))
    memory.profiles.update_preference("editor", "Helix", scope=ALICE)
    assert memory.profiles.get(scope=ALICE).preferences
    memory.jobs.run()
    memory.metrics.usage(ALICE)


def use_everything(memory: AgentMemory) -> None:
    use_conversations(memory)
    use_threads(memory)
    use_the_rest(memory)


def introduced(client: Any, names: set[str]) -> dict[str, tuple[int, ...]]:  # noqa: ANN401  (answers are not typed)
    """Return which version brought each command, as the server's own documentation says."""
    reply = client.execute_command("COMMAND DOCS", *sorted(names))
    told = dict(zip(reply[::2], reply[1::2], strict=True)) if isinstance(reply, list) else reply
    versions = {}
    for name, facts in told.items():
        known = dict(zip(facts[::2], facts[1::2], strict=True)) if isinstance(facts, list) else facts
        versions[name.lower()] = tuple(map(int, known["since"].split(".")))
    return versions


@pytest.fixture(params=["valkey_server", "redis_server"])
def server(request: pytest.FixtureRequest) -> servers.Server:
    found: servers.Server = request.getfixturevalue(request.param)
    servers.empty_redis(found)
    return found


def test_a_user_of_a_managed_service_of_version_6_2_can_do_everything(server: servers.Server, tmp_path: Path) -> None:
    """No command is of the categories that such services close, and none is younger, in a script or outside of it."""
    with Redis(host=server.host, port=server.port, decode_responses=True) as admin:
        admin.execute_command(*LIMITED)
        admin.execute_command("ACL", "LOG", "RESET")
        admin.config_resetstat()
        with opened(f"redis://limited:secret@{server.host}:{server.port}/0", tmp_path) as memory:
            use_everything(memory)
            memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
            assert memory.privacy.erase(ALICE).is_empty
        assert admin.acl_log() == []
        seen = {it.removeprefix("cmdstat_") for it in admin.info("commandstats")} - OURS_ALONE - IGNORED
        versions = introduced(admin, seen)
    assert {"evalsha", "hset", "rpush", "zadd"} <= seen
    assert seen == versions.keys()
    assert {name: it for name, it in versions.items() if it[:2] > OLDEST} == {}


def test_scripts_name_no_command_that_is_closed_or_younger(redis_server: servers.Server) -> None:
    """What no test has happened to run counts, too."""
    sources = [it.read_text("utf-8") for it in (ROOT / "langchain_agentmem").rglob("*.py")]
    named = {name.lower() for text in sources for name in IN_LUA.findall(text)}
    with Redis(host=redis_server.host, port=redis_server.port, decode_responses=True) as admin:
        closed = {it for name in ("admin", "dangerous") for it in admin.execute_command("ACL", "CAT", name)}
        versions = introduced(admin, named)
    assert len(named) > 30
    assert named == versions.keys()
    assert (named & closed, {name for name, it in versions.items() if it[:2] > OLDEST}) == (set(), set())


def documented() -> list[tuple[list[str], set[str]]]:
    """Return the rows of the page's table: patterns of keys, and their types."""
    table = PAGE.read_text("utf-8").split(HEADING)[1].split("\n\n|")[1]
    rows = [re.split(r" *(?<!\\)\| *", line.strip("| \n")) for line in table.splitlines()[2:] if "|" in line]
    return [(_patterns(re.findall(r"`([^`]+)`", keys)), _types(types)) for keys, types, *_ in rows]


def _patterns(spelled: list[str]) -> list[str]:
    """Return patterns; one that begins with a colon stands for the first with another end."""
    whole = [it if it.startswith("p:") else spelled[0].rsplit(":", 1)[0] + it for it in spelled]
    return [_pattern(it) for it in whole]


def _pattern(spelled: str) -> str:
    tag = re.search(r"\{[^}]*\}", spelled)
    assert tag, spelled
    before, after = (re.escape(it) for it in (spelled[: tag.start()], spelled[tag.end() :]))
    inner = TAGS.get(tag[0], re.escape(tag[0]))
    return f"{before.replace('p:', 'agentmem:')}(?:{inner}){after.replace('<id>', '[^:]+').replace('…', '.+')}"


def _types(spelled: str) -> set[str]:
    """Return the types as Redis calls them."""
    return {next(it for word, it in NAMES.items() if word in each) for each in spelled.split(", ")}


def test_the_keys_are_those_that_are_documented(valkey_server: servers.Server, tmp_path: Path) -> None:
    """Each is in the table of the page, of a type that stands beside it, and each line of the table is of some."""
    servers.empty_redis(valkey_server)
    with (
        Redis(host=valkey_server.host, port=valkey_server.port, decode_responses=True) as client,
        opened(f"redis://{valkey_server.host}:{valkey_server.port}/0", tmp_path) as memory,
    ):
        use_everything(memory)
        with memory.checkpointer.lease("t"):
            kinds = {key: client.type(key) for key in client.scan_iter()}
    rows = documented()
    of = {it: [types for patterns, types in rows for each in patterns if re.fullmatch(each, it)] for it in kinds}
    assert {it for it, types in of.items() if [kinds[it] in each for each in types] != [True]} == set()
    assert [it for patterns, _ in rows for it in patterns if not any(re.fullmatch(it, key) for key in kinds)] == []
