"""A recall that could not have what earlier turns said tells so: it never says `ok` for what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import pytest
from langchain_core.embeddings import Embeddings

from langchain_agentmem import AgentMemory
from langchain_agentmem.nodes.telling import NOTES
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)

AWAY: Final = "degraded: StorageError: the embedding model failed with ConnectionError"
TOLD, ASKED = "I live in Berlin.", "Where do I live?"


class Leaving(Embeddings):
    """A model that can be away."""

    is_away = True

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.is_away:
            raise ConnectionError(texts)
        return [[1.0, float(len(text)), 2.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model() -> Leaving:
    return Leaving()


@pytest.fixture
def memory(model: Leaving, clock: Clock) -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=model, consent="assumed", clock=clock) as memory:
        yield memory


async def test_a_turn_that_could_not_be_settled_degrades_the_next(make: Make) -> None:
    """The first turn only waits; the second cannot know it, says why, and the model is told."""
    made = make(["Noted.", "I do not know.", "I still do not."], writes="background")
    assert (await made.say(TOLD))["memory"]["status"] == "ok"
    for _ in range(2):  # tried again and, a moment later, waiting to be
        report = (await made.say(ASKED))["memory"]
        assert (report["status"][: len(AWAY)], report["recalled"]) == (AWAY, [])
        assert NOTES["degraded"] in made.told


async def test_once_it_is_done_the_next_turn_is_whole(make: Make, model: Leaving, clock: Clock) -> None:
    """Nothing was lost, and nothing is told of it any more."""
    made = make(["Noted.", "I do not know.", "In Berlin."], writes="background")
    await made.say(TOLD)
    await made.say(ASKED)
    model.is_away = False
    clock.now += timedelta(minutes=1)
    report = (await made.say(ASKED, thread_id="other"))["memory"]
    assert (report["status"], "lives in Berlin" in made.told) == ("ok", True)


@pytest.mark.parametrize("options", [{"read_your_writes": False}, {}], ids=["does not read its writes", "small talk"])
async def test_a_turn_that_wants_nothing_of_it_is_not_degraded(make: Make, options: dict[str, Any]) -> None:
    """Who leaves settling to workers is not told of what waits, nor is a turn that recalls nothing."""
    made = make(["Noted.", "You are welcome."], writes="background", **options)
    await made.say(TOLD)
    assert (await made.say("Thanks!"))["memory"]["status"] == "ok"


async def test_nobody_waits_for_what_is_behind_a_turn_that_failed(make: Make, memory: AgentMemory, call: Call) -> None:
    """It cannot be done before that one: an answer is not held up for it."""
    made = make(["Noted."] * 3, writes="background", wait_s=3_600)
    await made.say(TOLD)
    await call(memory.jobs, "run")
    await made.say("Thanks!")
    assert (await made.say(ASKED))["memory"]["status"].startswith(AWAY)
