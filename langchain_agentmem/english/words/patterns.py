"""Fragments of patterns for words that begin with a capital, and for names: the one place that says what a name is.

Each may stand in a pattern with `re.IGNORECASE`: it minds the case by itself.
"""

from __future__ import annotations

from typing import Final

_SMALL: Final = "a-zªµºß-öø-ÿ"
"""Small letters that a class of characters can leave out at no cost."""

_FURTHER_SMALL: Final = r"(?<![ά-ώа-џ])"
_FURTHER_CAPITALS: Final = r"(?<![Ά-ΏΑ-ΫЀ-Я])"
"""Those of Greek and Cyrillic, behind a letter: within its class they would make each pattern cost more.

In what else of Latin and Cyrillic there is, capitals and small letters alternate. There a letter counts as either, as
it does in scripts that have no capitals: it begins a name more often than an English word.
"""

_NO_LETTERS: Final = "_²³¹¼-¾"
LETTER: Final = rf"[^\W\d{_NO_LETTERS}]"
CAPITAL: Final = rf"(?-i:[^\W\d{_NO_LETTERS}{_SMALL}]{_FURTHER_SMALL})"
CAPITAL_OR_DIGIT: Final = rf"(?-i:[^\W{_NO_LETTERS}{_SMALL}]{_FURTHER_SMALL})"
SMALL: Final = rf"(?-i:[^\W\d{_NO_LETTERS}A-ZÀ-ÖØ-Þ]{_FURTHER_CAPITALS})"
_NOT_LONE: Final = r"(?<![\u0590-\u1dff\u2c00-\U0010ffff](?![\w-]))"
"""Behind a letter: it is more than one letter of a script without capitals, of which none is an initial."""

_BEHIND_A_MARK: Final = rf"(?:['’]{CAPITAL}{SMALL}[\w-]*)"
"""The rest of "O'Brien": the 's of "Nora's", and the M of "I'M", are none."""

CAPITALIZED: Final = rf"(?:{CAPITAL}{_NOT_LONE}[\w-]*{_BEHIND_A_MARK}?)"
"""A word with a capital, or an initial: Nora, N, Élodie, O'Brien, Anne-Marie."""

LONG_CAPITALIZED: Final = rf"(?:{CAPITAL}(?:[\w-]+{_BEHIND_A_MARK}?|{_BEHIND_A_MARK}))"
"""The same of two letters or more, so that it is neither "I" nor "A"."""

PLAIN_CAPITALIZED: Final = rf"(?:(?:{CAPITAL}['’])?{CAPITAL}(?:{SMALL}|['’-]{CAPITAL}?)+)"
"""The same without a further capital inside a part of it, so that it is neither "CTO" nor "GitLab"."""

PARTICLES: Final = frozenset(
    "de del della di da do dos das du van von der den ter ten la le los al el bin ibn bint af av zu".split()
)
LINKED: Final = rf"(?-i:(?:(?:{'|'.join(sorted(PARTICLES))}) ){{0,3}}(?:(?:al|el)-|[dl]['’])?)"
"""What may stand before a further word of a name: "van" Dyke, "de la" Cruz, "al-"Amin, "d'"Arc."""

FURTHER: Final = rf"(?:(?:(?<=\b\w)\.)? {LINKED}{CAPITALIZED})"
FULL_NAME: Final = rf"(?:{CAPITALIZED}{FURTHER}{{0,3}})"
"""A name of up to four words, initials among them."""

TITLES: Final = ("Dr", "Mr", "Mrs", "Ms", "Prof", "Sir")
TITLE: Final = rf"(?:(?:{'|'.join(TITLES)})\.? )"
SAINT: Final = r"(?:(?:St|Ste|Mt|Ft)\.? )"
"""What may stand before the name of a place: "St. Louis", "Ft. Worth"."""

TITLED: Final = rf"(?-i:{TITLE}?{FULL_NAME})"
