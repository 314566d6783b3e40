"""Our store beside LangGraph's `InMemoryStore`: the same operations, the same answers, wherever that one is right.

Where it is not: it lists what was changed last at the end, keeps namespaces from which everything was deleted, forgets
the time of creation with every update, appends items that are not indexed to the answers of a query, and takes text for
a number in comparisons. Those are laws of their own in the contracts.
"""

from __future__ import annotations

import itertools
from typing import Any, Final, Literal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchOp
from langgraph.store.memory import InMemoryStore

from tests.stores import Open

EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ALL: Final = 10_000
ROOTS: Final = itertools.count()
"""Each example has a first label of its own, so that one store serves all of them."""

labels = st.sampled_from(["a", "A", "ab", "a%", "a_b", "*", "é", "e\u0301", "a b", "\U0001f375", "a/", "a\x01"])
paths = st.lists(labels, max_size=3).map(tuple)
names = st.sampled_from(["1", "2", "x", "", "a.b", "Ä"])
scalars = st.none() | st.integers(-3, 3) | st.sampled_from(["tea", "Tea", "", "%", "null"]) | st.floats(-3, 3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["n", "m"]), inner, max_size=2),
    max_leaves=4,
)
items = st.dictionaries(st.sampled_from(["n", "m", "text"]), values, max_size=3)
numbers = st.integers(-3, 3)
conditions = (
    values
    | st.fixed_dictionaries({"$eq": scalars})
    | st.fixed_dictionaries({"$ne": scalars})
    | st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), numbers, min_size=1, max_size=2)
)
equalities = st.dictionaries(
    st.sampled_from(["m", "text"]), values | st.fixed_dictionaries({"$ne": scalars}), max_size=2
)
comparisons = st.dictionaries(st.just("number"), conditions, min_size=1)

puts = st.tuples(paths, names, items, numbers).map(lambda it: PutOp(it[0], it[1], {**it[2], "number": it[3]}))
deletes = st.tuples(paths, names).map(lambda it: PutOp(*it, None))
gets = st.tuples(paths, names).map(lambda it: GetOp(*it))
searches = st.tuples(paths, st.none() | equalities | comparisons).map(lambda it: SearchOp(it[0], it[1], ALL))
patterns = st.lists(labels | st.just("*"), max_size=3).map(tuple)
kinds: st.SearchStrategy[Literal["prefix", "suffix"]] = st.sampled_from(["prefix", "suffix"])
matches = st.tuples(kinds, patterns).map(lambda it: MatchCondition(*it))
depths, limits = st.none() | st.integers(1, 4), st.integers(0, 6) | st.just(ALL)
listings = st.tuples(st.lists(matches, max_size=2).map(tuple), depths, limits, st.integers(0, 3)).map(
    lambda it: ListNamespacesOp(*it)
)
edits = puts | deletes | searches
batches = st.lists(  # a get makes a namespace there, so that none stands beside a listing
    st.lists(edits | gets, min_size=1, max_size=8) | st.lists(edits | listings, min_size=1, max_size=8), max_size=6
)


def rooted(op: Op, root: str) -> Op:
    """Put an operation under a first label."""
    if isinstance(op, SearchOp):
        return op._replace(namespace_prefix=(root, *op.namespace_prefix))
    if isinstance(op, ListNamespacesOp):
        return op._replace(match_conditions=(MatchCondition("prefix", (root,)), *(op.match_conditions or ())))
    return op._replace(namespace=(root, *op.namespace))


def plain(result: Result) -> Any:  # noqa: ANN401
    """What both stores must agree on: no times, and of a search no order."""
    if isinstance(result, Item):
        return result.namespace, result.key, result.value
    if isinstance(result, list):
        return sorted(map(repr, map(plain, result))) if result and isinstance(result[0], Item) else result
    return result


def forget_empty(model: InMemoryStore) -> None:
    """Take out the namespaces that are only there because somebody looked, or deleted what was in them."""
    for namespace in [name for name, items_ in model._data.items() if not items_]:
        del model._data[namespace]


class StoreDifferential:
    """A subclass has a fixture `open_store`."""

    def test_answers_are_those_of_the_reference(self, open_store: Open) -> None:
        """Any batches of puts, deletes, gets, searches and listings have the answers of the store in memory."""
        store = open_store()

        @EXAMPLES
        @given(batches)
        def agree(asked: list[list[Op]]) -> None:
            root, model = f"example {next(ROOTS)}", InMemoryStore()
            for ops in asked:
                ours, theirs = (
                    [plain(it) for it in one.batch([rooted(op, root) for op in ops])] for one in (store, model)
                )
                assert ours == theirs
                forget_empty(model)

        agree()

    def test_vectors_rank_as_in_the_reference(self, open_store: Open) -> None:
        """Where a query shares no word with any item, order follows the cosine, as in the store in memory."""
        config: Any = {"embed": letters, "dims": len(LETTERS), "fields": ["text"]}
        store = open_store(index=config)

        @EXAMPLES
        @given(st.lists(words, min_size=1, max_size=8), words)
        def agree(texts: list[str], query: str) -> None:
            namespace, model = (f"example {next(ROOTS)}",), InMemoryStore(index=config)
            for place, text in enumerate(texts):
                for one in (store, model):
                    one.put(namespace, str(place), {"text": text})
            found = [item.key for item in store.search(namespace, query=f"q{query}", limit=ALL)]
            scores = {item.key: item.score or 0.0 for item in model.search(namespace, query=f"q{query}", limit=ALL)}
            assert sorted(found) == sorted(scores)
            assert all(scores[one] >= scores[next_one] - TOLERANCE for one, next_one in itertools.pairwise(found))

        agree()


LETTERS: Final = "etaoin"
TOLERANCE: Final = 1e-5
"""Our vectors have 32 bits, and scores are rounded."""

words = st.text(LETTERS, min_size=3, max_size=12).map(lambda it: f"x{it}")


def letters(texts: list[str]) -> list[list[float]]:
    """How often each letter occurs; near 5 for all, so that no cosine is so small that it means nothing."""
    return [[5.0 + text.count(letter) for letter in LETTERS] for text in texts]
