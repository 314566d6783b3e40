"""Whether PostgreSQL has closed a connection, as far as its socket knows."""

from __future__ import annotations

import select
from typing import Any

from sqlalchemy.exc import DisconnectionError


def refuse_dead(connection: Any, _record: object, _proxy: object) -> None:  # noqa: ANN401  (a driver's, or an adapter)
    """Let a pool of SQLAlchemy's give no connection that its server has closed: an event of its checkout.

    Its own `pool_pre_ping` asks the server before each transaction, which on a server nearby takes as long as a small
    transaction. What a closed socket says costs no round trip.

    Raises:
        DisconnectionError: It was closed; the pool opens another one.
    """
    driver = getattr(connection, "driver_connection", connection)
    if driver.closed or has_input(driver.pgconn.socket):
        raise DisconnectionError


def has_input(socket: int) -> bool:
    """Whether something has arrived, without waiting."""
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([socket], [], [], 0)[0])
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
