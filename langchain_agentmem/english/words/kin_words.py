"""Words for kin and partners, of what kind, sex and number, as words and as patterns: the one list of its readers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["partner", "parent", "child", "sibling", "grandparent", "grandchild", "relative", "godparent"]
Sex: TypeAlias = Literal["f", "m", ""]


class KinWord(NamedTuple):
    """What one word says.

    Attributes:
        kind: What sort of kin. `sex`: empty, where the word does not tell.
        name: The one word under which it is judged: "mum" is `mother`.
    """

    kind: Kind
    sex: Sex
    name: str


_ROWS: Final[tuple[tuple[Kind, Sex, str], ...]] = (
    ("partner", "f", "wife/girlfriend/fiancee fiancée"),
    ("partner", "m", "husband/boyfriend"),
    ("partner", "", "spouse/partner/fiance fiancé"),
    ("parent", "f", "mother mom mum mam mommy mummy mama/stepmother stepmum stepmom"),
    ("parent", "m", "father dad daddy papa/stepfather stepdad"),
    ("parent", "", "parent"),
    ("child", "f", "daughter/stepdaughter"),
    ("child", "m", "son/stepson"),
    ("child", "", "child kid/baby/stepchild stepkid"),
    ("sibling", "f", "sister/stepsister"),
    ("sibling", "m", "brother/stepbrother"),
    ("sibling", "", "sibling/twin"),
    ("grandparent", "f", "grandmother grandma/granny/gran"),
    ("grandparent", "m", "grandfather grandpa/grandad granddad"),
    ("grandparent", "", "grandparent"),
    ("grandchild", "f", "granddaughter"),
    ("grandchild", "m", "grandson"),
    ("grandchild", "", "grandchild grandkid"),
    ("relative", "f", "aunt/niece"),
    ("relative", "m", "uncle/nephew"),
    ("relative", "", "cousin"),
    ("godparent", "f", "godmother"),
    ("godparent", "m", "godfather"),
)
"""By kind and sex: words that say another thing behind a stroke each, and those that say the same beside each other."""

KIN_WORDS: Final[Mapping[str, KinWord]] = {
    word: KinWord(kind, sex, same.split()[0])
    for kind, sex, row in _ROWS
    for same in row.split("/")
    for word in same.split()
}
SAME_KIN: Final = tuple(same for kind, _, row in _ROWS if kind != "partner" for same in row.split("/") if " " in same)
"""Words that say the same, the one name first, each row in a string; partners have one name for all of their words."""

_PLURALS: Final = {"wife": "wives", "child": "children", "stepchild": "stepchildren", "grandchild": "grandchildren"}


def kin_of(*kinds: Kind, sex: Sex | None = None) -> frozenset[str]:
    """Return the words for kin of some kinds, of all where none is named, and of one sex, where one is.

    Example:
        >>> sorted(kin_of("grandchild", sex="f")), sorted(kin_of("relative", sex=""))
        (['granddaughter'], ['cousin'])
    """
    return frozenset(
        word for word, it in KIN_WORDS.items() if (not kinds or it.kind in kinds) and (sex is None or it.sex == sex)
    )


def plurals(words: Iterable[str]) -> frozenset[str]:
    """Return the plural of each word.

    Example:
        >>> sorted(plurals(["wife", "mummy", "son"]))
        ['mummies', 'sons', 'wives']
    """
    return frozenset(
        _PLURALS.get(word) or (f"{word[:-1]}ies" if word.endswith(("by", "my", "dy", "ny")) else f"{word}s")
        for word in words
    )


def any_of(words: Collection[str]) -> str:
    """Return a pattern for one of some words; a longer one goes before others."""
    return rf"(?:{'|'.join(sorted(words, key=lambda it: (-len(it), it)))})"


PARTNERS: Final = kin_of("partner")
KIN: Final = frozenset(KIN_WORDS)
WOMEN: Final = kin_of(sex="f")
MEN: Final = kin_of(sex="m")
INFORMAL: Final = frozenset(
    word for word, it in KIN_WORDS.items() if it.kind in {"parent", "grandparent"} and it.name != word
)
"""So a family calls its elders, and everybody theirs: "mum said"."""

A_PARTNER: Final = any_of(PARTNERS)
_IN_LOVE: Final = frozenset(
    """
    dear dearest beloved late poor old lovely sweet darling little wonderful amazing beautiful gorgeous loving devoted
    caring patient new current long-term longterm long-time longtime life lifelong live-in male female gay lesbian
    same-sex domestic civil romantic own ex former then first second third young younger older abusive toxic cheating
    unfaithful violent jealous only
    """.split()
)
"""What is said of a partner in love; who is told of as any other, a business partner, is no one's spouse."""

_IN_JEST: Final = frozenset({"work", "office", "gym", "school", "pretend"})
"""So whom one is not with is told of: "my work wife"."""

_BUT_PARTNER: Final = PARTNERS - {"partner"}
A_SPOUSE: Final = (
    rf"(?:(?:{any_of(_IN_LOVE)} ){{0,2}}partner"
    rf"|(?:(?!{any_of(_IN_JEST)} )[a-z]+(?:-year-old)? ){{0,2}}?{any_of(_BUT_PARTNER)})"
)
"""Whom somebody loves or lives with, and what may stand before: "lovely wife", and no "business partner"."""


def partnership(word: str, before: Iterable[str]) -> tuple[str, ...]:
    """Return the words before "partner" that tell of another than whom somebody loves; none where it is they.

    Example:
        >>> partnership("partner", ["lovely"]), partnership("partner", ["business"]), partnership("wife", ["work"])
        ((), ('business',), ('work',))
    """
    told = (it.casefold() for it in before)
    is_any = word.casefold() == "partner"
    return tuple(it for it in told if (it not in _IN_LOVE if is_any else it in _IN_JEST))


A_PARENT: Final = any_of(kin_of("parent"))
A_CHILD: Final = any_of([it for it in kin_of("child") if not it.startswith("step")])
"""One that is born to somebody."""

A_SIBLING: Final = any_of(kin_of("sibling"))
BY_LAW: Final = rf"(?:{any_of(['mother', 'father', 'sister', 'brother', 'son', 'daughter'])}-in-law)"
A_RELATIVE: Final = rf"(?:{BY_LAW}|{any_of(KIN)})"
"""One of them."""

RELATIVES: Final = rf"(?:[a-z]+s-in-law|in-laws|{any_of(plurals(KIN - PARTNERS))})"
"""Several of them."""

GROUPS: Final = any_of(plurals(kin_of(sex="") - PARTNERS))
"""Several of them, of whatever sex: "children", "siblings"."""
