"""The public suite of erasure on SQLite, and on memories that keep something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, Memory, NotFoundError, Scope
from langchain_agentmem.testing import ErasureSuite
from tests.fake_embeddings import WordEmbeddings


def bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


class TestErasure(ErasureSuite):
    """Every file of SQLite's, the write-ahead log too."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[AgentMemory]:
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=WordEmbeddings(dim=64)) as memory:
            yield memory

    @pytest.fixture
    def stored(self, tmp_path: Path) -> Callable[[], bytes]:
        return lambda: bytes_in(tmp_path)


class Keeping:
    """Long-term memory that writes what it is told into a file of its own as well."""

    def __init__(self, memory: AgentMemory, file: Path) -> None:
        self._memory, self._file = memory, file

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._memory.long_term, name)

    def remember(self, text: str, *, scope: Scope) -> Any:  # noqa: ANN401
        with self._file.open("a") as file:
            file.write(text)
        return self._memory.long_term.remember(text, scope=scope)


class Hiding(Keeping):
    """Long-term memory that only forgets what it is asked to erase."""

    def erase(self, memory_id: str, *, scope: Scope) -> tuple[str, ...]:
        self._memory.long_term.forget(memory_id, scope=scope)
        return (memory_id,)


class Sweeping(Keeping):
    """Long-term memory that erases whatever says the same, whoever said it."""

    def erase(self, memory_id: str, *, scope: Scope) -> tuple[str, ...]:
        known: Memory | None = self._memory.long_term.get(memory_id, scope=scope)
        for other in self._memory.long_term.list(scope=Scope("bob")):
            if known and other.content == known.content:
                self._memory.long_term.erase(other.id, scope=Scope("bob"))
        return self._memory.long_term.erase(memory_id, scope=scope)


@pytest.mark.parametrize(
    ("kind", "law", "takes_bytes"),
    [
        (Keeping, "test_no_byte_is_left_of_what_was_erased", True),
        (Keeping, "test_erasing_a_merged_memory_erases_its_sources", True),
        (Hiding, "test_no_byte_is_left_of_what_was_erased", True),
        (Hiding, "test_what_is_erased_is_gone_and_the_log_still_verifies", False),
        (Sweeping, "test_others_keep_theirs", True),
    ],
)
def test_the_suite_finds_a_memory_that_keeps_something(
    kind: type[Keeping], law: str, *, takes_bytes: bool, tmp_path: Path
) -> None:
    """Bytes beside the database, a memory that is only hidden, or another user's that goes with it: none passes."""
    given: dict[str, Any] = {"stored": lambda: bytes_in(tmp_path)} if takes_bytes else {}
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
        broken: Any = SimpleNamespace(long_term=kind(memory, tmp_path / "kept"), consent=memory.consent)
        with pytest.raises((AssertionError, NotFoundError)):
            getattr(ErasureSuite(), law)(broken, colour="sync", **given)
