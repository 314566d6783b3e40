"""What somebody puts right in the same breath was never said."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(text: str) -> list[str]:
    """Return what a message tells."""
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My exam is on the 3rd, wait no the 4th", "The user's exam is on the 4th"),
        ("My exam is on 3 May, no wait, 4 May", "The user's exam is on 4 May"),
        ("My exam is at 3pm on Friday, no wait 4pm", "The user's exam is at 4pm on Friday"),
        ("My rent is £700, sorry £750", "The user's rent is £750"),
        ("My sister is 31, no 32", "The user's sister is 32"),
        ("I have two dogs, no, three", "The user has three dogs"),
        ("I live in Rome, wait no, in Milan", "The user lives in Milan"),
        ("I live in Leeds, no wait, York", "The user lives in York"),
        ("I'm 34, no sorry, 35", "The user is 35"),
        ("I have two kids, no wait, three", "The user has three kids"),
        ("My meeting is on Monday, no wait I mean Tuesday", "The user's meeting is on Tuesday"),
        ("I have 3 cats, no wait, 4 cats", "The user has 4 cats"),
        ("My son is 3 years old, sorry, 4 years old", "The user's son is 4 years old"),
        ("I'm 170 cm tall, sorry 171", "The user is 171 cm tall"),
        ("I weigh 70 kg, no 71 kg", "The user weighs 71 kg"),
        ("I live in Leeds, sorry, York", "The user lives in York"),
        ("I moved to Leeds in May, sorry, York", "The user moved to York in May"),
        ("I'm allergic to peanuts, no wait, tree nuts", "The user is allergic to tree nuts"),
        ("I prefer tea, no wait, coffee", "The user prefers coffee"),
        ("Always use spaces, no wait, tabs", "Always use tabs"),
        ("I work as a nurse, no wait, an engineer", "The user works as an engineer"),
        ("I have an iguana, no wait, dog", "The user has a dog"),
    ],
)
def test_the_value_that_was_meant_stands_in_the_place_of_the_one_taken_back(text: str, content: str) -> None:
    """Where the clause has just one of the same sort."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "My exam is on 3 May, wait no the one after",
        "I work from 9 to 5, wait no 6",
        "I'm allergic to peanuts, no wait, never mind",
        "I'm allergic to peanuts and eggs, no wait, tree nuts",
        "I like jazz, no wait, also blues",
        "I have a dog, no wait, two",
        "I drive a Volvo, no wait, van",
    ],
)
def test_what_takes_itself_back_without_a_value_that_fits_says_nothing(text: str) -> None:
    """Nobody can tell what is right."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I live in Rome, sorry, Mate", ["The user lives in Rome, sorry, Mate"]),
        ("I work at Acme, sorry, Monday", ["The user works at Acme, sorry, Monday"]),
        ("My sister is called Anna, sorry, Mom", ["The user's sister is called Anna, sorry, Mom"]),
        ("I don't live in Rome, no, Milan", ["The user does not live in Rome, no, Milan"]),
        ("I'm allergic to peanuts, sorry, tree nuts", ["The user is allergic to peanuts, sorry, tree nuts"]),
        ("I have two dogs, no cats", ["The user has two dogs", "The user has no cats"]),
        ("I work Mondays, no Fridays", ["The user works Mondays, no Fridays"]),
        ("I have 3 kids, no 2 dogs", ["The user has 3 kids, no 2 dogs"]),
        ("I live in Rome, no wait, I live in Milan", ["The user lives in Milan"]),
        ("I don't eat fish, sorry, no eggs either", ["The user does not eat fish, sorry, no eggs either"]),
        ("I'm not married, no, sorry to disappoint", ["The user is not married, no, sorry to disappoint"]),
    ],
)
def test_what_only_sounds_like_a_repair_is_left_as_it_was(text: str, contents: list[str]) -> None:
    """An apology, a thing that is not there, and a sentence of its own."""
    assert told(text) == contents


def test_of_several_numbers_that_of_the_same_things_is_put_right() -> None:
    """What they are stands behind both."""
    assert told("I have 2 cats and 3 dogs, sorry 4 dogs") == ["The user has 2 cats", "The user has 4 dogs"]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I live in Leeds, sorry, Claude", "The user lives in Leeds"),
        ("I live in Leeds, sorry Claude", "The user lives in Leeds"),
        ("I live in Leeds - sorry, Gemini!", "The user lives in Leeds"),
        ("I live in Leeds. Sorry, Claude.", "The user lives in Leeds"),
        ("I live in Rome, sorry Tom", "The user lives in Rome"),
        ("I live in Rome, sorry, Tom", "The user lives in Rome"),
        ("I live in Leeds, sorry, Grace", "The user lives in Leeds"),
        ("I live in Leeds, wait, Siri", "The user lives in Leeds"),
        ("I work at Globex, sorry, ChatGPT", "The user works at Globex"),
        ("My name is Tom, sorry, Claude", "The user's name is Tom"),
        ("I live in Leeds, sorry, York", "The user lives in York"),
        ("I live in Leeds, oops, York", "The user lives in York"),
        ("I live in Florida, sorry, Georgia", "The user lives in Georgia"),
        ("I'm from Paris, sorry, Florence", "The user is from Florence"),
        ("I work at Globex, sorry, Acme", "The user works at Acme"),
        ("My name is Tom, sorry, Tim", "The user's name is Tim"),
        ("My boss is called Kate, sorry, Jack", "The user's boss is called Jack"),
        ("My cat is called Max, sorry, Mia", "The user's cat is called Mia"),
        ("My dog is called Rex, sorry, Kate", "The user's dog is called Kate"),
        ("I live in Raleigh, sorry, Charlotte", "The user lives in Charlotte"),
    ],
)
def test_whom_one_says_sorry_to_takes_no_ones_place(text: str, content: str) -> None:
    """A person's name puts another person's right, and no town or firm; the assistant's puts nothing right."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    ("then", "town"), [("sorry, Claude", "Leeds"), ("Sorry, Kate.", "Leeds"), ("sorry, York", "York")]
)
def test_nor_does_it_in_the_message_behind(then: str, town: str) -> None:
    """A town puts right the one that was said in the message before."""
    said = [HumanMessage("I live in Leeds."), HumanMessage(then)]
    found = [it.content for it in RuleExtractor().extract(said, new_from=1)]
    assert found == ([] if town == "Leeds" else ["The user lives in York"])


@pytest.mark.parametrize(
    "text",
    [
        "I live in Leeds, scratch that, Claude",
        "I live in Leeds, strike that, ChatGPT",
        "I live in Leeds, scratch that Kate",
        "I live in Leeds, no wait, Claude",
    ],
)
def test_whom_one_takes_something_back_to_is_no_value(text: str) -> None:
    """What takes itself back says nothing where only whoever is spoken to stands behind it."""
    assert told(text) == []


def test_a_value_behind_what_takes_back_is_right() -> None:
    """A town or a person's name, in the place of another, is what was meant."""
    assert told("I live in Leeds, scratch that, York") == ["The user lives in York"]
    assert told("My boss is Anna, scratch that, Kate") == ["The user's boss is Kate"]
