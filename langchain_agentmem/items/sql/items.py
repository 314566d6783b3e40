"""Items on SQLite and PostgreSQL, by prepared statements alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem.items.base import (
    MAX_ROWS,
    Change,
    Check,
    Delta,
    Erased,
    Fresh,
    Get,
    Indexed,
    ItemRow,
    Items,
    Keyring,
    Listing,
    News,
    NewTerms,
    Owned,
    Query,
    Range,
    owner_named,
)
from langchain_agentmem.items.paths import own_path
from langchain_agentmem.items.sql import rows
from langchain_agentmem.items.sql.writing import bring, clear, erase, refresh, replace_terms, sweep, write, write_one
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.types.scope import Owner

T = TypeVar("T")
PAGE: Final = 500
"""Rows read at first where the database knows nothing of what is wanted."""

MIN_PAGE: Final = 50
DIGIT_SPREAD: Final = 16
"""Where it has looked for a number, that stands also at the beginning of ten longer ones: so many rows for each that is
wanted; else as many as are wanted."""

PAGE_GROWTH: Final = 4
"""How many times more with each page."""


class SQLItems(Items):
    """Items in one SQL database.

    Args:
        database: Where the tables are.
    """

    def __init__(self, database: Database) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._is_remote = not database.is_sqlite

    def open(self) -> Flow[None]:
        """Open the database."""
        yield from self.database.open()

    def read(self, queries: Sequence[Query], at: int, keyring: Keyring) -> Flow[list[Any]]:
        """Answer in a read transaction; where something is to live on, write its expiry in another one.

        On PostgreSQL one question is asked by itself, which is one round trip.
        """
        reading = _Reading(at, keyring, is_single=self._is_remote and len(queries) == 1)
        try:
            answers = yield from self._read(partial(reading.answer, queries), singly=reading.is_single)
        except _UnfinishedError:
            reading.is_single = False
            answers = yield from self._read(partial(reading.answer, queries))
        if reading.used:
            yield from self.refresh(reading.used, at)
        return answers

    def change(self, queries: Sequence[Query], change: Change, keyring: Keyring) -> Flow[list[Any]]:
        """Answer and write in one transaction; on PostgreSQL one put is one statement."""
        if self._is_remote and not queries and change.is_one_put:
            yield from self.database.write_prepared(partial(write_one, change=change), singly=True)
            return []
        return (yield from self.database.write_prepared(partial(_change, queries, change, keyring)))

    def bring(self, change: Change) -> Flow[int]:
        """Count the change of each namespace first: nobody else puts anything into it until the transaction ends."""
        return (yield from self.database.write_prepared(partial(bring, change=change)))

    def delta(self, paths: Range, known: Mapping[int, int], keyring: Keyring) -> Flow[Delta]:
        """Compare revisions, then read what is new by the index of revisions.

        Mostly nothing is: on PostgreSQL that is asked first, in one round trip.
        """
        if known and self._is_remote:
            delta = yield from self._read(partial(_delta_if_none, paths, known, keyring), singly=True)
            if delta is not None:
                return delta
        return (yield from self._read(partial(_delta, paths, known, keyring)))

    def rows(self, refs: Sequence[int], at: int, keyring: Keyring) -> Flow[list[ItemRow]]:
        """Read them by their primary key."""
        return (yield from self._read(partial(_some, refs, at, keyring), singly=True))

    def indexed(self, after: int, limit: int, at: int, keyring: Keyring) -> Flow[list[Indexed]]:
        """Read them in the order of their primary key."""
        return (yield from self._read(partial(_indexed, after, limit, at, keyring), singly=True))

    def theirs(self, owner: Owner, after: int, limit: int, at: int, keyring: Keyring) -> Flow[list[Owned]]:
        """Read them in the order of their primary key."""
        values = {"tenant": owner.tenant_id, "user": owner.user_id, "after": after, "limit": limit, "now": at}
        return (yield from self._read(partial(_theirs, values, keyring), singly=True))

    def replace_terms(self, changes: Sequence[NewTerms]) -> Flow[int]:
        """Count the change of each namespace, then write."""
        return (yield from self.database.write_prepared(partial(replace_terms, changes=changes)))

    def refresh(self, refs: Sequence[int], at: int) -> Flow[None]:
        """Write expiries, namespace by namespace."""
        yield from self.database.write_prepared(partial(refresh, refs=refs, at=at))

    def owners(self, paths: Collection[str]) -> Flow[dict[str, Owner]]:
        """Read namespaces one by one: there are as many as a batch writes to."""
        return (yield from self._read(partial(_owners, paths), singly=len(paths) == 1))

    def erase(self, owner: Owner, is_theirs: Callable[[str], bool]) -> Flow[Erased]:
        """Delete in one transaction, then empty the write-ahead log of SQLite, so that no file holds a value."""
        erased = yield from self.database.erase(partial(erase, owner=owner, is_theirs=is_theirs))
        yield from self.database.scrub_erased()
        return erased

    def clear(self, paths: Range, at: int, check: Check, *, is_dry: bool) -> Flow[Erased]:
        """Count in a read transaction; or delete in one, then empty the write-ahead log of SQLite."""
        body = partial(clear, paths=paths, at=at, check=check, is_dry=is_dry)
        if is_dry:
            return (yield from self._read(body))
        erased = yield from self.database.erase(body)
        yield from self.database.scrub_erased()
        return erased

    def sweep(self, at: int) -> Flow[int]:
        """Sweep a hundred namespaces per transaction, then empty the write-ahead log of SQLite."""
        swept, is_done = yield from self.database.erase(partial(sweep, at=at))
        while not is_done:
            more, is_done = yield from self.database.erase(partial(sweep, at=at))
            swept += more
        yield from self.database.scrub_erased()
        return swept

    def _read(self, body: Callable[[Transaction], T], *, singly: bool = False) -> Flow[T]:
        return (yield from self.database.read_prepared(body, singly=singly))


class _UnfinishedError(Exception):
    """What was asked takes more than one statement."""


class _Reading:
    """Answers queries inside a transaction.

    Attributes:
        used: Numbers of the items that are to live on.
        is_single: There is no transaction: the answer must be that of one statement.
    """

    def __init__(self, at: int, keyring: Keyring, *, is_single: bool = False) -> None:
        self._at = at
        self._keyring = keyring
        self.is_single = is_single
        self.used: list[int] = []

    def answer(self, queries: Sequence[Query], connection: Transaction) -> list[Any]:
        """Return the answers, in the order of the queries."""
        self.used = []
        return [self._answer(query, connection) for query in queries]

    def _answer(self, query: Query, connection: Transaction) -> Any:  # noqa: ANN401  (what `take` makes)
        if isinstance(query, Get):
            return self._get(query, connection)
        if isinstance(query, Listing):
            return self._listing(query, connection)
        values = {**query.paths._asdict(), "now": self._at}
        return [path for (path,) in rows.SELECT_PATHS.rows(connection, values)]

    def _get(self, query: Get, connection: Transaction) -> Any:  # noqa: ANN401
        tenant, user = query.owner or (None, None)
        values = {"path": query.path, "key": query.key, "now": self._at, "tenant": tenant, "user": user}
        statement = rows.GET
        if query.owner is not None:
            statement, values["own"] = rows.GET_OWN, own_path(query.path, query.owner)
        for row in map(ItemRow._make, statement.rows(connection, values)):
            self._keyring.expect([row.owner])
            return self._took(row, query.take(row), query)
        return None

    def _took(self, row: ItemRow, answer: Any, query: Get | Listing) -> Any:  # noqa: ANN401
        if query.refresh and row.ttl is not None and answer is not None:
            self.used.append(row.ref)
        return answer

    def _listing(self, query: Listing, connection: Transaction) -> list[Any]:
        asked = self._page_of(query, connection)
        if asked is None:
            return []
        statement, values = asked
        if query.needle:
            values["needle"] = query.needle

        def read(page: dict[str, int]) -> list[ItemRow]:
            found = list(map(ItemRow._make, statement.rows(connection, {**values, **page})))
            self._keyring.expect({row.owner for row in found})
            return found

        if query.takes_all:
            page = {"limit": min(query.limit, MAX_ROWS), "offset": min(query.offset, MAX_ROWS)}
            return [self._took(row, query.take(row), query) for row in read(page)]
        return self._chosen(query, read)

    def _page_of(self, query: Listing, connection: Transaction) -> tuple[Prepared, dict[str, Any]] | None:
        """Return what reads pages, and its values; `None` where there is nothing to read."""
        if not query.limit:
            return None
        paths = query.paths._asdict()
        if connection.dialect.name == "sqlite":  # which takes its index only if it is one namespace
            first = rows.FIRST_TWO.rows(connection, paths)
            if not first:
                return None
            if len(first) == 1:
                statement = rows.HOLDING_OF_ONE if query.needle else rows.PAGE_OF_ONE
                return statement, {"ref": first[0][0], "now": self._at}
        return rows.HOLDING_OF_RANGE if query.needle else rows.PAGE_OF_RANGE, {**paths, "now": self._at}

    def _chosen(self, query: Listing, read: Callable[[dict[str, int]], list[ItemRow]]) -> list[Any]:
        """Return what `take` wants, after the offset and up to the limit."""
        last = min(query.offset + query.limit, MAX_ROWS)
        every = self._all(read, _first_page(query.needle, last))
        taken = ((row, answer) for row in every if (answer := query.take(row)) is not None)
        return [self._took(row, answer, query) for row, answer in islice(taken, min(query.offset, last), last)]

    def _all(self, read: Callable[[dict[str, int]], list[ItemRow]], size: int) -> Iterator[ItemRow]:
        """Read page after page, each larger than the one before: who gets so far needs most of them."""
        offset, size = 0, min(size, MAX_ROWS)
        while True:
            page = read({"limit": size, "offset": offset})
            yield from page
            if len(page) < size:
                return
            if self.is_single:
                raise _UnfinishedError
            offset, size = offset + size, min(size * PAGE_GROWTH, MAX_ROWS)


def _first_page(needle: bytes, wanted: int) -> int:
    if not needle:
        return PAGE
    return max(MIN_PAGE, wanted * DIGIT_SPREAD if needle[-1:].isdigit() else wanted)


def _change(queries: Sequence[Query], change: Change, keyring: Keyring, connection: Transaction) -> list[Any]:
    reading = _Reading(change.at, keyring)
    answers = reading.answer(queries, connection)
    write(connection, change, reading.used)
    return answers


def _delta(paths: Range, known: Mapping[int, int], keyring: Keyring, connection: Transaction) -> Delta:
    found = rows.REVISIONS.rows(connection, paths._asdict())
    keyring.expect({owner_named(tenant, user) for _, _, tenant, user, _, _ in found})
    news = [_news(connection, row, known.get(row[0], 0)) for row in found if row[4] > known.get(row[0], 0)]
    return Delta(namespaces=[row[0] for row in found], news=news)


def _delta_if_none(paths: Range, known: Mapping[int, int], keyring: Keyring, connection: Transaction) -> Delta | None:
    """Return the delta if nothing was written since; only removed namespaces are no longer there."""
    found = rows.REVISIONS.rows(connection, paths._asdict())
    if any(row[4] > known.get(row[0], 0) for row in found):
        return None
    keyring.expect({owner_named(tenant, user) for _, _, tenant, user, _, _ in found})
    return Delta(namespaces=[row[0] for row in found], news=())


def _news(connection: Transaction, row: tuple[Any, ...], since: int) -> News:
    ref, path, tenant, user, revision, removal = row
    fresh = rows.SELECT_FRESH.rows(connection, {"ref": ref, "since": since})
    has_lost = 0 < since < removal
    return News(
        ref=ref,
        path=path,
        owner=owner_named(tenant, user),
        since=since,
        revision=revision,
        items=[Fresh(*it) for it in fresh],
        kept={it for (it,) in rows.SELECT_REFS.rows(connection, {"ref": ref})} if has_lost else None,
    )


def _some(refs: Sequence[int], at: int, keyring: Keyring, connection: Transaction) -> list[ItemRow]:
    found = list(map(ItemRow._make, rows.SELECT_SOME.rows(connection, {"refs": json.dumps(refs), "now": at})))
    keyring.expect({row.owner for row in found})
    return found


def _indexed(after: int, limit: int, at: int, keyring: Keyring, connection: Transaction) -> list[Indexed]:
    values = {"after": after, "limit": limit, "now": at}
    found = [Indexed(ItemRow(*row), terms) for *row, terms in rows.SELECT_INDEXED.rows(connection, values)]
    keyring.expect({it.row.owner for it in found})
    return found


def _theirs(values: Mapping[str, Any], keyring: Keyring, connection: Transaction) -> list[Owned]:
    found = [Owned(ItemRow(*row), terms) for *row, terms in rows.SELECT_THEIRS.rows(connection, values)]
    keyring.expect({it.row.owner for it in found})
    return found


def _owners(paths: Collection[str], connection: Transaction) -> dict[str, Owner]:
    found = {path: rows.FIND_NAMESPACE.rows(connection, {"path": path}) for path in paths}
    owners = {path: owner_named(*it[0]) for path, it in found.items() if it}
    return {path: owner for path, owner in owners.items() if owner is not None}
