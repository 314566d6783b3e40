"""Which turns may answer: what is left out, or serves another purpose, makes no answer likely."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given

from langchain_agentmem._search import EpisodeRow
from langchain_agentmem._terms import purpose_hash, term_hash
from tests.unit_tests.index.test_episode_view import QUESTIONS, ROWS, asked, row, view_of

UNRELATED: Final = ["a parrot", "kitchen wall", "rain all day", "pancakes", "a flat tyre", "nora called"]


@pytest.mark.parametrize("narrowed", [{"until": 5}, {"since": 6}, {"as_of": 5}, {"without": frozenset({"ep-x"})}])
def test_what_may_not_answer_makes_no_answer_likely(narrowed: dict[str, Any]) -> None:
    """How likely there is an answer is told by what may be returned, and so is which of it is near to the best."""
    others = [row(f"ep-{it}", text, at=1 + 9 * ("since" in narrowed), place=it) for it, text in enumerate(UNRELATED)]
    answer = row("ep-x", "submarine voyage in norway", at=1 if "since" in narrowed else 9, place=99)
    assert asked(view_of(*others, answer), text="submarine voyage")[0].parts["likelihood"] > 0.5
    found = asked(view_of(*others, answer), text="submarine voyage", **narrowed)
    alone = asked(view_of(*others), text="submarine voyage", **narrowed)
    assert {it.parts["likelihood"] for it in found} == {it.parts["likelihood"] for it in alone}
    assert alone[0].parts["likelihood"] < 0.1


@given(ROWS, ROWS, QUESTIONS)
def test_what_serves_another_purpose_is_not_there(
    rows: list[EpisodeRow], others: list[EpisodeRow], question: dict[str, Any]
) -> None:
    """Ids, order, scores and likelihood are those of a view without it, digit by digit."""
    bound = [
        it._replace(
            episode_id=f"x-{it.episode_id}", session_id="apart", purposes=(purpose_hash("support"),), updates=()
        )
        for it in others
    ]
    alone, beside = view_of(*rows), view_of(*rows, *bound)
    for purposes in ((), ("ads",)):
        assert asked(beside, **question, purposes=purposes) == asked(alone, **question)
    everything = len(rows) + len(bound)
    assert len(asked(beside, **question, purposes=("support", "ads"))) == len(asked(beside, **question)) == everything


def test_a_turn_of_another_purpose_lends_nothing_to_its_neighbours() -> None:
    """Of one conversation a part may be used: the words of the rest find nothing."""
    told = [row(f"ep-{it}", text, place=it) for it, text in enumerate(UNRELATED)]
    bound = row("ep-x", "submarine voyage", place=2, purposes=(purpose_hash("support"),), vector=[1, 0, 0])
    found = asked(view_of(*told, bound), text="submarine voyage", purposes=("ads",))
    assert {it.parts["block"] for it in found} == {it.parts["session"] for it in found} == {0.0}


def test_the_number_of_a_day_counts_beside_its_month_alone() -> None:
    """Who asks of 8 April means no eight people, but what is said of the eighth of April."""
    told = [row("ep-people", "we were 8 people"), row("ep-day", "the dentist is on april 8"), row("ep-0", "it rained")]
    april = {term_hash("8"): frozenset({term_hash("april")})}
    plain, of_days = (asked(view_of(*told), text="8 april", days=days) for days in ({}, april))
    assert [it.memory_id for it in plain][:2] == ["ep-day", "ep-people"]
    said = {it.memory_id: it.parts["said"] for it in of_days}
    assert said["ep-people"] == said["ep-0"] < said["ep-day"]
