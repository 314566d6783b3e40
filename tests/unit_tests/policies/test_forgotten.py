"""Requests to forget that are kept without their words."""

from __future__ import annotations

from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.requests.forget_request import Wanted, is_meant, is_said_in
from langchain_agentmem.policies.forgotten import Asked, Request, is_forgotten, is_turn_forgotten
from langchain_agentmem.types import Scope

ALICE = Scope("alice", session_id="s")
WORDS = st.sampled_from("I she live lives like love sushi tea Oslo do not never where ? . the in Where do my".split())
SAID = st.lists(WORDS, max_size=7).map(" ".join)


def digest(word: str) -> bytes:
    """Stand for a word."""
    return blake2b(word.encode(), key=b"a key").digest()


@given(SAID, SAID, SAID)
def test_digests_mean_what_the_words_meant(what: str, text: str, reply: str) -> None:
    """Of memories and of turns, liking, denials and answers included."""
    wanted, spoken = Wanted.of(what, digest), f"user: {text}\nassistant: {reply}"
    assert wanted.means(text) == is_meant(what, text)
    assert wanted.is_said_in(spoken) == is_said_in(what, spoken)


@given(SAID, SAID)
def test_a_memory_that_is_forgotten_means_whoever_says_the_same(one: str, other: str) -> None:
    """Each the other, and itself as far as it has a word of content; everything means all."""
    asked = Wanted.of(one, digest)
    assert asked.shares(other) == Wanted.of(other, digest).shares(one)
    assert asked.shares(one) == bool(asked.words)
    everything = [Request.made(Asked(), None, digest)]
    assert is_forgotten(everything, other, ALICE)
    assert is_turn_forgotten(everything, other, ALICE)


def test_a_conversation_is_meant_alone() -> None:
    """What is asked of one concerns no other."""
    asked = [Request.made(Asked(session_id="s"), None, digest)]
    assert [is_forgotten(asked, "tea", Scope("alice", session_id=it)) for it in ("s", "t")] == [True, False]
