"""What a user says of the people around them: "my sister Nora works at Acme" says who Nora is, and where she works."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem.extraction.clauses import Clause
from langchain_agentmem.extraction.lexicon import BY_NOW, COLLEAGUE, DIET, HEALTH, OCCUPATION, PET
from langchain_agentmem.extraction.quarantine import MASK
from langchain_agentmem.extraction.rulebook import Draft, candidate
from langchain_agentmem.extraction.voice import Voice
from langchain_agentmem.policies.relations import ROLES, canonical_role
from langchain_agentmem.types import Candidate

_PLAIN: Final = Voice()
_WORD: Final = r"[A-Z](?:[\w.-]*\w)?"
NAME: Final = rf"(?-i:(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?{_WORD}(?: (?:(?:de|da|van|der|von|la|al|bin) )?{_WORD}){{0,3}})"
_KIN: Final = rf"(?:{'|'.join(sorted({*ROLES, 'kid', 'baby'}, key=len, reverse=True))})"
ROLE: Final = rf"(?:{_KIN}|(?:(?-i:[a-z][\w-]*) )??{COLLEAGUE})"
"""What one person is to another; of who one works with there is a word more: "account manager"."""

WHICH: Final = (
    r"(?:(?:older|younger|elder|little|big|eldest|oldest|youngest|twin|only|new|best|good|close|baby|dear|lovely"
    r"|\w+-year-old) ){0,2}"
)
_OWNER: Final = rf"(?:my|our|(?P<owner>{NAME})'s)"
_SUBJECT: Final = re.compile(
    rf"(?:and |but )?(?:{_OWNER} {WHICH}(?P<role>{ROLE})(?:,? (?P<apposed>{NAME}),?)?|(?P<name>{NAME})) ",
    re.IGNORECASE,
)
_ACQUAINTED: Final = re.compile(
    rf"\b(?:my|our|(?-i:[A-Z][\w-]*)'s) {WHICH}{ROLE}(?:(?:'s name)? is{BY_NOW}(?: called| named)?|,| called| named)? "
    rf"(?P<name>{NAME})|\b(?P<is>{NAME}) is (?:my|our) {WHICH}{ROLE}\b",
    re.IGNORECASE,
)
_IS_ROLE: Final = re.compile(
    rf"(?P<name>{NAME}) is {_OWNER} {WHICH}(?P<role>{ROLE})(?:[,;(].*| and (?=\w+s )(?P<rest>.+))?", re.IGNORECASE
)
_NO_NAMES: Final = frozenset(
    """
    i it this that these those there here he she they we you who what which everyone everybody someone somebody anyone
    anybody nobody no-one one no some most many all both each every another nothing everything something monday tuesday
    wednesday thursday friday saturday sunday today tomorrow yesterday yes ok okay so and but also then now the a an my
    our his her their your its
    """.split()
)

_ADVERB: Final = r"(?:(?:now|currently|also|still|just|mostly|mainly) )?"
_NO_CALLING: Final = r"(?!(?:good|great|bad|terrible|better|real|total|(?:\w+ )?student (?:at|of))\b)"
_NO_MORE: Final = r"(?:$|[,;]| (?:and|but|at|in|for|with|from|by|who|so|now|since)\b)"
_TELLING: Final = {
    "works_at": r"(?:works? (?:at|for)|is (?:now |currently )?employed (?:by|at))",
    "works_as": rf"(?:works? as|is(?= an? {_NO_CALLING}(?:[\w/-]+ ){{0,2}}?{OCCUPATION}{_NO_MORE}))",
    "lives_in": r"(?:(?:is |has )?(?:now |currently )?(?:lives?|living|based|moved|relocated)(?: back)? (?:in|to))",
    "birthplace": r"was born in",
    "studies": (
        r"(?:studies|is studying)(?= (?!(?:at|for|with|in|on|how|hard|to|by|from|like|alone|together|abroad"
        r"|\w+ly)\b)\w)"
    ),
    "studies_at": r"(?:studies at|is studying at|is an? (?:\w+ )?student (?:at|of))",
    "partner": r"is (?:now )?(?:married|engaged) to",
    "manages": r"(?:manages|leads|supervises)",
    "reports_to": r"reports to",
    "teaches_at": r"teaches at",
    "owns": rf"(?:owns|has) an? (?:[\w-]+ ){{0,2}}?(?:{PET}) (?:called|named)",
    "uses": r"uses",
    "speaks": r"speaks",
    "maintains": r"maintains",
    "allergic_to": (
        r"(?:is (?:\w+ly )?allergic to|(?:has|suffers from)(?: an?)?(?: (?:severe|mild|strong|bad))?"
        r"(?= (?!allerg)[\w-]+(?: [\w-]+)? allerg(?:y|ies)\b))"
    ),
    "health": (
        r"(?:(?:is|has|suffers from)|(?:was|has been|is) diagnosed with)(?: (?:an?|very|severe|severely|mild|mildly"
        rf"|chronic|strictly)){{0,2}}(?= (?:{HEALTH}|{DIET})\b(?! to\b))"
    ),
}
"""What stays true of somebody for months, in the words that say it; how somebody's health is relates to nothing."""

_OF_STRANGERS: Final = frozenset({"works_at", "studies_at", "partner"})
"""What is believed of a name that nobody introduced: only people marry and study, while a tool manages and reports."""

_AT_HOME: Final = frozenset("wife husband partner spouse girlfriend boyfriend son daughter child kid baby".split())
"""Whose health is kept of those who are not named: the user's own household's."""

_VERB: Final = re.compile(
    rf"{_ADVERB}(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _TELLING.items())}) (?=\S)", re.IGNORECASE
)
_NO_LONGER: Final = re.compile(rf"(?:is )?no longer (?:{'|'.join(_TELLING.values())}) \S", re.IGNORECASE)
TOLD: Final = re.compile(rf"(?:{_VERB.pattern}|{_NO_LONGER.pattern})", re.IGNORECASE)
"""How a clause goes on that says something lasting of a person."""

_WORKS_AT: Final = re.compile(rf"works? at {NAME}", re.IGNORECASE)
_NEXT: Final = re.compile(rf",? (?:and|but) (?=(?:no longer )?{_VERB.pattern})", re.IGNORECASE)
_END: Final = re.compile(
    r"\s*[,;(].*| (?:so|but|because|although|though|while|when|whenever|if|unless|which|who|where|that|than|and then"
    r"|and (?!(?-i:[A-Z])))\b.*",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r",? who [^,]{1,60}, ?", re.IGNORECASE)
_SEVERAL: Final = re.compile(r" (?:and|but|or) ")
_REASON: Final = re.compile(r",? (?:so|because|since|which|who)\b.*", re.IGNORECASE)
_ALLERGY: Final = re.compile(r" allerg(?:y|ies)\b.*", re.IGNORECASE)
_OBJECT: Final = re.compile(
    r"(?:(?:the|an?|my|our) )?(?P<object>.+?)(?: (?:as|in|on|at|for|with|from|since|near|every|these|now|too"
    r"|again|until|after|before|anymore|by|to)\b.*|$)",
    re.IGNORECASE,
)
_NO_OBJECT: Final = re.compile(
    r"(?:it|this|that|them|him|her|us|me|you|home|nights?|weekends?|free|fun|fear|peace|least|once|there|here|work|all"
    r"|everything|everyone|every|nobody|no one|someone|myself|hope|what\w*|how|his|her|their|its|your|moment|living"
    r"|past|present|future|well|reality|same|hours|days|years|a while|just|fine|too|so|very|fast|slowly|good|to"
    r"|nothing|much)\b",
    re.IGNORECASE,
)
_WHEN_BORN: Final = re.compile(
    r"was born in (?:(?:19|20)\d\d|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b",
    re.IGNORECASE,
)
_MAX_WORDS: Final = 20
"""A longer clause says more than who somebody is."""


class _Person(NamedTuple):
    """Whom a clause is about: by name, or as the user's or somebody's relative."""

    name: str
    shown: str
    is_close: bool


def acquainted(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of people whom a user introduced: "my sister Nora", "Nora is our boss"."""
    found = (it for text in texts for it in _ACQUAINTED.finditer(text))
    return frozenset(str(it["name"] or it["is"]).casefold() for it in found)


def of_people(clause: Clause, known: frozenset[str]) -> Iterator[Candidate]:
    """Yield what a clause says of people around the user: who they are to whom, and what lasts about them.

    Args:
        clause: As it was said.
        known: Names of people who were introduced, in small letters.
    """
    text = _ASIDE.sub(" ", clause.text)
    if clause.is_ironic or clause.is_momentary or clause.setting or MASK in text or len(text.split()) > _MAX_WORDS:
        return
    being = _IS_ROLE.fullmatch(text)
    if being is not None and being["name"].casefold() not in _NO_NAMES:
        yield _role(clause, being, being["name"])
        yield from _told_of(clause, _Person(being["name"], being["name"], is_close=True), being["rest"] or "")
        return
    subject = _SUBJECT.match(text)
    if subject is None or (subject["name"] or "").casefold().split(" ", maxsplit=1)[0] in _NO_NAMES:
        return
    person = _person(subject, known)
    told = list(_told_of(clause, person, text[subject.end() :]))
    if subject["apposed"] and told:
        yield _role(clause, subject, subject["apposed"])
    yield from told


def _person(subject: re.Match[str], known: frozenset[str]) -> _Person:
    name = subject["apposed"] or subject["name"]
    if name is not None:
        return _Person(name, name, is_close=subject["apposed"] is not None or name.casefold() in known)
    owner = f"{subject['owner']}'s" if subject["owner"] else "The user's"
    whose = f"{owner} {subject['role'].casefold()}"
    is_close = subject["owner"] is None or subject["owner"].casefold() in known
    return _Person(whose[:1].casefold() + whose[1:] if subject["owner"] is None else whose, whose, is_close)


def _role(clause: Clause, found: re.Match[str], name: str) -> Candidate:
    owner = found["owner"]
    content = f"{owner or 'The user'}'s {found['role'].casefold()} is {name}"
    stated = replace(clause, is_correction=False, is_replacing=False)
    return _candidate(stated, content, (owner or "user", canonical_role(found["role"]), name))


def _told_of(clause: Clause, person: _Person, words: str) -> Iterator[Candidate]:
    for part in _NEXT.split(words) if words else ():
        said = _ended(part or "")
        if _NO_LONGER.match(said) and (person.is_close or _WORKS_AT.search(said)):
            yield _candidate(clause, f"{person.shown} {said}", (person.name, None, None))
        verb = _VERB.match(said)
        if verb is None or not _is_believed(person, str(verb.lastgroup), said):
            continue
        found = _OBJECT.match(said, verb.end())
        if found is None or _NO_OBJECT.match(found["object"]) or _is_no_spouse(str(verb.lastgroup), found["object"]):
            continue
        is_related = not _SEVERAL.search(found["object"]) and verb.lastgroup != "health"
        relation = "birthday" if _WHEN_BORN.match(said) else verb.lastgroup
        named = _ALLERGY.sub("", found["object"])
        about = (person.name, relation, named) if is_related else (person.name, None, None)
        yield _candidate(clause, f"{person.shown} {said}", about)


def _ended(said: str) -> str:
    """Return what is said without an afterthought; how somebody's health is, is told whole."""
    told = _VERB.match(said)
    is_health = told is not None and told.lastgroup in {"health", "allergic_to"}
    return (_REASON if is_health else _END).sub("", said).strip()


def _is_believed(person: _Person, relation: str, said: str) -> bool:
    if person.is_close:
        is_named = person.name[:1].isupper()
        return relation != "health" or is_named or person.name.rsplit(" ", maxsplit=1)[-1] in _AT_HOME
    return relation in _OF_STRANGERS and (relation != "works_at" or _WORKS_AT.search(said) is not None)


def _is_no_spouse(relation: str, other: str) -> bool:
    return relation == "partner" and not other[:1].isupper()


def _candidate(clause: Clause, content: str, about: tuple[str, str | None, str | None]) -> Candidate:
    is_correction = clause.is_correction or clause.is_replacing
    draft = Draft(kind="fact", content=_PLAIN.retell(content), is_correction=is_correction)
    subject, relation, other = about
    return replace(candidate(draft, clause, _PLAIN), subject=subject, relation=relation, object=other)
