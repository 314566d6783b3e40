"""Embedding on this CPU: our local embeddings beside plain `sentence-transformers`, on the same model and texts.

    python benchmarks/embeddings.py [--quick] [--json]

Texts a second, medians of interleaved rounds, ratios to plain `encode` with its default batch of 32; and how close the
vectors are to those of plain float32. Neither side is pinned to a thread: both take what they take by themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from _common import WIDTH, interleave, machine
from _conversation import text as conversation_text
from numpy.typing import NDArray
from rich.console import Console, Group
from rich.table import Table
from sentence_transformers import SentenceTransformer
from transformers.utils import logging

from langchain_agentmem._vectors import CachedEmbeddings
from langchain_agentmem.local_embeddings import LocalEmbeddings, has_fast_bfloat16, packaged_weights

ROUNDS, QUICK_ROUNDS = 7, 3
TEXTS, QUICK_TEXTS = 192, 64
SHORT_WORDS: Final = (4, 14)
MIXED_WORDS: Final = (4, 200)
BATCH: Final = 32
"""What `encode` takes by default."""

AIM: Final = 2.0
"""Times plain `encode` on texts of mixed lengths."""

FLOOR: Final = f"plain encode, batch {BATCH}"
OURS: Final = "ours, a list"
ONE: Final = "ours, one at a time"
FLOAT32: Final = "ours, a list, float32"


class Case(NamedTuple):
    """One way to embed, on one set of texts."""

    texts: str
    way: str


Encode = Callable[[Sequence[str]], object]


def made_up(count: int, words: tuple[int, int], seed: int) -> list[str]:
    """Return texts of which no two are alike, the same in every run."""
    rng = random.Random(seed)  # noqa: S311  (an example, not a secret)
    vocabulary = " ".join(map(conversation_text, range(20))).split()
    return [f"{number} {' '.join(rng.choices(vocabulary, k=rng.randint(*words)))}" for number in range(count)]


def ways(plain: SentenceTransformer) -> Mapping[str, Encode]:
    """Return the ways to embed a list of texts."""
    ours, exact, cached = LocalEmbeddings(), LocalEmbeddings(dtype="float32"), CachedEmbeddings(LocalEmbeddings())

    def encode(batch: int) -> Encode:
        return lambda texts: plain.encode(list(texts), batch_size=batch, show_progress_bar=False)

    return {
        "plain encode, batch 1": encode(1),
        FLOOR: encode(BATCH),
        ONE: lambda texts: [ours.embed_query(text) for text in texts],
        OURS: lambda texts: ours.embed_documents(list(texts)),
        FLOAT32: lambda texts: exact.embed_documents(list(texts)),
        "ours, the same list again (cached)": lambda texts: cached.embed_documents(list(texts)),
    }


def measure(count: int, rounds: int) -> dict[str, Any]:
    """Return texts a second of each case, and how close ours are to plain float32."""
    plain = SentenceTransformer(str(packaged_weights()), device="cpu")
    texts = {"short": made_up(count, SHORT_WORDS, 1), "mixed": made_up(count, MIXED_WORDS, 2)}
    known = ways(plain)
    cases = {Case(name, way): _call(encode, some) for name, some in texts.items() for way, encode in known.items()}
    seconds = interleave(cases, rounds)
    rates = {case: count / taken for case, taken in seconds.items()}
    return {
        "machine": machine() | {"dtype": "bfloat16" if has_fast_bfloat16() else "float32"},
        "texts": {name: {"n": count, "words": _words(some)} for name, some in texts.items()},
        "figures": [
            {
                "texts": case.texts,
                "way": case.way,
                "per_s": round(rate, 1),
                "ratio": round(rate / rates[Case(case.texts, FLOOR)], 2),
            }
            for case, rate in rates.items()
        ],
        "cosine": {name: _closeness(known, some) for name, some in texts.items()},
    }


def _call(encode: Encode, texts: Sequence[str]) -> Callable[[int], object]:
    return lambda _: encode(texts)


def _words(texts: Sequence[str]) -> dict[str, float]:
    counts = [len(text.split()) for text in texts]
    return {"min": min(counts), "mean": round(sum(counts) / len(counts), 1), "max": max(counts)}


def _closeness(known: Mapping[str, Encode], texts: Sequence[str]) -> dict[str, Any]:
    """Return the least and the mean cosine between each of ours and plain float32."""
    exact = _units(known[FLOOR](texts))
    found = {}
    for way in (OURS, ONE, FLOAT32):
        cosines = np.vecdot(exact, _units(known[way](texts)))
        found[way] = {"least": round(float(cosines.min()), 5), "mean": round(float(cosines.mean()), 5)}
    return found


def _units(vectors: object) -> NDArray[np.float64]:
    array = np.asarray(vectors, np.float64)
    units: NDArray[np.float64] = array / np.linalg.norm(array, axis=1, keepdims=True)
    return units


def shown(found: Mapping[str, Any]) -> Group:
    """Return the figures as a table, and what they say."""
    table = Table("texts", "way", "texts a second", "ratio", title="embedding, medians")
    for row in found["figures"]:
        table.add_row(row["texts"], row["way"], f"{row['per_s']:,.0f}", f"x{row['ratio']:.2f}")
    [mixed] = [row["ratio"] for row in found["figures"] if (row["texts"], row["way"]) == ("mixed", OURS)]
    words = ", ".join(
        f"{name}: {it['n']} texts of {it['words']['min']} to {it['words']['max']} words"
        for name, it in found["texts"].items()
    )
    closeness = [
        f"cosine with plain float32, {name}, {way}: least {it['least']}, mean {it['mean']}"
        for name, ways_ in found["cosine"].items()
        for way, it in ways_.items()
    ]
    aim = f"aim on mixed lengths: x{AIM}; reached: x{mixed} in {found['machine']['dtype']}"
    return Group(table, words, *closeness, aim)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_TEXTS} texts and {QUICK_ROUNDS} rounds")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args()
    found = measure(QUICK_TEXTS, QUICK_ROUNDS) if options.quick else measure(TEXTS, ROUNDS)
    console = Console(width=WIDTH)
    if options.json:
        console.print_json(json.dumps(found))
    else:
        console.print(shown(found))


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logging.disable_progress_bar()
    main()
