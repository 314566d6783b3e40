"""Which memories a request to forget means: those that say what the user named, and no others.

A memory matches when it holds every word of content the user named, stemmed, words of liking taken as one, and both
deny it or neither does. Nearness of vectors is no evidence: "allergic" and "not allergic" are neighbours. What is
missed can be named again; what is forgotten too much may not be noticed. Who says "I" or "my" means what is told of
themselves; of somebody else only where they name them. A topic ("what I told you about nuts") means all of it, denied
or not; a rule about it, a goal or a preference means memories of that kind alone. A turn
of a conversation matches as well where the assistant answered with it: "Dark mode." says by its question that somebody
prefers it. What is named by the word for it ("my address") is what tells it, in whatever words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.whose import Clause, clauses_of, speaks_of_oneself
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.english.reading.states_named import SAME_STATE, in_one_word
from langchain_agentmem.english.requests.as_written import AsWritten
from langchain_agentmem.english.requests.asked_apart import named_apart
from langchain_agentmem.english.requests.attribute_request import AttributeWanted, Names, Spelling
from langchain_agentmem.english.requests.attributes import attribute_asked
from langchain_agentmem.english.requests.steps import said_of_step
from langchain_agentmem.english.text.only_asked import is_left_open
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import SAME_KIN
from langchain_agentmem.english.words.lexicon import PETS, ROLES
from langchain_agentmem.english.words.patterns import CAPITALIZED, FULL_NAME
from langchain_agentmem.types import Candidate, Kind, Memory

# Ways to say that one likes something: a request rarely repeats the very word that was remembered.
_LIKING: Final = frozenset(tokenize("like love prefer enjoy favor favorite favourite adore fond preference"))
# Words by which a request names memory itself or the speaker, not what is remembered.
_EMPTY: Final = frozenset(
    tokenize(
        "user remember remembered know knew tell told say said mention mentioned thing things everything anything"
        " something stuff fact facts detail details memory memories info information please ever"
    )
)
# "My cat is called Minka" is another way to say "named"; who calls somebody ("I called Minka") names nothing by it.
_CALLED: Final = lazy_pattern(
    r"(?<!\bI )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\byou )\bcalled\b", re.IGNORECASE
)
_OF_ONESELF: Final = lazy_pattern(r"(?:that )?(?:I|we)\b", re.IGNORECASE)
_CLAIMS: Final = lazy_pattern(r"\s*that\s+", re.IGNORECASE)
_ROLES: Final = frozenset(tokenize(" ".join(sorted(ROLES))))
_BEINGS: Final = _ROLES.union(tokenize(" ".join(sorted(PETS))))
_LIKED: Final = "like"
_ANY_CASE: Final = AsWritten()
_SAME_KIN: Final = {term: same for words in SAME_KIN for same in (tuple(tokenize(words)),) for term in same}
"""Words for one who is the same to somebody, each for all of them."""

_DAY_OF: Final = lazy_pattern(
    r"(?:about )?(?:(?:the )?(?:date|day|time) (?:of|for) (?P<of>(?:my|our) [^,.;]+)"
    r"|(?P<its>(?:my|our) [^,.;]+?) (?:date|date and time))",
    re.IGNORECASE,
)
_TELLS_DAY: Final = lazy_pattern(
    rf"\d|\b(?:{WEEKDAY}|{MONTH}|today|tomorrow|tonight|next \w+)\b",
    re.IGNORECASE,
)
_SAME: Final = _SAME_KIN | SAME_STATE

_OF_KIND: Final = lazy_pattern(
    r"(?:about )?(?:(?:the|my|our|your|that|this|those|these|any|all|every)(?: (?:my|the|your))? (?:\w+ )?)?"
    r"(?:(?P<constraint>rule|instruction|order|constraint|guideline)|(?P<goal>goal|objective)|(?P<preference>preference))s?"
    r"(?: (?:that )?I(?:'ve| have)? (?:\w+ )?(?:gave|given|told|set|mentioned|made)(?: you)?)?"
    r" (?:about|on|regarding|concerning) (?P<topic>\S.*)",
    re.IGNORECASE,
)
_RULE: Final = lazy_pattern(
    r"(?:about )?(?:the|my|our|your|that|this|those|these|any|all) (?P<topic>(?!(?:no|new|old|first|last|other|same)\b)"
    r"[\w-]+(?: [\w-]+)?) (?P<constraint>rule|instruction|constraint"
    r"|(?:(?<=word )|(?<=character )|(?<=sentence )|(?<=paragraph ))limit)s?",
    re.IGNORECASE,
)
"""Names a rule by a word before it: "the French rule"."""

_NO_MENTION: Final = lazy_pattern(
    r"(?:please )?(?:never|do not|don['\u2019]t|stop|avoid)(?: ever)? (?:mention|bring|talk|speak|ask|comment|share"
    r"|joke|refer)\b",
    re.IGNORECASE,
)
"""Begins a rule for what is not to be spoken of: it tells of it that there is such a thing."""

_STATES: Final = lazy_pattern(
    r"\b(?:that|I|we|you|he|she|they|it|who|what|where|when|how|am|is|are|was|were|has|have|had|do|does|did|will|can"
    r"|could|would|should|must|never|always)\b|\w['\u2019](?:m|re|ve|ll|d)\b"
    rf"|^(?:about )?(?:(?:the )?user|{CAPITALIZED}|(?:my|our) [a-z-]+) [a-z]+s\b(?!['\u2019])",
    re.IGNORECASE,
)
"""A clause: what says something, and does not only name it."""

MAX_BESIDE: Final = 2
"""Words of an answer besides what was asked for ("as far as I know, Oslo"); with more it says something of its own."""

_REPLY: Final = "\nassistant: "
"""Between the two sides of a turn; see `Episode.content`."""

_ASKS_OF_ONESELF: Final = lazy_pattern(
    r"\b(?:(?:do|did|am|was|have|had) (?:I|we)|my|our|mine|about me)\b[^.!\n]*(?:\?|$)", re.IGNORECASE
)
_OWNED: Final = lazy_pattern(r"(?:about )?(?:my|our) ", re.IGNORECASE)
"""Begins what names somebody of the user's: "my dog" is no dog of Tom's."""

_WHOSE: Final = lazy_pattern(r"\b(?P<owner>my|our|[\w-]{1,64}'s) (?P<what>[\w-]{1,64}(?: [\w-]{1,64})?)", re.IGNORECASE)
_ANOTHERS: Final = lazy_pattern(
    rf"(?:about )?{FULL_NAME}['\u2019]s (?:[\w-]+ ){{0,2}}?(?P<who>[a-z-]+)"
    rf"(?:,? {FULL_NAME})?",
    re.IGNORECASE,
)
_OWNERS: Final = lazy_pattern(r"\b([\w-]{1,64})['\u2019]s\b")
_COUNTED: Final = lazy_pattern(r"\b(?P<number>\d+) (?P<unit>(?!years\b|years-old\b)[a-z]{2,}s)\b")
"""How many of something: "34 employees" is not the age of 34."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a request names, in words, or in digests of them: it is held against other texts without telling any.

    Args:
        words: Of what it names.
        is_denied: Whether it names a denial. `is_topic`: it only names something, denied or not.
        told: The same with whom each word is told of: what a memory says is said again of the same people only.
        own: Where it speaks of the user: what is told of them, or of somebody named there, has these words.
        is_claim: It says something of one other person: what it says must be said of them, not of somebody beside them.
        attribute: It names an attribute of somebody, whose words decide nothing then: what tells it is meant.
        is_anothers: It names whom one other person has: "Tom's dog" is no dog of the user's.
        kind: It names memories of this kind only.
        is_of_oneself: It says something of the user: that of whom it has the name alone is not meant.
        is_of_day: It names when something is: what tells of that and of no day is not meant.
        written: How its words are written.
        spelling: Makes what stands for a word, there and in whatever it is held against.
    """

    words: frozenset[Hashable]
    is_denied: bool
    told: frozenset[Hashable]
    own: frozenset[Hashable] | None = None
    is_claim: bool = False
    attribute: AttributeWanted | None = None
    is_topic: bool = False
    is_anothers: bool = False
    kind: Kind | None = None
    is_of_oneself: bool = False
    is_of_day: bool = False
    written: AsWritten = _ANY_CASE
    spelling: Spelling = str

    @classmethod
    def of(cls, what: str, spelling: Spelling = str, names: Names = None) -> Wanted:
        """Return what a request to forget `what` names, of a user who is called by `names`."""
        kind, what = _kind(what)
        day = _DAY_OF.fullmatch(what.strip(" .,!?")) if attribute_asked(what) is None else None
        what = what if day is None else day["of"] or day["its"]
        words, is_topic = _words(what, spelling), kind is not None or _is_topic(what)
        return cls(
            words=words,
            is_denied=_denies(what),
            told=_told(what, spelling, names),
            own=_told(what, spelling, names, words) if speaks_of_oneself(what) or _OWNED.match(what) else None,
            is_claim=_is_claim(what),
            attribute=None if kind else AttributeWanted.of(what, spelling),
            is_topic=is_topic,
            is_anothers=_is_anothers(what),
            kind=kind,
            is_of_oneself=_OF_ONESELF.match(what) is not None,
            is_of_day=day is not None,
            written=AsWritten.of(what, spelling, is_topic=is_topic),
            spelling=spelling,
        )

    def names(self, content: str, evidence: str | None = None) -> bool:
        """Whether it names all that it means in the words of `content`, denied there or not; `evidence` supports it."""
        if not self.words or not self.words <= _words(content, self.spelling):
            return False
        is_cased = any(map(str.isupper, evidence or content))
        return self.written.fits(content, self.words, self.spelling, is_cased=is_cased)

    def means(self, content: str, names: Names = None, evidence: str | None = None) -> bool:
        """Whether it means the memory `content`, which is supported by `evidence`."""
        if self.is_of_day and not _TELLS_DAY.search(content):
            return False
        if self.attribute is not None:
            return self.attribute.is_told_in(content, self.spelling, names)
        is_whose = self.own is None or self.own <= _told(content, self.spelling, names, self.words)
        if self.is_anothers and _owns(content, self.spelling, names, self.words):
            return False
        told = _led_off(content, names) if self.is_topic else content
        is_said = is_whose and self._agrees(content) and self.names(told, evidence)
        if is_said and self.is_of_oneself:
            return any(not self.words <= set(map(self.spelling, it.people)) for it in clauses_of(content, names))
        return is_said and (not self.is_claim or self._is_of_one(content))

    def means_told(self, told: Memory | Candidate, names: Names = None) -> bool:
        """Whether it means a memory, or what may become one: by its words, what it is known by, or a goal's plan."""
        return self.means_whole(told, names) or self.means_plan(told, names)

    def means_plan(self, told: Memory | Candidate, names: Names = None) -> bool:
        """Whether it means a part of a goal's plan, or of what was done."""
        return told.goal is not None and any(self.is_planned_in(it, names) for it in told.goal.texts)

    def is_planned_in(self, step: str, names: Names = None) -> bool:
        """Whether it means a step of what the user does, as it means what was said in a turn."""
        return any(self.is_said_in(it, names) for it in said_of_step(step))

    def means_whole(self, told: Memory | Candidate, names: Names = None) -> bool:
        """Whether it means a memory, or what may become one, by more than a part of its plan."""
        if self.kind not in {None, told.kind}:
            return False
        if self.means_what(told, names):
            return True
        is_rule_of_it = told.kind == "constraint" and _NO_MENTION.match(told.content) is not None
        if self.attribute is not None and is_rule_of_it:
            return False
        return self.means(told.content, names, told.provenance.evidence)

    def means_what(self, told: Memory | Candidate, names: Names = None) -> bool:
        """Whether it means what something is known by: its relation to whom it is about, in whatever words."""
        return self.attribute is not None and self.attribute.is_known_by(told, self.spelling, names)

    def is_of_others_in(self, content: str, names: Names = None) -> bool:
        """Whether what it only names is told of others alone: "Jack uses Java". What it names of somebody is theirs."""
        if not self.is_topic or self.own is not None or self.kind is not None or self.attribute is not None:
            return False
        told = [it for it in clauses_of(content, names) if not self.words.isdisjoint(_words(it.text, self.spelling))]
        return bool(told) and all(it.people and self._is_beside(it) for it in told)

    def _is_beside(self, clause: Clause) -> bool:
        """Whether it names nobody of a clause, nor what somebody has: "Tom" in "Tom's wife is a vet"."""
        owners = {self.spelling(it) for owner in _OWNERS.findall(clause.text) for it in tokenize(owner)}
        return self.words.isdisjoint({*map(self.spelling, clause.people), *owners})

    def _agrees(self, content: str) -> bool:
        return self.is_topic or self.is_denied == _denies(content)

    def _is_of_one(self, content: str) -> bool:
        """Whether all words are said of the same people, rather than some of each."""
        said: dict[frozenset[str], set[Hashable]] = {}
        for people, part in clauses_of(content, ()):
            further = {self.spelling(it) for it in people & _ROLES} if len(people) > 1 else set[Hashable]()
            if not further <= self.words:  # the sister of whom it names
                continue
            of_them = said.setdefault(people, set(map(self.spelling, people)))
            of_them |= _words(part, self.spelling)
        return any(self.words <= words for words in said.values())

    def shares(self, content: str, names: Names = None) -> bool:
        """Whether it says all of the memory `content`, or `content` all of it: the same, as far as both tell."""
        said = _told(content, self.spelling, names)
        is_part = bool(said and self.told) and (self.told <= said or said <= self.told)
        return is_part and self.is_denied == _denies(content)

    def is_said_in(self, spoken: str, names: Names = None) -> bool:
        """Whether it means a turn of a conversation: one of its sentences, or what it answers."""
        if self.kind is not None:
            return False  # a turn is of no kind; that a memory was taken from is found by it
        if self.attribute is not None:
            question, _, reply = spoken.partition(_REPLY)
            is_open = is_left_open(question.partition(": ")[2], reply)
            return not is_open and any(self.means(sentence, names) for sentence in split_sentences(spoken))
        if not self.words - {self.spelling(_LIKED)} <= _words(spoken, self.spelling):
            return False  # as nearly every turn, told at a glance
        if any(self.means(sentence, names) for sentence in split_sentences(spoken)):
            return True
        question, _, reply = spoken.partition(_REPLY)
        if self.own is not None and self._is_of_another(question, names):
            return False
        return any(self._is_answered(question, sentence) for sentence in split_sentences(reply))

    def _is_of_another(self, question: str, names: Names) -> bool:
        last = clauses_of(question, names)[-1].people
        return not frozenset(map(self.spelling, last)) <= self.words

    def _is_answered(self, question: str, answer: str) -> bool:
        wanted, said, asked = self.words, _words(answer, self.spelling), _words(question, self.spelling)
        if not (wanted - asked) & said or not self._agrees(answer):
            return False
        liked = {self.spelling(_LIKED)}
        if said <= wanted <= said | liked:
            return True
        is_own = _ASKS_OF_ONESELF.search(question) is not None
        return is_own and wanted <= said | asked | liked and len(said - wanted - asked) <= MAX_BESIDE


def wanted_apart(what: str) -> tuple[Wanted, ...]:
    """Return what a request to forget names, for each part that it names by itself."""
    return tuple(map(Wanted.of, named_apart(what)))


def is_meant(what: str, content: str, names: Names = None) -> bool:
    """Whether a request to forget `what` means the memory `content`, of a user who is called by `names`.

    Example:
        >>> is_meant("that I like sushi", "Alice loves sushi")
        True
        >>> is_meant("that I like sushi", "Alice is allergic to sushi rice")
        False
        >>> is_meant("that I like sushi", "The user's son likes sushi")
        False
    """
    return Wanted.of(what).means(content, names)


def is_said_in(what: str, spoken: str, names: Names = None) -> bool:
    r"""Whether a request to forget `what` means a turn of a conversation: one of its sentences, or what it answers.

    An answer says by itself only what was asked for. It is meant where the question was about the user and both
    together hold every word, or where it consists of nothing but what is liked.

    Example:
        >>> is_said_in("that I live in Oslo", "user: Where do I live?\nassistant: Oslo.")
        True
        >>> is_said_in("that I live in Oslo", "user: Where is the opera?\nassistant: Oslo.")
        False
    """
    return Wanted.of(what).is_said_in(spoken, names)


def is_named(what: str, content: str) -> bool:
    """Whether a request to forget `what` names all that it means in the words of `content`, denied there or not."""
    return Wanted.of(what).names(content)


def _led_off(content: str, names: Names) -> str:
    """Return a text without the user's name at its head: who names a Rose means none of all that Rose said."""
    led = next((it for it in names or () if it[:1].isupper() and content.startswith(f"{it} ")), "")
    return content[len(led) :]


def _words(text: str, spelling: Spelling = str) -> frozenset[Hashable]:
    said = tokenize(in_one_word(_CALLED.sub("named", text)))
    terms = (_LIKED if term in _LIKING else term for term in said if term not in _EMPTY)
    return frozenset(spelling(each) for term in terms for each in _SAME.get(term, (term,)))


def _told(text: str, spelling: Spelling, names: Names, named: Collection[Hashable] = ()) -> frozenset[Hashable]:
    """Return the words of a text, each with whom it is told of unless that is the user, or all of them are `named`."""
    found: set[Hashable] = set()
    for people, said in clauses_of(text, names):
        terms = _words(_COUNTED.sub(r"\g<number>of\g<unit> \g<unit>", said))
        is_own = all(spelling(each) in named for each in people) or _owns(said, spelling, names, named)
        found |= {
            spelling(it if is_own or (it in people and not named) else f"{'+'.join(sorted(people))} {it}")
            for it in map(str, terms)
        }
    return frozenset(found)


def _owns(said: str, spelling: Spelling, names: Names, named: Collection[Hashable]) -> bool:
    """Whether a clause about somebody else tells that they are the user's, in a word that is named: "Rex is my dog"."""
    owners = {"my", "our", "user's", *(f"{it.casefold()}'s" for it in names or ())} if named else ()
    told = (it for it in _WHOSE.finditer(said.replace("\u2019", "'")) if it["owner"].casefold() in owners)
    return any(spelling(term) in named for it in told for term in _BEINGS.intersection(tokenize(it["what"])))


def _is_claim(what: str) -> bool:
    """Whether a request repeats what is said of one other person: "that Nora works at Acme", not "that trip"."""
    said = _CLAIMS.match(what)
    people = {it.people for it in clauses_of(what[said.end() :], ())} if said else set()
    return len(people) == 1 and bool(min(people, key=len))


def _is_anothers(what: str) -> bool:
    found = _ANOTHERS.fullmatch(what)
    return found is not None and not _BEINGS.isdisjoint(tokenize(found["who"]))


def _kind(what: str) -> tuple[Kind | None, str]:
    """Return which kind of memories a request names by the word for them, and about what."""
    plain = what.strip(" .,!?")
    rule = _RULE.fullmatch(plain)
    if rule is not None:
        return "constraint", rule["topic"]
    found = _OF_KIND.fullmatch(plain)
    if found is None:
        return None, what
    kinds: tuple[Kind, ...] = ("constraint", "goal", "preference")
    return next(it for it in kinds if found[it]), found["topic"]


def _is_topic(what: str) -> bool:
    """Whether a request only names something, and says nothing of it: "mushrooms", not "that I like mushrooms"."""
    statement = parse_statement(what)
    is_said = _STATES.search(what) is not None or bool(statement.facts) or statement.negations > 0
    return not is_said and _LIKED not in _words(what)


def _denies(text: str) -> bool:
    return parse_statement(text).negations % 2 == 1
