"""Connections to one server: take one, send some commands at once, read as many replies, give it back.

The connections themselves are redis-py's; who gets one, and what happens when something fails, is decided here. Nothing
is ever sent twice by itself. Whatever goes wrong between the first byte sent and the last reply read (an error of the
network, a time that is up, a cancelled task, Ctrl-C) ends the connection: a reply that nobody read can never be taken
for the answer to another question.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.address import Address, Node, Transport
from langchain_agentmem.redis.translate import code_of

if TYPE_CHECKING:
    from redis.asyncio.connection import AbstractConnection as AsyncConnection
    from redis.connection import AbstractConnection

Argument: TypeAlias = bytes | str | int | float
Command: TypeAlias = tuple[Argument, ...]

_ALL_IN_USE: Final = "every connection to Redis is in use; retry, use fewer threads, or raise max_connections"


class Wire:
    """The connections of all threads to one server."""

    def __init__(self, address: Address, node: Node, max_connections: int, wait_s: float) -> None:
        """Nothing is opened yet."""
        self._address = address
        self._node = node
        self._wait_s = wait_s
        self._unmade = [None] * max_connections
        self._idle: SimpleQueue[AbstractConnection] = SimpleQueue()
        self._is_closed = False

    def __call__(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands and return their replies; what the server refused stands there as an exception.

        Raises:
            StorageError: Every connection is in use.
            Exception: redis-py's own, where the connection failed.
        """
        connection = self._take()
        is_clean = False
        try:
            _make_ready(connection)
            connection.send_packed_command([pack(commands)])  # type: ignore[no-untyped-call]
            replies = [_reply(connection) for _ in commands]
            is_clean = not _is_elsewhere(replies)
            if not is_clean:
                self._disconnect_idle()
            return replies
        finally:
            if not is_clean or self._is_closed:
                connection.disconnect()  # type: ignore[no-untyped-call]
            self._idle.put(connection)

    def close(self) -> None:
        """End every connection; one in use ends when it is given back."""
        self._is_closed = True
        self._disconnect_idle()

    def _disconnect_idle(self) -> None:
        for _ in range(self._idle.qsize()):
            with contextlib.suppress(Empty):
                connection = self._idle.get_nowait()
                connection.disconnect()  # type: ignore[no-untyped-call]
                self._idle.put(connection)

    def _take(self) -> AbstractConnection:
        """Return an idle connection, else a new one, else the first that is given back."""
        try:
            return self._idle.get_nowait()
        except Empty:
            pass
        try:
            self._unmade.pop()
        except IndexError:
            return self._wait()
        return make_connection(self._address, self._node)

    def _wait(self) -> AbstractConnection:
        try:
            return self._idle.get(timeout=self._wait_s)
        except Empty:
            raise StorageError(_ALL_IN_USE, is_retryable=True) from None


class AsyncWire:
    """The connections of one event loop to one server."""

    def __init__(self, address: Address, node: Node, max_connections: int, wait_s: float) -> None:
        """Nothing is opened yet."""
        self._address = address
        self._node = node
        self._wait_s = wait_s
        self._answer_s: float | None = address.options["socket_timeout"]
        connect_s: float | None = address.options["socket_connect_timeout"]
        self._greeting_s = None if self._answer_s is None or connect_s is None else connect_s + self._answer_s
        self._loop = asyncio.get_running_loop()
        self._turns = asyncio.Semaphore(max_connections)
        self._idle: deque[AsyncConnection] = deque()
        self._every: set[AsyncConnection] = set()
        self._is_closed = False

    async def __call__(self, commands: Sequence[Command]) -> list[Any]:
        """Do as `Wire` does."""
        if self._turns.locked():
            await self._wait_for_turn()
        else:
            await self._turns.acquire()  # at once
        try:
            return await self._exchange(commands)
        finally:
            self._turns.release()

    async def _wait_for_turn(self) -> None:
        try:
            async with asyncio.timeout(self._wait_s):
                await self._turns.acquire()
        except TimeoutError:
            raise StorageError(_ALL_IN_USE, is_retryable=True) from None

    async def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        connection = self._idle.pop() if self._idle else self._make()
        is_clean = False
        try:
            await self._make_ready(connection)
            async with asyncio.timeout(self._answer_s):
                await connection.send_packed_command([pack(commands)])
                replies = [await _areply(connection) for _ in commands]
            is_clean = not _is_elsewhere(replies)
            if not is_clean:
                for idle in tuple(self._idle):
                    await idle.disconnect(nowait=True)
            return replies
        finally:
            if not is_clean or self._is_closed:
                await connection.disconnect(nowait=True)  # waits for nothing, so that a second cancellation cannot
            self._idle.append(connection)  # … keep the connection from its place

    async def _make_ready(self, connection: AsyncConnection) -> None:
        """Do as the function `_make_ready` does."""
        if await _ais_stale(connection):
            await connection.disconnect(nowait=True)
        if not connection.is_connected:
            async with asyncio.timeout(self._greeting_s):
                await connection.connect()  # type: ignore[no-untyped-call]

    async def aclose(self) -> None:
        """End every connection politely; one in use ends when it is given back."""
        self._is_closed = True
        while self._idle:
            connection = self._idle.pop()
            with contextlib.suppress(OSError):
                await connection.disconnect()

    def close(self) -> None:
        """Close the sockets at once; where their loop runs, in this thread or another, it takes its own part."""
        self._is_closed = True
        for connection in self._every:
            _end_socket(connection, self._loop)

    def _make(self) -> AsyncConnection:
        connection = make_async_connection(self._address, self._node)
        self._every.add(connection)
        return connection


def make_connection(address: Address, node: Node) -> AbstractConnection:
    """Return a connection that is not open yet."""
    from redis import connection

    classes: dict[Transport, Callable[..., AbstractConnection]] = {
        "tcp": connection.Connection,
        "tls": connection.SSLConnection,
        "unix": connection.UnixDomainSocketConnection,
    }
    return classes[address.transport](**address.connection_options(node))


def make_async_connection(address: Address, node: Node) -> AsyncConnection:
    """Return a connection, for the running event loop, that is not open yet."""
    from redis.asyncio import connection

    classes: dict[Transport, Callable[..., AsyncConnection]] = {
        "tcp": connection.Connection,
        "tls": connection.SSLConnection,
        "unix": connection.UnixDomainSocketConnection,
    }
    options = address.connection_options(node)
    return classes[address.transport](**{**options, "socket_timeout": None})  # redis-py would start a task for it


def _make_ready(connection: AbstractConnection) -> None:
    """Open a connection that is not open, or that the server ended meanwhile: only then there is something to read."""
    opened = getattr(connection, "_sock", None)
    if opened is not None and _is_readable(opened):
        connection.disconnect()  # type: ignore[no-untyped-call]
        opened = None
    if opened is None:
        connection.connect()  # type: ignore[no-untyped-call]


def pack(commands: Sequence[Command]) -> bytes:
    """Return commands as Redis reads them; as `pack_commands` of redis-py does, in three quarters of the time."""
    parts: list[bytes] = []
    for command in commands:
        parts.append(b"*%d\r\n" % len(command))
        for argument in command:
            data = argument if type(argument) is bytes else _encoded(argument)
            parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)


def _encoded(argument: Argument) -> bytes:
    if isinstance(argument, str):
        return argument.encode()
    return str(argument).encode() if isinstance(argument, (int, float)) else bytes(argument)


async def _ais_stale(connection: AsyncConnection) -> bool:
    """Likewise; the socket is asked itself, as the event loop may not have looked at it yet."""
    from redis.exceptions import ConnectionError as LostError

    if not connection.is_connected:
        return False
    can_read = getattr(connection, "can_read", None) or connection.can_read_destructive  # the older name, before 8.0
    try:
        return _is_readable(connection._writer.get_extra_info("socket")) or await can_read()  # type: ignore[union-attr]  # noqa: SLF001
    except (LostError, OSError, ValueError):  # ValueError: it was closed
        return True


def _is_readable(connected: socket.socket) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([connected], [], [], 0)[0])
    poll = select.poll()
    poll.register(connected, select.POLLIN)
    return bool(poll.poll(0))


def _is_elsewhere(replies: Sequence[Any]) -> bool:
    """Whether the server is no primary any more: the name that led to it may lead to another one by now."""
    return any(code_of(it) == "READONLY" for it in [it for it in replies if isinstance(it, Exception)])


def _reply(connection: AbstractConnection) -> Any:  # noqa: ANN401  (whatever the server answers)
    try:
        return connection.read_response()
    except Exception as error:  # noqa: BLE001  (raised again unless it is a reply)
        return _refusal(error)


async def _areply(connection: AsyncConnection) -> Any:  # noqa: ANN401
    try:
        return await connection.read_response()
    except Exception as error:  # noqa: BLE001  (raised again unless it is a reply)
        return _refusal(error)


def _refusal(error: Exception) -> Exception:
    """Return what the server refused, as a reply; raise anything else."""
    from redis.exceptions import ResponseError

    if isinstance(error, ResponseError):
        return error
    raise error


def _abort(transport: asyncio.WriteTransport, writer: asyncio.StreamWriter) -> None:
    """End a transport; its writer, which would warn if it were dropped before, is held until now."""
    del writer
    transport.abort()


def _end_socket(connection: AsyncConnection, loop: asyncio.AbstractEventLoop) -> None:
    """End a connection, without its event loop where that runs no more: it would have to take part."""
    writer, connection._writer, connection._reader = connection._writer, None, None  # noqa: SLF001  (or it warns)
    if writer is None:
        return
    with contextlib.suppress(OSError, RuntimeError, AttributeError):
        writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
    tls = getattr(writer.transport, "_ssl_protocol", None)
    transport: Any = getattr(tls, "_transport", None) or writer.transport
    if loop.is_running():
        loop.call_soon_threadsafe(_abort, transport, writer)
        return
    with contextlib.suppress(RuntimeError):
        transport.abort()  # RuntimeError: the rest cannot be called later on a loop that is closed …
    with contextlib.suppress(OSError, RuntimeError, AttributeError):
        transport._call_connection_lost(None)  # noqa: SLF001  (… so it is called now)
