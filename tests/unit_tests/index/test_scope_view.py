from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import log
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._search import SearchFilter, SearchQuery, SearchRow, Wording
from langchain_agentmem._terms import encode_labels, term_hash, tokenize
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.policies.rank import Weights
from tests.unit_tests.index.rows import admits, numbers, queries, query, row, rows, texts


def view_of(*found: SearchRow) -> ScopeView:
    view = ScopeView()
    view.apply(found, 1)
    return view


def ids(view: ScopeView, asked: SearchQuery) -> list[str]:
    return [proposal.memory_id for proposal in view.search(asked)]


def arrays(view: ScopeView) -> list[bytes]:
    """Every byte that the view's arrays hold, spare capacity included."""
    table = view._table
    held = [*table._columns.values(), *([] if table._vectors is None else [table._vectors])]
    held += [array for part in (view._terms, view._labels) for array in (part._hashes, part._slots, part._counts)]
    return [array.tobytes() for array in held]


@given(st.lists(st.lists(rows(), max_size=6), max_size=5), queries)
def test_a_view_grown_step_by_step_answers_like_one_built_at_once(
    steps: list[list[SearchRow]], asked: SearchQuery
) -> None:
    """What a view answers depends on the rows as they are, not on how they came to be."""
    grown, latest = ScopeView(), dict[str, SearchRow]()
    for revision, step in enumerate(steps, start=1):
        distinct = {found.memory_id: found for found in step}
        grown.apply(list(distinct.values()), revision)
        latest |= distinct
    built = view_of(*reversed(latest.values()))
    assert grown.search(asked) == built.search(asked)
    assert len(grown) == sum(found.status != "erased" for found in latest.values())


@given(st.lists(rows(status="active"), unique_by=lambda found: found.memory_id), queries, st.data())
def test_a_foreign_agents_rows_move_neither_ids_nor_scores(
    found: list[SearchRow], asked: SearchQuery, data: st.DataObject
) -> None:
    """Rows that the asking agent may not see change nothing in what it gets, not even a digit."""
    seen = [it for it in found if it.agent_id in {None, asked.filter.agent_id}]
    mixed = data.draw(st.permutations(found))
    assert view_of(*mixed).search(asked) == view_of(*seen).search(asked)


@given(st.lists(rows(), unique_by=lambda found: found.memory_id), queries)
def test_a_narrower_filter_only_leaves_proposals_out(found: list[SearchRow], asked: SearchQuery) -> None:
    """A filter decides which rows are proposed, never how relevant they are."""
    view = view_of(*found)
    everything = SearchFilter(
        now=asked.filter.now,
        at=asked.filter.at,
        agent_id=asked.filter.agent_id,
        statuses=asked.filter.statuses,
        purposes=asked.filter.purposes,
    )
    wide = view.search(SearchQuery(text=asked.text, vector=asked.vector, filter=everything, limit=99))
    narrow = view.search(SearchQuery(text=asked.text, vector=asked.vector, filter=asked.filter, limit=99))
    assert [proposal for proposal in wide if proposal in narrow] == narrow


@given(st.data(), queries)
def test_exactly_the_rows_that_the_filter_admits_are_searched(data: st.DataObject, asked: SearchQuery) -> None:
    """Every condition of a filter means what its docstring says."""
    tags, purposes = data.draw(st.sets(st.sampled_from(["work", "Work"]))), data.draw(st.sets(st.just("ads")))
    base = data.draw(rows(memory_id="m", status=data.draw(st.sampled_from(["active", "superseded"]))))
    fields = {name: getattr(base, name) for name in base._fields if name not in {"memory_id", "vector", "terms"}}
    found = row("m", "berlin", **fields | {"labels": encode_labels(tags, purposes)})
    sought = SearchQuery(text="berlin", filter=asked.filter)
    assert bool(view_of(found).search(sought)) == admits(asked.filter, found, tags, purposes)


def test_the_filter_comes_before_the_cut() -> None:
    """A hundred better rows of the wrong kind do not take the place of the one admitted row."""
    better = [row(f"b{number}", "python", vector=[1, 0]) for number in range(100)]
    view = view_of(*better, row("wanted", "python berlin", kind="goal", vector=[1, 1]))
    assert ids(view, query("python", [1, 0], limit=1, kinds=("goal",))) == ["wanted"]


@given(st.lists(texts, min_size=1, max_size=8), texts)
def test_words_are_scored_as_a_plain_reading_of_bm25_scores_them(documents: list[str], asked: str) -> None:
    """The lexical part is BM25 with Lucene's idf, as a share of what the query itself would score."""
    found = view_of(*[row(f"{place}", text) for place, text in enumerate(documents)]).search(query(asked))
    expected = reference_shares([tokenize(text) for text in documents], sorted(set(tokenize(asked))))
    shares = {proposal.memory_id: proposal.parts["lexical"] for proposal in found}
    assert shares == {str(at): pytest.approx(share, abs=2e-6) for at, share in enumerate(expected) if share > 1e-6}


@given(st.lists(texts, min_size=1, max_size=8), texts, st.data())
def test_what_stands_for_a_word_counts_its_share_and_a_faint_word_a_quarter(
    documents: list[str], asked: str, data: st.DataObject
) -> None:
    """Occurrences are added, and a word is as frequent as it itself, or what counts as much."""
    terms = sorted(set(tokenize(asked)))
    every = sorted({term for text in [*documents, asked] for term in tokenize(text)})
    others = {term: data.draw(st.dictionaries(st.sampled_from(every), st.sampled_from([0.3, 1.0]))) for term in terms}
    others = {term: {it: share for it, share in of.items() if it != term} for term, of in others.items()}
    faint = data.draw(st.sets(st.sampled_from(terms))) if terms else set()
    hashed = {term_hash(term): {term_hash(it): share for it, share in of.items()} for term, of in others.items()}
    wording = Wording(related=hashed, faint=frozenset(map(term_hash, faint)))
    view = view_of(*[row(f"{place}", text) for place, text in enumerate(documents)])
    found = view.search(replace(query(asked), wording=wording))
    expected = reference_shares([tokenize(text) for text in documents], terms, others, faint)
    shares = {proposal.memory_id: proposal.parts["lexical"] for proposal in found}
    assert shares == {str(at): pytest.approx(share, abs=2e-6) for at, share in enumerate(expected) if share > 1e-6}


def reference_shares(
    documents: list[list[str]],
    asked: list[str],
    others: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    faint: Collection[str] = (),
) -> list[float]:
    """BM25 with k1 = 0.9 and b = 0.4, written without arrays; what all have counts a fortieth of what none has."""

    def count(term: str, document: list[str]) -> float:
        return document.count(term) + sum(share * document.count(it) for it, share in others.get(term, {}).items())

    mean = max(1.0, sum(map(len, documents)) / len(documents))
    holding = {term: sum(count(term, document) >= 1 for document in documents) for term in asked}
    idf = {term: log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for term, n in holding.items()}
    idf = {term: max(weight, 0.025 * log(1 + (len(documents) + 0.5) / 0.5)) for term, weight in idf.items()}
    idf = {term: weight / 4 if term in faint else weight for term, weight in idf.items()}

    def score(counts: Mapping[str, float], length: int) -> float:
        norm = 0.9 * (0.6 + 0.4 * length / mean)
        return sum(idf[term] * counts[term] / (counts[term] + norm) for term in asked)

    ideal = score(dict.fromkeys(asked, 1.0), len(asked))
    found = [score({term: count(term, document) for term in asked}, len(document)) for document in documents]
    return [min(1.0, each / ideal) if ideal else 0.0 for each in found]


@pytest.mark.parametrize("size", [1, 40, 2_000])
def test_what_every_row_says_answers_a_question_of_more_than_half_of_its_words(size: int) -> None:
    """However many rows say it: one word that nobody ever said does not outweigh all that is there."""
    view, least = view_of(*(row(f"m{at}", f"ann likes tea {at}") for at in range(size))), Weights().min_relevance
    most, few = (view.search(query(text, limit=1))[0].relevance for text in ("ann likes drinks", "ann owns boats"))
    assert (most > least, few < least) == (True, size > 1)


@given(st.lists(numbers, min_size=1, max_size=8), numbers)
def test_vectors_are_compared_by_exact_cosine(stored: list[list[int]], asked: list[int]) -> None:
    """The vector part is the cosine, nothing where it is negative."""
    found = view_of(*[row(f"{place}", vector=values) for place, values in enumerate(stored)])
    matrix, one = np.array(stored, float), np.array(asked, float)
    cosines = matrix @ one / np.linalg.norm(matrix, axis=1) / np.linalg.norm(one)
    for proposal in found.search(query("", list(map(float, asked)))):
        assert proposal.parts["vector"] == pytest.approx(cosines[int(proposal.memory_id)], abs=1e-5)


@given(st.lists(rows(), unique_by=lambda found: found.memory_id), queries)
def test_proposals_are_ordered_by_relevance_then_id(found: list[SearchRow], asked: SearchQuery) -> None:
    """The order is total: equal relevance is ordered by id, whatever order the rows came in."""
    proposals = view_of(*found).search(asked)
    assert proposals == sorted(proposals, key=lambda it: (-it.relevance, it.memory_id))
    assert all(0 < proposal.relevance <= 1 for proposal in proposals)
    assert proposals == view_of(*reversed(found)).search(asked)


def test_ties_at_the_cut_are_decided_by_id() -> None:
    """Of many equal rows the first ids are proposed, not the first slots."""
    view = view_of(*[row(f"m{number:02}", "berlin") for number in reversed(range(40))])
    assert ids(view, query("berlin", limit=3)) == ["m00", "m01", "m02"]


@given(st.lists(rows(status="active"), unique_by=lambda it: it.memory_id, min_size=1, max_size=9), st.data())
def test_an_erased_row_leaves_nothing_in_the_arrays(found: list[SearchRow], data: st.DataObject) -> None:
    """After an erasure no array holds a byte of the row's vector, words or labels, unless another row has it too."""
    secret = row("secret", "zanzibar", vector=[0.1, 0.2, 0.3, 0.4], tags=["hidden"])
    view = view_of(*data.draw(st.permutations([secret, *found])))
    view.apply([row("secret", status="erased", revision=2)], 2)
    held = b"|".join(arrays(view))
    assert secret.vector is not None
    assert not [part for part in (secret.vector, secret.terms[:8], secret.labels) if re.search(re.escape(part), held)]
    assert len(view) == len(found)


def test_a_row_discarded_at_once_is_gone_before_its_erasure_arrives() -> None:
    """`discard` removes rows now; the delta that says so later changes nothing more."""
    view = view_of(row("a", "berlin"), row("b", "berlin"))
    view.discard(["a", "unknown"])
    assert ids(view, query("berlin")) == ["b"]
    view.apply([row("a", "berlin", status="erased")], 2)
    assert ids(view, query("berlin")) == ["b"]


def test_an_older_delta_that_arrives_late_is_ignored() -> None:
    """Of two deltas the newer one stands, in whatever order they are applied."""
    view = ScopeView()
    view.apply([row("a", "berlin", revision=2)], 2)
    view.apply([row("a", "python", revision=1)], 1)
    assert (ids(view, query("berlin")), view.revision) == (["a"], 2)


def test_of_two_rows_of_one_memory_the_newer_one_stands() -> None:
    """A delta may name a memory twice; its highest revision counts."""
    view = ScopeView()
    view.apply([row("a", "berlin", revision=5), row("a", "python", revision=3)], 5)
    assert (ids(view, query("berlin")), ids(view, query("python"))) == (["a"], [])


@pytest.mark.parametrize("identifier", ["INV-2024-00123", "v3.11", "alice@example.org", "e-mail", "snake_case"])
def test_an_identifier_finds_its_memory_before_every_look_alike(identifier: str) -> None:
    """The row that names exactly this identifier comes first, and is relevant by words alone."""
    alike = ["INV-2024-00124", "v3.12", "bob@example.org", "mail", "snake"]
    view = view_of(*[row(f"a{at}", f"about {text} today") for at, text in enumerate(alike)], row("z", identifier))
    best = view.search(query(f"what about {identifier}?", [1, 0]))[0]
    assert best.memory_id == "z"
    assert best.relevance > 0.5


def test_a_row_without_a_vector_takes_part_by_its_words() -> None:
    """A memory that is not embedded yet is found all the same."""
    view = view_of(row("bare", "peanut allergy"), row("other", "berlin", vector=[1, 0]))
    assert ids(view, query("peanut allergy", [1, 0])) == ["bare", "other"]


def test_nothing_related_is_proposed_for_an_unrelated_question() -> None:
    """No common word and a cosine as of unrelated texts: no proposal."""
    view = view_of(row("a", "peanut", vector=[1, 0]), row("b", "berlin", vector=[0.1, 0.99]))
    assert view.search(query("quantum entanglement", [-1, 0])) == []
    assert view.search(query("quantum entanglement")) == []
    assert view.search(query("", None)) == []


def test_the_same_words_are_as_relevant_as_can_be() -> None:
    """A memory that says exactly what is asked has the full lexical share."""
    view = view_of(row("a", "peanut allergy"), *[row(f"b{at}", "peanut butter") for at in range(5)])
    assert view.search(query("peanut allergy"))[0].parts == {"lexical": pytest.approx(1.0, abs=0.05)}


def test_a_vector_of_another_size_is_refused_by_name_of_both_sizes() -> None:
    """Rows and queries of another embedding model are errors, and the view stays as it was."""
    view = view_of(row("a", "berlin", vector=[1, 0]))
    with pytest.raises(ConfigurationError, match="3 numbers where the scope's have 2"):
        view.apply([row("b", "berlin", vector=[1, 0, 0])], 2)
    with pytest.raises(ConfigurationError, match=r"\(3,\) where the scope's have 2"):
        view.search(query("berlin", [1, 0, 0]))
    assert (ids(view, query("berlin")), view.revision, view.dim) == (["a"], 1, 2)


@pytest.mark.parametrize("field", ["terms", "labels"])
def test_malformed_terms_or_labels_are_an_integrity_error(field: str) -> None:
    """A row whose stored bytes are cut short is refused, not misread."""
    with pytest.raises(IntegrityError, match="'a' are malformed"):
        ScopeView().apply([row("a", **{field: b"xyz"})], 1)


def test_what_is_held_grows_with_the_rows_and_not_with_their_updates() -> None:
    """Replacing a row a thousand times takes no more room than replacing it once."""
    view, found = ScopeView(), [row(f"{at}", f"berlin word{at}", vector=[1, at]) for at in range(30)]
    sizes = []
    for revision, one in enumerate(itertools.islice(itertools.cycle(found), 1_000), start=1):
        view.apply([one], revision)
        sizes.append(view.nbytes)
    assert sizes[-1] == sizes[60]


def test_what_is_hardly_near_answers_whoever_asks_about_themselves() -> None:
    """Where the user asks of themselves, a lower cosine is enough, and none counts less than before."""
    view = view_of(row("near", vector=[1, 0.3]), row("far", vector=[1, 8]), row("away", vector=[-1, 0]))
    asked = query("", [1, 0])
    plain, of_oneself = (view.search(replace(asked, is_of_oneself=it)) for it in (False, True))
    assert [it.memory_id for it in plain] == ["near"]
    assert [it.memory_id for it in of_oneself] == ["near", "far"]
    assert of_oneself[0].relevance > plain[0].relevance
    assert of_oneself[0].parts == plain[0].parts
