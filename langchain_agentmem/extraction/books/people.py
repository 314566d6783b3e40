"""What a user says of the people around them: "my sister Nora works at Acme" says who Nora is, and where she works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.ending_words import BACK_AGAIN
from langchain_agentmem.english.endings.endings import ending_in
from langchain_agentmem.english.reading.choices import is_known
from langchain_agentmem.english.reading.relations import ROLES, canonical_role
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAYS
from langchain_agentmem.english.words.kin_words import A_RELATIVE, BY_LAW, KIN, RELATIVES, any_of, kin_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, TITLED
from langchain_agentmem.extraction.books.figurative import is_thing
from langchain_agentmem.extraction.books.overcoming import gone_from, outgrown
from langchain_agentmem.extraction.books.rulebook import Draft, candidate
from langchain_agentmem.extraction.books.tellings import ADVERB, OF_WHOM_ONE_KNOWS, TELLING, TOLD_WHOLE
from langchain_agentmem.extraction.record.quarantine import MASK
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice, third_person
from langchain_agentmem.extraction.words.lexicon import COLLEAGUE, DIET, PLACE
from langchain_agentmem.extraction.words.milestones import has_happened
from langchain_agentmem.types import Candidate

_PLAIN: Final = Voice()
NAME: Final = TITLED
_CHILD: Final = r"(?:little one|toddler|youngest|eldest|oldest|\w+[- ]years?[- ]old)"
_KIN: Final = rf"(?:{BY_LAW}|{any_of(ROLES | KIN)}|{_CHILD})(?!-)"
ROLE: Final = rf"(?:{_KIN}|(?:(?-i:[a-z][\w-]*) )??{COLLEAGUE})"
"""What one person is to another; of who one works with there is a word more: "account manager"."""

WHICH: Final = (
    r"(?:(?:older|younger|elder|little|big|eldest|oldest|youngest|twin|only|new|best|good|close|baby|dear|lovely"
    r"|\w+[- ]years?[- ]old) ){0,2}"
)
_SAYS_NOTHING: Final = frozenset("only new good close baby dear lovely".split())
"""Words that tell one person from no other: of two sisters one is the younger one."""

_OWNER: Final = rf"(?:my|our|(?P<owner>{NAME})'s)"
SUBJECT: Final = lazy_pattern(
    rf"(?:and |but )?(?:{_OWNER} (?P<which>{WHICH})(?P<role>{ROLE})(?:,? (?P<apposed>{NAME}),?"
    rf"(?: \(?(?P<aged>\d{{1,2}})\)?,?)?)?|(?P<name>{NAME})) ",
    re.IGNORECASE,
)
_IS_ROLE: Final = lazy_pattern(
    rf"(?P<name>{NAME}) is {_OWNER} {WHICH}(?P<role>{ROLE})(?:[,;(].*| and (?=\w+s )(?P<rest>.+))?", re.IGNORECASE
)
NO_NAMES: Final = frozenset(
    """
    i it this that these those there here he she they we you who what which everyone everybody someone somebody anyone
    anybody nobody no-one one no some most many all both each every another nothing everything something today
    tomorrow yesterday yes ok okay so and but also then now the a an my our his her their your its
    """.split()
).union(WEEKDAYS)

_OF_HEALTH: Final = frozenset({"health", "allergic_to"})
"""What is told whole; how somebody's health is, and what happened to them, relates to nothing."""

_OF_STRANGERS: Final = frozenset({"works_at", "studies_at", "partner"})
"""What is believed of a name that nobody introduced: only people marry and study, while a tool manages and reports."""

_AT_HOME: Final = kin_of("partner", "child")
_RELATIVE: Final = lazy_pattern(
    rf"\b(?:{A_RELATIVE}|{RELATIVES}|{_CHILD})$",
    re.IGNORECASE,
)
"""Whose health is kept of those who are not named: the user's own family's."""

_VERB: Final = lazy_pattern(
    rf"{ADVERB}(?:{'|'.join(f'(?P<{name}>{words})' for name, words in TELLING.items())})(?: (?=\S)|$)", re.IGNORECASE
)
_NO_LONGER: Final = lazy_pattern(r"(?P<be>is )?no longer (?P<said>.+)", re.IGNORECASE)
_ANY_MORE: Final = lazy_pattern(
    r"(?:(?P<be>is(?:n't| not) )|(?:doesn't|does not) (?P<verb>[a-z]+) )(?P<said>.+?) any ?(?:more|longer)"
    r"(?:,.*| (?:because|since|so|now|after|thanks to)\b.*)?",
    re.IGNORECASE,
)
_COMPARED: Final = lazy_pattern(r"\bany ?more than\b", re.IGNORECASE)
_STOPPED: Final = lazy_pattern(r"(?:has )?stopped (?P<be>being )(?P<said>.+)", re.IGNORECASE)
_NOT: Final = lazy_pattern(
    rf"is(?:n't| not) (?P<said>(?:(?:an?|strictly) ){{0,2}}(?:{DIET})\b(?!.*\bthan\b).*)", re.IGNORECASE
)
"""How one eats, and what one cannot stand, is told also where it is not so, and may never have been."""

_WORKS_AT: Final = lazy_pattern(rf"works? at {NAME}", re.IGNORECASE)
_SO_TOO: Final = rf"(?:also )?(?:\w+ly )?(?:allergic to \S|{DIET}\b)"
_NEXT: Final = lazy_pattern(
    rf",? (?:and|but) (?=(?:no longer )?{ADVERB}(?:{'|'.join(TELLING.values())}) \S)|(?:,| and|, and) (?={_SO_TOO})",
    re.IGNORECASE,
)
_ELIDED: Final = lazy_pattern(_SO_TOO, re.IGNORECASE)
"""Behind an "is" that is not said again: "is six and allergic to nuts"."""

_END: Final = lazy_pattern(
    r"\s*[,;(].*| (?:so|but|because|although|though|while|when|whenever|if|unless|which|who|where|that|than|and then"
    rf"|and (?!{CAPITAL}))\b.*",
    re.IGNORECASE,
)
_CIRCUMSTANCED: Final = lazy_pattern(
    rf"\s*[,;(].*| (?:so|but|because|although|though|while|if|unless|which|who|that|than|and (?!{CAPITAL}))\b.*",
    re.IGNORECASE,
)
_WHOLE: Final = lazy_pattern(
    r"(?<=\S)\s*[;(].*|,? (?:so|but|because|although|though|while|when|whenever|if|unless|which|who|that|than"
    r"|since)\b.*"
    r"|(?:,| and|, and) (?:I|we|my|our|he|she|they|it|is|then)\b.*",
    re.IGNORECASE,
)
_SHORT: Final = lazy_pattern(
    rf"(?P<who>(?:(?:my|our) {WHICH}{ROLE}(?:,? {NAME},?)?|{NAME}))'s (?P<said>.+)", re.IGNORECASE
)
_DONE: Final = lazy_pattern(
    r"(?:(?:now|just|recently|also) )?(?:moved|relocated|joined|been|got|had|retired)\b", re.IGNORECASE
)
_MOVED: Final = lazy_pattern(r".*\b(?:moved|relocated)\b", re.IGNORECASE)
_MOVING: Final = lazy_pattern(r"is (?:[a-z]+ )?(?:moving|relocating) (?:back )?to (?P<place>\w+)", re.IGNORECASE)
_WIDOWED: Final = lazy_pattern(r"\bwidow(?:er|ed)?\b", re.IGNORECASE)
_HOME: Final = lazy_pattern(PLACE, re.IGNORECASE)
_ASIDE: Final = lazy_pattern(
    rf",? who [^,]{{1,60}},(?! ?{CAPITAL}) ?|, (?:and )?not (?:me|I|us|my \w+|mine), ?", re.IGNORECASE
)
_SEVERAL: Final = lazy_pattern(r" (?:and|but|or) ")
_REASON: Final = lazy_pattern(r",? (?:so|because|since|which|who)\b.*", re.IGNORECASE)
_ALLERGY: Final = lazy_pattern(r" allerg(?:y|ies)\b.*", re.IGNORECASE)
_OBJECT: Final = lazy_pattern(
    r"(?:(?:the|an?|my|our) )?(?P<object>.+?)(?: (?:as|in|on|at|for|with|from|since|near|every|these|now|too"
    r"|again|until|after|before|anymore|by|to)\b.*|$)",
    re.IGNORECASE,
)
_NO_OBJECT: Final = lazy_pattern(
    r"(?:it|this|that|them|him|her|us|me|you|home|nights?|weekends?|free|fun|fear|peace|least|once|there|here|work|all"
    r"|everything|everyone|every|nobody|no one|someone|myself|hope|what\w*|how|his|her|their|its|your|moment|living"
    r"|past|present|future|well|reality|same|hours|days|years|a while|just|fine|too|so|very|fast|slowly|good|to"
    r"|nothing|much)\b",
    re.IGNORECASE,
)
_WHEN_BORN: Final = lazy_pattern(
    rf"was born (?:in (?:(?:19|20)\d\d|{MONTH})\b|on\b)",
    re.IGNORECASE,
)
_HAD_BIRTHDAY: Final = lazy_pattern(
    rf"(?:it(?:'s| is| was)|(?:today|yesterday) (?:is|was)) (?P<name>{NAME})'s birthday(?: today| yesterday)?,?"
    r" (?:and )?(?:he|she)(?:'s| is) ",
    re.IGNORECASE,
)
_PLURAL: Final = lazy_pattern(
    rf"(?:my|our) (?P<who>(?:(?:{TWO_OR_MORE}|older|younger|little|big|grown-up) ){{0,2}}(?:{RELATIVES}|boys|girls))"
    r" (?P<adverb>(?:both|all|still|now|also) )?(?P<verb>[a-z']+(?: (?:not|like|stand|eat|drink)\b(?! (?:not"
    r"|like)))?) (?P<said>.+)",
    re.IGNORECASE,
)
_OF_ONE: Final = {"are": "is", "have": "has", "were": "was", "don't like": "doesn't like", "can't stand": "can't stand"}
_OF_MANY: Final = frozenset({"lives_in", "taste", "works", "plays", "health"})
_TASTED: Final = lazy_pattern(r"(?:the|a) (?:new|idea|way)\b", re.IGNORECASE)
_GOES_ON: Final = lazy_pattern(r"[a-z](?!\w*'s )")
_MAX_WORDS: Final = 20
"""A longer clause says more than who somebody is."""


class Person(NamedTuple):
    """Whom a clause is about: by name, or as the user's or somebody's relative."""

    name: str
    shown: str
    is_close: bool


def named_first(text: str) -> str:
    """Return a clause with whom it tells of at its head: "Ella is 7 now" of "it was Ella's birthday, she's 7 now"."""
    birthday = _HAD_BIRTHDAY.match(text)
    return spelled_out(gone_from(text) if birthday is None else f"{birthday['name']}'s {text[birthday.end() :]}")


def of_people(clause: Clause, known: frozenset[str]) -> Iterator[Candidate]:
    """Yield what a clause says of people around the user: who they are to whom, and what lasts about them.

    Args:
        clause: As it was said.
        known: Names of people who were introduced, in small letters.
    """
    text = read(clause)
    if clause.is_ironic or clause.setting or MASK in text or len(text.split()) > _MAX_WORDS:
        return
    being = _IS_ROLE.fullmatch(text)
    if being is not None and is_thing(being["name"]):
        return
    if being is not None and being["name"].casefold() not in NO_NAMES and not clause.is_momentary:
        yield role_told(clause, being, being["name"])
        yield from _told_of(clause, Person(being["name"], being["name"], is_close=True), being["rest"] or "")
        return
    subject = SUBJECT.match(text)
    if subject is None or (subject["name"] or "").casefold().split(" ", maxsplit=1)[0] in NO_NAMES:
        return
    person = person_of(subject, known)
    aged = f"is {subject['aged']}" if subject["aged"] else ""
    told = [it for each in (aged, text[subject.end() :]) for it in _told_of(clause, person, each)]
    if subject["apposed"] and told:
        yield role_told(clause, subject, subject["apposed"])
    yield from told


def introduced_in(clause: Clause) -> Iterator[Candidate]:
    """Yield who somebody is whom a clause names, whatever it goes on to say: "my husband Mike is late again"."""
    text = read(clause)
    if clause.is_ironic or clause.setting or MASK in text or clause.speaker != "user":
        return
    found = SUBJECT.match(text)
    name = None if found is None else found["apposed"]
    if found is not None and name and _GOES_ON.match(text, found.end()) and name.casefold() not in NO_NAMES:
        yield role_told(clause, found, name)


def of_several(clause: Clause) -> Iterator[Candidate]:
    """Yield what a clause says of relatives whom the user has several of: "my parents live in Bergen"."""
    found = None if clause.is_ironic or clause.setting else _PLURAL.fullmatch(clause.text)
    if found is None or clause.is_momentary or MASK in clause.text:
        return
    verb = found["verb"].casefold()
    said = f"{_OF_ONE.get(verb) or third_person(verb)} {found['said']}"
    told = _VERB.match(said)
    if told is None or told.lastgroup not in _OF_MANY or _TASTED.match(found["said"]):
        return
    content = f"The user's {found['who'].casefold()} {found['adverb'] or ''}{verb} {_WHOLE.sub('', found['said'])}"
    yield fact_of(clause, content, (f"the user's {found['who'].casefold()}", None, None))


def read(clause: Clause) -> str:
    """Return a clause as it is read here: without asides, its verb in full."""
    return spelled_out(gone_from(_ASIDE.sub(" ", clause.text)))


def tells(said: str) -> bool:
    """Whether a clause goes on so that it says something lasting of a person: "works at Acme", "is no longer vegan"."""
    return _VERB.match(_denied(said)[0]) is not None


def in_full(said: str) -> str:
    """Return what stands behind "she's" with its verb: "is vegan", "has moved to Rome"."""
    return f"{'has' if _DONE.match(said) else 'is'} {said}"


def spelled_out(text: str) -> str:
    """Return a clause with its verb in full where that tells something: "Amy's moving to Rome", not "Amy's husband"."""
    short = _SHORT.fullmatch(text)
    if short is None or not tells(said := in_full(short["said"])):
        return text
    return f"{short['who']} {said}"


def _denied(said: str) -> tuple[str, str | None]:
    """Return what is said not to be so, as if it were, and how that is told; `None` where it is so."""
    said = outgrown(said)
    over = next((it for it in (each.fullmatch(said) for each in (_NO_LONGER, _ANY_MORE, _STOPPED)) if it), None)
    if over is None:
        never = _NOT.fullmatch(said)
        return (said, None) if never is None else (f"is {never['said']}", f"is not {never['said']}")
    if over["be"]:
        return f"is {over['said']}", f"is no longer {over['said']}"
    verb = over.groupdict().get("verb")
    now = f"{third_person(verb)} {over['said']}" if verb else over["said"]
    return now, f"no longer {now}"


def person_of(subject: re.Match[str], known: frozenset[str]) -> Person:
    """Return of whom a clause tells; `known` are names of people who were introduced, in small letters."""
    name = subject["apposed"] or subject["name"]
    if name is not None:
        return Person(name, name, is_close=subject["apposed"] is not None or name.casefold() in known)
    owner = f"{subject['owner']}'s" if subject["owner"] else "The user's"
    apart = [it for it in subject["which"].casefold().split() if it not in _SAYS_NOTHING]
    whose = " ".join([owner, *apart, subject["role"].casefold()])
    is_close = subject["owner"] is None or subject["owner"].casefold() in known
    return Person(whose[:1].casefold() + whose[1:] if subject["owner"] is None else whose, whose, is_close)


def role_told(clause: Clause, found: re.Match[str], name: str) -> Candidate:
    """Return who somebody by name is to whom, which a clause says by the way."""
    owner = found["owner"]
    content = f"{owner or 'The user'}'s {found['role'].casefold()} is {name}"
    stated = replace(clause, is_correction=False, is_replacing=False)
    return fact_of(stated, content, (owner or "user", canonical_role(found["role"]), name))


def _told_of(clause: Clause, person: Person, words: str) -> Iterator[Candidate]:
    for each in _NEXT.split(words) if words else ():
        part = f"is {each}" if _ELIDED.match(each) else each
        said, denied = _denied(_ended(part))
        verb = None if _COMPARED.search(part) or BACK_AGAIN.search(part) else _VERB.match(said)
        if verb is None or (clause.is_momentary and not has_happened(said)):
            continue
        relation = str(verb.lastgroup)
        if not _is_believed(person, relation, said):
            continue
        if denied is not None:
            yield fact_of(replace(clause, is_correction=True), f"{person.shown} {denied}", (person.name, None, None))
        elif relation == "milestone":
            if not _is_told_otherwise(clause, person, said):
                yield fact_of(clause, f"{person.shown} {said}", (person.name, None, None))
        else:
            yield from _related(clause, person, said, verb)


def _is_told_otherwise(clause: Clause, person: Person, said: str) -> bool:
    """Whether what happened is an ending, which is told as such, or told by "widower" already, or a move to a tool."""
    place = _MOVING.match(said)
    is_widowed = _WIDOWED.search(clause.since) is not None and person.name.rsplit(" ", maxsplit=1)[-1] in _AT_HOME
    ending = ending_in(clause.text)
    is_over = ending is not None and not ending.is_passing
    return is_widowed or is_over or (place is not None and is_known(place["place"]))


def _related(clause: Clause, person: Person, said: str, verb: re.Match[str]) -> Iterator[Candidate]:
    """Yield what relates a person to somebody or something, where the object is one."""
    name, found = str(verb.lastgroup), _OBJECT.match(said, verb.end())
    if found is None or (name not in TOLD_WHOLE and _NO_OBJECT.match(found["object"])):
        return
    if _is_other(name, said, verb.end(), found["object"]):
        return
    is_related = not _SEVERAL.search(found["object"]) and name != "health" and name not in TOLD_WHOLE
    relation = "birthday" if _WHEN_BORN.match(said) else name
    named = _ALLERGY.sub("", found["object"])
    about = (person.name, relation, named) if is_related else (person.name, None, None)
    yield fact_of(clause, f"{person.shown} {said}", about)


def _ended(said: str) -> str:
    """Return what is said without an afterthought; how somebody's health is, is told whole."""
    told = _VERB.match(_denied(said)[0])
    name = "" if told is None else str(told.lastgroup)
    ends = _CIRCUMSTANCED if name == "milestone" else _WHOLE if name in TOLD_WHOLE else _END
    return (_REASON if name in _OF_HEALTH else ends).sub("", said).strip()


def _is_believed(person: Person, relation: str, said: str) -> bool:
    if person.is_close:
        is_named = person.name[:1].isupper()
        return relation not in OF_WHOM_ONE_KNOWS or is_named or _RELATIVE.search(person.name) is not None
    return relation in _OF_STRANGERS and (relation != "works_at" or _WORKS_AT.search(said) is not None)


def _is_other(relation: str, said: str, start: int, other: str) -> bool:
    """Whether words that mean such a relation mean something else here: "married to the job", "moved to the back"."""
    if relation == "lives_in" and _MOVED.match(said, 0, start):
        return _HOME.match(said, start) is None or is_known(other)
    return relation == "partner" and not other[:1].isupper()


def fact_of(clause: Clause, content: str, about: tuple[str, str | None, str | None]) -> Candidate:
    """Return what a clause tells of somebody as a fact: `about` are its subject, relation and object."""
    is_correction = clause.is_correction or clause.is_replacing
    draft = Draft(kind="fact", content=_PLAIN.retell(content), is_correction=is_correction)
    subject, relation, other = about
    return replace(candidate(draft, clause, _PLAIN), subject=subject, relation=relation, object=other)
