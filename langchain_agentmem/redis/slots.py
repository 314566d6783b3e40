"""Which server of a cluster holds a key: CRC16 of its hash tag, and the table that `CLUSTER SLOTS` gives."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.address import Node


def slot_of(key: bytes) -> int:
    """Return the slot of a key."""
    from redis.crc import key_slot

    return int(key_slot(key))


@dataclass(frozen=True, slots=True)
class SlotTable:
    """The servers that accept writes, by ranges of slots in ascending order."""

    firsts: tuple[int, ...]
    lasts: tuple[int, ...]
    nodes: tuple[Node, ...]

    def node_of(self, slot: int) -> Node:
        """Return the server that holds a slot.

        Raises:
            StorageError: No server holds it; retryable, as someone may take it over.
        """
        place = bisect_right(self.firsts, slot) - 1
        if place < 0 or slot > self.lasts[place]:
            msg = f"no server of the cluster holds slot {slot}; bring back the missing one, then retry"
            raise StorageError(msg, is_retryable=True)
        return self.nodes[place]

    def every_node(self) -> list[Node]:
        """Return each server once."""
        return list(dict.fromkeys(self.nodes))


def read_table(reply: Sequence[Sequence[Any]], asked: Node) -> SlotTable:
    """Return the table that a server answered; it may leave out its own name."""
    rows = sorted((int(first), int(last), _node(list(primary), asked)) for first, last, primary, *_ in reply)
    return SlotTable(tuple(it[0] for it in rows), tuple(it[1] for it in rows), tuple(it[2] for it in rows))


def _node(primary: Sequence[Any], asked: Node) -> Node:
    host = (primary[0] or b"").decode()
    return Node(asked.host if host in {"", "?"} else host, int(primary[1]))
