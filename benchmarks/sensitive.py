"""How well sensitive data is found: precision and recall per type, of our detectors and beside them of others.

    python benchmarks/sensitive.py [--per-type 60] [--seed 7]

The texts are made up (`_sensitive_corpus`): every type in six styles, and as many texts with order numbers, versions,
dates, hashes, ISBN and numbers whose checksum is wrong. A match counts where it overlaps a value of its type; one that
overlaps none is false. Peers are asked only for the types that they know: LangChain's built-in detectors, and Presidio
where it is installed (the extra `pii`), with its patterns and checksums on a blank spaCy pipeline.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from time import perf_counter
from typing import Any, NamedTuple

from _sensitive_corpus import VALUES, Text, corpus
from langchain.agents.middleware.pii import detect_credit_card, detect_email, detect_ip, detect_mac_address

from langchain_agentmem import PresidioDetector
from langchain_agentmem.policies.protecting import type_named
from langchain_agentmem.policies.redact import find_sensitive
from langchain_agentmem.policies.sensitive import ALL_DETECTORS

Find = Callable[[str], Sequence[Any]]
PRESIDIO = {"email", "phone", "card", "iban", "ssn", "ip", "passport"}
LANGCHAIN = {"email", "card", "ip", "mac"}


class Score(NamedTuple):
    """Of one type: right matches, false ones, and values that were missed."""

    right: int
    false: int
    missed: int

    @property
    def precision(self) -> float:
        """How many of the matches are right."""
        return self.right / (self.right + self.false) if self.right + self.false else 1.0

    @property
    def recall(self) -> float:
        """How many of the values are found."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def ours(text: str) -> Sequence[Any]:
    return find_sensitive(text, ALL_DETECTORS)


def langchains(text: str) -> Sequence[Any]:
    every: Any = (detect_email, detect_credit_card, detect_ip, detect_mac_address)
    return find_sensitive(text, every)


def scored(texts: Sequence[Text], find: Find, types: set[str]) -> dict[str, Score]:
    """Return the scores by type, and of all of them."""
    right, false, missed = Counter[str](), Counter[str](), Counter[str]()
    for text in texts:
        found = [(it.start, it.end, type_named(it.type)) for it in find(text.text)]
        for start, end, type_ in text.spans:
            is_found = any(it[2] == type_ and it[0] < end and start < it[1] for it in found)
            (right if is_found else missed)[type_] += 1
        for start, end, type_ in found:
            if not any(it[2] == type_ and it[0] < end and start < it[1] for it in text.spans):
                false[type_] += 1
    scores = {it: Score(right[it], false[it], missed[it]) for it in VALUES if it in types}
    every = Score(*(sum(getattr(it, name) for it in scores.values()) for name in Score._fields))
    return {**scores, "all": every}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-type", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="print what our detectors got wrong")
    asked = parser.parse_args()
    texts = corpus(asked.seed, asked.per_type)
    peers: list[tuple[str, Find, set[str]]] = [("ours", ours, set(VALUES)), ("LangChain", langchains, LANGCHAIN)]
    if find_spec("presidio_analyzer") is not None:
        peers.append(("Presidio", PresidioDetector(), PRESIDIO))
        peers[-1][1]("warm")  # its first text makes the analyzer
    print(f"{len(texts)} texts, {asked.per_type} per type, seed {asked.seed}")
    for name, find, types in peers:
        began = perf_counter()
        scores = scored(texts, find, types)
        each_us = (perf_counter() - began) / len(texts) * 1e6
        print(
            f"\n{name}: {each_us:.0f} µs per text\n{'type':<12}{'precision':>10}{'recall':>8}{'false':>7}{'missed':>8}"
        )
        for type_, it in scores.items():
            print(f"{type_:<12}{it.precision:>10.3f}{it.recall:>8.3f}{it.false:>7}{it.missed:>8}")
    if asked.show:
        show(texts)


def show(texts: Sequence[Text]) -> None:
    for text in texts:
        found = {(it.start, it.end, it.type) for it in ours(text.text)}
        kept = {it for it in found if any(it[2] == s[2] and it[0] < s[1] and s[0] < it[1] for s in text.spans)}
        if found - kept or len(kept) < len(text.spans):
            print(sorted(found - kept), text.spans, repr(text.text))


if __name__ == "__main__":
    main()
