from __future__ import annotations

import pytest

from langchain_agentmem import Candidate
from langchain_agentmem.english.requests.attributes import ATTRIBUTES, attribute_asked, is_past, names_one_kept


@pytest.mark.parametrize(
    ("what", "name", "owner", "period"),
    [
        ("my address", "address", [], None),
        ("my home address", "address", [], None),
        ("my email address", "email", [], None),
        ("where I live", "address", [], None),
        ("where my sister lives", "address", ["sister"], None),
        ("what I do for a living", "job", [], None),
        ("who I work for", "employer", [], None),
        ("about my old job", "job", [], "past"),
        ("where I used to live", "address", [], "past"),
        ("where Tom lived before", "address", ["tom"], "past"),
        ("where I used to work", "employer", [], "past"),
        ("my current job", "job", [], "now"),
        ("my phone number", "phone", [], None),
        ("my first name", "name", [], None),
        ("my cat's name", "name", ["cat"], None),
        ("the name of my cat", "name", ["cat"], None),
        ("Nora's address", "address", ["nora"], None),
        ("how old I am", "age", [], None),
        ("my allergies", "allergy", [], None),
        ("my kids", "children", [], None),
        ("my medication", "medication", [], None),
        ("which pills I take", "medication", [], None),
        ("my mother's health", "health", ["mother"], None),
        ("how much I earn", "income", [], None),
        ("my pay", "income", [], None),
        ("my political views", "politics", [], None),
        ("who my boss is", "boss", [], None),
        ("what my job is", "job", [], None),
        ("when my birthday is", "birthday", [], None),
        ("everything you know about my job", "working life", [], None),
        ("what I told you about my old job", "working life", [], "past"),
        ("my instructions", "instructions", [], None),
        ("what I like", "preferences", [], None),
        ("the company I work for", "employer", [], None),
        ("the firm where my sister worked", "employer", ["sister"], "past"),
        ("my diagnosis", "diagnosis", [], None),
        ("my sexual orientation", "orientation", [], None),
    ],
)
def test_an_attribute_is_known_by_what_it_is_called(what: str, name: str, owner: list[str], period: str | None) -> None:
    """Whose it is is told apart from what it is, and what was from what is."""
    asked = attribute_asked(what)
    assert asked is not None
    assert (asked.attribute.name, sorted(asked.owner), asked.period) == (name, owner, period)


@pytest.mark.parametrize(
    "what",
    [
        "my work phone",
        "my address book",
        "my name tag",
        "my IP address",
        "the address",
        "my draft",
        "my file",
        "my address in the form",
        "that I like sushi",
        "my last instructions",
        "my orders",
        "everything about my job application",
        "",
    ],
)
def test_what_names_more_than_an_attribute_is_none(what: str) -> None:
    """A word that narrows it, or makes something else of it, is read as words are."""
    assert attribute_asked(what) is None


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("address", "The user lives in Lille"),
        ("address", "I've moved to Lille"),
        ("address", "Where do I live?"),
        ("address", "The user's address is 12 Rue de la Paix"),
        ("employer", "You work at Acme"),
        ("job", "The user works as a nurse"),
        ("name", "Call me Ana"),
        ("age", "I was born on 3 March 1990"),
        ("birthday", "The user's birthday is 3 March"),
        ("phone", "My phone number is [phone]"),
        ("email", "You can reach me at ana@example.com"),
        ("diet", "I'm vegan"),
        ("allergy", "I have a nut allergy"),
        ("partner", "The user is married to Nora"),
        ("children", "The user's son is called Tom"),
        ("age", "The user's birthday is 3 March 1990"),
        ("medication", "The user takes antidepressants"),
        ("medication", "The user is on insulin"),
        ("medication", "The user takes 20 mg of fluoxetine"),
        ("medication", "The user takes lisinopril"),
        ("medication", "The user was prescribed sertraline"),
        ("health", "The user has asthma"),
        ("health", "The user was diagnosed with ADHD"),
        ("health", "The user broke their left leg"),
        ("health", "The user has arthritis"),
        ("health", "The user is chronically ill"),
        ("income", "The user earns about 5000 euros a month"),
        ("income", "The user makes $90k a year"),
        ("income", "The user is paid 20 dollars an hour"),
        ("boss", "The user's manager is called Karen"),
        ("boss", "The user is meeting their boss on Friday"),
        ("partner", "The user loves their wife"),
        ("politics", "The user votes Labour"),
        ("politics", "I'm a Republican"),
        ("job", "I'm VP of sales at Acme"),
        ("job", "The user is now head of product at Decathlon"),
        ("job", "The user is head of marketing"),
        ("job", "I'm a partner at Deloitte"),
        ("job", "I'm the CEO"),
        ("job", "The user runs a small bakery in Bath"),
        ("job", "I manage a hotel in Nice"),
        ("job", "I manage a team of five"),
        ("job", "The user lives in Nice and runs a bakery"),
        ("job", "I've been running my own business for ten years"),
        ("job", "I teach maths at a high school"),
        ("job", "I teach physics"),
        ("job", "I work in a bakery"),
        ("job", "I work nights at the depot"),
        ("employer", "I'm VP of sales at Acme"),
        ("employer", "The user is an accountant at Acme"),
        ("employer", "I work as a product manager at Renault"),
        ("employer", "I work as a nurse in a hospital"),
        ("employer", "I teach maths at Eton"),
        ("employer", "I'm the CEO of Acme"),
        ("diagnosis", "The user has lupus"),
        ("diagnosis", "I worry about my diabetes"),
        ("diagnosis", "I'm a diabetes nurse with asthma"),
        ("diagnosis", "I wrote a book on depression, and I'm bipolar"),
        ("diagnosis", "I'm a cancer survivor"),
        ("diagnosis", "I go to the diabetes clinic on Mondays"),
        ("diagnosis", "Diabetes runs in the family, and I have it"),
        ("job", "I'm a fast food cook"),
        ("diagnosis", "I have Lyme disease"),
        ("orientation", "I'm gay"),
        ("orientation", "The user is a lesbian"),
        ("orientation", "I came out as bi last year"),
        ("orientation", "I identify as queer"),
    ],
)
def test_an_attribute_is_told_in_other_words(name: str, clause: str) -> None:
    """By the relations that stand for it, by its own noun, or by the closed words that say it."""
    assert ATTRIBUTES[name].is_told_in(clause)


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("address", "The user wants to address the crowd"),
        ("address", "My e-mail address is ana@example.com"),
        ("name", "The user likes to name files by date"),
        ("name", "The user has a cat named Minka"),
        ("age", "The team is 34 people strong"),
        ("phone", "The user phones Tom on Mondays"),
        ("job", "The user likes tea"),
        ("birthday", "The user lives in Lille"),
        ("age", "The user's birthday is 3 March"),
        ("partner", "The user's sister's husband is Tom"),
        ("medication", "The user takes the bus in April"),
        ("medication", "The user is allergic to penicillin"),
        ("medication", "The user is not allergic to penicillin"),
        ("medication", "The user can't take ibuprofen"),
        ("medication", "The user is antisocial in the morning"),
        ("health", "The user is sick of Mondays"),
        ("health", "The user went on a blind date"),
        ("health", "The user loves Bohemian Rhapsody"),
        ("health", "The user works in academia"),
        ("health", "The user broke their promise"),
        ("health", "The user is vegan"),
        ("income", "The user earned a degree in 2010 after a year"),
        ("income", "The user makes 3 cakes a week"),
        ("income", "The user paid 20 euros a month for a gym"),
        ("boss", "The user's sister's boss is Karen"),
        ("partner", "The user's sister loves their wife"),
        ("instructions", "The user hates the rules of golf"),
        ("politics", "The user is a conservative investor"),
        ("politics", "They voted for the plan"),
        ("job", "I run every morning"),
        ("job", "I run past the school"),
        ("job", "I run a marathon"),
        ("job", "I run a book club"),
        ("job", "I lead a football team"),
        ("job", "How do I run a bakery?"),
        ("job", "I'd like to run a bakery"),
        ("job", "I manage well"),
        ("job", "I'm at the airport"),
        ("job", "I have a dog"),
        ("job", "I'm sitting in a chair at the salon"),
        ("job", "I'm seeing a doctor on Monday"),
        ("job", "I'm dating a nurse"),
        ("job", "I'm a good cook"),
        ("job", "I'm a member at Gold's Gym"),
        ("job", "I'm head of the household"),
        ("job", "I'm his partner in crime"),
        ("job", "I teach my son chess"),
        ("employer", "I'm a student at Yale"),
        ("employer", "I'm Head of Marketing"),
        ("employer", "I work as a nurse at night"),
        ("employer", "I work as a waiter at Christmas"),
        ("employer", "I bank at Barclays"),
        ("diagnosis", "The user broke their leg"),
        ("diagnosis", "The user works with cancer patients"),
        ("diagnosis", "I'm a diabetes nurse"),
        ("diagnosis", "I research multiple sclerosis"),
        ("diagnosis", "The user is reading a book on depression"),
        ("diagnosis", "My star sign is Cancer"),
        ("diagnosis", "I use MS Teams at work"),
        ("health", "The user donates to a cancer charity"),
        ("health", "My thesis is about obesity"),
        ("job", "I'm a careful driver"),
        ("job", "The user is a manager at heart"),
        ("diagnosis", "The user is allergic to nuts"),
        ("diagnosis", "The user is pregnant"),
        ("orientation", "I'm straight out of college"),
        ("orientation", "I'm a gay rights lawyer"),
        ("orientation", "I like straight jeans"),
    ],
)
def test_what_only_sounds_like_an_attribute_tells_none(name: str, clause: str) -> None:
    """The same word as a verb, or of another thing, is no telling."""
    assert not ATTRIBUTES[name].is_told_in(clause)


def test_a_relation_tells_what_it_stands_for_in_any_spelling() -> None:
    """What a memory was stored with counts as much as its words."""
    assert ATTRIBUTES["job"].is_told_by("works_as")
    assert ATTRIBUTES["address"].is_told_by("Lives in")
    assert not ATTRIBUTES["job"].is_told_by(None)


def test_what_belongs_to_a_topic_is_asked_for_with_it() -> None:
    """Health has medicines, and a working life has a boss and an income; a job alone has none."""
    assert {it.name for it in ATTRIBUTES["health"].each} == {"health", "allergy", "medication"}
    assert {"boss", "income", "job"} < {it.name for it in ATTRIBUTES["working life"].each}
    assert ATTRIBUTES["job"].each == (ATTRIBUTES["job"],)


def test_a_kind_of_memory_is_asked_for_by_its_name() -> None:
    """Whatever it says, of the user's instructions every constraint is one, and no fact."""
    rules = ATTRIBUTES["instructions"]
    assert rules.is_known_by(Candidate(content="Always answer in French", kind="constraint"))
    assert not rules.is_known_by(Candidate(content="The user lives by strict rules", kind="fact"))


def test_a_name_is_told_of_whom_it_is_given_to() -> None:
    """Somebody the user has is named beside the word for them."""
    assert names_one_kept("The user has a cat named Minka") == {"cat"}
    assert names_one_kept("My cat Minka is old") == {"cat"}
    assert not names_one_kept("My cat is old")


def test_what_is_no_more_is_told_apart() -> None:
    """By the tense, or by a word that says so."""
    assert is_past("The user worked at Acme")
    assert not is_past("The user works at Acme")
