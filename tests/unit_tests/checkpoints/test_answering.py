"""A graph that answers while its checkpointer is away: once, whole, and never over what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langchain_agentmem import AnsweringGraph, ConfigurationError, ScopeError, SQLSaver, StorageError
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call, Colour
from tests.contracts.sql_saver_contract import ReversingVault
from tests.faulty import FaultyDatabase

SAID = {"messages": [("user", "Hi.")]}
TODAY: Final[RunnableConfig] = {"configurable": {"thread_id": "today", "user_id": "ana"}}


class Place:
    """A thread's database, and a graph on it whose node does something on its way."""

    def __init__(self, colour: Colour) -> None:
        self.colour = colour
        self.database = FaultyDatabase("sqlite://")
        self.saver = SQLSaver(self.database)
        self.happens: Callable[[], object] = lambda: None
        self.runs = 0
        builder = StateGraph(MessagesState)
        builder.add_node("answer", self._answer)
        builder.add_edge(START, "answer")
        self.graph = builder.compile(checkpointer=self.saver)
        self.answering = AnsweringGraph(self.graph)

    def _answer(self, state: MessagesState) -> dict[str, Any]:
        self.runs += 1
        told = self.happens() or ""
        assert state["messages"]
        return {"messages": [AIMessage(f"Hello. {told}".strip())]}

    def down(self) -> None:
        self.database.break_("down")

    def heal(self) -> None:
        self.database.fault = None

    async def invoke(self, said: Any = SAID, config: Any = TODAY, **more: Any) -> Any:  # noqa: ANN401  (of a graph)
        if self.colour == "sync":
            return self.answering.invoke(said, config, **more)
        return await self.answering.ainvoke(said, config, **more)

    async def stream(self, mode: str) -> list[Any]:
        if self.colour == "sync":
            return list(self.answering.stream(SAID, TODAY, stream_mode=mode))
        return [chunk async for chunk in self.answering.astream(SAID, TODAY, stream_mode=mode)]

    def kept(self) -> int:
        return len(self.graph.get_state(TODAY).values.get("messages", ()))


@pytest.fixture
def place(colour: Colour) -> Iterator[Place]:
    place = Place(colour)
    yield place
    place.heal()
    place.database.close()


async def test_a_turn_whose_thread_is_away_is_answered_on_its_input_and_stored_nowhere(place: Place) -> None:
    """The next turn goes on from what was stored before."""
    assert (await place.invoke())["thread_status"] == "ok"
    place.down()
    state = await place.invoke()
    assert [message.text for message in state["messages"]] == ["Hi.", "Hello."]
    assert state["thread_status"].startswith("degraded: the thread is missing: StorageError")
    place.heal()
    assert place.kept() == 2
    state = await place.invoke()
    assert (state["thread_status"], len(state["messages"]), place.kept()) == ("ok", 4, 4)


async def test_a_turn_that_did_not_read_its_thread_never_replaces_it(place: Place) -> None:
    """The database is back before the turn ends, and nothing is stored all the same: of either length of thread."""
    for before in (0, 2):
        place.happens = place.heal
        place.down()
        assert (await place.invoke())["thread_status"] != "ok"
        assert place.kept() == before
        await place.invoke()


@pytest.mark.parametrize("durability", ["exit", "async", "sync"])
async def test_a_turn_that_cannot_be_stored_is_answered_and_runs_once(place: Place, durability: str) -> None:
    """The database goes on the way: no tool runs twice, and the next turn is whole."""
    place.happens = place.down
    state = await place.invoke(durability=durability)
    assert (state["messages"][-1].text, place.runs) == ("Hello.", 1)
    assert state["thread_status"] != "ok"
    place.happens = place.heal
    place.heal()
    state = await place.invoke()
    assert (state["thread_status"], place.kept()) == ("ok", len(state["messages"]))


async def test_a_turn_is_stored_whole_or_not_at_all(place: Place) -> None:
    """Of a turn that could not be stored to its end, no half is in the thread."""
    place.happens = place.down
    await place.invoke()
    place.heal()
    assert place.kept() == 0


async def test_a_run_without_a_thread_is_answered_and_says_so(place: Place) -> None:
    """It is in no conversation, and the state names what to pass."""
    state = await place.invoke(config={"configurable": {"user_id": "ana"}}, durability="sync")
    assert (state["messages"][-1].text, "thread_id" in state["thread_status"]) == ("Hello.", True)


async def test_what_asks_somebody_is_not_asked_while_nobody_could_go_on_from_there(place: Place) -> None:
    """The failure is raised in place of the question; when all is well, the question and its answer work."""
    place.happens = lambda: interrupt("May I?")
    place.down()
    with pytest.raises(StorageError):
        await place.invoke()
    with pytest.raises(StorageError):
        await place.stream("updates")
    place.heal()
    assert "__interrupt__" in await place.invoke()
    place.down()
    with pytest.raises(StorageError):
        await place.invoke(Command(resume="yes"))
    place.heal()
    assert (await place.invoke(Command(resume="yes")))["messages"][-1].text == "Hello. yes"


async def test_a_turn_that_is_to_stop_on_its_way_needs_its_thread(place: Place) -> None:
    """`interrupt_before` and `interrupt_after` have no answer to give."""
    place.down()
    with pytest.raises(StorageError):
        await place.invoke(interrupt_before=["answer"])


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_a_visitor_under_a_vault_is_answered(call: Call, *, is_streamed: bool) -> None:
    """No key can seal a thread that is nobody's: the turn is in no thread, and says so."""
    saver = SQLSaver(Database("sqlite://"), vault=ReversingVault())
    builder = StateGraph(MessagesState)
    builder.add_node("answer", lambda _: {"messages": [AIMessage("Hello.")]})
    builder.add_edge(START, "answer")
    answering = AnsweringGraph(builder.compile(checkpointer=saver))
    config: RunnableConfig = {"configurable": {"thread_id": "visit"}}
    for _ in range(2):
        if is_streamed:
            state = [*answering.stream(SAID, config, stream_mode="values")][-1]
        else:
            state = await call(answering, "invoke", SAID, config)
        assert [it.text for it in state["messages"]] == ["Hi.", "Hello."]
        assert state["thread_status"].startswith("degraded: the thread is missing: UnownedThreadError")
    with pytest.raises(ScopeError, match="nobody"):
        saver.get_tuple(config)


async def test_another_users_thread_is_refused_as_ever(place: Place) -> None:
    """A checkpointer that says no is not away."""
    await place.invoke()
    with pytest.raises(ScopeError):
        await place.invoke(config={"configurable": {"thread_id": "today", "user_id": "bob"}})
    assert place.runs == 1


@pytest.mark.parametrize("mode", ["values", "updates"])
async def test_a_stream_of_a_turn_that_is_in_no_thread_ends_with_its_status(place: Place, mode: str) -> None:
    """A turn in its thread streams what the graph streams."""
    well = await place.stream(mode)
    assert "thread_status" not in str(well)
    place.down()
    *_, last = await place.stream(mode)
    told = last if mode == "values" else last["thread"]
    assert told["thread_status"].startswith("degraded: ")


def test_only_a_graph_with_a_checkpointer_of_this_package_will_do(place: Place) -> None:
    """Errors of others do not tell what passes, and without one there is nothing to be away."""
    for checkpointer in (None, InMemorySaver()):
        with pytest.raises(ConfigurationError, match="checkpointer"):
            AnsweringGraph(place.graph.builder.compile(checkpointer=checkpointer))
    with pytest.raises(ConfigurationError, match="graph"):
        AnsweringGraph(place.saver)  # type: ignore[arg-type]
