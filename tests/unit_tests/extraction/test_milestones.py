"""What lasts about the people around a user, and what they and the user go through, is told; small talk is not."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Candidate

KNOWN = ("My wife is Priya.", "My sister is Amy.", "My brother is Tom.")


def told(text: str, *before: str) -> list[Candidate]:
    messages = [HumanMessage(it) for it in (*before, text)]
    return RuleExtractor().extract(messages, user_name="Gil", new_from=len(before))


def contents(text: str, *before: str) -> list[str]:
    return [it.content for it in told(text, *before) if PASSING not in it.tags]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Priya isn't vegetarian any more.", "Priya is no longer vegetarian"),
        ("Priya's no longer vegetarian.", "Priya is no longer vegetarian"),
        ("Priya stopped being vegetarian.", "Priya is no longer vegetarian"),
        ("Priya isn't allergic to nuts.", "Priya is not allergic to nuts"),
        ("Amy doesn't live in Leeds any more.", "Amy no longer lives in Leeds"),
        ("Tom is not a nurse anymore.", "Tom is no longer a nurse"),
        ("Amy moved to London.", "Amy moved to London"),
        ("Amy's moved to London.", "Amy has moved to London"),
        ("Amy's pregnant.", "Amy is pregnant"),
        ("Tom's moving to Berlin in the spring.", "Tom is moving to Berlin in the spring"),
        ("Tom is getting married in June.", "Tom is getting married in June"),
        ("Amy got engaged yesterday.", "Amy got engaged yesterday"),
        ("Amy had a baby in May.", "Amy had a baby in May"),
        ("Tom turned forty last week.", "Tom turned forty last week"),
    ],
)
def test_what_lasts_of_somebody_who_was_introduced_is_told_of_them(text: str, content: str) -> None:
    """It is about them and not the user, and the words of the user are the evidence."""
    [found] = told(text, *KNOWN)
    assert (found.content, found.kind, found.subject) == (content, "fact", content.split(maxsplit=1)[0])
    assert found.provenance.evidence == text.rstrip(".")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My daughter Maya is four.", "Maya is four"),
        ("My son Max just turned seven.", "Max just turned seven"),
        ("My brother Tom is getting married in June.", "Tom is getting married in June"),
        ("My daughter Emma turns 7 on March 3rd.", "Emma turns 7 on March 3rd"),
        ("My dad turns seventy next year.", "The user's dad turns seventy next year"),
        ("My sister Nora graduates in June.", "Nora graduates in June"),
        ("My wife Clara starts at Airbus in May.", "Clara starts at Airbus in May"),
        ("My nephew Leo is starting school in September.", "Leo is starting school in September"),
        ("My friend Sam got a new job at Acme.", "Sam got a new job at Acme"),
        ("My cousin Lea is expecting twins.", "Lea is expecting twins"),
        ("My dad died in 2019.", "The user's dad died in 2019"),
        ("My dad died when I was ten.", "The user's dad died when the user was ten"),
        ("My grandfather died of cancer in 1998.", "The user's grandfather died of cancer in 1998"),
        ("My mum passed away two years ago.", "The user's mum passed away two years ago"),
        ("My mum is retired.", "The user's mum is retired"),
        ("My daughter is four.", "The user's daughter is four"),
    ],
)
def test_what_somebody_close_goes_through_is_told(text: str, content: str) -> None:
    """A wedding, a birthday, a school, a death: with whom it is, and when."""
    assert contents(text)[-1] == content


@pytest.mark.parametrize(
    "text",
    [
        "Priya isn't sure any more.",
        "Priya isn't here.",
        "Priya doesn't like it any more.",
        "Amy isn't vegetarian any more than you are.",
        "Amy moved the meeting.",
        "Amy moved to the back of the room.",
        "Amy moved to Slack.",
        "Amy moved to the next item.",
        "Amy's husband is late.",
        "Amy got a job to do.",
        "My dad died laughing.",
        "My dad died of laughter.",
        "My dad died of embarrassment.",
        "My dad died inside when he saw it.",
        "My dad nearly died in 2019.",
        "My dad would have died in 2019.",
        "My dad died in the film.",
        "My phone died in 2019.",
        "Tom's car died in 2019.",
        "She died in 2019.",
        "Michael Jackson died in 2009.",
        "Zoe is getting married in June.",
        "Is my brother Tom getting married in June?",
        "If my brother Tom is getting married in June, I need a suit.",
        "I heard that Tom is getting married in June.",
        "My mum says Tom is moving to Berlin.",
        "My brother Tom might be getting married in June.",
        "In my novel, my brother Tom died in 2019.",
        "Let's pretend Tom died in 2019.",
        '"My dad died in 2019," said the hero.',
        "My brother Tom isn't vegetarian any more, I think.",
        "My boss retired the old server.",
        "My boss is moving to Slack.",
        "Tom graduated to solid food.",
        "Tom started school projects.",
        "Tom got married to his job.",
        "Tom turns 50 pages a day.",
        "Tom starts work at nine.",
        "Tom starts every morning late.",
        "My boss wants the report by Friday.",
        "Tom is expecting a call.",
        "Amy had a baby shower.",
        "My sister got divorced but they are back together.",
        "My sister is engaged in a debate.",
        "My daughter is four minutes late.",
        "My daughter is one of the best.",
        "My friend is one.",
        "My son is two steps ahead.",
    ],
)
def test_what_only_sounds_like_it_tells_nothing_of_anybody(text: str) -> None:
    """Figures of speech, things, strangers, questions, doubts, hearsay and stories."""
    assert contents(text, *KNOWN) == []


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("We're going to Greece in July.", "goal", "Gil's family is going to Greece in July"),
        ("We're off to Cornwall for Easter.", "goal", "Gil's family is off to Cornwall for Easter"),
        ("I'm flying to Rome for two weeks in August.", "goal", "Gil is flying to Rome for two weeks in August"),
        ("We're going to Greece instead.", "fact", "Gil's family is going to Greece instead"),
        ("We decided to go to Greece in July.", "fact", "Gil's family decided to go to Greece in July"),
        ("We want to visit Greece in July.", "goal", "Gil's family wants to visit Greece in July"),
        ("We're getting married in June.", "fact", "Gil is getting married in June"),
        (
            "We're going to Berlin in May for the team offsite.",
            "goal",
            "Gil's team is going to Berlin in May for the team offsite",
        ),
    ],
)
def test_who_travels_are_the_user_and_theirs(text: str, kind: str, content: str) -> None:
    """A "we" that goes to a place is no team, unless it goes there for work."""
    assert [(it.kind, it.content) for it in told(text)] == [(kind, content)]


@pytest.mark.parametrize(
    "text",
    [
        "We're going to the shop.",
        "We're going to Tesco.",
        "We're going to IKEA on Saturday.",
        "We're going to miss you in July.",
        "We're going to Zoom in a minute.",
        "Are we going to Greece in July?",
        "We might be going to Greece in July.",
        "If we're going to Greece in July, we need passports.",
        "We're thinking of going to Greece in July.",
        "We were going to Greece in July.",
        "I wish we were going to Greece in July.",
        "She said we're going to Greece in July.",
        "We're getting married in the game.",
        "We're getting divorced from reality.",
        "We're all heartbroken.",
        "We're all devastated.",
        "I'm gutted.",
        "We're all in shock.",
    ],
)
def test_errands_and_feelings_are_no_plans_and_no_facts(text: str) -> None:
    """What passes by tonight is nobody's to remember."""
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "each"),
    [
        (
            "I'm Gil, a 34 year old physiotherapist from Bristol.",
            [
                ("Gil is a 34 year old", "age", "34"),
                ("Gil is a physiotherapist from Bristol", "works_as", "physiotherapist"),
            ],
        ),
        ("I'm a 29-year-old nurse.", [("Gil is a 29-year-old", "age", "29"), ("Gil is a nurse", "works_as", "nurse")]),
        ("I'm Gil, a keen gardener.", [("Gil is a keen gardener", "works_as", "keen gardener")]),
        ("I'm a 34 year old from Bristol.", [("Gil is a 34 year old from Bristol", "age", "34")]),
        ("I'm Gil, a bit tired.", []),
        ("I'm choosing between rooms 7, 24, and 25", []),
        ("I'm looking at lots 5, 12 and 13", []),
        ("I'm Gil, a friend told me so.", []),
        ("I'm seeing a doctor.", [("Gil is seeing a doctor", None, None)]),
    ],
)
def test_what_stands_behind_a_name_is_told_of_its_bearer(text: str, each: list[tuple[str, str, str]]) -> None:
    """Age and work are two facts: one changes without the other."""
    assert [(it.content, it.relation, it.object) for it in told(text)] == each


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("I'm seeing someone, her name is Zoe.", ["Gil is seeing someone called Zoe"]),
        ("I'm seeing someone. Her name is Zoe.", ["Gil is seeing someone called Zoe"]),
        ("I have a new boss, his name is Tom.", ["Gil has a new boss", "Gil's boss's name is Tom"]),
        ("Zoe and I got engaged.", ["Gil got engaged to Zoe"]),
        ("Zoe and I are getting married in June.", ["Gil is getting married to Zoe in June"]),
        ("Zoe and I live in Leeds.", []),
        ("Priya and I live in Leeds.", ["Gil lives in Leeds", "Priya lives in Leeds"]),
        ("I'm seeing someone about my back, her name is Zoe.", []),
        ("My brother has a wife, her name is Lea.", []),
        ("Zoe and I talked.", []),
        ("Zoe and I use Rust.", []),
        ("Are Zoe and I engaged?", []),
        ("If Zoe and I got engaged, I'd tell you.", []),
        ("My sister says Zoe and I are engaged.", []),
        ("Zoe and I almost got engaged.", []),
        ("Imagine Zoe and I got married.", []),
        ("In my story, Zoe and I got married.", []),
    ],
)
def test_whom_a_user_loves_is_told_by_name(text: str, each: list[str]) -> None:
    """A name given in the next breath belongs to whom the words before it tell of, and to nobody else."""
    assert contents(text, *KNOWN) == each


def test_whom_a_user_got_engaged_to_is_known_afterwards() -> None:
    """Who marries the user needs no other introduction."""
    assert contents("Zoe moved to London.", "Zoe and I got engaged.") == ["Zoe moved to London"]
    assert contents("Zoe moved to London.", "I'm seeing someone, her name is Zoe.") == ["Zoe moved to London"]


def kept(*conversations: str) -> set[str]:
    """What is in force after messages of as many conversations."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for number, text in enumerate(conversations):
            memory.background.ingest([HumanMessage(text)], scope=Scope("gil", session_id=f"s{number}"))
            memory.jobs.run()
        return {it.content for it in memory.long_term.list(scope=Scope("gil"))}


@pytest.mark.parametrize(
    ("before", "text", "left"),
    [
        ("My wife Priya is vegetarian.", "Priya isn't vegetarian any more.", {"Priya is no longer vegetarian"}),
        ("My wife Priya is vegan.", "Priya isn't sure.", {"Priya is vegan"}),
        ("My wife is Priya.", "Priya and I live in Leeds.", {"The user lives in Leeds", "Priya lives in Leeds"}),
    ],
)
def test_who_was_introduced_in_another_conversation_is_known(before: str, text: str, left: set[str]) -> None:
    """A name needs no second introduction, and news of it takes the place of what was known."""
    assert kept(before, text) == {"The user's wife is Priya", *left}


def test_a_name_that_nobody_introduced_stays_a_stranger() -> None:
    """What is told of the world at large is not kept, whoever else is known."""
    assert kept("My wife is Priya.", "Amy moved to London.") == {"The user's wife is Priya"}
    assert kept("My sister Amy lives in Leeds.", "Amy moved the meeting.") == {
        "The user's sister is Amy",
        "Amy lives in Leeds",
    }


def test_how_old_a_child_is_now_takes_the_place_of_how_old_it_was() -> None:
    """Nobody is of two ages."""
    assert kept("My daughter Maya is four.", "Maya is five.") == {"The user's daughter is Maya", "Maya is five"}


def test_an_age_to_come_leaves_the_age_of_today() -> None:
    """Who turns seven in March is six until then."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for said in ("Emma is 6", "Emma turns 7 on March 3rd"):
            memory.long_term.remember(said, scope=Scope("ana"))
        assert len(memory.long_term.list(scope=Scope("ana"))) == 2
