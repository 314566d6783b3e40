"""Keys that are away: the agent answers, the state says so, and nothing is sealed that cannot be opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, create_memory_graph
from langchain_agentmem.graph import GraphOptions
from langchain_agentmem.vault import KeyFolder, KeyServer, SubjectVault
from tests.faulty import AnsweringModel

ALICE, BOB = Scope("alice"), Scope("bob")


@dataclass
class Service:
    """A key service that can be away."""

    is_away: Literal["", "fails", "hangs"] = ""

    def __call__(self, keys: bytes, about: Mapping[str, str]) -> bytes:
        if self.is_away == "fails":
            raise ConnectionError(about)
        if self.is_away == "hangs":
            time.sleep(0.5)
        return keys


def renamed(folder: Path, _: Service) -> Callable[[], object]:
    away = folder.rename(folder.with_name("away"))
    return lambda: away.rename(folder)


def failing(_: Path, service: Service) -> Callable[[], object]:
    service.is_away = "fails"
    return lambda: setattr(service, "is_away", "")


def hanging(_: Path, service: Service) -> Callable[[], object]:
    service.is_away = "hangs"
    return lambda: setattr(service, "is_away", "")


@pytest.mark.parametrize("trouble", [renamed, failing, hanging])
def test_without_keys_the_agent_answers_and_nothing_is_sealed(
    tmp_path: Path, trouble: Callable[[Path, Service], Callable[[], object]]
) -> None:
    """Who was known and who is new, in both colours; once the keys are back everything opens, and the log verifies."""
    folder, service = tmp_path / "keys", Service()
    path = tmp_path / "agent.db"

    def opened() -> AgentMemory:
        keys = KeyFolder(folder, master=KeyServer(service, service, timeout_s=0.05))
        return AgentMemory.embedded(path, embeddings=None, consent="assumed", vault=SubjectVault(keys))

    with opened() as memory:
        memory.long_term.remember("Alice drinks green tea", scope=ALICE)
        memory.close()
    with opened() as memory:
        list(map(str, memory.long_term.list(scope=Scope("carol"))))  # the folder is in use
        heal = trouble(folder, service)
        graph: Any = create_memory_graph(AnsweringModel(), [], memory, options=GraphOptions(writes="inline"))
        said = {"messages": [HumanMessage("I live in Rome. Which tea do I like?")]}
        told = [graph.invoke(said, context={"user_id": "alice"})]
        told.append(asyncio.run(graph.ainvoke(said, context={"user_id": "bob"})))
        heal()
    assert [it["messages"][-1].text for it in told] == ["Here is my answer."] * 2
    assert [it["memory"]["status"].partition(":")[0] for it in told] == ["degraded"] * 2
    assert [it["memory"]["written"] for it in told] == [[], []]
    time.sleep(0.1 if service.is_away else 0)
    with opened() as memory:
        assert [it.content for it in memory.long_term.list(scope=ALICE)] == ["Alice drinks green tea"]
        assert memory.long_term.verify(scope=ALICE).is_intact
        assert not memory.long_term.list(scope=BOB)
        assert memory.long_term.remember("Bob drinks coffee", scope=BOB).verdict == "written"


def test_a_folder_that_was_begun_can_be_demanded(tmp_path: Path) -> None:
    """A process that starts before the disk with the keys is there is refused, and makes no keys."""
    with pytest.raises(ConfigurationError, match="holds no keys"):
        KeyFolder(tmp_path / "keys", create=False)
    assert not (tmp_path / "keys").exists()
    with AgentMemory.in_memory(embeddings=None, consent="assumed", vault=SubjectVault(KeyFolder(tmp_path))) as memory:
        memory.long_term.remember("Alice drinks green tea", scope=ALICE)
    assert KeyFolder(tmp_path, create=False).path == tmp_path


def test_a_database_that_was_closed_is_not_asked(tmp_path: Path) -> None:
    """One vault may serve several databases: keys are begun for the next one, though another was opened and closed."""
    vault = SubjectVault(KeyFolder(tmp_path / "keys"))
    closed = AgentMemory.embedded(tmp_path / "first.db", embeddings=None, consent="assumed", vault=vault)
    closed.close()
    with AgentMemory.embedded(tmp_path / "second.db", embeddings=None, consent="assumed", vault=vault) as memory:
        assert memory.long_term.remember("Alice drinks green tea", scope=ALICE).verdict == "written"
    closed.close()
