"""The labelled corpus of the extraction benchmark is well formed."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

CORPUS: Final = Path(__file__).parents[2] / "benchmarks" / "data" / "extraction_corpus.jsonl"
KINDS: Final = {"preference", "fact", "goal", "constraint", "decision", "outcome"}
TRAPS: Final = {
    "negation",
    "numbers",
    "hypothetical",
    "quote",
    "question",
    "sarcasm",
    "third_person",
    "injected",
    "transient",
    "small_talk",
}
MIN_UTTERANCES: Final = 300  # the size the benchmark promises
MIN_TRAP_SHARE: Final = 1 / 3
SPLITS: Final = ("dev", "test")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Read every line of the corpus."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def required(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Gold items that count."""
    return [gold for gold in row["gold"] if not gold.get("optional")]


def test_it_is_large_enough_and_a_third_are_traps(rows: list[dict[str, Any]]) -> None:
    """The corpus has at least 300 utterances, a third of them traps."""
    assert len(rows) >= MIN_UTTERANCES
    assert sum(row["trap"] is not None for row in rows) >= MIN_TRAP_SHARE * len(rows)


def test_ids_and_texts_are_unique(rows: list[dict[str, Any]]) -> None:
    """No id and no utterance appears twice, so that the halves share nothing."""
    assert max(Counter(row["id"] for row in rows).values()) == 1
    assert max(Counter(row["text"].casefold() for row in rows).values()) == 1


@pytest.mark.parametrize("split", SPLITS)
def test_each_half_has_every_kind_and_every_trap(rows: list[dict[str, Any]], split: str) -> None:
    """Both halves hold every kind, every trap and some corrections."""
    half = [row for row in rows if row["split"] == split]
    assert {gold["kind"] for row in half for gold in required(row)} == KINDS
    assert {row["trap"] for row in half} == TRAPS | {None}
    assert any(gold.get("correction") for row in half for gold in required(row))


def test_the_halves_are_of_like_size(rows: list[dict[str, Any]]) -> None:
    """Per trap, the halves differ by at most two utterances in number."""
    counts = Counter((row["trap"], row["split"]) for row in rows)
    assert all(abs(counts[trap, "dev"] - counts[trap, "test"]) <= 2 for trap in {*TRAPS, None})


def test_fields_come_from_closed_sets(rows: list[dict[str, Any]]) -> None:
    """Speakers, splits, kinds and polarities are among those the README of the corpus names."""
    for row in rows:
        assert row["split"] in SPLITS, row["id"]
        assert row["speaker"] in {"user", "assistant", "tool"}, row["id"]
        assert (row["speaker"] == "tool") == ("tool" in row), row["id"]
        for gold in row["gold"]:
            assert {gold["kind"], *gold.get("also", ())} <= KINDS, row["id"]
            assert gold["polarity"] in {"+", "-", "any"}, row["id"]


def test_every_key_can_be_found_in_what_was_said(rows: list[dict[str, Any]]) -> None:
    """Each key has at least one alternative that occurs in the utterance, the message before it or the tool's name."""
    for row in rows:
        said = " ".join((row["text"], row["previous"] or "", row.get("tool", {}).get("name", ""))).lower()
        assert all(gold["key"] for gold in row["gold"]), row["id"]
        for key in (key for gold in row["gold"] for key in gold["key"]):
            options = "|".join(re.escape(option) for option in key.split("|"))
            assert re.search(rf"(?<![^\W_])(?:{options})", said), (row["id"], key)
