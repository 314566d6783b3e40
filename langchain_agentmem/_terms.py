"""Text to terms: what lexical search compares.

The analyzer unifies text (Unicode NFKC and case folding), leaves stop words out, stems English words (the Snowball
stemmer "English") and keeps identifiers findable: `INV-2024-00123`, `v3.11` or `alice@example.org` stand as a whole and
in their parts, `e-mail` also as `email`. Scripts without spaces between words are cut into pairs of characters; every
other script is taken word by word.

Terms are stored as hashes: an index needs to compare them, not to read them. A change of what is produced here changes
`ANALYZER`, so that views that were kept before are not used; what stands in rows `replay` analyses anew.
"""

from __future__ import annotations

import struct
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import Stemmer

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANALYZER: Final = "snowball-en/1"
TERM_BYTES: Final = 10
"""Bytes of one encoded term: a 64-bit hash and a 16-bit count, little-endian."""

MAX_COUNT: Final = 0xFFFF
MAX_STEMMED_CHARS: Final = 40
"""Longer "words" are encoded data, not language; they are kept as they are."""

_CACHED_TERMS: Final = 65_536

_STOP_LIST: Final = """
a about am an and any are as at be been being both but by can could did do does each few for from had has have having
he her here hers him his how i if in into is it its just me might more most must my no not of on only or other our
ours own same shall she should so some such than that the their theirs them then there these they this those to too us
very was we were what when where which who whom whose why will with would you your yours
"""
_STOP_WORDS: Final = frozenset(_STOP_LIST.split())  # "may" is left in: it is also a month

_BARE_CHARS: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), None) | {
    ord("\u2019"): "'",
    ord("\u02bc"): "'",
    ord("\u2010"): "-",
    ord("\u2011"): "-",
}
"""Invisible characters vanish, typographic apostrophes and hyphens become plain ones."""

_CONTRACTION: Final = lazy_pattern(r"\b(?:ca|wo|sha|ai)n't\b|n't\b|'(?:s|m|re|ve|ll|d)\b|(?<=s)'(?!\w)")
_THOUSANDS: Final = lazy_pattern(r"(?<=\d),(?=\d{3}(?!\d))")

_MARKS: Final = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Marks that belong to a word although the `re` module does not call them letters (accents, vowel signs)."""

_UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"  # Hangul: spaced, but its endings hide the word
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_IDEOGRAPHS: Final = ("\u3400", "\u9fff")

_LETTER: Final = rf"(?:(?![{_UNSPACED}])(?:[^\W_]|[{_MARKS}]))"
_TOKEN: Final = lazy_pattern(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<symbolic>(?<![^\W_])[a-z](?:\+\+|\#))"  # C++, C#
    rf"|(?P<joined>{_LETTER}+(?:[-._@'\u2019]{_LETTER}+)+)"
    rf"|(?P<word>{_LETTER}+)"
)
_MORE_THAN_WORDS: Final = lazy_pattern(r"[a-z0-9][-._@'][a-z0-9]|[a-z](?:\+\+|\#)")
_ASCII_WORD: Final = lazy_pattern(r"[a-z0-9]+")
"""What `_TOKEN` finds in a text of ASCII that joins no words, for a third of the time."""

_CONNECTOR: Final = lazy_pattern(r"[-._@']")
_IDENTIFIER: Final = lazy_pattern(r"(?=(?:.*\d){5})[^\W_]+|(?=(?:.*\d){2})(?=.*[-._@])[\w.@-]+")
_DATE: Final = lazy_pattern(r"\d{1,4}[-.]\d{1,2}(?:[-.]\d{1,4})?|(?:19|20)\d\d-(?:19|20)\d\d|\d+\.\d+")
"""A term of five digits or more, or joined and of two or more; no date, span of years or plain number."""


_local = threading.local()


def tokenize(text: str) -> list[str]:
    """Return the terms of a text in its order, repeats included.

    Example:
        ```python
        tokenize("Alice's invoices: INV-2024-00123")  # ['alic', 'invoic', 'inv-2024-00123', 'inv', '2024', '00123']
        ```
    """
    folded = _folded(text)
    if "'" in folded:
        folded = _CONTRACTION.sub("", folded)
    if "," in folded:
        folded = _THOUSANDS.sub("", folded)
    is_plain = folded.isascii() and not _MORE_THAN_WORDS.search(folded)
    found = _ASCII_WORD.findall(folded) if is_plain else _raw_terms(folded)
    return [term for term in map(_term, found) if term]


def _folded(text: str) -> str:
    """Return a text without differences of case and form; of ASCII there are none but of case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).translate(_BARE_CHARS).casefold()


def encode_terms(text: str) -> bytes:
    """Pack the terms of a text: (64-bit hash, 16-bit count) pairs, ascending by hash, little-endian."""
    return encode_counts(tokenize(text))


def encode_counts(terms: Iterable[str]) -> bytes:
    """Pack terms as `encode_terms` does those of a text."""
    counts = dict[int, int]()
    for key in map(term_hash, terms):
        counts[key] = counts.get(key, 0) + 1
    flat = [number for key in sorted(counts) for number in (key, min(counts[key], MAX_COUNT))]
    return struct.pack("<" + "QH" * len(counts), *flat)


def encode_pairs(terms: Sequence[str]) -> bytes:
    """Pack pairs of neighbouring terms as `encode_terms` does single ones: "hot dog" is more than its words."""
    return encode_counts(f"{first} {second}" for first, second in pairwise(terms))


def identifiers(terms: Iterable[str]) -> list[str]:
    """Return the terms that name one thing alone: invoice numbers, transactions, versions; no word, date or year."""
    return [term for term in terms if _IDENTIFIER.fullmatch(term) and not _DATE.fullmatch(term)]


def decode_terms(blob: bytes) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
    """Unpack what `encode_terms` packed: hashes, ascending, and how often each term occurs."""
    import numpy as np

    pairs = np.frombuffer(blob, dtype=[("hash", "<u8"), ("count", "<u2")])
    return pairs["hash"].astype(np.uint64), pairs["count"].astype(np.uint16)


def encode_labels(tags: Iterable[str], purposes: Iterable[str]) -> bytes:
    """Pack tags and purposes as ascending 64-bit hashes, little-endian; `purpose_hash` tells how they differ."""
    hashes = sorted({*map(tag_hash, tags), *map(purpose_hash, purposes)})
    return struct.pack(f"<{len(hashes)}Q", *hashes)


@of_texts(_CACHED_TERMS)
def term_hash(term: str) -> int:
    """Return the hash under which a term is stored: the same in every process and release."""
    return _hash(b"term", term)


def tag_hash(tag: str) -> int:
    """Return the hash of a tag, compared exactly; always even."""
    return _hash(b"tag", tag) & ~1


def purpose_hash(purpose: str) -> int:
    """Return the hash of a purpose, compared exactly; always odd."""
    return _hash(b"purpose", purpose) | 1


def speaker_hash(speaker: str) -> int:
    """Return the hash under which a speaker's name is stored: "Dr. Ada" and "ada" are told apart, case is not."""
    return _hash(b"speaker", unicodedata.normalize("NFKC", speaker).casefold())


def _hash(person: bytes, text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, person=person).digest()
    return int.from_bytes(digest, "little")


def _raw_terms(folded: str) -> Iterator[str]:
    for match in _TOKEN.finditer(folded):
        kind, token = match.lastgroup, match.group()
        if kind == "unspaced":
            yield from _pairs(token)
        elif kind == "joined":
            yield from _joined(token)
        else:
            yield token


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
        return
    low, high = _IDEOGRAPHS
    for first, second in pairwise(run):
        yield first + second
    yield from (char for char in run if low <= char <= high)  # an ideograph may be a whole word, asked for alone


def _joined(token: str) -> Iterator[str]:
    parts = _CONNECTOR.split(token)
    is_compound = "." not in token and "@" not in token and "_" not in token and all(map(str.isalpha, parts))
    yield "".join(parts) if is_compound else token
    yield from parts


@of_texts(_CACHED_TERMS)
def _term(raw: str) -> str:
    """Fold accents of Latin letters, drop stop words, stem; empty where nothing is left."""
    plain = raw if raw.isascii() else _without_accents(raw)
    if plain in _STOP_WORDS:
        return ""
    if plain.isascii() and plain.isalpha() and len(plain) <= MAX_STEMMED_CHARS:
        stem: str = _stemmer().stemWord(plain)
        return stem
    return plain


def _without_accents(word: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFKD", word) if not "\u0300" <= char <= "\u036f")
    return bare if bare.isascii() else word


def _stemmer() -> Stemmer.Stemmer:
    """Return this thread's stemmer: one object must not be used by two threads at once."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)  # 0: results are cached here, not there as well
    return stemmer
