"""What ends a standing order, what is said as an idiom, and what is asked for this turn alone."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.people.address import is_called
from langchain_agentmem.extraction import RuleExtractor


def said(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("You can call me before nine now.", "The assistant can call the user before nine again"),
        ("You may call me before nine again.", "The assistant can call the user before nine again"),
        ("You don't have to answer in French any more.", "The assistant no longer has to answer in French"),
        ("No need to use metric units anymore.", "There is no more need to use metric units"),
        ("You can stop answering in French.", "The assistant can stop answering in French"),
        ("emojis are ok now", "Emojis are ok again"),
        ("pork is fine now", "Pork is fine again"),
        ("Actually email is fine.", "Email is fine again"),
        ("Don't bother with kg any more, stones is fine.", "Do not bother with kg any more"),
    ],
)
def test_what_lifts_an_order_is_told_to_the_write_policy(text: str, content: str) -> None:
    """A permission or a release is worded so that it stands alone."""
    assert said(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "You can do it now.",
        "Headaches are fine now.",
        "Pork is fine.",
        "Don't bother.",
        "You don't have to explain.",
        "You don't have to apologise any more.",
        "No need to worry any more.",
        "My boss says you can call me before nine now.",
        "Can you answer in English again?",
        "If I move, you can call me before nine again.",
        "Maybe you can call me before nine now.",
        "You used to answer in French.",
        '"You can call me before nine now," she said.',
        "You can call me before nine today.",
        "You don't have to answer in French this time.",
        "You can't call me before nine any more.",
        "You can only call me after nine now.",
        "She no longer has to answer in French.",
        "We don't have to answer in French any more.",
        "Don't take it personally.",
        "Don't take this the wrong way.",
        "Don't take that the wrong way without reading it all.",
        "Don't take it.",
        "Don't take it so seriously.",
        "Don't take me too literally.",
        "Don't take it for granted.",
        "Don't take it out on me.",
        "Don't take it as criticism unless I say so.",
        "Don't take offence.",
        "Don't take everything I say literally.",
        "Don't take that tone with me.",
        "Don't take it away yet.",
        "My boss said don't take it into production without tests.",
        "Why don't you take it into production without tests?",
        "They don't take it into production without tests.",
        "Don't get me wrong.",
        "Don't worry.",
        "Never mind.",
        "Don't ask.",
        "Don't ask me why.",
        "Don't quote me on that.",
        "Don't shoot the messenger.",
        "Don't be ridiculous.",
        "Don't be offended.",
        "Answer in English: what is the capital of France?",
        "Answer in English, please: what is the capital of France?",
        "Call me Monday.",
        "My sister said call me Dodo.",
    ],
)
def test_what_is_no_standing_order_is_not_told(text: str) -> None:
    """Idioms, courtesies, questions, quotes, cases that are not, other people, and orders for one turn say nothing."""
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Don't be late for meetings.",
        "Don't be formal.",
        "Don't ask me for my password.",
        "Don't take calls after six.",
        "Don't take it into production without tests.",
        "Don't take it live without a backup.",
        "Don't take it out of staging without a review.",
        "Do not take it to the board unless I have signed it.",
        "Don't take that to the client without my approval.",
        "Don't take everything down without warning the team.",
        "Don't take it offline unless support knows.",
    ],
)
def test_a_ban_that_looks_like_an_idiom_is_kept(text: str) -> None:
    """What names a deed of its own is forbidden for good."""
    assert len(said(text)) == 1


@pytest.mark.parametrize("text", ["Call me Dodo.", "Call me Dodo instead.", "Please call me Dodo from now on."])
def test_a_form_of_address_is_marked_as_one(text: str) -> None:
    """A name that is given to be called by may stand beside another one."""
    [found] = RuleExtractor().extract([HumanMessage(text)])
    assert (found.object, is_called(found)) == ("Dodo", True)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("use euros for prices now", "Use euros for prices now"),
        ("prices in euros now please", "Show prices in euros now please"),
        ("use metric now", "Use metric now"),
        ("answer in german when i write german", "Answer in german when the user writes german"),
        ("don't mention chiara unless i bring her up", "Do not mention chiara unless the user brings her up"),
        (
            "When you write posts for me keep them under 100 words.",
            "When the assistant writes posts for the user keep them under 100 words",
        ),
        ("Don't tell me to stay positive, I hate that.", "Do not tell the user to stay positive"),
    ],
)
def test_an_order_of_everyday_is_kept(text: str, content: str) -> None:
    """What is switched to from now on, in which case, and what is never to be said."""
    assert content in said(text)


@pytest.mark.parametrize(
    "text", ["I looked up prices in euros.", "Don't mention it.", "Open the docs in new tabs now."]
)
def test_what_only_looks_like_a_switch_is_no_order(text: str) -> None:
    """A search, a courtesy and a deed of the moment stand for nothing."""
    assert said(text) == []


def test_two_orders_side_by_side_are_two() -> None:
    """Each can be lifted without the other."""
    assert said("Be concise, no emojis.") == ["Be concise", "No emojis"]
