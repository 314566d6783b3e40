"""What somebody says they do not do, are not, or have none of, against what they say elsewhere."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.denials import denials_in, is_contradicted


@pytest.mark.parametrize(
    ("denial", "claim"),
    [
        ("I don't eat meat at all.", "I ate meat at the barbecue, I eat meat every week."),
        ("I can't drive a car.", "I drive my car to work."),
        ("I am not allergic to peanuts.", "I am allergic to peanuts."),
        ("I'm not allergic to peanuts.", "Careful, I'm allergic to peanuts!"),
        ("I have never been to Japan.", "I visited Japan in 2019 with my mother."),
        ("I've never been to Japan.", "Last May we went to Japan."),
        ("I have no siblings.", "My brother Tom visited me."),
        ("I don't have a car.", "I parked my old car outside."),
        ("We have no pets.", "I have two cats."),
        ("I don't like coffee.", "I like coffee in the morning."),
        ("I have never used Docker in my life.", "I used Docker for years at Acme."),
    ],
)
def test_what_is_denied_and_claimed_is_a_contradiction(denial: str, claim: str) -> None:
    """In other forms of the verb, and by the names of what one has."""
    assert is_contradicted(denials_in(denial), claim)


@pytest.mark.parametrize(
    ("denial", "claim"),
    [
        ("I don't eat meat.", "I eat fish every week."),
        ("I don't eat meat.", "I don't eat meat, as I said."),
        ("I don't eat meat anymore.", "I eat meat every week."),
        ("I can't drive a car.", "Should I drive a car?"),
        ("I can't drive a car.", "I would drive a car if I could."),
        ("I'm not allergic to peanuts.", "I'm not allergic to peanuts, only to cats."),
        ("I'm not allergic to peanuts.", "My sister is allergic to peanuts."),
        ("I have never been to Japan.", "I want to visit Japan next year."),
        ("I have never been to Japan.", "I'm planning to visit Japan."),
        ("I have no siblings.", "Your brother called."),
        ("I don't know the answer.", "I know the answer now."),
        ("I don't drink tea when I work.", "I drink tea."),
    ],
)
def test_what_may_both_hold_is_none(denial: str, claim: str) -> None:
    """Another thing, a wish, a question, somebody else, a condition, or a change."""
    assert not is_contradicted(denials_in(denial), claim)
