from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Candidate

rules = RuleExtractor()


def last(*messages: BaseMessage) -> list[Candidate]:
    """What the last message yields."""
    return rules.extract(messages, user_name="Alice", new_from=len(messages) - 1)


@pytest.mark.parametrize(
    "correction",
    [
        "Actually, TypeScript.",
        "Sorry, I meant TypeScript.",
        "No, TypeScript, not JavaScript.",
        "Actually TypeScript, not JavaScript.",
    ],
)
def test_a_short_correction_is_read_with_what_it_corrects(correction: str) -> None:
    """The right word takes the place of the wrong one in the earlier statement."""
    [found] = last(HumanMessage("I prefer JavaScript for frontends.", id="a"), HumanMessage(correction, id="b"))
    assert found.content.startswith("Alice prefers TypeScript")
    assert (found.is_correction, found.confidence, found.provenance.message_ids) == (True, 0.95, ("b", "a"))


def test_what_the_assistant_got_wrong_can_be_corrected() -> None:
    """A claim of the assistant about the user is the earlier statement as well."""
    [found] = last(AIMessage("Since you live in Munich, take the train."), HumanMessage("No, it's Berlin, not Munich."))
    assert found.content == "Alice lives in Berlin"


def test_a_full_sentence_corrects_by_itself() -> None:
    """Introduced by "actually", a statement replaces what was known."""
    [found] = last(HumanMessage("Actually, I live in Ghent."))
    assert (found.content, found.is_correction) == ("Alice lives in Ghent", True)


@pytest.mark.parametrize(
    "text",
    ["I moved to Ghent.", "I no longer work at Acme.", "I don't eat meat anymore.", "My new number is 555 1234."],
)
def test_words_of_change_correct(text: str) -> None:
    """What says that something else was true before is a correction without saying so."""
    assert [found.is_correction for found in last(HumanMessage(text))] == [True]


def test_no_to_a_question_corrects_nothing() -> None:
    """After a question, "no" is an answer."""
    [found] = last(AIMessage("Should I book for your husband as well?"), HumanMessage("No, I'm not married."))
    assert (found.content, found.is_correction) == ("Alice is not married", False)


def test_a_bare_correction_of_nothing_is_left_out() -> None:
    """Without an earlier statement nobody knows what was corrected."""
    assert last(HumanMessage("Actually, TypeScript.")) == []


def test_a_contrast_is_kept_in_its_own_words_where_nothing_was_heard() -> None:
    """Right and wrong are both named, so the correction stands alone."""
    [found] = last(HumanMessage("Actually, TypeScript, not JavaScript."))
    assert (found.content, found.is_correction) == ("Alice means TypeScript, not JavaScript", True)


def test_a_word_that_only_announces_corrects_nothing() -> None:
    """The word "wait" is not what the user prefers."""
    earlier = HumanMessage("I prefer JavaScript for frontends.", id="a")
    found = last(earlier, HumanMessage("wait actually TypeScript, not JavaScript", id="b"))
    assert not [it for it in found if "wait" in it.content]


LONG = (
    "We spent the whole weekend with the children at the lake house that my parents bought years ago, and it was fun"
    " because we played board games and cooked together, which is rare in this family"
)


@pytest.mark.parametrize(
    ("text", "corrections", "others"),
    [
        (
            "I no longer work at Acme and I love hiking in the mountains, and my dog is called Rex",
            ["Alice no longer works at Acme"],
            ["Alice loves hiking in the mountains", "Alice's dog is called Rex"],
        ),
        ("Actually, I live in Ghent and I have two dogs", ["Alice lives in Ghent"], ["Alice has two dogs"]),
        ("Actually, I live in Ghent and work at Acme", ["Alice lives in Ghent", "Alice works at Acme"], []),
        ("My friend changed from law to medicine, and I study physics", [], ["Alice studies physics"]),
        ("I gave up on French, I'm learning Italian instead.", ["Alice is learning Italian instead"], []),
        ("I live in Ghent, no wait, I moved to Bruges", ["Alice moved to Bruges"], []),
        ("I told you last week that I prefer Java, but actually I prefer Kotlin", ["Alice prefers Kotlin"], []),
        (
            "Sorry, I was wrong in the note from this morning, my birthday is on 5 May",
            ["Alice's birthday is on 5 May"],
            [],
        ),
        (
            f"{LONG}, but actually I live in Ghent now and I work at Acme",
            ["Alice lives in Ghent now"],
            ["Alice works at Acme"],
        ),
        (
            f"{LONG}, and I work at Acme and I no longer live in Lyon",
            ["Alice no longer lives in Lyon"],
            ["Alice works at Acme"],
        ),
        (f"{LONG}, and {LONG}, and {LONG}, but actually I live in Ghent now", ["Alice lives in Ghent now"], []),
        (f"{'so ' * 200}, but actually I live in Ghent now", ["Alice lives in Ghent now"], []),
        (f"Suppose {LONG}, and {LONG}, and {LONG}, but actually I live in Ghent now", [], []),
    ],
)
def test_in_a_long_message_a_correction_is_what_it_says_it_of(
    text: str, corrections: list[str], others: list[str]
) -> None:
    """A clause that replaces something, wherever it stands, says nothing of the clauses beside it."""
    found = last(HumanMessage(text))
    assert [it.content for it in found if it.is_correction and "gave up" not in it.content] == corrections
    assert [it.content for it in found if not it.is_correction] == others
