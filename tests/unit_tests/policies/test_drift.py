"""Whether a ratio has moved."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.drift import Share, drift


@st.composite
def shares(draw: st.DrawFn) -> Share:
    of = draw(st.integers(0, 10_000))
    return Share(of=of, count=draw(st.integers(0, of)))


@given(shares(), shares())
def test_turned_round_it_moves_the_other_way(before: Share, now: Share) -> None:
    """The sign says whether the ratio rose; looked at from the other side it fell by as much."""
    there, back = drift(before, now), drift(now, before)
    assert (there.z is None) == (back.z is None)
    assert (there.z or 0) == -(back.z or 0)
    assert there.has_moved == back.has_moved


@given(shares())
def test_what_stays_has_not_moved(share: Share) -> None:
    """The same ratio of the same number is no drift."""
    assert not drift(share, share).has_moved


def test_of_nothing_nothing_is_said() -> None:
    """A window without a case has no ratio, and moves none."""
    found = drift(Share(of=100, count=50), Share())
    assert (found.z, found.has_moved, found.now.ratio) == (None, False, None)


def test_a_fall_beyond_chance_is_a_move() -> None:
    """Nine in ten becoming six in ten, of a hundred each, is no accident; nine becoming eight may be."""
    good = Share(of=100, count=90)
    fall, wobble = drift(good, Share(of=100, count=60)), drift(good, Share(of=100, count=80))
    assert (fall.has_moved, wobble.has_moved) == (True, False)
    assert fall.z is not None
    assert fall.z < 0


def test_all_becoming_none_is_a_move() -> None:
    """The ends of the scale are no exception: never and always differ."""
    assert drift(Share(of=50), Share(of=50, count=50)).has_moved
