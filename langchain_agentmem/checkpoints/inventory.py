"""Everything of a thread at once, with its headers open: what removals and copies decide on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final

from langchain_agentmem.checkpoints.base import CheckpointRow, Inventory, Key, Removal, WriteRow
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.gathering import Gathering
from langchain_agentmem.checkpoints.header import Header, pack_header
from langchain_agentmem.checkpoints.headers_only import open_header
from langchain_agentmem.checkpoints.ranges import merged
from langchain_agentmem.checkpoints.sealing import Seal

DELTA_COUNTERS: Final = "counters_since_delta_snapshot"
"""Key of the metadata with which LangGraph says which channels have to be rebuilt from ancestors."""


class Stock:
    """A thread's rows with headers open.

    Raises:
        IntegrityError: A header is damaged, or a head is not there.
    """

    def __init__(self, seal: Seal, codec: Codec, inventory: Inventory) -> None:
        self.state = inventory.state
        self.numbers = inventory.numbers
        self.rows: dict[Key, CheckpointRow] = {(row.ns, row.id): row for row in inventory.checkpoints}
        for ns, head in self.state.heads.items():
            if (ns, head) not in self.rows:
                raise seal.headless(ns, head)
        self.headers: dict[Key, Header] = {key: open_header(seal, codec, row) for key, row in self.rows.items()}
        self.writes: Sequence[WriteRow] = inventory.writes

    def namespaces(self) -> dict[str, list[Key]]:
        """Return the checkpoints of each namespace that can be read, newest first."""
        found: dict[str, list[Key]] = {}
        for key in sorted((it for it in self.rows if not self.headers[it].is_pruned), key=itemgetter(1), reverse=True):
            found.setdefault(key[0], []).append(key)
        return found

    def orphans(self) -> set[Key]:
        """Return checkpoints that are not there though there are writes of them."""
        return {(it.ns, it.checkpoint_id) for it in self.writes} - self.rows.keys()

    def parent(self, key: Key) -> Key | None:
        """Return the parent of a checkpoint, if it is there."""
        parent_id = self.rows[key].parent_id
        parent = None if parent_id is None else (key[0], parent_id)
        return parent if parent in self.rows else None

    def needed_ancestors(self, key: Key) -> list[Key]:
        """Return ancestors without which channels that keep only what changed could not be rebuilt."""
        channels = set(self.headers[key].metadata.get(DELTA_COUNTERS) or ()) - self.headers[key].refs.keys()
        found: list[Key] = []
        ancestor = self.parent(key)
        while channels and ancestor is not None and ancestor not in found:
            found.append(ancestor)
            channels -= self.headers[ancestor].refs.keys()
            ancestor = self.parent(ancestor)
        return found

    def needed(self, visible: Iterable[Key]) -> set[Key]:
        """Return all ancestors without which one of these could not be rebuilt."""
        return {ancestor for key in visible for ancestor in self.needed_ancestors(key)}

    def pruned(self) -> set[Key]:
        """Return the checkpoints that were pruned, and are only there for others."""
        return {key for key, header in self.headers.items() if header.is_pruned}


class Removing:
    """Marks what stays, and removes the rest: a plan that only has to be told which checkpoints go.

    Args:
        seal: Of the thread.
        codec: How headers are read.
    """

    reparents = True
    """Whether the children of what goes are given its nearest ancestor that stays; else none."""

    def __init__(self, seal: Seal, codec: Codec) -> None:
        self._seal = seal
        self._codec = codec
        self._writes: set[tuple[str, str, str, int]] = set()

    def doomed(self, stock: Stock) -> tuple[set[Key], set[Key]]:
        """Return which checkpoints go, and of which missing checkpoints the writes go."""
        raise NotImplementedError

    def pruned(self, stock: Stock) -> set[Key]:
        """Return which of those that stay can no longer be read: they only stay for later ones to be rebuilt from."""
        return set()

    def forgets(self, packed: bytes) -> bool:
        """Return whether a write goes though its checkpoint stays."""
        return False

    def take_inventory(self, inventory: Inventory) -> None:
        """Decide what goes, and mark what stays."""
        self._stock = Stock(self._seal, self._codec, inventory)
        self._doomed, self._orphans = self.doomed(self._stock)
        self._doomed |= self._useless(self._doomed)
        self._pruned = self.pruned(self._stock)
        self._gathering = Gathering(self._seal, wants_content=False)
        for key, header in self._stock.headers.items():
            if key not in self._doomed:
                for ref in header.refs.values():
                    self._gathering.add(ref, f"checkpoint {key[1]!r}")
        self._writes.clear()
        for row in self._stock.writes:
            if (row.ns, row.checkpoint_id) in self._orphans:
                self._seal.open_write(row)  # what was moved here from another thread is not to be lost
            elif (row.ns, row.checkpoint_id) not in self._doomed:
                self._take_write(row)

    def _useless(self, doomed: set[Key]) -> set[Key]:
        """Return what was pruned before, and nothing that can be read has to be rebuilt from any more."""
        pruned = self._stock.pruned()
        return pruned and pruned - self._stock.needed(self._stock.rows.keys() - doomed - pruned)

    def _take_write(self, row: WriteRow) -> None:
        packed = self._seal.open_write(row)
        if self.forgets(packed):
            self._writes.add((row.ns, row.checkpoint_id, row.task_id, row.idx))
        else:
            self._gathering.add(packed, f"checkpoint {row.checkpoint_id!r}")

    def wants(self) -> Sequence[range]:
        """Want the segments of lists that stay."""
        return self._gathering.wants()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take them."""
        self._gathering.take(items)

    def removal(self) -> Removal:
        """Return what goes, and what changes of the rest.

        Raises:
            MissingItemsError: A segment is not there, so that nobody knows what stays.
        """
        self._gathering.finish()
        kept = [*self._gathering.runs(), *self._gathering.segments()]
        return Removal(
            checkpoints=frozenset(self._doomed),
            writes=frozenset(self._writes),
            orphans=frozenset(self._orphans),
            items=_without(self._stock.numbers, merged(kept)),
            replaced=self._replaced(),
            heads=self._heads(),
        )

    def _replaced(self) -> dict[Key, CheckpointRow]:
        """Return each checkpoint whose parent goes, with its nearest ancestor that stays for one; and what hides."""
        return {
            key: self._replacement(key, row, is_moved=is_moved)
            for key, row in self._stock.rows.items()
            if key not in self._doomed
            and ((is_moved := (key[0], row.parent_id) in self._doomed) or key in self._pruned)
        }

    def _replacement(self, key: Key, row: CheckpointRow, *, is_moved: bool) -> CheckpointRow:
        header = self._stock.headers[key]
        packed = pack_header(header.pruned() if key in self._pruned else header, self._codec)
        survivor = self._survivor(key) if self.reparents else None
        return self._seal.checkpoint(row._replace(parent_id=survivor if is_moved else row.parent_id, header=packed))

    def _survivor(self, key: Key) -> str | None:
        ancestor = self._stock.parent(key)
        while ancestor is not None and ancestor in self._doomed:
            ancestor = self._stock.parent(ancestor)
        return None if ancestor is None else ancestor[1]

    def _heads(self) -> dict[str, str | None]:
        """Return new heads where the head goes: the newest of the rest, though it be of another branch.

        That is what there was without what goes. Its ancestor would leave out what another run has finished meanwhile,
        and the next pruning would take that for good.
        """
        heads: dict[str, str | None] = {}
        for ns, keys in self._stock.namespaces().items():
            head = self._stock.state.heads.get(ns)
            if head is not None and (ns, head) in self._doomed:
                rest = (key[1] for key in keys if key not in self._doomed | self._pruned)
                heads[ns] = next(rest, None)
        return heads


def _without(numbers: Iterable[int], kept: Sequence[range]) -> list[range]:
    """Return numbers that are in none of some ascending ranges."""
    stay: set[int] = set()
    stay.update(*kept)
    return merged((no, 1) for no in numbers if no not in stay)
