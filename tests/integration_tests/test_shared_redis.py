"""Applications with databases of their own on one Redis, each with a prefix of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.testing.savers import config_of, made
from tests.conftest import Call

ALICE = Scope("alice")
TALK = Scope("alice", session_id="main")


def opened(path: Path, redis: str, prefix: str | None) -> AgentMemory:
    options: dict[str, Any] = {"embeddings": None, "consent": "assumed", "redis_prefix": prefix}
    return AgentMemory.connect(sql=f"sqlite:///{path}", redis=redis, **options)


@pytest.fixture(params=["valkey_url", "redis_cluster_url"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[AgentMemory]]:
    """Two applications on a Redis."""
    url = request.getfixturevalue(request.param)
    pair = [opened(tmp_path / f"{name}.db", url, prefix) for name, prefix in (("shop", None), ("desk", "desk"))]
    yield pair
    for each in pair:
        each.close()


async def test_a_prefix_keeps_applications_apart(pair: list[AgentMemory], call: Call) -> None:
    """Neither reads, counts or erases what the other has of a user of the same name: conversation, state or thread."""
    shop, desk = pair
    shop.history(TALK).add_messages([HumanMessage("My pin is blue")])
    shop.working.update(TALK, goal="A boat")
    shop.checkpointer.put(config_of("main", user_id="alice"), made(), {}, {})
    assert (desk.history(TALK).messages, desk.working.get(TALK)) == ([], None)
    assert desk.checkpointer.get_tuple(config_of("main")) is None
    assert ([*desk.conversations(ALICE)], desk.metrics.usage(ALICE).rows) == ([], 0)
    desk.history(TALK).add_messages([HumanMessage("Hello")])
    await call(desk.privacy, "erase", ALICE)
    assert [it.text for it in shop.history(TALK).messages] == ["My pin is blue"]
    state = shop.working.get(TALK)
    assert (state and state.goal, shop.checkpointer.get_tuple(config_of("main")) is None) == ("A boat", False)
    assert desk.history(TALK).messages == []


def test_a_configuration_names_the_prefix(tmp_path: Path, valkey_url: str) -> None:
    """Its keys, and no others, begin with it."""
    file = tmp_path / "agentmem.yaml"
    file.write_text(f"path: a.db\nembeddings: null\nredis: {valkey_url}\nredis_prefix: desk\n", encoding="utf-8")
    with AgentMemory.from_config(file) as memory:
        memory.history(TALK).add_messages([HumanMessage("Hello")])
    with opened(tmp_path / "b.db", valkey_url, None) as other, opened(tmp_path / "a.db", valkey_url, "desk") as same:
        assert (other.history(TALK).messages, len(same.history(TALK).messages)) == ([], 1)


@pytest.mark.parametrize(("redis", "prefix", "told"), [(None, "desk", "name one"), ("redis://h", "a b", "letters")])
def test_a_prefix_that_cannot_work_is_refused(tmp_path: Path, redis: str | None, prefix: str, told: str) -> None:
    """For no Redis, or with what no key may begin with; of a file with its line."""
    with pytest.raises(ConfigurationError, match=told):
        AgentMemory.connect(sql=f"sqlite:///{tmp_path / 'a.db'}", redis=redis, redis_prefix=prefix)
    said = "" if redis is None else f"redis: {redis}\n"
    file = tmp_path / "agentmem.yaml"
    file.write_text(f"path: a.db\nembeddings: null\n{said}redis_prefix: '{prefix}'\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=rf"line {3 if redis is None else 4}.*{told}"):
        AgentMemory.from_config(file)
