from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, MemoryOptions, SaverOptions, SessionOptions
from langchain_agentmem.sql.engine import Database


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"threads": {"typo": 1}}, "threads has no option 'typo'; use one of ttl, .*on_conflict"),
        ({"sessions": {"typo": 1}}, "sessions has no option 'typo'; use one of ttl, .*max_messages"),
        ({"threads": {7: 1}}, "threads has no option 7"),
        ({"threads": {"on_conflict": "ignore"}}, "threads: on_conflict 'ignore' is unknown; use one of raise, fork"),
        ({"sessions": {"max_messages": 0}}, "sessions: max_messages must be an int from 1 to .*got 0"),
        ({"threads": "fork"}, "threads must be a dict of settings, got 'fork'"),
        ({"sessions": None}, "sessions must be a dict of settings, got None"),
        ({"store": {"typo": 1}}, "store has no option 'typo'; use one of index, .*ttl"),
        ({"store": {"subject": 5}}, "subject must be callable, got 5"),
        ({"policy": 5}, "policy must be a WritePolicy, got"),
        ({"weights": {"confidence": 1}}, "weights must be a Weights, got"),
        ({"vault": 5}, "vault must be a SubjectVault"),
        ({"model": "openai:gpt-5"}, r"model must be .*got 'openai:gpt-5'; for example init_chat_model\("),
        ({"forgetting": {}}, "forgetting must be a ForgettingPolicy, got"),
        ({"busy_timeout_s": -1}, "busy_timeout_s must be a number of seconds, 0 or more, got -1"),
        ({"busy_timeout_s": None}, "busy_timeout_s must be a number"),
        ({"answer_timeout_s": 0}, "answer_timeout_s must be a positive number of seconds, or None"),
    ],
    ids=repr,
)
def test_a_wrong_setting_is_refused_at_construction(options: dict[str, Any], named: str, tmp_path: Path) -> None:
    """Not when the checkpointer or the conversations are first used; and nothing is opened."""
    file = tmp_path / "agent.db"
    for make in (
        lambda: MemoryOptions(**options),
        lambda: AgentMemory.in_memory(embeddings=None, **options),
        lambda: AgentMemory.embedded(file, embeddings=None, **options),
        lambda: AgentMemory.connect(sql=f"sqlite:///{file}", embeddings=None, **options),
    ):
        with pytest.raises(ConfigurationError, match=named):
            make()
    assert not file.exists()


def test_the_patience_with_a_database_is_an_option(tmp_path: Path) -> None:
    """Of a database that is opened here, from code and from a file; as its own arguments are."""
    file = tmp_path / "agent.db"
    times: dict[str, Any] = {"busy_timeout_s": 1.5, "answer_timeout_s": 2.5}
    for memory in (
        AgentMemory.in_memory(embeddings=None, **times),
        AgentMemory.embedded(file, embeddings=None, **times),
        AgentMemory.connect(sql=f"sqlite:///{file}", embeddings=None, **times),
        AgentMemory.connect(sql="postgresql://nobody@localhost/nothing", embeddings=None, **times),
        AgentMemory.from_config({"path": str(file), "embeddings": None, **times}),
    ):
        assert (memory._database._options.busy_timeout_s, memory._database._answer_timeout_s) == (1.5, 2.5)
        memory.close()
    wrong: Any
    for wrong in ({"busy_timeout_s": "5"}, {"answer_timeout_s": 0}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            Database(f"sqlite:///{file}", **wrong)


def test_an_empty_path_is_refused() -> None:
    """An unset variable would otherwise lose everything at `close`."""
    with pytest.raises(ConfigurationError, match="path is empty; name a file"):
        AgentMemory.embedded("", embeddings=None)


def test_settings_are_the_fields_of_the_records() -> None:
    """What the records take, the memory takes under their names."""
    threads = {"ttl": timedelta(days=1), "on_conflict": "fork"}
    sessions = {"ttl": timedelta(days=2), "max_messages": 10}
    assert SaverOptions(**threads).on_conflict == "fork"  # type: ignore[arg-type]  # a dict of several types
    assert SessionOptions(**sessions).max_messages == 10  # type: ignore[arg-type]  # as above
    AgentMemory.in_memory(embeddings=None, threads=threads, sessions=sessions)


def test_without_settings_nothing_is_imported_to_check_them() -> None:
    """Who names none pays for none."""
    script = """
import sys
from langchain_agentmem import AgentMemory
AgentMemory.in_memory(embeddings=None)
print(*(name for name in ("checkpoint", "sessions.options") if f"langchain_agentmem.{name}" in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
