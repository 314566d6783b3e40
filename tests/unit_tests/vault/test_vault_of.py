"""What is no vault is refused wherever one can be passed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import (
    ConfigurationError,
    RedisChatMessageHistory,
    RedisSaver,
    SQLChatMessageHistory,
    SQLSaver,
    SQLStore,
    SubjectVault,
)
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database

NOWHERE = "redis://127.0.0.1:1"
HOLDERS: dict[str, Callable[[str, Any], Any]] = {
    "SQLSaver": lambda url, vault: SQLSaver(Database(url), vault=vault),
    "SQLSaver.from_url": lambda url, vault: SQLSaver.from_url(url, vault=vault),
    "SQLStore.from_url": lambda url, vault: SQLStore.from_url(url, vault=vault),
    "SQLChatMessageHistory": lambda url, vault: SQLChatMessageHistory("monday", url=url, vault=vault),
    "RedisSaver": lambda _, vault: RedisSaver(RedisDatabase(NOWHERE), vault=vault),
    "RedisChatMessageHistory": lambda _, vault: RedisChatMessageHistory("monday", url=NOWHERE, vault=vault),
}


@pytest.mark.parametrize("given", ["keys", 5, {"folder": "keys"}, SubjectVault])
@pytest.mark.parametrize("holder", HOLDERS)
def test_what_is_no_vault_is_refused_before_anything_is_opened(holder: str, given: object, tmp_path: Path) -> None:
    """Taken as it is, the first write would fail, long after the mistake, and the file be there."""
    file = tmp_path / "agent.db"
    with pytest.raises(ConfigurationError, match=r"vault must be a SubjectVault, .*, got \w+; for example"):
        HOLDERS[holder](f"sqlite:///{file}", given)
    assert not file.exists()
