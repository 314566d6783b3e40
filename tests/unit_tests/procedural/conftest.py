from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from dulwich import porcelain

from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope
from langchain_agentmem.types.procedures import Policy, Skill
from tests.unit_tests.procedural.test_documents import POLICY

ALICE = Scope("alice", session_id="s")
AUTHOR = b"Ada <ada@example.org>"
Open: TypeAlias = Callable[..., AgentMemory]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Open memory on a folder; every one is closed after the test."""
    made: list[AgentMemory] = []

    def open_memory(path: Path | str | None, *, create: bool = False, **options: Any) -> AgentMemory:
        settings = {"path": path, "create": create, **options}
        made.append(AgentMemory.in_memory(embeddings=None, consent="assumed", procedural=settings))
        return made[-1]

    yield open_memory
    for memory in made:
        memory.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A git repository with one policy, committed."""
    root = tmp_path / "procedures"
    porcelain.init(str(root)).close()
    put(root, "policies/staging-first.yaml", POLICY)
    return root


def put(root: Path, path: str, raw: bytes, *, commit: bool = True) -> None:
    """Write a file as somebody would in an editor, and commit it with git."""
    full = root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(raw)
    if commit:
        porcelain.add(str(root), [str(full)])
        porcelain.commit(str(root), message=b"by hand", author=AUTHOR, committer=AUTHOR)


def policy(name: str = "no-friday", **fields: Any) -> Policy:
    given: dict[str, Any] = {"description": "Nothing is released on Fridays", "rule": {"tool": "release"}, **fields}
    return Policy(name=name, **given)


def skill(name: str = "release", **fields: Any) -> Skill:
    given: dict[str, Any] = {
        "description": "Release a service",
        "when_to_use": "The user wants a new version out",
        "steps": [{"instruction": "Deploy it", "tool": "deploy", "args": {"target": "staging"}}],
        **fields,
    }
    return Skill(name=name, **given)
