"""The view of conversations: what was said first or last, or by whom else, makes no difference to an answer."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem._search import (
    ASKS,
    ENDS_ASKING,
    HAS_REPLY,
    EpisodeLink,
    EpisodeQuery,
    EpisodeRow,
    Period,
    Proposal,
    Wording,
)
from langchain_agentmem._terms import decode_terms, encode_counts, encode_pairs, encode_terms, speaker_hash, tokenize
from langchain_agentmem._vectors import pack_vector, unit_vector
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.dates_fit import DAY
from langchain_agentmem.index.episode_signals import EpisodeWeights, Scores, fused, weighed
from langchain_agentmem.index.episode_view import EpisodeView
from langchain_agentmem.policies.answering import AS_NAMED

WORDS: Final = ("nora", "lisbon", "tea", "moved", "sardines", "fado", "what", "when?")
TEXTS: Final = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
VECTORS: Final = st.none() | st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any)
NAMES: Final = ("Eve", "Ann")
ALL: Final = 1_000


def row(episode_id: str, text: str = "", reply: str = "", /, **fields: Any) -> EpisodeRow:
    vector, speaker = fields.pop("vector", None), fields.pop("speaker", "user")
    signs = ENDS_ASKING * text.endswith("?") | ASKS * ("?" in text) | HAS_REPLY * bool(reply)
    base: dict[str, Any] = {
        "revision": 1,
        "agent_id": None,
        "session_id": "s",
        "place": 0,
        "at": 0,
        "expires_at": None,
        "is_gone": False,
        "updates": (),
        "speaker": speaker_hash(speaker),
        "first_name": speaker_hash(speaker.split()[0]),
        "signs": signs,
        "terms": encode_terms(text),
        "pairs": encode_pairs(tokenize(text)),
        "reply_terms": encode_terms(reply),
        "purposes": (),
        "vector": None if vector is None else pack_vector(unit_vector(vector)),
    }
    return EpisodeRow(episode_id=episode_id, **{**base, **fields})


def gone(episode_id: str, revision: int = 2) -> EpisodeRow:
    return row(episode_id, revision=revision, is_gone=True)


def query(text: str = "nora lisbon", **fields: Any) -> EpisodeQuery:
    return EpisodeQuery(**{"terms": encode_counts(tokenize(text)), "now": 0, "limit": ALL, **fields})


def view_of(*rows: EpisodeRow) -> EpisodeView:
    view = EpisodeView()
    view.apply(rows, 1)
    return view


def asked(view: EpisodeView, **fields: Any) -> list[Proposal]:
    return view.search(query(**fields))


ROWS: Final = st.lists(
    st.builds(
        lambda text, reply, session, vector, speaker: row(
            "?", text, reply, session_id=session, vector=vector, speaker=speaker
        ),
        TEXTS,
        TEXTS,
        st.sampled_from(["s", "t"]),
        VECTORS,
        st.sampled_from(["user", "Nora", "Mel Brown"]),
    ),
    min_size=1,
    max_size=12,
).map(lambda rows: [it._replace(episode_id=f"ep-{place:02}", place=place) for place, it in enumerate(rows)])
END: Final = 2**63 - 1


def changes_of(rows: list[EpisodeRow]) -> st.SearchStrategy[EpisodeRow]:
    """Return what may become of some rows."""
    link = EpisodeLink(rows[0].episode_id, "value", frozenset(decode_terms(encode_terms("nora lisbon"))[0].tolist()), 1)
    return st.builds(
        EpisodeRow._replace,
        st.sampled_from(rows),
        is_gone=st.sampled_from([False, False, False, True]),
        reply_terms=TEXTS.map(encode_terms),
        expires_at=st.sampled_from([None, None, 1, 2]),
        at=st.integers(0, 2),
        updates=st.sampled_from([(), (link,)]),
    )


QUESTIONS: Final = st.builds(
    lambda text, vector: {"text": text, "vector": None if vector is None else unit_vector(vector)}, TEXTS, VECTORS
)


def near(found: list[Proposal], wanted: list[Proposal]) -> bool:
    """Whether two answers are one, up to the last digit: the order of a sum is the order of slots."""
    same = [it.memory_id for it in found] == [it.memory_id for it in wanted]
    pairs = zip(found, wanted, strict=True)
    return same and all(
        it.parts == pytest.approx(other.parts, abs=2e-6) and it.relevance == pytest.approx(other.relevance, abs=2e-6)
        for it, other in pairs
    )


# ------------------------------------------------------------------------------------------------------------- changes
@given(ROWS, QUESTIONS, st.data())
def test_a_view_that_followed_answers_like_one_that_was_rebuilt(
    rows: list[EpisodeRow], question: dict[str, Any], data: st.DataObject
) -> None:
    """In whatever portions and order its rows came, and whatever was there and went meanwhile."""
    followed = EpisodeView()
    for revision, it in enumerate(data.draw(st.permutations(rows)), 1):
        followed.apply([it._replace(revision=revision), row(f"x-{it.episode_id}", "nora", vector=[1, 0, 0])], revision)
    followed.apply([gone(f"x-{it.episode_id}", 99) for it in rows], 99)
    assert near(followed.search(query(**question)), view_of(*rows).search(query(**question)))


@settings(max_examples=25)
@given(ROWS, QUESTIONS, st.data())
def test_whatever_happens_a_view_answers_like_one_built_afresh(
    rows: list[EpisodeRow], question: dict[str, Any], data: st.DataObject
) -> None:
    """Turns come, get a reply, another time, vector or update, end by themselves or are taken out, in any order."""
    followed, here = EpisodeView(), dict[str, EpisodeRow]()
    for revision in range(1, data.draw(st.integers(1, 6)) + 1):
        some = [it._replace(revision=revision) for it in data.draw(st.lists(changes_of(rows), max_size=4))]
        followed.apply(some, revision)
        here.update({it.episode_id: it for it in some})
        discarded = data.draw(st.sets(st.sampled_from([it.episode_id for it in rows]), max_size=1))
        followed.discard(discarded)
        here = {name: it for name, it in here.items() if not it.is_gone and name not in discarded}
        now = data.draw(st.integers(0, 2))
        here = {name: it for name, it in here.items() if (it.expires_at or END) > now}
        fresh, asking = view_of(*here.values()), query(**question, now=now, asks_for_value=True)
        assert near(followed.search(asking), fresh.search(asking))
        ids = [it.episode_id for it in rows]
        assert followed.marks(ids, asking) == fresh.marks(ids, asking)
        assert followed.around(ids, 3, now) == fresh.around(ids, 3, now)


@given(ROWS, QUESTIONS)
def test_what_is_gone_leaves_no_trace(rows: list[EpisodeRow], question: dict[str, Any]) -> None:
    """Removed by the ledger or at once, an episode moves no score any more."""
    without = view_of(*rows[1:])
    told, discarded = view_of(*rows), view_of(*rows)
    told.apply([gone(rows[0].episode_id)], 2)
    discarded.discard([rows[0].episode_id])
    for view in (told, discarded):
        assert near(view.search(query(**question)), without.search(query(**question)))
        assert (len(view), view.speakers(None)) == (len(rows) - 1, without.speakers(None))


def test_no_array_holds_what_is_gone_or_was_said_before() -> None:
    """Neither its words, its speaker, its vector nor its id: not in what is used, nor in the room for more."""
    secret = row(
        "ep-secret", "nora", "fado", vector=[1, -2, 3], speaker="Eve", session_id="secret-1", agent_id="secret-2"
    )
    changed = row("ep-1", "sardines", "sardines tea", speaker="Ann", vector=[3, 2, -1])
    view = view_of(changed, secret, row("ep-2", "tea", vector=[1, 0, 0]))
    view.apply([row("ep-1", "lisbon", "moved"), gone("ep-secret")], 2)
    held, words = pickle.dumps(view), ("nora", "fado", "sardines")
    traces = [encode_terms(word)[:8] for word in words] + [it.to_bytes(8, "little") for it in map(speaker_hash, NAMES)]
    traces += [np.rint(unit_vector(it) * 32_767).astype("<i2").tobytes() for it in ([1, -2, 3], [3, 2, -1])]
    assert not [it for it in (*traces, b"secret") if it in held]
    was = pickle.dumps(view_of(changed, secret))
    assert all(it in was for it in traces)


@given(ROWS, ROWS, QUESTIONS)
def test_other_agents_move_nothing(rows: list[EpisodeRow], others: list[EpisodeRow], question: dict[str, Any]) -> None:
    """Ids, order, scores and known speakers are those of a view without another agent's rows, digit by digit."""
    foreign = [it._replace(episode_id=f"x-{it.episode_id}", agent_id="other") for it in others]
    alone, beside = view_of(*rows), view_of(*rows, *foreign)
    for agent in (None, "mine"):
        assert asked(beside, **question, agent_id=agent) == asked(alone, **question, agent_id=agent)
        assert beside.speakers(agent) == alone.speakers(agent)
    assert len(asked(beside, **question, agent_id="other")) == len(rows) + len(foreign)


@given(ROWS, QUESTIONS, st.data())
def test_narrowing_moves_no_order(rows: list[EpisodeRow], question: dict[str, Any], data: st.DataObject) -> None:
    """What is left out by ids, or cut by the limit, changes neither the order of the rest nor what each is found by."""
    every = asked(view_of(*rows), **question)
    out = frozenset(data.draw(st.sets(st.sampled_from([it.episode_id for it in rows]))))
    limit = data.draw(st.integers(1, 5))
    found = asked(view_of(*rows), **question, without=out, limit=limit)
    assert list(map(found_by, found)) == [found_by(it) for it in every if it.memory_id not in out][:limit]


def found_by(proposal: Proposal) -> tuple[str, dict[str, float]]:
    """Return which episode it is, and all that it was found by."""
    return proposal.memory_id, {name: it for name, it in proposal.parts.items() if name != "likelihood"}


def test_a_delta_that_comes_late_changes_nothing() -> None:
    """A revision that was applied already is passed over."""
    view = view_of(row("ep-1", "nora"))
    view.apply([row("ep-2", "lisbon")], 1)
    assert (len(view), view.revision) == (1, 1)


def test_the_last_word_of_a_delta_counts() -> None:
    """A row that is in it twice is taken as of its later revision."""
    view = EpisodeView()
    view.apply([row("ep-1", "nora", revision=2, is_gone=True), row("ep-1", "nora", revision=1)], 2)
    assert len(view) == 0


# ------------------------------------------------------------------------------------------------------------- answers
def test_words_of_the_question_come_first() -> None:
    """Where it was said, then where it stands beside it."""
    rows = [row(f"ep-{it}", text, place=it) for it, text in enumerate(("nora moved lisbon", "tea", "fado"))]
    assert asked(view_of(*rows))[0].memory_id == "ep-0"


def test_another_form_of_a_word_has_the_word() -> None:
    """In whichever it was said, and asked; told once, it counts once."""
    buy, bought = decode_terms(encode_terms("buy"))[0].item(), decode_terms(encode_terms("bought"))[0].item()
    view = view_of(row("a", "bought tea"), row("b", "nora"), row("c", "buy tea"), row("d", "fado", "bought"))
    first = asked(view, text="buy", wording=Wording(related={buy: {bought: 1.0}}))
    assert {it.memory_id for it in first if it.parts["said"] > 0} == {"a", "c"}
    assert len({it.parts["said"] for it in first if it.memory_id in {"a", "c"}}) == 1
    second = asked(view, text="bought", wording=Wording(related={bought: {buy: 1.0}}))
    assert [it.parts for it in first] == [it.parts for it in second]


def test_what_stands_for_a_word_finds_less_than_the_word() -> None:
    """And is no less of an answer where nothing has the word itself."""
    job, nurse = decode_terms(encode_terms("job"))[0].item(), decode_terms(encode_terms("nurse"))[0].item()
    wording = Wording(related={job: {nurse: 0.5}})
    both = asked(view_of(row("a", "job"), row("b", "nurse"), row("c", "tea")), text="job", wording=wording)
    assert [it.memory_id for it in both if it.parts["said"] > 0] == ["a", "b"]
    views = (view_of(row("a", text), row("b", "tea")) for text in ("job", "nurse"))
    told, alone = (asked(view, text="job", wording=wording)[0] for view in views)
    assert told.parts["likelihood"] > alone.parts["likelihood"] > 0


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 1)), min_size=2, max_size=8))
def test_vectors_that_say_what_words_say_change_no_order(turns: list[tuple[float, float]]) -> None:
    """Who says a turn, and how, counts as much beside words alone as beside words and vectors."""
    about, told = np.array(turns).T
    names = (("said", "pairs", "block", "session", "asked"), ("speaker", "question", "first_person"))
    by_words = dict.fromkeys(names[0], about) | dict.fromkeys(names[1], told)
    alone, both = order_by(by_words), order_by(by_words | {"vector": about, "block_vector": about})
    assert np.allclose(alone * 1.65, both * 0.75)  # what words and vectors weigh together, and words alone


def test_a_named_day_counts_as_much_without_vectors() -> None:
    """As does an identifier: each finds what has no word in common with the question."""
    found = {"date": np.array([0.5, 1.0]), "identifier": np.array([1.0, 0.0])}
    assert np.array_equal(order_by(found), order_by(found | {"vector": np.zeros(2)}))


def order_by(signals: dict[str, Scores]) -> Scores:
    return fused(weighed(signals, EpisodeWeights()), EpisodeWeights())


def test_expired_rows_are_not_proposed() -> None:
    """Nor counted, from the moment on at which they expire."""
    view = view_of(row("ep-1", "nora", expires_at=5), row("ep-2", "nora"))
    assert len(asked(view, now=4)) == 2
    assert [it.memory_id for it in asked(view, now=5)] == ["ep-2"]


def test_a_window_of_time_is_kept_to() -> None:
    """From `since` on, before `until`."""
    view = view_of(*(row(f"ep-{it}", "nora", place=it, at=it) for it in range(4)))
    assert sorted(it.memory_id for it in asked(view, since=1, until=3)) == ["ep-1", "ep-2"]


def test_a_named_day_is_preferred() -> None:
    """Of two that say the same, the one of that day."""
    view = view_of(row("ep-1", "nora", at=0), row("ep-2", "nora", at=40 * DAY, session_id="t"))
    assert asked(view, dates=(Period(first=40, last=40),))[0].memory_id == "ep-2"


def test_what_was_said_on_a_named_day_may_answer_without_a_word_in_common() -> None:
    """A question that names only a day has an answer where something was said on it, and none where nothing was."""
    view = view_of(row("ep-1", "tea", at=0), row("ep-2", "fado", at=40 * DAY))
    days = {day: (Period(first=day, last=day),) for day in (40, 80)}
    likely = {day: asked(view, text="", dates=named)[0].parts["likelihood"] for day, named in days.items()}
    assert likely[40] >= AS_NAMED > likely[80]


def test_what_a_named_speaker_said_answers_a_question_for_nothing_else() -> None:
    """Without a word in common; not where nobody of that name speaks."""
    view = view_of(row("ep-1", "tea", speaker="Ben"), row("ep-2", "fado", speaker="Ann"))
    likely = {
        name: asked(view, text="", speakers=frozenset({speaker_hash(name)}), is_of_speaker=True)[0]
        for name in ("Ben", "Eve")
    }
    assert likely["Ben"].memory_id == "ep-1"
    assert likely["Ben"].parts["likelihood"] >= AS_NAMED > likely["Eve"].parts["likelihood"]


def test_what_somebody_else_said_makes_an_answer_less_likely() -> None:
    """Who asks what Ben said, where Ann said it, is likely to get no answer; who names both, or Ann, is not."""
    view = view_of(row("ep-1", "nora moved lisbon", speaker="Ann"), row("ep-2", "fado tea", speaker="Ben", place=1))
    likely = {
        names: asked(view, speakers=frozenset(map(speaker_hash, names)))[0].parts["likelihood"]
        for names in (("Ann",), ("Ben",), ("Ann", "Ben"), ())
    }
    assert likely["Ben",] < likely["Ann",] == likely["Ann", "Ben"] == likely[()]


def test_a_telling_word_that_the_best_turn_lacks_makes_an_answer_less_likely() -> None:
    """The rarer it is, the less likely; what was only replied was not said."""
    rows = [row(f"ep-{it}", "nora lisbon", place=it) for it in range(3)]
    view = view_of(*rows, row("ep-3", "nora lisbon sardines", place=3), row("ep-4", "tea", "fado", place=4))
    likely = [asked(view, text=f"nora lisbon {word}")[0].parts["likelihood"] for word in ("", "sardines", "fado")]
    assert likely[0] == pytest.approx(likely[1], abs=0.01)
    assert likely[2] < likely[1]


def test_equals_are_ordered_by_id() -> None:
    """The same answer every time."""
    view = view_of(*(row(name, "nora", session_id=name) for name in ("ep-b", "ep-a", "ep-c")))
    assert [it.memory_id for it in asked(view, limit=2)] == ["ep-a", "ep-b"]


def test_a_view_of_nothing_proposes_nothing() -> None:
    """And knows nobody."""
    view = EpisodeView()
    assert (asked(view), view.speakers(None)) == ([], None)
    assert asked(view_of(row("ep-1", "nora", agent_id="mine"))) == []


def test_vectors_of_another_size_are_refused() -> None:
    """In a row, before anything is changed; in a question, before anything is searched."""
    view = view_of(row("ep-1", "nora", vector=[1, 0, 0]))
    with pytest.raises(ConfigurationError, match="reindex"):
        view.apply([row("ep-2", "nora", vector=[1, 0])], 2)
    with pytest.raises(ConfigurationError, match="reindex"):
        asked(view, vector=unit_vector([1, 0]))
    assert len(view) == 1


def test_a_row_without_a_vector_is_found_by_its_words() -> None:
    """While another model's vectors are made, or where there is no model."""
    view = view_of(row("ep-1", "nora lisbon"), row("ep-2", "tea", vector=[1, 0, 0], session_id="t"))
    found = view.search(replace(query(), vector=np.array([1, 0, 0], np.float32)))
    assert {it.memory_id for it in found} == {"ep-1", "ep-2"}


def test_time_orders_a_conversation_and_place_what_was_said_at_one_moment() -> None:
    """Whatever came late stands where its time says; another conversation, agent, and what expired is no neighbour."""
    times = {"ep-0": 1, "ep-1": 5, "ep-2": 5, "ep-3": 9, "late": 2, "old": 3}
    rows = [row(name, at=at, place=place) for place, (name, at) in enumerate(times.items())]
    rows[-1] = rows[-1]._replace(expires_at=7)
    others = [row("x-1", at=2, session_id="t"), row("x-2", at=2, agent_id="mine")]
    view = view_of(*rows, *others)
    around = view.around(["late", "ep-3", "x-1", "unknown"], 2, now=7)
    assert around == {"late": ("ep-0", "ep-1", "ep-2"), "ep-3": ("ep-1", "ep-2"), "x-1": ()}


def test_a_question_that_comes_late_was_asked_before_its_answer() -> None:
    """By its time: it lends its words to the turn that it was said before, and not to the last one kept."""
    said = {"ep-0": "hello", "ep-1": "fado", "ep-2": "sardines"}
    rows = [row(name, text, at=10 * place, place=place) for place, (name, text) in enumerate(said.items())]
    late = row("late", "what does nora sing?", at=5, place=3)
    asked_before = {it.memory_id: it.parts["asked"] for it in asked(view_of(*rows, late), text="nora sing")}
    assert max(asked_before, key=asked_before.__getitem__) == "ep-1"


@pytest.mark.parametrize("size", range(3, 16))
def test_the_turn_that_has_the_word_comes_first_however_short_the_talk(size: int) -> None:
    """A first or last turn has fewer neighbours, and is no better for it."""
    words = [f"word{it}" for it in range(size)]
    view = view_of(*(row(f"ep-{it}", f"ate {word} today", place=it) for it, word in enumerate(words)))
    assert [asked(view, text=word)[0].memory_id for word in words] == [f"ep-{it}" for it in range(size)]
