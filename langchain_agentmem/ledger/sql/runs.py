"""Recorded runs in a transaction of the SQL ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, bindparam, delete, func, or_, select, update

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.ledger.codec import dump, load
from langchain_agentmem.ledger.runs import RunRow, Runs
from langchain_agentmem.ledger.sql import upserts
from langchain_agentmem.ledger.sql.holds import is_unheld
from langchain_agentmem.ledger.sql.rows import micros, moment
from langchain_agentmem.ledger.sql.sealed import name_of
from langchain_agentmem.sql.schema import RUN_STEPS
from langchain_agentmem.types import Scope
from langchain_agentmem.types.runs import RunStep
from langchain_agentmem.vault.base import Cipher

GONE: Final = {"erased": True}
"""What is left of the body of a step that told what was erased."""

_C: Final = RUN_STEPS.c
_OF_SUBJECT: Final = _C.subject_id == bindparam("subject")
_SEEN: Final = _OF_SUBJECT & or_(_C.agent_id.is_(None), _C.agent_id == bindparam("agent"))
_STEPS: Final = (
    select(RUN_STEPS)
    .where(_SEEN, _C.run_id == bindparam("run"), _C.no > bindparam("after"))
    .order_by(_C.no)
    .limit(bindparam("limit"))
)
_RUNS: Final = (
    select(_C.run_id, func.min(_C.no), func.max(_C.no), func.count())
    .where(_SEEN)
    .group_by(_C.run_id)
    .order_by(func.min(_C.at).desc(), _C.run_id.desc())
    .limit(bindparam("limit"))
)
_BEGAN: Final = select(func.min(_C.at)).where(_SEEN, _C.run_id == bindparam("run"))
_IS_EARLIER: Final = or_(
    func.min(_C.at) < bindparam("began"), and_(func.min(_C.at) == bindparam("began"), _C.run_id < bindparam("run"))
)
_ALL: Final = select(RUN_STEPS).where(_OF_SUBJECT)
_REPLACE: Final = update(RUN_STEPS).where(_OF_SUBJECT, _C.run_id == bindparam("run"), _C.no == bindparam("number"))
_DELETE_OLD: Final = delete(RUN_STEPS).where(_OF_SUBJECT, _C.at < bindparam("before"), is_unheld(RUN_STEPS))
MOST: Final = 2**31 - 1


class SQLRuns(Runs):
    """Keeps one subject's runs; what was kept long enough goes when another begins, or by a sweep."""

    def __init__(
        self, connection: Connection, subject: int, scope: Scope, cipher: Cipher, kept_for: timedelta | None = None
    ) -> None:
        """Compose; nothing is read yet."""
        self._connection = connection
        self._subject = subject
        self._agent_id = scope.agent_id
        self._cipher = cipher
        self._kept_for = kept_for

    def put(self, run_id: str, steps: Sequence[RunStep]) -> None:
        """Keep steps of a run."""
        if not steps:
            return
        if steps[0].no == 1 and self._kept_for is not None:
            self._drop_before(steps[0].at - self._kept_for)
        place = {"subject_id": self._subject, "run_id": run_id, "agent_id": self._agent_id}
        rows = [self._sealed({**place, "no": it.no, "kind": it.kind, "at": micros(it.at)}, it.body) for it in steps]
        self._connection.execute(upserts.insert_or_ignore(self._connection.dialect.name, RUN_STEPS), rows)

    def rows(self, limit: int, after: tuple[str, datetime] | None = None) -> list[RunRow]:
        """Return runs, the one that began last first."""
        statement, values = _RUNS, {**self._place(), "limit": limit}
        if after is not None:
            began = self._connection.execute(_BEGAN, {**self._place(), "run": after[0]}).scalar()
            statement = statement.having(_IS_EARLIER)
            values |= {"run": after[0], "began": micros(after[1]) if began is None else began}
        return [self._row(*it) for it in self._connection.execute(statement, values).all()]

    def steps(self, run_id: str, after: int = 0, limit: int | None = None) -> list[RunStep]:
        """Return steps of a run, in order."""
        values = {**self._place(), "run": run_id, "after": after, "limit": MOST if limit is None else limit}
        return [self._step(it) for it in self._connection.execute(_STEPS, values)]

    def redact(self, is_gone: Callable[[Any], bool]) -> int:
        """Empty every step whose body is to be gone."""
        every = self._connection.execute(_ALL, {"subject": self._subject}).all()
        gone = [it for it in every if self._is_gone(it, is_gone)]
        for it in gone:
            values = {"subject": self._subject, "run": it.run_id, "number": it.no}
            sealed = self._sealed(it._asdict(), GONE)["sealed"]
            self._connection.execute(_REPLACE.values(sealed=sealed), values)
        return len(gone)

    def _is_gone(self, row: Row[Any], is_gone: Callable[[Any], bool]) -> bool:
        """Whether a step is to be emptied; one that nobody can read is."""
        try:
            return is_gone(self._body(row))
        except IntegrityError:
            return True

    def _drop_before(self, at: datetime) -> None:
        self._connection.execute(_DELETE_OLD, {"subject": self._subject, "before": micros(at)})

    def _row(self, run_id: str, first: int, last: int, count: int) -> RunRow:
        ends = {no: self._at(run_id, no) for no in {first, last}}
        begins, ends_at = self._step(ends[first]), self._step(ends[last])
        return RunRow(run_id=run_id, agent_id=ends[first].agent_id, first=begins, last=ends_at, count=count)

    def _at(self, run_id: str, no: int) -> Row[Any]:
        values = {**self._place(), "run": run_id, "after": no - 1, "limit": 1}
        return self._connection.execute(_STEPS, values).one()

    def _place(self) -> dict[str, Any]:
        return {"subject": self._subject, "agent": self._agent_id}

    def _step(self, row: Row[Any]) -> RunStep:
        return RunStep(no=row.no, kind=row.kind, at=moment(row.at), body=self._body(row))

    def _body(self, row: Row[Any]) -> dict[str, Any]:
        return load(self._cipher.open(row.sealed, step_name(row._asdict())))

    def _sealed(self, row: Mapping[str, Any], body: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        return {**row, "sealed": self._cipher.seal(dump(dict(body)), step_name(row))}


def step_name(row: Mapping[str, Any]) -> str:
    """Return what a step is sealed as: whose agent's it is, its kind and its time are part of it."""
    return name_of("run", (row["run_id"], row["no"]), (row["kind"], row["at"], row["agent_id"]))
