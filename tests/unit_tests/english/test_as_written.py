"""A name in a request means names, a plain noun none, and a place no other one with a longer name."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_request import Wanted, is_meant, is_said_in
from langchain_agentmem.ledger.sql import requests
from langchain_agentmem.types import Candidate, Provenance

NAMES = ("al", "Al")
MEANT = [
    ("Bill", "The user's friend is Bill"),
    ("Bill", "Bill is a vet"),
    ("Dean", "Dean's car is red"),
    ("Coffee", "The user has a dog called Coffee"),
    ("coffee", "The user drinks coffee"),
    ("coffee", "Coffee is what the user drinks"),
    ("the turkey", "The user bought a turkey"),
    ("turkey", "The user's husband is from Turkey"),
    ("york", "The user lives in York"),
    ("apples", "The user likes apples"),
    ("the beatles", "The user likes the Beatles"),
    ("the project", "The user works on Project Titan"),
    ("York", "The user lives in York"),
    ("New York", "The user's sister lives in New York"),
    ("the york thing", "The user lives in York"),
    ("Mum", "The user's mum lives in Hull"),
    ("my mother", "The user's mum lives in Hull"),
    ("my dad", "The user's father is a vet"),
    ("MY CAT", "The user's cat is old"),
    ("My Cat", "The user's cat is old"),
    ("that I'm Christian", "The user is Christian"),
    ("that I play golf with Tom", "The user plays golf with Tom"),
    ("that I play golf with Tom", "Tom plays golf with the user"),
    ("Rose", "The user's friend is Rose"),
    ("the French rule", "Always answer in French"),
    ("my dog", "The user has two dogs"),
    ("my dog", "The user's dogs are brown"),
    ("my dog", "The user likes dogs and has a dog"),
    ("my dog", "The user likes walking the dog"),
    ("my dogs", "The user likes dogs"),
    ("my class", "The user teaches the class on Monday"),
    ("that I like dogs", "The user likes dogs"),
]
NOT_MEANT = [
    ("Bill", "The user pays the phone bill on the first"),
    ("Art", "The user enjoys art"),
    ("Dean", "The user's sister is the dean of arts"),
    ("Dawn", "The user runs at dawn"),
    ("Lee", "The user cannot stand lees in wine"),
    ("Rose", "The user likes roses"),
    ("Coffee", "The user drinks coffee"),
    ("Al", "Al likes tea"),
    ("the turkey", "The user's husband is from Turkey"),
    ("apples", "The user works at Apple"),
    ("York", "The user's sister lives in New York"),
    ("york", "The user's sister lives in New York"),
    ("Diego", "The user lives in San Diego"),
    ("that I'm Christian", "Christian lives in Kent"),
    ("my mother", "The user's father lives in Hull"),
    ("the French rule", "The user's father is a judge"),
    ("my dog", "The user likes dogs"),
    ("about my dog", "The user is allergic to dogs"),
    ("my old dog", "The user prefers cats to old dogs"),
    ("my garden", "The user likes gardens"),
]


def digest(word: str) -> str:
    """Stand for a word, as in a request that is kept."""
    return word[::-1]


@pytest.mark.parametrize(("what", "content"), MEANT)
def test_a_name_means_those_who_are_called_so(what: str, content: str) -> None:
    """In words and in digests; where a request has no capitals, case tells nothing."""
    told = Candidate(content=content, kind="constraint" if what.endswith("rule") else "fact")
    assert Wanted.of(what).means_told(told, NAMES)
    assert Wanted.of(what, digest).means_told(told, NAMES)


@pytest.mark.parametrize(("what", "content"), NOT_MEANT)
def test_a_name_means_no_other_word(what: str, content: str) -> None:
    """Nor a word a name, nor one place another one."""
    assert not is_meant(what, content, NAMES)
    assert not Wanted.of(what, digest).means(content, NAMES)
    assert what == "Al" or not is_said_in(what, f"user: {content}\nassistant: Noted.", NAMES)


@pytest.mark.parametrize(("said", "is_it"), [("i live in york", True), ("I live at york", False)])
def test_case_tells_nothing_of_who_writes_none(said: str, *, is_it: bool) -> None:
    """A memory is written as it was said: without any capital, "york" may be York."""
    told = Candidate(content="The user lives in york", provenance=Provenance(evidence=said))
    assert Wanted.of("York").means_told(told, NAMES) is is_it


def test_a_rule_for_what_is_not_spoken_of_is_none_of_it() -> None:
    """By "my weight" one means what somebody weighs; the rule about it is asked for as one."""
    rule = Candidate(content="Never mention the user's weight", kind="constraint")
    assert not Wanted.of("my weight").means_told(rule, NAMES)
    assert Wanted.of("my weight").means_told(Candidate(content="The user weighs 90 kg"), NAMES)
    assert Wanted.of("the rule about my weight").means_told(rule, NAMES)
    assert Wanted.of("my instructions").means_told(rule, NAMES)


@pytest.mark.parametrize("what", ["Bill", "apples", "that I'm Christian"])
def test_a_request_is_read_as_it_was_kept(what: str) -> None:
    """And one that was kept before case counted is held in any case, as it was then."""
    wanted = Wanted.of(what, digest)
    kept = requests._digests(wanted)
    assert kept is not None
    assert requests._wanted(kept, digest) == wanted
    old = {name: it for name, it in kept.items() if name not in {"written", "is_of_oneself"}}
    read = requests._wanted(old, digest)
    assert read is not None
    assert not read.is_of_oneself
    assert read.words == wanted.words
    assert read.names("the phone bill, Apple and a Christian")
