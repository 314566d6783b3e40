"""What a transaction of the ledger writes goes to the database together, and nobody can tell."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConflictError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter, Page
from langchain_agentmem.ledger.sql import SQLLedger, held
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.types import Scope
from tests.conftest import Colour
from tests.ledgers import ALICE, KEY, MODEL, START, Drive, drive_of, memory, remembered

MANY: Final = 60


class Act(NamedTuple):
    """One change of one of a few memories."""

    name: str
    number: int
    value: int


NAMES: Final = ("remember", "reword", "weigh", "vector", "erase", "job")
ACTS: Final = st.lists(st.builds(Act, st.sampled_from(NAMES), st.integers(0, 3), st.integers(0, 9)), max_size=14)
WAYS: Final[dict[str, Callable[[LedgerReader], object]]] = {
    "memory": lambda reader: reader.memory("m1"),
    "memories": lambda reader: reader.memories(["m1", "m2"]),
    "changed": lambda reader: reader.changed(1),
    "page": lambda reader: reader.page(Page()),
    "more": lambda reader: reader.has_more_than(0),
    "vectors": lambda reader: reader.has_vectors(MODEL.name),
    "search_rows_of": lambda reader: reader.search_rows_of(["m1"], MODEL.name),
    "session": lambda reader: reader.written_in_session("talk"),
    "events": lambda reader: reader.events(),
    "events of one": lambda reader: reader.events(memory_id="m1"),
    "models": lambda reader: reader.models(),
}


class HeldRowsContract:
    """Laws of what is held back until the transaction reads, deletes or ends."""

    @pytest.fixture
    def ledger(self, sql_url: str) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, key=KEY, clock=lambda: START)
        database.close()

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(acts=ACTS, at_once=st.sampled_from([1, 4, held.MAX_HELD]))
    def test_one_transaction_leaves_what_many_leave(self, ledger: SQLLedger, acts: Sequence[Act], at_once: int) -> None:
        """Events, memories and vectors are the same, and the chain is whole, however much is held at once."""
        left = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(held, "MAX_HELD", at_once)
            for together in (True, False):
                user = Scope("alice", tenant_id=uuid.uuid4().hex)
                _play(ledger, user, _possible(acts), together=together)
                assert run(ledger.verify(user)).problems == ()
                left.append(run(ledger.read(user, _everything)))
        assert left[0] == left[1]

    @pytest.mark.parametrize("way", WAYS)
    async def test_a_transaction_reads_what_it_wrote(self, ledger: SQLLedger, drive: Drive, way: str) -> None:
        """Whatever it asks first, it is answered as everybody is after its end."""

        def body(writer: LedgerWriter) -> object:
            writer.append(remembered(memory("m1", Scope("alice", session_id="talk"))))
            writer.put_vector("m1", MODEL, b"\x01" * 8)
            writer.append(Draft(type="revised", memory_id="m1", changes={"confidence": 0.25}))
            return WAYS[way](writer)

        within = await drive(ledger.append(ALICE, body))
        assert within == await drive(ledger.read(ALICE, WAYS[way]))
        assert within

    async def test_what_a_transaction_erased_is_not_there_for_it(self, ledger: SQLLedger, drive: Drive) -> None:
        """Remembered and erased at once, a memory leaves its two events and no word."""

        def body(writer: LedgerWriter) -> bool:
            writer.append(remembered(memory("m1")))
            writer.put_vector("m1", MODEL, b"\x01" * 8)
            writer.erase("m1", {"reason": "asked"})
            return writer.memory("m1") is None

        assert await drive(ledger.append(ALICE, body))
        events, memories, found = await drive(ledger.read(ALICE, _everything))
        assert [(type_, payload is None) for _, type_, _, _, payload in events] == [
            ("remembered", True),
            ("erased", False),
        ]
        assert memories == {}
        assert [(row.status, row.vector) for row in found] == [("erased", None)]

    @pytest.mark.parametrize("at_once", [1, held.MAX_HELD])
    async def test_an_id_is_new_once_in_a_transaction(
        self, ledger: SQLLedger, drive: Drive, monkeypatch: pytest.MonkeyPatch, at_once: int
    ) -> None:
        """Whether the first one was written already or is held, the second is refused, and neither stays."""
        monkeypatch.setattr(held, "MAX_HELD", at_once)

        def body(writer: LedgerWriter) -> None:
            writer.append(remembered(memory("m1")))
            writer.append(remembered(memory("m1")))

        with pytest.raises(ConflictError, match="m1"):
            await drive(ledger.append(ALICE, body))
        assert await drive(ledger.read(ALICE, lambda reader: reader.head.seq)) == 0

    async def test_many_memories_take_as_few_statements_as_some(
        self, ledger: SQLLedger, drive: Drive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What a transaction sends does not grow with what it remembers, as long as it reads nothing in between."""
        sent: list[object] = []
        for name in ("change", "rows"):
            monkeypatch.setattr(Prepared, name, _noting(getattr(Prepared, name), sent))
        counts = []
        for user, number in (("few", 10), ("many", MANY)):
            del sent[:]
            await drive(ledger.append(Scope(user), partial(_remember_some, range(number))))
            counts.append(len(sent))
        assert counts[1] <= counts[0]


def _noting(call: Callable[..., Any], sent: list[object]) -> Callable[..., Any]:
    def noted(*arguments: Any) -> Any:  # noqa: ANN401  (whatever a statement is given and gives)
        sent.append(arguments[0])
        return call(*arguments)

    return noted


def _remember_some(numbers: Sequence[int], writer: LedgerWriter) -> None:
    for number in numbers:
        writer.append(remembered(memory(f"m{number}")))
        writer.put_vector(f"m{number}", MODEL, b"\x01" * 8)


def _possible(acts: Sequence[Act]) -> list[Act]:
    """Return what can be done of it: nothing is remembered twice, nothing changed that is not there."""
    known: set[int] = set()
    gone: set[int] = set()
    found = []
    for act in acts:
        if act.name == "remember":
            if act.number in known | gone:
                continue
            known.add(act.number)
        elif act.name != "job" and act.number not in known:
            continue
        if act.name == "erase":
            known.remove(act.number)
            gone.add(act.number)
        found.append(act)
    return found


def _play(ledger: SQLLedger, user: Scope, acts: Sequence[Act], *, together: bool) -> None:
    for part in [acts] if together else [[act] for act in acts]:
        run(ledger.append(user, partial(_act_all, part)))


def _act_all(acts: Sequence[Act], writer: LedgerWriter) -> None:
    for act in acts:
        _act(writer, act, f"m{act.number}")


def _act(writer: LedgerWriter, act: Act, memory_id: str) -> None:
    if act.name == "remember":
        writer.append(remembered(memory(memory_id)))
    elif act.name == "reword":
        writer.append(Draft(type="revised", memory_id=memory_id, changes={"content": f"prefers {act.value}"}))
    elif act.name == "weigh":
        writer.append(Draft(type="revised", memory_id=memory_id, changes={"confidence": act.value / 10}))
    elif act.name == "vector":
        writer.put_vector(memory_id, MODEL, bytes([act.value]) * 8)
    elif act.name == "erase":
        writer.erase(memory_id, {"reason": "asked"})
    else:
        writer.enqueue("index", {"ids": [memory_id]}, START)


def _everything(reader: LedgerReader) -> tuple[Any, Any, Any]:
    events = [(it.seq, it.type, it.at, it.memory_id, it.payload) for it in reader.events()]
    rows = sorted(reader.search_rows_of([f"m{number}" for number in range(4)], MODEL.name))
    memories = reader.memories([row.memory_id for row in rows])
    return events, {memory_id: replace(it, scope=ALICE) for memory_id, it in memories.items()}, rows
