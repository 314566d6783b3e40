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


@pytest.mark.parametrize(
    "text",
    [
        "Actually, TypeScript, not JavaScript.",
        "Correction: Lyon, not Paris.",
        "Turns out it's Monday, not Friday",
        "Oops, her name is Hannah, not Anna",
    ],
)
def test_a_contrast_with_what_was_never_heard_is_left_out(text: str) -> None:
    """What is right and what is wrong say nothing without the statement that they stand in."""
    assert last(HumanMessage(text)) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("No, I meant I live in Lyon.", "Alice lives in Lyon"),
        ("I meant I live in Lyon.", "Alice lives in Lyon"),
        ("Sorry, I meant to say that I live in Lyon.", "Alice lives in Lyon"),
        ("What I meant is I live in Lyon.", "Alice lives in Lyon"),
        ("No wait, I meant I live in Lyon, not Paris", "Alice lives in Lyon, not Paris"),
        ("Sorry, I mean I like pizza.", "Alice likes pizza"),
        ("Sorry, I meant my brother lives in Milan.", "The user's brother lives in Milan"),
    ],
)
@pytest.mark.parametrize("earlier", [[], [HumanMessage("I live in Paris.")]])
def test_a_whole_sentence_that_was_meant_is_that_sentence(earlier: list[BaseMessage], text: str, content: str) -> None:
    """Behind "I meant" a sentence says what it says by itself, and it corrects."""
    [found] = last(*earlier, HumanMessage(text))
    assert (found.content, found.is_correction) == (content, True)


def test_i_mean_before_a_sentence_corrects_nothing() -> None:
    """Who says "I mean" goes on; only what was meant, or a word of correction, puts something right."""
    [found] = last(HumanMessage("I mean I like pizza."))
    assert (found.content, found.is_correction) == ("Alice likes pizza", False)


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        ("I like tea and I live in Rome", "Sorry, I meant coffee."),
        ("I like tea. I live in Rome.", "Sorry, I meant coffee."),
        ("I like tea and I live in Rome", "Sorry, I meant Milan."),
        ("My sister is Anna and my brother is Ben.", "Sorry, I meant Hannah."),
        ("My sister Nora works at Acme.", "Sorry, I meant Globex."),
        ("I live in Rome. What is the weather like in Paris?", "Sorry, I meant Milan."),
    ],
)
def test_a_bare_value_corrects_none_of_several_things_said(earlier: str, text: str) -> None:
    """Where it may be meant for more than one, nobody knows which."""
    assert last(HumanMessage(earlier), HumanMessage(text)) == []


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        ("I live in Rome.", "Sorry, I meant coffee."),
        ("I live in Rome.", "Sorry, coffee."),
        ("I live in Rome.", "Sorry, Monday."),
        ("I live in Rome.", "Sorry. Wrong."),
        ("I live in Rome.", "Sorry, I meant my mother."),
        ("I work at Acme.", "Sorry, one second."),
        ("I work at Acme.", "Sorry, tomorrow."),
        ("My birthday is on 5 May.", "Actually, Milan."),
        ("I like tea.", "Sorry, I meant to call you."),
        ("I like tea.", "Sorry, I meant no offense."),
        ("I like tea.", "Sorry, that was rude."),
        ("I like tea.", "Wait, it's raining."),
        ("I like tea.", "Actually, later."),
    ],
)
def test_a_bare_value_replaces_only_one_of_its_sort(earlier: str, text: str) -> None:
    """A name stands for a name, a number for a number; a plain word only where words say that it is the value."""
    assert last(HumanMessage(earlier), HumanMessage(text)) == []


@pytest.mark.parametrize(
    ("earlier", "text", "content"),
    [
        ("I like tea.", "Sorry, I meant coffee.", "Alice likes coffee"),
        ("Hi! I live in Rome. Thanks!", "Sorry, I meant Milan.", "Alice lives in Milan"),
        ("I work at Acme.", "Sorry, Globex.", "Alice works at Globex"),
        ("My birthday is on 5 May.", "Sorry, I meant 6 May.", "Alice's birthday is on 6 May"),
        ("I wake up at 5 am.", "Sorry, I meant 6 am.", "Alice wakes up at 6 am"),
        ("My brother is called Will.", "Sorry, I meant Bill.", "Alice's brother is called Bill"),
        ("My email is a@b.com", "Sorry, I meant c@d.com", "Alice's email is c@d.com"),
    ],
)
def test_a_bare_value_replaces_the_one_value_of_its_sort(earlier: str, text: str, content: str) -> None:
    """What was said right before was one thing, and the value can be the value of it."""
    [found] = last(HumanMessage(earlier), HumanMessage(text))
    assert (found.content, found.is_correction) == (content, True)


@pytest.mark.parametrize(
    "between", [HumanMessage("What is the weather like in Paris?"), AIMessage("Shall I look for flights from Naples?")]
)
def test_a_bare_value_corrects_what_was_said_right_before(between: BaseMessage) -> None:
    """A value behind a question is meant for the question, not for what was stated earlier."""
    assert last(HumanMessage("I live in Rome."), between, HumanMessage("No, Milan.")) == []


def test_what_the_assistant_repeats_is_no_other_thing() -> None:
    """The assistant's echo of the one thing that was said leaves it the one thing."""
    echo = AIMessage("Great, you live in Rome. Do you like it there?")
    [found] = last(HumanMessage("I live in Rome."), echo, HumanMessage("Sorry, I meant Milan."))
    assert found.content == "Alice lives in Milan"


@pytest.mark.parametrize(
    ("earlier", "text", "contents"),
    [
        ("I like tea and I live in Paris", "Correction: Lyon, not Paris.", ["Alice lives in Lyon"]),
        ("My sister is called Anna", "Oops, her name is Hannah, not Anna", ["Alice's sister is called Hannah"]),
        ("I have an appointment on Monday", "No, on Tuesday, not on Monday", ["Alice has an appointment on Tuesday"]),
        ("I like Paris and I live in Paris", "Correction: Lyon, not Paris.", []),
        ("My sister Nora works at Acme and I work at Acme.", "No, Globex, not Acme.", []),
        ("I live in Paris and we saw the old town of Paris", "Correction: Lyon, not Paris.", []),
    ],
)
def test_a_named_wrong_value_is_put_right_in_the_one_statement_with_it(
    earlier: str, text: str, contents: list[str]
) -> None:
    """Only what has the wrong value changes, and nothing where that may be more than one."""
    assert [it.content for it in last(HumanMessage(earlier), HumanMessage(text))] == contents


@pytest.mark.parametrize(
    "since",
    [
        [HumanMessage("Find me a hotel in Paris")],
        [HumanMessage("Find me a hotel"), AIMessage("I booked one in Paris.")],
    ],
)
def test_a_wrong_value_named_for_something_else_since_leaves_the_statement(since: list[BaseMessage]) -> None:
    """The hotel is to be in Lyon; where the user lives was not in question."""
    assert last(HumanMessage("I live in Paris."), *since, HumanMessage("Sorry, Lyon, not Paris.")) == []


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


def test_a_name_is_put_right_of_whom_somebody_has() -> None:
    """A brother's wife is a woman, and may be renamed by "her name"."""
    [found] = last(HumanMessage("My brother's wife is Ann."), HumanMessage("Sorry, her name is Priya."))
    assert "brother's wife is Priya" in found.content


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        ("My brother is Tom.", "Sorry, her name is Priya."),
        ("My brother is Tom.", "Actually, she's Priya."),
        ("My brother's name is Tom.", "Sorry, her name is Priya, not Tom."),
        ("My wife is Ann.", "Sorry, his name is Alan."),
    ],
)
def test_a_name_is_not_put_right_of_whom_the_pronoun_cannot_mean(earlier: str, text: str) -> None:
    """Where nobody of that sex was told of, nothing is renamed."""
    assert last(HumanMessage(earlier), HumanMessage(text)) == []


@pytest.mark.parametrize(
    ("earlier", "text", "content"),
    [
        ("My sister is Tom.", "Sorry, her name is Priya.", "Alice's sister is Priya"),
        ("My brother is Tom.", "Sorry, his name is Tim.", "Alice's brother is Tim"),
        ("My friend is Tom.", "Sorry, her name is Priya.", "Alice's friend is Priya"),
        ("My brother is Tom. My sister is Ana.", "Sorry, her name is Priya.", "Alice's sister is Priya"),
        ("My brother's name is Tom.", "Sorry, his name is Tim, not Tom.", "Alice's brother's name is Tim"),
    ],
)
def test_a_name_is_put_right_of_the_one_whom_the_pronoun_can_mean(earlier: str, text: str, content: str) -> None:
    """By the word for what they are to the user, of which many are for either sex."""
    [found] = last(HumanMessage(earlier), HumanMessage(text))
    assert found.content.replace("The user", "Alice") == content
