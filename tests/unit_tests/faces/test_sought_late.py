"""A request to forget is carried out although memory was away when it was made; and all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.errors import StorageError
from langchain_agentmem.long_term.forget_requests import Naming
from tests.unit_tests.faces.conftest import ALICE, contents, remember
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALL = "Please forget everything about me."
OSLO = "Alice lives in Oslo"


def away(times: int, then: Callable[..., Any]) -> Callable[..., Any]:
    """Fail so many times."""
    left = [times]

    def work(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as what it stands for)
        left[0] -= 1
        if left[0] >= 0:
            msg = "the database is gone; start it"
            raise StorageError(msg)
        return then(*args, **kwargs)

    return work


@pytest.mark.parametrize("asked", ["Forget where I live.", ALL])
async def test_what_was_not_found_before_the_answer_is_found_behind_it(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """Memory was away for a moment only."""
    made = make(["Noted.", "So."])
    await made.say("I live in Oslo.", user_name="Alice")
    monkeypatch.setattr(Naming, "found_flow", away(1, Naming.found_flow))
    state = await made.say(asked, user_name="Alice")
    assert (state["memory"]["left"], state["memory"]["queued"]) == ([], False)
    assert (contents(memory), [*memory.episodes.list(scope=ALICE)]) == ([], [])


@pytest.mark.parametrize("asked", ["Forget where I live.", ALL])
async def test_where_that_fails_too_facts_and_turns_wait_together(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """A job does all of it; until then all of it stays."""
    made = make(["Noted.", "So."])
    await made.say("I live in Oslo.", user_name="Alice")
    monkeypatch.setattr(Naming, "found_flow", away(2, Naming.found_flow))
    state = await made.say(asked, user_name="Alice")
    assert (state["memory"]["left"], state["memory"]["queued"]) == (["forget"], True)
    assert (contents(memory), len(memory.episodes.list(scope=ALICE))) == ([OSLO], 1)
    memory.jobs.run()
    assert (contents(memory), [*memory.episodes.list(scope=ALICE)]) == ([], [])


async def test_what_this_turn_wrote_is_not_meant(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said after the request, or beside it: what is to be forgotten was there before."""
    remember(memory, "Alice owns a red car")
    made = make(["So."])
    monkeypatch.setattr(Naming, "found_flow", away(1, Naming.found_flow))
    state = await made.say("Forget my car. I own a blue boat.", user_name="Alice")
    assert (contents(memory), len(state["memory"]["written"])) == (["Alice owns a blue boat"], 1)
