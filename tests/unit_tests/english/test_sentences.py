"""Where a sentence ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.text.folding import sentences as folded_sentences
from langchain_agentmem.english.text.questions import questions_in
from langchain_agentmem.english.text.sentences import SENTENCE_END, split_sentences, without_shortenings
from langchain_agentmem.summarize.salience import sentences as summed_sentences

WHOLE = (
    "I saw Dr. Smith.",
    "i saw dr. smith.",
    "I owe Mrs. Lee and Mr. Who five pounds.",
    "Ask Prof. Do about Mt. Everest.",
    "I paid at St. Mary's hospital on Jan. 5 or Tues. 9 May.",
    "My no. 1 language is Rust, see fig. 3 on p. 12 of vol. 2.",
    "I like fruit, e.g. Apples, i.e. Cox.",
    "At 5 p.m. we eat.",
    "I land at 5 p.m. Monday and leave at 7 a.m. EST sharp.",
    "I went to the U.S. Embassy in Washington D.C. by car.",
    "I read J. R. R. Tolkien and George R.R. Martin.",
    "It is Germany vs. Spain today.",
    "I work at Acme Inc. in Rome.",
    "Tea, coffee, etc. are fine.",
    "I use Python 3.11, main.py and example.com daily.",
    "Well... maybe later.",
    "1. Tea is mine.",
    "I have a Ph.D. in law.",
    "We meet on Mon. at nine w. Bob.",
)


@pytest.mark.parametrize("text", WHOLE)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    """Titles, initials, numbers and what is short for a word stand within their sentence, for every reader of them."""
    assert split_sentences(text) == [text]
    assert folded_sentences(text) == [text]
    assert len(list(summed_sentences(text))) == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live in the U.S. My job is new.", ("I live in the U.S.", "My job is new.")),
        ("I get up at 5 a.m. Peter sleeps.", ("I get up at 5 a.m.", "Peter sleeps.")),
        ("I work at Acme Inc. It is small.", ("I work at Acme Inc.", "It is small.")),
        ("I live on Main St. Where is it?", ("I live on Main St.", "Where is it?")),
        ("It was I. Peter left.", ("It was I.", "Peter left.")),
        ("Is it red? No. Ask again.", ("Is it red?", "No.", "Ask again.")),
        ("I said no. I meant it.", ("I said no.", "I meant it.")),
        ("We sat. Then we ate.", ("We sat.", "Then we ate.")),
        ("i moved. i live in rome.", ("i moved.", "i live in rome.")),
        ("I use Python 3. It is fast.", ("I use Python 3.", "It is fast.")),
        ("My type is A. What is yours?", ("My type is A.", "What is yours?")),
        ("I waited... Then I left.", ("I waited...", "Then I left.")),
        ("Hi Dr.\nI am ill.", ("Hi Dr.", "I am ill.")),
    ],
)
def test_what_begins_anew_after_an_abbreviation_is_a_sentence(text: str, parts: tuple[str, ...]) -> None:
    """A word that is no name and has a capital begins one."""
    assert tuple(split_sentences(text)) == parts


@pytest.mark.parametrize(
    "text",
    [
        "When is my appointment with Dr. Smith?",
        "What did I pay at St. Mary's hospital on Jan. 5?",
        "Did I book the flight at 5 p.m. or later?",
        "Where is the U.S. embassy I went to?",
        "Is my no. 1 priority Rust?",
        "What do I prefer, e.g. tea or coffee?",
        "Where does Mrs. Lee live, i.e. which city?",
        "Is J. R. R. Tolkien my favourite author?",
        "What about Mr. Jones?",
        "At 5 p.m. what do I have?",
        "Is my meeting on Mon. at 9 a.m. or at noon?",
        "When did I see Dr. Who?",
        "Which do I prefer: 1. tea 2. coffee?",
        "1. Where do I live?",
        "Do I work for Acme Inc. or for Apple Corp. now?",
        "When I met Dr. Lee I was ill. Where was that?",
    ],
)
def test_a_question_with_an_abbreviation_is_one(text: str) -> None:
    """It is asked with all its words."""
    assert questions_in(text) == ()


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("1. Where is my passport 2. When does it expire", ("Where is my passport?", "When does it expire?")),
        ("1) Where do I live? 2) What is my job?", ("Where do I live?", "What is my job?")),
        ("Tell me: (1) where do I live (2) what is my job", ("where do I live?", "what is my job?")),
        ("a) Where do I live b) who is Ada", ("Where do I live?", "who is Ada?")),
        ("1. What is my cat called\n2. What do I eat", ("What is my cat called?", "What do I eat?")),
        ("Do I use Python 3. Where is my code?", ("Do I use Python 3?", "Where is my code?")),
        ("Who is Dr. Lee, and where is St. Mary's?", ("Who is Dr. Lee?", "where is St. Mary's?")),
        ("Did I live in the U.S.? Where is my no. 1 shop?", ("Did I live in the U.S.?", "Where is my no. 1 shop?")),
        ("Do I use 2.5 or 3.11? Is example.com mine?", ("Do I use 2.5 or 3.11?", "Is example.com mine?")),
    ],
)
def test_a_numbered_list_is_told_apart_at_its_numbers(text: str, questions: tuple[str, ...]) -> None:
    """Numbers that count up, each before a question, are none of its words; other numbers are."""
    assert questions_in(text) == questions


@given(st.lists(st.sampled_from(["Dr", "p.m", ".", " ", "I", "5", "\n", "tea", "?", "J", "U.S", "..."]), max_size=20))
def test_sentences_hold_all_words_in_order(pieces: list[str]) -> None:
    """Nothing but the space between two of them is lost, and nothing is cut that would not end elsewhere."""
    text = "".join(pieces)
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
    assert len(split_sentences(text)) <= len(SENTENCE_END.split(text))


def test_a_retriever_asks_a_question_with_a_title_whole() -> None:
    """Whom it names is looked for together with what is asked of them."""
    scope = Scope("alice")
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for day, name in enumerate(("Adams", "Brown", "Smith"), start=1):
            memory.long_term.remember(f"The appointment with Dr. {name} is on day {day} of May", scope=scope)
        memory.long_term.remember("The user went to school with Peter Smith", scope=scope)
        found = memory.retriever(scope=scope, k=2).invoke("When is my appointment with Dr. Smith?")
    assert found[0].page_content == "The appointment with Dr. Smith is on day 3 of May"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("I saw Dr. Lee in St. Louis. It was fine.", "I saw Dr Lee in St Louis. It was fine."),
        ("J. R. Smith called at 5 p.m. today.", "J R Smith called at 5 p.m today."),
        ("I live in Rome. I like it.", "I live in Rome. I like it."),
        ("1. Tea 2. coffee", "1. Tea 2. coffee"),
    ],
)
def test_only_what_shortens_a_word_is_left_out(text: str, bare: str) -> None:
    """A full stop that ends a sentence stands, and so does one behind a number."""
    assert without_shortenings(text) == bare
