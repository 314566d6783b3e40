"""What is out of date once people said more: how much of that a memory sees that asks no chat model.

    python benchmarks/updates.py [--quick] [--errors] [--fit]

The statements (`data/updates.jsonl`) are lives, told in order, and pairs; each names what it ends. They were written by
people who had not seen a line of this package; the pairs called changes by somebody who had, before what reads them was
built. Of each pair of an earlier and a later statement of one person the table
says whether the memory ended the earlier one, marked that the later one says otherwise, or saw nothing. `--fit` prints
the weights of `english/endings/outdating.py`, from the half `dev` without the changes; the table is of `test`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.endings.outdating import signs
from langchain_agentmem.english.people.own_words import in_own_words

LIVES: Final = Path(__file__).parent / "data" / "updates.jsonl"
STRENGTH: Final = 0.3
"""Of the fit: the inverse of its regularisation."""

Life: TypeAlias = dict[str, Any]
Found: TypeAlias = Counter[tuple[bool, str]]
"""Pairs, by whether the later one ends the earlier, and what the memory saw."""


def pairs_of(told: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each statement with each that came before it."""
    for place, later in enumerate(told):
        for earlier in told[:place]:
            yield earlier, later


def seen(life: Life, *, has_model: bool, shows_errors: bool = False) -> Found:
    """Tell a memory a life, and count what it saw of each pair; what says the same again is no mistake to end."""
    scope, found = Scope((life["person"] or "user").casefold()), Found()
    with AgentMemory.in_memory(embeddings="local" if has_model else None, consent="assumed") as memory:
        kept = {it["id"]: memory.long_term.remember(it["text"], scope=scope) for it in life["told"]}
        for earlier, later in pairs_of(life["told"]):
            old, decision = kept[earlier["id"]].memory, kept[later["id"]]
            if old is None or decision.memory is None:
                saw = "refused"
            elif old.id in decision.superseded:
                saw = "ended"
            else:
                saw = "marked" if old.id in decision.memory.contradicts else "nothing"
            is_over = earlier["id"] in later.get("ends", ())
            if earlier["id"] in later.get("repeats", ()) and saw == "ended":
                saw = "nothing"
            found[is_over, saw] += 1
            if shows_errors and is_over == (saw == "nothing"):
                print(f"{'missed' if is_over else saw}: {earlier['text']!r}, then {later['text']!r}")
    return found


def fitted(lives: Sequence[Life]) -> tuple[dict[str, float], float]:
    """Return the weights of the signs, and the bias."""
    told = [
        (signs(_own(life, earlier), _own(life, later)), earlier["id"] in later.get("ends", ()))
        for life in lives
        for earlier, later in pairs_of(life["told"])
    ]
    names = list(told[0][0])
    values = np.array([[found[name] for name in names] for found, _ in told])
    model = LogisticRegression(C=STRENGTH, max_iter=5_000).fit(values, [is_over for _, is_over in told])
    return dict(zip(names, model.coef_[0], strict=True)), float(model.intercept_[0])


def _told_as(life: Life) -> str:
    return str(life.get("sitting", "pairs" if len(life["told"]) == 2 else "lives"))


def _own(life: Life, statement: Mapping[str, Any]) -> str:
    names = [life["person"]] if life["person"] else []
    return in_own_words(statement["text"], names, names)


def cells(found: Found) -> tuple[str, ...]:
    """Return the figures as text."""
    over, kept = (sum(found[is_over, it] for it in ("ended", "marked", "nothing")) for is_over in (True, False))
    right = found[True, "ended"] + found[True, "marked"]
    wrong = found[False, "ended"] + found[False, "marked"]
    return (
        f"{100 * found[True, 'ended'] / over:.1f} %",
        f"{100 * found[True, 'marked'] / over:.1f} %",
        f"{found[False, 'ended']} and {found[False, 'marked']} of {kept:,}",
        f"{100 * right / max(1, right + wrong):.0f} %",
    )


def main() -> None:
    """Print the table, or the weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the lives, without a model")
    parser.add_argument("--errors", action="store_true", help="print what the half `dev` shows wrong")
    parser.add_argument("--fit", action="store_true", help="print the weights instead of the table")
    asked = parser.parse_args()
    lives = [json.loads(line) for line in LIVES.read_text(encoding="utf-8").splitlines()]
    if asked.fit:
        weights, bias = fitted([it for it in lives if it["split"] == "dev" and _told_as(it) != "changes"])
        print("_WEIGHTS: Final = {", *(f'    "{name}": {value:.2f},' for name, value in weights.items()), "}", sep="\n")
        print(f"_BIAS: Final = {bias:.2f}")
        return
    half = [it for it in lives if it["split"] == ("dev" if asked.errors else "test")][:: 10 if asked.quick else 1]
    table = Table(
        "", "ended", "marked", "ended and marked wrongly", "of what was seen, right", title="later statements"
    )
    for row, has_model in {"ours": True, "ours, no model": False}.items():
        if has_model and (asked.quick or asked.errors):
            continue
        found = {it: Found() for it in ("lives", "pairs", "changes")}
        for life in half:
            found[_told_as(life)].update(seen(life, has_model=has_model, shows_errors=asked.errors))
        for told_as, of_these in found.items():
            table.add_row(f"{row}: {told_as}", *cells(of_these))
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
