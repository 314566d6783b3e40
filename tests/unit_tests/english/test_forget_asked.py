"""Who asks to forget, however politely, asks for what they name; who only speaks of forgetting asks for nothing."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_asked import (
    WHOLE_TALK,
    ForgetAsked,
    forget_asked,
    is_of_everything,
    is_unclear,
)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I'd like you to forget my diet", "my diet"),
        ("Would you mind forgetting where I live?", "where I live"),
        ("Could you please erase my address?", "my address"),
        ("I want you to delete everything about my ex", "my ex"),
        ("Delete everything about my brother Tom.", "my brother Tom"),
        ("It'd be great if you forgot my birthday", "my birthday"),
        ("It would be very kind of you if you could forget my birthday.", "my birthday"),
        ("Do me a favour and forget my phone number", "my phone number"),
        ("Could you do me a favor: delete my phone number.", "my phone number"),
        ("I'd really appreciate it if you deleted my address.", "my address"),
        ("I'd appreciate you forgetting my job.", "my job"),
        ("Hi, I would prefer it if you forgot my age", "my age"),
        ("I'd rather you forgot my age", "my age"),
        ("I was wondering if you could forget where I work", "where I work"),
        ("Would it be possible to delete my phone number?", "my phone number"),
        ("Is it possible for you to forget my address?", "my address"),
        ("May I ask you to kindly forget my birthday?", "my birthday"),
        ("I have to ask you to delete my address", "my address"),
        ("Would you be so kind as to erase my address?", "my address"),
        ("It's time you forgot my ex", "my ex"),
        ("I think you should forget my birthday.", "my birthday"),
        ("Pls forget my diet", "my diet"),
        ("I moved. Do you mind deleting my address?", "my address"),
        ("Forget what I said about my ex", "my ex"),
        ("Forget everything about work", "work"),
        ("Forget everything you know about Tom", "Tom"),
        ("Forget my address if you can", "my address"),
        ("Forget my address and book a table", "my address"),
        ("Forget that I'm allergic to nuts, the doctor tested it", "that I'm allergic to nuts"),
        ("Forget about the dentist, it got cancelled", "the dentist"),
        ("Forget my sister, my brother and my dog", "my sister, my brother and my dog"),
        ("Forget that my boss, Keith, is strict", "that my boss, Keith, is strict"),
        ("Forget Tom's dog.", "Tom's dog"),
        ("Delete my address and my phone number.", "my address and my phone number"),
        ("Forget tomatoes", "tomatoes"),
        ("plz forget my address", "my address"),
        ("I want that you forget my address.", "my address"),
        ("Forget my address, mate.", "my address"),
        ("Forget the .env file I pasted", "the .env file"),
        ("Delete the dog from your notes.", "the dog"),
        ("scrap the 120 word limit", "the 120 word limit"),
        ("Drop that word limit please.", "that word limit"),
        ("Please delete from your memory anything I have said about Mr Okafor.", "Mr Okafor"),
        ("Forget where I used to live.", "where I used to live"),
        ("Forget my address, I mean it.", "my address"),
        ("Forget my address, I meant to tell you earlier.", "my address"),
        ("Forget what I said about the cat, I meant the dog.", "the cat"),
        ("Forget my address. I meant what I said.", "my address"),
    ],
)
def test_a_request_names_what_it_means_however_politely_it_is_put(text: str, what: str) -> None:
    """A question, a wish, a condition of courtesy: each is the order it stands for."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize(
    "text",
    [
        "forget all that",
        "Forget all of that, please.",
        "Please forget all of this",
        "Forget all of it.",
        "Forget it all now",
        "Forget the whole thing",
        "Would you mind forgetting all that?",
        "Forget what I said.",
    ],
)
def test_all_that_is_what_was_said_last(text: str) -> None:
    """Never all of memory; and where the last message was a task, the task."""
    assert forget_asked(text) == ForgetAsked(last=1, is_bare=True)


@pytest.mark.parametrize(
    "text",
    [
        "Forget this conversation",
        "Forget our whole conversation.",
        "Forget everything I said in this chat",
        "Please forget all I told you so far.",
        "Forget everything I said.",
    ],
)
def test_a_conversation_is_all_its_messages(text: str) -> None:
    """And none of another one."""
    assert forget_asked(text) == ForgetAsked(last=WHOLE_TALK)


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything",
        "Forget everything about me and close the chat",
        "Forget everything you know.",
        "Forget everything you've ever stored about me",
        "Forget everything I told you.",
        "Forget all the things I've told you.",
        "Forget whatever you know about me",
        "Erase all my data",
        "Delete all my personal information.",
        "I'd like you to delete all you know about me",
        "Would you mind deleting all my data?",
        "Wipe your memory of me",
        "Delete my profile from your memory",
        "Forget every single thing you know about me",
        "Forget me completely",
    ],
)
def test_everything_is_everything_where_nothing_narrows_it(text: str) -> None:
    """What is known, what was told, what is stored: of the user, and without a bound."""
    assert forget_asked(text) == ForgetAsked(is_all=True)


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything I told you today",
        "Forget everything I told you on Monday.",
        "Forget everything from yesterday",
        "Forget all I said in the last hour",
        "Forget what we talked about this morning",
        "Forget everything we discussed",
        "Forget everything except my name",
        "Forget everything you know about me except my name",
        "Forget everything but my name",
        "Forget everything, let's start over",
        "Forget everything and start from scratch",
    ],
)
def test_a_part_that_nothing_tells_is_asked_about(text: str) -> None:
    """It is neither everything nor what has the words."""
    asked = forget_asked(text)
    assert asked is not None
    assert (asked.is_all, asked.last) == (False, 0)
    assert is_unclear(asked.what or "")


@pytest.mark.parametrize(
    "text",
    [
        "Forget to call Tom",
        "Drop the rate limit.",
        "Remove the word limit from the form.",
        "Scrap the 20 minute limit",
        "Delete my address and my draft",
        "Forget the cat, I meant the dog.",
        "Forget the cat \u2013 sorry, I was talking about the dog",
        "Forget the cat. I mean the dog.",
        "Forget about Tom, I meant Clara.",
        "Let's forget about my diet, what's for dinner?",
        "Let's forget my diet for tonight",
        "Forget about my diet for a moment, what's good here?",
        "Forget my diet for today, I want pizza",
        "Forget it",
        "Never mind",
        "Forget about it",
        "Forget it, would you?",
        "I always forget my keys",
        "Don't forget my birthday",
        "How do I delete my Facebook account?",
        "I forgot my address at home",
        "I keep forgetting my phone number",
        "Would you mind not forgetting my birthday?",
        "I'd be sad if you forgot my birthday",
        "It'd be awful if you forgot my birthday",
        "It would be great if you remembered my birthday",
        "It'd be great if you never forgot my birthday",
        "I'd be grateful if you didn't forget my birthday",
        "I hate it when you forget my name",
        "I want to forget my ex",
        "I'm trying to forget my ex",
        "Help me forget my ex",
        "How can I forget my ex?",
        "Can I delete my address from Amazon?",
        "Is it possible to delete my Instagram account?",
        "Would it be possible to delete my account at Amazon?",
        "I lost my phone number",
        "I dropped my phone",
        "I want to drop my course",
        "I want to drop 5 kilos",
        "I want you to delete everything about the Q3 report",
        "I deleted everything about my ex",
        "She wants me to forget my ex",
        "My boss told me to forget the whole thing",
        "I'll forget the whole thing",
        "Wipe my data off the old laptop in the script",
        "Can I wipe my data from my old phone?",
        "Clear my search history",
        "Would you mind deleting line 5?",
        "Would you mind deleting my draft?",
        "Would you mind removing my name tag from the photo?",
        "I'd appreciate it if you removed my typo",
        "Do me a favour and drop me a line",
        "Do me a favour and don't forget my birthday",
        "I'd rather forget my age",
        "I'd rather not forget my age",
        "I wish you hadn't forgotten my birthday",
        "Did you forget all that?",
        "I can't forget all of this",
        "What happens if I forget everything?",
        "My grandmother is starting to forget my name",
        "Can I make you forget my address?",
        "How do I get you to delete everything about me?",
        "Would you delete my data if I asked?",
        "Forget my address if I move to Rome",
        "Delete everything",
        "Delete everything in the folder",
        "Remove everything from my cart",
        "Drop everything and help me",
        "I lose my keys all the time",
        "Forget the whole thing with the blue background, use red",
        "Forget all that, use red",
        "Forget what the doctor said, what do you think?",
        "Amazon should delete all my data",
        "Write a letter asking Google to delete my address",
        "Write an email: please delete my address",
        'Translate "forget my address" into French',
        "Forget-me-nots are my favourite flowers",
        "Would you mind if I forgot my birthday?",
        "Do you mind if I delete my photo?",
    ],
)
def test_who_speaks_of_forgetting_asks_for_nothing(text: str) -> None:
    """Of what they forget or lose themselves, of files and accounts, of what is put aside for now, or if ever."""
    assert forget_asked(text) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Delete my job and my birthday.", "my job and my birthday"),
        ("Forget my address. And forget my dentist.", "my address and my dentist"),
        ("Forget my address and forget my dentist.", "my address and my dentist"),
        ("Please forget my address. Also delete my birthday.", "my address and my birthday"),
        ("Forget my dog. Forget my job too. Thanks!", "my dog and my job"),
        ("Forget that I like tea. And forget that I live in York.", "that I like tea and that I live in York"),
        ("Forget my address. What did Tom forget?", "my address"),
        ("Forget my address. Delete my draft.", "my address"),
        ("Delete my jobs and my address.", None),
        ("Delete my draft and my birthday.", None),
        ("Delete my dog and my birthday.", None),
    ],
)
def test_each_of_several_orders_counts(text: str, what: str | None) -> None:
    """In one message; an order to delete a thing is none, though what is only known stands beside it."""
    asked = forget_asked(text)
    assert (None if asked is None else asked.what) == what


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything except my job.",
        "Delete everything except my job.",
        "Wipe my memory, except for my job.",
        "Forget everything, but keep my job.",
        "Forget everything. Keep my job though.",
        "Forget everything about me, only keep my job.",
        "Except for my job, forget everything.",
        "Delete all my data, not my name though.",
    ],
)
def test_all_but_something_is_unclear(text: str) -> None:
    """It is asked about, and never all."""
    asked = forget_asked(text)
    assert asked is not None
    assert not asked.is_all
    assert is_unclear(asked.what or "")


@pytest.mark.parametrize("text", ["Forget everything.", "Forget everything and keep it short.", "Wipe my memory."])
def test_all_is_all_where_nothing_is_spared(text: str) -> None:
    """Whatever else is wanted."""
    asked = forget_asked(text)
    assert asked is not None
    assert asked.is_all


def test_a_file_but_for_a_line_is_no_memory() -> None:
    """What is spared must be known of somebody."""
    assert forget_asked("Delete everything except the header.") is None


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Forget everything about Java.", True),
        ("Forget all you know about Java.", True),
        ("Forget what I told you about Java.", True),
        ("Forget Java.", False),
        ("Forget about Java.", False),
        ("What is everything about Java?", False),
    ],
)
def test_everything_about_something_is_told_from_the_thing(text: str, *, is_so: bool) -> None:
    """By the words for all of it."""
    assert is_of_everything(text) == is_so
