"""Facts stand beside the turns they were taken from."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import Scope
from langchain_agentmem.policies.sourcing import (
    above_stale,
    beside_their_turns,
    marked,
    stale_turns,
    superseded_by,
    taken_from,
)
from langchain_agentmem.types import Hit, Kind, Memory, Provenance

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def hit(
    id_: str,
    score: float,
    *messages: str,
    kind: Kind = "fact",
    supersedes: tuple[str, ...] = (),
    session_id: str = "monday",
) -> Hit:
    memory = Memory(
        id=id_,
        scope=Scope("alice", session_id=session_id),
        kind=kind,
        content=id_,
        confidence=0.9,
        importance=0.5,
        source="explicit",
        provenance=Provenance(message_ids=messages),
        created_at=NOW,
        supersedes=supersedes,
    )
    return Hit(memory=memory, score=score)


def turn(id_: str, score: float, *messages: str) -> Hit:
    return hit(id_, score, *messages, kind="episode")


def order(*hits: Hit, replaced: tuple[Hit, ...] = ()) -> list[tuple[str, float]]:
    found = beside_their_turns(hits, {it.memory.id: it.memory for it in replaced})
    return [(it.memory.id, it.score) for it in found]


def stale(*turns: Hit, replaced: tuple[tuple[Hit, Hit], ...]) -> dict[str, str]:
    return stale_turns((it.memory for it in turns), ((old.memory, new.memory) for old, new in replaced))


def test_a_fact_stands_above_its_turn() -> None:
    """The best of those that were taken from it is lifted, and no other."""
    found = order(turn("turn", 0.8, "m1"), hit("lives", 0.3, "m1"), hit("eats", 0.2, "m1"), hit("other", 0.5, "m2"))
    assert found == [("lives", 0.8), ("turn", 0.8), ("other", 0.5), ("eats", 0.2)]


def test_a_fact_that_is_better_than_its_turn_stays_as_it_is() -> None:
    """Nothing is lowered."""
    assert order(hit("fact", 0.9, "m1"), turn("turn", 0.8, "m1")) == [("fact", 0.9), ("turn", 0.8)]


def test_a_correction_stands_above_the_turn_it_corrects() -> None:
    """It has to do with it, wherever it was said itself."""
    paris, berlin = hit("paris", 0.0, "m1"), hit("berlin", 0.4, "m9", supersedes=("paris",))
    assert order(turn("turn", 0.8, "m1"), berlin, replaced=(paris,)) == [("berlin", 0.8), ("turn", 0.8)]


def test_what_was_replaced_marks_the_turns_it_was_said_in() -> None:
    """Each of them, by what holds now; a turn that is marked already, or says nothing of it, stays as it is."""
    paris, oslo = hit("paris", 0.0, "m1", "m2"), hit("oslo", 0.4, "m9")
    turns = [turn(f"turn {n}", 0.8, f"m{n}") for n in (1, 2, 3)]
    found = stale(*turns, replaced=((paris, oslo),))
    shown = [marked(it.memory, found) for it in turns]
    assert found == {"turn 1": "oslo", "turn 2": "oslo"}
    assert [(it.status, it.links) for it in shown] == [("superseded", ("oslo",))] * 2 + [("active", ())]
    assert marked(shown[0], {"turn 1": "other"}) == shown[0]


def test_the_same_id_in_another_conversation_is_another_message() -> None:
    """No fact is lifted by it, and no turn superseded."""
    paris = hit("paris", 0.0, "1", session_id="tuesday")
    berlin = hit("berlin", 0.4, "1", session_id="tuesday", supersedes=("paris",))
    assert order(turn("turn", 0.8, "1"), berlin, replaced=(paris,)) == [("turn", 0.8), ("berlin", 0.4)]
    assert stale(turn("turn", 0.8, "1"), replaced=((paris, berlin),)) == {}
    assert taken_from([turn("turn", 0.8, "1").memory], [paris.memory]) == []


def test_a_turn_that_says_the_old_and_the_new_is_not_superseded() -> None:
    """It corrects itself."""
    paris, berlin = hit("paris", 0.0, "m1"), hit("berlin", 0.4, "m1")
    assert stale(turn("turn", 0.8, "m1"), replaced=((paris, berlin),)) == {}


def test_without_turns_nothing_is_looked_up() -> None:
    """What was replaced matters only where it may have been said."""
    assert superseded_by([hit("berlin", 0.4, "m9", supersedes=("paris",))]) == []
    assert superseded_by([hit("berlin", 0.4, "m9", supersedes=("paris",)), turn("turn", 0.1)]) == ["paris"]


MESSAGES = st.lists(st.sampled_from(["m1", "m2", "m3"]), max_size=2, unique=True)
HITS = st.lists(st.tuples(st.sampled_from(["fact", "episode"]), st.floats(0, 1), MESSAGES), max_size=8)


@given(HITS)
def test_hits_are_reordered_and_none_is_lost(given_hits: list[tuple[Kind, float, list[str]]]) -> None:
    """Scores only rise, never above the best, come in descending order, and a second time nothing moves."""
    hits = [hit(f"{n}", score, *messages, kind=kind) for n, (kind, score, messages) in enumerate(given_hits)]
    found = beside_their_turns(hits, {})
    assert sorted(it.memory.id for it in found) == sorted(it.memory.id for it in hits)
    before = {it.memory.id: it.score for it in hits}
    assert all(before[it.memory.id] <= it.score <= max(before.values()) for it in found)
    assert [it.score for it in found] == sorted((it.score for it in found), reverse=True)
    again = beside_their_turns(found, {})
    assert [(it.memory.id, it.score) for it in again] == [(it.memory.id, it.score) for it in found]


# ------------------------------------------------------------------------------------------------ above what is stale
OLD: Final = turn("old", 0.8, "m1")
NEW: Final = turn("new", 0.1, "m9")
OSLO: Final = hit("oslo", 0.0, "m9", supersedes=("paris",))


def above(*hits: Hit, is_allowed: bool = True) -> list[tuple[str, float]]:
    current = {"oslo": OSLO.memory}
    found = above_stale(hits, {"old": "oslo"}, current, current if is_allowed else {})
    return [(it.memory.id, it.score) for it in found]


def test_what_is_in_force_stands_above_a_turn_that_says_what_it_replaced() -> None:
    """Though nothing found it: the old turn alone would be taken for the answer."""
    assert above(OLD, NEW) == [("oslo", 0.8), ("old", 0.8), ("new", 0.1)]


def test_a_fact_that_was_replaced_excuses_no_turn() -> None:
    """It is no other fact that still holds: what took its place stands above it and the turn it was taken from."""
    found = above_stale(
        [hit("paris", 0.9, "m1"), OLD], {"old": "oslo", "paris": "oslo"}, {"oslo": OSLO.memory}, {"oslo": OSLO.memory}
    )
    assert [(it.memory.id, it.score) for it in found] == [("oslo", 0.9), ("paris", 0.9), ("old", 0.8)]


def test_what_was_found_by_itself_is_lifted_and_never_lowered() -> None:
    """It stands there once."""
    assert above(replace(OSLO, score=0.3), OLD) == [("oslo", 0.8), ("old", 0.8)]
    assert above(replace(OSLO, score=0.9), OLD) == [("oslo", 0.9), ("old", 0.8)]


def test_where_the_fact_may_not_be_returned_the_turn_that_says_it_stands_above() -> None:
    """Of turns alone, the one that holds comes first; one that is not there is not brought."""
    assert above(OLD, NEW, is_allowed=False) == [("new", 0.8), ("old", 0.8)]
    assert above(OLD, is_allowed=False) == [("old", 0.8)]


def test_a_turn_that_answers_by_another_fact_brings_nothing() -> None:
    """It says two things, and the one that is asked for still holds."""
    dog = hit("dog", 0.8, "m1")
    assert above(dog, OLD) == [("dog", 0.8), ("old", 0.8)]


def test_a_turn_that_is_not_stale_brings_nothing() -> None:
    """Nothing took the place of what it says."""
    assert above(turn("other", 0.7, "m3"), NEW) == [("other", 0.7), ("new", 0.1)]
