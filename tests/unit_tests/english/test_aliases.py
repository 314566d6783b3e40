from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.english.people.aliases import Mention, Naming, Statement, resolve
from langchain_agentmem.english.reading.naming import key_of, shown_as

BERG, LIND = Mention("Anna Berg", "person"), Mention("Anna Lind", "person")


def named(*mentions: Mention | str, said: tuple[Statement, ...] = ()) -> Naming:
    return resolve([it if isinstance(it, Mention) else Mention(it) for it in mentions], said)


def same(naming: Naming, one: str, other: str) -> bool:
    return naming.entity[key_of(one)] == naming.entity[key_of(other)]


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("NORA  berg", Mention("Nora Berg"), "spelling"),
        ("Dr. Nora Berg", Mention("Nora Berg"), "spelling"),
        ("Anna", BERG, "short_name"),
        ("Dr. Berg", BERG, "titled_name"),
        ("anna.berg@example.com", BERG, "address"),
    ],
)
def test_a_name_that_only_one_can_bear_is_theirs(one: str, other: Mention, rule: str) -> None:
    """Each by a rule that is told."""
    naming = named(one, other)
    assert same(naming, one, other.name)
    assert [it.rule for it in naming.links] == [rule]
    assert all(it.reason for it in naming.links)


@pytest.mark.parametrize("name", ["Anna", "anna@example.com"])
def test_two_annas_are_never_merged(name: str) -> None:
    """The name stays apart, and both are told as candidates with the reason."""
    naming = named(name, BERG, LIND)
    assert len(set(naming.entity.values())) == 3
    assert {(it.other, it.rule) for it in naming.candidates} == {("Anna Berg", "ambiguous"), ("Anna Lind", "ambiguous")}


@pytest.mark.parametrize(
    ("one", "other"), [("York", Mention("York City", "place")), ("Acme", Mention("Acme Labs")), ("Berg", BERG)]
)
def test_only_a_person_is_called_by_a_part_of_the_name(one: str, other: Mention) -> None:
    """A city, a firm and a bare family name stay apart."""
    assert not same(named(one, other), one, other.name)


def test_an_address_is_of_the_one_it_was_told_of() -> None:
    """By what was said; also where its owner is known by two names that are one."""
    told = tuple(Statement("a@acme.org", it, "email", f"m-{it}") for it in ("Anna Berg", "Anna"))
    for said in (told[:1], told):
        naming = named("Anna", BERG, said=said)
        assert same(naming, "a@acme.org", "Anna Berg")
        assert [it.memory_id for it in naming.links if it.rule == "email"] == [min(it.memory_id for it in said)]


def test_a_name_that_two_were_said_to_have_makes_them_no_one() -> None:
    """My sister's name is Nora, and my boss's is, too: what is told of a Nora is given to neither."""
    said = tuple(Statement(it, "Nora", "named", f"m-{it}") for it in ("my sister", "my boss"))
    naming = named("Nora", said=said)
    assert len(set(naming.entity.values())) == 3
    assert same(named("Nora", said=said[:1]), "Nora", "my sister")


def test_an_address_that_two_share_makes_them_no_one() -> None:
    """Neither bears it, also where it spells the name of one, and both are told as candidates with the reason."""
    shared = [Statement("anna@acme.org", it, "email", f"m-{it}") for it in ("Anna Berg", "Kira")]
    naming = named(BERG, "Kira", said=tuple(shared))
    assert len(set(naming.entity.values())) == 3
    assert {(it.name, it.other, it.rule) for it in naming.candidates} == {
        ("anna@acme.org", it, "ambiguous") for it in ("Anna Berg", "Kira")
    }


def test_my_sister_is_the_only_sister_named() -> None:
    """And so is her boss; with a second sister, neither is taken for the phrase."""
    role, boss = Statement("the user's sister", "Nora", "role", "m1"), Statement("Nora's boss", "Tom", "role", "m2")
    naming = named("My sister", "my sister's boss", said=(role, boss))
    assert same(naming, "my sister", "Nora")
    assert same(naming, "my sister's boss", "Tom")
    several = named("My sister", said=(role, Statement("the user's sister", "Mia", "role", "m3")))
    assert {it.other for it in several.candidates} == {"Nora", "Mia"}
    assert not same(several, "my sister", "Nora")


def test_a_name_that_was_given_is_shown() -> None:
    """A dog that is called Rex is one entity, called by its name."""
    naming = named(said=(Statement("My dog", "Rex", "named", "m1"),))
    assert naming.shown[naming.entity["my dog"]] == "Rex"


def test_nobody_is_their_own_friend() -> None:
    """A friend who bears the user's name is somebody else, though it is the user's name too."""
    said = (Statement("user", "Ana", "user_name", "m1"), Statement("the user's friend", "Ana", "role", "m2"))
    assert not same(named(said=said), "user", "Ana")


def test_a_circle_of_aliases_is_one_entity() -> None:
    """The link that closes it says nothing new."""
    said = tuple(Statement(*pair, "said", f"m{n}") for n, pair in enumerate([("a", "b"), ("b", "c"), ("c", "a")]))
    naming = named(said=said)
    assert len(set(naming.entity.values())) == 1
    assert len(naming.links) == 2


def test_what_was_said_stands_before_what_was_told_apart_and_before_every_rule() -> None:
    """Two memories that disagree: that they are one was said in so many words."""
    apart = Statement("Anna", "Anna Berg", "apart", "m1")
    assert not same(named("Anna", BERG, said=(apart,)), "Anna", "Anna Berg")
    assert same(named("Anna", BERG, said=(apart, Statement("Anna", "Anna Berg", "said", "m2"))), "Anna", "Anna Berg")


@settings(max_examples=50)
@given(st.permutations(["Anna", "Anna Berg", "Dr. Berg", "My sister", "user", "anna.berg@example.com", "Nora"]))
def test_the_order_of_names_does_not_matter(names: list[str]) -> None:
    """The same names and statements always give the same entities."""
    said = (Statement("the user's sister", "Anna", "role", "m1"), Statement("Nora", "Anna Berg", "said", "m2"))
    mentions = [Mention(it, "person" if it == "Anna Berg" else None) for it in names]
    assert resolve(mentions, said) == resolve(sorted(mentions), said[::-1])


@settings(max_examples=50)
@given(st.text(max_size=60) | st.text(st.sampled_from("aAİß.´ 'mysterboDhu,"), max_size=30))
def test_a_key_is_the_key_of_itself(name: str) -> None:
    """What is compared is compared as what it is."""
    assert key_of(key_of(name)) == key_of(name) == key_of(shown_as(name))
