"""What a memory that holds several things says of each."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.people.several import Several, several_in


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The user has two dogs, Rex and Bella", ["has a dog called Rex", "has a dog called Bella"]),
        ("The user has two old cats called Mia and Leo", ["has an old cat called Mia", "has an old cat called Leo"]),
        ("The user has two puppies, Rex and Bella", ["has a puppy called Rex", "has a puppy called Bella"]),
        ("The user lives in York with their sister Nora", ["lives in York", "'s sister is Nora"]),
        ("The user plays golf with Tom and Jerry", ["plays golf with Tom", "plays golf with Jerry"]),
        ("The user lives in Leeds with their wife", ["lives in Leeds", "has a wife"]),
        ("The user lives with their son Max in Leeds", ["lives in Leeds", "'s son is Max"]),
        ("The user lives in Leeds with their wife and two kids", ["lives in Leeds", "has a wife", "has two kids"]),
        (
            "The user lives in Leeds with their wife Clara and their two kids, Tom and Mia",
            ["lives in Leeds", "'s wife is Clara", "has two kids, Tom and Mia"],
        ),
        (
            "The user lives in Leeds with their wife, two kids and their dog Rex",
            ["lives in Leeds", "has a wife", "has two kids", "'s dog is Rex"],
        ),
        ("The user likes sushi and ramen", ["likes sushi", "likes ramen"]),
        ("The user speaks French and Dutch", ["speaks French", "speaks Dutch"]),
        (
            "The user is allergic to nuts, cats and pollen",
            ["is allergic to " + it for it in ("nuts", "cats", "pollen")],
        ),
        ("The user has a Volvo and a boat", ["has a Volvo", "has a boat"]),
        ("The user lives in Leeds and works at Siemens", ["lives in Leeds", "works at Siemens"]),
        ("The user takes ramipril and a statin", ["takes ramipril", "takes a statin"]),
        ("The user eats meat and fish", ["eats meat", "eats fish"]),
    ],
)
def test_each_of_several_things_is_told_by_itself(text: str, parts: list[str]) -> None:
    """In a sentence that stands alone, and says no more than was said."""
    several = several_in(text)
    assert several is not None
    assert several.can_stand
    assert [it.removeprefix("The user").lstrip() for it in several.parts] == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "The user's dogs are called Rex and Bella",
            ("The user's dog is called Rex", "The user's dog is called Bella"),
        ),
        ("Rex and Bella are the user's dogs", ("Rex is the user's dog", "Bella is the user's dog")),
        ("I live in Leeds with my wife Clara", ("I live in Leeds", "My wife is Clara")),
        ("Alice lives in Leeds with her wife Clara", ("Alice lives in Leeds", "Alice's wife is Clara")),
    ],
)
def test_whoever_something_is_said_of_it_is_said_of_them_by_itself(text: str, parts: tuple[str, ...]) -> None:
    """In the first person, by name, or of the animals themselves."""
    several = several_in(text)
    assert several is not None
    assert several.parts == parts


@pytest.mark.parametrize(
    "text",
    [
        "The user has three dogs, Rex and Bella",
        "The user likes gin and tonic",
        "The user likes Ben and Jerry",
        "The user likes salt and vinegar crisps",
        "The user likes hiking and swimming in lakes",
        "The user has two cars, a Volvo and a Fiat",
    ],
)
def test_what_cannot_be_said_by_itself_is_only_known_to_be_several(text: str) -> None:
    """A pair that goes together, half a name, and one who is not named, stand in no sentence of their own."""
    several = several_in(text)
    assert several is not None
    assert not several.can_stand


@pytest.mark.parametrize(
    "text",
    [
        "The user has a dog called Rex",
        "The user has two dogs",
        "The user works at Marks and Spencer",
        "The user has a beautiful and old house",
        "The user has a dog that likes cats and sleeps a lot",
        "The user lives with their wife Clara",
        "The user lives in Leeds with their mother",
        "The user lives in Leeds with two flatmates",
        "The user lives in Leeds with their flatmate Nora",
        "The user plays golf with Tom",
        "The user watches films with Tom and Jerry in them",
        "The user works with Marks and Spencer",
        "The user drives a red and white Mini",
        "The user takes milk and sugar in tea",
        "The user drinks rum and coke",
        "The user has two cars and Rex and",
        "The user has two ideas, Mars and Venus",
        "The user's favourites are Rex and Bella",
        f"The user likes tea and {'very ' * 80}strong coffee",
    ],
)
def test_what_holds_one_thing_or_is_not_read_is_no_several(text: str) -> None:
    """A name with an "and", company that only shares a home, and a story."""
    assert several_in(text) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Gil hates cilantro and so does their wife",
            ("Gil hates cilantro", "Gil's wife hates cilantro"),
        ),
        (
            "The user does not eat meat, and neither does their brother Tom",
            ("The user does not eat meat", "The user's brother Tom does not eat meat"),
        ),
        (
            "Keep the assistant's answers short and always use metric units",
            ("Keep the assistant's answers short", "Always use metric units"),
        ),
        (
            "Answer in French, and never use emojis",
            ("Answer in French", "Never use emojis"),
        ),
    ],
)
def test_what_is_said_of_two_or_ordered_twice_is_told_of_each(text: str, parts: tuple[str, ...]) -> None:
    """In words that stand alone."""
    several = several_in(text)
    assert several is not None
    assert (several.parts, several.can_stand) == (parts, True)


@pytest.mark.parametrize(
    "text",
    [
        "Gil hates cilantro and so do their parents",
        "Gil hates cilantro because it smells and so does their wife",
        "Gil hates cilantro and so on",
        "Keep the soup warm and always use a lid",
        "Answer in French and always use Celsius when it is about the weather",
        "Answer in French and always be nice",
    ],
)
def test_what_may_be_one_thing_stays_whole(text: str) -> None:
    """A case may be that of both, and a verb of several is another word."""
    assert several_in(text) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The user is vegan and gluten free", ("The user is vegan", "The user is gluten free")),
        ("The user is vegetarian and teetotal", ("The user is vegetarian", "The user is teetotal")),
        ("The user is single, vegan and retired", ("The user is single", "The user is vegan", "The user is retired")),
    ],
)
def test_each_way_somebody_is_holds_by_itself(text: str, parts: tuple[str, ...]) -> None:
    """Who is vegan no more may be gluten free."""
    assert several_in(text) == Several(parts)


@pytest.mark.parametrize("text", ["The user is deaf and dumbfounded", "The user is married and lives in Kiel"])
def test_what_is_no_list_of_ways_is_not_read_as_one(text: str) -> None:
    """Only words of the list are taken apart by it."""
    found = several_in(text)
    assert found is None or "The user is dumbfounded" not in found.parts
