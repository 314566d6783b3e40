"""Questions that name a day, asked of conversations without an embedding model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Dialogue, RecallQuery, RulePlanner, Scope
from langchain_agentmem.ledger.codec import EPOCH
from langchain_agentmem.long_term.recall.finding import _preferred

NOW = datetime(2026, 6, 17, 12, tzinfo=UTC)  # a Wednesday
ALICE = Scope("alice")
AUCKLAND = timezone(timedelta(hours=13))
DISHES = (
    "lasagne curry ramen tacos risotto pizza goulash paella sushi pho moussaka chili gnocchi stew omelette falafel "
    "burgers dumplings quiche shakshuka"
).split()


@pytest.fixture(scope="module")
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for back, dish in enumerate(DISHES):
            at = NOW - timedelta(days=back)
            message = HumanMessage(f"I cooked {dish} for dinner tonight", name="Alice", id=f"m-{back}")
            built.episodes.ingest([message], scope=Scope("alice", session_id=f"s-{back}"), at=at)
        yield built


@pytest.mark.parametrize(
    ("when", "back"),
    [
        ("on Monday", 2),
        ("the day before yesterday", 2),
        ("three days ago", 3),
        ("last Friday evening", 5),
        ("last Tuesday", 1),
        ("a week ago", 7),
        ("twelve days ago", 12),
        ("12 days ago", 12),
        ("2 weeks ago", 14),
        ("on 3 June", 14),
        ("a fortnight ago", 14),
        ("on June 10th", 7),
        ("on 10.06.2026", 7),
        ("on 6/10/2026", 7),
    ],
)
def test_what_was_said_on_the_day_that_is_named_comes_first(memory: AgentMemory, when: str, back: int) -> None:
    """However it is named, and with the words of the other days in every turn."""
    found = memory.long_term.recall(f"What did Alice cook {when}?", scope=ALICE)
    assert DISHES[back] in found[0].memory.content


def test_a_date_leaves_nothing_out(memory: AgentMemory) -> None:
    """It says where to look first: what was said at other times follows."""
    found = memory.long_term.recall("On Monday, what did Alice cook?", scope=ALICE, limit=15)
    assert found.status == "ok"
    assert len(found) > 3


@pytest.fixture(scope="module")
def trip() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for day, text in ((5, "We booked the night train for the Lisbon trip."), (16, "The weather is nice.")):
            scope = Scope("alice", session_id=f"s-{day}")
            built.episodes.ingest([HumanMessage(text, name="Alice")], scope=scope, at=NOW.replace(day=day))
        yield built


@pytest.mark.parametrize("when", ["last week", "yesterday", "this week", "since Monday", "in the last 3 days"])
def test_what_was_said_at_another_time_than_is_thought_is_found(trip: AgentMemory, when: str) -> None:
    """A planner's time is where to look first, and the receipt tells it; the caller's own is a condition."""
    asked = Dialogue(text=f"What did we discuss {when} about the Lisbon trip?", at=NOW)
    [query] = RulePlanner().plan(asked)
    found = trip.long_term.recall(query, scope=ALICE)
    receipt = trip.long_term.receipt(found.receipt_id or "", scope=ALICE)
    assert any("Lisbon" in hit.memory.content for hit in found)
    assert receipt is not None
    assert "prefer_since" in receipt.plan["query"]
    [strict] = RulePlanner().plan(asked, RecallQuery(since=NOW - timedelta(days=3)))
    assert not any("Lisbon" in hit.memory.content for hit in trip.long_term.recall(strict, scope=ALICE))


@pytest.fixture(scope="module")
def abroad() -> Iterator[AgentMemory]:
    """What was cooked at noon of three days in Auckland, thirteen hours ahead of UTC: still the day before there."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for day, dish in ((4, "lasagne"), (5, "curry"), (6, "ramen")):
            message = HumanMessage(f"I cooked {dish} for dinner tonight", name="Alice", id=f"m-{day}")
            at = datetime(2026, 3, day, 12, tzinfo=AUCKLAND)
            built.episodes.ingest([message], scope=Scope("alice", session_id=f"s-{day}"), at=at)
        yield built


@pytest.mark.parametrize(
    ("asked_at", "when", "dish"),
    [
        (datetime(2026, 3, 6, 8, tzinfo=AUCKLAND), "yesterday", "curry"),
        (datetime(2026, 3, 6, 8, tzinfo=AUCKLAND), "the day before yesterday", "lasagne"),
        (datetime(2026, 3, 6, 8, tzinfo=AUCKLAND), "on 5 March", "curry"),
        (datetime(2026, 3, 6, 8, tzinfo=AUCKLAND).astimezone(UTC), "yesterday", "curry"),
        (datetime(2026, 3, 5, 20, tzinfo=timezone(-timedelta(hours=5))), "yesterday", "curry"),
    ],
)
def test_days_are_those_of_where_it_is_asked(abroad: AgentMemory, asked_at: datetime, when: str, dish: str) -> None:
    """A day begins at midnight in the time zone of `asked_at`, for what was said as for what is asked."""
    query = RecallQuery(text=f"What did Alice cook {when}?", asked_at=asked_at)
    found = abroad.long_term.recall(query, scope=ALICE)
    assert dish in found[0].memory.content
    if asked_at.tzinfo is AUCKLAND:
        assert abroad.long_term.receipt(str(found.receipt_id), scope=ALICE).plan["query"]["asked_at"].endswith("+13:00")


@pytest.mark.parametrize(("until", "last"), [(0, 9), (1, 10), (24, 10)])
def test_a_preferred_time_ends_before_its_end(until: int, last: int) -> None:
    """What ends at midnight does not prefer the day that begins then."""
    end = datetime(2026, 6, 10, tzinfo=UTC) + timedelta(hours=until)
    (found,) = _preferred(RecallQuery(text="dinner", prefer_since=NOW - timedelta(days=20), prefer_until=end), NOW)
    assert found.last == (datetime(2026, 6, last, tzinfo=UTC) - EPOCH).days


@pytest.mark.parametrize("moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
def test_the_ends_of_time_are_preferred_without_an_error(memory: AgentMemory, moment: datetime) -> None:
    """No zone moves them out of the calendar."""
    for zone in (AUCKLAND, timezone(-timedelta(hours=11))):
        query = RecallQuery(text="dinner", prefer_since=moment, prefer_until=moment, asked_at=NOW.astimezone(zone))
        assert memory.long_term.recall(query, scope=ALICE).status == "ok"


@pytest.mark.parametrize(
    ("when", "back"), [("12 days ago", 12), ("2 weeks ago", 14), ("on 3 June", 14), ("on June 3rd", 14)]
)
def test_a_number_in_a_date_is_no_number_of_anything(when: str, back: int) -> None:
    """Turns of other days with that number stand below the day: who asks of 3 June means no three guests."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for day, dish in enumerate(DISHES):
            text = f"We were {(12, 2, 3)[day % 3]} people at dinner" if 4 < day < 8 else f"I cooked {dish} for dinner"
            message = HumanMessage(text, name="Alice", id=f"m-{day}")
            built.episodes.ingest([message], scope=Scope("alice", session_id=f"s-{day}"), at=NOW - timedelta(days=day))
        found = built.long_term.recall(f"What was for dinner {when}?", scope=ALICE)
    assert DISHES[back] in found[0].memory.content


@pytest.mark.parametrize("when", ["on 8 September", "on September 8th"])
def test_what_is_said_of_a_day_is_found_by_its_number(when: str) -> None:
    """Beside its month it is one of the words: what is planned for the eighth is not what is planned for the ninth."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for place, day in enumerate(("9", "8", "10")):
            said = HumanMessage(f"The {('vet', 'dentist', 'barber')[place]} sees us {when.replace('8', day)}", id=day)
            built.episodes.ingest([said], scope=Scope("alice", session_id=day), at=NOW - timedelta(days=20 - place))
        found = built.long_term.recall(f"Who sees us {when}?", scope=ALICE)
    assert "dentist" in found[0].memory.content


@pytest.fixture(scope="module")
def years() -> Iterator[AgentMemory]:
    """One turn of the last summer, and one of this spring."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for at, place in ((datetime(2025, 7, 10, tzinfo=UTC), "castle"), (datetime(2026, 5, 3, tzinfo=UTC), "zoo")):
            said = HumanMessage(f"We visited the {place} with my cousin.", name="Nora", id=place)
            built.episodes.ingest([said], scope=Scope("alice", session_id=place), at=at)
        yield built


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did we talk about in 2025?", "castle"),
        ("What did we talk about last year?", "castle"),
        ("What did Nora say last summer?", "castle"),
        ("What happened in the summer of 2025?", "castle"),
        ("What did I tell you this year?", "zoo"),
        ("Summarize our conversations from this quarter.", "zoo"),
        ("What did we talk about in 2024?", None),
        ("What did Nora say last winter?", None),
        ("What did we say about pottery in 2025?", None),
    ],
)
def test_a_long_time_alone_finds_what_was_said_in_it(years: AgentMemory, question: str, told: str | None) -> None:
    """A year or a season says when as a day does, where nothing else is asked; beside other words it says little."""
    found = years.long_term.recall(question, scope=ALICE)
    assert found.status == ("empty" if told is None else "ok")
    assert told is None or told in found[0].memory.content


@pytest.mark.parametrize(("question", "status"), [("What did we talk about?", "ok"), ("Who makes pottery?", "empty")])
def test_a_long_time_that_is_preferred_finds_what_was_said_in_it(
    years: AgentMemory, question: str, status: str
) -> None:
    """As if the question named it."""
    summer = [datetime(2025, month, 1, tzinfo=UTC) for month in (6, 9)]
    query = RecallQuery(text=question, prefer_since=summer[0], prefer_until=summer[1])
    found = years.long_term.recall(query, scope=ALICE)
    assert found.status == status
    assert all("castle" in hit.memory.content for hit in found[:1])


DIARY = {
    2: ("It rained all morning.", "My exam is in June."),
    5: ("Yesterday I saw the dentist.", "Last week I ran my first marathon, two weeks of rest and three days off."),
    10: ("We cooked soup.",),
    13: ("Ben came for lunch.",),
    15: ("I lost my umbrella.",),
    16: ("I sold the boat.",),
    17: ("Rita called.",),
}
ASKED_OF_A_TIME = [
    ("What did I say yesterday?", {16}),
    ("What happened yesterday?", {16}),
    ("What did I do yesterday?", {16}),
    ("What did we talk about yesterday?", {16}),
    ("Anything new yesterday?", {16}),
    ("What did I say the day before yesterday?", {15}),
    ("What happened a week ago?", {10}),
    ("What did I do in the last three days?", {15, 16, 17}),
    ("What happened in the second week of June?", {10, 13}),
    ("What did I say today?", {17}),
    ("What happened Monday morning?", {15}),
    ("What was I up to on the 13th?", {13}),
    ("What did I do on 2026-06-13?", {13}),
    ("What did I say on Saturday, 13 June?", {13}),
    ("What did I say before 5 June?", {2}),
    ("What did I say after 14 June?", {15, 16, 17}),
    ("What did I do yesterday or the day before?", {15, 16}),
    ("What did we talk about between 10 and 13 June?", {10, 13}),
]


@pytest.fixture(scope="module", params=["words", "vectors"])
def diary(request: pytest.FixtureRequest) -> Iterator[AgentMemory]:
    embeddings = None if request.param == "words" else DeterministicFakeEmbedding(size=64)
    with AgentMemory.in_memory(embeddings=embeddings, consent="assumed", clock=lambda: NOW) as built:
        for day, lines in DIARY.items():
            said = [HumanMessage(line, id=f"{day} {place}") for place, line in enumerate(lines)]
            built.episodes.ingest(said, scope=Scope("alice", session_id=f"s-{day}"), at=NOW.replace(day=day))
        yield built


def days_of(memory: AgentMemory, question: str) -> list[int]:
    at = {f"user: {turn.text}": turn.at.day for turn in memory.episodes.list(scope=ALICE)}
    return [at[hit.memory.content] for hit in memory.long_term.recall(question, scope=ALICE, limit=15)]


@pytest.mark.parametrize(("question", "days"), ASKED_OF_A_TIME)
def test_the_time_decides_where_a_question_asks_for_nothing_else(
    diary: AgentMemory, question: str, days: set[int]
) -> None:
    """Neither the words for it, found in another turn, nor what a vector makes of them put anything above it."""
    found = days_of(diary, question)
    count = sum(len(DIARY[day]) for day in days)
    assert set(found[:count]) == days


def test_words_for_days_are_not_matched_beside_others(diary: AgentMemory) -> None:
    """Who says "yesterday" means another one, whatever else is asked."""
    assert 5 not in days_of(diary, "What did Rita eat yesterday?")[:2]


def test_what_names_the_day_that_is_asked_for_follows_what_was_said_on_it() -> None:
    """Who tells of a day by its name tells of it, long before it as well as on the next one."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as memory:
        said = {1: "The wedding is on 13 June.", 12: "I ironed.", 13: "Ben came for lunch.", 16: "I sold the boat."}
        for day, line in said.items():
            at = NOW.replace(day=day)
            memory.episodes.ingest([HumanMessage(line)], scope=Scope("alice", session_id=f"s-{day}"), at=at)
        assert days_of(memory, "What happened on 13 June?")[:2] == [13, 1]
