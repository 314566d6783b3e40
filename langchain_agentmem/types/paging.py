"""Pages of listings, the cursors that lead from one to the next, and the way through all of them.

Every listing takes `limit=` and `cursor=`, and returns a `Page`. A cursor says where its page ended, not how many rows
went before: what is written between two pages moves nothing into, or out of, the pages to come.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from langchain_agentmem._checks import check_count
from langchain_agentmem.errors import ConfigurationError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = ParamSpec("P")

Part: TypeAlias = str | int | float | datetime
Place: TypeAlias = tuple[Any, ...]
"""Where a page ended: what the listing is ordered by, of its last record."""

Waits: TypeAlias = Generator[Any, Any, T]
"""A flow, of which no record imports how it is driven."""

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1_000
_MAX_KEY: Final = 2**63
"""No database compares a greater integer; NaN and infinity are not below it either."""

_MAX_CURSOR: Final = 65_536
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAMAGED: Final = "is damaged, or none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Sequence[T_co], Generic[T_co]):
    """A page of a listing, a sequence of its records.

    Attributes:
        items: The records, in the order of the listing.
        cursor: Continues behind this page; `None` on the last one. It is made for the listing that returned it, says
            nothing that its page does not, and nobody but that listing needs to read it.
    """

    items: tuple[T_co, ...] = ()
    cursor: str | None = None

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, index: int | slice) -> T_co | tuple[T_co, ...]:
        """Return one record, or several."""
        return self.items[index]

    def __len__(self) -> int:
        """Return how many records are on the page."""
        return len(self.items)

    def __iter__(self) -> Iterator[T_co]:
        """Iterate in the order of the listing."""
        return iter(self.items)

    def __repr__(self) -> str:
        """Return how many records there are, without a word of them."""
        return f"Page({len(self.items)} items{'' if self.is_last else ', and more behind its cursor'})"

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return self.cursor is None

    def each(self, change: Callable[[T_co], T]) -> Page[T]:
        """Return the page with something made of each record."""
        return Page(items=tuple(map(change, self.items)), cursor=self.cursor)


def every(listing: Callable[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
    """Yield all records of a listing, page by page, each page as it is needed.

    Args:
        listing: Such as `memory.long_term.list`.
        args: What it is called with.
        kwargs: Likewise: `limit` records at a time, from `cursor` on.

    Example:
        ```python
        for fact in every(memory.long_term.list, scope=alice, kinds="fact"):
            print(fact.content)
        ```
    """
    page = listing(*args, **kwargs)
    yield from page
    while page.cursor is not None:
        kwargs["cursor"] = page.cursor
        page = listing(*args, **kwargs)
        yield from page


async def aevery(listing: Callable[P, Awaitable[Page[T]]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
    """Yield all records of a listing; see `every`. It takes the awaitable twin, such as `memory.long_term.alist`."""
    page = await listing(*args, **kwargs)
    for record in page:
        yield record
    while page.cursor is not None:
        kwargs["cursor"] = page.cursor
        page = await listing(*args, **kwargs)
        for record in page:
            yield record


def every_flow(listing: Callable[[str | None], Waits[Page[T]]]) -> Waits[list[T]]:
    """Return all records of a listing that is a flow of its cursor; see `every`."""
    page = yield from listing(None)
    found = [*page]
    while page.cursor is not None:
        page = yield from listing(page.cursor)
        found += page
    return found


class Used(Protocol):
    """A conversation in a listing."""

    @property
    def session_id(self) -> str:
        """By which it is named."""

    @property
    def last_used_at(self) -> datetime:
        """When it was used last."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order of one listing: it cuts the pages, makes their cursors, and takes no other's.

    Args:
        listing: By what name callers know it, such as `jobs.list`.
        key: The types of what it is ordered by, which tells any two records apart.
        of: Whose records they are, where each has a listing of its own: the id of a run, or of a thread.
    """

    listing: str
    key: tuple[type[Part], ...]
    of: str = ""

    def start(self, cursor: str | None) -> Place | None:
        """Return where a page begins; `None`: at the beginning.

        Raises:
            ConfigurationError: The cursor was made by another listing, or is damaged.
        """
        return None if cursor is None else self._read(cursor)

    def page(self, found: Sequence[T], limit: int, place: Callable[[T], Place]) -> Page[T]:
        """Return a page of what was found, which is one record more than `limit` where another page follows."""
        items = tuple(found[:limit])
        return Page(items=items, cursor=self.cursor(place(items[-1])) if len(found) > limit else None)

    def cursor(self, place: Place) -> str:
        """Return the cursor of a page that ended there."""
        text = json.dumps([self.listing, self.of, *map(_plain, place)], ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode()

    def _read(self, cursor: str) -> Place:
        made = _opened(cursor)
        if made[:2] == [self.listing, self.of]:
            place = tuple(_read_part(*it) for it in zip(made[2:], self.key, strict=False))
            if len(made) == 2 + len(self.key) and None not in place:
                return place
        is_other = bool(made) and made[:2] != [self.listing, self.of]
        told = f"is one of {'another ' * (made[0] == self.listing)}{made[0]}, not" if is_other else _DAMAGED
        msg = f"the cursor {told} of {self.listing}; pass the cursor of the page before, or none"
        raise ConfigurationError(msg)


class LastUsed(NamedTuple):
    """Where a conversation stands among those of its user, which are listed by their last use."""

    at: datetime
    session_id: str

    @classmethod
    def of(cls, used: Used) -> LastUsed:
        """Return where a conversation stands."""
        return cls(used.last_used_at, used.session_id)


def check_limit(limit: object) -> int:
    """Return how many records a page may have, else raise `ConfigurationError`."""
    return check_count("limit", limit, most=MAX_LIMIT, hint="read on with cursor=")


_NAME: Final = r"[a-z_]{1,40}(\.[a-z_]{1,40})?(\([a-z_]{1,40}=[\w' -]{0,80}\))?"
"""What a listing can be called; no more is ever said of a cursor that somebody made up."""


def _opened(cursor: object) -> list[Any]:
    """Return which listing a cursor says that it is of, whose, and where its page ended; nothing of what is none."""
    if not isinstance(cursor, str) or len(cursor) > _MAX_CURSOR:
        return []
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
        listing, of, *place = json.loads(text)
        json.dumps([of, place], ensure_ascii=False).encode()  # a lone surrogate may stand in it as an escape
        return [listing, of, *place] if re.fullmatch(_NAME, listing) else []
    except (ValueError, TypeError, RecursionError):
        return []


def _read_part(value: object, kind: type[Part]) -> Part | None:
    """Return a part of a place; `None` where it is not of its type, or a database would stumble over it."""
    if isinstance(value, str):
        return value if kind is str and "\x00" not in value else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _MAX_KEY:
        return None
    if kind is float or (kind is int and isinstance(value, int)):
        return value
    return _time_of(value) if kind is datetime and isinstance(value, int) else None


def _time_of(micros: int) -> datetime | None:
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


def _plain(part: Part) -> str | int | float:
    return (part - _EPOCH) // timedelta(microseconds=1) if isinstance(part, datetime) else part
