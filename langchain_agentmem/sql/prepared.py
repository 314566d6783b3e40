"""Statements for the hottest paths: compiled once, then handed to the driver's own cursor.

Executing a statement through SQLAlchemy costs some 40 µs more than the driver needs for it (measured on SQLite: one
message added in 118 instead of 185 µs, twenty read in 107 instead of 190). Everywhere else SQLAlchemy executes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from sqlalchemy import ColumnElement, Dialect, bindparam, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import ClauseElement

MAX_TOGETHER: Final = 6
"""Changes that PostgreSQL makes in one statement. It plans each combination anew, so there must not be many."""

BLOCK: Final = 256
"""Rows that are read at a time where there may be thousands: with a vector each, they fit into a processor's cache."""


class Transaction(Protocol):
    """A connection in a transaction: SQLAlchemy's, or one of the driver's own."""

    @property
    def dialect(self) -> Dialect:
        """How statements are compiled for it."""
        ...

    @property
    def connection(self) -> Any:  # noqa: ANN401  (drivers have no common type)
        """The driver's connection."""
        ...


class Prepared:
    """One statement of SQLAlchemy Core, with named parameters, as the text of each driver.

    Parameters go to the driver as they are and values come back as it gives them: use integers, text and bytes.

    Args:
        statement: What to run; or one statement per name of a dialect, where they differ.
    """

    def __init__(self, statement: ClauseElement | Mapping[str, ClauseElement]) -> None:
        """Nothing is compiled yet."""
        self._statement: Final = statement
        self._texts: dict[str, _Text] = {}

    def rows(self, connection: Transaction, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it once and return all rows."""
        text = self._texts.get(connection.dialect.name) or self._text(connection)
        try:
            found: list[tuple[Any, ...]] = connection.connection.execute(text.sql, text.bind(values)).fetchall()
        except _errors_of(connection.dialect) as error:
            raise as_usual(error, connection.dialect) from error
        return found

    def blocks(self, connection: Transaction, values: Mapping[str, Any]) -> Iterator[list[tuple[Any, ...]]]:
        """Run it once and yield some hundred rows at a time; until the last of them, nothing else may be run.

        What one block took is free again for the next.
        """
        text = self._texts.get(connection.dialect.name) or self._text(connection)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(text.sql, text.bind(values))
            found = cursor.fetchmany(BLOCK)
            while found:
                yield found
                found = cursor.fetchmany(BLOCK) if len(found) == BLOCK else []
        except _errors_of(connection.dialect) as error:
            raise as_usual(error, connection.dialect) from error
        finally:
            cursor.close()

    def change(self, connection: Transaction, values: Sequence[Mapping[str, Any]]) -> int:
        """Run it once per item and return how many rows that changed."""
        text = self._texts.get(connection.dialect.name) or self._text(connection)
        try:
            if len(values) == 1:  # psycopg opens a pipeline for many, which costs one item twice what it needs
                return int(connection.connection.execute(text.sql, text.bind(values[0])).rowcount)
            cursor = connection.connection.cursor()
            cursor.executemany(text.sql, [text.bind(item) for item in values])
            return int(cursor.rowcount)
        except _errors_of(connection.dialect) as error:
            raise as_usual(error, connection.dialect) from error

    def _text(self, connection: Transaction) -> _Text:
        name = connection.dialect.name
        text = self._texts.get(name)
        if text is None:
            text = self._texts[name] = self._compile(connection)
        return text

    def _compile(self, connection: Transaction) -> _Text:
        statement = self._statement
        chosen = statement[connection.dialect.name] if isinstance(statement, Mapping) else statement
        compiled = chosen.compile(dialect=connection.dialect)
        fixed = {name: value for name, value in (compiled.params or {}).items() if value is not None}
        return _Text(str(compiled), fixed, _binder(fixed, getattr(compiled, "positiontup", None)))


def _in_json(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    return column.in_(select(func.json_each(bindparam(name)).table_valued("value").c.value))


def _in_array(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    return column == func.any(bindparam(name))


AMONG: Final[Mapping[str, Callable[[ColumnElement[Any], str], ColumnElement[bool]]]] = {
    "sqlite": _in_json,
    "postgresql": _in_array,
}
"""By dialect: "the column is one of the parameter of this name"; `listed` makes the parameter, of any length."""


def listed(connection: Transaction, texts: Iterable[str]) -> object:
    """Return texts as one parameter."""
    every = list(texts)
    return json.dumps(every) if connection.dialect.name == "sqlite" else every


def change_all(connection: Transaction, changes: Sequence[tuple[Prepared, Sequence[Mapping[str, Any]]]]) -> None:
    """Run statements, each once per item of its own, in any order: no two of them may touch the same row.

    PostgreSQL takes a few of them in one round trip.
    """
    every = [] if connection.dialect.name == "sqlite" else [(it, item) for it, items in changes for item in items]
    if not 0 < len(every) <= MAX_TOGETHER:
        for statement, items in changes:
            statement.change(connection, items)
        return
    values = {f"{_name(place)}{key}": value for place, (_, item) in enumerate(every) for key, value in item.items()}
    _together(tuple(statement for statement, _ in every)).change(connection, [values])


class _Together(Prepared):
    """Statements as one: all but the last stand in its WITH."""

    def __init__(self, statements: Sequence[Prepared]) -> None:
        super().__init__({})
        self._statements = statements

    def _compile(self, connection: Transaction) -> _Text:
        texts = [it._text(connection) for it in self._statements]  # noqa: SLF001  (of its own class)
        *before, last = (it.sql.replace("%(", f"%({_name(place)}") for place, it in enumerate(texts))
        fixed = {f"{_name(place)}{key}": value for place, it in enumerate(texts) for key, value in it.fixed.items()}
        first = ", ".join(f"{_name(place)} AS ({sql})" for place, sql in enumerate(before))
        return _Text(f"WITH {first} {last}" if before else last, fixed, _binder(fixed, None))


@cache
def _together(statements: tuple[Prepared, ...]) -> _Together:
    return _Together(statements)


def _name(place: int) -> str:
    return f"s{place}_"


_Bind: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Any] | Mapping[str, Any]]


class _Text(NamedTuple):
    """SQL of one driver, parameters that are always the same, and what brings all of them into the driver's form."""

    sql: str
    fixed: Mapping[str, Any]
    bind: _Bind


def _binder(fixed: Mapping[str, Any], names: Sequence[str] | None) -> _Bind:
    """Return what takes parameters by name; `names`: their order, if the driver goes by that."""
    if names is not None and len(names) > 1 and not fixed:
        return itemgetter(*names)

    def bind(values: Mapping[str, Any]) -> Sequence[Any] | Mapping[str, Any]:
        every = {**fixed, **values} if fixed else values
        return every if names is None else [every[name] for name in names]

    return bind


def _errors_of(dialect: Dialect) -> type[Exception]:
    dbapi: Any = dialect.dbapi
    error: type[Exception] = dbapi.Error
    return error


def as_usual(error: Exception, dialect: Dialect) -> Exception:
    """Return an error of the driver as SQLAlchemy raises it for any other statement."""
    return DBAPIError.instance(None, None, error, _errors_of(dialect), dialect=dialect)
