"""Damaged threads among others: they stop nothing that is done to the others, and are told of at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import IntegrityError

_NAMED: Final = 10
"""How many threads an error names; `sweep` and `copy_checkpoints` name all."""


class Damaged:
    """Threads that could not be read while others were.

    Args:
        others: What was done with the others, for the error.
    """

    def __init__(self, others: str) -> None:
        """None yet."""
        self._others = others
        self._errors: dict[str, IntegrityError] = {}

    def note(self, thread_id: str, error: IntegrityError) -> None:
        """Keep what is wrong with a thread until the others are done."""
        self._errors[thread_id] = error

    def finish(self) -> None:
        """Raise the first error, with the names of all threads that have one.

        Raises:
            IntegrityError: There is one; it is of the first one's kind.
        """
        if not self._errors:
            return
        names = [repr(thread_id) for thread_id in self._errors]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        first = next(iter(self._errors.values()))
        msg = f"{first} (threads that cannot be read: {', '.join(names[:_NAMED])}{more}; {self._others})"
        raise type(first)(msg) from first


def each_thread(thread_ids: Sequence[str], do: Callable[[str], Flow[None]]) -> Flow[None]:
    """Do something with each of some threads, the damaged ones left as they are.

    Raises:
        IntegrityError: At the end, where one is damaged.
    """
    damaged = Damaged("all others that were asked for are done")
    for thread_id in thread_ids:
        try:
            yield from do(thread_id)
        except IntegrityError as error:
            damaged.note(thread_id, error)
    damaged.finish()
