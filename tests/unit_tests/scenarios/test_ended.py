"""What users say to be over: it is remembered no more as holding now, in a graph, whatever thread it is said in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, GraphOptions, Scope, create_memory_graph
from tests.unit_tests.faces.scripted import ScriptedModel

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

Learn = Callable[[Sequence[str]], list[str]]
VOLVO = "I have a blue Volvo."
HAS_VOLVO = "The user has a blue Volvo"
REX = "My dog is called Rex."
IS_REX = "The user's dog is called Rex"

OVER = [
    ([VOLVO, "I sold my car."], ["The user sold their car"]),
    ([REX, "Rex died last week."], ["Rex died last week"]),
    ([REX, "Unfortunately my dog died last night and I'm very sad."], ["The user's dog died last night"]),
    (["My girlfriend is Emma.", "Emma and I broke up."], ["Emma and the user broke up"]),
    (["My girlfriend is Emma.", "Yesterday Emma and I broke up."], ["Emma and the user broke up yesterday"]),
    (["My girlfriend is Emma.", "My girlfriend and I broke up."], ["The user broke up with their girlfriend"]),
    (["My mother lives in Ulm.", "My mother died."], ["The user's mother died"]),
    (["My mother is called Anna.", "My mum died."], ["The user's mother is called Anna", "The user's mum died"]),
    (["My wife is pregnant.", "We had a baby."], ["The user's family had a baby"]),
    (["I work at Siemens.", "I quit my job at Siemens."], ["The user quit their job at Siemens"]),
    (["I work at Siemens.", "I was laid off."], ["The user was laid off"]),
]
NOT_OVER = [
    (VOLVO, HAS_VOLVO, "I want to sell my car."),
    (VOLVO, HAS_VOLVO, "I almost sold my car."),
    (VOLVO, HAS_VOLVO, "My friend sold her car."),
    (VOLVO, HAS_VOLVO, "If I sold my car, I could buy a bike."),
    (VOLVO, HAS_VOLVO, '"I sold my car", he said.'),
    (VOLVO, HAS_VOLVO, "I dreamt that I sold my car."),
    (REX, IS_REX, "Did Rex die?"),
    (REX, IS_REX, "In the film Rex died."),
    (REX, IS_REX, "I'm afraid Rex died."),
    (REX, IS_REX, "Imagine Rex died."),
    (REX, IS_REX, "My friend's dog died."),
    (REX, IS_REX, "Elvis died."),
    ("My girlfriend is Emma.", "The user's girlfriend is Emma", "What if Emma and I broke up?"),
    ("My girlfriend is Emma.", "The user's girlfriend is Emma", "I don't know what I would do if Emma and I broke up."),
    ("My wife is Emma.", "The user's wife is Emma", "I left my wife at the airport."),
    ("My mother lives in Ulm.", "The user's mother lives in Ulm", "Her mother died."),
    ("I work at Siemens.", "The user works at Siemens", "My wife quit her job."),
]


@pytest.fixture(scope="module")
def learn() -> Iterator[Learn]:
    """Give a function that takes the turns of a user of their own, each in a thread, and returns what stands then."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        users = iter(range(1_000))

        def told(turns: Sequence[str]) -> list[str]:
            user = f"user-{next(users)}"
            model = ScriptedModel(script=["Noted."] * len(turns))
            graph = create_memory_graph(model, memory=memory, options=GraphOptions(writes="inline"))
            for number, text in enumerate(turns):
                thread: RunnableConfig = {"configurable": {"thread_id": f"{user}-{number}"}}
                graph.invoke({"messages": [("user", text)]}, thread, context={"user_id": user})
            return sorted(it.content for it in memory.long_term.list(scope=Scope(user)))

        yield told


@pytest.mark.parametrize(("turns", "kept"), OVER)
def test_what_is_over_is_remembered_as_over(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """What happened stands in the place of what was so."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("told", "stands", "said"), NOT_OVER)
def test_what_is_not_over_stands(learn: Learn, told: str, stands: str, said: str) -> None:
    """Plans, fears, questions, quotes, stories and what befalls others end nothing."""
    assert stands in learn([told, said])


def test_what_is_over_keeps_its_time_in_history() -> None:
    """The old fact is superseded, with when it ended, and can be asked for as of then."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        ben = Scope("ben")
        car = memory.long_term.remember("Ben has a blue Volvo", scope=ben).require()
        sold = memory.long_term.remember("Ben sold his car", scope=ben)
        old = memory.long_term.get(car.id, scope=ben)
        assert old is not None
        assert (sold.superseded, old.status) == ((car.id,), "superseded")
        assert old.invalid_at is not None


def test_a_death_of_nobody_known_is_no_news_of_the_user() -> None:
    """A name that the user never spoke of is a singer's, or a server's; an application that says so is believed."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        ben = Scope("ben")
        [heard] = memory.extractor.extract([HumanMessage("Elvis died")])
        assert memory.long_term.remember(heard, scope=ben).rule == "nothing_ended"
        assert memory.long_term.remember("Elvis died", scope=ben).memory is not None
