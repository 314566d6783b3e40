"""What a message costs that is added to a conversation: the same, however long that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from langchain_core.messages import HumanMessage
from sqlalchemy import CursorResult

from langchain_agentmem.sql.prepared import Prepared
from tests.contracts.history_backends import SQLBackend
from tests.population import recorded

GROWING, FULL, LONG = 10, 200, 2_000
"""Where there is no room, a hundred messages are looked at for results of what goes: more than the shortest has."""


class Cost(NamedTuple):
    statements: list[str]
    rows: int


class FlatAddsContract:
    """Subclass it beside a fixture `backend` on a SQL database."""

    @pytest.mark.parametrize("short", [GROWING, FULL], ids=["growing", "full"])
    def test_an_add_to_a_long_conversation_costs_what_it_costs_to_a_short_one(
        self, backend: SQLBackend, monkeypatch: pytest.MonkeyPatch, short: int
    ) -> None:
        """The same statements and as many rows read, also where each message that comes takes another's place."""
        costs = [cost_of_an_add(backend, monkeypatch, it, is_full=short == FULL) for it in (short, LONG)]
        assert costs[0] == costs[1]
        assert 0 < len(costs[0].statements) < GROWING
        assert costs[0].rows < short


def cost_of_an_add(backend: SQLBackend, monkeypatch: pytest.MonkeyPatch, length: int, *, is_full: bool) -> Cost:
    """Return what a message costs that comes to a conversation of some length, which has room for one more or not."""
    history = backend.history(f"s{length}-{is_full}", max_messages=length if is_full else None)
    history.add_messages([HumanMessage("x", id=str(number)) for number in range(length)])
    history.add_messages([HumanMessage("another", id="another")])
    rows = 0

    def counting(method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:  # noqa: ANN401  (rows, or a generator of blocks of them)
            nonlocal rows
            found = list(method(*arguments))
            rows += sum(len(it) if isinstance(it, list) else 1 for it in found)
            return found

        return counted

    with recorded(monkeypatch) as executed, monkeypatch.context() as patched:
        for kind, name in ((Prepared, "rows"), (Prepared, "blocks"), (CursorResult, "all"), (CursorResult, "fetchall")):
            patched.setattr(kind, name, counting(getattr(kind, name)))
        history.add_messages([HumanMessage("measured", id="measured")])
    return Cost([it.sql for it in executed], rows)
