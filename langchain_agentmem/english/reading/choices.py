"""Choices that a later one revises: "we switched to a monolith" ends "we chose microservices". English.

A false revision hides a choice that is in force, so two things must be of one known sort, of which one is in use at a
time, or the later choice must say that it stands "instead" for the same purpose, or name what it leaves: "we replaced
Nagios with Prometheus" ends "we run Nagios", and "I left Acme" ends "I work at Acme".
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.pair import Judgement, Pair
from langchain_agentmem.english.words.lexicon import GENERIC, STOP, stem
from langchain_agentmem.english.words.patterns import CAPITAL

_MAX_CHARS: Final = 200
"""A longer text says more than what was chosen."""

_RIVALS: Final = tuple(
    frozenset(stem(word) for word in line.split())
    for line in """
    postgres postgresql mysql mariadb sqlite oracle mongodb dynamodb cassandra cockroachdb
    monolith monoliths microservice microservices serverless
    aws azure gcp heroku
    react vue angular svelte
    django flask fastapi rails
    rest graphql grpc
    kafka rabbitmq pulsar nats
    terraform pulumi cloudformation
    jenkins circleci travis
    npm yarn pnpm
    scrum kanban
    slack teams discord mattermost
    webpack vite rollup
    monorepo polyrepo
    kubernetes nomad mesos
    python typescript javascript java rust go kotlin swift ruby
    """.strip().splitlines()
)
"""Things of one sort, of which one serves one purpose."""

_LANGUAGES: Final = len(_RIVALS) - 1
"""Of these several are in use at a time: that one is used now ends no other one."""

_WHO: Final = rf"(?P<who>i|we|the user's (?:team|group)|(?:our|my) team|the team|the user|{CAPITAL}[\w'-]+)"
_ADVERB: Final = r"(?:(?:have|has|had|now|finally|just|recently|then|since|actually|instead|are|is|am) ){0,3}"
_CHOSE: Final = (
    r"(?:chose|chosen|picked|selected|adopted|opted for|settled on|decided on|decided for|decided in favou?r of"
    r"|standardi[sz]ed on|went with|(?:decided|agreed|chose) to (?:use|adopt|go with)|uses?|using|runs? on|builds? on)"
)
_SWITCH: Final = r"(?:switch|move|migrate|change|go back|revert)"
_SWITCHED: Final = (
    rf"(?:(?:switched|switching|moved|moving|migrated|migrating|changed|went back|reverted|rolled back)"
    rf"|(?:decided|agreed|chose) to {_SWITCH})"
)
_ARTICLE: Final = r"(?:(?:the|an?|our|my|their) )?"
_PURPOSE: Final = r"(?: (?:for|in|on|as|at) (?P<topic>.+?))?"
_END: Final = r"(?: (?:instead|now|after all|again))*[.! ]*"
_CHOICE: Final = lazy_pattern(
    rf"{_WHO} {_ADVERB}{_CHOSE} {_ARTICLE}(?P<thing>[^,;()]+?)(?: instead)?{_PURPOSE}{_END}", re.IGNORECASE
)
_CHANGE: Final = lazy_pattern(
    rf"{_WHO} {_ADVERB}{_SWITCHED}(?: (?P<what>(?!from |to |back )[\w' -]+?))?(?: from {_ARTICLE}(?P<old>[^,;()]+?))?"
    rf" to (?:use |using )?{_ARTICLE}(?P<thing>[^,;()]+?)(?: instead)?{_PURPOSE}{_END}",
    re.IGNORECASE,
)
_REPLACED: Final = lazy_pattern(
    rf"{_WHO} {_ADVERB}replac(?:ed|ing) {_ARTICLE}(?P<old>[^,;()]+?) (?:with|by) {_ARTICLE}(?P<thing>[^,;()]+?)"
    rf"(?: instead)?{_PURPOSE}{_END}",
    re.IGNORECASE,
)
_LEFT: Final = (
    r"(?:(?:moved|moving|migrated|migrating|switched|switching|came|gone|went|got|gotten)"
    r" (?:off(?: of)?|away from|out of)|moved from|got rid of|gotten rid of|phased out|resigned from|dropped"
    r"|ditched|abandoned|scrapped|retired|decommissioned|left|quit|sold)"
)
_SWAPPED: Final = r"(?:replac(?:ed|ing)|swapp(?:ed|ing)(?: out)?|trad(?:ed|ing)(?: in)?)"
_OLD: Final = rf"{_ARTICLE}(?P<old>[^,;()]+?)"
_LEAVING: Final = tuple(
    lazy_pattern(rf"{_WHO} {_ADVERB}{said}{_PURPOSE}{_END}", re.IGNORECASE)
    for said in (
        rf"{_LEFT} {_OLD}(?: (?:for|in favou?r of) {CAPITAL}[^,;()]*?)?",
        rf"{_SWAPPED} {_OLD} (?:with|by|for) [^,;()]+?",
        rf"{_SWITCHED} from {_OLD} to [^,;()]+?",
        rf"{_SWITCHED} to [^,;()]+? from {_OLD}",
    )
)
"""How somebody says what they leave; what for, where it is named."""

_HOLDING: Final = lazy_pattern(
    rf"{_WHO} {_ADVERB}(?:{_CHOSE}|(?:runs?|has|have|owns?|rents?|drives?|plays?|learns?|learning|stud(?:y|ies|ying))"
    r"|(?:hosts?|deploys?|develops?|builds?|banks?|works?|working|lives?|living|stud(?:y|ies)|trains?|based|teach(?:es)?"
    rf"|subscribed?|subscribes) (?:on|with|at|in|to|for|by)|on) {_ARTICLE}(?P<thing>[^,;()]+?){_PURPOSE}{_END}",
    re.IGNORECASE,
)
"""How somebody says what they use, or where they are."""

_SOLD: Final = lazy_pattern(r"\b(?:sold|got rid of|gotten rid of|trad(?:ed|ing))\b", re.IGNORECASE)
_DONE: Final = lazy_pattern(r"\b(?:plays?|learns?|learning|stud(?:y|ies|ying)|teach(?:es)?)\b", re.IGNORECASE)
"""Who sells the thing may go on doing what is done with it: who sold a piano may play one."""

_OPEN: Final = lazy_pattern(
    r"\b(?:and|or|also|too|as well|besides|alongside|both|not|never|n't|if|might|may|could|would|until|temporarily"
    r"|for now|sometimes|mostly|over|rather than|instead of"
    r"|almost|nearly)\b",
    re.IGNORECASE,
)
"""What leaves the old choice beside the new one, or what other rules read."""


def is_known(name: str) -> bool:
    """Whether a name is that of a thing which one chooses for a purpose, as far as any list tells.

    Example:
        >>> is_known("Kafka"), is_known("Kiel")
        (True, False)
    """
    return _sort(frozenset({stem(name.casefold())})) is not None


class _Choice(NamedTuple):
    who: str
    thing: frozenset[str]
    topic: frozenset[str]
    former: frozenset[str]
    is_change: bool
    is_instead: bool
    is_now: bool


def revised(pair: Pair) -> Judgement | None:
    """Judge a choice against an earlier one for the same purpose."""
    if not is_revised(pair.new.text, pair.old.text):
        return None
    return Judgement(relation="conflict", rule="revised", reason="it revises what was chosen for the same purpose")


def is_revised(new: str, old: str) -> bool:
    """Whether a sentence tells of a choice that another one, told before, has to give way to.

    Example:
        >>> is_revised("We switched to a monolith", "We chose microservices")
        True
        >>> is_revised("We use Redis for the cache", "We decided to use Postgres")
        False
    """
    return _is_left(new, old) or _is_rechosen(new, old)


def _is_left(new: str, old: str) -> bool:
    """Whether just what was in use is left; for one purpose, where that is said."""
    left = _said(new, *_LEAVING)
    held = _said(old, _HOLDING) if left is not None else None
    if left is None or held is None or _named(left) != _named(held):
        return False
    if _SOLD.search(left[0]) and _DONE.search(held[0]):
        return False
    topic = _terms(left["topic"] or "")
    return _terms(left["old"]) == _terms(held["thing"]) and topic in (frozenset(), _terms(held["topic"] or ""))


def _is_rechosen(new: str, old: str) -> bool:
    later = _read(new)
    earlier = _read(old) if later is not None else None
    if later is None or earlier is None or later.who != earlier.who or later.topic != earlier.topic:
        return False
    if later.thing & earlier.thing or (later.former and not later.former & earlier.thing):
        return False
    here, there = _sort(later.thing), _sort(earlier.thing)
    if here is not None and here == there:
        is_over = later.is_now and here != _LANGUAGES
        return later.is_change or later.is_instead or is_over or bool(later.topic)
    return later.is_instead and not later.is_change and bool(later.topic) and None in {here, there}


def _read(text: str) -> _Choice | None:
    """Return what a sentence says was chosen, for what; `None` where it says no such thing, or more than that."""
    found = _said(text, _REPLACED, _CHANGE, _CHOICE)
    if found is None:
        return None
    groups = found.groupdict()
    words = found[0].casefold().rstrip(".! ").split()
    topic = _terms(f"{groups.get('what') or ''} {groups['topic'] or ''}")
    return _Choice(
        who=_named(found),
        thing=_terms(groups["thing"]),
        topic=topic,
        former=_terms(groups.get("old") or ""),
        is_change=found.re.pattern != _CHOICE.pattern,
        is_instead="instead" in words,
        is_now="now" in words,
    )


def _said(text: str, *ways: re.Pattern[str]) -> re.Match[str] | None:
    """Return how a sentence says it, in the first of these ways; `None` where it leaves it open, or says more."""
    plain = text.strip().replace("’", "'")
    if len(plain) > _MAX_CHARS or _OPEN.search(plain):
        return None
    return next((it for way in ways if (it := way.fullmatch(plain)) is not None), None)


def _named(found: re.Match[str]) -> str:
    who = found["who"].casefold()
    return "we" if who.endswith(("team", "group")) else "i" if who == "the user" else who


def _terms(text: str) -> frozenset[str]:
    words = re.findall(r"[\w.+#-]*[\w+#]", text.casefold())
    return frozenset(stem(word) for word in words if word not in STOP) - GENERIC


def _sort(thing: frozenset[str]) -> int | None:
    """Return which sort of known thing is named; nothing where no one or several are."""
    found = [place for place, group in enumerate(_RIVALS) if thing & group]
    return found[0] if len(found) == 1 else None
