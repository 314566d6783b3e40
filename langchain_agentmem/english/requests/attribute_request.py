"""A request for an attribute of somebody, held against what may tell it: "my address", "the user lives in Lille"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Final, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.whose import Clause, clauses_of
from langchain_agentmem.english.reading.naming import USER, key_of
from langchain_agentmem.english.requests.attributes import (
    ATTRIBUTES,
    Attribute,
    Period,
    attribute_asked,
    is_past,
    names_one_kept,
)
from langchain_agentmem.english.words.lexicon import COMMON_FIRST_WORDS, FIRST_PERSON, FIRST_PERSON_OWNER, PETS, ROLES
from langchain_agentmem.english.words.patterns import FULL_NAME
from langchain_agentmem.types import Candidate, Memory

Spelling: TypeAlias = Callable[[str], Hashable]
"""What stands for a word: the word itself, or a digest of it."""

Names: TypeAlias = Collection[str] | None
"""What the user is called; `None`: nobody knows, and whoever is told of by name may be the user."""

_NAME: Final = "name"
_OF_USER: Final = lazy_pattern(r"\b(?:I|me|my|mine|we|us|our|you|your|(?:the )?user)\b", re.IGNORECASE)
_LED: Final = lazy_pattern(FULL_NAME)
_NO_NAMES: Final = COMMON_FIRST_WORDS | FIRST_PERSON | FIRST_PERSON_OWNER
_SUPPOSED: Final = lazy_pattern(
    r"\b(?:if|unless|imagine|pretend|could|would|should|might"
    r"|(?:wants?|wanted|plan(?:s|ning)?|hop(?:es?|ing)|likes?|loves?|prefers?|dreams?|consider\w*|think\w*|going|used)"
    r"(?: of| about)? (?:to|living|working|moving))\b(?<!used to)",
    re.IGNORECASE,
)
"""Of what only may be, or is wished for: where somebody wants to live is not where they live."""


_OF_ONE_KEPT: Final = lazy_pattern(
    rf"\b(?:have|has|had|owns?|adopted) [\w-]+ (?:[\w-]+ ){{0,2}}?"
    rf"(?:{'|'.join(sorted(ROLES | PETS))})s? (?:that|who|which|whose|with|on)\b.*",
    re.IGNORECASE,
)
"""What is told of whom one has, and not of oneself: "the user has a dog that takes antibiotics"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeWanted:
    """An attribute that is asked for, as it is kept: in words, or in digests of them.

    Args:
        attribute: Which, by its name.
        owner: Terms of whose it is; none: the user's.
        period: Of what was only, or of what is now; `None`: of both.
    """

    attribute: Hashable
    owner: frozenset[Hashable]
    period: Period | None

    @classmethod
    def of(cls, what: str, spelling: Spelling) -> AttributeWanted | None:
        """Return what a phrase asks for, where it names an attribute and nothing besides."""
        asked = attribute_asked(what)
        if asked is None:
            return None
        owner = frozenset(map(spelling, asked.owner))
        return cls(attribute=spelling(asked.attribute.name), owner=owner, period=asked.period)

    def is_told_in(self, text: str, spelling: Spelling, names: Names) -> bool:
        """Whether a text tells it, of whose it is."""
        attribute = self._named(spelling)
        return attribute is not None and any(
            self._is_told(attribute, it, spelling, names) for it in clauses_of(text, names)
        )

    def is_known_by(self, told: Memory | Candidate, spelling: Spelling, names: Names = None) -> bool:
        """Whether it is what something is known by: its relation to whom it is about, and how it stands."""
        attribute = self._named(spelling)
        if attribute is None or not attribute.is_known_by(told):
            return False
        if self.period is not None and _is_over(told) != (self.period == "past"):
            return False
        if not self.owner:
            return key_of(told.subject or USER) == USER or _is_named_user(told, names)
        about = frozenset(tokenize(told.subject or ""))
        clauses = clauses_of(told.provenance.evidence or "", ())
        is_called = any(self.owner <= _terms(it, spelling) and about <= _terms(it, str) for it in clauses)
        return is_called or self.owner <= set(map(spelling, about))

    def _named(self, spelling: Spelling) -> Attribute | None:
        return next((it for it in ATTRIBUTES.values() if spelling(it.name) == self.attribute), None)

    def _is_told(self, attribute: Attribute, clause: Clause, spelling: Spelling, names: Names) -> bool:
        if _SUPPOSED.search(clause.text) or (self.period and is_past(clause.text) != (self.period == "past")):
            return False
        if not self.owner:
            return any(
                _is_of_user(it, clause, names) and it.is_told_in(_own(it, clause, names)) for it in attribute.each
            )
        if not self.owner <= _terms(clause, spelling):
            return False
        named = set(map(spelling, names_one_kept(clause.text))) if attribute.name == _NAME else set()
        return not self.owner.isdisjoint(named) or (
            bool(clause.people) and any(it.is_told_in(clause.text) for it in attribute.each)
        )


def _own(attribute: Attribute, clause: Clause, names: Names) -> str:
    """Return what a clause tells of the user; where somebody is asked for whom they have, all of it, as they say it."""
    if not attribute.is_kept:
        return _OF_ONE_KEPT.sub("", clause.text)
    return _of_the_user(clause.text, names if names is not None or clause.people else _leading(clause.text))


def _leading(text: str) -> Collection[str]:
    led = _LED.match(text)
    return () if led is None or led[0].partition(" ")[0].casefold() in _NO_NAMES else (led[0],)


def _of_the_user(text: str, names: Names) -> str:
    """Return a text with "the user" for whoever is called so."""
    called = sorted(map(re.escape, names or ()), key=len, reverse=True)
    return re.sub(rf"\b(?:{'|'.join(called)})(?!\w)", "the user", text) if called else text


def _terms(clause: Clause, spelling: Spelling) -> frozenset[Hashable]:
    return frozenset(map(spelling, {*tokenize(clause.text), *clause.people}))


def _is_named_user(told: Memory | Candidate, names: Names) -> bool:
    """Whether the subject of something is the user, by name, and it says nothing of others: "Ana's son is a nurse"."""
    is_theirs = key_of(told.subject or USER) in set(map(key_of, names or ()))
    return is_theirs and not any(it.people for it in clauses_of(told.content, names))


def _is_over(told: Memory | Candidate) -> bool:
    """Whether what something says is no more, by how it stands or by its words."""
    is_replaced = isinstance(told, Memory) and (told.status == "superseded" or told.invalid_at is not None)
    return is_replaced or is_past(told.content)


def _is_of_user(attribute: Attribute, clause: Clause, names: Names) -> bool:
    """Whether a clause is about the user, or about somebody whom they have where that is asked for."""
    if clause.people and not attribute.is_kept:
        return False
    called = {term for name in names or () for term in tokenize(name)}
    is_theirs = _OF_USER.search(clause.text) is not None
    return is_theirs or names is None or bool(called.intersection(tokenize(clause.text)))
