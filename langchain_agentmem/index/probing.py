"""What a vector store of an unknown class can really do: found out with a row of nobody's, before it has anybody's.

LangChain's `VectorStore` promises little. There are stores that ignore the ids that they are given, that say of a row
that it is deleted and keep it, that pass over a filter, or give rows back under other names. A user could not be erased
from them, or would be searched for in vain.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar
from uuid import uuid4

import numpy as np

from langchain_agentmem._flow import Flow, step
from langchain_agentmem._search import SearchRow
from langchain_agentmem.errors import AgentMemError, ConfigurationError, StorageError
from langchain_agentmem.types import Scope

LAG_S: Final = 10.0
"""How long what was written or deleted may take until a store shows it: hosted ones lag some seconds behind."""

OWN_COSINE: Final = 0.5
"""Least cosine of a vector with itself: a store that packs vectors tightly gives less than 1, a wrong formula 0."""

_PAUSE_S: Final = 0.05

T = TypeVar("T")
Near: TypeAlias = tuple[Mapping[str, Any], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What is tried of a store.

    Attributes:
        name: Of its class.
        put: Writes rows of a user. `delete`: deletes some by id. `damaged`: names those that it does not hold as given.
        look: Finds the rows of a user next to a vector: their metadata, and cosines.
        subject: The user's name in the metadata.
        gives_rows: Whether it can be asked what it has under an id, so that `damaged` can tell.
    """

    name: str
    put: Callable[[Scope, Sequence[SearchRow]], Flow[None]]
    delete: Callable[[Scope, Sequence[str]], Flow[None]]
    damaged: Callable[[Scope, Sequence[SearchRow]], Flow[list[str]]]
    look: Callable[[Scope, list[float]], Flow[list[Near]]]
    subject: Callable[[Scope], str]
    gives_rows: bool


class Trial:
    """What is known of a store whose class is not: nothing, that it has passed, or why it was refused."""

    def __init__(self) -> None:
        """Nothing is tried yet."""
        self._is_passed = False
        self._refusal: ConfigurationError | None = None

    def check(self) -> None:
        """Raise the `ConfigurationError` of a store that was refused."""
        if self._refusal is not None:
            raise self._refusal

    def pass_(self, store: Callable[[], Store], size: int) -> Flow[None]:
        """Try a store once; see `prove`."""
        self.check()
        if self._is_passed:
            return
        try:
            yield from prove(store(), size)
        except ConfigurationError as error:
            self._refusal = error
            raise
        self._is_passed = True


def prove(store: Store, size: int) -> Flow[None]:
    """Write, find, read and delete a row of nobody's with a vector of a size.

    Raises:
        ConfigurationError: The store cannot be trusted with anybody's; it says why. The row is deleted, if it can be.
        StorageError: The store failed.
    """
    nobody, other = (Scope(f"nobody-{uuid4().hex}") for _ in range(2))
    vector = np.eye(1, size, dtype="<f4")[0]
    row = _row(vector)
    yield from store.put(nobody, [row])
    try:
        yield from _check_finding(store, nobody, other, vector.tolist())
        yield from _check_reading(store, nobody, row)
        yield from _check_deleting(store, nobody, row, vector.tolist())
    except (ConfigurationError, StorageError):
        yield from _quietly(store.delete(nobody, [row.memory_id]))
        raise


def _check_finding(store: Store, nobody: Scope, other: Scope, vector: list[float]) -> Flow[None]:
    found = yield from until(lambda: store.look(nobody, vector), bool)
    own = [cosine for metadata, cosine in found if metadata.get("subject") == store.subject(nobody)]
    if not own:
        raise _refused(store, "does not find a row that was written by its user", "check filter=, and its metadata")
    if not own[0] > OWN_COSINE:  # nor where it is no number
        raise _refused(store, f"has a vector {own[0]:.2g} like itself, which is 1 for a cosine", "check cosine=")
    if (yield from store.look(other, vector)):
        raise _refused(store, "finds a row of another user than its filter names", "check filter=")


def _check_reading(store: Store, nobody: Scope, row: SearchRow) -> Flow[None]:
    if store.gives_rows and (yield from until(lambda: store.damaged(nobody, [row]), _is_none)):
        why = "gives a row back under another id, or with other metadata, than it was given"
        raise _refused(store, why, "name a StoreDialect with read= and metadata= that fit")


def _check_deleting(store: Store, nobody: Scope, row: SearchRow, vector: list[float]) -> Flow[None]:
    try:
        yield from store.delete(nobody, [row.memory_id])
    except StorageError as error:
        if error.is_retryable:
            raise
        raise _refused(store, "does not delete a row by the id that it was given", "take another store") from error
    if (yield from until(lambda: store.look(nobody, vector), _is_none)):
        raise _refused(store, "keeps a row that it was told to delete by its id", "take another store")
    try:
        yield from store.delete(nobody, [row.memory_id])
    except StorageError as error:
        if error.is_retryable:
            raise
        why = "fails to delete an id that it does not have, and cannot be asked which it has"
        raise _refused(store, why, "name a StoreDialect with read=") from error


def until(ask: Callable[[], Flow[T]], is_right: Callable[[T], bool]) -> Flow[T]:
    """Ask again until an answer is right, for as long as stores may lag behind, and return the last one."""
    pause, waited = _PAUSE_S, 0.0
    while not is_right(found := (yield from ask())) and waited < LAG_S:
        yield from step(time.sleep, asyncio.sleep, pause)
        pause, waited = 2 * pause, waited + pause
    return found


def _is_none(found: Sequence[Any]) -> bool:
    return not found


def _quietly(flow: Flow[None]) -> Flow[None]:
    try:
        yield from flow
    except AgentMemError:  # it is refused anyway
        return


def _refused(store: Store, why: str, remedy: str) -> ConfigurationError:
    msg = f"{store.name} cannot hold memories of users: it {why}, as a trial with a row of nobody's showed; {remedy}"
    return ConfigurationError(msg)


def _row(vector: Any) -> SearchRow:  # noqa: ANN401  (numbers)
    return SearchRow(
        memory_id="probe",
        revision=0,
        agent_id=None,
        kind="fact",
        status="active",
        confidence=1.0,
        created_at=0,
        valid_at=None,
        invalid_at=None,
        expires_at=None,
        terms=b"",
        labels=b"",
        vector=vector.tobytes(),
    )
