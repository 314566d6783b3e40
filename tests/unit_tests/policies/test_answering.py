"""Laws of how likely an answer is: every part of the evidence moves it the way it means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.answering import AS_NAMED, Evidence, just_this, likelihood, talked_about
from langchain_agentmem.policies.rank import Weights

SHARES = st.floats(0, 1)
EVIDENCE = st.builds(
    Evidence,
    nearest=st.none() | st.floats(-1, 1),
    covered=SHARES,
    covered_around=SHARES,
    missing=SHARES,
    elsewhere=st.floats(0, 20),
    is_named=st.booleans(),
)


@given(EVIDENCE)
def test_both_must_hold(evidence: Evidence) -> None:
    """An answer is never likelier than that its subject was talked about, nor than that just this was said of it."""
    unnamed = replace(evidence, is_named=False)
    assert 0 <= likelihood(unnamed) <= min(talked_about(unnamed), just_this(unnamed)) <= 1


@given(EVIDENCE, st.sampled_from(["covered", "covered_around"]), SHARES)
def test_more_words_in_common_make_an_answer_no_less_likely(evidence: Evidence, part: str, share: float) -> None:
    """In one turn, and in what stands around it."""
    more = replace(evidence, **{part: max(share, getattr(evidence, part))})
    assert likelihood(more) >= likelihood(evidence)


@given(EVIDENCE, st.floats(0, 1), st.floats(0, 20))
def test_what_is_missing_or_was_said_by_others_makes_it_no_likelier(
    evidence: Evidence, missing: float, elsewhere: float
) -> None:
    """A telling word that the best turn lacks, and turns of others that fit better than those of who is named."""
    worse = replace(evidence, missing=evidence.missing + missing, elsewhere=evidence.elsewhere + elsewhere)
    assert likelihood(worse) <= likelihood(evidence)


@given(EVIDENCE)
def test_what_a_question_names_and_is_there_may_answer(evidence: Evidence) -> None:
    """Whatever else there is in common."""
    assert likelihood(replace(evidence, is_named=True)) >= AS_NAMED


def test_nothing_in_common_is_no_answer() -> None:
    """With a model and without."""
    nothing = Evidence(nearest=None, covered=0.0, covered_around=0.0, missing=1.0)
    assert likelihood(nothing) < Weights().min_likelihood
    assert likelihood(replace(nothing, nearest=0.1)) < Weights().min_likelihood


def test_a_model_counts_for_more_than_words() -> None:
    """What is near answers though it shares no word."""
    evidence = Evidence(nearest=0.7, covered=0.0, covered_around=0.0, missing=1.0)
    assert likelihood(evidence) > 0.4 > likelihood(replace(evidence, nearest=None))
    assert talked_about(evidence) == pytest.approx(talked_about(replace(evidence, missing=0.0, elsewhere=3.0)))
