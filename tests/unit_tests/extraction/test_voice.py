from __future__ import annotations

import pytest

from langchain_agentmem.extraction.sentences.voice import Voice, third_person


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("prefer", "prefers"),
        ("watch", "watches"),
        ("study", "studies"),
        ("play", "plays"),
        ("am", "is"),
        ("have", "has"),
        ("can't", "cannot"),
        ("didn't", "did not"),
        ("moved", "moved"),
        ("need", "needs"),
        ("bought", "bought"),
        ("dreamt", "dreamt"),
        ("learnt", "learnt"),
        ("hid", "hid"),
        ("rode", "rode"),
    ],
)
def test_verbs_agree_with_a_name(verb: str, form: str) -> None:
    """Present verbs take their ending; past and modal ones stay."""
    assert third_person(verb) == form


@pytest.mark.parametrize(
    ("text", "retold"),
    [
        ("I'm on my own", "Ann is on their own"),
        ("I've been vegan since I moved", "Ann has been vegan since they moved"),
        ("I like it when you explain things to me", "Ann likes it when the assistant explains things to them"),
        ("our team ships weekly because we can", "Ann's team ships weekly because they can"),
        ("we have two kids", "Ann's family has two kids"),
        ("we love hiking", "Ann's family loves hiking"),
        ("we're vegetarian", "Ann's family is vegetarian"),
        ("we prefer aisle seats", "Ann's family prefers aisle seats"),
        ("we got a puppy yesterday, he is called Bruno", "Ann's family got a puppy yesterday, he is called Bruno"),
        ("we adopted two kittens", "Ann's family adopted two kittens"),
        ("we're moving to Oslo with the twins", "Ann's family is moving to Oslo with the twins"),
        ("we got divorced", "Ann got divorced"),
        ("we have been married for ten years", "Ann has been married for ten years"),
        ("we split up the monolith", "Ann's team split up the monolith"),
        ("we separated the services", "Ann's team separated the services"),
        ("we moved into a bigger place in Leeds", "Ann's family moved into a bigger place in Leeds"),
        ("we moved to Kubernetes", "Ann's team moved to Kubernetes"),
        ("we moved from Jenkins to GitHub Actions", "Ann's team moved from Jenkins to GitHub Actions"),
        ("we moved the database to Postgres", "Ann's team moved the database to Postgres"),
        ("we use Puppet", "Ann's team uses Puppet"),
        ("I really don't like mine", "Ann really does not like theirs"),
        ("don't tell me", "Do not tell Ann"),
        ("I'd rather walk", "Ann would rather walk"),
        ("Emma and I split up", "Emma and Ann split up"),
        ("Emma, Tom and I are married", "Emma, Tom and Ann are married"),
        ("When Emma Stone and I travel we fly", "When Emma Stone and Ann travel they fly"),
        ("Emma lives in York and I live in Leeds", "Emma lives in York and Ann lives in Leeds"),
        ("tea calms Emma and I prefer tea", "Tea calms Emma and Ann prefers tea"),
    ],
)
def test_the_first_mention_is_by_name(text: str, retold: str) -> None:
    """The user is named once and "they" afterwards; whoever is addressed is the assistant."""
    assert Voice("Ann").retell(text) == retold


def test_an_object_is_about_somebody_named_before() -> None:
    """In the object of a relation the user is "they" from the start."""
    assert Voice("Ann").bare("my mother's house") == "their mother's house"


@pytest.mark.parametrize(
    ("text", "retold"),
    [
        ("I live in the US", "Ann lives in the US"),
        ("I live in the us", "Ann lives in the us"),
        ("my boss told US customers to wait", "Ann's boss told US customers to wait"),
        ("I have type I diabetes", "Ann has type I diabetes"),
        ("I'm a type I diabetic", "Ann is a type I diabetic"),
        ("I study World War I", "Ann studies World War I"),
        ("I study World War I history", "Ann studies World War I history"),
        ("I took Calculus I at MIT", "Ann took Calculus I at MIT"),
        ("I admire Elizabeth I", "Ann admires Elizabeth I"),
        ("I commute on I-95", "Ann commutes on I-95"),
        ("I like I/O puzzles", "Ann likes I/O puzzles"),
        ("I work in a gold mine", "Ann works in a gold mine"),
        ("I work in the old coal mine", "Ann works in the old coal mine"),
        ("I mine bitcoin", "Ann mines bitcoin"),
        ("my favourite film is Us", "Ann's favourite film is Us"),
        ("I love Tell Me Lies", "Ann loves Tell Me Lies"),
        ("I read Call Me by Your Name", "Ann read Call Me by Your Name"),
        ("I saw My Fair Lady", "Ann saw My Fair Lady"),
        ("I work in the IT department", "Ann works in the IT department"),
    ],
)
def test_what_only_looks_like_a_pronoun_is_told_as_it_was_said(text: str, retold: str) -> None:
    """A country, a numeral, a mine in the ground and a word of a title are nobody."""
    assert Voice("Ann").retell(text) == retold


@pytest.mark.parametrize(
    ("text", "retold"),
    [
        ("they told us", "They told Ann's group"),
        ("I NEED YOU TO WRITE TO US", "Ann NEEDs the assistant TO WRITE TO them"),
        ("so do I", "So do Ann"),
        ("I like the type I know", "Ann likes the type they know"),
        ("I love the part I play", "Ann loves the part they play"),
        ("in class I like to sit in front", "In class Ann likes to sit in front"),
        ("in Paris I walk", "In Paris Ann walks"),
        ("Paris is where I live and Rome is where we met", "Paris is where Ann lives and Rome is where they met"),
        ("a friend of mine is a pilot", "A friend of Ann's is a pilot"),
        ("I want a car like mine", "Ann wants a car like theirs"),
        ("the red one is mine", "The red one is Ann's"),
        ("I moved: My dog stayed", "Ann moved: their dog stayed"),
    ],
)
def test_a_pronoun_beside_such_words_is_still_one(text: str, retold: str) -> None:
    """Articles, capitals and what is counted are told from the speaker."""
    assert Voice("Ann").retell(text) == retold


def test_the_object_of_a_relation_may_be_a_country() -> None:
    """Alone, without its article, it is nobody either."""
    assert Voice("Ann").bare("US") == "US"


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("we're from Italy", "family"),
        ("we grew up in Paris", "family"),
        ("we've lived in Rome since 2010", "family"),
        ("we are allergic to nuts", "family"),
        ("we moved to a village near Kiel", "family"),
        ("we moved to Kiel", "group"),
        ("we relocated to Rome", "group"),
        ("we moved from Rome to Kiel", "group"),
        ("we are moving to Spain", "group"),
        ("we moved to Slack", "team"),
        ("we moved to GitHub Actions", "team"),
        ("we moved the office to Kiel", "team"),
        ("we deploy to Kiel", "team"),
        ("we've decided to keep renting our place", "group"),
        ("we left Swansea in 1988", "group"),
        ("we move on the 1st of June", "group"),
        ("we meet on Mondays", "group"),
        ("we don't use Trello", "team"),
        ("we don't sell children's bikes any more", "team"),
        ("we sell baby clothes", "team"),
        ("we run a home for dogs", "team"),
        ("we design school furniture", "team"),
        ("we sell bread to the neighbours", "team"),
        ("we provide meals for schools", "team"),
        ("we provide for our kids", "family"),
        ("we offer lifts to the neighbours", "family"),
        ("we repair bikes for our friends", "group"),
        ("we stock up on Fridays", "group"),
        ("we sold our house", "family"),
        ("we run the household", "group"),
    ],
)
def test_a_we_that_may_be_a_household_is_no_team(text: str, group: str) -> None:
    """What only people do is told of the family; a move to a town of a group, which may be either."""
    assert Voice("Ann").retell(text).startswith(f"Ann's {group} ")
