"""Records of ours in the states of earlier releases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.testing.savers import config_of, made
from langchain_agentmem.types import Memory, Provenance, Scope
from tests.conftest import Call

SCOPE = Scope("alice", tenant_id="acme", session_id="s")
MEMORY = Memory(
    id="1",
    scope=SCOPE,
    kind="fact",
    content="Alice drinks tea",
    confidence=0.9,
    importance=0.5,
    source="explicit",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    provenance=Provenance(message_ids=("m1",)),
)
RECORDS = (Scope, Memory, Provenance)


@pytest.mark.parametrize("is_earlier", [False, True])
async def test_a_record_in_a_state_comes_back(call: Call, monkeypatch: pytest.MonkeyPatch, *, is_earlier: bool) -> None:
    """Under the name by which it is known now, and under the one of when all of them stood in one module."""
    values: dict[str, Any] = {"scope": SCOPE, "found": [MEMORY]}
    with SQLSaver.from_url("sqlite://", allowed_types=RECORDS) as saver:
        with monkeypatch.context() as earlier:
            for kind in RECORDS if is_earlier else ():
                earlier.setattr(kind, "__module__", "langchain_agentmem.types")
            await call(saver, "put", config_of(), made(values), {}, {"scope": "1", "found": "1"})
        read = (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"]
        [found] = read["found"]
        assert (read["scope"], type(found), found.scope, found.content) == (SCOPE, Memory, SCOPE, MEMORY.content)
        assert type(found.provenance) is Provenance
