"""What ends a blocking transaction whose awaiting caller was cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from langchain_agentmem.sql.driver import DriverConnection

T = TypeVar("T")


def run_unless(cancelled: threading.Event, body: Callable[[DriverConnection], T], connection: DriverConnection) -> T:
    """Run a body, unless whoever awaited it is gone by then."""
    result = body(connection)
    check_cancelled(cancelled)
    return result


def check_cancelled(cancelled: threading.Event | None) -> None:
    """Roll back what nobody awaits any more.

    Raises:
        asyncio.CancelledError: It was cancelled.
    """
    if cancelled is not None and cancelled.is_set():
        raise asyncio.CancelledError
