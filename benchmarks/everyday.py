"""What people ask about themselves: how often what answers stands first, among the first three, or is missed.

    python benchmarks/everyday.py [--quick] [--errors]

The questions (`data/everyday.jsonl`) avoid the words of their answers more often than not, and were written by somebody
who had not seen a line of this package. Some have no answer: for those the table says how often nothing is returned.
The peer is asked with the same embeddings, and always returns something.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from langchain_core.vectorstores import InMemoryVectorStore
from rich.console import Console
from rich.table import Table

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.local_embeddings import LocalEmbeddings

QUESTIONS: Final = Path(__file__).parent / "data" / "everyday.jsonl"
LIMIT: Final = 5

Person: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[[str], Sequence[str]]
"""From a question to the ids of at most `LIMIT` facts, best first."""


@dataclass(slots=True)
class Tally:
    """Questions whose answer stands first, or among the first three or five; and those with none, and nothing found."""

    asked: int = 0
    first: int = 0
    third: int = 0
    fifth: int = 0
    unanswerable: int = 0
    silent: int = 0

    def add(self, answer: set[str], found: Sequence[str]) -> None:
        """Count one question."""
        if not answer:
            self.unanswerable += 1
            self.silent += not found
            return
        self.asked += 1
        self.first += not answer.isdisjoint(found[:1])
        self.third += not answer.isdisjoint(found[:3])
        self.fifth += not answer.isdisjoint(found)

    def cells(self) -> tuple[str, ...]:
        """Return the figures as text."""
        shares = (f"{100 * it / self.asked:.0f} %" for it in (self.first, self.third, self.fifth))
        return (*shares, f"{self.silent} of {self.unanswerable}")


@contextmanager
def ours(person: Person, *, has_model: bool) -> Iterator[Ask]:
    """The facts of one person as memories, asked for by `recall`."""
    scope = Scope(person["person"].casefold())
    embeddings = "local" if has_model else None
    with AgentMemory.in_memory(embeddings=embeddings, consent="assumed") as memory:
        written = ((memory.long_term.remember(it["text"], scope=scope), it["id"]) for it in person["facts"])
        ids = {decision.memory.id: each for decision, each in written if decision.memory is not None}

        def ask(question: str) -> Sequence[str]:
            return [ids[it.memory.id] for it in memory.long_term.recall(question, scope=scope, limit=LIMIT)]

        yield ask


@contextmanager
def nearest(person: Person) -> Iterator[Ask]:
    """The nearest vectors, as most memories take them."""
    store = InMemoryVectorStore(LocalEmbeddings())
    store.add_texts([it["text"] for it in person["facts"]], [{"id": it["id"]} for it in person["facts"]])
    yield lambda question: [it.metadata["id"] for it in store.similarity_search(question, k=LIMIT)]


ROWS: Final[Mapping[str, Callable[[Person], Any]]] = {
    "ours": lambda person: ours(person, has_model=True),
    "ours, no model": lambda person: ours(person, has_model=False),
    "nearest vectors (InMemoryVectorStore)": nearest,
}


def tally(people: Sequence[Person], row: str, *, shows_errors: bool) -> Tally:
    """Ask all questions of each person, of their facts alone."""
    counted = Tally()
    for person in people:
        with ROWS[row](person) as ask:
            for it in person["questions"]:
                found, answer = ask(it["question"]), set(it["answer"])
                counted.add(answer, found)
                if shows_errors and answer and answer.isdisjoint(found[:3]):
                    print(f"{row}: {it['question']!r} wants {sorted(answer)}, found {list(found)}")
    return counted


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="one person instead of five")
    parser.add_argument("--errors", action="store_true", help="print the questions that were missed")
    asked = parser.parse_args()
    people = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    people = people[:1] if asked.quick else people
    tallies = {row: tally(people, row, shows_errors=asked.errors) for row in ROWS}
    counted = tallies["ours"]
    title = f"{counted.asked} questions about oneself, {counted.unanswerable} without an answer"
    table = Table("", "first", "in 3", "in 5", "nothing found where nothing answers", title=title)
    for row, counted in tallies.items():
        table.add_row(row, *counted.cells())
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
