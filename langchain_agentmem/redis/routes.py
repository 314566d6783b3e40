"""The way to the server that holds a key, wherever it has moved to."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow, step
from langchain_agentmem._patience import Breaker
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.address import Address, Node
from langchain_agentmem.redis.loops import LoopWires
from langchain_agentmem.redis.replies import is_elsewhere, is_split, redirection
from langchain_agentmem.redis.slots import SlotTable, read_table, slot_of
from langchain_agentmem.redis.translate import is_lost, is_of_redis, translate
from langchain_agentmem.redis.wire import AsyncWire, Command, Wire

MAX_REDIRECTIONS: Final = 8
"""How often one operation follows its keys; a cluster that sends it further is not in order."""

TRY_AGAIN_S: Final = 0.05
MAX_WAITS: Final = 8
"""For keys of which some have moved and some not: 0.4 s in all, as redis-py's client waits; then the call fails."""

_inherited: Final[list[object]] = []
"""Connections of a parent process: closing them here, or letting them be collected, would disturb it."""


T = TypeVar("T")
Send: TypeAlias = Callable[[Sequence[Command]], Flow[list[Any]]]
"""Sends commands to one server."""


class Routes:
    """The connections of one database, and its table of slots if it is a cluster."""

    def __init__(self, address: Address, max_connections: int, wait_s: float) -> None:
        """Nothing is opened yet."""
        self._address = address
        self._new_wire = partial(Wire, address, max_connections=max_connections, wait_s=wait_s)
        self._new_async_wire = partial(AsyncWire, address, max_connections=max_connections, wait_s=wait_s)
        self._lock = threading.RLock()
        self._wires: dict[Node, Wire] = {}
        self._loops = LoopWires(self._new_async_wire)
        self._breakers: dict[Node, Breaker] = {}
        self._table: SlotTable | None = None
        self._known = list(address.nodes)
        self.is_closed = False
        self._pid = os.getpid()

    def exchange(
        self, key: bytes, commands: Sequence[Command], *, is_write: bool, is_repeatable: bool
    ) -> Flow[list[Any]]:
        """Send commands to the server that holds a key; what it refused stands among the replies as an exception.

        Raises:
            StorageError: No answer.
        """
        ask = partial(self._follow, key, commands)
        return self._ask(ask, is_write=is_write, is_repeatable=is_repeatable)

    def spread(self, keys: Sequence[bytes], commands: Sequence[Command]) -> Flow[list[Any]]:
        """Send commands that are safe to repeat, each to the server that holds its key, all of a server's at once.

        Returns:
            Replies in their order, refusals among them as exceptions.

        Raises:
            StorageError: No answer.
        """
        replies: dict[int, Any] = {}
        yield from self._ask(partial(self._gather, keys, commands, replies), is_write=False, is_repeatable=True)
        for place, (key, command) in enumerate(zip(keys, commands, strict=True)):
            if self._address.is_cluster and is_elsewhere(replies[place]):
                alone = self.exchange(key, [command], is_write=False, is_repeatable=True)
                [replies[place]] = yield from alone
                if is_split([replies[place]]):  # the call fails, and the others need not wait as long each
                    break
        return [replies[place] for place in range(len(keys))]

    def visit(self, look: Callable[[Send], Flow[None]]) -> Flow[None]:
        """Let something that is safe to repeat ask each server that accepts writes.

        Which servers there are is asked anew in the end: none sends a visitor on, as it does whoever asks for a key.

        Raises:
            StorageError: No answer.
        """
        done = set[Node]()

        def look_at(node: Node) -> Flow[None]:
            yield from look(partial(self._send, node))
            done.add(node)

        def look_around() -> Flow[None]:
            yield from _each([it for it in (yield from self._servers()) if it not in done], look_at)
            self._table = None
            yield from _each([it for it in (yield from self._servers()) if it not in done], look_at)

        yield from self._ask(look_around, is_write=False, is_repeatable=True)

    def _ask(self, ask: Callable[[], Flow[T]], *, is_write: bool, is_repeatable: bool) -> Flow[T]:
        """Ask once, and once more on another connection if the first broke and asking again does no harm."""
        for is_last in (not is_repeatable, True):
            try:
                return (yield from ask())
            except Exception as error:
                if not is_of_redis(error):
                    raise
                self._table = None
                if is_last or not is_lost(error):
                    raise translate(error, is_write=is_write, is_repeatable=is_repeatable) from error
        raise AssertionError  # the second turn is the last

    def _gather(self, keys: Sequence[bytes], commands: Sequence[Command], replies: dict[int, Any]) -> Flow[None]:
        """Take the replies that are not there yet."""
        by_node: dict[Node, list[int]] = {}
        for place in range(len(keys)):
            if place not in replies:
                by_node.setdefault((yield from self._node_of(keys[place])), []).append(place)

        def take(node: Node) -> Flow[None]:
            found = yield from self._send(node, [commands[it] for it in by_node[node]])
            replies.update(zip(by_node[node], found, strict=True))

        yield from _each(by_node, take)

    # -------------------------------------------------------------------------------------------------------- slots
    def _follow(self, key: bytes, commands: Sequence[Command]) -> Flow[list[Any]]:
        """Ask where a key is, and wait a little while its slot is in two places: nothing was done then."""
        replies = yield from self._followed(key, commands)
        for _ in range(MAX_WAITS):
            if not is_split(replies):
                break
            yield from step(time.sleep, asyncio.sleep, TRY_AGAIN_S)
            replies = yield from self._followed(key, commands)
        return replies

    def _followed(self, key: bytes, commands: Sequence[Command]) -> Flow[list[Any]]:
        node = (yield from self._node_of(key)) if self._address.is_cluster else self._address.nodes[0]
        is_asking = False
        for _ in range(MAX_REDIRECTIONS):
            sent: Sequence[Command] = [("ASKING",), *commands] if is_asking else commands
            replies = yield from self._send(node, sent)
            replies = replies[1:] if is_asking else replies
            redirected = redirection(replies, node)
            if redirected is None or not self._address.is_cluster:
                return replies
            node, is_asking = redirected.node, redirected.is_for_once
            if not is_asking:
                self._forget_table(node)
        msg = "the Redis cluster sends this call from server to server; repeat it when its slots have settled"
        raise StorageError(msg, is_retryable=True)

    def _node_of(self, key: bytes) -> Flow[Node]:
        if not self._address.is_cluster:
            return self._address.nodes[0]
        table = yield from self._slots()
        try:
            return table.node_of(slot_of(key))
        except StorageError:
            self._table = None
            raise

    def _servers(self) -> Flow[Sequence[Node]]:
        return (yield from self._slots()).every_node() if self._address.is_cluster else self._address.nodes

    def _slots(self) -> Flow[SlotTable]:
        table = self._table
        if table is None:
            table = yield from self._ask_for_slots()
            self._known = list(dict.fromkeys([*table.every_node(), *self._address.nodes]))
            self._table = table
        return table

    def _ask_for_slots(self) -> Flow[SlotTable]:
        """Ask one server after the other, those seen last first, until one knows."""
        failure: Exception | None = None
        for node in self._known:
            try:
                reply = (yield from self._send(node, [("CLUSTER", "SLOTS")]))[0]
            except Exception as error:
                if not is_of_redis(error):
                    raise
                failure = error
                continue
            if not isinstance(reply, Exception):
                return read_table(reply, node)
            failure = reply
        assert failure is not None  # noqa: S101  (an address has at least one server)
        raise translate(failure, is_write=False) from failure

    def _forget_table(self, first: Node) -> None:
        """Ask for the slots again, first the server that was named as the new one."""
        self._known = list(dict.fromkeys([first, *self._known]))
        self._table = None

    # -------------------------------------------------------------------------------------------------- connections
    def _send(self, node: Node, commands: Sequence[Command]) -> Flow[list[Any]]:
        breaker = self._breakers.get(node)
        if breaker is None:
            breaker = self._breakers.setdefault(node, Breaker(f"Redis at {node.host}:{node.port}"))
        with breaker.watched():
            return (yield from step(self._send_blocking, self._send_awaiting, node, commands))

    def _send_blocking(self, node: Node, commands: Sequence[Command]) -> list[Any]:
        with self._lock:
            self._check_usable()
            wire = self._wires.get(node) or self._wires.setdefault(node, self._new_wire(node))
        return wire(commands)

    async def _send_awaiting(self, node: Node, commands: Sequence[Command]) -> list[Any]:
        with self._lock:
            self._check_usable()
            wire = self._loops.current(node)
        return await wire(commands)

    def _check_usable(self) -> None:
        if self.is_closed:
            msg = f"the connection to {self._address.url} was closed; open another RedisDatabase"
            raise StorageError(msg)
        self._leave_parent()

    def _leave_parent(self) -> None:
        """In a forked child, let go of its parent's connections without closing them: the parent uses them on."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            _inherited.extend([self._wires, self._loops.forget()])
            self._wires = {}

    def close(self) -> None:
        """Release every connection of every thread and event loop. Calling it again does nothing."""
        with self._lock:
            self.is_closed = True
            self._leave_parent()
            for wire in self._wires.values():
                wire.close()
            self._wires = {}
            self._loops.close()

    async def aclose(self) -> None:
        """Release every connection; those of the running event loop are closed politely."""
        with self._lock:
            self._leave_parent()
            wires = self._loops.take_current()
        for wire in wires:
            await wire.aclose()
        self.close()


def _each(nodes: Iterable[Node], ask: Callable[[Node], Flow[None]]) -> Flow[None]:
    """Ask each server, also behind one that was lost: its error is raised in the end."""
    lost: Exception | None = None
    for node in nodes:
        try:
            yield from ask(node)
        except Exception as error:
            if not is_of_redis(error) or not is_lost(error):
                raise
            lost = lost or error
    if lost is not None:
        raise lost
