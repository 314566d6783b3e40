"""Vectors in half the memory: what is multiplied is what was put, to five digits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from langchain_agentmem.index.unit_vectors import UnitVectors

DIM = 48
CLOSE = 1e-4


def units(count: int, seed: int) -> NDArray[np.float32]:
    values = np.random.default_rng(seed).standard_normal((count, DIM))
    lengths: NDArray[np.float64] = np.linalg.norm(values, axis=1, keepdims=True)
    return (values / lengths).astype(np.float32)


def holding(values: NDArray[np.float32]) -> UnitVectors:
    vectors = UnitVectors(DIM)
    vectors.put(np.arange(len(values)), [it.astype("<f4").tobytes() for it in values], len(values))
    return vectors


@given(st.integers(1, 300), st.integers(0, 99))
def test_products_are_those_of_float32_to_four_digits(count: int, seed: int) -> None:
    """Of rows that were put at once, and of a row whatever stands before it, digit by digit."""
    values = units(count, seed)
    asked, vectors = values[-1], holding(values)
    products = vectors.products(asked, count)
    assert np.abs(products - values @ asked).max() < CLOSE
    assert np.abs(vectors.of(np.arange(count)) - values).max() < CLOSE
    assert holding(values[-1:]).products(asked, 1)[0] == products[-1]


@given(st.integers(2, 50), st.integers(0, 99))
def test_a_row_without_a_vector_is_zero(count: int, seed: int) -> None:
    """Also where it had one, or another row moved away."""
    vectors = holding(units(count, seed))
    vectors.put(np.array([0]), [None], count)
    assert not vectors.of(np.array([0])).any()
    last = vectors.of(np.array([count - 1]))
    vectors.close(np.array([0]), np.array([count - 1]), (count, count - 1))
    assert vectors.of(np.array([0])).tolist() == last.tolist()
    assert not vectors.of(np.array([count - 1])).any()
