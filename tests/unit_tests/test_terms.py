from __future__ import annotations

import sys
import threading
import unicodedata
from collections import Counter
from subprocess import run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import _terms
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem._terms import (
    decode_terms,
    encode_labels,
    encode_terms,
    identifiers,
    purpose_hash,
    tag_hash,
    term_hash,
    tokenize,
)
from tests.held import held


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Alice's invoices", ["alic", "invoic"]),
        ("INV-2024-00123", ["inv-2024-00123", "inv", "2024", "00123"]),
        ("Python v3.11!", ["python", "v3.11", "v3", "11"]),
        ("alice@Example.org", ["alice@example.org", "alic", "exampl", "org"]),
        ("e-mail", ["email", "e", "mail"]),
        ("O’Brien doesn't", ["obrien", "o", "brien"]),
        ("max_tokens", ["max_tokens", "max", "token"]),
        ("C++ and C#", ["c++", "c#"]),
        ("1,000 km", ["1000", "km"]),
        ("café CAFÉ cafe", ["cafe", "cafe", "cafe"]),
        ("ｆｕｌｌ ﬁle", ["full", "file"]),
        ("so\u00adft\u200bware", ["softwar"]),
        ("Привет, Ёлка", ["привет", "ёлка"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("喜欢猫", ["喜欢", "欢猫", "喜", "欢", "猫"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("타워", ["타워"]),
        ("the of and", []),
        ("😀 …!", []),
    ],
)
def test_text_becomes_these_terms(text: str, terms: list[str]) -> None:
    """Words are stemmed, identifiers are kept whole and in parts, and every script has terms."""
    assert tokenize(text) == terms


@given(st.text(max_size=200))
def test_encoding_keeps_the_terms_and_their_counts(text: str) -> None:
    """What is packed is the count of each term, ascending by hash."""
    hashes, counts = decode_terms(encode_terms(text))
    expected = Counter(map(term_hash, tokenize(text)))
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == expected
    assert hashes.tolist() == sorted(hashes.tolist())


@given(st.text(alphabet="abcÄößéñжЯ -.", max_size=50))
def test_case_and_unicode_form_do_not_matter(text: str) -> None:
    """Capitals and decomposed letters have the terms of the text itself."""
    assert tokenize(text.upper()) == tokenize(text)
    assert tokenize(unicodedata.normalize("NFD", text)) == tokenize(text)


def test_hashes_are_the_same_in_every_release() -> None:
    """Stored terms are compared with those of later releases: these numbers never change under one ANALYZER."""
    assert (_terms.ANALYZER, term_hash("python"), tag_hash("work"), purpose_hash("work")) == (
        "snowball-en/1",
        12630144004779302744,
        3032096574962408544,
        6473707733571631505,
    )


def test_a_tag_is_never_taken_for_a_purpose() -> None:
    """The hash tells which of the two a label is, and both are compared exactly."""
    assert tag_hash("work") % 2 == 0
    assert purpose_hash("work") % 2 == 1
    assert tag_hash("work") != tag_hash("Work")


def test_the_order_of_labels_does_not_matter() -> None:
    """Labels are a set."""
    assert encode_labels(["a", "b", "a"], ["c"]) == encode_labels(["b", "a"], ["c"])


def test_threads_stem_alike() -> None:
    """Many threads at once get what one gets."""
    words = [f"running{at} deployments connection{at}s" for at in range(300)]
    expected = [tokenize(word) for word in words]
    forget_texts()
    found: list[list[list[str]]] = []
    threads = [threading.Thread(target=lambda: found.append([tokenize(word) for word in words])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_no_word_is_remembered_after_it_is_asked_to_forget() -> None:
    """An erasure can clear what the process keeps of texts for speed."""
    encode_terms("zanzibar")
    forget_texts()
    assert held() == []


def test_importing_the_analyzer_does_not_import_numpy() -> None:
    """Terms are needed by every write; arrays only by a search."""
    code = "import sys, langchain_agentmem._terms; print('numpy' in sys.modules)"
    assert run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_identifiers_name_one_thing_alone() -> None:
    """Invoice numbers, transactions and versions; no word, no year, no date, no plain number."""
    terms = tokenize("INV-20417 (TX-88231, v3.11.2, 4711047) of 2023-05-07, 1998-2004, e-mail, 12 or 3.5 paid?")
    assert set(identifiers(terms)) == {"inv-20417", "20417", "tx-88231", "88231", "v3.11.2", "4711047"}


@given(text=st.text(alphabet="abz09 .-_@'+#,!", max_size=40))
def test_a_text_of_plain_words_is_cut_as_any_other(text: str) -> None:
    """Law: the short way for ASCII finds the terms that the whole analyzer finds."""
    plain = [it for it in map(_terms._term, _terms._raw_terms(text)) if it]
    if not _terms._MORE_THAN_WORDS.search(text):
        assert [it for it in map(_terms._term, _terms._ASCII_WORD.findall(text)) if it] == plain


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_a_text_of_ascii_is_folded_as_any_other(text: str) -> None:
    """An invisible character, which vanishes, sends a text the long way round: its terms are the same."""
    assert tokenize(f"{text}\u200b") == tokenize(text)
