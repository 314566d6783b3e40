"""Who is told of in a memory: the user's dog Rex, their mother, Emma who is their girlfriend."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.kin_words import (
    A_PARTNER,
    A_SPOUSE,
    KIN,
    KIN_WORDS,
    PARTNERS,
    any_of,
    partnership,
)
from langchain_agentmem.english.words.lexicon import PETS, ROLES
from langchain_agentmem.english.words.patterns import FULL_NAME

_GROUP: Final = r"(?:family|team|group)"
WHO: Final = rf"(?:(?:the )?user(?:'s {_GROUP})?|I|we)"
"""The user, and those of whom they say "we", as whom ever it is retold."""

OWNER: Final = rf"(?:(?:the )?user's(?: {_GROUP}'s)?|my|our)"
THEIRS: Final = rf"(?:{OWNER}|their|his|her)"
"""Whose something is, behind the user as its subject; at the head of a sentence "her mother" is another's."""
_NO_NAME: Final = (
    r"(?!(?:if|when|the|and|but|or|because|while|after|before|since|every(?:one|body|thing)?|nobody|none|nothing|no|some(?:one|body)?|any(?:one|body)?|people|he|she|it|they"
    r"|we|i|you|this|that|these|those|both|unless|until|though|although|whether|my|our|his|her|their|its|your|yesterday"
    r"|today|maybe|perhaps|then|so|now|all|many|most|what|who|how|why|where|in|on|at|once)\b)"
)
NAME: Final = rf"{_NO_NAME}{FULL_NAME}"
ADJECTIVES: Final = r"(?:(?:[a-z]+(?:-year-old)?) ){0,2}?"

_BREEDS: Final = frozenset(
    "retriever terrier poodle labrador beagle shepherd collie corgi dachshund husky spaniel".split()
)
PARTNER: Final = A_PARTNER
SPOUSE: Final = A_SPOUSE
ANIMALS: Final = PETS | _BREEDS
"""Words for an animal that somebody has."""

BEING: Final = any_of(ROLES | ANIMALS | KIN)

LOWER_NAME: Final = rf"{_NO_NAME}(?!{BEING}s?\b)(?-i:[a-z])[\w-]+"
"""A name typed in a hurry, where nothing but a name can stand."""

_ALIASES: Final[Mapping[str, str]] = {
    **{word: it.name for word, it in KIN_WORDS.items() if it.name != word},
    **dict.fromkeys(PARTNERS, "partner"),
    **dict.fromkeys(("puppy", "pup", *_BREEDS), "dog"),
    **dict.fromkeys(("kitten", "kitty"), "cat"),
    "goldfish": "fish",
    "turtle": "tortoise",
}
_COMPANION: Final = " partner"
"""Ends the role of one with whom somebody works, trains or dances, and is no couple: "business partner"."""

_AT_WORK: Final = lazy_pattern(r" (?:at (?:the|my|our|work|school|university)|in (?:business|crime))\b", re.IGNORECASE)
"""Behind "my partner": where they are no couple."""

_ANY_PARTNER: Final = frozenset({"partner", "spouse"})
_SAYS_NOTHING: Final = frozenset("dear beloved poor old lovely sweet dearest late little".split())
_NAMED: Final = r"(?:'s name is| is(?: called| named)?| called| named|,)"

_SUBJECT: Final = lazy_pattern(
    rf"(?:{OWNER} (?P<which>{ADJECTIVES})(?P<role>{BEING})(?:,? (?P<named>{NAME})(?!'s),?)?"
    rf"|(?P<name>{NAME}))(?P<rest> .+|'s name is .+)",
    re.IGNORECASE,
)
_IS_NAME: Final = lazy_pattern(rf"{_NAMED} (?P<name>{NAME})(?:[,.;].*|$)", re.IGNORECASE)
_IS_ROLE: Final = lazy_pattern(
    rf"(?P<name>{NAME}) is {OWNER} (?P<which>{ADJECTIVES})(?P<role>{BEING})(?:[,.;].*)?", re.IGNORECASE
)
_HAS: Final = lazy_pattern(
    rf"{WHO} (?:also |now )?(?:has|have|owns?|keeps?|got|adopted) (?P<count>[\w-]+) (?P<which>(?:[\w-]+"
    rf" ){{0,3}}?)(?P<role>{BEING})"
    rf"(?P<plural>s|es)?(?:(?:,| called| named|, called|, named| whose name is) (?P<name>{NAME}))?(?P<more>(?: .*"
    rf"|,.*)?)",
    re.IGNORECASE,
)
_ONE: Final = frozenset({"a", "an", "one"})
_LONE: Final = frozenset({"mother", "father"})


@dataclass(frozen=True, slots=True)
class Being:
    """Somebody or an animal, as a memory tells of them.

    Attributes:
        role: What they are to the user, in one word for all that mean the same; `word`: as it was said.
        which: What tells them from others: "older". `rest`: what is said of them.
        is_naming: Nothing but who they are is said. `is_several`: there is more than one.
    """

    role: str | None
    name: str | None
    word: str = ""
    which: tuple[str, ...] = ()
    rest: str = ""
    is_naming: bool = False
    is_several: bool = False

    @property
    def is_pet(self) -> bool:
        """Whether it is an animal."""
        return self.role in PETS

    @property
    def is_partner(self) -> bool:
        """Whether the user lives with them, in love or law."""
        return self.role == "partner"

    @property
    def is_companion(self) -> bool:
        """Whether it is a partner of another kind: in business, at a dance."""
        return self.role is not None and self.role.endswith(_COMPANION)

    @property
    def may_be_several(self) -> bool:
        """Whether there may be another one who is the same to the user."""
        return not self.is_partner and self.role not in _LONE

    @property
    def is_bare_name(self) -> bool:
        """Whether they are told of by name alone, or by name as well."""
        return self.name is not None

    def is_meant(self, role: str | None, name: str | None, which: Collection[str] = ()) -> bool:
        """Whether words mean this one: by name, or by what they are to the user where no other name stands."""
        if name is not None:
            return name == self.name
        return role is not None and _role(role, which) == self.role

    def is_told_in(self, told: Being) -> bool:
        """Whether a memory is about this one."""
        is_same_which = not told.which or not self.which or told.which == self.which
        return is_same_which and (told.name == self.name is not None or (told.name is None and told.role == self.role))


def being_of(text: str) -> Being | None:
    """Return of whom a memory tells, if it tells of one that the user has, or of a name."""
    found = _IS_ROLE.fullmatch(text)
    if found is not None:
        return _being(found, found["name"], is_naming=True)
    has = _HAS.fullmatch(text)
    if has is not None:
        is_several = has["count"].casefold() not in _ONE or has["plural"] is not None or " and " in (has["more"] or "")
        return _being(has, has["name"], is_naming=True, is_several=is_several)
    subject = _SUBJECT.fullmatch(text)
    if subject is None:
        return None
    named = _IS_NAME.fullmatch(subject["rest"]) if subject["role"] else None
    name = subject["named"] or subject["name"] or (named["name"] if named else None)
    return _being(subject, name, rest=subject["rest"].strip(), is_naming=named is not None)


def kin_of(beings: Iterable[Being | None], word: str | None, name: str | None, which: Sequence[str]) -> Being | None:
    """Return whom words mean among those who are known; `None` where nobody is, or it may be one of several."""
    known = [it for it in beings if it is not None and it.role is not None]
    role = _role(word, which) if word else _only(it.role for it in known if it.name == name)
    if role is None:
        return None
    same = [it for it in known if it.role == role]
    told = tuple(it for it in which if it.casefold() not in _SAYS_NOTHING)
    if told and name is None:
        same = [it for it in same if it.which == told]
    names = {it.name for it in same if it.name is not None}
    if name is not None:
        is_one = name in names or (not names and bool(same) and not _is_unsure(same))
        return Being(role, name) if is_one else None
    words = {it.word for it in same}
    if not same or len(names) > 1 or _is_unsure(same) or not _agree(role, str(word), words):
        return None
    return Being(role, _only(names), which=told)


def _is_unsure(same: Collection[Being]) -> bool:
    return any(it.is_several for it in same) or len({it.which for it in same if it.which}) > 1


def _agree(role: str, word: str, words: Collection[str]) -> bool:
    """Whether who is a wife is not told of as a boyfriend."""
    return (
        not role.endswith("partner")
        or word.casefold() in _ANY_PARTNER
        or word.casefold() in words
        or bool(_ANY_PARTNER & set(words))
    )


def _only(found: Iterable[str | None]) -> str | None:
    each = {it for it in found if it is not None}
    return each.pop() if len(each) == 1 else None


def _role(word: str, which: Collection[str] = ()) -> str:
    role = _ALIASES.get(word.casefold(), word.casefold())
    other = partnership(word, which) if role == "partner" else ()
    return f"{' '.join(other)}{_COMPANION}" if other else role


def _being(found: re.Match[str], name: str | None, **rest: object) -> Being:
    role = found["role"]
    which = tuple(it for it in (found["which"] or "").casefold().split() if it not in _SAYS_NOTHING)
    at_work = _AT_WORK.match(found.groupdict().get("rest") or "")
    meant = _role(role, (*which, *at_work[0].split()) if at_work else which) if role else None
    return Being(meant, name, (role or "").casefold(), which, **rest)  # type: ignore[arg-type]
