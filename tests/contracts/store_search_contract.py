"""What a store of LangGraph's promises about queries: vectors and words, exact, of one prefix, always up to date."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import PutOp

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.items.searching import Views
from langchain_agentmem.store.indexing import PROBE
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing.laws import StillClock, keys
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.stores import Open

NS = ("memories", "alice")
DRINKS = {"green": "She drinks green tea", "black": "He drinks black coffee", "park": "The park closes at nine"}


async def fill(
    store: SQLStore, call: Call, texts: dict[str, str] | None = None, namespace: tuple[str, ...] = NS
) -> None:
    await call(store, "batch", [PutOp(namespace, key, {"text": text}) for key, text in (texts or DRINKS).items()])


class StoreSearchContract:
    """A subclass has a fixture `open_store`."""

    @pytest.fixture
    def clock(self) -> StillClock:
        return StillClock()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings(dim=128)

    @pytest.fixture
    def store(self, open_store: Open, clock: StillClock, embeddings: WordEmbeddings) -> SQLStore:
        return open_store(clock=clock, index={"embed": embeddings, "dims": 128, "fields": ["text"]})

    # ----------------------------------------------------------------------------------------------------------- rank
    async def test_the_nearest_comes_first(self, store: SQLStore, call: Call) -> None:
        """With vectors every item with text is an answer, scored in [0, 1], best first; equal ones the latest first."""
        await fill(store, call)
        found = await call(store, "search", NS, query="Who drinks green tea?")
        assert keys(found) == ["green", "black", "park"]
        assert all(0 <= item.score <= 1 for item in found)
        assert found[0].score > found[1].score > found[2].score

    async def test_equal_scores_have_an_order(self, store: SQLStore, clock: StillClock, call: Call) -> None:
        """Of equally good items the one changed last comes first, then namespace and key decide."""
        await fill(store, call, {"b": "tea", "a": "tea"})
        await fill(store, call, {"a": "tea"}, ("memories", "aaron"))
        clock.forward(micros=1)
        await fill(store, call, {"z": "tea"})
        found = [(item.namespace[1], item.key) for item in await call(store, "search", ("memories",), query="tea")]
        assert found == [("alice", "z"), ("aaron", "a"), ("alice", "a"), ("alice", "b")]

    async def test_words_alone_are_enough(self, open_store: Open, call: Call) -> None:
        """Without a model items that share a word are answers, the one that says it best first, and no others."""
        store = open_store()
        await fill(store, call)
        found = await call(store, "search", NS, query="What does she drink, green tea?")
        assert keys(found) == ["green", "black"]
        assert 1 >= found[0].score > found[1].score > 0

    async def test_a_query_without_words_lists(self, store: SQLStore, call: Call) -> None:
        """An empty or blank query is none: items come in the order of their last change, without a score."""
        await fill(store, call)
        for query in (None, "", "  \n"):
            found = await call(store, "search", NS, query=query)
            assert [(item.key, item.score) for item in found] == [("black", None), ("green", None), ("park", None)]

    async def test_the_best_text_counts(self, store: SQLStore, call: Call) -> None:
        """An item with several texts is as good as its best one, and comes once."""
        turns = [{"text": text} for text in DRINKS.values()]
        await call(store, "put", NS, "talk", {"turns": turns}, index=["turns[*].text"])
        await call(store, "put", NS, "one", {"text": DRINKS["green"]})
        found = await call(store, "search", NS, query="green tea")
        assert keys(found) == ["one", "talk"]
        assert found[0].score == found[1].score

    async def test_only_indexed_fields_are_found(self, store: SQLStore, open_store: Open, call: Call) -> None:
        """The configured fields count, or those that a put names; the whole value where nothing is configured."""
        value = {"text": "about nothing", "hidden": "umbrella", "deep": {"note": "saxophone"}}
        words = open_store()
        await call(words, "put", ("whole",), "a", value)
        await call(words, "put", ("named",), "a", value, index=["deep.note"])
        assert len(await call(words, "search", ("whole",), query="umbrella")) == 1
        assert len(await call(words, "search", ("named",), query="saxophone")) == 1
        assert await call(words, "search", ("named",), query="umbrella") == []
        assert await call(words, "search", ("whole",), query="hidden") == []  # the name of a field, not a word in it

    async def test_what_is_not_indexed_answers_no_query(self, store: SQLStore, call: Call) -> None:
        """Items put with `index=False`, or without text in their fields, are listed, but never an answer."""
        await fill(store, call)
        await call(store, "put", NS, "secret", {"text": "green tea"}, index=False)
        await call(store, "put", NS, "empty", {"text": " ", "other": "green tea"})
        assert set(keys(await call(store, "search", NS))) == {*DRINKS, "secret", "empty"}
        assert set(keys(await call(store, "search", NS, query="green tea"))) == set(DRINKS)
        await call(store, "put", NS, "green", {"text": "green tea"}, index=False)
        assert set(keys(await call(store, "search", NS, query="green tea"))) == {"black", "park"}

    async def test_a_filter_keeps_order_and_scores(self, store: SQLStore, call: Call) -> None:
        """A filter takes items away from an answer, before the limit, and changes nothing about the others."""
        texts = {f"{n:03}": f"tea number {n} of {n % 7} pots" for n in range(300)}
        await fill(store, call, texts)
        whole = await call(store, "search", NS, query="tea of 3 pots", limit=300)
        others = {"text": {"$ne": texts["299"]}}
        found = await call(store, "search", NS, query="tea of 3 pots", filter=others, limit=300)
        assert [(item.key, item.score) for item in found] == [(i.key, i.score) for i in whole if i.key != "299"]
        alone = texts["123"]
        for wanted in (alone, {"$eq": alone}, {"$gte": alone, "$lte": alone}, {"$eq": alone, "$ne": "tea"}):
            rare = await call(store, "search", NS, query="tea of 3 pots", filter={"text": wanted}, limit=1)
            assert [(item.key, item.score) for item in rare] == [(i.key, i.score) for i in whole if i.key == "123"]

    async def test_other_namespaces_move_no_score(self, store: SQLStore, call: Call) -> None:
        """Order and scores under a prefix depend on what is under it alone."""
        await fill(store, call)
        before = [(item.key, item.score) for item in await call(store, "search", NS, query="green tea")]
        for other in (("memories", "alice2"), ("memories",), ("x", "alice")):
            await fill(store, call, {str(n): "green tea " * n for n in range(1, 9)}, other)
        assert [(item.key, item.score) for item in await call(store, "search", NS, query="green tea")] == before

    # ----------------------------------------------------------------------------------------------------- up to date
    async def test_a_search_sees_what_others_wrote(self, store: SQLStore, open_store: Open, call: Call) -> None:
        """Whatever another store object puts, updates or deletes shows in the next search, as if all were new."""
        other = open_store(index={"embed": WordEmbeddings(dim=128), "fields": ["text"]})
        await fill(store, call)
        changes: list[tuple[str, Any]] = [
            ("new", {"text": "green tea again"}),
            ("green", {"text": "She drinks water"}),
            ("black", None),
            ("new", None),
            ("black", {"text": "green"}),
        ]
        for key, value in changes:
            await call(store, "search", NS, query="green tea")
            await call(other, "batch", [PutOp(NS, key, value), PutOp(("memories", "bob"), key, value)])
            for prefix in (NS, ("memories",), ()):
                found, fresh = [
                    [(item.namespace, item.key, item.score) for item in await call(it, "search", prefix, query="green")]
                    for it in (store, open_store(index={"embed": WordEmbeddings(dim=128), "fields": ["text"]}))
                ]
                assert found == fresh

    async def test_a_namespace_that_went_and_came_is_new(self, store: SQLStore, open_store: Open, call: Call) -> None:
        """A search does not take what was put into a namespace anew for what had been there before."""
        await fill(store, call)
        assert await call(store, "search", NS, query="green tea")
        other = open_store(index={"embed": WordEmbeddings(dim=128), "fields": ["text"]})
        await call(other, "batch", [PutOp(NS, key, None) for key in DRINKS])
        await call(other, "put", NS, "green", {"text": "a green park"})
        found = await call(store, "search", NS, query="green tea")
        assert [(item.key, item.value["text"]) for item in found] == [("green", "a green park")]

    async def test_expired_items_move_no_score(self, store: SQLStore, clock: StillClock, call: Call) -> None:
        """From the moment something expires, scores are as if it had never been; what was refreshed counts on."""
        await fill(store, call)
        before = [(item.key, item.score) for item in await call(store, "search", NS, query="green tea")]
        await call(store, "put", NS, "passing", {"text": "green tea green tea"}, ttl=2)
        with_it = [(item.key, item.score) for item in await call(store, "search", NS, query="green tea")]
        clock.forward(minutes=1)
        assert [(item.key, item.score) for item in await call(store, "search", NS, query="green tea")] == with_it
        clock.forward(minutes=2)
        assert [(item.key, item.score) for item in await call(store, "search", NS, query="green tea")] == before

    async def test_views_are_bounded(self, store: SQLStore, call: Call) -> None:
        """What is kept in memory for searches has a bound; beyond it, what was searched longest ago goes."""
        store._stored._search._views = views = Views(store._stored._indexing.model, max_bytes=5_000)
        for number in range(5):
            await fill(store, call, namespace=(f"n{number}",))
            assert len(await call(store, "search", (f"n{number}",), query="tea")) == 3
        assert len(views) < 5
        assert views.nbytes < 20_000

    # -------------------------------------------------------------------------------------------------------- models
    async def test_each_text_is_embedded_once(self, store: SQLStore, embeddings: WordEmbeddings, call: Call) -> None:
        """A batch embeds its texts in one call, equal ones once, and no text that it does not write."""
        ops = [PutOp(NS, str(n), {"text": "tea"}) for n in range(5)]
        await call(store, "batch", [PutOp(NS, "0", {"text": "lost"}), *ops, PutOp(NS, "x", {"text": "b"}, index=False)])
        assert embeddings.texts == ["tea", PROBE]

    async def test_a_failing_model_writes_nothing(
        self, store: SQLStore, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """Where a text cannot be embedded, nothing of the batch is written, and what is there stays readable."""
        await fill(store, call)
        embeddings.fails_with = RuntimeError("no model today")
        with pytest.raises(StorageError, match="embedding"):
            await call(store, "batch", [PutOp(NS, "a", None), PutOp(NS, "new", {"text": "milk"})])
        with pytest.raises(StorageError, match="embedding"):
            await call(store, "search", NS, query="milk")
        assert set(keys(await call(store, "search", NS))) == set(DRINKS)

    @pytest.mark.parametrize("dims", [None, 128])
    @pytest.mark.parametrize("texts", [{"new": "odd milk"}, {"new": "odd milk", "more": "tea"}])
    async def test_a_vector_of_another_size_than_others_is_refused(
        self,
        open_store: Open,
        embeddings: WordEmbeddings,
        dims: int | None,
        texts: dict[str, str],
        call: Call,
    ) -> None:
        """Nothing of the batch is written, and once the model is well again the same batch is."""
        index = {"embed": embeddings, "fields": ["text"]} | ({} if dims is None else {"dims": dims})
        store = open_store(index=index)
        await fill(store, call)
        embeddings.odd = "odd"
        with pytest.raises(ConfigurationError, match="numbers"):
            await fill(store, call, texts)
        assert set(keys(await call(store, "search", ("memories",), query="tea"))) == set(DRINKS)
        embeddings.odd = None
        await fill(store, call, texts)
        assert set(keys(await call(store, "search", ("memories",), query="tea"))) == {*DRINKS, *texts}

    async def test_the_size_that_was_promised_is_kept(self, open_store: Open, call: Call) -> None:
        """A model whose vectors have another size than `dims` is refused before anything is written."""
        store = open_store(index={"embed": WordEmbeddings(dim=64), "dims": 128})
        with pytest.raises(ConfigurationError, match="64"):
            await fill(store, call)
        assert await call(store, "search", ()) == []

    async def test_vectors_of_two_models_are_never_compared(
        self, store: SQLStore, open_store: Open, call: Call
    ) -> None:
        """Under another model old items are found by their words, and by vectors once they are put again."""
        await fill(store, call)
        other = open_store(index={"embed": WordEmbeddings("another", dim=32), "fields": ["text"]})
        assert keys(await call(other, "search", NS, query="green tea")) == ["green"]
        await call(other, "put", NS, "black", {"text": DRINKS["black"]})
        assert keys(await call(other, "search", NS, query="green tea")) == ["green", "black"]

    async def test_a_function_is_a_model(self, open_store: Open, call: Call) -> None:
        """What LangGraph takes for a model, a function of texts, is one here."""

        def letters(texts: list[str]) -> list[list[float]]:
            return [[1.0 + text.count(letter) for letter in "etaoin"] for text in texts]

        store = open_store(index={"embed": letters, "dims": 6, "fields": ["text"]})
        await fill(store, call)
        assert len(await call(store, "search", NS, query="eee")) == 3

    async def test_damaged_terms_are_said_to_be(self, store: SQLStore, call: Call) -> None:
        """What search needs of an item is checked when it is read; an item itself can still be read."""
        await fill(store, call)

        def damage(connection: Any) -> None:  # noqa: ANN401
            connection.exec_driver_sql("UPDATE agentmem_store_items SET terms = sealed")

        run(store._database.write(damage))
        with pytest.raises(IntegrityError, match="malformed"):
            await call(store, "search", NS, query="tea")
        assert await call(store, "get", NS, "green")
