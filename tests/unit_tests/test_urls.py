"""What is told of a URL, and what is not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, SQLChatMessageHistory, SQLSaver, SQLStore
from langchain_agentmem.sql.url import CUT_IN_TWO, IN_MEMORY_URLS, parse_url, shown_url


@pytest.mark.parametrize("password", ["p@ss/w%rd", "p@ss", "p@s?s", "p@/s", "12/3@4", "@", "p@s?a=1/2"])
def test_a_password_that_ends_too_early_is_shown_nowhere(password: str) -> None:
    """Its end would be a host, or a database: it is said how to write it, and nothing of it is quoted."""
    with pytest.raises(ConfigurationError) as told:
        parse_url(f"postgresql://agent:{password}@db/agentmem")
    assert str(told.value) == CUT_IN_TWO


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://agent:p%40ss%2Fw%25rd@db/agentmem",
        "postgresql://agent:s3cr/et@db/agentmem",
        "postgresql://agent:p#ss@db:5433/agentmem",
        "postgresql://agent@db/agentmem?user=x@y",
        "postgresql://agent@db/agentmem?application_name=a@b&connect_timeout=3",
        "postgresql:///agentmem?host=/run/postgresql",
    ],
)
def test_a_url_that_is_whole_is_taken(url: str) -> None:
    """Whatever is in its password and its parameters; neither is shown."""
    shown = shown_url(parse_url(url))
    assert shown.endswith("/agentmem")
    assert not any(it in shown for it in ("ss", "et", "x@y", "a@b"))


@pytest.mark.parametrize("url", sorted(IN_MEMORY_URLS))
def test_every_part_may_be_in_memory(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name that SQLite has for it, and by its URLs: what was written is there, and no file is made."""
    monkeypatch.chdir(tmp_path)
    with AgentMemory.connect(sql=url, embeddings=None, consent="assumed") as memory:
        assert memory.long_term.remember("Alice likes tea", scope=Scope("alice")).verdict == "written"
    with SQLSaver.from_url(url) as saver:
        assert list(saver.list(None)) == []
    with SQLStore.from_url(url) as store:
        store.put(("alice",), "tea", {"is": "green"})
        assert store.get(("alice",), "tea") is not None
    with closing(SQLChatMessageHistory("talk", url=url)) as history:
        history.add_user_message("Tea, please.")
        assert len(history.messages) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_says_how_a_password_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it stands in a variable, of which nothing is told otherwise."""
    monkeypatch.setenv("OUR_PASSWORD", "s3cr/et@1")
    file = tmp_path / "agentmem.yaml"
    file.write_text("sql: postgresql://agent:${OUR_PASSWORD}@db/agentmem\nembeddings: null\n")
    with pytest.raises(ConfigurationError, match="line 1: sql has an '@' in its password; write it as %40") as told:
        AgentMemory.from_config(file)
    assert "s3cr" not in str(told.value)


@pytest.mark.parametrize("url", ["postgresql://agent:s3cret@db/agentmem", "sqlite:///agent.db"])
def test_a_url_is_no_path(url: str) -> None:
    """Who passes one is told where it belongs, and its password is not repeated."""
    with pytest.raises(ConfigurationError, match=r"AgentMemory\.connect\(sql=") as told:
        AgentMemory.embedded(url, embeddings=None)
    assert "s3cret" not in str(told.value)
