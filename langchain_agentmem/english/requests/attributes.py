"""What can be asked of somebody in one word, and how it is told: "my address" and "the user lives in Lille" share none.

One closed table, English. A request to forget "my job" is held against it, and so may a question for it.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.beings import ANIMALS
from langchain_agentmem.english.reading.statements import KEPT_STEMS, canonical_relation, parse_statement
from langchain_agentmem.english.words.ailments import AILMENTS, ILLNESSES, MEDICINES, NOT_TAKEN, told_apart_from_matter
from langchain_agentmem.english.words.attribute_words import (
    AGED,
    AGO,
    BIRTHDAY,
    BOSS,
    CHILDREN,
    COLLEAGUES,
    CREEDS,
    DEVOUT,
    EACH,
    FAITHS,
    JOB,
    KIN,
    MONEY,
    OF,
    ORIENTATION,
    ORIENTED,
    PARENTS,
    PARTNER,
    PAY,
    POLITICS,
    SIBLINGS,
    SPOKEN,
    SUM,
    VOTES,
    WHO,
    WORKED_AT,
    mine,
)
from langchain_agentmem.english.words.kin_words import kin_of
from langchain_agentmem.english.words.lexicon import PETS, ROLES
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER
from langchain_agentmem.english.words.work_words import EMPLOYED, WORKING
from langchain_agentmem.types import Candidate, Kind, Memory

Period: TypeAlias = Literal["past", "now"]

_OLD: Final = r"(?:old|former|previous|past|last|ex)"
_NEW: Final = r"(?:current|present|new|latest)"
_PLAIN: Final = r"(?:own|exact|full|whole|personal|private)"
_PAST: Final = lazy_pattern(
    r"\b(?:was|were|had|used to|lived|worked|resided|studied|moved from|former(?:ly)?|previous(?:ly)?|no longer"
    r"|not anymore|until|left|quit|ex|old (?:job|address|home|employer|company))\b",
    re.IGNORECASE,
)


class Attribute(NamedTuple):
    """Something that can be asked of somebody.

    Attributes:
        name: Of the attribute.
        nouns: Words that name it. `clauses`: questions that ask for it, without whose it is ("where … lives").
        relations: By which a statement tells it, in their canonical form.
        told: Other words by which it is told, as a pattern; empty: none.
        is_kept: It is somebody whom one has: what is told of them tells it.
        kind: Every memory of this kind is it, whatever its words; `None`: of none.
        parts: Names of others that belong to it.
        is_whole: It is asked for as everything about what its nouns name, and not by these alone.
    """

    name: str
    nouns: str
    clauses: tuple[str, ...] = ()
    relations: frozenset[str] = frozenset()
    told: str = ""
    is_kept: bool = False
    kind: Kind | None = None
    parts: tuple[str, ...] = ()
    is_whole: bool = False

    @property
    def each(self) -> tuple[Attribute, ...]:
        """It, and whatever belongs to it."""
        return (self, *(ATTRIBUTES[it] for it in self.parts))

    def is_told_by(self, relation: str | None) -> bool:
        """Whether a relation tells it."""
        return relation is not None and canonical_relation(relation) in {self.name, *self.relations}

    def is_known_by(self, told: Memory | Candidate) -> bool:
        """Whether it, or a part of it, is what something is known by: its kind, or its relation."""
        return any(told.kind == it.kind or it.is_told_by(told.relation) for it in self.each)

    def is_told_in(self, clause: str) -> bool:
        """Whether a clause tells it, or asks for it, of whomever it is about.

        Example:
            >>> ATTRIBUTES["address"].is_told_in("The user lives in Lille")
            True
            >>> ATTRIBUTES["address"].is_told_in("The user wants to address the crowd")
            False
        """
        plain = clause.replace("\u2019", "'")
        if _TOLD[self.name].search(plain):
            return True
        facts = (it for it in parse_statement(plain).facts if it.relation in self.relations)
        return any(
            not (self.is_kept and _KEPT.intersection(it.subject.split())) and not _is_of_a_thing(it.subject)
            for it in facts
        )  # their sister's husband


def _is_of_a_thing(subject: str) -> bool:
    """Whether a fact is about what somebody has, and not about whom they have: the age of their house is not theirs."""
    owner, _, had = subject.partition(" ")
    return owner == "user" and bool(had) and KEPT_STEMS.isdisjoint(had.split())


def _row(name: str, nouns: str, *, relations: str = "", **more: Any) -> Attribute:
    return Attribute(name, nouns, relations=frozenset(relations.split()), **more)


_ROWS: Final = (
    _row(
        "name",
        r"(?:(?:first|last|full|real|family|given|middle) )?names?|surname|nickname",
        clauses=(rf"(?:what|how) {WHO} (?:am|is|are) called", rf"what (?:people|you|they) call {WHO}"),
        relations="name called surname nickname",
    ),
    _row(
        "address",
        r"(?:(?:home|postal|street|mailing|private) )?(?<!mail )(?<!ip )address(?:es)?|residence|whereabouts"
        r"|post ?code|zip ?code|place of residence|home",
        clauses=(rf"where {WHO} (?:lives?|am living|is living|resides?|(?P<period>used to live|lived){AGO})",),
        relations="lives_in",
        told=r"\bliv(?:es?|ing|ed) (?:in|at|near|on)\b|\bwhere (?:do|did) (?:I|you|we) live\b"
        r"|\bwhere (?:does|did) (?:my|your) [\w' ]{1,40} live\b",
    ),
    _row(
        "employer",
        r"employer|company|workplace|place of work",
        clauses=WORKED_AT,
        relations="works_at employer company",
        told=rf"{EMPLOYED}|\bjob at\b|\b(?:where|whom?) (?:do|did) (?:I|you) work\b",
    ),
    _row(
        "job",
        JOB,
        clauses=(rf"what {WHO} (?:do|does|(?P<period>used to do|did)(?= for))(?: for (?:a living|work))?",),
        relations="works_as works_at job occupation profession employer",
        told=rf"{WORKING}|\bwhat (?:do|did) (?:I|you) do for (?:a living|work)\b",
    ),
    _row(
        "age",
        r"age",
        clauses=(rf"how old {WHO} (?:am|is|are)",),
        relations="age",
        told=rf"{AGED}|\b(?:born|{BIRTHDAY})\b[^.!?\n]*\b(?:1[89]|20)\d\d\b",
    ),
    _row(
        "birthday",
        BIRTHDAY,
        clauses=(rf"when {WHO} (?:was|were) born",),
        relations="birthday",
        told=r"\bwhen (?:was|were) \w+ born\b",
    ),
    _row(
        "origin",
        r"birth ?place|home ?town|nationality|origins?|place of birth",
        clauses=(rf"where {WHO} (?:was|were) born", rf"where {WHO} (?:comes?|am|is|are) from"),
        relations="birthplace origin hometown nationality",
    ),
    _row(
        "phone",
        r"(?:(?:tele)?phone|mobile|cell ?phone|cell)(?: numbers?)?"
        r"(?! (?:calls?|conversations?|bills?|cases?|chargers?|plans?|contracts?|screens?|apps?|companies|company)\b)"
        r"|number",
        relations="phone",
        told=r"\[phone\]|\b(?:call|text|ring|reach|phone) (?:me|us|the user) (?:at|on|under) \+?\d",
    ),
    _row("email", r"e-?mails?(?: address(?:es)?)?", relations="email", told=r"\[e-?mail\]|\S@\w[\w-]*\.\w"),
    _row(
        "diet",
        r"diet|dietary (?:restrictions?|needs|requirements|preferences)|eating habits",
        clauses=(rf"what {WHO} (?:eats?|do not eat|don't eat)",),
        relations="diet",
        told=r"\b(?:vegan|vegetarian|pescatarian|flexitarian|gluten[- ]free|lactose[- ]intolerant|halal|kosher)s?\b"
        r"|\b(?:doesn't|don't|does not|do not|never) eats?\b",
    ),
    _row(
        "allergy",
        r"(?:food )?allerg(?:y|ies)",
        clauses=(rf"what {WHO} (?:am|is|are) allergic to",),
        relations="allergic_to",
        told=r"\ballerg(?:ic|y|ies)\b",
    ),
    _row("language", r"(?:native )?languages?|mother tongue", clauses=(SPOKEN,), relations="speaks"),
    _row("car", r"car|vehicle", clauses=(rf"what {WHO} drives?",), relations="drives"),
    _row("partner", PARTNER, relations="partner", told=rf"{mine(PARTNER)}|\b(?:married|engaged)\b", is_kept=True),
    _row(
        "children",
        r"children|kids",
        relations=" ".join(kin_of("child")),
        told=mine(rf"{CHILDREN}|twins|triplets|(?:little|baby) (?:girl|boy)"),
        is_kept=True,
    ),
    _row("parents", r"parents", relations="mother father", told=mine(PARENTS), is_kept=True),
    _row("siblings", r"siblings", relations="brother sister", told=mine(SIBLINGS), is_kept=True),
    _row("family", r"family|relatives", told=rf"{mine(f'{KIN}|family')}|\bmarried\b", is_kept=True),
    _row("pets", r"pets?", told=mine("|".join(sorted(ANIMALS | {"puppies", "kitties"}))), is_kept=True),
    _row(
        "medication",
        r"(?:(?:regular|daily) )?(?:medications?|medicines?|meds|pills|prescriptions?)",
        clauses=(rf"(?:what|which) (?:medications?|medicines?|meds|drugs|pills) {WHO} (?:takes?|am on|is on|are on)",),
        told=rf"^(?!.*{NOT_TAKEN}).*?(?:{MEDICINES})",
    ),
    _row(
        "health",
        r"(?:(?:mental|physical) )?health(?: (?:issues?|problems?|conditions?|history|information|info|data|stuff"
        r"|things|details|matters))?"
        r"|medical (?:history|conditions?|issues|problems|information|info|data|stuff|details|records?)"
        r"|illness(?:es)?|diseases?|ailments?",
        told=told_apart_from_matter(AILMENTS),
        parts=("allergy", "medication"),
    ),
    _row("diagnosis", r"(?:medical )?diagnos[ie]s", told=told_apart_from_matter(ILLNESSES)),
    _row("orientation", ORIENTATION, told=ORIENTED),
    _row(
        "weight",
        r"(?:body ?)?weight",
        clauses=(rf"(?:how much|what) {WHO} weighs?",),
        relations="weight",
        told=r"\bweigh(?:s|ed|ing)? (?:(?:about|around|roughly|only|over|under|almost|nearly|just) )?\d",
    ),
    _row(
        "height",
        r"height",
        clauses=(rf"how tall {WHO} (?:am|is|are)",),
        relations="height",
        told=r"\b(?:is|am|are|was|were) \d[\d.,]* ?(?:cm|m|met(?:er|re)s?|f(?:ee|oo)?t|inches)(?: \d+)?(?: tall)?\b",
    ),
    _row(
        "religion",
        r"religions?|faith|religious (?:beliefs?|views?|affiliation)",
        clauses=(rf"(?:what|which) religion {WHO} (?:has|have|practi[sc]es?|follows?)",),
        relations="religion",
        told=rf"(?:'m|\b(?:am|is|are|was|were|became|raised)) {DEVOUT}(?:{FAITHS})\b(?! [a-z]+(?<!\band)(?<!\bwho))"
        rf"|\bconvert(?:s|ed|ing)? to (?:{CREEDS})\b|\bpracti[sc](?:es?|ing) (?:{CREEDS})\b",
    ),
    _row(
        "income",
        r"(?:salary|income|wages?|pay|earnings)(?: (?:figures?|numbers?|amounts?|details?))?",
        clauses=(rf"(?:how much|what) {WHO} (?:earns?|makes?|am paid|is paid|are paid|gets? paid)",),
        relations="salary income",
        told=rf"\bearn(?:s|ed|ing)? {SUM}|\b(?:makes?|made|making) {MONEY} {EACH}"
        rf"|\b(?:I|we|you|user) (?:now )?makes? {PAY}"
        rf"|(?:'m|\b(?:is|am|are|was|were|gets?|got|being)) paid {SUM}",
    ),
    _row("politics", POLITICS, relations="party", told=VOTES),
    _row("boss", BOSS, relations="boss manager supervisor", told=mine(BOSS), is_kept=True),
    _row("colleagues", rf"(?:{COLLEAGUES})s", told=mine(COLLEAGUES), is_kept=True),
    _row("working life", JOB, parts=("job", "employer", "income", "boss", "colleagues"), is_whole=True),
    _row("instructions", r"(?:standing )?instructions|standing orders|rules|constraints", kind="constraint"),
    _row(
        "preferences",
        r"preferences|tastes|likes(?: and dislikes)?|dislikes",
        clauses=(rf"what {WHO} (?:likes?|prefers?|dislikes?)",),
        kind="preference",
    ),
    _row("goals", r"goals|objectives|ambitions|aspirations", kind="goal"),
)
ATTRIBUTES: Final = {it.name: it for it in _ROWS}
"""By name, in the order in which they are looked for."""


def _told_of(it: Attribute) -> str:
    """Return how one is told in words; of somebody, or of a kind of memory, the noun alone tells nothing."""
    is_in_words = not (it.is_kept or it.is_whole or it.kind)
    return "|".join(filter(None, (rf"\b{OF}(?:{it.nouns})(?!\w)" if is_in_words else "", it.told))) or r"(?!)"


_TOLD: Final = {it.name: lazy_pattern(_told_of(it), re.IGNORECASE) for it in _ROWS}
_OWNED: Final = r"(?P<owner>my|our|the user's|(?:(?:my|our|the) )?[\w-]+(?: [\w-]+)?(?:'s|s'))"
_ABOUT: Final = (
    r"(?:(?:everything|all|anything)(?: (?:that )?(?:you|I)(?:'ve| have)? (?:\w+ ){1,3}?)?"
    r"|what(?:ever)? (?:you|I)(?:'ve| have)? (?:\w+ ){1,3}?) ?(?:about|on|of|regarding|concerning) "
)
"""Before what everything is asked about: "everything you know about my job"."""


def _phrases_of(it: Attribute) -> tuple[str, ...]:
    """Return the phrases that name an attribute and whose it is."""
    timed = "" if it.kind else rf"(?P<period>{_OLD}|{_NEW})[- ]|"
    owned = rf"{_OWNED} (?:{timed}{_PLAIN} )?(?:{it.nouns})"
    if it.is_whole:
        return (rf"{_ABOUT}{owned}",)
    return (
        owned,
        rf"(?:what|who|when|where|which) {owned} (?:is|are|was|were)(?: called)?",
        rf"the (?:{it.nouns}) of (?P<who>my [\w -]{{1,30}}|(?:{LETTER}[\w'-]+ ?){{1,3}})",
        *it.clauses,
    )


_NAMED: Final = tuple(
    (it, lazy_pattern(rf"(?:about )?(?:{phrase})", re.IGNORECASE)) for it in _ROWS for phrase in _phrases_of(it)
)
_THING: Final = lazy_pattern(
    r"\b(?:work|home|position|company|workplace|jobs?|e-?mails?|names|addresses|numbers?(?<!phone number)"
    r"|phone|mobile|cell|car|vehicle|career|languages?|diet|medications?|medicines?|meds|pills|prescriptions?"
    r"|instructions|orders|rules|constraints|preferences|goals|objectives|history)$",
    re.IGNORECASE,
)
"""Ends the name of an attribute that is a thing, too, which can be deleted, cleared or removed."""

_SELF: Final = frozenset({"my", "our", "i", "we", "me", "us", "the user's", "the user"})
_KEPT: Final = ROLES | PETS


class Asked(NamedTuple):
    """An attribute of somebody.

    Attributes:
        attribute: Which.
        owner: Terms of whose it is; none: the user's.
        period: Of what was only ("my old job"), or of what is now; `None`: of both.
    """

    attribute: Attribute
    owner: frozenset[str]
    period: Period | None


def attribute_asked(what: str) -> Asked | None:
    """Return the attribute that a phrase names, and nothing besides; `None` where it names none of them.

    Example:
        >>> asked = attribute_asked("my sister's address")
        >>> asked.attribute.name, sorted(asked.owner)
        ('address', ['sister'])
        >>> attribute_asked("my work phone is broken") is None
        True
    """
    plain = " ".join(what.replace("\u2019", "'").split()).strip(" .,!?")
    for attribute, pattern in _NAMED:
        found = pattern.fullmatch(plain)
        if found is not None:
            groups = found.groupdict()
            return Asked(attribute, _terms(groups.get("owner") or groups["who"]), _period(groups.get("period")))
    return None


def is_only_known(what: str) -> bool:
    """Whether a phrase names what is nothing but known of somebody: their address, and not their work or their car.

    Example:
        >>> is_only_known("my home address"), is_only_known("where I live"), is_only_known("my e-mails")
        (True, True, False)
        >>> is_only_known("everything about my health")
        True
    """
    asked = attribute_asked(re.sub(rf"^{_ABOUT}", "", what, flags=re.IGNORECASE))
    if asked is None or asked.attribute.is_kept:
        return False
    return not _THING.search(what)


def is_past(text: str) -> bool:
    """Whether a clause tells of what is no more."""
    return _PAST.search(text) is not None


def names_one_kept(clause: str) -> frozenset[str]:
    """Return the term for whom a clause names: of the cat in "a cat named Minka", and in "my cat Minka"."""
    return frozenset(term for it in _KEPT_NAMED.finditer(clause) for term in tokenize(it["kept"]))


_KEPT_NAMED: Final = lazy_pattern(
    rf"\b(?P<kept>(?i:{'|'.join(sorted(_KEPT))})),? (?:(?:(?:is|was|are) )?(?:named|called) |(?:is )?(?={CAPITAL}))"
)


def _terms(owner: str) -> frozenset[str]:
    if owner.casefold() in _SELF:
        return frozenset()
    bare = re.sub(r"^(?:my|our|the) |(?:'s|(?<=s)')$", "", owner, flags=re.IGNORECASE)
    return frozenset(tokenize(bare))


def _period(word: str | None) -> Period | None:
    if word is None:
        return None
    return "now" if re.fullmatch(_NEW, word, re.IGNORECASE) else "past"
