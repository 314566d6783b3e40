"""Which relations a statement states, in the names as they are written: "my sister Nora works at Acme" states two.

What a caller named (subject, relation, object) is taken as it is. Everything else is read by rules, clause by clause: a
closed list of verbs, what somebody is to somebody, and at last the patterns by which statements are compared. The rules
know English; a clause that denies, doubts, plans or asks states nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._stand_ins import is_stand_in
from langchain_agentmem.english.reading.facts import FORMER, TRADE, Fact
from langchain_agentmem.english.reading.naming import MAX_NAME_CHARS, USER, clean, is_address, key_of, role_in
from langchain_agentmem.english.reading.profile_fields import decoded, field_of
from langchain_agentmem.english.reading.reading import leaves_open, read
from langchain_agentmem.english.reading.relations import PERSON, ROLES, VALUES, canonical_role, type_of_object
from langchain_agentmem.english.reading.statements import canonical_relation, parse_statement
from langchain_agentmem.english.reading.together import NAME, OWNER, ROLE, each_of
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.lexicon import NEGATIVE_WORDS, NEGATORS, PRONOUN_SUBJECTS
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER
from langchain_agentmem.english.words.relation_verbs import VERBS
from langchain_agentmem.types import Candidate, Memory

MAX_TRIPLES: Final = 24
"""Of one memory, the first; a memory is a statement, and a pasted document is no graph."""

_MAX_CLAUSES: Final = 12
_MAX_CLAUSE_CHARS: Final = 300
_LONGEST_VALUE_WORDS: Final = 8

_ADVERBS: Final = (
    r"(?:(?:now|currently|also|still|just|always|usually|often|recently|mainly|mostly|only|strongly|really|definitely"
    r"|especially|generally) )*"
)

_VERB: Final = lazy_pattern(
    rf"(?<= ){_ADVERBS}(?:{'|'.join(f'(?P<{name}>{phrase})' for name, phrase in VERBS.items())})"
    r"(?: (?:at|in|with|the|an?)){0,2}? (?=\S)"
)
_ALSO_NOUN: Final = frozenset({"lead", "head", "mentor"})
"""Behind one subject these are what it is called: only of the speaker and of several they tell a deed."""

_SUBJECT: Final = lazy_pattern(
    rf"(?P<apposed>(?P<owner>{OWNER}) (?:[a-z]+ )?(?P<role>{ROLE}),? (?P<name>{NAME}),?)"
    rf"|(?P<plain>I|[Tt]he user|[Hh]e|[Ss]he|[Tt]hey|{OWNER} (?:[a-z]+ )?{ROLE}|{NAME}"
    r"|(?:[Tt]he|[Oo]ur|[Mm]y) [\w' -]{1,60})"
)
_APPOSED: Final = lazy_pattern(rf"(?P<owner>{OWNER}) (?:[a-z]+ )?(?P<role>{ROLE}),? (?P<name>{NAME})")
_IS: Final = lazy_pattern(r" (?:is|am|are) (?:now |currently |also )?(?:called |named )?(?=\S)")
_IS_ROLE: Final = lazy_pattern(
    rf"(?P<owner>{OWNER}) (?:[a-z]+ )?(?P<role>{ROLE})(?: .*)?"
    rf"|an? (?P<of>{ROLE}) of (?P<whose>{NAME}|mine|the user)"
)
_IS_OF: Final = lazy_pattern(
    rf"(?:an?|the) (?P<what>{LETTER}[\w -]{{1,40}}?) (?P<link>of|at|in|for) (?:the )?(?P<name>{NAME})\b.*"
)
_IS_A: Final = lazy_pattern(r"an? (?P<what>[a-z][\w -]{1,60})")
_HAS_ROLE: Final = lazy_pattern(
    rf" (?:has|have) (?:an? )?(?:[a-z]+ )?(?P<role>{ROLE}),? (?:named |called )?(?P<name>{NAME})"
)
_HAS_NAMED: Final = lazy_pattern(
    r" (?:owns?|has|have|adopted|bought) an? (?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,3}),? (?:called|named)"
    rf" (?P<name>{NAME})"
)
_ADDRESS_OF: Final = lazy_pattern(
    r"(?P<s>.+?)(?:'s)? (?:work |private )?e-?mail(?: address)? is (?P<o>\S+@\S+|\[\S+\])", re.IGNORECASE
)

_SORT: Final = r"(?: (?:team|project|service|group|club|department|app|library|band|festival|conference))?"
_NAMES: Final = lazy_pattern(rf"(?:(?:the|an?) )?({NAME}{_SORT})((?:(?:,| and|, and) (?:the )?{NAME}{_SORT})*)")
_LISTED: Final = lazy_pattern(r", and | and |, ")
_TAIL: Final = lazy_pattern(
    r"(?:,| \(| (?:since|because|when|while|with|for|on|at|in|by|as|during|near|after|before|until|if|from|and|so|via"
    r"|using|which|who|that|where|every|next|last|to|over|than) ).*$"
)
_ABBREVIATION: Final = lazy_pattern(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\. ")
_SENTENCE: Final = lazy_pattern(r"(?<=[.!?])\s+|\n+|; ")
_GOES_ON: Final = (
    r"(?:is|am|lives?|works?|has|likes?|uses?|owns?|speaks?|plays?|manages?|knows?|reports|prefers|studies|loves) "
)
_CLAUSE: Final = lazy_pattern(
    rf",? (?:but|because|although|though|whereas) |,? and (?=(?:{_ADVERBS}){_GOES_ON}|I |(?:[Mm]y|[Hh]er|[Hh]is) "
    rf"|{NAME} (?:is|lives|works|has) )"
)
_INHERITS: Final = lazy_pattern(_GOES_ON)
_CONTRAST: Final = lazy_pattern(
    rf"(?:,| and| but| \() ?not (?:(?:at|for|in|on|to|with) )?(?:(?:the )?{NAME}|an? \w+)\)?"
    r"(?=,|$| (?:as|at|for|in|on|since|to|with) )"
)
"""What a statement is told apart from: "TypeScript, not JavaScript, for the frontend" says that it is TypeScript."""

_ADDRESSED: Final = frozenset({"you", "your", "yours"})
"""In a memory nobody is spoken to: who "you" is, it does not say."""

_PAST: Final = frozenset({"was", "were", "formerly", "previously", *FORMER})
_Known: TypeAlias = tuple[str, frozenset[str]]
"""A word as it is written, and the terms that it is compared by."""

_UNNAMED: Final = frozenset({*WEEKDAYS, *MONTHS, "i", "today", "tomorrow", "yesterday"})


class Triple(NamedTuple):
    """One relation that a memory states.

    Attributes:
        subject: As written; `user` for the speaker.
        is_value: The object is said of the subject, and no entity of its own.
        rule: How it was read: `stored`, `verb`, `role`, `is`, or `statement`.
    """

    subject: str
    relation: str
    object: str
    is_value: bool
    rule: str


def triples_of(record: Memory | Candidate) -> tuple[Triple, ...]:
    """Return the relations that a memory states: the one it was stored with, else those that its words state.

    Example:
        >>> from langchain_agentmem.types import Candidate
        >>> [it[:3] for it in triples_of(Candidate(content="My sister Nora works at Acme."))]
        [('user', 'sister', 'Nora'), ('Nora', 'works_at', 'Acme')]
    """
    if record.relation is not None:
        found = _stored(record)
    elif record.kind in {"fact", "preference"}:
        found = _said(record.content)
    else:
        return ()
    named = (_as_told(it) for it in found if key_of(it.subject) and key_of(it.object) and not is_stand_in(it.subject))
    return tuple(dict.fromkeys(named))[:MAX_TRIPLES]


def _as_told(triple: Triple) -> Triple:
    """Return a triple in which what stands in the place of a value names nothing: one mask is as good as another."""
    return triple._replace(is_value=True) if is_stand_in(triple.object) else triple


def _stored(record: Memory | Candidate) -> Iterator[Triple]:
    subject, relation = record.subject or USER, canonical_relation(record.relation or "")
    field = field_of(record)
    objects = [record.object] if field is None else _flat(decoded(record.object or ""))
    if field is not None and "." in field:
        relation = f"{relation}_{field.partition('.')[2].replace(' ', '_')}"
    for it in objects:
        if it is not None and it.strip() and len(subject) <= MAX_NAME_CHARS:
            name = clean(it)
            yield Triple(subject, relation, name, _is_value(relation, name), "stored")


def _flat(value: object) -> list[str | None]:
    """Return what a field of the profile lists, or its one value, as text."""
    return [it for each in value for it in _flat(each)] if isinstance(value, list) else [str(value)]


def _is_value(relation: str, name: str) -> bool:
    """Whether an object is said of its subject, rather than a thing of its own."""
    if relation in VALUES and not is_address(name):
        return True
    if relation in {"email", "name"} or relation in ROLES or type_of_object(relation) is not None:
        return len(name) > MAX_NAME_CHARS
    return not _is_name(name)


def _is_name(text: str) -> bool:
    """Whether words are written as a name: a capital somewhere that is not only that of a day or month."""
    if len(text) > MAX_NAME_CHARS or text.casefold() in _UNNAMED:
        return False
    return re.search(rf"(?<!\w){CAPITAL}", text) is not None or is_address(text) or role_in(text) is not None


# -------------------------------------------------------------------------------------------------------- by the words
def _said(content: str) -> Iterator[Triple]:
    last, people = "", set[str]()
    for clause in _clauses(content):
        if last and _INHERITS.match(clause):
            clause = f"{'I' if last == USER else last} {clause}"  # noqa: PLW2901  ("… lives in Oslo and works at Acme")
        if not _is_claimed(clause):
            continue
        found = list(_read_clause(clause, last if len(people) < 2 else ""))  # noqa: PLR2004  (of two, "she" may be either)
        yield from found or _compared(clause)
        last = next((it.subject for it in reversed(found) if it.rule in {"verb", "is"}), last)
        people |= {it.subject for it in found if it.subject != USER}
        people |= {it.object for it in found if type_of_object(it.relation) == PERSON}


def _clauses(content: str) -> list[str]:
    text = " ".join(_ABBREVIATION.sub(r"\1 ", content[: _MAX_CLAUSES * _MAX_CLAUSE_CHARS]).replace("’", "'").split(" "))
    asserted = (it for it in split_sentences(text, _SENTENCE) if not it.rstrip().endswith("?"))
    sentences = (each for it in asserted for each in each_of(it))
    clauses = [_CONTRAST.sub("", part.strip(" .!")) for sentence in sentences for part in _CLAUSE.split(sentence)]
    return [it for it in clauses if 0 < len(it) <= _MAX_CLAUSE_CHARS][:_MAX_CLAUSES]


def _is_claimed(clause: str) -> bool:
    """Whether a clause says that something is so: no denial, doubt or intention, and nothing that is over."""
    tokens = read(clause)
    norms = {token.norm for token in tokens}
    if clause.partition(" ")[0].casefold() in _ADDRESSED:
        return False
    if norms & (NEGATORS | NEGATIVE_WORDS.keys()) or leaves_open(tokens):
        return False
    return not norms & _PAST or "born" in norms


def _read_clause(clause: str, last: str) -> Iterator[Triple]:
    email = _ADDRESS_OF.fullmatch(clause)
    if email is not None:
        owner = "I" if email["s"].casefold() in {"my", "the user"} else email["s"]
        yield Triple(_named(owner, last), "email", clean(email["o"]), is_value=False, rule="verb")
        return
    yield from _apposed(clause, last)
    for read_as in (_by_role, _by_name, _by_verb, _by_being):
        found = list(read_as(clause, last))
        if found:
            yield from found
            return


def _apposed(clause: str, last: str) -> Iterator[Triple]:
    """Read "my sister Nora", wherever it stands."""
    first = _SUBJECT.match(clause)
    about = last if first is None or first["apposed"] else _named(first[0], last)
    for found in _APPOSED.finditer(clause):
        owner = _owner(found["owner"], about)
        if owner:
            yield Triple(owner, canonical_role(found["role"]), clean(found["name"]), is_value=False, rule="role")


def _by_role(clause: str, last: str) -> Iterator[Triple]:
    """Read who somebody is to whom: "Nora is my sister", "my sister is Nora", "Tom has a sister called Nora"."""
    has = _HAS_ROLE.search(clause)
    if has is not None and _SUBJECT.fullmatch(clause[: has.start()]):
        subject = _named(clause[: has.start()], last)
        if subject:
            yield Triple(subject, canonical_role(has["role"]), clean(has["name"]), is_value=False, rule="role")
        return
    for found in _IS.finditer(clause):
        before, after = clause[: found.start()], clause[found.end() :]
        whose = role_in(_resolved(before, last))
        name = re.match(NAME, after)
        role = _IS_ROLE.fullmatch(after)
        if whose is not None and name is not None and role is None:
            yield Triple(_shown_owner(before, last), whose[1], clean(name[0]), is_value=False, rule="role")
        elif role is not None and _SUBJECT.fullmatch(before):
            yield from _is_role(_named(before, last), role, last)


def _is_role(subject: str, role: re.Match[str], last: str) -> Iterator[Triple]:
    owner = _owner(role["owner"] or role["whose"], last)
    if subject and owner and key_of(owner) != key_of(subject):
        yield Triple(owner, canonical_role(role["role"] or role["of"]), subject, is_value=False, rule="role")


def _by_name(clause: str, last: str) -> Iterator[Triple]:
    """Read what somebody has and how it is called: "Tom owns a dog called Rex"."""
    has = _HAS_NAMED.search(clause)
    if has is not None and _SUBJECT.fullmatch(clause[: has.start()]):
        subject, name = _named(clause[: has.start()], last), clean(has["name"])
        if subject:
            yield Triple(subject, "owns", name, is_value=False, rule="verb")
            yield Triple(name, "is_a", clean(has["what"]), is_value=True, rule="is")


def _by_verb(clause: str, last: str) -> Iterator[Triple]:
    for found in _VERB.finditer(clause):
        before = clause[: found.start()].strip()
        if _SUBJECT.fullmatch(before) is None or (_is_one(before) and found[str(found.lastgroup)] in _ALSO_NOUN):
            continue
        subject, relation = _named(before, last), str(found.lastgroup)
        if subject:
            for name in _objects(clause[found.end() :], subject):
                yield Triple(subject, relation, name, _is_value(relation, name), "verb")
        return


def _is_one(subject: str) -> bool:
    words = subject.casefold().split()
    return words[-1] not in {"i", "we", "they"} and ("'" in words[-1] or not words[-1].endswith("s"))


def _by_being(clause: str, last: str) -> Iterator[Triple]:
    """Read "Nora is the head of Acme" and "Nora is a nurse"."""
    for found in _IS.finditer(clause):
        before, after = clause[: found.start()], clause[found.end() :]
        subject = _named(before, last) if _SUBJECT.fullmatch(before) else ""
        of, what = _IS_OF.fullmatch(after), _IS_A.match(_TAIL.sub("", after))
        if subject and of is not None:
            relation = f"{'_'.join(of['what'].casefold().split())}_{of['link']}"
            yield Triple(subject, relation, clean(of["name"]), is_value=False, rule="is")
        elif subject and what is not None:
            yield Triple(subject, "is_a", clean(what["what"]), is_value=True, rule="is")


def _objects(text: str, subject: str) -> list[str]:
    """Return what a verb leads to: the names at its beginning, or the words up to the next preposition."""
    apposed = _APPOSED.match(text)
    if apposed is not None:
        return [clean(apposed["name"])]
    names = _NAMES.match(text)
    if names is not None:
        listed = [names[1], *_LISTED.split(names[2])]
        return [clean(re.sub(r"^(?:the|an?) ", "", it)) for it in listed if it.strip()]
    words = _TAIL.sub("", text)
    owner, _, role = words.partition(" ")
    if owner in {"her", "his", "their"} and role in ROLES:
        words = f"{_possessive(subject)} {role}"
    words = re.sub(r"^(?:the|an?) ", "", words)
    return [clean(words)] if words and len(words.split()) <= _LONGEST_VALUE_WORDS else []


def _named(text: str, last: str) -> str:
    """Return whom a subject means: the speaker, who was named before, or the name."""
    found = _SUBJECT.fullmatch(text.strip())
    name = found["name"] if found is not None and found["apposed"] else text.strip()
    if name.casefold() in PRONOUN_SUBJECTS:
        return last if last != USER else ""
    resolved = _resolved(name, last)
    if role_in(resolved) is not None:
        return clean(resolved)
    return USER if key_of(resolved) == USER else re.sub(r"^(?:[Tt]he|[Oo]ur|[Mm]y) ", "", clean(resolved))


def _resolved(text: str, last: str) -> str:
    """Return "her sister" as the sister of whom was named last."""
    owner, _, rest = text.partition(" ")
    if owner.casefold() in {"her", "his", "their"} and rest:
        return f"{_possessive(last)} {rest}" if last else text
    words = rest.split()
    is_described = len(words) == 2 and words[-1] in ROLES and "'" not in words[0]  # noqa: PLR2004  ("my older sister")
    return f"{owner} {words[-1]}" if is_described else text


def _possessive(name: str) -> str:
    return "my" if key_of(name) == USER else f"{name}'s"


def _owner(text: str, about: str) -> str:
    folded = text.casefold()
    if folded in {"my", "our", "the user's", "mine", "the user"}:
        return USER
    if folded in {"her", "his", "their"}:
        return about
    return clean(text.removesuffix("'s").removesuffix("'"))


def _shown_owner(text: str, last: str) -> str:
    resolved = _resolved(text, last)
    return _owner(resolved[: resolved.rindex(" ")], last)


# ------------------------------------------------------------------------------------- by the patterns of comparison
def _compared(clause: str) -> Iterator[Triple]:
    """Read what statements are compared by, and find its names in the words again."""
    certain = [it for it in parse_statement(clause).facts if it.is_certain and it.relation != TRADE]
    facts = [replace(it, relation="name") if it.relation == "called" else it for it in certain]  # it names an entity
    words = re.findall(r"\[\S+\]|[\w.@+#/&'-]+", clause) if facts else []
    known = [(word, _terms_of(word)) for word in words]
    for fact in facts:
        subject, value = _written_subject(known, fact), _written(known, fact.object)
        if subject and value and key_of(subject) != key_of(value):
            of = _written(known, fact.qualifier).casefold().split()
            yield Triple(subject, "_".join([fact.relation, *of]), value, _is_value(fact.relation, value), "statement")


def _written_subject(known: Sequence[_Known], fact: Fact) -> str:
    if fact.subject == USER:  # … which is also what nobody's words are taken for
        return USER if any(USER in terms for _, terms in known) else ""
    return "" if fact.subject in PRONOUN_SUBJECTS.values() else _written(known, fact.subject)


def _written(known: Sequence[_Known], wanted: str) -> str:
    """Return the shortest run of words that holds all terms, as it is written."""
    terms = set(wanted.split())
    runs = (
        (end - start, start, end)
        for start in range(len(known))
        for end in range(start + 1, min(len(known), start + len(terms) + 2) + 1)
        if terms <= set().union(*(it for _, it in known[start:end]))
    )
    best = min(runs, default=None) if terms else None
    return "" if best is None else clean(" ".join(word for word, _ in known[best[1] : best[2]]))


def _terms_of(word: str) -> frozenset[str]:
    return frozenset(form for token in read(word) for form in (token.term, token.norm))
