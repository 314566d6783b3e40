"""A made-up conversation: messages of exactly 200 characters, no two alike, the same in every run."""

from __future__ import annotations

import random
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

CHARS: Final = 200
_WORDS: Final = (
    "the a of to in for with on that this is are was it we you they deploy staging invoice report ledger before after "
    "because service database question answer customer weekly please remember change version release team prefers "
    "never always Python Frankfurt Lisbon Tuesday deadline budget contract meeting notes agreed moved again later"
).split()


def text(number: int) -> str:
    """Return the text of a message; it begins with its number."""
    rng = random.Random(number)  # noqa: S311  (an example, not a secret)
    return f"{number}: {' '.join(rng.choices(_WORDS, k=CHARS))}"[:CHARS]


def message(number: int) -> BaseMessage:
    """Return a message without an id: a person's and a model's in turn."""
    return (AIMessage if number % 2 else HumanMessage)(text(number))


def messages(first: int, count: int) -> list[BaseMessage]:
    """Return messages that follow each other."""
    return [message(number) for number in range(first, first + count)]
