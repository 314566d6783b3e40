"""A run that waits is resumed together with messages: the answer goes to what waits, and the turn stays the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, tool
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory
from langchain_agentmem.errors import ConfigurationError
from tests.conftest import Call
from tests.unit_tests.faces.conftest import contents, remember
from tests.unit_tests.faces.either import USER, Made, Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call as called
from tests.unit_tests.middleware.test_together import is_valid

OPENING: Final = "I live in Oslo. Pay the rent."
TEA: Final = "And I prefer tea."

Added = Callable[[], BaseMessage]

ADDED: dict[str, Added] = {
    "the user's": lambda: HumanMessage(TEA),
    "the model's": lambda: AIMessage("Working on it."),
}


class Till:
    """Where is paid: `paid` has what was, and who agreed."""

    def __init__(self) -> None:
        self.paid: list[str] = []

    @property
    def pay(self) -> BaseTool:
        """A tool that asks first."""

        @tool
        def pay(what: str) -> str:
            """Pay something, if somebody agrees."""
            answer = str(interrupt(what))
            self.paid.append(f"{what}: {answer}")
            return f"paid {what}"

        return pay


@pytest.fixture
def till() -> Till:
    return Till()


async def resume(made: Made, how: str, call: Call, *messages: BaseMessage) -> dict[str, Any]:
    """Answer what waits, with messages beside the answer, or put into the thread before it."""
    if how == "beside":
        return await made.run(Command(resume="yes", update={"messages": list(messages)}))
    await call(made.graph, "update_state", dict(USER), {"messages": list(messages)})
    return await made.run(Command(resume="yes"))


CASES: Final = [("the user's", "beside"), ("the model's", "beside"), ("the user's", "before")]


@pytest.mark.parametrize("writes", ["background", "inline"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
async def test_what_waits_gets_its_answer(
    make: Make, call: Call, till: Till, case: tuple[str, str], writes: str
) -> None:
    """The tool runs once, and the model answers over a conversation that providers take."""
    whose, how = case
    made = make([called("pay", what="the rent"), "Paid."], till.pay, writes=writes, unguarded=["pay"])
    await made.say(OPENING)
    state = await resume(made, how, call, ADDED[whose]())
    assert (till.paid, state["messages"][-1].text) == (["the rent: yes"], "Paid.")
    assert is_valid(made.model.requests[-1])
    assert (state["memory"]["status"], state["memory"]["turn"]) == ("ok", state["messages"][0].id)


@pytest.mark.parametrize("writes", ["background", "inline"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
async def test_the_opening_is_evidence(
    memory: AgentMemory, make: Make, call: Call, case: tuple[str, str], writes: str
) -> None:
    """And what came in beside the answer is none."""
    whose, how = case
    made = make([called("pay", what="the rent"), "Paid."], Till().pay, writes=writes, unguarded=["pay"])
    await made.say(OPENING)
    await resume(made, how, call, ADDED[whose]())
    memory.jobs.run()
    said = [it for it in contents(memory) if not it.startswith("pay(")]
    assert said == ["The user lives in Oslo"]


async def test_the_next_turn_is_the_users_again(memory: AgentMemory, make: Make, call: Call, till: Till) -> None:
    """The call counts as answered, wherever its answer stands, and is told as nothing else."""
    made = make([called("pay", what="the rent"), "Paid.", "Noted."], till.pay, unguarded=["pay"])
    await made.say(OPENING)
    await resume(made, "beside", call, HumanMessage(TEA))
    state = await made.say("I own a boat.")
    assert [it.text for it in state["messages"] if it.type == "tool"] == ["paid the rent"]
    assert "The user owns a boat" in contents(memory)
    assert is_valid(made.model.requests[-1])


async def test_who_types_on_begins_a_turn_all_the_same(memory: AgentMemory, make: Make, till: Till) -> None:
    """A new input is no answer to what waits, and what it says is the user's word."""
    made = make([called("pay", what="the rent"), "Never mind."], till.pay, unguarded=["pay"])
    await made.say(OPENING)
    await made.say("I prefer tea.")
    assert (till.paid, [it for it in contents(memory) if "tea" in it]) == ([], ["The user prefers tea"])


async def test_a_request_to_forget_is_kept_over_an_interrupt(
    memory: AgentMemory, make: Make, call: Call, till: Till
) -> None:
    """It was the turn's opening; what came beside the answer takes nothing from it."""
    remember(memory, "Alice lives in Oslo", kind="fact")
    made = make([called("pay", what="the rent"), "Done."], till.pay, unguarded=["pay"])
    await made.say("Pay the rent. Forget where I live.", user_name="Alice")
    await resume(made, "beside", call, HumanMessage("Thanks!"))
    assert not [it for it in contents(memory) if "Oslo" in it]


async def test_calls_of_two_messages_are_no_ones_answer(make: Make, till: Till) -> None:
    """A graph cannot tell which was meant, and says what to do; an agent answers the one that waited."""
    made = make([called("pay", "1", what="the rent"), "Done."], till.pay, unguarded=["pay"])
    await made.say("Pay the rent.")
    update = {"messages": [called("pay", "2", what="a car")]}
    if "reason" in made.graph.get_graph().nodes:
        with pytest.raises(ConfigurationError, match="ToolMessage for each"):
            await made.run(Command(resume="yes", update=update))
        assert till.paid == []
    else:
        await made.run(Command(resume="yes", update=update))
        assert till.paid[0] == "the rent: yes"


async def test_a_request_that_the_application_writes_is_carried_out(
    memory: AgentMemory, make: Make, call: Call
) -> None:
    """The turn is that of the message it put there, not of the one before; whatever the update's config names."""
    remember(memory, "Alice lives in Oslo", kind="fact")
    made = make(["Hello."], writes="background")
    await made.say("Hello!", user_name="Alice")
    node = "reason" if "reason" in made.graph.get_graph().nodes else "model"
    update = {"messages": [HumanMessage("Forget where I live."), AIMessage("Done.")]}
    await call(made.graph, "update_state", {"configurable": {**USER["configurable"]}}, update, node)
    await made.run(None, user_name="Alice")
    assert contents(memory) == []
