"""A statement of the user in their own voice, as an embedding model gets to see it.

Users ask "where do I work?", and memories tell "Gil works at Acme": the same in another voice, which costs a model a
good part of a cosine, and what is told of others none of it. "I work at Acme" is nearer to its question, and what tells
of somebody else is not. Only vectors are made of it: what is kept, shown and found by its words stays as it was told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import search_text
from langchain_agentmem.english.people.whose import clauses_of, names_told
from langchain_agentmem.english.words.calendar_words import MONTHS, SEASONS, WEEKDAYS
from langchain_agentmem.english.words.lexicon import COMMON_FIRST_WORDS, ROLES
from langchain_agentmem.english.words.word_forms import PAST
from langchain_agentmem.types import Candidate, Memory

_WORDS_OF_ID: Final = lazy_pattern(r"[^\W\d_]{2,}(?:[._ -][^\W\d_]{2,}){0,3}(?=@|$)")
"""An id that is a name: "alice", "alice.smith@example.com"; no "u-17", and nothing of a number."""

_NO_NAMES: Final = frozenset(
    "admin administrator root guest test tester demo default anonymous user users me owner customer client member "
    "tenant account system agent assistant bot developer employee patient student team".split()
)
"""Ids that say what somebody is, and in what is told of them mean that."""

_WORDS_TOO: Final = frozenset((*MONTHS, *WEEKDAYS, *SEASONS)).union(
    "mark bill will art bob rob sue pat drew dean chase "
    "hunter cook baker miller smith king earl duke frank grant guy jack jean ray rich rod rusty sandy sonny stew ward "
    "wade dale glen cliff brook brooke forest heath lane rock stone wood rose lily daisy violet iris ivy holly hazel "
    "ginger olive poppy jasmine heather rosemary sage amber crystal pearl ruby jade opal gem star dawn eve sky "
    "grace hope faith joy charity mercy patience prudence chance destiny trinity angel bishop pope major gene harmony "
    "melody carol penny buck bud max mac basil curry herb mason tanner carter page piper porter skip trip tucker "
    "london paris sydney florence victoria chelsea austin dallas houston jordan israel india china chad georgia "
    "virginia carolina dakota savannah madison lincoln jackson adelaide lourdes siena vienna verona milan lorraine "
    "brittany york boston berlin rome roma kent devon chester lancaster windsor kingston orlando phoenix memphis "
    "java python swift julia ada perl rust go apple amazon oracle mercedes claude alexa".split()
)
"""Ids that are names, and months, places, things or deeds as well: where they stand for a person the text must say."""

_NO_NAME_ALONE: Final = COMMON_FIRST_WORDS - _WORDS_TOO
"""Words that tell nobody apart ("it", "use"); a family name makes of them a name, whole."""

_OF_PERSON: Final = rf"(?=['\u2019]s (?:\w+ )?(?:{'|'.join(sorted(ROLES))})\b)"
_AS_PERSON: Final = (
    r"(?=\s+(?:(?:never|always|usually|often|also|still|now|only|\w{3,}ly)\s+)?"
    r"(?:lives?|likes?|loves?|prefers?|wants?|hates?|owns?|enjoys?|speaks?|studies|teaches|eats|drinks|thinks|hopes to"
    r"|works (?:as|at)|doesn't (?:like|eat|drink|want)|(?:is|was|isn't|is not|wasn't) (?:now |not )?(?:allergic|vegan"
    r"|vegetarian|married|divorced|engaged|single|retired|pregnant|born))\b)"
)
"""What only people do, are or have: "May lives in York", "Mark's sister"; and not "May was cold", "Bill is due"."""

_NO_PLACE: Final = "".join(
    rf"(?<!\b(?i:{word}) )"
    for word in "in at near during since until around through the this last next every early late mid".split()
) + "".join(rf"(?<!\b{went} to )" for went in ("moved", "moves", "move", "relocated", "went", "flew", "travelled"))
"""Behind these words stands a time or a place, and nobody."""

_USER: Final = frozenset({"user", "the user"})
_BARE: Final = lazy_pattern(r"^user (?=\w)", re.MULTILINE)
"""A relation of the user: "user lives in Leeds"."""

_VERBS: Final = {
    "is": "am",
    "isn't": "am not",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
    "was": "was",
    "goes": "go",
    "dies": "die",
    "lies": "lie",
    "ties": "tie",
}
_AS_IT_IS: Final = lazy_pattern(
    rf"\w+ed|{'|'.join(sorted(PAST))}|will|would|can|could|should|may|might|must|never|always"
    r"|usually|often|also|still|now|currently|recently|only|no|\w{3,}ly"
)
"""What goes with "I" in the form that goes with a name."""

_ENDINGS: Final = (("sses", 2), ("shes", 2), ("ches", 2), ("xes", 2), ("zes", 2), ("oes", 2), ("ies", 3))
_NO_VERB: Final = ("ss", "us", "is", "'s")
_NEXT: Final = r"(?:\s+(?P<adverb>(?:never|always|usually|often|also|still|now|only|\w{3,}ly)\s+)?(?P<verb>[\w']+))?"


def embedded_text(record: Memory | Candidate, user_id: str) -> str:
    """Return what is embedded of a memory: what it is found by, with "I" for the user.

    A name that no id tells stays before it, as that of a speaker: questions may name them.

    Args:
        record: The memory, or what may become one.
        user_id: Whose it is. An id that is a name stands for the user.

    Example:
        >>> embedded_text(Candidate(content="Gil works as a nurse"), "gil")
        'I work as a nurse'
        >>> from langchain_agentmem.types import Provenance
        >>> said = Provenance(evidence="I work as a nurse")
        >>> embedded_text(Candidate(content="Gil works as a nurse", subject="Gil", provenance=said), "user-4711")
        'Gil: I work as a nurse'
    """
    known, sure = names_of_id(user_id), _told(record)
    told = {it for it in sure if it.casefold() not in {*_USER, *known}}
    text = in_own_words(search_text(record), known, sure)
    if record.subject is not None and record.subject.casefold() == "user":
        text = _BARE.sub("I ", text)
    return ": ".join((*told, text))


def in_own_words(text: str, names: Iterable[str] = (), told: Iterable[str] = ()) -> str:
    """Return a text with "I", "me" and "my" for "the user" and whoever is called so; all else stays.

    Args:
        text: What is told, or asked.
        names: What the user may be called; what is a word as well counts only where the text tells of a person.
        told: What they certainly are called in this text.

    Example:
        >>> in_own_words("Alice has a cat, and Tom gave Alice's mother a dog", ["Alice"])
        'I have a cat, and Tom gave my mother a dog'
    """
    return _pattern(frozenset(names), frozenset(told)).sub(_as_oneself, text)


@of_texts(1024)
def names_of_id(user_id: str) -> tuple[str, ...]:
    """Return what a user is called by their id, in lower case, the whole name first; nothing where it is no name.

    Example:
        >>> names_of_id("alice.smith@example.com"), names_of_id("user-4711")
        (('alice smith', 'alice'), ())
    """
    found = _WORDS_OF_ID.match(user_id)
    words = [] if found is None else re.split(r"[._ -]", found[0].casefold())
    if not words or not _NO_NAMES.isdisjoint(words):
        return ()
    first = () if words[0] in _NO_NAME_ALONE else (words[0],)
    return (" ".join(words), *first) if len(words) > 1 else first


def speaker_of(record: Memory | Candidate) -> str | None:
    """Return the name of the user by which a record tells of them; `None` where it tells of somebody else.

    Example:
        >>> from langchain_agentmem.types import Provenance
        >>> said = Provenance(evidence="I sold my car")
        >>> speaker_of(Candidate(content="Gil sold their car", subject="Gil", provenance=said))
        'Gil'
        >>> speaker_of(Candidate(content="Keith sold his car", subject="Keith")) is None
        True
    """
    return next(iter(_told(record)), None)


def _told(record: Memory | Candidate) -> frozenset[str]:
    """Return the name that stands for the user in what they said of themselves, and not of somebody of theirs."""
    evidence = record.provenance.evidence or ""
    names = names_told(record.subject, evidence)
    return names if names and _tells_of_oneself(evidence) else frozenset()


@of_texts(1024)
def _tells_of_oneself(said: str) -> bool:
    return any(not clause.people for clause in clauses_of(said, ()))


@of_texts(1024)
def _pattern(names: frozenset[str], told: frozenset[str]) -> re.Pattern[str]:
    """Return what finds a name where it is written as one, or "the user"; the longest first."""
    called = sorted((it for it in names | told if it.casefold() not in _USER), key=lambda it: (-len(it), it))
    forms = (_as_written(it, is_sure=it in told or it not in _WORDS_TOO) for it in called)
    return re.compile(rf"\b(?:{'|'.join(('(?i:the user)', *forms))})(?:(?P<owns>['\u2019]s)\b|{_NEXT})")


def _as_written(name: str, *, is_sure: bool) -> str:
    """Return a pattern for a name, each of whose words begins with a capital letter, where it stands for a person."""
    words = (rf"{re.escape(word[:1].upper())}(?i:{re.escape(word[1:])})" for word in name.split())
    written = r"\s+".join(words) + r"\b(?!-)"
    owning, being = (r"(?=['\u2019]s\b)", "") if is_sure else (_OF_PERSON, _AS_PERSON)
    return f"{written}{owning}|{_NO_PLACE}{written}{being}"


def _as_oneself(found: re.Match[str]) -> str:
    if found["owns"]:
        return "my"
    if found["verb"] is None:
        return "I" if found.start() == 0 else "me"
    verb, adverb = found["verb"], found["adverb"] or ""
    own = _first_person(verb)
    is_subject = own is not None or found.start() == 0
    return f"{'I' if is_subject else 'me'} {adverb}{own or verb}"


def _first_person(verb: str) -> str | None:
    """Return the form of a verb that goes with "I"; nothing where it is none that goes with a name."""
    if verb in _VERBS:
        return _VERBS[verb]
    if _AS_IT_IS.fullmatch(verb):
        return verb
    for ending, length in _ENDINGS:
        if verb.endswith(ending):
            return verb[:-length] + ("y" if ending == "ies" else "")
    is_verb = verb.islower() and verb.endswith("s") and not verb.endswith(_NO_VERB)
    return verb[:-1] if is_verb else None
