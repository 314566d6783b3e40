"""A text as tokens: words in normal form, quantities, names and marks, with the speaker reduced to the token `user`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.moving import NOW
from langchain_agentmem.english.reading.overcome import DENIALS
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.quantities import match_quantity
from langchain_agentmem.english.text.sentences import is_shortening
from langchain_agentmem.english.words.caseless import caseless_words
from langchain_agentmem.english.words.comments import without_comment
from langchain_agentmem.english.words.lexicon import (
    ALIASES,
    BE,
    COMMON_FIRST_WORDS,
    FIRST_PERSON,
    FIRST_PERSON_OWNER,
    INTENTIONS,
    LIGHT,
    MARKERS,
    NEGATORS,
    PRONOUN_SUBJECTS,
    STOP,
    STOP_VERBS,
    SYNONYMS,
    UNCERTAIN,
    USER_COMPOUNDS,
    stem,
)
from langchain_agentmem.english.words.patterns import CAPITAL

TokenKind: TypeAlias = Literal["word", "number", "mark"]
USER: Final = "user"
OWNS: Final = "'s"


@dataclass(frozen=True, slots=True)
class Token:
    """One unit of a text.

    Attributes:
        norm: Casefolded word, quantity in normal form, or punctuation mark.
        is_name: Written as a name: capitalised inside a sentence, quoted, in capitals, or an identifier.
    """

    norm: str
    kind: TokenKind = "word"
    is_name: bool = False

    @property
    def term(self) -> str:
        """The form by which words are compared: quantities as they are, words by stem and synonym."""
        if self.kind == "number":
            return self.norm
        stemmed = stem(self.norm) if self.norm != "users" else self.norm
        return stemmed if self.is_name else SYNONYMS.get(stemmed, stemmed)

    @property
    def is_content(self) -> bool:
        """Whether the token says something of its own."""
        return self.kind == "number" or (
            self.kind == "word" and (self.is_name or self.norm not in STOP) and self.norm != USER
        )


_S_IS_VERB: Final = r"it|that|he|she|what|there|here|who|where|let"
_S_BEFORE: Final = (
    r"not|no|allergic|called|named|based|from|going|very|really|now|vegetarian|vegan|married|working|living|an?|always"
)
_REWRITES: Final[Sequence[tuple[frozenset[str], re.Pattern[str], str]]] = tuple(
    (frozenset(words.split()), lazy_pattern(pattern, re.IGNORECASE), new)
    for words, pattern, new in (
        *DENIALS,
        *NOW,
        ("can cannot", r"\bcan(?:'t|not)\b", "can not"),
        ("won", r"\bwon't\b", "will not"),
        ("shan", r"\bshan't\b", "shall not"),
        ("ain", r"\bain't\b", "is not"),
        ("t", r"n't\b", " not"),
        ("m", r"\b(I)'m\b", r"\1 am"),
        ("re", r"'re\b", " are"),
        ("ve", r"'ve\b", " have"),
        ("ll", r"'ll\b", " will"),
        ("d", r"'d\b", " would"),
        ("s", rf"\b({_S_IS_VERB})'s\b", r"\1 is"),
        ("s", rf"(\w)'s(?=\s(?:{_S_BEFORE})\b)", r"\1 is"),
        ("mail email", r"\be-?mail\b", "email"),
        ("end", r"\b(front|back)[- ]end\b", r"\1end"),
        ("zone timezone", r"\btime[- ]?zone\b", "timezone"),
        ("vs", r"\bvs\.? code\b", "vs-code"),
        ("tongue", r"\bmother tongue\b", "native language"),
        ("one", r"\bno[- ]one\b", "nobody"),
        ("only just", r"\bnot (?:only|just)\b", "also"),
        ("longer more anymore anylonger", r"\b(?:no longer|not any ?(?:more|longer))\b", "not"),
        ("more anymore longer all", r"\b(?:any ?more|any longer|at all|after all)\b", ""),
        ("stand bear", r"\b(?:can|could) not (?:stand|bear)\b", "dislike"),
        ("has have had", r"\b(?:has|have|had) to\b", "must"),
        (
            "left hand",
            r"\b((?:have|has|are|is) (?:only |just )?\d[\d.,]* [\w' -]{1,40}?) (?:left|on hand)(?=\W?$)",
            r"\1 in stock",
        ),
        ("effect effective", r"\b(?:with )?effect(?:ive)? (?:from|as of)\b", "from"),
        ("instead", r"\binstead of\b", "instead-of"),
        ("rather", r"\brather than\b", "rather-than"),
        ("up", r"\b(?:gave|give|gives|given|giving) up(?: on)?\b", "formerly"),
    )
)
"""Words of which a text has one at least where a pattern fits, the pattern, and what is read in its place."""

_FOLD: Final = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": ",", "\u2212": "-", " ": " "})
_QUOTED: Final = lazy_pattern(r"\"([^\"]{1,60})\"|`([^`]{1,60})`|(?<!\w)'([^']{1,60})'(?!\w)")
_TOKEN: Final = lazy_pattern(
    rf"""(?P<address>https?://\S*[\w/]|[\w.+-]{{1,64}}+@[\w-]+(?:\.[\w-]+)+)
    | (?P<joined>vs-code|instead-of|rather-than)
    | (?P<identifier>{CAPITAL}{{1,2}}[-+♯♭](?!\w))
    | (?P<owns>(?:'s|(?<=s)')(?=\s|$|[.,;:!?]))
    | (?P<chunk>C\+\+|[CF]\#|[@\#]?\w+(?:[._/:-]\w+){{0,20}})
    | (?P<mark>[.,;:!?()=])""",
    re.VERBOSE,
)
# Small words that are names in capitals: "Hall A", "the US", "the IT department".
_CAPITALS: Final[Mapping[str, str]] = {"A": "letter-a", "US": "usa", "IT": "information-technology"}
_IDENTIFIER: Final = lazy_pattern(r"[\d._/:@#+]")
_CAPITALS_AND_S: Final = lazy_pattern(rf"{CAPITAL}{{2,}}s")
_NO_NAMES: Final = STOP | NEGATORS | LIGHT
_SENTENCE_END: Final = frozenset(".!?:;")
_SIGNS: Final = frozenset({"Sc", "Sm", "So"})


def read(text: str, *, speaker_name: str | None = None) -> tuple[Token, ...]:
    """Return the tokens of a text; first person, "the user" and the speaker's name become `user`."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_FOLD)
    told = without_comment(" ".join(as_read(plain).split()))
    tokens = list(_scan(_rewritten(told.lower() if told.isupper() else told)))
    if speaker_name:
        tokens = _with_speaker(tokens, speaker_name.casefold().split())
    return tuple(_with_former(_with_user(tokens)))


def _rewritten(text: str) -> str:
    words = caseless_words(text)
    for needed, pattern, new in _REWRITES:
        if needed.isdisjoint(words):
            continue
        rewritten = pattern.sub(new, text)
        if rewritten != text:
            text, words = rewritten, caseless_words(rewritten)
    return text


def _scan(text: str) -> Iterator[Token]:
    quoted = {place for found in _QUOTED.finditer(text) for place in range(found.start() + 1, found.end())}
    position, is_first = 0, True
    while position < len(text):
        if text[position] == " ":
            position += 1
            continue
        quantity = match_quantity(text, position)
        if quantity is not None:
            yield Token(quantity[0], "number")
            position, is_first = quantity[1], False
            continue
        found = _TOKEN.match(text, position)
        if found is None:
            position += 1
            continue
        in_quotes = position in quoted
        kind, surface = _cut(found)
        position += len(surface)
        if surface == "." and is_shortening(text, found.start()):
            continue
        yield _token(kind, surface, is_first=is_first, in_quotes=in_quotes)
        is_first = surface in _SENTENCE_END or (is_first and kind == "mark")


def _cut(found: re.Match[str]) -> tuple[str, str]:
    """Return the kind and text of a match: an identifier is taken whole, of other joined words the first."""
    surface = found[0]
    if found.lastgroup != "chunk":
        return str(found.lastgroup), surface
    if surface.isalpha():
        return "word", surface
    if not any(letter.isalpha() for letter in surface):
        return "number", surface
    if _IDENTIFIER.search(surface):
        return "identifier", surface
    return "word", surface.split("-")[0]


def _token(kind: str, surface: str, *, is_first: bool, in_quotes: bool) -> Token:
    norm = surface.casefold()
    if kind in {"mark", "number"}:
        return Token(norm, "mark" if kind == "mark" else "number")
    if kind == "owns":
        return Token(OWNS)
    if kind in {"address", "identifier"}:
        return Token(norm, is_name=True)
    if surface in _CAPITALS and not is_first:
        return Token(_CAPITALS[surface], is_name=True)
    return Token(
        _singular(surface, ALIASES.get(norm, norm)),
        is_name=_is_name(surface, norm, is_first=is_first, in_quotes=in_quotes),
    )


def _singular(surface: str, norm: str) -> str:
    """Drop the plural of an abbreviation: `PRs` is `pr`."""
    return norm[:-1] if surface.endswith("s") and _CAPITALS_AND_S.fullmatch(surface) else norm


def _is_name(surface: str, norm: str, *, is_first: bool, in_quotes: bool) -> bool:
    if (surface.islower() and not in_quotes) or norm in _NO_NAMES:
        return False
    if in_quotes or (not surface[1:].islower() and any(letter.isupper() for letter in surface[1:])):
        return norm not in COMMON_FIRST_WORDS or in_quotes
    return surface[0].isupper() and not (is_first and norm in COMMON_FIRST_WORDS)


def _with_speaker(tokens: list[Token], name: list[str]) -> list[Token]:
    """Replace the speaker's full name, and each word of it that stands alone, by `user`."""
    found: list[Token] = []
    for token in tokens:
        if token.norm in name and token.kind == "word":
            if not found or found[-1].norm != USER:
                found.append(Token(USER))
        else:
            found.append(token)
    return found


def _with_user(tokens: list[Token]) -> Iterator[Token]:
    for index, token in enumerate(tokens):
        following = tokens[index + 1].norm if index + 1 < len(tokens) else ""
        if token.kind != "word":
            yield token
        elif token.norm in FIRST_PERSON:
            yield Token(USER)
        elif token.norm in FIRST_PERSON_OWNER:
            yield Token(USER)
            yield Token(OWNS)
        elif token.norm == USER and following in USER_COMPOUNDS:
            yield replace(token, norm="users")
        elif not (token.norm in {"the", "this"} and following == USER and _ends_user(tokens, index + 2)):
            yield token


def _ends_user(tokens: Sequence[Token], index: int) -> bool:
    return index >= len(tokens) or tokens[index].norm not in USER_COMPOUNDS


def _with_former(tokens: Iterator[Token]) -> Iterator[Token]:
    """Read "used to live" and "stopped eating" as "formerly"; "is used to" and "stop the server" stay."""
    seen = list(tokens)
    skip = False
    for index, token in enumerate(seen):
        following = seen[index + 1].norm if index + 1 < len(seen) else ""
        previous = seen[index - 1].norm if index else ""
        if skip:
            skip = False
        elif token.norm == "used" and following == "to" and previous not in BE:
            skip = True
            yield Token("formerly")
        elif token.norm in STOP_VERBS and following.endswith("ing"):
            yield Token("formerly")
        else:
            yield token


def signs_of(text: str) -> tuple[str, ...]:
    """Return the symbols of a text, which are no tokens: emoji, currencies, mathematical signs."""
    return tuple(sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) in _SIGNS)


def leaves_open(tokens: Sequence[Token]) -> bool:
    """Whether words tell what may be, could be or is intended, and not what is; the month of May is no doubt."""
    return any(
        token.norm in INTENTIONS or (MARKERS.get(token.norm) in UNCERTAIN and not token.is_name) for token in tokens
    )


def subject_of(tokens: Sequence[Token]) -> str:
    """Return whom the first words are about: `user`, `we`, `he`, `she`, `they`, or an empty text."""
    aliases: Mapping[str, str] = {USER: USER, **PRONOUN_SUBJECTS}
    for index, token in enumerate(tokens):
        if token.norm in aliases:
            is_role = index + 1 < len(tokens) and tokens[index + 1].norm == OWNS
            return "" if is_role and token.norm != USER else aliases[token.norm]
        if token.kind == "word" and token.norm not in LIGHT and token.norm not in NEGATORS and token.norm not in STOP:
            return ""
    return ""
