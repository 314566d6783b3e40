"""What an import promises of memories that hang together: what is done in a copy reaches what it would reach there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from langchain_agentmem import AgentMemory, Scope, every
from langchain_agentmem.errors import AgentMemError
from tests.contracts.privacy_contract import records_of, written
from tests.contracts.profiles_contract import Clock

ALICE, BOB = Scope("alice"), Scope("bob")
OPTIONS: Final[Mapping[str, Any]] = {"embeddings": None, "consent": "assumed", "receipts_days": 0}
BOTH: Final = "I take lithium and like tea"
REST: Final = "My wife is Clara"


class Told(NamedTuple):
    """Ids of what was told: two memories and their merge, and one of which a part is over."""

    lithium: str
    tea: str
    merge: str
    whole: str


Act: TypeAlias = Callable[[AgentMemory, Told], object]


def tell(memory: AgentMemory) -> Told:
    """Tell what hangs together."""
    lithium, tea, whole = (
        memory.long_term.remember(it, scope=ALICE).require().id
        for it in ("I take lithium", "I like tea", "I live in Leeds with my wife Clara")
    )
    merge = memory.long_term.merge([lithium, tea], BOTH, scope=ALICE).require().id
    memory.long_term.remember("I moved to York", scope=ALICE)
    return Told(lithium, tea, merge, whole)


def forget(name: str) -> Act:
    return lambda memory, told: memory.long_term.forget(getattr(told, name), scope=ALICE).status


def restore(name: str) -> Act:
    return lambda memory, told: memory.long_term.restore(getattr(told, name), scope=ALICE).status


def erase(name: str) -> Act:
    return lambda memory, told: len(memory.long_term.erase(getattr(told, name), scope=ALICE))


def undo(name: str) -> Act:
    """Forget a memory and undo that, where it was not forgotten before."""

    def undone(memory: AgentMemory, told: Told) -> object:
        before = {it.seq for it in every(memory.timeline.events, scope=ALICE)}
        forget(name)(memory, told)
        events = every(memory.timeline.events, scope=ALICE)
        new = [it.seq for it in events if it.seq not in before and it.memory_id == getattr(told, name)]
        return [len(memory.timeline.undo(it, scope=ALICE)) for it in new]

    return undone


def merge_again(memory: AgentMemory, told: Told) -> object:
    """Merge what remained with the merge."""
    [rest] = [it.id for it in memory.long_term.list(scope=ALICE) if it.content == REST]
    return memory.long_term.merge([rest, told.merge], f"{REST}. {BOTH}", scope=ALICE).verdict


NAMES: Final = Told._fields
BEFORE: Final[Mapping[str, tuple[Act, ...]]] = {
    "nothing": (),
    "merged again": (merge_again,),
    **{f"{name} forgotten": (forget(name),) for name in NAMES},
    **{f"{name} forgotten and restored": (forget(name), restore(name)) for name in ("lithium", "whole")},
}
"""What happened in the database that is exported."""

AFTER: Final[Mapping[str, tuple[Act, ...]]] = {
    f"{how.__name__} {name}": (how(name),) for name in NAMES for how in (erase, forget, restore, undo)
} | {
    f"{name} forgotten and {how}": (forget(name), then)
    for name in NAMES
    for how, then in (("restored", restore(name)), ("tea erased", erase("tea")))
}
"""What is done in it, and in a copy of it."""


def done(memory: AgentMemory, told: Told, acts: tuple[Act, ...]) -> list[object]:
    """Return what became of acts, and of all memories."""
    made: list[object] = []
    for act in acts:
        try:
            made.append(act(memory, told))
        except AgentMemError as error:
            made.append(f"{type(error).__name__}: {error}")
    ids = {it.memory_id for it in every(memory.timeline.events, scope=ALICE) if it.memory_id is not None}
    kept = filter(None, (memory.long_term.get(it, scope=ALICE) for it in ids))
    return [*made, sorted((it.content, it.status, it.valid_at, it.invalid_at is None) for it in kept)]


class ImportedLivesContract:
    """What was merged of a memory, or remained of it, goes and comes back with it in a copy, too."""

    @pytest.fixture
    def copy(self, sql_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=sql_url, clock=Clock(), **OPTIONS) as memory:
            yield memory

    @pytest.fixture
    def there(self) -> Iterator[AgentMemory]:
        with AgentMemory.in_memory(clock=Clock(), **OPTIONS) as memory:
            yield memory

    @pytest.mark.parametrize("how", ["erase", "forget"])
    @pytest.mark.parametrize("name", NAMES)
    def test_what_rests_on_a_memory_goes_with_it_in_a_copy(
        self, copy: AgentMemory, there: AgentMemory, tmp_path: Path, name: str, how: str
    ) -> None:
        """As many as in the original, and the same stands afterwards; the file comes in twice, and that is one."""
        told, file = tell(there), tmp_path / "alice.jsonl"
        there.privacy.export(ALICE, file)
        copy.privacy.import_(file, scope=ALICE)
        assert copy.privacy.import_(file, scope=ALICE).layers["memories"].added == 0
        acts = AFTER[f"{how} {name}"]
        assert done(copy, told, acts) == done(there, told, acts)

    def test_a_copy_of_a_copy_tells_the_same(self, copy: AgentMemory, there: AgentMemory, tmp_path: Path) -> None:
        """Each memory of it, but for the number of its last event."""
        tell(there)
        found = []
        for memory, name in ((there, "one"), (copy, "two")):
            memory.privacy.export(ALICE, tmp_path / name)
            _, records = records_of(tmp_path / name)
            found.append({it.id: {**it.data, "revision": None} for it in records["memories"]})
            copy.privacy.import_(tmp_path / name, scope=ALICE)
        assert found[0] == found[1]
        assert sum("life" in it for it in found[0].values()) == len(["lithium", "tea", "whole", "rest"])

    def test_what_a_file_names_and_does_not_have_is_reached_nowhere(
        self, copy: AgentMemory, there: AgentMemory, tmp_path: Path
    ) -> None:
        """Neither a memory that is here already, nor anything else: what came in stands for itself."""
        told, file = tell(there), tmp_path / "alice.jsonl"
        there.privacy.export(ALICE, file)
        other = tell(copy)
        user, records = records_of(file)
        [tea] = [it for it in records["memories"] if it.id == told.tea]
        for by in (told.merge, other.merge):
            forged = tea._replace(data={**tea.data, "content": f"I like {by}", "life": {**tea.data["life"], "by": by}})
            written(file, user, {**records, "memories": [forged._replace(id=f"came-{by}")]})
            assert copy.privacy.import_(file, scope=ALICE).layers["memories"].added == 1
            assert copy.long_term.erase(f"came-{by}", scope=ALICE) == (f"came-{by}",)
        assert copy.long_term.get(other.merge, scope=ALICE).status == "active"  # type: ignore[union-attr]  # it stands
