"""Orders to forget or not to keep in the words people use: with a reason, the thing first, the noun for a state."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_asked import ForgetAsked, forget_asked
from langchain_agentmem.english.requests.forget_request import is_meant
from langchain_agentmem.english.requests.not_keeping import not_to_keep, points_back, without_unkept
from langchain_agentmem.english.requests.standing_bans import bans_memory


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Please forget about my miscarriage, it makes me sad", "my miscarriage"),
        ("Could you forget about Joan, it makes me sad to be reminded.", "Joan"),
        ("Forget my ex Tom, it hurts", "my ex Tom"),
        ("Can you please forget about my tumour because I want to start fresh", "my tumour"),
        ("forget my ex - it hurts too much", "my ex"),
        ("forget my tumour (it upsets me)", "my tumour"),
        ("forget my divorce, too painful", "my divorce"),
        ("forget my salary, my boss reads this", "my salary"),
        ("forget my diagnosis so I can move on", "my diagnosis"),
        ("forget my weight for privacy reasons", "my weight"),
        ("wipe what I told you about rehab because my wife uses this", "rehab"),
        ("forget that I'm gay because it's private", "that I'm gay"),
        ("forget that I quit because I was bored", "that I quit because I was bored"),
        ("forget that I moved because of Tom", "that I moved because of Tom"),
    ],
)
def test_a_reason_is_no_part_of_what_is_named(text: str, what: str) -> None:
    """Unless it may be part of what is claimed."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("that thing about maddie, forget it, we broke up for real", "maddie"),
        ("my tumour: forget it", "my tumour"),
        ("that about my tumour, delete it please", "my tumour"),
        ("the tumour thing? forget I ever mentioned it", "the tumour thing"),
        ("what i told you about the tumour, pls delete that from your memory", "the tumour"),
        ("strike that about Sam from your memory", "Sam"),
        ("Take that about Sam out of your memory.", "Sam"),
        ("Regarding my rehab, could you please forget it?", "my rehab"),
        ("my drinking, please forget it", "my drinking"),
        ("the rehab stuff, forget it", "the rehab stuff"),
        ("That whole rehab thing. Forget about it.", "That whole rehab thing"),
        ("I take back what I said about Sam", "Sam"),
        ("Sorry, I'd like to take back everything I told you about rehab.", "rehab"),
    ],
)
def test_the_thing_may_stand_before_the_order(text: str, what: str) -> None:
    """What is told of it, or an order that is more than "forget it", makes it a request."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize(
    "text",
    [
        "I keep forgetting my keys, it makes me sad",
        "don't forget the thing about mum's birthday",
        "I can't believe she'd delete that",
        "I can't forget about my ex, it hurts",
        "The party? Forget it.",
        "The cake? Forget it, let's do a pie.",
        "The gym: forget it, too expensive",
        "My phone, forget it, I'll buy a new one",
        "The part about the budget, delete it.",
        "my draft, delete it please",
        "my essay: forget it",
        "the thing about Sam, don't forget it",
        "that thing about dinner, let's forget it",
        "the cake thing, forget it, let's do a pie",
        "the easy stuff, forget it",
        "the gym thing? forget it",
        "I take back what I said about your code",
        "I took back what I said about Sam",
        "He takes back what he said about Sam",
        "take everything you know about me and write a bio",
        "take the recipe from your notes and cook it",
        "scrap that idea, it's raining",
        "delete this, it's wrong, and start over",
        "Strike that from the second paragraph",
    ],
)
def test_what_only_looks_like_a_request_asks_for_nothing(text: str) -> None:
    """Talk of forgetting, plans that are dropped, texts that are edited."""
    assert forget_asked(text) is None


@pytest.mark.parametrize(
    "order",
    [
        "(this is private, do not remember)",
        "But please keep that out of your memory.",
        "I don't want this saved.",
        "I don't want that remembered",
        "I'd rather that wasn't kept on file.",
        "That should not be in your notes.",
        "This must not be stored.",
        "Not to be saved.",
        "Don't put that in my profile.",
        "Don't save that, I shouldn't have said it.",
        "Don't store any of that, I was drunk.",
        "Let's not save that.",
        "Forget I said that.",
    ],
)
def test_what_is_not_to_be_kept_is_told_in_other_words(order: str) -> None:
    """What stands before the order is meant, and a reason behind it is not."""
    text = f"I like tea. I have a tumour. {order}"
    assert [it.what for it in not_to_keep(text)] == ["I have a tumour"]
    assert without_unkept(text).strip(" .)") == "I like tea"
    assert forget_asked(text) == ForgetAsked(what="I have a tumour")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("please don't keep the thing about my mum's cancer", "the thing about my mum's cancer"),
        ("please don't hold on to the info about my tumour", "the info about my tumour"),
        ("Don't keep the stuff about Joan.", "the stuff about Joan"),
        ("Keep my tumour out of your memory.", "my tumour"),
        ("don't add my salary to my profile", "my salary"),
        ("I'd like you not to remember that I'm gay", "that I'm gay"),
        ("Don't write this anywhere: I smoke", "I smoke"),
        ("not for your memory: I was in prison", "I was in prison"),
        ("The following is private and should not be stored. I smoke. I drink.", "I smoke. I drink"),
    ],
)
def test_all_of_it_is_blanked(text: str, what: str) -> None:
    """An order that names what it means leaves nothing to be read."""
    assert [it.what for it in not_to_keep(text)] == [what]
    assert without_unkept(text).strip(" .") == ""


@pytest.mark.parametrize(
    "text",
    [
        "The API returns a token. It must not be logged.",
        "I don't want this saved to disk",
        "Don't put that in the README.",
        "Don't put this in my LinkedIn profile yet",
        "Don't keep the info on Jenkins in the README",
        "That shouldn't be stored in plain text.",
        "My passwords should not be stored in plain text",
        "Don't keep the thing about pricing in the intro",
        "Leave that out of the report",
        "He said it is not for the record.",
        "I don't want the kids spoiled",
        "Don't hold on to the past",
    ],
)
def test_orders_about_work_and_sayings_are_no_such_orders(text: str) -> None:
    """They say where, or of whom nothing is kept."""
    assert not_to_keep(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "please don't save that, I shouldn't have said it",
        "hmm actually can you not remember that?",
        "I don't want that stored anywhere",
        "Let's keep that out of your notes.",
    ],
)
def test_such_an_order_alone_points_back(text: str) -> None:
    """To what was said before it."""
    assert points_back(text)
    assert forget_asked(text) == ForgetAsked(last=1)


def test_a_rebuke_and_a_file_are_not_pointed_back_to() -> None:
    """Where nothing says that it is about what was told."""
    assert not any(map(points_back, ["can you not remember that?", "Don't save it.", "Don't save that, I need a copy"]))


def test_delete_this_is_about_memory_where_it_is_said_to_be_private() -> None:
    """It may be about anything at hand otherwise."""
    assert forget_asked("delete this please, it's private") == ForgetAsked(last=1, is_bare=True)
    assert forget_asked("delete this please") == ForgetAsked(last=1, is_bare=True, is_of_things=True)


def test_the_following_is_a_ban_where_nothing_follows() -> None:
    """It is about a message to come."""
    order = "The following is private and should not be stored."
    assert (bans_memory(order), bans_memory(f"{order} I smoke.")) == (True, False)


@pytest.mark.parametrize(
    ("what", "content", "is_so"),
    [
        ("my pregnancy", "The user is pregnant, due in March", True),
        ("the pregnancy", "The user's team is expecting a girl, due in March", True),
        ("that I'm pregnant", "The user is expecting twins", True),
        ("my pregnancy", "The user is expecting a parcel", False),
        ("my pregnancy", "The user's sister is pregnant", False),
        ("the breakup", "Tom and the user broke up", True),
        ("my depression", "The user is depressed", True),
        ("my mum's death", "The user's mum died in May", True),
        ("my mum's death", "The user's dog died in May", False),
        ("my illness", "The user's dad is ill", False),
    ],
)
def test_a_state_is_named_by_its_noun(what: str, content: str, is_so: bool) -> None:  # noqa: FBT001  (a case)
    """And told by an adjective or a verb."""
    assert is_meant(what, content) is is_so
