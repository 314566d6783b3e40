from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.requests.not_keeping import MAX_BEFORE, not_to_keep, without_unkept


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Don't store that I smoke.", ["that I smoke"]),
        ("I am ill. Don't write it down. And don't store that I smoke.", ["I am ill", "that I smoke"]),
        ("I saw Dr. Lee. Please don't note that.", ["I saw Dr. Lee"]),
        ("I am ill, but don't save it.", ["I am ill"]),
        ("Don't record this: I am ill. I like tea.", ["I am ill"]),
        ("Don't store this.", [""]),
        ("Don't save it in the repo.", []),
        ("Don't store my keys in the repo.", []),
        ("We never store our keys.", []),
    ],
)
def test_what_is_not_to_be_kept_is_named(text: str, what: list[str]) -> None:
    """What the verb is said of, or what "it" stands for; orders about work name nothing."""
    assert [it.what for it in not_to_keep(text)] == what


def test_it_stands_for_a_sentence_and_not_for_a_whole_document() -> None:
    """Without a full stop in bearable distance, no more than that distance is meant."""
    [found] = not_to_keep(f"{'word ' * MAX_BEFORE}\tis what I say, but don't store it.")
    assert len(found.what) <= MAX_BEFORE


@given(st.text(max_size=300))
def test_blanking_keeps_every_place(text: str) -> None:
    """What is left stands where it stood: evidence is cut from there."""
    kept = without_unkept(text)
    assert len(kept) == len(text)
    assert all(new in {old, " "} for new, old in zip(kept, text, strict=True))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I voted Labour. This is between us, don't remember it.", "I voted Labour"),
        ("I'm seeing a therapist. Please do not store this information.", "I'm seeing a therapist"),
        ("I earn 3000 a month. No need to remember that.", "I earn 3000 a month"),
        ("I smoke. You don't have to remember this.", "I smoke"),
        ("Off the record: I'm looking for a new job.", "I'm looking for a new job"),
        ("I'm looking for a new job, off the record.", "I'm looking for a new job"),
        ("I'm ill. This is off the record.", "I'm ill"),
        ("This is off the record. I'm ill.", "I'm ill"),
        ("Don't keep a record of this. I'm ill.", "I'm ill"),
        ("Please keep no memory of this: I'm ill.", "I'm ill"),
        ("I'm ill. That's not for your memory.", "I'm ill"),
        ("I'm ill (do not store).", "I'm ill"),
        ("I'm ill - don't remember.", "I'm ill"),
        ("Please forget it afterwards: I'm ill.", "I'm ill"),
        ("What can I eat with lupus? Don't save this question.", "What can I eat with lupus"),
        ("I have a cat named Tom. Never mind, don't remember that.", "I have a cat named Tom"),
        ("Never mind, don't remember that.", ""),
        ("You don't need to remember my allergy any more.", "my allergy"),
    ],
)
def test_what_is_said_beside_such_an_order_is_not_what_it_means(text: str, what: str) -> None:
    """What it stands for was told before, however the order is put."""
    [found] = not_to_keep(text)
    assert (found.what, without_unkept(text).strip(" .")) == (what, "")


@pytest.mark.parametrize(
    "text",
    [
        "What he said was off the record.",
        "The function (do not store) is fine.",
        "I said don't remember.",
        "I like tea - don't forget.",
        "Can you not remember this? I told you that I'm vegan.",
        "Is this off the record?",
        "You don't have to save this file.",
        "There's no need to log that request.",
        "No need to remember the milk.",
        "I told her it is between us, don't worry.",
        "My code is between us, don't store passwords in the repo.",
    ],
)
def test_what_is_no_such_order_stays(text: str) -> None:
    """Of work, of others, or a question."""
    assert not_to_keep(text) == ()
