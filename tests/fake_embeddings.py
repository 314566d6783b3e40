"""Embeddings without a model: texts that share words are near each other."""

from __future__ import annotations

import functools
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

import numpy as np
from langchain_core.embeddings import Embeddings

from langchain_agentmem._terms import tokenize

WORDS: Final = 4_096
"""More than most tests use, and 16 MiB."""


class WordEmbeddings(Embeddings):
    """The sum of one random direction per word.

    `fails_with` makes it fail, `before` is called first; texts that hold `odd` get one number too many.
    """

    def __init__(self, model: str = "words", *, dim: int = 512) -> None:
        self.model = model
        self.dim = dim
        self.fails_with: BaseException | None = None
        self.texts: list[str] = []
        self.odd: str | None = None
        self.before: Callable[[], object] | None = None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._embed(text)

    def _embed(self, text: str) -> list[float]:
        if self.fails_with is not None:
            raise self.fails_with
        self.texts.append(text)
        if self.before is not None:
            self.before()
        words = tokenize(text) or ["nothing"]
        vector = np.sum([_direction(f"{self.model}/{word}", self.dim) for word in words], axis=0)
        values: list[float] = (vector / np.linalg.norm(vector)).tolist()
        return [*values, 0.5] if self.odd is not None and self.odd in text else values


@functools.lru_cache(maxsize=WORDS)
def _direction(word: str, dim: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Drawing a direction takes longer than all else that is done for a word."""
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dim)
