"""What a clause leaves to the words before it: whom "she" means, what "it" is, and which verb goes on."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Candidate


def told(*texts: str) -> list[Candidate]:
    return RuleExtractor().extract([HumanMessage(it) for it in texts])


def related(text: str) -> list[tuple[str | None, str | None, str | None]]:
    return [(it.subject, it.relation, it.object) for it in told(text)]


def test_an_allergy_is_that_of_whom_it_is_said() -> None:
    """A son's allergy is his: it is said of him by name, and of the user there is only that he is their son."""
    found = related("My son Max is allergic to penicillin.")
    assert found == [("user", "son", "Max"), ("Max", "allergic_to", "penicillin")]


@pytest.mark.parametrize(
    "text",
    [
        "My manager is Priya Patel and she lives in Leeds.",
        "My manager is Priya Patel, who lives in Leeds.",
        "My manager is Priya Patel. She lives in Leeds.",
        "My manager is Priya Patel. She's based in Leeds.",
    ],
)
def test_what_she_does_is_said_of_whom_the_words_before_name(text: str) -> None:
    """Two facts: who somebody is to the user, and what lasts about them."""
    assert related(text) == [("user", "manager", "Priya Patel"), ("Priya Patel", "lives_in", "Leeds")]


def test_it_is_the_case_that_the_sentence_before_names() -> None:
    """The status is that of the case, and both sentences are its evidence."""
    text = "Ticket 4711 is about the invoice. It is resolved now."
    [found] = told(text)
    assert (found.subject, found.relation, found.object) == ("ticket 4711", "status", "resolved")
    assert (found.content, found.provenance.evidence) == ("Ticket 4711 is resolved", text.rstrip("."))


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("My order A-118 was shipped.", "shipped"),
        ("Issue 9 is no longer blocked.", "not blocked"),
        ("Release 3.1 has been rolled back.", "rolled back"),
        ("Exercise 14 is solved.", "solved"),
    ],
)
def test_a_numbered_thing_has_a_state(text: str, state: str) -> None:
    """At a desk, on the way, in a pipeline, or in a lesson; what "was" so once is no state."""
    assert [(relation, found) for _, relation, found in related(text)] == [("status", state)]
    assert related("Ticket 4711 was open.") == []


@pytest.mark.parametrize(
    "texts",
    [
        ("My boss Tom manages Nora. She lives in Ghent.",),
        ("My brother Tom is here. She lives in Ghent.",),
        ("Tom is my boss. Is he well? Eva is here. He lives in Ghent.",),
        ("Maybe our manager is Eva.", "She lives in Ghent."),
        ("Maybe our manager is Eva. I live in York.", "She lives in Ghent."),
        ("Suppose my boss is Eva. She lives in Ghent.",),
        ("Maybe my boss is Eva. She lives in Ghent.",),
        ('He wrote "my boss is Eva". She lives in Ghent.',),
    ],
)
def test_of_several_or_none_nothing_is_said(texts: tuple[str, ...]) -> None:
    """Of two people "she" may be either; a doubt and a quote name nobody here, nor in the message before."""
    assert not [it for it in told(*texts) if "Ghent" in it.content]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I don't work at Acme anymore, I'm at Globex.", "The user works at Globex"),
        ("I no longer live in Leeds. I'm in York now.", "The user lives in York now"),
        ("We don't use Trello any more, we're on Jira.", "The user's team uses Jira"),
    ],
)
def test_where_one_is_instead_goes_on_with_the_verb(text: str, content: str) -> None:
    """Who is at one firm and no longer works at another works at the first."""
    assert [it.content for it in told(text)][1:] == [content]


def test_what_is_denied_relates_nobody_to_anything() -> None:
    """Who no longer works somewhere has no employer by that."""
    assert related("I no longer work at Acme.") == [("user", None, None)]
    assert related("I don't live in York anymore.") == [("user", None, None)]
    assert related("I live with my sister.") == [("user", None, None)]


def test_a_word_about_somebody_else_can_be_corrected() -> None:
    """A short correction mends what was said of a relative just as what was said of the user."""
    assert related("My sister Nora works at Acme. No, at Globex.")[-1] == ("Nora", "works_at", "Globex")


@pytest.mark.parametrize(
    ("said", "then", "content"),
    [
        ("My sister is called Anna.", "She lives in Ghent.", "Anna lives in Ghent"),
        ("My brother is vegan.", "He lives in Ghent.", "The user's brother lives in Ghent"),
        ("My wife is a doctor.", "She lives in Ghent now.", "The user's wife lives in Ghent"),
    ],
)
def test_a_pronoun_that_opens_a_message_is_the_one_person_of_the_message_before(
    said: str, then: str, content: str
) -> None:
    """Told by both messages."""
    messages = [HumanMessage(said, id="a"), AIMessage("Noted.", id="b"), HumanMessage(then, id="c")]
    [found] = RuleExtractor().extract(messages, new_from=2)
    assert found.content.startswith(content)
    assert found.provenance.message_ids == ("a", "c")


@pytest.mark.parametrize(
    ("said", "answer", "then"),
    [
        ("My sister Anna and my aunt Eve visited.", "Nice.", "She lives in Ghent."),
        ("My sister is called Anna. Who wrote it?", "A poet.", "She lives in Ghent."),
        ("My sister is called Anna.", "Like the singer Adele?", "She lives in Ghent."),
        ("My sister is called Anna.", "Barbara is my favourite name.", "She lives in Ghent."),
        ("My sister is called Anna.", "And your mother?", "She lives in Ghent."),
        ("My wife saw a doctor.", "Good.", "She lives in Ghent."),
        ("My sister is vegan.", "Fine.", "He lives in Ghent."),
        ("My sister is vegan.", "Fine.", "I think Eve is nice. She lives in Ghent."),
        ("I live in York.", "Fine.", "She lives in Ghent."),
    ],
)
def test_where_anybody_else_may_be_meant_it_is_nobody(said: str, answer: str, then: str) -> None:
    """Whom the message before names beside them, whom the answer names, or who was spoken of since."""
    messages = [HumanMessage(said), AIMessage(answer), HumanMessage(then)]
    assert not [it for it in RuleExtractor().extract(messages, new_from=2) if "Ghent" in it.content]
