"""Procedural memory without its extra."""

from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError


def test_a_repository_without_what_reads_it_is_refused_at_construction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when the first skill is looked for, in production; what is shipped needs no repository."""
    monkeypatch.setattr("langchain_agentmem.procedural.options.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"needs dulwich; run: pip install .*\[procedural\]"):
        AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, procedural=tmp_path / "procedures")
    assert not [*tmp_path.iterdir()]
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
        assert memory.procedural.policies()
