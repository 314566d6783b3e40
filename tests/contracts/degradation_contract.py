"""What an agent promises while something that its memory rests on is down or slow, and after that."""

from __future__ import annotations

from itertools import count
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import Scope
from tests.degraded import LAYERS, Told, Who, World
from tests.faulty import ANSWER

WITH_REPORT: Final = ("graph", "middleware", "queueing")
"""Layers whose state has the report of what memory did."""

_LEDGER: Final = frozenset({*WITH_REPORT, "thread", "assembly"})
TOUCHED: Final = {
    "ledger": _LEDGER,
    "embeddings": _LEDGER,
    "policies": _LEDGER,
    "store": frozenset({"thread", "working", "assembly"}),
    "brain": frozenset[str](),  # rules do what the model would have done
    "nothing": frozenset[str](),
}
"""In which layers the state says so when a part of the world is broken; by the first word of a fault's name."""

_number: Final = count(1)


def is_told(layer: str, fault: str) -> bool | None:
    """Whether a layer's state has to say that it went without a part; `None`: it may have had all of it before."""
    if (layer, fault) == ("assembly", "ledger dies late"):
        return None
    return layer in TOUCHED[fault.partition(" ")[0]]


async def remembered(world: World, who: Who, said: str) -> None:
    """Put a memory in place."""
    decision = world.memory.long_term.remember(said, scope=Scope(who.user or ""))
    assert decision.memory is not None


def check_told(told: Told, *, is_degraded: bool | None) -> None:
    """The model's own words, and a status without words of memory; `None`: either is right."""
    assert told.answer == ANSWER
    assert not {"tea", "Oslo", "secret"} & set(told.status.replace(".", " ").split())
    if is_degraded is not None:
        assert told.status.startswith("degraded: ") is is_degraded, told.status


def check_whole(world: World, who: Who) -> None:
    """The ledger is intact, no job is lost, and a conversation has whole turns only."""
    world.memory.jobs.run()
    assert not world.memory.jobs.list(status="failed")
    if who.user is not None:
        assert world.memory.long_term.verify(scope=Scope(who.user)).problems == ()
    if who.thread is not None:
        kinds = [message.type for message in world.memory.history(who.scope).messages]
        assert kinds == ["human", "ai"] * (len(kinds) // 2)
        kept = world.kept(who)
        assert kept == ["human", "ai", "tool", "ai"] * (len(kept) // 4)


def check_report(world: World, who: Who, told: Told, before: set[str]) -> None:
    """Of a turn whose writes end with it, the report names what was written, and nothing else."""
    now = {memory.id for memory in world.memory.long_term.list(scope=Scope(who.user or ""))}
    assert now - before == {kept["id"] for kept in told.report["written"]}


class DegradationContract:
    """Laws of a memory in trouble; fixtures `world` and `fault` say what breaks, and how."""

    @pytest.fixture(params=LAYERS)
    def layer(self, request: pytest.FixtureRequest) -> str:
        layer: str = request.param
        return layer

    async def test_the_agent_answers_says_so_and_goes_on(self, world: World, layer: str, fault: str) -> None:
        """Whatever is down: an answer, a status that names it, nothing half written, and a next turn that remembers."""
        who = Who(f"user {next(_number)}", "today")
        await remembered(world, who, f"{who.user} lives in Oslo")
        before = {memory.id for memory in world.memory.long_term.list(scope=Scope(who.user or ""))}
        world.break_[fault]()
        told = await world.take(layer, who, f"I prefer tea {next(_number)}.")
        world.heal()
        check_told(told, is_degraded=is_told(layer, fault))
        if layer in {"graph", "middleware"}:
            check_report(world, who, told, before)
        await check_next(world, layer, who)
        check_whole(world, who)


async def check_next(world: World, layer: str, who: Who) -> None:
    """The turn after that is whole, and is shown what was remembered before."""
    world.shown()
    told = await world.take(layer, who, f"Where does {who.user} live?")
    check_told(told, is_degraded=False)
    if layer == "working":
        state = world.memory.working.get(who.scope)
        assert state is not None
        assert told.status == "success"
    elif layer != "chain":
        assert "Oslo" in world.shown()
    else:  # a turn that could not be stored is told once; then the chain has its history back
        await world.take(layer, who, f"Where does {who.user} live?")
        assert "Oslo" in world.shown()


def bare(text: str) -> list[Any]:
    """Messages without ids, times or names, with blocks in place of a text."""
    return [HumanMessage([{"type": "text", "text": text}])]
