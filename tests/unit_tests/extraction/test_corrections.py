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
