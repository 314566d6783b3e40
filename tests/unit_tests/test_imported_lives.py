"""An import of memories that hang together, in every state in which an export may find them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.vault import SubjectVault
from tests.contracts.imported_lives_contract import (
    AFTER,
    ALICE,
    BEFORE,
    BOB,
    OPTIONS,
    REST,
    ImportedLivesContract,
    done,
    tell,
)
from tests.contracts.privacy_contract import records_of, written
from tests.contracts.profiles_contract import Clock
from tests.vaults import MemoryKeys
from tests.whole import few


class TestImportedLives(ImportedLivesContract):
    """The contract on SQLite."""


@pytest.fixture
def there() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(clock=Clock(), **OPTIONS) as memory:
        yield memory


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("after", few(["forget lithium", "restore lithium", "erase whole"], of=AFTER))
def test_a_copy_answers_as_its_original(there: AgentMemory, tmp_path: Path, before: str, after: str) -> None:
    """Whatever was forgotten, restored or merged before it was made: refusals, statuses and times are the same."""
    told, file = tell(there), tmp_path / "alice.jsonl"
    done(there, told, BEFORE[before])
    there.privacy.export(ALICE, file)
    with AgentMemory.in_memory(clock=Clock(), **OPTIONS) as copy:
        copy.privacy.import_(file, scope=ALICE)
        assert done(copy, told, AFTER[after]) == done(there, told, AFTER[after])


def test_somebody_elses_copy_hangs_together_as_well(there: AgentMemory, tmp_path: Path) -> None:
    """And nothing that is done in it reaches the one it was made of, in the same database."""
    told = tell(there)
    before = done(there, told, ())
    there.privacy.export(ALICE, tmp_path / "alice.jsonl")
    there.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE, as_=BOB)
    assert set(there.long_term.erase(told.lithium, scope=BOB)) == {told.lithium, told.merge}
    assert len(there.long_term.erase(told.whole, scope=BOB)) == len([told.whole, REST])
    assert sorted(it.content for it in there.long_term.list(scope=BOB)) == ["I like tea", "I moved to York"]
    assert done(there, told, ()) == before


def test_a_sealed_copy_hangs_together_as_well(tmp_path: Path) -> None:
    """What a vault seals, its user's key opens."""
    options: dict[str, Any] = {**OPTIONS, "vault": SubjectVault(MemoryKeys())}
    with AgentMemory.in_memory(clock=Clock(), **options) as there, AgentMemory.in_memory(**options) as copy:
        told = tell(there)
        assert there.privacy.export(ALICE, tmp_path / "alice.jsonl").is_sealed
        copy.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE)
        assert set(copy.long_term.erase(told.tea, scope=ALICE)) == {told.tea, told.merge}


def test_an_export_that_tells_no_lives_is_imported(there: AgentMemory, tmp_path: Path) -> None:
    """Earlier releases wrote such: what was merged stands as long as nobody erases that."""
    told, file = tell(there), tmp_path / "alice.jsonl"
    there.privacy.export(ALICE, file)
    user, records = records_of(file)
    bare = [
        it._replace(data={name: said for name, said in it.data.items() if name != "life"}) for it in records["memories"]
    ]
    written(file, user, {**records, "memories": bare})
    with AgentMemory.in_memory(**OPTIONS) as copy:
        assert copy.privacy.import_(file, scope=ALICE).layers["memories"].added == len(bare)
        assert copy.long_term.erase(told.tea, scope=ALICE) == (told.tea,)
