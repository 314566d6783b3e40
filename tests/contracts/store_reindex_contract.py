"""What a store of LangGraph's promises about re-indexing: after another model, other fields, damage, and a kill."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import PutOp

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.items.base import Reindexed
from langchain_agentmem.store import reindexing
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing.laws import StillClock, keys
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.contracts.sql_saver_contract import ReversingVault
from tests.fake_embeddings import WordEmbeddings
from tests.stores import Open

NS = ("memories", "alice")
DRINKS = {"green": "She drinks green tea", "black": "He drinks black coffee", "park": "The park closes at nine"}
TEXT: dict[str, Any] = {"fields": ["text"]}


def first() -> WordEmbeddings:
    return WordEmbeddings("first", dim=64)


def second() -> WordEmbeddings:
    return WordEmbeddings("second", dim=32)


def damage(store: SQLStore, change: str) -> None:
    """Change rows of items behind the store's back."""
    run(store._database.write(lambda it: it.exec_driver_sql(f"UPDATE agentmem_store_items SET {change}")))  # noqa: S608


async def ranking(store: SQLStore, call: Call, query: str = "Who drinks green tea?") -> list[tuple[str, float]]:
    return [(it.key, it.score) for it in await call(store, "search", (), query=query, limit=100)]


class StoreReindexContract:
    """A subclass has a fixture `open_store`."""

    @pytest.fixture
    def old(self, open_store: Open) -> SQLStore:
        store = open_store(index={"embed": first(), **TEXT})
        store.batch([PutOp(NS, key, {"text": text}) for key, text in DRINKS.items()])
        return store

    async def test_after_another_model_everything_is_found_as_if_new(
        self, old: SQLStore, open_store: Open, call: Call
    ) -> None:
        """Order and scores are those of items that were put with the new model; done again, there is nothing to do."""
        new = open_store(index={"embed": second(), **TEXT})
        counted: list[int] = []
        found = await call(new, "reindex", progress=counted.append)
        assert found == Reindexed(checked=3, written=3, damaged=0, model=found.model)
        assert counted == [3]
        after = await ranking(new, call)
        new.batch([PutOp(NS, key, {"text": text}) for key, text in DRINKS.items()])
        assert await ranking(new, call) == after
        assert len(after) == 3
        assert await call(new, "reindex") == Reindexed(checked=3, written=0, damaged=0, model=found.model)

    async def test_items_stay_as_they_are(self, open_store: Open, call: Call) -> None:
        """Values, times, order and times to live are not touched."""
        clock = StillClock()
        old, new = (open_store(index={"embed": it, **TEXT}, clock=clock) for it in (first(), second()))
        for key, text in DRINKS.items():
            await call(old, "put", NS, key, {"text": text}, ttl=10)
            clock.forward(minutes=1)
        before = await call(old, "search", NS, refresh_ttl=False)
        await call(new, "reindex")
        assert await call(new, "search", NS, refresh_ttl=False) == before
        clock.forward(minutes=7)
        assert keys(await call(new, "search", NS)) == ["park", "black"]

    async def test_until_the_last_vector_the_old_model_ranks_as_before(
        self, old: SQLStore, open_store: Open, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Killed half-way, nothing is lost for either model, and the next call goes on where this one stood."""
        before = await ranking(old, call)
        embeddings = second()
        new = open_store(index={"embed": embeddings, **TEXT})
        monkeypatch.setattr(reindexing, "BATCH", 1)

        def kill(written: int) -> None:
            if written == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await call(new, "reindex", progress=kill)
        assert await ranking(old, call) == before
        assert {key for key, _ in await ranking(new, call)} >= {"green", "black"}
        embeddings.texts.clear()
        assert (await call(new, "reindex")).written == 1
        assert [text for text in embeddings.texts if text in DRINKS.values()] == [DRINKS["park"]]

    async def test_vectors_of_the_old_model_are_dropped_at_the_end(
        self, old: SQLStore, open_store: Open, call: Call
    ) -> None:
        """Once all have new ones, the old model finds items by their words alone."""
        await call(open_store(index={"embed": second(), **TEXT}), "reindex")
        assert [key for key, _ in await ranking(old, call)] == ["green", "black"]

    async def test_what_is_put_meanwhile_is_kept(
        self, old: SQLStore, open_store: Open, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A value that an old process puts while vectors are computed is what is found, by the new model too."""
        embeddings = second()
        new = open_store(index={"embed": embeddings, **TEXT})
        embed = embeddings.embed_documents

        def while_others_write(texts: list[str]) -> list[list[float]]:
            if DRINKS["green"] in texts:
                old.put(NS, "green", {"text": "She drinks cold water"})
                old.delete(NS, "black")
            return embed(texts)

        monkeypatch.setattr(embeddings, "embed_documents", while_others_write)
        monkeypatch.setattr(embeddings, "aembed_documents", None)
        new.reindex()
        found = [(item.key, item.value["text"]) for item in await call(new, "search", NS, query="cold water")]
        assert found == [("green", "She drinks cold water"), ("park", DRINKS["park"])]

    async def test_other_fields_are_taken(self, open_store: Open, call: Call) -> None:
        """Items are found by the store's new fields; those put with fields of their own, or with none, as before."""
        old, new = open_store(index={"fields": ["title"]}), open_store(index={"fields": ["body"]})
        value = {"title": "umbrella", "body": "saxophone"}
        await call(old, "put", NS, "plain", value)
        await call(old, "put", NS, "own", value, index=["title"])
        await call(old, "put", NS, "none", value, index=[])
        await call(old, "put", NS, "out", value, index=False)
        await call(old, "put", NS, "late", {"body": "saxophone"})
        await call(new, "reindex")
        found = [{key for key, _ in await ranking(new, call, query)} for query in ("umbrella", "saxophone")]
        assert found == [{"own"}, {"plain", "late"}]

    @pytest.mark.parametrize(
        "change", ["terms = sealed", "terms = substr(terms, 1, 60)", "terms = substr(terms, 1, 0)"]
    )
    async def test_what_was_lost_is_found_again(self, old: SQLStore, open_store: Open, call: Call, change: str) -> None:
        """Terms and vectors that were lost or cut are made anew from the values."""
        before = await ranking(old, call)
        damage(old, change)
        again = open_store(index={"embed": first(), **TEXT})
        with pytest.raises(IntegrityError, match="reindex"):
            await ranking(again, call)
        assert (await call(again, "reindex")).written == 3
        assert await ranking(again, call) == before

    async def test_a_damaged_value_stops_nothing(self, old: SQLStore, open_store: Open, call: Call) -> None:
        """An item whose value cannot be read is counted and left alone; the others are done."""
        damage(old, "sealed = substr(sealed, 1, 3) WHERE key = 'park'")
        found = await call(open_store(index={"embed": second(), **TEXT}), "reindex")
        assert (found.checked, found.written, found.damaged) == (3, 2, 1)

    async def test_without_a_model_vectors_are_kept(self, old: SQLStore, open_store: Open, call: Call) -> None:
        """A store that knows words alone repairs words, and takes no vector away."""
        before = await ranking(old, call)
        assert await call(open_store(index=TEXT), "reindex") == Reindexed(checked=3, written=0, damaged=0, model=None)
        assert await ranking(old, call) == before

    async def test_a_failing_model_loses_nothing(self, old: SQLStore, open_store: Open, call: Call) -> None:
        """Where texts cannot be embedded, items stay as they were."""
        before, broken = await ranking(old, call), second()
        broken.fails_with = RuntimeError("no model today")
        with pytest.raises(StorageError, match="embedding"):
            await call(open_store(index={"embed": broken, **TEXT}), "reindex")
        assert await ranking(old, call) == before

    async def test_a_vault_is_no_hindrance(self, open_store: Open, call: Call) -> None:
        """Sealed items are re-indexed under their users' keys, and nothing is written in clear."""
        shared: dict[str, Any] = {"subject": lambda name: Scope(name[1]), "vault": ReversingVault()}
        old, new = (open_store(index={"embed": it, **TEXT}, **shared) for it in (first(), second()))
        for user in ("alice", "bob"):
            await call(old, "put", ("m", user), "a", {"text": "green tea"})
        assert (await call(new, "reindex")).written == 2
        assert len(await ranking(new, call)) == 2

    async def test_one_vector_of_another_size_disturbs_nobody(
        self, old: SQLStore, open_store: Open, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An item with a vector of another size, of an earlier release, is found by words until it is made anew."""
        before, odd = await ranking(old, call), first()
        store, odd.odd = open_store(index={"embed": odd, **TEXT}), "beer"
        with monkeypatch.context() as patch:
            patch.setattr("langchain_agentmem.store.indexing.PROBE", "beer, the probe")
            await call(store, "put", ("memories", "bob"), "beer", {"text": "beer and tea"})
        for it in (old, store, open_store(index={"embed": first(), **TEXT})):
            found = await ranking(it, call)
            assert [key for key, _ in found if key != "beer"] == [key for key, _ in before]
            assert "beer" in dict(found)
        odd.odd = None
        store._stored._indexing.embedder.clear()  # type: ignore[union-attr]  # it has one
        assert (await call(store, "reindex")).written == 1
        again = open_store(index={"embed": first(), **TEXT})
        assert await ranking(store, call) == await ranking(again, call)
        assert (await ranking(again, call, "beer"))[0][0] == "beer"

    async def test_a_model_that_changed_its_size_is_no_hindrance(
        self, old: SQLStore, open_store: Open, call: Call
    ) -> None:
        """Where a model of the same name gives vectors of another size, the error names the remedy, and that works."""
        again = open_store(index={"embed": WordEmbeddings("first", dim=16), **TEXT})
        assert len(await call(old, "search", NS)) == 3
        with pytest.raises(ConfigurationError, match="reindex"):
            await ranking(again, call)
        assert (await call(again, "reindex")).written == 3
        assert len(await ranking(again, call)) == 3
