"""What is said of a goal that is pursued no more."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.denied_goals import given_up, is_given_up
from langchain_agentmem.extraction import RuleExtractor

rules = RuleExtractor()


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to learn French any more",
        "I no longer want to learn French.",
        "Actually, I don't want to learn French.",
        "I've changed my mind, I don't want to learn French.",
        "I gave up on learning French, it took too much time.",
        "I've given up learning French.",
        "I'm giving up on French",
        "I'm no longer trying to learn French",
        "I'm not learning French anymore.",
        "I'm not going to learn French after all.",
        "I stopped learning French.",
        "I dropped the idea of learning French.",
        "I've lost interest in learning French",
        "Learning French is no longer my goal.",
        "My goal is no longer to learn French",
        "Please forget about learning French.",
        "Let's forget about learning French",
    ],
)
def test_a_goal_given_up_is_told_as_such(text: str) -> None:
    """However it is said, it is a goal, a correction, a sentence of its own that names the goal it ends."""
    [found] = rules.extract([HumanMessage(text)], user_name="Ana")
    assert (found.kind, found.is_correction) == ("goal", True)
    assert is_given_up(found.content)
    assert given_up(found.content, ["Ana wants to learn Polish", "Ana wants to learn French by June"]) == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "I never give up on my goals",
        "Don't give up on me",
        "Forget about it.",
        "I gave up on this bug",
        "I gave up on him",
        "I don't want to run this test any more",
        "Forget about the last question.",
        "Did I tell you that I gave up on learning French?",
        "Maybe I'll give up on learning French",
        "My brother gave up on learning French",
    ],
)
def test_other_things_given_up_end_no_goal(text: str) -> None:
    """Errands, people, questions, doubts and what others do are no goals of the user."""
    assert not any(it.kind == "goal" for it in rules.extract([HumanMessage(text)], user_name="Ana"))


@pytest.mark.parametrize(
    "text", ["Ana wants to give up sugar", "Ana's goal is to no longer smoke", "Ana wants to quit"]
)
def test_a_goal_to_stop_something_is_a_goal(text: str) -> None:
    """Who wants to give something up has not given up the wish."""
    assert not is_given_up(text)


@pytest.mark.parametrize(
    ("denial", "ended"),
    [
        ("Ana gave up on running a marathon", ["Ana wants to run a marathon"]),
        ("Ana gave up on the marathon", ["Ana wants to run a marathon"]),
        ("Ana gave up on the half marathon", ["Ana wants to run a half marathon"]),
        ("Ana gave up on the exam", ["pass the state exam in June"]),
        ("Ana gave up on passing the state exam", ["pass the state exam in June"]),
        ("Ana no longer wants to learn French", ["Ana wants to learn French"]),
        ("Ana gave up on losing 10 kg", ["Ana wants to lose 10 kg"]),
        ("Ana gave up on losing 5 kg", []),
        ("Ana gave up on the race", []),
        ("Ana gave up", []),
        ("Ana no longer wants to learn Spanish", []),
    ],
)
def test_the_goal_that_is_named_is_meant(denial: str, ended: list[str]) -> None:
    """One that is named in full before one named in part, and none that another word makes another."""
    goals = [
        "Ana wants to run a marathon",
        "Ana wants to run a half marathon",
        "pass the state exam in June",
        "Ana wants to learn French",
        "learn French cooking",
        "Ana wants to lose 10 kg",
        "Ana wants to win the long race",
        "Ana wants to win the short race",
    ]
    assert [goals[place] for place in given_up(denial, goals)] == ended


@pytest.mark.parametrize(
    ("denial", "goal", "is_over"),
    [
        ("I've dropped the half marathon plan", "Gil is training for a half marathon in May", True),
        ("I've dropped the half marathon plan", "Gil is planning to run a half marathon in May", True),
        ("I gave up on the half marathon", "Gil is training for a half marathon", True),
        ("I gave up on the marathon", "Gil is training for a half marathon in May", False),
        ("I gave up on the marathon", "Gil is training for a half marathon", False),
        ("I've dropped the half marathon plan", "Gil is training for a triathlon", False),
    ],
)
def test_a_plan_is_named_by_what_it_is_for(denial: str, goal: str, *, is_over: bool) -> None:
    """One who trains for something pursues that, and not another of its sort."""
    [found] = rules.extract([HumanMessage(denial)], user_name="Gil")
    assert given_up(found.content, [goal]) == ((0,) if is_over else ())


@pytest.mark.parametrize("text", ["I've dropped the phone plan", "I've cancelled my meal plan", "I dropped the plan"])
def test_a_plan_that_one_pays_for_is_no_goal(text: str) -> None:
    """And "the plan" alone names none."""
    assert not any(it.kind == "goal" for it in rules.extract([HumanMessage(text)], user_name="Gil"))
