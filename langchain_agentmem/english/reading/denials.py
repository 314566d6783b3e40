"""Statements that contradict each other across a conversation: "I have never used Zotero", "I just downloaded Zotero".

A denial of the speaker's own is held against what they say they did, do, are or have. Of what they never did some words
are enough; of what they do not do ("I don't eat meat"), are not ("I'm not allergic to nuts") and cannot do, every word.
Neither says that something changed, so neither replaces the other: which of them holds, only the speaker knows.
English; no words of a language model are needed, and none are trusted: a pair is marked and shown, nothing is left out.

Measured on the ten conversations of BEAM's first half: 46 turns with a denial, 27 pairs, about three in four of them
right by eye; in LoCoMo's five, none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.sentences import without_shortenings
from langchain_agentmem.english.words.kin_words import kin_of
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, SAINT, TITLES

MIN_SHARED: Final = 2
"""Telling words that a denial and what it denies must have in common, what was done among them."""

MIN_SHARE: Final = 0.4
"""Those words, as a share of what is denied."""

MAX_CLAUSE_CHARS: Final = 160
"""Of what is denied, or said to be done: a clause is shorter."""

MAX_REFUSED: Final = 4
"""Telling words of what somebody does not do: more of them tell a circumstance, and not what it is about."""

_DENIAL: Final = lazy_pattern(r"\b(?:i|we)(?:['\u2019]ve| have)? never\b(?P<what>[^.!?;\n]{1,400})", re.IGNORECASE)
_DONE: Final = lazy_pattern(
    r"\b(?:i|we)(?:['\u2019]ve| have)?(?: (?:just|already|recently|also|even|finally|had to|managed to))?"
    r" (?P<what>[^.!?;\n]{1,400})",
    re.IGNORECASE,
)
_CLAUSE_END: Final = lazy_pattern(
    r",? \b(?:so|but|because|considering|although|which|and (?:i|we)\b|can you|could you|should i|what|how|it seems)\b",
    re.IGNORECASE,
)
_CODE: Final = lazy_pattern(r"```.*?(?:```|$)", re.DOTALL)
_DENIED: Final = lazy_pattern(r"^(?:never|not|no|without|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_FRAME_WORDS: Final = """
actually really before ever any anything anyone other project work do done did make made have had related problem
problems thing things something help want try trying way lot new own
"""
_FRAME: Final = frozenset(tokenize(" ".join((_FRAME_WORDS, "St", *TITLES))))


_NOT: Final = lazy_pattern(
    r"\b(?:i|we) (?:don['\u2019]t|do not|can['\u2019]t|cannot|can not|am not|are not|wasn['\u2019]t|was not)"
    r" (?P<what>[^.!?;,\n]{1,400})|\b(?:i['\u2019]m|we['\u2019]re) not (?P<is>[^.!?;,\n]{1,400})",
    re.IGNORECASE,
)
_AM: Final = lazy_pattern(r"\b(?:i['\u2019]m|we['\u2019]re) (?P<what>[^.!?;\n]{1,400})", re.IGNORECASE)
_HAS_NONE: Final = lazy_pattern(
    r"\b(?:i|we) (?:have no|don['\u2019]t have (?:an?|any)|do not have (?:an?|any)|never had (?:an?|any))"
    r" (?P<what>[a-z]+)\b",
    re.IGNORECASE,
)
_NEGATES: Final = lazy_pattern(r"\b(?:never|not|no|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_MARKS: Final = ("not", "never", "n't", "n\u2019t", "have no")
"""One of which every denial has: to look for these takes a hundredth of what a pattern does."""

_BEEN_TO: Final = lazy_pattern(r"\bbeen (?:to|in)\b", re.IGNORECASE)
_BEEN_THERE: Final = lazy_pattern(rf"been (?:to|in) (?P<place>{SAINT}?{CAPITAL}\w{{1,40}})(?=[,\s]+[a-z0-9]|[.!?\s]*$)")
"""A place of one word: who has been to New York has not been to York."""

_CHANGES: Final = lazy_pattern(r"\b(?:anymore|any more|any longer|no longer|yet|until|unless|if|when)\b", re.IGNORECASE)
_AT_ALL: Final = lazy_pattern(r" at all\b.*", re.IGNORECASE)
_ONLY_MEANT: Final = lazy_pattern(
    r"^(?:(?:a|['\u2019])m |are )?(?:want|would|will|plan|hop(?:e|ing)|might|could|should|may|wish|try|need|going|not"
    r"|n['\u2019]t|thinking|considering|never|dream)",
    re.IGNORECASE,
)
_ASKING: Final = lazy_pattern(r"\b(?:if|whether|when|should|can|could|would|do|did|will|am|as)$", re.IGNORECASE)
_MENTAL: Final = frozenset(tokenize("know think understand see feel remember mean believe seem care sure mind get"))

_FORMS: Final = {
    "visit": ("visit", "went", "go", "travel", "flew", "fli", "been to", "been in"),
    "eat": ("eat", "ate", "eaten"),
    "drink": ("drink", "drank", "drunk"),
    "drive": ("drive", "drove", "driven"),
    "smoke": ("smoke",),
}
_VERB_OF: Final = {form: verb for verb, forms in _FORMS.items() for form in forms}
"""Verbs that stand for one deed, by their stems."""

OWNED: Final = {
    **dict.fromkeys(("sibling", "siblings"), tuple(sorted(kin_of("sibling")))),
    **dict.fromkeys(("brother", "brothers"), ("brother",)),
    **dict.fromkeys(("sister", "sisters"), ("sister",)),
    **dict.fromkeys(("child", "children", "kid", "kids"), ("children", *sorted(kin_of("child") - {"baby"}))),
    **dict.fromkeys(("pet", "pets"), ("pet", "dog", "cat")),
    **{name: (name,) for name in ("dog", "cat", "car", "bike", "wife", "husband", "partner", "roommate", "flatmate")},
}
"""What somebody may say they have none of, and what they have if they have any."""


class Denial(NamedTuple):
    """What a speaker says they never did, do not do, are not, or have none of.

    Attributes:
        verb: Its stem. `words`: all telling words, that among them.
        is_whole: Only what has all of the words contradicts it.
        owned: What they have none of, by every name; then there are no words.
    """

    verb: str
    words: frozenset[str]
    is_whole: bool = False
    owned: tuple[str, ...] = ()


def denials_in(text: str) -> tuple[Denial, ...]:
    """Return what a speaker says they never did, do not do, are not, or have none of."""
    folded = text.casefold()
    if not any(it in folded for it in _MARKS) or _NEGATES.search(text) is None:
        return ()
    spoken = _spoken(text)
    return (*_deeds(_DENIAL, spoken), *_refusals(spoken), *_lacks(text))


def is_contradicted(denials: Iterable[Denial], text: str) -> bool:
    """Whether who denies something says in another text that they did, do, are or have it."""
    folded = text.casefold()
    near = [denial for denial in denials if not denial.owned and _may_be_about(denial, folded)]
    spoken = _spoken(text) if near else ""
    done = list(_deeds(_DONE, spoken))
    if any(_is_about(denial, deed) for denial in near if not denial.is_whole for deed in done):
        return True
    whole = [denial for denial in near if denial.is_whole]
    if any(_is_about(denial, deed) for denial in whole for deed in (_claimed(spoken) if whole else ())):
        return True
    return any(_has(name, folded) for denial in denials for name in denial.owned)


def _deeds(pattern: re.Pattern[str], spoken: str) -> Iterator[Denial]:
    for found in _found(pattern, spoken):
        words = [word for word in tokenize(found) if word not in _FRAME]
        if pattern is _DENIAL and _BEEN_TO.match(found.strip()) is not None:
            yield Denial("visit", frozenset({"visit", *words}), is_whole=True)
        elif len(words) >= MIN_SHARED:
            yield Denial(words[0], frozenset(words))


def _refusals(spoken: str) -> Iterator[Denial]:
    """Yield what a speaker says they do not do, cannot do, or are not."""
    for found in _NOT.finditer(spoken):
        clause = _AT_ALL.sub("", _CLAUSE_END.split(found["what"] or found["is"], maxsplit=1)[0])
        words = _folded([word for word in tokenize(clause) if word not in _FRAME])
        is_told = MIN_SHARED <= len(words) <= MAX_REFUSED and words[0] not in _MENTAL
        if is_told and _CHANGES.search(clause) is None:
            yield Denial(words[0], frozenset(words), is_whole=True)


def _lacks(text: str) -> Iterator[Denial]:
    for found in _HAS_NONE.finditer(text):
        owned = OWNED.get(found["what"].casefold())
        if owned is not None:
            yield Denial("", frozenset(), owned=owned)


def _claimed(spoken: str) -> Iterator[Denial]:
    """Yield what a speaker says that they do, did or are, neither asked nor only meant to be."""
    for pattern in (_DONE, _AM):
        place = 0
        while (found := pattern.search(spoken, place)) is not None:
            place = found.start("what")
            is_meant = _ONLY_MEANT.search(found["what"]) is not None or _NEGATES.search(found["what"][:16]) is not None
            if not is_meant and _ASKING.search(spoken[max(0, found.start() - 12) : found.start()].rstrip()) is None:
                clause = _CLAUSE_END.split(found["what"][:MAX_CLAUSE_CHARS], maxsplit=1)[0]
                been = _BEEN_THERE.match(clause)
                words = _folded([word for word in tokenize(clause) if word not in _FRAME])
                if been is not None:
                    yield Denial("visit", frozenset({"visit", *tokenize(been["place"])}))
                elif len(words) >= MIN_SHARED:
                    yield Denial(words[0], frozenset(words))


def _folded(words: list[str]) -> list[str]:
    """Return words with the first one, a verb, in its one form."""
    return [_VERB_OF.get(words[0], words[0]), *words[1:]] if words else []


def _has(name: str, folded: str) -> bool:
    """Whether somebody says that they have such a thing."""
    number = rf"(?:an?|{ONE_OR_MORE}|the)"
    said = rf"\bmy (?:\w+ )?{name}s?\b|\bi have (?:{number} )(?:\w+ )?{name}s?\b"
    return re.search(said, folded) is not None


def _spoken(text: str) -> str:
    """Return what is said in a text: without its code, and with the name behind "Dr." in one clause."""
    return without_shortenings(_CODE.sub(" ", text))


def _found(pattern: re.Pattern[str], spoken: str) -> Iterator[str]:
    """Return the clauses behind what is said of oneself; a later one may begin inside of an earlier one."""
    place = 0
    while (found := pattern.search(spoken, place)) is not None:
        if not _DENIED.search(found["what"][:12]):
            yield _CLAUSE_END.split(found["what"][:MAX_CLAUSE_CHARS], maxsplit=1)[0]
        place = found.start("what")


def _may_be_about(denial: Denial, folded: str) -> bool:
    """Whether a text has enough of the words at all: reading its clauses costs a hundred times more."""
    if not any(_root(form) in folded for form in _FORMS.get(denial.verb, (denial.verb,))):
        return False
    shared = 1 + sum(_root(word) in folded for word in denial.words - {denial.verb})
    return shared >= _least(denial)


def _least(denial: Denial) -> float:
    """Return how many words, the verb among them, must be shared."""
    return max(MIN_SHARED, len(denial.words) if denial.is_whole else MIN_SHARE * len(denial.words))


def _root(stem: str) -> str:
    """Return what every form of a word begins with: "studi" stands for "study" as well."""
    return stem.removesuffix("i")


def _is_about(denial: Denial, deed: Denial) -> bool:
    return denial.verb == deed.verb and len(denial.words & deed.words) >= _least(denial)
