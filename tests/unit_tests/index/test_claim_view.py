"""The view by which a new statement finds what it updates."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem._search import ClaimRow
from langchain_agentmem.english.reading.claims import claims_in, pack_claims
from langchain_agentmem.index.claim_view import ClaimView, is_later
from langchain_agentmem.policies.updates import update_between

TEXTS = (
    "My Zotero library has 45 sources tagged by theme.",
    "My Zotero library now has 52 sources tagged by theme, and 7 new books on the shelf.",
    "My Zotero library has grown to 60 sources.",
    "The sprint deadline for the website is April 1.",
    "The sprint deadline for the website has moved to April 5.",
    "The wedding is on 5 June.",
    "The wedding was moved to 12 June.",
    "I like cats.",
)
CLAIMS = {pack_claims(claims): claims for claims in map(claims_in, TEXTS)}


def row(number: int, text: str, at: int = 0, **fields: object) -> ClaimRow:
    place = ClaimRow(f"ep-{number}", number + 1, None, "talk", number, at, 7, pack_claims(claims_in(text)))
    return place._replace(**fields)  # type: ignore[arg-type]  # fields of a row


@st.composite
def conversations(draw: st.DrawFn) -> list[ClaimRow]:
    said = draw(st.lists(st.tuples(st.sampled_from(TEXTS), st.integers(0, 5)), max_size=9))
    return [
        row(
            number,
            text,
            at,
            session_id=draw(st.sampled_from(["talk", "other"])),
            agent_id=draw(st.sampled_from([None, "helper"])),
            speaker=draw(st.sampled_from([7, 8])),
        )
        for number, (text, at) in enumerate(said)
    ]


def compared(new: ClaimRow, old: ClaimRow) -> bool:
    is_allowed = new.speaker == old.speaker and old.agent_id in {None, new.agent_id} and is_later(new, old)
    return is_allowed and update_between(CLAIMS[old.claims], CLAIMS[new.claims]) is not None


def view_of(rows: list[ClaimRow]) -> ClaimView:
    view = ClaimView()
    view.apply(rows, 100)
    return view


@settings(deadline=None)
@given(conversations())
def test_what_is_found_is_what_comparing_all_would_find(rows: list[ClaimRow]) -> None:
    """The index of words leaves out nothing that the rule finds, from either end, and adds nothing."""
    view = view_of(rows)
    for one in rows:
        older = {it.old.episode_id for it in view.updated_by(one, 99)}
        newer = {it.new.episode_id for it in view.updating(one)}
        assert older == {it.episode_id for it in rows if compared(one, it)}
        assert newer == {it.episode_id for it in rows if compared(it, one) and it.agent_id == one.agent_id}


@settings(deadline=None)
@given(conversations(), st.randoms())
def test_the_order_of_arrival_changes_nothing(rows: list[ClaimRow], random: object) -> None:
    """What a view holds is what it was given, in whatever order and however often."""
    shuffled = [*rows, *rows[:2]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a Random
    one, other = view_of(rows), ClaimView()
    for it in shuffled:
        other.apply([it], it.revision)
    assert [one.updated_by(it, 2) for it in rows] == [other.updated_by(it, 2) for it in rows]


def test_what_shares_most_comes_first_then_the_latest() -> None:
    """Only so many are returned, in an order that depends on what was said and when."""
    said = [
        row(0, TEXTS[0], 1),
        row(1, TEXTS[0], 3),
        row(2, "45 sources are in my Zotero library.", 4),
        row(3, TEXTS[0]),
    ]
    new = row(9, TEXTS[1], 9)
    assert [it.old.episode_id for it in view_of(said).updated_by(new, 9)] == ["ep-1", "ep-0", "ep-3", "ep-2"]
    assert [it.old.episode_id for it in view_of(said).updated_by(new, 2)] == ["ep-1", "ep-0"]


def test_what_is_gone_is_not_found() -> None:
    """A row that states nothing any more, and one that is discarded, leave the view."""
    view, new = view_of([row(0, TEXTS[0]), row(1, TEXTS[0], 1)]), row(9, TEXTS[1], 9)
    view.apply([row(0, TEXTS[0], revision=101, claims=b"")], 101)
    assert [it.old.episode_id for it in view.updated_by(new, 9)] == ["ep-1"]
    view.discard("ep-1")
    view.discard("never there")
    assert (view.updated_by(new, 9), len(view), view.revision) == ([], 0, 101)


def test_a_row_that_changed_is_held_as_it_is_now() -> None:
    """A turn that states something else replaces what it stated; one that only got a vector is left alone."""
    view = view_of([row(0, TEXTS[0])])
    before = view.nbytes
    view.apply([row(0, TEXTS[0], revision=101)], 101)
    assert view.nbytes == before
    view.apply([row(0, TEXTS[3], revision=102)], 102)
    assert view.updated_by(row(9, TEXTS[1], 9), 9) == []
    assert [it.update.kind for it in view.updated_by(row(9, TEXTS[4], 9), 9)] == ["date"]
