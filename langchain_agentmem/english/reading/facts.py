"""Subject, relation, object and qualifier of a clause, by a closed list of patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile
from typing import Final

from langchain_agentmem.english.reading.clause_patterns import LEAD, RULES
from langchain_agentmem.english.reading.reading import OWNS, USER, Token, leaves_open
from langchain_agentmem.english.reading.states import MARITAL_STATUS, STATE_RELATIONS, is_state
from langchain_agentmem.english.text.quantities import dimension, is_quantity, is_year
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import PARTNERS, partnership
from langchain_agentmem.english.words.lexicon import (
    ATTRIBUTES,
    CHOICES,
    GENERIC,
    INTENTIONS,
    LIGHT,
    LONE_ROLES,
    MARKERS,
    NEGATIVE_WORDS,
    NEGATORS,
    NOT_PLACES,
    PETS,
    PRONOUN_SUBJECTS,
    ROLES,
    STOP,
    SYNONYMS,
    UNCERTAIN,
    stem,
)
from langchain_agentmem.english.words.patterns import PARTICLES
from langchain_agentmem.english.words.relation_verbs import RELATION_NAMES
from langchain_agentmem.english.words.thesaurus import WORKERS

FUNCTIONAL_RELATIONS: Final[frozenset[str]] = frozenset(
    {
        *("lives_in", "works_at", "works_as", "name", "called", "age", "birthday", "birthplace", "origin", "partner"),
        *STATE_RELATIONS,
        *("favourite", "preferred", "primary", "default", "main", "native"),
        *("uses_for", "prefers_for", "deadline", "is"),
    }
    | ATTRIBUTES
    | LONE_ROLES
)
KEPT: Final[frozenset[str]] = ROLES | PETS
"""Whom somebody has: relations to a person or an animal by name."""

OF_PEOPLE: Final = frozenset("lives_in works_at works_as origin birthplace age partner allergic_to speaks".split())
"""Relations of which a thing has none: whoever has one is somebody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What one clause says.

    Attributes:
        subject: Whom or what it is about; `user` for the speaker.
        relation: Name of the relation, `lives_in` or `deadline`.
        object: Terms of what is said of the subject, separated by spaces; `qualifier`: terms of what it holds for.
        object_type: `number:` with its dimension, `weekday`, `month`, `name` or `word`.
        is_certain: Neither negated, past, conditional nor intended.
        rest: Terms of the clause that the pattern left over.
    """

    subject: str
    relation: str
    object: str
    qualifier: str = ""
    object_type: str = "word"
    is_certain: bool = True
    rest: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """The terms of the object, as a set."""
        return frozenset(self.object.split())

    @property
    def key(self) -> tuple[str, str, frozenset[str]]:
        """Subject, relation and qualifier: what can have one object only if the relation is functional."""
        return self.subject, self.relation, frozenset(self.qualifier.split())


# Beyond these a text is no statement but a document, and patterns would cost more than they find.
_MAX_CLAUSES: Final = 20
_MAX_CLAUSE_WORDS: Final = 40
FORMER: Final = frozenset({"ex", "former"})
"""Words that put a person or thing into the past: an ex-wife is no other wife."""

TRADE: Final = "trade"
"""What somebody does for a living, as a relation: of one who is a nurse now it is no other."""

MOVING: Final = frozenset({"moving", "relocating"})
"""Of a move that is going on, or is to come: who is moving to York does not live there yet."""

_LIGHT_STEMS: Final = frozenset(map(stem, LIGHT))
_SKIPPED: Final = (LIGHT | NEGATORS | frozenset({"do", "does", "did", "formerly", "please"})) - {"just", "even"}
_BREAKS: Final = frozenset({".", ";", "!", "?", "(", ")", "but", "because", "although", "though", "while", "whereas"})
CLAUSE_VERBS: Final = frozenset(
    "live lives work works prefer prefers like likes use uses drive drives own owns speak speaks is am has have".split()
)
_PLAIN_VERBS: Final = frozenset("live work prefer like use drive own speak have".split())
_WISHED: Final = _PLAIN_VERBS | frozenset("move relocate retire settle study start become be get buy find".split())
_WISHES: Final = INTENTIONS | frozenset("would d like love hoping wanting".split())
_TRADES: Final = frozenset(stem(word) for word in WORKERS.split())
_PAST: Final = frozenset({"was", "were", "lived", "worked", "formerly", "previously", "had", *FORMER})
_DENYING: Final = frozenset(word for word, term in NEGATIVE_WORDS.items() if not term)
_BESIDE_WORK: Final = frozenset(
    map(stem, "volunteer hobby amateur aspiring part-time trainee student retired former good great bad".split())
)
"""Who is so does not live by it, or not by it alone."""

_FEASTS: Final = frozenset(map(stem, "christmas easter hanukkah ramadan thanksgiving".split()))
_COUPLE: Final = frozenset({"we", f"{USER} {stem('family')}", f"{USER} {stem('team')}"})
"""As whom the user is told of together with a spouse: "we got married"."""

_NO_SUBJECT: Final = INTENTIONS | frozenset(
    "that if when to not there it what which and or with said says told".split()
)


def _is_trade(words: str) -> bool:
    """Whether terms of what somebody is tell a trade that they live by: "head nurse", and no "volunteer"."""
    told = words.split()
    return bool(told) and told[-1] in _TRADES and _BESIDE_WORK.isdisjoint(told)


def canonical_relation(name: str) -> str:
    """Return the name under which a relation is judged: `Works for` is `works_at`."""
    folded = "_".join(name.casefold().replace("-", " ").split()) if name != "e-mail" else "email"
    return RELATION_NAMES.get(folded, folded)


def find_facts(tokens: Sequence[Token], negated: frozenset[str]) -> tuple[Fact, ...]:
    """Return what the clauses of a text say, in order; a clause that no pattern fits says nothing here."""
    facts: list[Fact] = []
    for clause in islice(_clauses(tokens), _MAX_CLAUSES):
        fact = _fact(clause, negated, inherited=facts[-1].subject if facts else USER)
        if fact is not None:
            facts += [fact, *_implied(fact, clause)]
    return tuple(facts)


def _implied(fact: Fact, clause: Sequence[Token]) -> Iterator[Fact]:
    """Yield that somebody is married, where it is said to whom, and when they were born, beside where."""
    if fact.relation == "partner":
        states = [token.term for token in clause if token.norm in {"married", "engaged"}]
        yield from (replace(fact, relation=MARITAL_STATUS, object=it, object_type="word") for it in states[:1])
    elif fact.relation in {"works_as", "is_a"}:
        yield from _work(fact, clause)
    elif fact.relation == "birthplace":
        years = [it for it in sorted(fact.rest) if is_year(it)]
        yield from (replace(fact, relation="birthday", object=it, object_type="number:") for it in years[:1])


def _work(fact: Fact, clause: Sequence[Token]) -> Iterator[Fact]:
    """Yield what trade somebody has, and for whom they work where that stands behind it: "a nurse at Acme"."""
    if _is_trade(fact.object):
        yield replace(fact, relation=TRADE)
    elif fact.relation == "is_a" or fact.words & _BESIDE_WORK:
        return
    place = next((place for place, it in enumerate(clause) if it.norm in {"at", "for"}), len(clause))
    names = tuple(it.term for it in takewhile(lambda it: it.is_name, clause[place + 1 :]) if it.is_content)
    if names and _FEASTS.isdisjoint(names):
        rest = fact.rest - {*names} | fact.words
        yield replace(fact, relation="works_at", object=" ".join(names), object_type="name", rest=rest)


def _clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    clause: list[Token] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1].norm if index + 1 < len(tokens) else ""
        is_new = token.norm == "and" and (
            following == USER or following in PRONOUN_SUBJECTS or following in CLAUSE_VERBS
        )
        is_new = is_new and not (following in _PLAIN_VERBS and _is_wish(clause))
        if is_new or (token.norm in _BREAKS and (token.kind == "mark" or token.norm.isalpha())):
            yield clause
            clause = []
        else:
            clause.append(token)
    yield clause


def _is_wish(clause: Sequence[Token]) -> bool:
    """Whether somebody wishes to do what a plain verb behind a clause goes on with: "to live in York and work"."""
    norms = [token.norm for token in clause]
    goes_on = any(one == "to" and other in _WISHED for one, other in pairwise(norms))
    return goes_on and not _WISHES.isdisjoint(norms)


def _fact(clause: Sequence[Token], negated: frozenset[str], *, inherited: str) -> Fact | None:
    if len(clause) > _MAX_CLAUSE_WORDS:
        return None
    by_norm = {token.norm: token for token in clause}
    shown = LEAD.sub("", " ".join(token.norm for token in clause if token.norm not in _SKIPPED))
    said = frozenset(shown.split())
    for relation, needed, pattern in RULES:
        if needed.isdisjoint(said):
            continue
        found = pattern.match(shown)
        if found is not None and _fits(relation, found, by_norm):
            break
    else:
        return None
    subject, named, qualifier = _naming(relation, found, by_norm, inherited)
    words = terms(found["o"], by_norm)
    if not words:
        return None
    consumed = {*words, *qualifier, *subject.split(), *terms(_outside(found), by_norm)}
    return Fact(
        subject=subject,
        relation=named,
        object=" ".join(words),
        qualifier=" ".join(qualifier),
        object_type=object_type(found["o"].split(), by_norm),
        is_certain=_is_certain(clause, frozenset(words) & negated)
        and not (relation == "moved_to" and MOVING & {*by_norm}),
        rest=frozenset(token.term for token in clause if token.is_content) - consumed - _LIGHT_STEMS,
    )


def _outside(found: re.Match[str]) -> str:
    """Return the words of the pattern itself: neither object nor tail."""
    start, end = found.span("o")
    tail = found.groupdict().get("tail") or ""
    return f"{found.string[:start]} {found.string[end : len(found.string) - len(tail)]}"


def terms(text: str, by_norm: Mapping[str, Token]) -> tuple[str, ...]:
    """Return the content terms of a piece of a clause, in order."""
    tokens = (by_norm.get(word, Token(word)) for word in text.split())
    return tuple(token.term for token in tokens if token.is_content and token.norm not in LIGHT)


def _fits(relation: str, found: re.Match[str], by_norm: Mapping[str, Token]) -> bool:
    subject = (found.groupdict().get("s") or USER).split()
    if set(subject) & _NO_SUBJECT or any(word in MARKERS and word in UNCERTAIN for word in subject):
        return False
    is_name = all(it in PARTICLES or (it in by_norm and by_norm[it].is_name) for it in subject)
    if len(subject) > 2 and not is_name and not {OWNS, "the"} & {*subject}:  # noqa: PLR2004  (of a first name and another)
        return False
    if relation in {"lives_in", "moved_to", "works_at", "origin", "birthplace"}:
        return _is_proper(found["o"].split(), by_norm, is_place=relation != "works_at")
    if relation in {"partner", "address"}:
        words = found["o"].split()
        is_named = words[0] not in {"in", "at", "on"} and any(by_norm[it].is_name for it in words if it in by_norm)
        return is_named or (relation == "address" and any(map(str.isdigit, words)))
    if relation in STATE_RELATIONS:
        return is_state(found.string, found["tail"])
    if relation == "age":
        return subject[0] in {USER, *PRONOUN_SUBJECTS} or by_norm[subject[0]].is_name
    return True


def _is_proper(words: Sequence[str], by_norm: Mapping[str, Token], *, is_place: bool) -> bool:
    """Whether the words name a place or a firm, rather than describe one ("a small flat", "the backend team")."""
    if is_place and set(words) & NOT_PLACES:
        return False
    tokens = [by_norm[word] for word in words if word in by_norm]
    if any(token.is_name for token in tokens):
        return True
    return not any(it.is_name for it in by_norm.values()) and words[0] not in STOP and len(words) <= 2  # noqa: PLR2004 - "new york", typed in a hurry


def _naming(
    relation: str, found: re.Match[str], by_norm: Mapping[str, Token], inherited: str
) -> tuple[str, str, tuple[str, ...]]:
    """Return subject, relation and qualifier of a match."""
    groups = found.groupdict()
    subject = groups.get("s") or inherited
    qualifier = terms(groups.get("q") or "", by_norm)
    if relation == "deadline":
        owner, about = _owner(subject)
        return owner, "deadline", terms(about, by_norm)
    if relation in {"name", "called"} and subject.split()[-1] in KEPT and _owner(subject)[0]:
        return _owner(subject)[0], canonical_relation(subject.split()[-1]), ()
    if relation == "is":
        return _copula(subject, found, by_norm)
    if relation in {"uses_for", "prefers_for"}:
        qualifier = tuple(term for term in qualifier if term not in GENERIC) or qualifier
    about = _person(subject, by_norm)
    if relation == MARITAL_STATUS and about in _COUPLE:
        about = USER
    return about, {"moved_to": "lives_in", "address": "lives_in"}.get(relation, relation), qualifier


def _owner(subject: str) -> tuple[str, str]:
    """Split "user 's project deadline" into the owner and what is owned; "the" and "our" name no owner."""
    owner, _, owned = subject.rpartition(f" {OWNS} ")
    first = owner.split(" ")[0]
    return ("" if PRONOUN_SUBJECTS.get(first) == "we" else owner.replace(f" {OWNS}", "")), owned


def _person(subject: str, by_norm: Mapping[str, Token]) -> str:
    owner, owned = _owner(subject)
    owned = " ".join(PRONOUN_SUBJECTS.get(word, word) for word in owned.split() if word not in {"the", "this", "that"})
    if owned in {USER, "we", "he", "she", "they"}:
        return owned
    whose = [word for word in owned.split()[:1] if word in {"he", "she", "they"}]  # "his manager", "her manager"
    owners = (USER if word == USER else by_norm.get(word, Token(word)).term for word in owner.split())
    return " ".join([*owners, *whose, *terms(owned, by_norm)]) or owned


def _copula(subject: str, found: re.Match[str], by_norm: Mapping[str, Token]) -> tuple[str, str, tuple[str, ...]]:
    head, _, about = subject.partition(" for ") if " for " in subject else subject.partition(" of ")
    about_user = about.strip() == USER
    owner, owned = _owner(head)
    owner = USER if about_user else owner
    words = [word for word in owned.split() if word not in STOP and word != "current"]
    qualifier = () if about_user else terms(about, by_norm)
    if not words or (not owner and len(words) == 1 and by_norm.get(words[0], Token("")).is_name):
        return _person(subject, by_norm), "is_a", ()
    is_spouse = words[-1] in PARTNERS and not partnership(words[-1], words[:-1])
    if is_spouse and owner and object_type(found["o"].split(), by_norm) == "name" and not found["a"]:
        return owner, "partner", ()
    first = SYNONYMS.get(stem(words[0]), stem(words[0]))
    if first == stem("favorite"):
        return owner, "favourite", (*terms(" ".join(words[1:]), by_norm), *qualifier)
    if words[0] in CHOICES and len(words) > 1:
        return owner, canonical_relation(words[0]), (*terms(" ".join(words[1:]), by_norm), *qualifier)
    whose, _, role = owner.rpartition(" ")
    if words[-1] == "name" and whose and role in KEPT:
        return whose, canonical_relation(role), ()
    is_kept = bool(owner) and words[-1] in KEPT and _names(found, by_norm)
    if words[-1] in ATTRIBUTES or words[-1] == "deadline" or is_kept:
        which = " ".join(words[int(words[0] == "new") : -1])  # of what there is one, the new one is it
        return owner, canonical_relation(words[-1]), (*terms(which, by_norm), *qualifier)
    return " ".join([*([owner] if owner else []), *terms(" ".join(words), by_norm)]), "is", qualifier


def _names(found: re.Match[str], by_norm: Mapping[str, Token]) -> bool:
    """Whether a copula leads to a name: "my brother is Tom", and neither "is in Rome" nor "is a German"."""
    between = found.string[found.end("s") : found.start("o")].split()
    is_bare = not found["a"] and not {"in", "at", "on", "by", "for"} & set(between)
    return is_bare and object_type(found["o"].split(), by_norm) == "name"


def object_type(words: Sequence[str], by_norm: Mapping[str, Token]) -> str:
    """Return what sort of thing an object is: objects of two sorts say nothing of each other."""
    content = [word for word in words if word not in STOP]
    if content and is_quantity(content[0]):
        return f"number:{dimension(content[0])}"
    if any(word in WEEKDAYS for word in content):
        return "weekday"
    if any(word in MONTHS for word in content):
        return "month"
    return "name" if any(by_norm[word].is_name for word in content if word in by_norm) else "word"


def _is_certain(clause: Sequence[Token], negated: frozenset[str]) -> bool:
    norms = {token.norm for token in clause}
    is_past = not _PAST.isdisjoint(norms) and "born" not in norms
    return not (negated or is_past or leaves_open(clause) or norms & _DENYING)
