"""Everything down or slow at the same time, in any combination: the agent answers, and nothing is half written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count, product
from typing import Final, TypeAlias

import pytest

from tests.conftest import Colour
from tests.contracts.degradation_contract import (
    WITH_REPORT,
    bare,
    check_next,
    check_told,
    check_whole,
    is_told,
    remembered,
)
from tests.degraded import LAYERS, Who, World
from tests.faulty import impatient
from tests.unit_tests.test_degradation import make_world
from tests.whole import few

Row: TypeAlias = tuple[Colour, str, tuple[str, ...], tuple[str, ...]]
"""A colour, a layer, what is broken, and what the run does not say."""

WELL: Final = ""
BROKEN: Final = (
    (WELL, "store down", "store slow"),
    (WELL, "ledger down", "ledger slow"),
    (WELL, "embeddings raise", "embeddings slow"),
    (WELL, "brain raises", "brain slow"),
)
"""Redis, the database, the embedder and the model, each down or slow."""

SPOILT: Final = "policies unreadable"
"""Beside every other combination."""

MISSING: Final = ((WELL, "user"), (WELL, "thread"), (WELL, "metadata"))
SEED: Final = 20_261_122
FEW: Final = 28

_COLOURS: Final[tuple[Colour, ...]] = ("sync", "async")
_number: Final = count(1)


def rows() -> list[Row]:
    """Return every combination in every layer, in an order that is the same in every run; colours take turns."""
    chance = random.Random(SEED)
    every = product(LAYERS, product(*BROKEN), product(*MISSING))
    made = [
        (
            chance.choice(_COLOURS),
            layer,
            tuple(filter(None, (*broken, chance.choice((WELL, SPOILT))))),
            tuple(filter(None, missing)),
        )
        for layer, broken, missing in every
    ]
    chance.shuffle(made)
    return made


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Colour, World]]:
    """One for each colour; every test is of a user of its own."""
    with ExitStack() as stack:
        stack.enter_context(impatient())
        made: dict[Colour, World] = {}
        for colour in _COLOURS:
            made[colour] = make_world(tmp_path_factory.mktemp(colour), colour)
            stack.callback(made[colour].memory.close)
        yield made


@pytest.mark.parametrize("row", few(rows()[:FEW], of=rows()), ids=str)
async def test_any_troubles_at_once_cost_no_answer(worlds: dict[Colour, World], row: Row) -> None:
    """Whatever is down or slow together, and whoever is not named: an answer, what was missing, and a next turn."""
    colour, layer, broken, missing = row
    world, number = worlds[colour], next(_number)
    who = Who(None if "user" in missing else f"user {number}", None if "thread" in missing else f"thread {number}")
    if who.user is not None:
        await remembered(world, who, f"{who.user} lives in Oslo")
    for fault in broken:
        world.break_[fault]()
    try:
        said = f"I prefer tea {number}00."
        told = await world.take(layer, who, bare(said) if "metadata" in missing else said)
    finally:
        world.heal()
    check_told(told, is_degraded=due(row))
    if {*missing} <= {"metadata"}:
        await check_next(world, layer, who)
    check_whole(world, who)


def due(row: Row) -> bool | None:
    """Whether the state has to say that something was missing; `None`: where nobody is named, that is said instead."""
    _, layer, broken, missing = row
    if "user" in missing or ("thread" in missing and layer not in WITH_REPORT):
        return None
    return any(is_told(layer, fault) for fault in broken)
