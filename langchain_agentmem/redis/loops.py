"""Connections by event loop: what a loop opened can be awaited by that loop only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from langchain_agentmem.redis.address import Node
from langchain_agentmem.redis.wire import AsyncWire


class LoopWires:
    """The awaitable connections of one database. Calls are serialised by their caller.

    What an event loop left open when it was closed (`asyncio.run` does so each time) is closed when the next one comes.
    """

    def __init__(self, make: Callable[[Node], AsyncWire]) -> None:
        """Nothing is opened yet."""
        self._make = make
        self._wires: dict[asyncio.AbstractEventLoop, dict[Node, AsyncWire]] = {}

    def current(self, node: Node) -> AsyncWire:
        """Return the connections of the running event loop to a server."""
        loop = asyncio.get_running_loop()
        if loop not in self._wires:
            self._end_of_closed_loops()
        wires = self._wires.setdefault(loop, {})
        if node not in wires:
            wires[node] = self._make(node)
        return wires[node]

    def take_current(self) -> list[AsyncWire]:
        """Return the connections of the running event loop and forget them; whoever takes them closes them."""
        return list(self._wires.pop(asyncio.get_running_loop(), {}).values())

    def close(self) -> None:
        """Close every connection of every event loop."""
        every, self._wires = list(self._wires.values()), {}
        for wire in (wire for wires in every for wire in wires.values()):
            wire.close()

    def forget(self) -> dict[asyncio.AbstractEventLoop, dict[Node, AsyncWire]]:
        """Let go of every connection without closing it, and return them."""
        every, self._wires = self._wires, {}
        return every

    def _end_of_closed_loops(self) -> None:
        for loop in [loop for loop in self._wires if loop.is_closed()]:
            for wire in self._wires.pop(loop).values():
                wire.close()
