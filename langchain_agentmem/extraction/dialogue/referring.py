"""What a clause leaves to the words before it: whom "she" and what "it" means, and which verb "I'm at Globex" goes on.

A pronoun is read as whom or what the words before it name, and only where they name one of that sort. What is said of
it must be something that lasts of a person, or how a numbered thing stands; every other clause is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.endings import ending_in
from langchain_agentmem.english.people.beings import ANIMALS, BEING
from langchain_agentmem.english.words.kin_words import MEN, WOMEN
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITALIZED, SMALL
from langchain_agentmem.extraction.books.cases import one_case, status_of_it
from langchain_agentmem.extraction.books.people import NAME, ROLE, WHICH, in_full, tells
from langchain_agentmem.extraction.books.pointing_out import spelled_out
from langchain_agentmem.extraction.dialogue.heard import Heard
from langchain_agentmem.extraction.record.conversation import SKIPPED
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.together import of_couple, told_apart
from langchain_agentmem.extraction.sentences.voice import third_person
from langchain_agentmem.extraction.words.given_names import GIVEN_NAMES
from langchain_agentmem.extraction.words.lexicon import AGE, BY_NOW, PET

_JOINT: Final = lazy_pattern(
    r"\s*[,;]?\s+(?:and|but)\s+(?=(?:he|she|it|they)(?:'s|'re)?\s)|\s*[,;]\s+(?=(?:who|he|she|it)(?:'s)?\s)"
    r"|\s*[,;]?\s+(?:and\s+)?(?=(?:his|her|their)\s+name(?:'s|\s+is)\s)",
    re.IGNORECASE,
)
_INSET: Final = lazy_pattern(
    rf"(?P<whom>(?:my|our) (?:[\w'-]+ ){{0,2}}?{BEING}(?:,? {NAME})?|{NAME}), (?P<aside>who(?:'s)? [^,]{{1,60}}),"
    r" (?!(?:and|or|but|not|nor|his|her|their|my|our|the|an?|he|she|they|it|we|who|which|so|as|in|at|on|to)\b)"
    r"(?P<said>(?-i:[a-z]).+)",
    re.IGNORECASE,
)
"""What is said by the way of whom a sentence goes on to tell: "my mother, who is 84, lives in Leeds"."""

_NAMING: Final = lazy_pattern(
    rf"(?:my|our) (?P<what>[\w' -]{{1,60}}?)(?:'s name)? (?:is|are){BY_NOW}(?: called| named)? {NAME}", re.IGNORECASE
)
"""Such a clause says who somebody is, or what an animal is called; "and he is 3" behind it is no part of that."""

_CALLED: Final = lazy_pattern(
    rf"(?:and )?(?:(?P<whose>his|her|its|their) name(?:'s| is)|(?P<who>he|she|it)(?:'s| is) (?:called|named))"
    rf" (?P<name>{NAME})",
    re.IGNORECASE,
)
_UNNAMED: Final = lazy_pattern(
    r"\b(?:(?P<own>my|our|(?:I|we)(?:'ve|'ve got| have| have got| got| adopted| bought| own)(?: [a-z]+ly)? an?)"
    rf"|an?|the|his|her|their|two|three) {WHICH}"
    rf"(?P<role>{ROLE}|boss|{'|'.join(sorted(ANIMALS, key=len, reverse=True))})\b(?!'s\b)"
    rf"(?! (?:called|named|who)\b| is (?:called |named )?{CAPITAL})"
    r"|(?:^|(?<=[.!] ))(?:I'm|I am|I've been|I've started|I started) (?:(?:now|also|still|currently) )?"
    r"(?P<seeing>seeing|dating) (?:someone|somebody)(?: (?:new|special|else))?[.!]*$",
    re.IGNORECASE,
)
_MY_BIRTHDAY: Final = lazy_pattern(r"\bmy (?:\w+ )?birthday\b", re.IGNORECASE)
_AGED: Final = lazy_pattern(rf"(?P<age>{AGE}) years old(?: today| now)?", re.IGNORECASE)
"""A sentence that has no subject: whose birthday it is, tells the one before it."""

_OF_THEM: Final = lazy_pattern(r"(?:he|she|they|who)\b", re.IGNORECASE)
_OF_A_PET: Final = lazy_pattern(rf"(?:[\w-]+ ){{0,3}}{PET}", re.IGNORECASE)
_WHO: Final = lazy_pattern(r"(?:and |but )?(?P<who>he|she|who)(?P<short>'s)? (?P<said>.+)", re.IGNORECASE | re.DOTALL)
_PERSON: Final = lazy_pattern(
    rf"\b(?:my|our) (?P<role>{WHICH}{ROLE})(?:(?:'s name)? is{BY_NOW}(?: called| named)?|,| called| named)? "
    rf"(?P<named>{NAME})"
    rf"|\b(?:my|our) (?:[\w-]+ ){{1,3}}?(?:is|'s name is){BY_NOW}(?: called| named)? (?P<by>{NAME})"
    rf"|\b(?P<is>{NAME}) is (?:my|our|an? (?:friend|colleague) of mine)\b(?: (?P<as>{WHICH}{ROLE}))?"
    rf"|\b(?P<whose>(?:my|our) (?:{WHICH}{ROLE}))\b",
    re.IGNORECASE,
)
_SOMEBODY: Final = rf"(?:my|our) {WHICH}{ROLE}(?:,? {NAME})?"
_BOTH: Final = lazy_pattern(
    rf"(?:both )?(?P<one>{_SOMEBODY}) and (?P<other>{_SOMEBODY})(?: both)? (?P<verb>[a-z]+)(?: both)? (?P<said>.+)",
    re.IGNORECASE,
)
_OWN: Final = lazy_pattern(r"I (?P<adverb>(?:now|currently|also|still) )?(?P<verb>[a-z]+) (?P<said>.+)", re.IGNORECASE)
_OVER: Final = lazy_pattern(
    r"(?:I|we) (?:no longer |(?:don't|do not) (?=.* any ?(?:more|longer)$))(?P<verb>[a-z]+)"
    r"(?: (?P<link>at|for|in|with|on))? (?!\w+days?\b|weekends?\b).+",
    re.IGNORECASE,
)
_INSTEAD: Final = lazy_pattern(
    rf"(?P<who>I|we)(?:'m|'re| am| are) (?P<now>now )?(?P<link>at|for|in|with|on|using) (?P<said>{CAPITAL}.+)",
    re.IGNORECASE,
)
_ELSEWHERE: Final = lazy_pattern(
    r"\b(?:at|in|into|from|for|near|(?:moved|relocated|back) to|an? [\w-]+ (?:called|named)|speaks|uses|maintains|owns)"
    rf" (?:the )?{NAME}"
)
_ANYBODY: Final = lazy_pattern(rf"(?<![\w'-]){NAME}")
OTHER_SEX: Final = {"his": WOMEN, "he": WOMEN, "her": MEN, "she": MEN}
"""Whom a pronoun cannot mean."""


_PRONOUN: Final = lazy_pattern(r"(?:he|she)(?:'s)? ", re.IGNORECASE)
_OPENING: Final = lazy_pattern(r"[^\w.!?]*(?:\w+,? ){0,2}")
_BEING: Final = lazy_pattern(
    rf"\b(?:{BEING}|wom[ae]n|m[ae]n|girl|boy|guy|lady|colleague|neighbou?r|boss|teacher|doctor|nurse)s?\b|\?",
    re.IGNORECASE,
)
"""Words for somebody; who asks may ask about somebody else."""

_TRADE: Final = lazy_pattern(r"(?:\b(?:is|was|as)|'s) an? (?:[\w-]+ )?[\w-]+", re.IGNORECASE)
_OF_OTHERS: Final = lazy_pattern(
    rf"(?<=[a-z,] ){CAPITAL}{SMALL}+|\b(?:you|your|his|her|their|an?) (?:[\w-]+ )?{BEING}s?\b", re.IGNORECASE
)
"""In an answer: whom a pronoun behind it may mean as well."""


class Read(NamedTuple):
    """A clause with the name in place of the pronoun, and who is known by name then."""

    clause: Clause
    known: frozenset[str]


def referred(clauses: Iterable[Clause], known: frozenset[str]) -> Iterator[Read]:
    """Yield the parts of clauses, each with what it leaves to the words before it, where that is plain.

    Args:
        clauses: Of one message, as they were said.
        known: Names of people who were introduced, in small letters.
    """
    last: Clause | None = None
    for clause in clauses:
        whole = clause if last is None or not _follows(clause, last) else _continued(clause, last.text)
        said_before = clause.before if last is None or last.since != clause.since else last.text
        last, before = clause, clause.before
        whole = _with_name(whole, known)
        for part in _of_each(whole) or _parts(whole, known):
            found = _read(part, before, known) or _read_beside(part, said_before, known)
            before = part.text if found is None else found.clause.text
            yield found or Read(part, known)


def carried_over(clause: Clause, heard: Sequence[Heard], known: frozenset[str]) -> Clause:
    """Return a clause that opens a message with "she" or "he" as told of the one person of the user's message before.

    Nobody else may be meant: neither that message, in what it states or else, nor an answer to it names anybody else.

    Args:
        clause: As it was said.
        heard: What was said so far, this message last.
        known: Names of people who were introduced, in small letters.
    """
    now, *earlier = reversed(heard)
    place = next((at for at, it in enumerate(earlier) if it.passage.speaker == "user"), None)
    ahead = now.passage.original.partition(clause.evidence)[0]
    if clause.before or place is None or _PRONOUN.match(clause.text) is None or not _OPENING.fullmatch(ahead):
        return clause
    told = earlier[place].passage
    is_of_one = len({it[0].casefold() for it in _BEING.finditer(_TRADE.sub("", told.text))}) <= 1
    is_of_others = any(_names_others(it.passage.text, told.text) for it in earlier[:place])
    if not is_of_one or is_of_others:
        return clause
    meant = ". ".join(dict.fromkeys(it.clause.text for it in earlier[place].said))
    found, beside = (_read_person(clause, it, known) for it in (meant, told.text))
    if found is None or beside is None or found.clause.text.casefold() != beside.clause.text.casefold():
        return clause
    ids = tuple(dict.fromkeys((*told.message_ids, *clause.message_ids)))
    evidence = f"{told.original.strip()}{SKIPPED}{clause.evidence}"
    return replace(found.clause, evidence=evidence, since=clause.since, message_ids=ids)


def _names_others(answer: str, told: str) -> bool:
    """Whether an answer names somebody who was not told of, be it with its first word."""
    words = {it[0].casefold() for it in re.finditer(CAPITALIZED, answer)}
    is_named = not GIVEN_NAMES.isdisjoint(words - {*re.findall(r"[\w-]+", told.casefold())})
    return is_named or _OF_OTHERS.search(answer) is not None


def _follows(clause: Clause, last: Clause) -> bool:
    return clause.since == last.since or (bool(last.evidence) and last.evidence in clause.before)


def _continued(clause: Clause, before: str) -> Clause:
    """Return "I'm at Globex" as "I work at Globex" after "I don't work at Acme anymore"."""
    over, now = _OVER.fullmatch(before), _INSTEAD.fullmatch(clause.text)
    if over is None or now is None:
        return clause
    verb, link = over["verb"], now["link"].casefold()
    is_used = verb == "use" and link in {"on", "using", "with"}
    if not is_used and over["link"] != link:
        return clause
    to = "" if is_used else f" {link}"
    return replace(clause, text=f"{now['who']} {now['now'] or ''}{verb}{to} {now['said']}")


def _with_name(clause: Clause, known: frozenset[str]) -> Clause:
    """Return what is said of the user and somebody by name as said of the user, with the other one beside it."""
    is_over = ending_in(clause.text) is not None  # told of both
    apart = None if clause.other or is_over else told_apart(clause.text, known)
    return clause if apart is None else replace(clause, text=apart.text, other=apart.other)


def _of_each(clause: Clause) -> tuple[Clause, ...]:
    """Return what is said of two people as said of each: "my son Max and my daughter Mia are allergic to nuts"."""
    if clause.other:
        return _of_other_too(clause)
    both = _BOTH.fullmatch(clause.text)
    if both is None or not tells(f"{third_person(both['verb'])} {both['said']}"):
        return ()
    said = f"{third_person(both['verb'])} {both['said']}"
    return tuple(replace(clause, text=f"{both[who]} {said}") for who in ("one", "other"))


def _of_other_too(clause: Clause) -> tuple[Clause, ...]:
    own = _OWN.fullmatch(clause.text)
    if own is None or not tells(said := f"{third_person(own['verb'])} {own['said']}"):
        return ()
    return clause, replace(clause, text=f"{clause.other} {own['adverb'] or ''}{said}", other="")


def _parts(clause: Clause, known: frozenset[str]) -> Iterator[Clause]:
    """Cut a clause before a pronoun of which the words before it tell the meaning."""
    inset = _INSET.fullmatch(clause.text)
    if inset is not None:
        yield from _two(clause, inset, known)
        return
    start, text, last = 0, clause.text, ""
    for joint in _JOINT.finditer(text):
        head, tail = text[start : joint.start()], replace(clause, text=text[joint.end() :], setting="")
        found = _read(tail, head, known) or _read(tail, last[: joint.start() - len(text)], known)
        if found is not None:
            yield replace(clause, text=head, setting="" if start else clause.setting)
            start, last = joint.end(), found.clause.text
        elif not start and _names_only(head, tail.text):
            yield replace(clause, text=head)
            return
    yield replace(clause, text=text[start:], setting="") if start else clause


def _two(clause: Clause, inset: re.Match[str], known: frozenset[str]) -> Iterator[Clause]:
    """Yield what is said by the way, unless it is over by the rest, and the rest."""
    whole = replace(clause, text=f"{inset['whom']} {inset['said']}")
    aside = _read(replace(clause, text=inset["aside"], setting=""), inset["whom"], known)
    if aside is not None and ending_in(whole.text) is None:
        yield aside.clause
    yield whole


def _names_only(head: str, tail: str) -> bool:
    """Whether a clause is at an end before a pronoun: it named somebody, or an animal, and nothing is known of more."""
    naming = _NAMING.fullmatch(head)
    return naming is not None and (_OF_THEM.match(tail) is not None or _OF_A_PET.fullmatch(naming["what"]) is not None)


def _read(clause: Clause, before: str, known: frozenset[str]) -> Read | None:
    if not before:
        return None
    found = _read_person(clause, before, known) or _read_name(clause, before, known)
    return found or _read_case(clause, before, known) or _read_age(clause, before, known)


def _read_name(clause: Clause, before: str, known: frozenset[str]) -> Read | None:
    """Read "her name is Priya" behind words that tell of one person, who has no name there."""
    called, people = _CALLED.fullmatch(clause.text), list(_UNNAMED.finditer(before))
    if called is None or len(people) != 1 or not (people[0]["own"] or people[0]["seeing"]):
        return None
    role, name = (people[0]["role"] or "").casefold(), called["name"]
    if role in OTHER_SEX.get((called["whose"] or called["who"]).casefold(), frozenset()):
        return None
    said = f"my {role}'s name is {name}" if role else f"I'm {people[0]['seeing']} someone called {name}"
    return Read(replace(clause, text=said, evidence=_evidence(clause), quote=""), known | {name.casefold()})


def _read_person(clause: Clause, before: str, known: frozenset[str]) -> Read | None:
    found = _WHO.fullmatch(clause.text)
    if found is None:
        return None
    said = found["said"] if found["short"] is None else in_full(found["said"])
    if not tells(said):
        return None
    meant = _one_person(before, found["who"].casefold(), known)
    if meant is None:
        return None
    return Read(
        replace(clause, text=f"{meant} {said}", evidence=_evidence(clause), quote=""), known | {meant.casefold()}
    )


def _read_case(clause: Clause, before: str, known: frozenset[str]) -> Read | None:
    case = one_case(before)
    said = None if case is None else status_of_it(clause.text, case)
    return None if said is None else Read(replace(clause, text=said, evidence=_evidence(clause), quote=""), known)


def _read_beside(clause: Clause, before: str, known: frozenset[str]) -> Read | None:
    """Read of what a word points to, or who are together, by the words before."""
    couple = of_couple(clause.text, before)
    spelled = spelled_out(clause, before) if couple is None else replace(clause, text=couple, quote="")
    return None if spelled is None else Read(spelled, known)


def _read_age(clause: Clause, before: str, known: frozenset[str]) -> Read | None:
    aged = _AGED.fullmatch(clause.text) if _MY_BIRTHDAY.search(before) else None
    if aged is None:
        return None
    return Read(replace(clause, text=f"I'm {aged[0].casefold()}", evidence=_evidence(clause), quote=""), known)


def _evidence(clause: Clause) -> str:
    return clause.since or clause.evidence


def _one_person(text: str, pronoun: str, known: frozenset[str]) -> str | None:
    """Return the one person whom a text names, as a subject; `None` where it names several, or could."""
    found = list(_PERSON.finditer(text))
    rest = _ELSEWHERE.sub(" ", _PERSON.sub(" ", text))
    others = {it[0] for it in _ANYBODY.finditer(rest) if it.start() or it[0].casefold() in known}
    if not found:
        return next(iter(others)) if len(others) == 1 and next(iter(others)).casefold() in known else None
    people = {it["named"] or it["by"] or it["is"] or it["whose"] for it in found}
    roles = {word for it in found for word in (it["role"] or it["as"] or it["whose"] or "").casefold().split()}
    is_other_sex = roles & OTHER_SEX.get(pronoun, frozenset())
    return None if others - people or len(people) != 1 or is_other_sex else str(people.pop())
