"""What middleware redacted before memory saw it is no value of anything."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My mail is [REDACTED_EMAIL].", []),
        ("My email address is [REDACTED_EMAIL] and I live in Oslo.", ["The user lives in Oslo"]),
        ("My card number is [REDACTED_CREDIT_CARD].", []),
        ("My website is [REDACTED_URL].", []),
        ("My mail is <email_hash:ab12cd34>.", []),
    ],
)
def test_a_redaction_is_no_fact(said: str, kept: list[str]) -> None:
    """That the user has an address tells nothing, and would take the place of the one that is known."""
    assert told(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "I prefer [brackets] in code.",
        "My favourite album is [redacted] by nobody.",
        "I work for [REDACTED_URL] as a nurse.",
        "My card is ****-****-****-1234.",
        "My favourite song is Hash.",
    ],
)
def test_what_says_more_than_a_redaction_is_kept(said: str) -> None:
    """Brackets of the user's own, what stands beside a redaction, and the part of a value that a mask shows."""
    assert len(told(said)) == 1
