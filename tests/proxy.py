"""A TCP proxy that misbehaves on demand: it stands between a client and a real server.

```python
with proxy(server.port) as line:
    client = connect(line.port)
    line.cut_after(requests=10)  # every connection ends once ten more bytes went from the client to the server
    line.cut_after(replies=3)  # … or three from the server to the client, which passed on all it was asked
    line.pause()  # nothing passes, nothing ends: a slow network
    line.refuse()  # everything ends, nobody is let in: a server that is away
    line.heal()  # as if nothing had been
```
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tests.servers import HOST

CHUNK: Final = 65_536


@dataclass(slots=True)
class Proxy:
    """What passes, and how much of it; connections made so far are counted."""

    target: int
    listener: socket.socket
    connections: int = 0
    _budget: dict[str, int | None] = field(default_factory=lambda: {"requests": None, "replies": None})
    _passes: threading.Event = field(default_factory=threading.Event)
    _is_refusing: bool = False
    _is_closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pairs: set[tuple[socket.socket, socket.socket]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Let everything pass."""
        self._passes.set()

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port

    def cut_after(self, *, requests: int | None = None, replies: int | None = None) -> None:
        with self._lock:
            self._budget = {"requests": requests, "replies": replies}

    def pause(self) -> None:
        self._passes.clear()

    def refuse(self) -> None:
        self._is_refusing = True
        self.cut()

    def heal(self) -> None:
        self.cut_after()
        self._is_refusing = False
        self._passes.set()

    def cut(self) -> None:
        """End every connection that there is now."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for one in (it for pair in pairs for it in pair):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def serve(self) -> None:
        while not self._is_closed:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve_one, args=(client,), daemon=True).start()

    def close(self) -> None:
        self._is_closed = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
        self._passes.set()

    def _serve_one(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            if self._is_refusing:
                return
            with socket.create_connection((HOST, self.target)) as server:
                pair = (client, server)
                with self._lock:
                    self._pairs.add(pair)
                try:
                    if not (self._is_closed or self._is_refusing):  # nothing ends it that began after everything ended
                        self._pump(client, server)
                finally:
                    with self._lock:
                        self._pairs.discard(pair)

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ, ("requests", server))
            selector.register(server, selectors.EVENT_READ, ("replies", client))
            while not self._is_closed:
                ready = selector.select()  # `cut` ends it, and so does whoever closes this
                self._passes.wait()
                for key, _ in ready:
                    direction, other = key.data
                    data = socket.socket.recv(key.fileobj, CHUNK)  # type: ignore[arg-type]  # sockets are registered
                    allowed = self._allowed(direction, len(data))
                    other.sendall(data[:allowed])
                    if not data or allowed < len(data):
                        return

    def _allowed(self, direction: str, count: int) -> int:
        with self._lock:
            budget = self._budget[direction]
            if budget is None:
                return count
            allowed = min(count, budget)
            self._budget[direction] = budget - allowed
            return allowed


@contextlib.contextmanager
def proxy(target: int) -> Iterator[Proxy]:
    """Listen at a port of its own and pass everything on to a port of the loopback, both ways."""
    line = Proxy(target, socket.create_server((HOST, 0)))
    thread = threading.Thread(target=line.serve, daemon=True)
    thread.start()
    try:
        yield line
    finally:
        line.close()
        thread.join()
