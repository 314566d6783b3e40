"""Which of two standing orders stands, and which one a permission or a release lifts."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.orders import is_lifted, is_overruled, lift_in, order_in


def overrules(new: str, old: str) -> bool:
    here, there = order_in(new), order_in(old)
    return here is not None and there is not None and is_overruled(here, there)


def lifts(new: str, old: str) -> bool:
    lift, order = lift_in(new), order_in(old)
    return lift is not None and order is not None and is_lifted(lift, order)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always answer in French", "Answer in English from now on"),
        ("Always answer in French", "From now on, only reply in English"),
        ("Use metric units by default", "Use imperial units from now on"),
        ("Keep answers short", "Give the user long, detailed answers from now on"),
        ("The user prefers short answers", "Give the user long answers from now on"),
        ("Always be formal with the user", "Be informal from now on"),
        ("Use bullet points", "Answer in prose from now on"),
        ("Show prices in euros", "Show prices in dollars from now on"),
        ("Write comments in English", "Write comments in German from now on"),
        ("Never call the user before nine", "Never call the user before ten"),
        ("No emojis", "Use emojis from now on"),
        ("Never answer in French", "Always answer in French"),
        ("Speak English with the user", "Let's switch to French"),
        ("Answer in French", "Use Spanish instead of French"),
        ("Use metric units", "Use imperial units"),
        ("Use euros", "Show prices in dollars"),
        ("Use the 24-hour clock", "Use 12-hour time"),
        ("Send the user reminders in the morning", "Send the user reminders in the evening"),
        ("Send the user reminders in the morning", "Move the user's reminders to the evening"),
        ("Send the user reminders in the morning", "Send the user reminders at 9 am"),
        ("Send the user reminders at 9 am", "Send the user reminders at 8 am"),
        ("Add a summary", "No more summaries"),
        ("Always give prices with VAT", "Give prices without VAT from now on"),
        ("Always answer with examples", "Answer without examples from now on"),
        ("Write tests without mocks", "Write tests with mocks from now on"),
        ("Use slang when the assistant talks to the user", "Do not use slang any more"),
    ],
)
def test_an_order_ends_one_of_another_value_or_sign(old: str, new: str) -> None:
    """Of each aspect of a deed one value holds at a time, and what is asked for is not forbidden."""
    assert overrules(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Write comments in English", "Answer in German from now on"),
        ("Always give prices with VAT", "Give prices without shipping from now on"),
        ("Always give prices with VAT", "Give quotes without VAT from now on"),
        ("Use slang when the assistant talks to the user's son", "Do not use slang any more"),
        ("Always answer in French", "Write emails in English from now on"),
        ("Always answer in French", "Never answer in German"),
        ("Never answer in French", "Never answer in German"),
        ("Never call the user before nine", "Never email the user before nine"),
        ("Never call the user before nine", "Never call the user after nine"),
        ("Always answer in French", "Answer in English when the user writes in English"),
        ("Always answer in French", "Do not always answer in French"),
        ("Keep answers short", "Keep answers formal"),
        ("Keep functions short", "Keep answers long"),
        ("Keep answers short and formal", "Give the user long answers from now on"),
        ("Book aisle seats", "Book window seats from now on"),
        ("Run the tests before every commit", "Run the tests before every release"),
    ],
)
def test_an_order_about_something_else_ends_none(old: str, new: str) -> None:
    """Another deed, object, case or aspect is another order."""
    assert not overrules(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Never call the user before nine", "You can call me before nine now"),
        ("Never call the user before nine", "You may call me before 9 am again"),
        ("Do not call the user before nine", "It's fine to call me before nine now"),
        ("Never call the user before nine", "You can call me at any time now"),
        ("The user does not want to be called before nine", "You can call me before nine"),
        ("Always answer in French", "You don't have to answer in French any more"),
        ("Always answer in French", "You no longer need to answer in French"),
        ("Always answer in French", "You can stop answering in French"),
        ("Always answer in French", "Stop answering in French"),
        ("Always answer in French", "You can answer in English again"),
        ("Always use metric units", "No need to use metric units anymore"),
        ("Never use emojis", "You can use emojis again"),
        ("Avoid jargon", "You may use jargon again"),
        ("Never use emojis", "Emojis are fine again"),
        ("Avoid emojis in the assistant's answers", "Emojis are fine again"),
        ("No more summaries", "You can add summaries again"),
        ("Never call the user before nine", "Calls before nine are fine again"),
        ("The user wants to be called Dodo", "You don't have to call me Dodo any more"),
        ("Never suggest pork", "Pork is fine again"),
        ("Do not recommend fish, Mike hates it", "You can suggest fish again"),
        ("Remind the user about heat every day", "Stop reminding the user about heat"),
        (
            "For commit messages always use conventional commits",
            "Stop using conventional commits, the bank has its own",
        ),
        ("Always give the user weights in kg", "Don't bother with kg any more"),
        ("Never email the user", "Actually email is fine"),
        ("Never email the user", "Emailing me is fine now"),
        ("Always cite sources", "You need no longer cite sources"),
        ("In future, cite authorities in full", "You don't have to cite authorities in full any more"),
        ("Round prices to the nearest 5p", "No need to round prices any more"),
    ],
)
def test_a_permission_or_a_release_lifts_what_it_names(old: str, new: str) -> None:
    """What was forbidden is allowed, what was asked for is needed no more."""
    assert lifts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Never call the user before nine", "You can call me before nine on Saturdays"),
        ("Never call the user before nine", "You can text me before nine again"),
        ("Never call the user before nine", "You can call me before eight now"),
        ("Never call the user before nine", "You can only call me before nine now"),
        ("Never call the user before nine", "Stop calling me"),
        ("Never call the user before nine", "Calls before eight are fine again"),
        ("Never use emojis", "Jargon is fine again"),
        ("Never use emojis", "My emojis are fine again"),
        ("Never call the user before nine", "You don't have to call me before nine any more"),
        ("Never use emojis", "You can use jargon again"),
        ("Always answer in French", "You don't have to answer in German any more"),
        ("Always answer in French", "You can't answer in French any more"),
        ("Always answer in French", "Can you answer in English again?"),
        ("Write comments in French", "You don't have to answer in French any more"),
        ("Never suggest pork or beef", "Pork is fine again"),
        ("Always suggest pork", "Pork is fine again"),
        ("Never email the user at night", "Email is fine now"),
        ("Never email the user", "My email is fine now"),
        ("Never call the user", "Email is fine"),
        ("In future, the user works in Rome", "You don't have to work in Rome any more"),
        ("Remind the user to round prices", "No need to round prices any more"),
        ("Never mention headaches", "Headaches are fine now"),
        ("Remind the user about heat every day", "Stop reminding the user about rain"),
        ("Do not bother the user at night", "Don't bother me at night any more"),
    ],
)
def test_a_permission_lifts_nothing_else(old: str, new: str) -> None:
    """What is narrower, or about another deed, leaves an order in force."""
    assert not lifts(new, old)


def test_the_user_s_name_is_the_user() -> None:
    """An order about somebody by name is the same once their name is known as the subject."""
    assert order_in("Never call Ana before nine", "Ana") == order_in("Never call me before nine")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use USD for prices", "Use euros for prices now"),
        ("Always use 2 spaces for indentation", "Use tabs from now on"),
    ],
)
def test_an_order_replaces_another_value_of_the_same_thing(old: str, new: str) -> None:
    """One currency and one indentation hold at a time."""
    assert overrules(new, old)


@pytest.mark.parametrize(
    ("old", "new", "ends"),
    [
        ("Always answer in French", "I don't want French any more", True),
        ("Always write in British English", "The user no longer wants British English", True),
        ("Always use emojis", "I no longer want emojis", True),
        ("Always give me code without comments", "Add comments to the code from now on", True),
        ("Always answer in French", "I don't want French", False),
        ("Always answer in French", "I don't like French any more", False),
        ("Always answer in French", "I don't want French food any more", False),
        ("Always answer in French", "I don't want to learn French any more", False),
        ("Always buy oat milk", "I don't want milk any more", False),
        ("Never use emojis", "I don't want emojis any more", False),
        ("Always give me code without comments", "Explain the comments in the code", False),
        ("Always give me code without comments", "Add tests to the code from now on", False),
    ],
)
def test_a_wish_that_no_longer_is_ends_the_order_for_just_that(old: str, new: str, *, ends: bool) -> None:
    """So does what puts to something what it was wanted without; taste, a goal and another thing end nothing."""
    one, other = order_in(new), order_in(old)
    assert one is not None
    assert other is not None
    assert is_overruled(one, other) == ends


def test_everything_adds_nothing_to_what_an_order_is_for() -> None:
    """Who has everything written in a way lifts that with "write" alone."""
    lift, order = (
        lift_in("You don't have to write in British English any more"),
        order_in("Please write everything in British English"),
    )
    assert lift is not None
    assert order is not None
    assert is_lifted(lift, order)
