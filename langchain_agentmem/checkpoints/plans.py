"""Plans of what to remove from a thread: what is old, what runs left behind, and what nobody can reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from langchain_agentmem.checkpoints.base import Key
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.inventory import Removing, Stock
from langchain_agentmem.checkpoints.labels import matches
from langchain_agentmem.checkpoints.lookups import time_of
from langchain_agentmem.checkpoints.refs import mark_of, signature
from langchain_agentmem.checkpoints.sealing import Seal

ORPHAN_GRACE: Final = timedelta(hours=1)
"""How long writes and subgraphs may wait for their checkpoint: far longer than any retry of a put."""

_TASK_MARK: Final = ":"
"""LangGraph puts it between a node and the id of its task; a namespace without it outlives the task."""

_GREGORIAN: Final = datetime(1582, 10, 15, tzinfo=UTC)
_UUID_WITH_TIME: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What a pruning keeps of each namespace.

    Attributes:
        last: How many: the head, and then the newest.
        since: Everything that was made at this time or later.
        tagged: Everything whose metadata has all of this; `None`: nothing for that.
        now: The time, for writes without a checkpoint.
    """

    last: int
    since: datetime | None
    tagged: Mapping[str, Any] | None
    now: datetime


class Sweep(Removing):
    """Removes writes whose checkpoint never came, and items that nothing refers to."""

    def __init__(self, seal: Seal, codec: Codec, now: datetime) -> None:
        super().__init__(seal, codec)
        self._now = now

    def doomed(self, stock: Stock) -> tuple[set[Key], set[Key]]:
        """Return no checkpoints, and old orphans."""
        return set(), _old_orphans(stock, self._now)


class Prune(Removing):
    """Removes old checkpoints; one that a kept one needs for its channels is only hidden.

    The namespace of a task goes with the checkpoint that the task ran on.
    """

    reparents = False

    def __init__(self, seal: Seal, codec: Codec, keeping: Keeping) -> None:
        super().__init__(seal, codec)
        self._keeping = keeping

    def doomed(self, stock: Stock) -> tuple[set[Key], set[Key]]:
        """Return all but what is kept, and old orphans."""
        kept = {key for keys in stock.namespaces().values() for key in self._kept(stock, keys)}
        kept -= {key for key in kept if not self._has_root(stock, key, kept)}
        self._hidden = stock.needed(kept) - kept
        return set(stock.rows) - kept - self._hidden, _old_orphans(stock, self._keeping.now)

    def pruned(self, stock: Stock) -> set[Key]:
        """Return what is kept for others alone, and was not yet."""
        return self._hidden - stock.pruned()

    def _kept(self, stock: Stock, keys: list[Key]) -> Iterable[Key]:
        head = (keys[0][0], stock.state.heads.get(keys[0][0], keys[0][1]))
        in_order = [head, *(key for key in keys if key != head)]
        yield from in_order[: self._keeping.last]
        older = in_order[self._keeping.last :]
        yield from (key for key in older if self._is_young(stock, key) or self._is_tagged(stock, key))

    def _has_root(self, stock: Stock, key: Key, kept: set[Key]) -> bool:
        """Whether a task's checkpoint can be reached: what its task ran on is kept, was never known, or is yet to come.

        Under LangGraph's default durability a subgraph may be stored before the checkpoint that its task runs on.
        """
        if _TASK_MARK not in key[0]:
            return True
        parents = stock.headers[key].metadata.get("parents") or {}
        roots = [(ns, checkpoint_id) for ns, checkpoint_id in parents.items() if ns != key[0]]
        is_fresh = _made_at(key[1], self._keeping.now) >= self._keeping.now - ORPHAN_GRACE
        return all(root in kept or (is_fresh and root not in stock.rows) for root in roots)

    def _is_young(self, stock: Stock, key: Key) -> bool:
        if self._keeping.since is None:
            return False
        made_at = time_of(stock.headers[key])
        return made_at is None or made_at >= self._keeping.since

    def _is_tagged(self, stock: Stock, key: Key) -> bool:
        return self._keeping.tagged is not None and matches(stock.headers[key].metadata, self._keeping.tagged)


class Forget(Removing):
    """Removes what some runs put and wrote; what others put on top of it is put on what was below."""

    def __init__(self, seal: Seal, codec: Codec, run_ids: frozenset[str]) -> None:
        super().__init__(seal, codec)
        self._run_ids = run_ids
        self._marks = set(map(mark_of, run_ids))

    def doomed(self, stock: Stock) -> tuple[set[Key], set[Key]]:
        """Return the checkpoints of the runs."""
        return {key for key, it in stock.headers.items() if it.metadata.get("run_id") in self._run_ids}, set()

    def forgets(self, packed: bytes) -> bool:
        """Return whether one of the runs wrote it, on a checkpoint of another."""
        return signature(packed) in self._marks


def _old_orphans(stock: Stock, now: datetime) -> set[Key]:
    return {key for key in stock.orphans() if _made_at(key[1], now) < now - ORPHAN_GRACE}


def _made_at(checkpoint_id: str, now: datetime) -> datetime:
    """Return the time in a checkpoint's id; an id that holds none is as young as can be."""
    try:
        parsed = UUID(checkpoint_id)
    except ValueError:
        return now
    if parsed.version != _UUID_WITH_TIME:
        return now
    ticks = (parsed.int >> 80 << 12) | (parsed.int >> 64 & 0xFFF)
    return _GREGORIAN + timedelta(microseconds=ticks // 10)
