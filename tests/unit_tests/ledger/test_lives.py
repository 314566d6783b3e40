"""What the events of a memory tell of its life, whatever was deleted of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.codec import from_micros
from langchain_agentmem.ledger.lives import IMPORTED_LIFE, Life, read_life, reasons_of
from langchain_agentmem.types import Event
from tests.whole import few

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
OTHERS: Final = st.sampled_from(["m2", "m3"])
ENDS: Final = st.sampled_from([None, 1, 2])
STATUSES: Final = st.sampled_from(["pending", "active", "superseded", "archived"])
NOTES: Final[dict[str, dict[str, st.SearchStrategy[Any]]]] = {
    "superseded": {"by": OTHERS},
    "forgotten": {"was": STATUSES, "with": OTHERS},
    "restored": {"with": OTHERS},
    "approval_asked": {"agent": OTHERS, "session": OTHERS, "speaker": OTHERS, "expires_at": st.integers(1, 9)},
    "reverted": {"was": STATUSES, "ending": st.sampled_from([None, "forgotten", "rejected"])},
    "revised": {},
    "rejected": {},
}
"""What is noted of a memory, by the type of event."""


def event(seq: int, type_: str, note: dict[str, Any], rule: str | None = None, **changes: Any) -> Event:
    """An event of the memory."""
    payload = {**changes, "note": note}
    return Event(seq=seq, type=type_, at=START + timedelta(seq), memory_id="m1", payload=payload, digest="", rule=rule)


@st.composite
def lives(draw: st.DrawFn) -> list[Event]:
    """Events of one memory, each second place free."""
    types = ["remembered", *draw(st.lists(st.sampled_from([*NOTES, "remembered"]), min_size=1, max_size=6))]
    told = []
    for place, type_ in enumerate(types):
        reason = st.sampled_from(["", "told otherwise"])
        note = draw(st.fixed_dictionaries(NOTES.get(type_, {}), optional={"reason": reason}))
        whole = {"status": STATUSES, "source": st.sampled_from(["merged", "explicit"]), "invalid_at": ENDS}
        changes = draw(
            st.fixed_dictionaries(whole)
            if type_ == "remembered"
            else st.fixed_dictionaries({}, optional={"status": STATUSES, "invalid_at": ENDS})
        )
        rule = draw(st.sampled_from([None, "conflict", "consolidated"]))
        told.append(event(2 * place, type_, note, rule, **changes))
    return told


def cleaned(events: Sequence[Event], carried: dict[str, Any]) -> list[Event]:
    """What a scan leaves of events: a memory as it is, and what was carried on of its life."""
    whole: dict[str, Any] = {"source": "explicit"}
    for name in ("status", "invalid_at"):
        whole[name] = next((it.payload[name] for it in reversed(events) if it.payload and name in it.payload), None)
    last = event(events[-1].seq + 1, "cleaned", carried, "sensitive_data", **whole)
    return [*(replace(it, payload=None) for it in events), last]


@given(events=lives(), places=st.sets(st.integers(1, 6), min_size=1, max_size=2))
def test_a_memory_that_was_cleaned_tells_the_life_that_it_told(events: list[Event], places: set[int]) -> None:
    """Wherever in its history, and however often."""
    left = events
    for number, place in enumerate(sorted(places)):
        some = left[: place + number]
        left = [*cleaned(some, {**Life.of(some).note(str), "reason": "found"}), *left[place + number :]]
    assert Life.of(left) == Life.of(events)


@given(events=lives(), is_cleaned=st.booleans())
def test_a_memory_that_was_imported_tells_what_it_told(events: list[Event], *, is_cleaned: bool) -> None:
    """How it hangs together with others, and what it was: also once a scan deleted what the import said of it."""
    life = Life.of(events)
    whole = {name: cleaned(events, {})[-1].payload[name] for name in ("status", "invalid_at")}  # type: ignore[index]  # it has one
    told = [event(1, "remembered", {IMPORTED_LIFE: life.carried}, "imported", **whole, source="explicit")]
    if is_cleaned:
        told = cleaned(told, {**Life.of(told).note(str), "reason": "found"})
    was_live = whole["status"] in {"pending", "active"}
    then, now = ({**it.carried, **({"before": None} if was_live else {})} for it in (life, Life.of(told)))
    assert now == then


def test_an_end_that_another_memory_set_is_not_ones_own() -> None:
    """It goes with what set it, however it came about: replaced, forgotten then, or taken back to a time in between."""
    told = [
        event(1, "remembered", {}, status="active", valid_at=1_000_000, invalid_at=5_000_000),
        event(2, "superseded", {"by": "m2"}, "consolidated", status="superseded", invalid_at=2_000_000),
        event(3, "reverted", {}, "rollback", invalid_at=3_000_000),
        event(4, "forgotten", {"was": "superseded"}, status="archived"),
    ]
    for life in (Life.of(told), Life.of(cleaned(told, Life.of(told).note(str)))):
        assert (life.again["valid_at"], life.again["invalid_at"]) == (from_micros(1_000_000), from_micros(5_000_000))
        assert life.was_merged_into
    revised = [*told, event(5, "revised", {}, invalid_at=7_000_000)]
    assert Life.of(revised).again["invalid_at"] == from_micros(7_000_000)


def test_what_is_carried_on_of_reasons_is_masked() -> None:
    """Both why a rule decided last, and why a person was asked; and a later scan looks at them."""
    asked = event(2, "approval_asked", {"reason": "a secret", "agent": "planner"}, "approval")
    life = Life.of([event(1, "remembered", {"reason": "said"}), asked, event(3, "feedback", {"reason": "secret"}, "x")])
    note = life.note(lambda text: text.replace("secret", "***"))
    assert (note["why"], note["asked"]) == ("***", {"reason": "a ***", "agent": "planner"})
    assert [*reasons_of(event(4, "cleaned", {**note, "reason": "found"}))] == ["found", "a ***", "***"]


def test_nothing_is_told_of_a_life_that_an_erasure_ended() -> None:
    """What comes back with an import under the same id begins anew."""
    before = [event(1, "remembered", {}), event(2, "rejected", {}), event(3, "superseded", {"by": "m2"})]
    gone = [replace(it, payload=None) for it in before]
    life = Life.of([*gone, event(4, "erased", {"was": "pending"}), event(5, "remembered", {}, source="merged")])
    assert (life.was_merged, life.ending, life.ended_by, life.was) == (True, None, None, None)


@pytest.mark.parametrize(
    ("carried", "wanted"),
    [
        ({"by": "m2", "before": "pending", "began": "merged"}, ("m2", "pending", None, True)),
        ({"was": "superseded", "before": "active"}, (None, "active", "superseded", False)),
        ({}, (None, "active", None, False)),
    ],
)
def test_what_earlier_releases_carried_on_is_read(carried: dict[str, Any], wanted: tuple[Any, ...]) -> None:
    """They told what replaced a memory and what it was; of what was asked, only when, and that is all that is known."""
    asked = event(2, "approval_asked", {"agent": "planner"}, "approval")
    past = [event(1, "remembered", {}, source="explicit", status="pending"), asked]
    life = Life.of(cleaned([*past, event(4, "superseded", {"by": "m2"}, status="superseded")], carried))
    assert (life.ended_by, life.before, life.was, life.was_merged) == wanted
    assert (life.ending, life.version) == ("superseded", 2)
    assert life.asked is not None
    assert (life.asked.seq, life.asked.at, life.asked.note) == (2, asked.at, None)


@pytest.mark.parametrize(("was", "wanted"), [("active", None), ("superseded", None), ("pending", "superseded")])
def test_an_end_that_an_earlier_release_rolled_back_is_taken_back(was: str, wanted: str | None) -> None:
    """It noted what a memory was: what waited may have been put away again as what was never in force."""
    past = [event(1, "remembered", {}, status="active"), event(2, "superseded", {"by": "m2"}, status="superseded")]
    assert Life.of([*past, event(3, "reverted", {"was": was}, status="archived")]).ending == wanted


@pytest.mark.parametrize("count", few([1_001], of=[999, 1_000, 1_001, 2_000, 2_001]))
def test_a_life_is_read_to_its_end(count: int) -> None:
    """Also one of more events than are read at a time."""
    events = [event(1, "remembered", {}), *(event(it, "confirmed", {}) for it in range(2, count))]
    events.append(event(count, "superseded", {"by": "m2"}))

    class Reader:
        """Gives events as a ledger does."""

        def events(self, *, memory_id: str | None, after: int, limit: int) -> list[Event]:
            return [it for it in events if it.memory_id == memory_id and it.seq > after][:limit]

    assert read_life(cast("LedgerReader", Reader()), "m1").ended_by == "m2"
