"""Text made plain, with the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.text.folding import fold, fold_case, fold_look_alikes, sentences, without_quotes


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_ascii_stays_as_it_is(text: str) -> None:
    """Plain text is its own folding."""
    assert fold(text).text == text


@given(st.text(max_size=60))
def test_every_folded_character_knows_its_place(text: str) -> None:
    """Places never decrease, and each lies inside the original."""
    folded = fold(text)
    places = list(folded.places)
    assert len(places) == len(folded.text)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)


@given(st.text(max_size=60), st.data())
def test_a_span_folds_to_what_it_stands_for(text: str, data: st.DataObject) -> None:
    """Folding the original span of a folded piece yields a text that holds the piece."""
    folded = fold(text)
    if not folded.text:
        return
    start = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(start + 1, len(folded.text)))
    first, last = folded.span(start, end)
    assert folded.text[start:end] in fold(text[first:last]).text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("１２３", "123"),
        ("٤١١", "411"),
        ("a\u2013b\u2212c", "a-b-c"),
        ("\u201chi\u201d it\u2019s", '"hi" it\'s'),
        ("a\u00a0b\u2003c", "a b c"),
        ("pass\u200bword\u00ad", "password"),
        ("ﬁne ㎏", "fine kg"),
        ("a\u2028b", "a\nb"),
    ],
)
def test_compatibility_forms_become_plain(text: str, plain: str) -> None:
    """Digits of any script, dashes, quotes, spaces, ligatures and invisible characters have one form."""
    assert fold(text).text == plain


def test_case_and_look_alikes_are_folded_on_request() -> None:
    """Sharp s has no case of its own, and Cyrillic letters pass for Latin ones only where asked."""
    assert fold_case("STRASSE") == fold_case("Straße")
    assert fold_look_alikes("ІGNОRE") == "ignore"
    assert fold("мир").text == "мир"


def test_quotations_are_blanked_but_not_when_alone() -> None:
    """What is quoted beside a statement goes; a statement in quotation marks stays; an apostrophe is none."""
    assert "maybe" not in without_quotes('the song "maybe" is good')
    assert "maybe" not in without_quotes("the song 'maybe' is good")
    assert "maybe" in without_quotes('"maybe"')
    assert without_quotes("it's Bob's and Al's") == "it's Bob's and Al's"


def test_sentences_are_split_at_their_ends_only() -> None:
    """Abbreviated numbers and versions hold no end of a sentence."""
    assert sentences("Use 3.11. Really?\nYes; now") == ["Use 3.11.", "Really?", "Yes;", "now"]
