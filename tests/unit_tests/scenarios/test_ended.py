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

Learn = Callable[..., list[str]]
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
TOM = "My friend is called Tom."
IS_TOM = "The user's friend is called Tom"
NAMED_DEAD = [
    ([TOM, "Tom passed away."], [IS_TOM, "Tom passed away"]),
    (["My sister is Nora.", "Nora died."], ["The user's sister is Nora", "Nora died"]),
    (["I live with Emma.", "Emma died."], ["Emma died"]),
    ([REX, "Rex died.", "Rex died."], ["Rex died"]),
    ([REX, "Rex died.", "Rex passed away last week."], ["Rex died"]),
    (["My mum lives in Ulm.", "My mother died.", "My mother passed away in May."], ["The user's mother died"]),
    (["I like Elvis.", "Elvis died."], ["The user likes Elvis"]),
    (["We use Kafka.", "Kafka died."], ["The user's team uses Kafka"]),
    (["My friend is called Tomas.", "Tom died."], ["The user's friend is called Tomas"]),
]
BEHIND = [
    ([VOLVO, "When I moved to Kiel, I sold my car."], ["The user sold their car when they moved to Kiel"]),
    ([VOLVO, "Because petrol is dear, I sold my car."], ["The user sold their car because petrol is dear"]),
    ([REX, "I have sad news, Rex died yesterday."], ["Rex died yesterday"]),
    ([REX, "Bad news: Rex died."], ["Rex died"]),
    ([REX, "I'm sorry to say that Rex died."], ["Rex died"]),
]
NEARLY = [
    ([VOLVO, "I almost sold my car."], [HAS_VOLVO]),
    ([VOLVO, "I nearly crashed my car."], [HAS_VOLVO]),
]
ROME = "I live in Rome."
IN_ROME = "The user lives in Rome"
MOVED = [
    ([ROME, "We moved to Kiel."], ["The user moved to Kiel"]),
    ([ROME, "We moved to St. Louis."], ["The user moved to St. Louis"]),
    (["I used to live in St. Paul, now I'm in St. Louis."], ["The user moved to St. Louis"]),
    ([ROME, "We've just relocated to New York."], ["The user has just relocated to New York"]),
    (["I live in Rome. We moved to Kiel."], ["The user moved to Kiel"]),
    (["We moved to Kiel."], ["The user's group moved to Kiel"]),
    ([ROME, "Our office moved to Kiel."], [IN_ROME, "The user's team's office moved to Kiel"]),
    ([ROME, "Our office got too small. We moved to Kiel."], [IN_ROME, "The user's team moved to Kiel"]),
    (
        [ROME, "I run a startup.", "We moved to Kiel."],
        [IN_ROME, "The user runs a startup", "The user's group moved to Kiel"],
    ),
    ([ROME, "We moved to Kafka."], [IN_ROME, "The user's team moved to Kafka"]),
    ([ROME, "We almost moved to Kiel."], [IN_ROME]),
    ([ROME, "Did we move to Kiel?"], [IN_ROME]),
    ([ROME, "They moved to Kiel."], [IN_ROME]),
    (["We live in Rome.", "We moved to Kiel."], ["The user's family moved to Kiel"]),
    (
        ["We live in Rome.", "Our office got too small. We moved to Kiel."],
        ["The user's family lives in Rome", "The user's team moved to Kiel"],
    ),
    (
        ["My sister lives in Rome.", "We moved to Kiel."],
        ["The user's sister lives in Rome", "The user's group moved to Kiel"],
    ),
]
TEA = "I prefer tea."
IS_TEA = "The user prefers tea"
PREFERRED = [
    ([TEA, "I prefer coffee now."], ["The user prefers coffee now"]),
    ([TEA, "I like coffee better now."], ["The user likes coffee better now"]),
    ([TEA, "These days I prefer coffee."], ["The user now prefers coffee"]),
    ([TEA, "I prefer coffee these days."], ["The user prefers coffee now"]),
    (["I prefer green tea.", "I prefer red wine now."], ["The user prefers red wine now"]),
    ([TEA, "I prefer trains now."], [IS_TEA, "The user prefers trains now"]),
    ([TEA, "I prefer coffee."], [IS_TEA, "The user prefers coffee"]),
    ([TEA, "I also prefer coffee now."], [IS_TEA, "The user also prefers coffee now"]),
    ([TEA, "I like coffee now."], [IS_TEA, "The user likes coffee now"]),
    ([TEA, "I don't prefer coffee now."], [IS_TEA, "The user does not prefer coffee now"]),
    ([TEA, "My wife prefers coffee now."], [IS_TEA]),
    ([TEA, "Maybe I prefer coffee now."], [IS_TEA]),
    ([TEA, "I prefer coffee in the afternoon now."], [IS_TEA, "The user prefers coffee in the afternoon now"]),
    (["I like tea.", "I like coffee better now."], ["The user likes tea", "The user likes coffee better now"]),
]
IS_SOLD, CAR_KEPT = "The user sold their car", "The user did not sell their car"
TAKEN_BACK = [
    ([VOLVO, "I sold my car.", "I didn't sell my car."], [HAS_VOLVO, CAR_KEPT]),
    ([VOLVO, "I sold my car.", "I still have my car."], [HAS_VOLVO, "The user still has their car"]),
    ([VOLVO, "I sold my car.", "I never sold my car."], [HAS_VOLVO, "The user never sold their car"]),
    ([REX, "Rex died.", "Rex isn't dead."], [IS_REX, "Rex isn't dead"]),
    ([REX, "Rex died.", "My dog is still alive."], [IS_REX, "The user's dog is still alive"]),
    ([VOLVO, "I sold my car.", "I didn't sell my bike."], [IS_SOLD]),
    ([VOLVO, "I sold my car.", "I didn't give away my car."], [IS_SOLD]),
    ([VOLVO, "I sold my car.", "I didn't sell my car because of the price."], [IS_SOLD]),
    ([VOLVO, "I sold my car.", "I wish I hadn't sold my car."], [IS_SOLD]),
    ([VOLVO, "I sold my car.", "Didn't I sell my car?"], [IS_SOLD]),
    ([VOLVO, "I sold my car.", "My friend still has her car."], [IS_SOLD]),
    (["Elvis is alive.", "I didn't sell my car."], []),
]
TAKEN_BACK_THERE = [
    ([VOLVO, "I sold my car.", "Actually no, I didn't sell it."], [HAS_VOLVO, CAR_KEPT]),
    ([VOLVO, "I sold my car.", "Just kidding."], [HAS_VOLVO, CAR_KEPT]),
    ([VOLVO, "I sold my car.", "I made that up."], [HAS_VOLVO, CAR_KEPT]),
    ([VOLVO, "I sold my car.", "Scratch that."], [HAS_VOLVO, CAR_KEPT]),
    ([REX, "Rex died.", "He is alive!"], [IS_REX, "Rex is alive"]),
    ([VOLVO, "I sold my car.", "That's not true."], [IS_SOLD]),
    ([VOLVO, "I sold my car.", "I live in Rome.", "Just kidding."], [IS_SOLD, "The user does not live in Rome"]),
    ([VOLVO, "I sold my car.", "No kidding."], [IS_SOLD]),
]
NOT_OVER = [
    (VOLVO, HAS_VOLVO, "If I move to Kiel, I sold my car."),
    (VOLVO, HAS_VOLVO, "Whenever I was broke, I sold my car."),
    (REX, IS_REX, "I read bad news, Rex died."),
    (REX, IS_REX, "They say that Rex died."),
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

        def told(turns: Sequence[str], *, in_one_thread: bool = False) -> list[str]:
            user = f"user-{next(users)}"
            model = ScriptedModel(script=["Noted."] * len(turns))
            saver = memory.checkpointer if in_one_thread else None
            options = GraphOptions(writes="inline")
            graph = create_memory_graph(model, memory=memory, options=options, checkpointer=saver)
            for number, text in enumerate(turns):
                thread: RunnableConfig = {
                    "configurable": {"thread_id": user if in_one_thread else f"{user}-{number}", "user_id": user}
                }
                graph.invoke({"messages": [("user", text)]}, thread, context={"user_id": user})
            return sorted(it.content for it in memory.long_term.list(scope=Scope(user)))

        yield told


@pytest.mark.parametrize(("turns", "kept"), OVER)
def test_what_is_over_is_remembered_as_over(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """What happened stands in the place of what was so."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("turns", "kept"), NAMED_DEAD)
def test_a_death_is_kept_of_whomever_a_name_was_told(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """A known name is enough, whether or not anything ends; one dies once, in whatever words."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("turns", "kept"), [*BEHIND, *NEARLY])
def test_what_is_over_is_read_behind_when_and_why_and_news(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """What stands before it takes nothing from it, but for conditions; and what nearly happened did not."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("turns", "kept"), TAKEN_BACK)
def test_what_is_not_over_after_all_holds_again(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """Whatever thread it is said in; of another thing, for another reason, wished or asked, it takes nothing back."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("turns", "kept"), TAKEN_BACK_THERE)
def test_what_points_back_takes_back_what_was_said_last(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """In the thread where it was said: a pronoun, and words that take back no more than what stands before them."""
    assert learn(turns, in_one_thread=True) == sorted(kept)


@pytest.mark.parametrize(("turns", "kept"), MOVED)
def test_a_we_that_moves_is_the_user_unless_a_firm_may_be_meant(
    learn: Learn, turns: list[str], kept: list[str]
) -> None:
    """Whoever has a home and speaks of no firm has left it; else nothing of the home ends."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("turns", "kept"), PREFERRED)
def test_what_is_preferred_by_now_replaces_what_was_of_its_sort(
    learn: Learn, turns: list[str], kept: list[str]
) -> None:
    """Without an embedding model too; what is of another sort, of another case, or only liked, stays."""
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
