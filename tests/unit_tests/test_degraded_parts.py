"""The parts of a memory, each asked by itself while something is down: it answers whole, or says: try again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any, Final, TypeAlias

import pytest
from langgraph.store.base import PutOp, SearchOp

from langchain_agentmem import Scope, Skill, StorageError
from tests.conftest import Colour
from tests.contracts.degradation_contract import check_whole
from tests.degraded import Who, World, deploy
from tests.faulty import impatient
from tests.unit_tests.test_degradation import make_world

Part: TypeAlias = Callable[[World, Scope], Awaitable[Any]]

RELEASE: Final = Skill(
    name="release",
    description="Release a service",
    when_to_use="The user wants a new version out",
    steps=[{"instruction": "Deploy it", "tool": "deploy", "args": {"target": "eu"}}],
)
NOTES: Final = ("notes",)
_number: Final = count(1)


async def add_goal(world: World, scope: Scope) -> Any:  # noqa: ANN401  (a part's answer)
    decision = await world._call(world.memory.goals, "add", f"Learn trade number {next(_number)}", scope=scope)
    return decision.memory


async def open_goals(world: World, scope: Scope) -> Any:  # noqa: ANN401  (as above)
    return await world._call(world.memory.goals, "open", scope=scope)


async def profile(world: World, scope: Scope) -> Any:  # noqa: ANN401  (as above)
    return await world._call(world.memory.profiles, "get", scope=scope)


async def entities(world: World, scope: Scope) -> Any:  # noqa: ANN401  (as above)
    return await world._call(world.memory.entities, "get", "Eva", scope=scope)


async def find(world: World, _scope: Scope) -> Any:  # noqa: ANN401  (as above)
    return [await world._call(world.memory.procedural, "find", "a new version")]


async def run_skill(world: World, _scope: Scope) -> Any:  # noqa: ANN401  (as above)
    state = await world._call(world.memory.procedural.skill_graph(RELEASE, [deploy]), "invoke", {"inputs": {}})
    return state["status"] == "completed"


async def consolidate(world: World, scope: Scope) -> Any:  # noqa: ANN401  (as above)
    return await world._call(world.memory.consolidation, "run", scope)


async def put(world: World, scope: Scope, text: str = "") -> Any:  # noqa: ANN401  (as above)
    key = f"k{next(_number)}"
    value = {"text": text or f"Eva likes tea {key}"}  # which nobody has embedded yet
    await world._call(world.memory.store, "batch", [PutOp((*NOTES, scope.user_id), key, value)])
    return key


async def search(world: World, scope: Scope, query: str = "") -> Any:  # noqa: ANN401  (as above)
    asked = SearchOp((*NOTES, scope.user_id), query=query or f"tea {next(_number)}")
    (found,) = await world._call(world.memory.store, "batch", [asked])
    return found


PARTS: Final[dict[str, Part]] = {
    "a goal": add_goal,
    "goals": open_goals,
    "a profile": profile,
    "entities": entities,
    "skills": find,
    "a skill": run_skill,
    "consolidation": consolidate,
    "an item": put,
    "items": search,
}
FAULTS: Final = ("ledger down", "ledger read-only", "embeddings raise", "brain raises")
RAISE: Final = {
    "ledger down": {"a goal", "goals", "a profile", "entities", "consolidation", "an item", "items"},
    "ledger read-only": {"a goal", "an item"},
    "embeddings raise": {"a goal", "an item", "items"},
    "brain raises": set[str](),
}
"""What cannot do without a part of the world. Everything else answers as if nothing were missing."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Colour, World]]:
    """One for each colour; every test is of a user of its own."""
    with ExitStack() as stack:
        stack.enter_context(impatient())
        made: dict[Colour, World] = {}
        for colour in ("sync", "async"):
            made[colour] = make_world(tmp_path_factory.mktemp(colour), colour)
            stack.callback(made[colour].memory.close)
        yield made


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_part_answers_whole_or_says_that_trying_again_may_help(
    worlds: dict[Colour, World], colour: Colour, part: str, fault: str
) -> None:
    """When all is well again it answers, and the ledger is whole."""
    world, who = worlds[colour], Who(f"user {next(_number)}", "today")
    world.memory.long_term.remember("My sister Eva lives in Oslo", scope=who.scope)
    assert await add_goal(world, who.scope)
    assert await put(world, who.scope)
    world.break_[fault]()
    try:
        if part in RAISE[fault]:
            with pytest.raises(StorageError) as failed:
                await PARTS[part](world, who.scope)
            assert failed.value.is_retryable
        else:
            assert await PARTS[part](world, who.scope)
    finally:
        world.heal()
    assert await PARTS[part](world, who.scope)
    check_whole(world, who)


async def test_a_skill_runs_no_tool_while_policies_cannot_be_read(worlds: dict[Colour, World], colour: Colour) -> None:
    """It ends as failed at that step, and runs when they can be read again."""
    world, who = worlds[colour], Who(f"user {next(_number)}", "today")
    world.break_["policies unreadable"]()
    is_done = await run_skill(world, who.scope)
    world.heal()
    assert not is_done
    assert await run_skill(world, who.scope)


async def test_what_was_embedded_before_needs_no_embeddings(worlds: dict[Colour, World], colour: Colour) -> None:
    """The store keeps an item, and finds it, while they are down and after that."""
    world, who = worlds[colour], Who(f"user {next(_number)}", "today")
    words, asked = f"Eva likes tea {next(_number)}", f"tea {next(_number)}"
    await put(world, who.scope, words)
    await search(world, who.scope, asked)
    world.break_["embeddings raise"]()
    key = await put(world, who.scope, words)
    found = await search(world, who.scope, asked)
    world.heal()
    assert key in {item.key for item in found}
    assert key in {item.key for item in await search(world, who.scope)}
