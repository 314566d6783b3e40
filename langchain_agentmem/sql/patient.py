"""psycopg's connections with an end to their patience: a server that stands still must not hold up a turn for ever.

TCP notices a machine that is gone. It does not notice a server that is stopped, or that waits for a lock: the machine
still answers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cache
from time import monotonic
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import Connection

READY_NONE: Final = 0
"""What psycopg tells a generator when nothing has happened for its interval, a tenth of a second."""

T = TypeVar("T")


class Patient(NamedTuple):
    """psycopg's two classes of connections."""

    blocking: Any
    awaited: Any


@cache
def patient(answer_timeout_s: float | None) -> Patient:
    """Return classes whose connections are closed when the server has not answered for so long; `None`: never."""
    import psycopg

    class SilenceTimeout(psycopg.OperationalError):
        """The server did not answer in time."""

    class PatientConnection(psycopg.Connection[Any]):
        timeout_s = answer_timeout_s

        def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as of psycopg)
            if self.timeout_s is None:
                return super().wait(gen, *args, **kwargs)
            try:
                return super().wait(_bounded(gen, self.timeout_s, SilenceTimeout), *args, **kwargs)
            except SilenceTimeout:
                self.pgconn.finish()
                raise

    class PatientAsyncConnection(psycopg.AsyncConnection[Any]):
        timeout_s = answer_timeout_s

        async def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as of psycopg)
            if self.timeout_s is None:
                return await super().wait(gen, *args, **kwargs)
            try:
                return await super().wait(_bounded(gen, self.timeout_s, SilenceTimeout), *args, **kwargs)
            except SilenceTimeout:
                self.pgconn.finish()
                raise

    return Patient(PatientConnection, PatientAsyncConnection)


def _bounded(gen: Generator[Any, Any, T], timeout_s: float, error: type[Exception]) -> Generator[Any, Any, T]:
    """Run a generator of psycopg's, and raise in its place when nothing comes for too long."""
    end = monotonic() + timeout_s
    try:
        state = next(gen)
        while True:
            ready = yield state
            if ready == READY_NONE and monotonic() >= end:
                msg = f"the server has not answered for {timeout_s:g} s"
                raise error(msg)
            state = gen.send(ready)
    except StopIteration as done:
        result: T = done.value
        return result


def unhurried(body: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """Return a body that may take as long as it takes, as a migration does."""

    def run(connection: Connection) -> T:
        driver: Any = connection.connection.driver_connection
        if not hasattr(driver, "timeout_s"):
            return body(connection)
        before, driver.timeout_s = driver.timeout_s, None
        try:
            return body(connection)
        finally:
            driver.timeout_s = before

    return run
