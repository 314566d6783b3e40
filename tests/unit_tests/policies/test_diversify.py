"""Laws of places: nothing is invented, nothing said twice, and the same answer comes out of the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from langchain_agentmem.policies.diversify import Contender, diversify

TEXTS = st.sampled_from(
    [
        "Alice likes tea",
        "Alice likes  tea",
        "Alice likes green tea",
        "Alice never likes tea",
        "Bob moved to Lisbon in the spring of that year because of his job there",
        "Bob moved to Lisbon in the spring of that same year because of his job there",
        "",
    ]
)
VECTORS = st.none() | st.tuples(*[st.floats(-1, 1)] * 3).map(lambda it: np.array(it, np.float32))


@st.composite
def contenders(draw: st.DrawFn) -> list[Contender]:
    """Draw what competes, best first."""
    drawn = draw(st.lists(st.tuples(st.floats(0, 1), TEXTS, VECTORS), max_size=9))
    ranked = sorted(drawn, key=lambda it: -it[0])
    return [
        Contender(id=f"m{place}", score=round(score, 6), content=text, vector=_unit(vector))
        for place, (score, text, vector) in enumerate(ranked)
    ]


def _unit(vector: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    if vector is None or not np.linalg.norm(vector) > 0.1:
        return None
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


WEIGHTS = st.sampled_from([0.04, 0.25, 1.0])


@given(contenders(), WEIGHTS, st.integers(0, 9) | st.none())
def test_each_has_a_place_or_a_twin_above(given_: list[Contender], weight: float, places: int | None) -> None:
    """The answer is a part of what was given, in some order; what is missing says the same as something there."""
    answer = diversify(given_, weight=weight, places=places)
    ids = [it.id for it in answer.placed]
    assert sorted([*ids, *answer.duplicates]) == sorted(it.id for it in given_)
    assert set(answer.duplicates.values()) <= set(ids)


@given(contenders())
def test_without_weight_nothing_changes(given_: list[Contender]) -> None:
    """The order, the scores and the duplicates stay."""
    answer = diversify(given_, weight=0)
    assert [(it.id, it.score) for it in answer.placed] == [(it.id, it.score) for it in given_]
    assert answer.duplicates == {}


@given(contenders(), WEIGHTS)
def test_no_words_take_two_places(given_: list[Contender], weight: float) -> None:
    """Whatever the vectors say."""
    texts = {it.id: it.content for it in given_}
    said = [texts[it.id] for it in diversify(given_, weight=weight).placed]
    assert len(said) == len(set(said))


@given(contenders(), WEIGHTS)
def test_the_answer_is_a_fixed_point(given_: list[Contender], weight: float) -> None:
    """Diversified again, nothing moves, and nothing falls."""
    by_id = {it.id: it for it in given_}
    once = diversify(given_, weight=weight)
    assert diversify([by_id[it.id] for it in once.placed], weight=weight).placed == once.placed


@given(contenders(), WEIGHTS, st.integers(1, 9))
def test_scores_fall_with_the_places_and_never_rise(given_: list[Contender], weight: float, places: int) -> None:
    """A value is at most the score, at least what an exact repetition keeps, and the order is that of the values."""
    answer = diversify(given_, weight=weight, places=places).placed
    scores = {it.id: it.score for it in given_}
    values = [it.score for it in answer]
    assert values == sorted(values, reverse=True)
    assert all(it.score <= scores[it.id] for it in answer)
    assert not answer or answer[0].score == max(scores.values())


@given(contenders(), WEIGHTS)
def test_what_has_to_stand_behind_stays_there(given_: list[Contender], weight: float) -> None:
    """An update stays above what it updated, however much it resembles a third."""
    chained = [
        replace(it, after=frozenset({given_[place - 1].id}) if place else frozenset())
        for place, it in enumerate(given_)
    ]
    ids = [it.id for it in diversify(chained, weight=weight).placed]
    assert ids == sorted(ids)


def test_what_resembles_a_better_one_stands_lower() -> None:
    """By the weight's share of its score, as far as the two are alike."""
    near = np.array([1, 0], np.float32)
    far = np.array([0, 1], np.float32)
    given_ = [
        Contender(id="a", score=0.9, content="one", vector=near),
        Contender(id="b", score=0.8, content="two", vector=near),
        Contender(id="c", score=0.75, content="three", vector=far),
    ]
    assert [(it.id, it.score, it.redundancy) for it in diversify(given_, weight=0.1).placed] == [
        ("a", 0.9, 0.0),
        ("c", 0.75, 0.0),
        ("b", 0.72, 1.0),
    ]


MET = "we all met on the old bridge at noon and then ate"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Alice likes tea.", "alice likes tea", True),
        (MET, f"{MET} there", True),
        (MET, f"{MET} twice, at 3", False),
        (MET, MET.replace("then", "never"), False),
        (MET, MET.replace("old", "new"), False),
        (MET, MET.replace("then ate", "ate then"), False),
        ("The timeout of the request is 30 s", "The timeout of the request is 300 s", False),
        ("Alice is allergic to peanuts", "Alice is not allergic to peanuts", False),
        ("Alice prefers tabs over spaces", "Alice prefers spaces over tabs", False),
        ("", "yes", False),
    ],
)
def test_few_added_words_say_the_same_and_changed_ones_do_not(one: str, other: str, is_same: bool) -> None:  # noqa: FBT001
    """Numbers, denials, another order or another word make a difference, whichever is first."""
    for texts in ((one, other), (other, one)):
        alike = [Contender(id=text, score=0.9, content=text, vector=np.array([1.0], np.float32)) for text in texts]
        assert bool(diversify(alike, weight=0.25).duplicates) == is_same
