"""What an import promises beside somebody who writes at the same time: it compares where it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import Flow
from langchain_agentmem.privacy.graph_layers import StoreLayer
from langchain_agentmem.privacy.ledger_layers import MemoryLayer
from langchain_agentmem.types import Candidate, Memory
from tests.conftest import Call

ALICE = Scope("alice")
BOT = Scope("alice", agent_id="bot")
PARIS, MADRID = "Alice lives in Paris", "Alice lives in Madrid"
ITEM = (("alice",), "k")


OPTIONS: Final[dict[str, Any]] = {
    "embeddings": None,
    "consent": "assumed",
    "store": {"subject": lambda it: Scope(it[0])},
}


def lives(memory: AgentMemory, text: str, scope: Scope = ALICE) -> Memory:
    said = Candidate(content=text, kind="fact", subject="Alice", relation="lives in", object=text.rpartition(" ")[2])
    return memory.long_term.remember(said, scope=scope).require()


def contents(memory: AgentMemory, scope: Scope = ALICE) -> list[str]:
    return sorted(it.content for it in memory.long_term.list(scope=scope))


class ImportsContract:
    """What stands there when it is written counts, not what stood there when it was read."""

    @pytest.fixture
    def memory(self, sql_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=sql_url, **OPTIONS) as memory:
            yield memory

    @pytest.fixture
    def export(self, tmp_path: Path) -> Callable[..., Path]:
        """Return what writes an export of what some memory was told."""
        files = iter(range(9))

        def exported(tell: Callable[[AgentMemory], object]) -> Path:
            path = tmp_path / f"{next(files)}.jsonl"
            with AgentMemory.in_memory(**OPTIONS) as other:
                tell(other)
                other.privacy.export(ALICE, path)
            return path

        return exported

    @pytest.fixture
    def meanwhile(self, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        """Return what lets something happen once, before a layer writes and after all that it looks at."""

        def happens(layer: type, name: str, act: Callable[[], Any]) -> None:
            real, acts = getattr(layer, name), [act]

            def patched(*given: object, **more: object) -> object:
                while acts:
                    acts.pop()()
                return real(*given, **more)

            monkeypatch.setattr(layer, name, patched)

        return happens

    @pytest.mark.parametrize("scope", [ALICE, BOT])
    async def test_what_was_told_while_an_import_looked_is_not_brought_again(
        self, memory: AgentMemory, export: Callable[..., Path], meanwhile: Callable[..., None], call: Call, scope: Scope
    ) -> None:
        """Word for word the same, for the same agent: it stands there once, and counts as present."""
        file = export(lambda it: lives(it, PARIS, scope))
        meanwhile(MemoryLayer, "_bring", lambda: lives(memory, PARIS, scope))
        done = await call(memory.privacy, "import_", file, scope=ALICE)
        assert contents(memory, scope) == [PARIS]
        assert (done.layers["memories"].added, done.layers["memories"].present) == (0, 1)

    async def test_two_imports_at_once_bring_once_what_both_say(
        self, memory: AgentMemory, export: Callable[..., Path], meanwhile: Callable[..., None], call: Call
    ) -> None:
        """Two files of the same user from two places, taken in by two processes."""
        one, two = (export(lambda it: lives(it, PARIS)) for _ in range(2))
        meanwhile(MemoryLayer, "_bring", lambda: memory.privacy.import_(two, scope=ALICE))
        done = await call(memory.privacy, "import_", one, scope=ALICE)
        assert contents(memory) == [PARIS]
        assert done.layers["memories"].present == 1

    @pytest.mark.parametrize("scope", [ALICE, BOT])
    async def test_an_import_sees_what_contradicts_it_and_was_told_meanwhile(
        self, memory: AgentMemory, export: Callable[..., Path], meanwhile: Callable[..., None], call: Call, scope: Scope
    ) -> None:
        """Both stand, and each names the other."""
        file = export(lambda it: lives(it, PARIS, scope))
        meanwhile(MemoryLayer, "_bring", lambda: lives(memory, MADRID, scope))
        done = await call(memory.privacy, "import_", file, scope=ALICE)
        assert done.layers["memories"].contradicting == 1
        first, second = memory.long_term.list(scope=scope)
        assert (first.contradicts, second.contradicts) == ((second.id,), (first.id,))

    async def test_what_ended_while_an_import_looked_keeps_nothing_out(
        self, memory: AgentMemory, export: Callable[..., Path], meanwhile: Callable[..., None], call: Call
    ) -> None:
        """What said the same was erased: the file's is brought."""
        file, known = export(lambda it: lives(it, PARIS)), lives(memory, PARIS)
        meanwhile(MemoryLayer, "_bring", lambda: memory.long_term.erase(known.id, scope=ALICE, reason="asked"))
        done = await call(memory.privacy, "import_", file, scope=ALICE)
        assert (contents(memory), done.layers["memories"].added) == ([PARIS], 1)

    async def test_an_import_replaces_no_item_that_was_put_meanwhile(
        self, memory: AgentMemory, export: Callable[..., Path], meanwhile: Callable[..., None], call: Call
    ) -> None:
        """What stands under a key of the store stays, and counts as present; what nothing stands under is brought."""

        def put(it: AgentMemory) -> None:
            it.store.put(*ITEM, {"said": "long ago"})
            it.store.put(ITEM[0], "other", {"said": "long ago"})

        file = export(put)
        with_items = StoreLayer._there

        def there(*given: Any) -> Flow[set[str]]:
            found = yield from with_items(*given)
            memory.store.put(*ITEM, {"said": "just now"})
            return found

        meanwhile(StoreLayer, "put", lambda: setattr(StoreLayer, "_there", there))
        try:
            done = await call(memory.privacy, "import_", file, scope=ALICE)
        finally:
            StoreLayer._there = with_items  # type: ignore[method-assign]  # as it was
        values = {it.key: it.value["said"] for it in memory.store.search(ITEM[0])}
        assert values == {"k": "just now", "other": "long ago"}
        assert (done.layers["store"].added, done.layers["store"].present) == (1, 1)
