"""What somebody says of themselves that has one value at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.reading.claims import pack_claims, unpack_claims
from langchain_agentmem.policies.stated import slots_asked, stated_in
from langchain_agentmem.policies.updates import update_between

UPDATES = [
    ("I live in Paris near the canal.", "I moved to Berlin last week.", "Where does Alice live?"),
    ("I live in Paris.", "I now live in Berlin.", "Where do I live?"),
    ("I work at Acme as a designer.", "I changed jobs, I now work at Globex.", "Where does Alice work now?"),
    ("I work for Acme.", "I've just joined Globex.", "Who does she work for?"),
    ("My favourite editor is Vim.", "Helix is my favourite editor now.", "What is Alice's favourite editor?"),
    ("My favorite tea is green.", "My favorite tea is now Oolong.", "Which is my favourite tea?"),
    ("My manager is Tom Brown.", "My new manager is Sarah Lee, Tom left.", "Who is Alice's manager?"),
    ("My doctor is Dr. Ames.", "My doctor is now Dr. Bell.", "Who is Alice's doctor?"),
    ("My landlord is Mr. Tom Ames.", "My new landlord is Mr. Tom Bell.", "Who is Alice's landlord?"),
    ("My boss is J. R. Smith.", "My boss is now J. R. Bell.", "Who is my boss?"),
    ("I live in St. Louis.", "I live in St. Petersburg now.", "Where do I live?"),
    ("My phone number ends with 4471.", "I changed my phone number, it now ends with 9902.", "What phone number?"),
    ("We deploy the checkout service on AWS.", "We have moved the checkout service to Azure now.", ""),
    ("The billing app is hosted on Heroku.", "The billing app was migrated to Fly.", ""),
    ("I use Chrome.", "I switched to Firefox.", "Which browser do I use?"),
    ("I keep my notes in Evernote.", "By the way, I'm done. I switched to Obsidian.", "Which notes app do I use?"),
    ("My editor is Vim.", "I switched to Helix last week.", "Which editor does Alice use?"),
]


@pytest.mark.parametrize(("earlier", "later", "question"), UPDATES)
def test_a_new_state_updates_the_old_one(earlier: str, later: str, question: str) -> None:
    """Where it says that something changed; a question for it names the same terms."""
    update = update_between(stated_in(earlier), stated_in(later))
    assert update is not None
    assert update.kind == "state"
    assert not question or update.terms & slots_asked(question)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Paris.", "I now live in Paris."),
        ("I live in Paris.", "I love Berlin now."),
        ("My doctor is Dr. Ames.", "My doctor is now Dr Ames."),
        ("My doctor is Ames.", "My doctor is now Dr. Ames."),
        ("I live in Paris.", "My sister moved to Berlin."),
        ("I live in Paris.", "Should I move now? Would I live in Berlin?"),
        ("My favourite editor is Vim.", "My favourite tea is now Oolong."),
        ("My manager is Tom.", "My new landlord is Sarah."),
        ("The meeting is on Monday.", "The meeting was moved to Thursday."),
        ("We deploy the checkout service on AWS.", "We have moved the search index to Azure."),
        ("I work at Acme.", "I work at the desk now."),
        ("I use Chrome.", "I nearly switched to Firefox."),
        ("I use Chrome.", "I switched to Firefox on my phone."),
        ("I use Chrome.", "My mother switched to Firefox."),
        ("My mother uses Chrome.", "I switched to Firefox."),
        ("My mortgage is with Nationwide.", "I moved the account from Barclays to Monzo."),
    ],
)
def test_what_is_of_something_else_updates_nothing(earlier: str, later: str) -> None:
    """Another thing, another person, the same value, or no word of change."""
    found = update_between(stated_in(earlier), stated_in(later))
    assert found is None or found.kind != "state"


@given(st.text(max_size=200))
def test_any_text_is_read_and_packed(text: str) -> None:
    """Nothing that somebody says breaks it."""
    claims = stated_in(f"I live in Paris. {text} I moved to {text}")
    assert len(unpack_claims(pack_claims(claims))) == len(claims)
