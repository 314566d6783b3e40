from __future__ import annotations

import asyncio
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from langchain_agentmem._flow import arun, run
from langchain_agentmem._vectors import (
    ENTRY_BYTES,
    CachedEmbeddings,
    embed_question,
    embed_texts,
    embedding_identity,
    pack_vector,
    unit_vector,
)
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.long_term.embedder import Embedder
from tests.fake_embeddings import WordEmbeddings

DIM = 3


class CountingEmbeddings(Embeddings):
    """Embeddings that count what they are asked, with answers one can set."""

    def __init__(self, **attributes: object) -> None:
        self.asked: list[str] = []
        self.answer: Any = None
        vars(self).update(attributes)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [self._one(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.asked.append(text)
        return self._one(text)

    def _one(self, text: str) -> list[float]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if self.answer is not None else [float(len(text)), 1.0, 1 / 3]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8).filter(lambda values: math.hypot(*values) > 1e-3))
def test_vectors_have_length_one_and_survive_storage(values: list[float]) -> None:
    """Whatever length a model gives them, vectors are kept as float32 of length 1, byte for byte."""
    vector = unit_vector(values)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(np.frombuffer(pack_vector(vector), "<f4"), vector)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([1.0, math.nan, 0.0], "NaN or infinite"),
        ([math.inf, 0.0, 0.0], "NaN or infinite"),
        ([1e300, 1e300, 0.0], "NaN or infinite"),
        ([10**400, 0.0, 0.0], "not a list of numbers"),
        ([0.0, 0.0, 0.0], "zeros only"),
        ([1.0, 0.0], "2 numbers where 3 are stored"),
        ([[1.0, 0.0, 0.0]], r"shape \(1, 3\)"),
        (["a", "b", "c"], "not a list of numbers"),
    ],
)
def test_a_vector_that_cannot_be_used_is_refused(answer: Any, message: str) -> None:  # noqa: ANN401
    """NaN, infinities, zeros and wrong sizes are errors that name the model, before anything is written."""
    model = CountingEmbeddings(model="m1", answer=answer)
    with pytest.raises(ConfigurationError, match=f"'m1' returned.*{message}"):
        run(embed_texts(model, ["text"], dim=DIM))
    with pytest.raises(ConfigurationError, match=message):
        run(embed_question(model, "text", dim=DIM))


def test_a_number_beyond_float32_is_refused_without_a_warning() -> None:
    """What is remembered of vectors is float32: a larger number is infinite there, and refused as such."""
    model = CachedEmbeddings(CountingEmbeddings(model="m1", answer=[1e300, 1.0, 0.0]))
    with pytest.raises(ConfigurationError, match="'m1' returned NaN or infinite"):
        run(embed_texts(model, ["text"]))


async def test_a_failing_model_is_a_storage_error_without_its_words() -> None:
    """A model's own error is the cause; the message does not repeat what it says."""
    model = CountingEmbeddings(answer=OSError("secret words"))
    with pytest.raises(StorageError, match="failed with OSError") as caught:
        run(embed_question(model, "text"))
    assert "secret" not in str(caught.value)
    with pytest.raises(StorageError, match="failed with OSError"):
        await arun(embed_texts(model, ["text"]))


def test_too_few_vectors_are_refused() -> None:
    """A model must answer each text once."""
    model = CountingEmbeddings()
    vars(model)["embed_documents"] = lambda _: [[1.0]]
    with pytest.raises(ConfigurationError, match="1 vectors for 2 texts"):
        run(embed_texts(model, ["a", "b"]))
    with pytest.raises(ConfigurationError, match="1 vectors for 2 texts"):
        CachedEmbeddings(model).embed_documents(["a", "b"])


@pytest.mark.parametrize(
    ("attributes", "identity"),
    [
        ({"model": "text-embedding-3-small"}, ("text-embedding-3-small", None)),
        ({"model": "text-embedding-3-small", "dimensions": 256}, ("text-embedding-3-small@256", 256)),
        ({"model_name": "all-mpnet-base-v2", "model": object()}, ("all-mpnet-base-v2", None)),
        ({"model": "local", "dim": 384}, ("local", 384)),
        ({}, (f"{__name__}.CountingEmbeddings", None)),
    ],
)
def test_a_model_is_named_as_it_names_itself(attributes: dict[str, object], identity: tuple[str, int | None]) -> None:
    """The name holds a size that was asked for; a model without a name goes by its class; a cache changes nothing."""
    model = CountingEmbeddings(**attributes)
    assert embedding_identity(model) == identity
    assert embedding_identity(CachedEmbeddings(model)) == identity
    assert embedding_identity(model, name="mine") == ("mine", identity[1])


async def test_a_repeated_text_is_embedded_once() -> None:
    """In both colours, within a call and across calls; the first answer is the later one, digit by digit."""
    model = CountingEmbeddings()
    cache = CachedEmbeddings(model)
    first = cache.embed_documents(["a", "b", "a"])
    assert first == await cache.aembed_documents(["a", "b", "a"])
    assert await cache.aembed_query("q") == cache.embed_query("q")
    assert model.asked == ["a", "b", "q"]


def test_questions_and_statements_share_only_in_symmetric_models() -> None:
    """A model may embed a question otherwise than a statement, unless it says that it does not."""
    for is_symmetric in (True, False):
        model = CountingEmbeddings(is_symmetric=is_symmetric)
        cache = CachedEmbeddings(model)
        cache.embed_documents(["text"])
        cache.embed_query("text")
        assert len(model.asked) == (1 if is_symmetric else 2)


@given(st.lists(st.text(max_size=3), max_size=40), st.integers(0, 6))
def test_a_cache_stays_within_its_bound(texts: list[str], entries: int) -> None:
    """The bytes held never exceed the bound, and answers are right all the same."""
    entry = ENTRY_BYTES + 4 * DIM
    cache = CachedEmbeddings(CountingEmbeddings(), max_bytes=entries * entry)
    for text in texts:
        assert cache.embed_query(text) == pytest.approx([len(text), 1, 1 / 3])
        assert cache.nbytes <= entries * entry
    cache.clear()
    assert cache.nbytes == 0


@pytest.mark.parametrize("answer", [[math.nan] * DIM, [0.0] * DIM, [], [[1.0, 2.0, 3.0]]])
def test_a_vector_that_cannot_be_used_is_not_remembered(answer: Any) -> None:  # noqa: ANN401
    """A passing fault of a model does not stay."""
    model = CountingEmbeddings(answer=answer)
    cache = CachedEmbeddings(model)
    with pytest.raises(ConfigurationError):
        run(embed_question(cache, "text"))
    model.answer = None
    assert run(embed_question(cache, "text")).size == DIM


async def test_vectors_of_one_list_have_one_size() -> None:
    """Else nothing of the list is used or remembered: asked again, the model may be itself again."""
    model = WordEmbeddings(dim=DIM)
    embedder, model.odd = Embedder(model), "odd"
    with pytest.raises(ConfigurationError, match=f"{DIM} and {DIM + 1} numbers"):
        await arun(embedder.documents(["tea", "odd tea"]))
    model.odd = None
    assert [it.size for it in run(embedder.documents(["tea", "odd tea"]))] == [DIM, DIM]


async def test_many_tasks_and_threads_may_share_a_cache() -> None:
    """Answers of concurrent calls are never mixed up."""
    cache = CachedEmbeddings(DeterministicFakeEmbedding(size=8), max_bytes=2_000)
    texts = [f"text {at % 20}" for at in range(200)]
    found = await asyncio.gather(*[asyncio.to_thread(cache.embed_query, text) for text in texts])
    alone = {text: DeterministicFakeEmbedding(size=8).embed_query(text) for text in texts}
    assert all(vector == pytest.approx(alone[text], abs=1e-6) for text, vector in zip(texts, found, strict=True))


def test_no_text_needs_no_model() -> None:
    """Nothing to embed asks nothing."""
    model = CountingEmbeddings()
    assert (run(embed_texts(model, [])), CachedEmbeddings(model).embed_documents([]), model.asked) == ([], [], [])


def test_a_negative_bound_is_refused() -> None:
    """0 remembers nothing; less is a mistake."""
    with pytest.raises(ConfigurationError, match="max_bytes must not be negative"):
        CachedEmbeddings(CountingEmbeddings(), max_bytes=-1)
