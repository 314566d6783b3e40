"""What counts of what a candidate meets: decisions about records, without a database."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langchain_agentmem.long_term.write.similar import Similar
from langchain_agentmem.long_term.write.weighing import is_independent, is_live, outranked
from langchain_agentmem.long_term.write.widening import widened
from langchain_agentmem.policies.write import Ruling
from langchain_agentmem.types import Candidate, Memory, Provenance, Scope
from langchain_agentmem.types.memories import STATUSES, Status

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ACCEPTED = Ruling(verdict="accept", rule="accepted", reason="No rule objected.")


def known(**fields: Any) -> Memory:
    """Return a memory of Alice's."""
    given = {"scope": Scope("alice"), "kind": "fact", "content": "Alice lives in Paris", "confidence": 0.9}
    return Memory(**{"id": "m", "importance": 0.5, "source": "explicit", "created_at": NOW, **given, **fields})


class Reader:
    """A ledger that has these memories, and nothing else."""

    def __init__(self, *memories: Memory) -> None:
        self._memories = memories

    def memories(self, ids: Collection[str]) -> dict[str, Memory]:
        return {it.id: it for it in self._memories if it.id in ids}


@pytest.mark.parametrize("status", STATUSES)
def test_what_ended_counts_no_more(status: Status) -> None:
    """A memory that was forgotten while a candidate was embedded is neither repeated nor contradicted by it."""
    assert is_live(known(status=status), NOW) is (status in {"active", "pending"})


@pytest.mark.parametrize(("left", "expected"), [(timedelta(0), False), (timedelta(seconds=1), True)])
def test_what_expired_counts_no_more(left: timedelta, expected: bool) -> None:  # noqa: FBT001
    """From its very second on."""
    assert is_live(known(expires_at=NOW + left), NOW) is expected


@pytest.mark.parametrize(
    ("speaker", "tools", "ids", "session", "expected"),
    [
        ("assistant", ("crm",), ("2",), "other", False),
        ("assistant", ("mail",), ("2",), "other", True),
        ("assistant", ("mail",), ("2",), "same", False),
        ("user", (), ("2",), "same", True),
        ("user", (), ("1",), "other", False),
    ],
)
def test_a_tool_is_one_witness(
    speaker: Any,  # noqa: ANN401
    tools: tuple[str, ...],
    ids: tuple[str, ...],
    session: str,
    expected: bool,  # noqa: FBT001
) -> None:
    """What the assistant read twice from one tool, or says twice in a session, or stands in one message, is one."""
    before = Provenance(speaker="assistant", tools=("crm",), message_ids=("1",))
    earlier = known(scope=Scope("alice", session_id="same"), provenance=before)
    again = Provenance(speaker=speaker, tools=tools, message_ids=ids)
    candidate = Candidate(content="Alice lives in Paris", provenance=again)
    assert is_independent(candidate, Scope("alice", session_id=session), earlier) is expected


@pytest.mark.parametrize(("trust", "rule"), [(0.4, "contradiction"), (0.5, "accepted"), (0.6, "accepted")])
def test_what_is_named_is_replaced_by_what_is_trusted_as_much(trust: float, rule: str) -> None:
    """By less it is not: that waits."""
    candidate = Candidate(content="Alice lives in Rome", trust=trust, provenance=Provenance(speaker="tool"))
    reader: Any = Reader(known(trust=0.5))
    assert outranked(candidate, ["m"], reader, ACCEPTED).rule == rule


@pytest.mark.parametrize(("trust", "replaced"), [(0.4, ()), (0.5, ("m",)), (0.6, ("m",))])
def test_wider_purposes_never_lower_trust(trust: float, replaced: tuple[str, ...]) -> None:
    """The same for more purposes, from who is believed less, stands beside it."""
    candidate = Candidate(content="Alice lives in Paris", trust=trust)
    assert widened(candidate, Similar(narrower=[known(trust=0.5)])).supersedes == replaced


def test_what_is_held_is_widened_by_nothing() -> None:
    """It is not in force, and so is not replaced."""
    held = known(trust=0.5, status="pending")
    assert widened(Candidate(content="Alice lives in Paris"), Similar(narrower=[held])).supersedes == ()
