"""What a new statement is to an old one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import FUNCTIONAL_RELATIONS, Judgement, judge

# Sentences, the relation that is right, and the cosine that all-MiniLM-L6-v2 gives of them in the user's voice, as they
# are embedded; measured once and kept.
PAIRS = json.loads((Path(__file__).parent / "statement_pairs.json").read_text("utf-8"))


def compare(new: str, old: str, similarity: float | None = 0.99) -> Judgement:
    parsed = (parse_statement(text, speaker_name="Alice") for text in (new, old))
    return judge(next(parsed), next(parsed), similarity=similarity)


def judged(source: str) -> Counter[tuple[str, str]]:
    """How often each relation was right, by (expected, found)."""
    return Counter(
        (row["expected"], compare(row["new"], row["old"], row["cosine"] if source == "model" else None).relation)
        for row in PAIRS
    )


@pytest.mark.parametrize("source", ["model", "words"])
def test_no_pair_is_merged_that_differs(source: str) -> None:
    """Of the labelled pairs, everything called a duplicate is one, with a model and without."""
    found = judged(source)
    assert {expected for (expected, relation), _ in found.items() if relation == "duplicate"} == {"duplicate"}


@pytest.mark.parametrize("source", ["model", "words"])
def test_no_pair_is_called_a_conflict_that_can_both_hold(source: str) -> None:
    """Of the labelled pairs, everything called a conflict is one: a false conflict hides a true memory."""
    found = judged(source)
    assert {expected for (expected, relation), _ in found.items() if relation == "conflict"} == {"conflict"}


@pytest.mark.parametrize("source", ["model", "words"])
def test_most_conflicts_and_duplicates_are_found(source: str) -> None:
    """Recall on the labelled pairs: nine conflicts in ten, two duplicates in three."""
    found = judged(source)
    totals = Counter(str(row["expected"]) for row in PAIRS)
    assert found["conflict", "conflict"] / totals["conflict"] >= 0.9
    assert found["duplicate", "duplicate"] / totals["duplicate"] >= 2 / 3


@pytest.mark.parametrize(
    ("new", "old", "similarity", "rule"),
    [
        ("I moved to Berlin", "I live in Paris", 0.5, "functional_conflict"),
        ("My blood type is A-", "My blood type is A+", 0.99, "functional_conflict"),
        ("My blood type is AB−", "My blood type is AB+", 0.99, "functional_conflict"),
        ("actually TypeScript, not JavaScript", "Alice uses JavaScript for the frontend", 0.5, "corrects_object"),
        ("Actually, I like coffee", "I like tea", 0.7, "corrects_topic"),
        ("Alice is not allergic to nuts", "Alice is allergic to nuts", 0.983, "opposite_polarity"),
        ("I don't live in Leeds any more, I moved to York", "I live in Leeds", 0.8, "opposite_polarity"),
        ("I'm no longer vegetarian. I eat fish now.", "I'm vegetarian", 0.8, "opposite_polarity"),
        ("I stopped drinking coffee and switched to tea", "I drink coffee", 0.8, "opposite_polarity"),
        ("Alice prefers spaces over tabs", "Alice prefers tabs over spaces", 0.991, "swapped_arguments"),
        ("Deploy to production before staging", "Deploy to staging before production", 0.991, "swapped_arguments"),
        ("The API timeout is 300 s", "The API timeout is 30 s", 0.943, "functional_conflict"),
        ("Requests use a timeout of 300 s", "Requests use a timeout of 30 s", 0.943, "other_number"),
        ("Alice prefers light mode", "Alice prefers dark mode", 0.95, "opposite_words"),
    ],
)
def test_each_conflict_has_its_rule(new: str, old: str, similarity: float, rule: str) -> None:
    """However near two contradicting statements are, a named rule sees the contradiction."""
    judgement = compare(new, old, similarity)
    assert (judgement.relation, judgement.rule) == ("conflict", rule)


@pytest.mark.parametrize(
    ("new", "old", "rule"),
    [
        ("She likes tea", "I like tea", "subject_differs"),
        ("Alice visited Rome", "Alice visited Lyon", "entities_differ"),
        ("Alice ran 5 km", "Alice ran 10 km", "numbers_differ"),
        ("Alice doesn't eat meat on weekdays", "Alice eats meat", "negation_differs"),
        ("The cat chased the dog", "The dog chased the cat", "order_differs"),
        ("Some tests must pass", "All tests must pass", "markers_differ"),
        ("The backup runs weekly", "The backup runs daily", "exclusive_words"),
        ("Alice likes coffee", "Alice likes tea", "one_word_differs"),
        ("Alice sings for her friends", "Alice sings with her friends", "one_word_differs"),
        ("Alice likes dogs and cats", "Alice likes dogs", "near"),
        ("Alice likes 🐈", "Alice likes 🐕", "signs_differ"),
        ("The rent is paid in €", "The rent is paid in $", "signs_differ"),
        ("Alice earns <50k", "Alice earns >50k", "signs_differ"),
    ],
)
def test_each_difference_forbids_a_merge(new: str, old: str, rule: str) -> None:
    """At a cosine of .99 two statements that differ in one thing are related, and the rule says in what."""
    judgement = compare(new, old)
    assert (judgement.relation, judgement.rule) == ("related", rule)
    assert compare(new, old, 0.1).relation == "unrelated"


@pytest.mark.parametrize(
    ("new", "old", "similarity", "rule"),
    [
        ("i LIVE in paris!", "I live in Paris", 0.99, "same_words"),
        ("I like tea 🎉", "I like tea", 0.99, "same_words"),
        ("Alice is based in Paris", "I live in Paris", 0.5, "same_fact"),
        ("Alice works from home", "Alice works from home nearly always", 0.9, "contained"),
        (
            "Alice finds long division problems difficult",
            "Alice struggles with long division problems",
            0.96,
            "paraphrase",
        ),
    ],
)
def test_each_duplicate_has_its_rule(new: str, old: str, similarity: float, rule: str) -> None:
    """A duplicate is the same words, the same fact, fewer words, or, last and most strictly, other words."""
    judgement = compare(new, old, similarity)
    assert (judgement.relation, judgement.rule) == ("duplicate", rule)


@pytest.mark.parametrize("similarity", [None, 0.6, 0.99])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice wants to run a marathon", "Alice wants to run a half marathon"),
        ("run a marathon", "run a half marathon"),
        ("learn French", "learn French cooking"),
        ("Alice is allergic to nuts", "Alice is allergic to pine nuts"),
        ("Alice likes chocolate", "Alice likes dark chocolate"),
        ("Alice plays guitar", "Alice plays bass guitar"),
        ("Alice has a dog", "Alice has a guide dog"),
        ("apprendre le piano", "apprendre le piano classique"),
    ],
)
def test_a_word_of_content_makes_another_statement(one: str, other: str, similarity: float | None) -> None:
    """Whichever was said first, and however near they are: what one of two short texts adds, the other does not say."""
    assert compare(one, other, similarity).relation == "related"
    assert compare(other, one, similarity).relation == "related"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("I don't drink coffee, I inhale it", "I drink coffee"),
        ("I'm no longer vegetarian on Fridays, I eat fish then", "I'm vegetarian"),
        ("My sister no longer drinks coffee, she drinks tea", "I drink coffee"),
        ("I never drink coffee and tea together", "I drink coffee"),
        ("If I no longer work at Acme, I move to York", "I work at Acme"),
    ],
)
def test_what_is_denied_in_part_in_jest_or_of_another_ends_nothing(new: str, old: str) -> None:
    """What follows a denial makes it no wider than it is."""
    assert compare(new, old, 0.8).relation == "related"


def test_nothing_in_common_is_unrelated() -> None:
    """Without a shared word and without a near vector there is no relation."""
    assert compare("Alice likes hiking", "the invoice is paid", 0.05).relation == "unrelated"
    assert compare("Alice likes hiking", "the invoice is paid", None).relation == "unrelated"


def test_across_kinds_nothing_is_a_duplicate() -> None:
    """An episode is not merged into a constraint of the same words."""
    statement = parse_statement("Deploy to staging first")
    judgement = judge(statement, statement, similarity=1.0, same_kind=False)
    assert (judgement.relation, judgement.rule) == ("related", "kind_differs")


@pytest.mark.parametrize(("relation", "expected"), [("employer", "conflict"), ("owns", "related")])
def test_a_named_relation_conflicts_only_if_it_is_functional(relation: str, expected: str) -> None:
    """What the caller knows of a statement is honoured: one employer, many possessions."""
    new, old = (
        parse_statement(f"{name} it is", subject="I", relation=relation, object=name) for name in ("Acme", "Initech")
    )
    assert judge(new, old, similarity=0.8).relation == expected


def test_a_caller_may_mark_a_relation_functional() -> None:
    """Which relations have one object at a time is the application's to say."""
    new, old = (parse_statement(f"{name} it is", relation="blood type", object=name) for name in ("Rh-A", "Rh-B"))
    assert judge(new, old, similarity=0.8).relation == "related"
    functional = FUNCTIONAL_RELATIONS | {"blood_type"}
    assert judge(new, old, similarity=0.8, functional=functional).relation == "conflict"


def test_an_addition_replaces_nothing() -> None:
    """What holds too takes no one's place."""
    assert (
        compare("Alice also uses Go for backend services", "Alice uses Python for backend services").relation
        == "related"
    )


@pytest.mark.parametrize("similarity", [None, 0.3, 0.7])
@pytest.mark.parametrize(
    ("denied", "kept"),
    [
        ("Alice does not like coffee any more", "Alice likes tea"),
        ("Alice does not like sushi any more", "Alice hates olives"),
        ("Alice does not play tennis any more", "Alice plays chess"),
        ("Alice does not eat meat any more", "Alice eats fish"),
        ("Alice does not speak French any more", "Alice speaks German"),
        ("Alice no longer watches football", "Alice watches tennis"),
        ("Alice does not work at Acme any more", "Alice works as a nurse"),
    ],
)
def test_what_is_over_takes_nothing_else_with_it(denied: str, kept: str, similarity: float | None) -> None:
    """Who gives up one of several things that are liked, played or spoken keeps the others, marked as a correction."""
    new, old = (
        parse_statement(text, speaker_name="Alice", is_correction=it) for text, it in ((denied, True), (kept, False))
    )
    assert judge(new, old, similarity=similarity).relation != "conflict"


@pytest.mark.parametrize("similarity", [None, 0.7])
@pytest.mark.parametrize(
    ("denied", "over"),
    [
        ("Alice does not like coffee any more", "Alice likes coffee"),
        ("Alice does not play tennis any more", "Alice plays tennis"),
        ("Alice is not a vegetarian any more", "Alice is a vegetarian"),
        ("Alice does not smoke any more", "Alice smokes"),
    ],
)
def test_what_is_denied_is_over(denied: str, over: str, similarity: float | None) -> None:
    """The same thing, claimed before."""
    new, old = (
        parse_statement(text, speaker_name="Alice", is_correction=it) for text, it in ((denied, True), (over, False))
    )
    assert judge(new, old, similarity=similarity).relation == "conflict"


@pytest.mark.parametrize("month", ["March", "May", "June"])
def test_a_month_is_no_doubt(month: str) -> None:
    """Who moved in May has moved; who may move has not."""
    moved = judge(*map(parse_statement, (f"I moved to York in {month}", "I live in Leeds")), similarity=0.5)
    may_move = judge(*map(parse_statement, ("I may move to York in June", "I live in Leeds")), similarity=0.5)
    assert (moved.relation, may_move.relation == "conflict") == ("conflict", False)


def test_a_correction_without_a_subject_reaches_a_named_one() -> None:
    """Who "Alice" is need not be known to see that "actually TypeScript, not JavaScript" is about her."""
    old = parse_statement("Alice uses JavaScript for the frontend")
    assert judge(parse_statement("actually TypeScript, not JavaScript"), old, similarity=None).relation == "conflict"


def test_a_city_lies_in_a_country() -> None:
    """A country and a city can both be where someone lives."""
    assert compare("Alice lives in Germany", "Alice lives in Berlin").relation == "related"


# ---------------------------------------------------------------------------------------------------------------- laws
@dataclass(frozen=True)
class Said:
    """A statement in parts, so that a law can change one of them."""

    subject: str
    verb: str
    first: str
    connective: str
    second: str
    entity: str
    number: int

    def text(self) -> str:
        claim = f"{self.subject} {self.verb} {self.first} {self.connective} {self.second}"
        return f"{claim} at {self.entity} for {self.number} days"


THINGS = st.lists(
    st.sampled_from(["tabs", "spaces", "tea", "juice", "trains", "buses", "lists"]), min_size=2, max_size=2, unique=True
)
ENTITIES = st.sampled_from(["Google", "eu-west-1", "Paris", "JSON", "snake_case", "alice@example.com"])
SIMILARITIES = st.one_of(st.none(), st.floats(0.9, 1))


@st.composite
def said(draw: st.DrawFn) -> Said:
    first, second = draw(THINGS)
    return Said(
        subject=draw(st.sampled_from(["Alice", "The user", "My brother", "The team"])),
        verb=draw(st.sampled_from(["prefers", "uses", "takes", "recommends"])),
        first=first,
        connective=draw(st.sampled_from(["over", "instead of", "before", "rather than", "after"])),
        second=second,
        entity=draw(ENTITIES),
        number=draw(st.integers(2, 99)),
    )


def changed(statement: Said, **parts: str | int) -> str:
    return Said(**{**vars(statement), **parts}).text()


@given(said(), SIMILARITIES)
def test_a_statement_is_a_duplicate_of_itself(statement: Said, similarity: float | None) -> None:
    """Also in other case, with other punctuation, and with the speaker named in another way."""
    text = statement.text()
    others = [text, text.lower(), f"{text}!", f"  {text}.", f"Actually, {text}"]
    if statement.subject in {"Alice", "The user"}:
        others += [changed(statement, subject=who) for who in ("Alice", "The user", "the user")]
        others.append(changed(statement, subject="I", verb=statement.verb.removesuffix("s")))
    assert {compare(other, text, similarity).relation for other in others} == {"duplicate"}


@given(said(), st.integers(2, 99), SIMILARITIES)
def test_another_number_is_never_a_duplicate(statement: Said, number: int, similarity: float | None) -> None:
    """However near, statements with different numbers are not merged."""
    merged = compare(changed(statement, number=number), statement.text(), similarity).relation == "duplicate"
    assert merged == (number == statement.number)


@given(said(), ENTITIES, SIMILARITIES)
def test_another_name_is_never_a_duplicate(statement: Said, entity: str, similarity: float | None) -> None:
    """However near, statements that name different things are not merged."""
    merged = compare(changed(statement, entity=entity), statement.text(), similarity).relation == "duplicate"
    assert merged == (entity == statement.entity)


@given(said(), SIMILARITIES)
def test_swapped_arguments_are_never_a_duplicate(statement: Said, similarity: float | None) -> None:
    """However near, the same arguments in the opposite order contradict."""
    swapped = changed(statement, first=statement.second, second=statement.first)
    assert compare(swapped, statement.text(), similarity).relation == "conflict"


@given(said(), st.sampled_from(["never {}s", "does not {}", "doesn't {}", "no longer {}s"]), SIMILARITIES)
def test_a_denial_is_never_a_duplicate(statement: Said, denial: str, similarity: float | None) -> None:
    """However near, a statement and its denial contradict, whichever is the newer."""
    denied = changed(statement, verb=denial.format(statement.verb.removesuffix("s")))
    assert compare(denied, statement.text(), similarity).relation == "conflict"
    assert compare(statement.text(), denied, similarity).relation == "conflict"


@given(st.text(max_size=60), st.text(max_size=60), SIMILARITIES)
def test_any_two_texts_can_be_judged(new: str, old: str, similarity: float | None) -> None:
    """No pair of texts makes the judge fail, and a text is a duplicate of itself."""
    assert compare(new, old, similarity).reason
    assert compare(new, new, similarity).relation == "duplicate"


@pytest.mark.parametrize("word", ["ex-partner", "ex-wife", "former husband"])
def test_a_former_partner_replaces_nobody(word: str) -> None:
    """Who was a partner once takes nobody's place."""
    new, old = parse_statement(f"Alice's {word} is Kim"), parse_statement("Alice's partner is Sam")
    assert judge(new, old, similarity=0.9).relation not in {"conflict", "duplicate"}
